"""A long text and weights of words in, its best passages in a number of characters out, with `…` where it is cut.

A text is only cut between pieces: sentences, list items with their further lines, table rows, blocks of code. So no
statement loses its negation or its condition. A piece that only announces (a heading, words before a colon) is shown
together with the piece that it announces.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from math import fsum, log

import numpy as np

from pellucid.language.sentences import closing_mark, is_closed, sentence_starts
from pellucid.model.memory import TRANSCRIBED
from pellucid.model.snapshot import CutTrace
from pellucid.recall.context.builder import ContextLine
from pellucid.recall.context.text import NEXT_LINE, body_of, with_code_closed
from pellucid.recall.state import State, World

GAP = "…"
BESIDE = 0.25
"""The share of its better neighbour's score that a piece gains."""
_SHORTEST = 30
"""Characters: a sentence below that belongs to the one before it (`Is it still used? No.`)."""
_FENCE = re.compile(r"[ \t]*(?:```|~~~)")
_HEADING = re.compile(r"[ \t]{0,3}#{1,6}[ \t]")
_ITEM = re.compile(rf"[ \t]*(?:[-*+•]|\(?\d{{1,3}}[.)])[ \t]|[ \t]*\||{_HEADING.pattern}")
"""Matches the beginning of a piece of its own: an item of a list, a row of a table, a heading."""
_ANNOUNCES = re.compile(rf"^{_HEADING.pattern}|[:：]\W{{0,3}}$")


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Passages chosen from a text: `body` as the context shows them, `shown` of the text's `of` pieces."""

    body: str
    shown: int
    of: int
    sources: frozenset[str] = frozenset()
    """The ids of other memories from which words were added."""


class Cutter:
    """Cuts texts to the passages with the query's words at the indices `which`; to their beginnings if none match."""

    def __init__(self, state: State, world: World, which: Iterable[int]) -> None:
        plan = state.plan
        self._reader = world.reader
        self._weights = {plan.stems[i]: log(1 + state.corpus.rows / (1 + plan.frequencies[i])) for i in which}
        self._read = dict[str, list[tuple[str, int]]]()

    def cut(self, text: str, room: int) -> Excerpt | None:
        """Return the pieces of a text with the heaviest of the query's words (its beginning, if it has none) in `room`
        characters; None if not even one fits."""
        text = with_code_closed(text)
        return excerpt(text, self._places(text), self._weights, room)

    def _places(self, text: str) -> list[tuple[str, int]]:
        """Return the query's words (those that the cutter weighs) in a text, each as its stem and the position of its
        first character; cached per text."""
        if text not in self._read:
            found = self._reader.survey(text, names=False).terms if self._weights else ()
            self._read[text] = [(each.stem, each.start) for each in found if each.stem in self._weights]
        return self._read[text]

    def shorten(self, line: ContextLine, room: int) -> ContextLine | None:
        """Return the line with the best pieces of its memory in `room` characters, marks included; None if none fit.

        The first line of a section names its document and heading, and stands above the pieces.
        """
        title, body = "", line.memory.content
        if line.memory.category == "section":
            title, _, body = body.partition("\n")
            title = f"{body_of(title)}{NEXT_LINE}"
        marked = replace(line, body=title, cut=CutTrace(memory_id=line.memory.id, shown=0, of=0))
        found = self.cut(body, room - marked.length)
        return found and with_excerpt(line, replace(found, body=f"{title}{found.body}"))


def with_excerpt(line: ContextLine, chosen: Excerpt) -> ContextLine:
    """Return the line with an excerpt in place of its words, and with `cut` set if pieces are missing (else None)."""
    cut = CutTrace(memory_id=line.memory.id, shown=chosen.shown, of=chosen.of) if chosen.shown < chosen.of else None
    return replace(line, body=chosen.body, cut=cut, sources=chosen.sources)


def mark_continuations(lines: Sequence[ContextLine], state: State, world: World) -> list[ContextLine]:
    """Return the lines, with `…` at the end or beginning of an uncut passage that breaks off in mid-sentence there, if
    the passage beside it is of the same turn. `state` and `world` are those of the recall, to find these passages.
    """
    ends = {line.place for line in lines if _ends_mid_sentence(line)}
    starts = {line.place for line in lines if _is_turn(line) and line.body[:1].islower()}
    unfinished = sorted(ends | starts)
    if not unfinished:
        return [*lines]
    rows = state.pool.rows[state.kept[unfinished]]
    before, after = (
        dict(zip(unfinished, found.tolist(), strict=True)) for found in world.reader.beside(rows, state.admission)
    )
    neighbours = sorted({*(before[each] for each in starts), *(after[each] for each in ends)} - {-1})
    found = zip(neighbours, world.reader.memories(np.array(neighbours, dtype=np.int64)), strict=True)
    turns = {row: each.memory.evidence for row, each in found if each.memory.category in TRANSCRIBED}
    marked = list[ContextLine]()
    for line in lines:
        turn = line.memory.evidence
        opening = f"{GAP} " if line.place in starts and turns.get(before[line.place]) == turn else ""
        closing = f" {GAP}" if line.place in ends and turns.get(after[line.place]) == turn else ""
        marked.append(replace(line, body=f"{opening}{line.body}{closing}"))
    return marked


def _is_turn(line: ContextLine) -> bool:
    """Whether a line shows a passage of a transcript turn uncut."""
    return line.memory.category in TRANSCRIBED and not line.cut


def _ends_mid_sentence(line: ContextLine) -> bool:
    """Whether a line is an uncut passage of a turn that seems to end in the middle of a sentence: its last line is not
    closed by a mark, is no heading or item of a list, and does not end with a colon."""
    last = line.body.rpartition("\n")[2]
    return _is_turn(line) and not is_closed(last) and not _ITEM.match(last) and closing_mark(last) not in ":："


def excerpt(text: str, places: Iterable[tuple[str, int]], weights: Mapping[str, float], room: int) -> Excerpt | None:
    """Return the pieces of a text with the heaviest words, in the text's order; None if no piece fits. Pieces are taken
    by falling score (`_piece_scores`), each together with what announces it, as far as they fit.

    `places` are the words with the position of each in the text, `weights` what each word counts (each must have a
    weight), `room` the characters the pieces can take.
    """
    parts = list(pieces(text))
    scores = _piece_scores(parts, places, weights)
    lengths = [len(part) + part.count("\n") + len(f"{GAP}\n {GAP} ") for part in map(str.strip, parts)]
    chosen, left = set[int](), room
    for best in sorted(range(len(parts)), key=lambda at: (-scores[at], at)):
        added = [at for at in _with_announcement(parts, best) if at not in chosen]
        if added and (needed := sum(lengths[at] for at in added)) <= left:
            chosen |= {*added}
            left -= needed
    return Excerpt(_join_pieces(parts, chosen), len(chosen), len(parts)) if chosen else None


def _with_announcement(parts: Sequence[str], at: int) -> Iterator[int]:
    """Yield the positions in `parts` of the piece at `at`, of the pieces just before it that announce it (`…:`), and of
    the next piece if this one announces that; in no order."""
    if _announces(parts[at]) and at + 1 < len(parts):
        yield at + 1
    yield at
    while at and _announces(parts[at - 1]):
        at -= 1
        yield at


def _announces(part: str) -> bool:
    """Whether a piece is a heading, or ends with a colon, after which up to three signs such as `**` can follow."""
    return bool(_ANNOUNCES.search(part.strip()))


def _piece_scores(parts: Sequence[str], places: Iterable[tuple[str, int]], weights: Mapping[str, float]) -> list[float]:
    """Return the score of each piece: the weights of its distinct words, and a quarter (`BESIDE`) of those of its
    better neighbour.

    `places` are words with their positions in the pieces joined; every word must have a weight.
    """
    ends = list(accumulate(map(len, parts)))
    words_of_pieces = [set[str]() for _ in parts]
    for word, start in places:
        words_of_pieces[bisect_right(ends, start)].add(word)
    own = [fsum(map(weights.__getitem__, words)) for words in words_of_pieces]
    return [
        each + BESIDE * max(own[at - 1] if at else 0.0, own[at + 1] if at + 1 < len(own) else 0.0)
        for at, each in enumerate(own)
    ]


def _join_pieces(parts: Sequence[str], chosen: set[int]) -> str:
    """Return the pieces at the positions in `chosen`, in order, with a mark wherever pieces are left out, and as the
    context shows a memory's words (`body_of`).
    """
    runs, last = list[str](), -1
    for at in sorted(chosen):
        if runs and at == last + 1:
            runs[-1] += parts[at]
        else:
            runs.append(parts[at])
        last = at
    joined = f" {GAP}\n".join(run.strip() for run in runs)
    before, after = ("" if 0 in chosen else f"{GAP} "), ("" if len(parts) - 1 in chosen else f" {GAP}")
    return body_of(f"{before}{joined}{after}")


def pieces(text: str) -> Iterator[str]:
    """Yield the pieces of a text in order: items of a list, rows of a table, headings and blocks of code whole,
    paragraphs by sentences. Joined they are the text."""
    for block in _blocks(text):
        if _FENCE.match(block) or _ITEM.match(block):
            yield block
        else:
            yield from _sentences(block)


def _sentences(block: str) -> Iterator[str]:
    """Yield the sentences of a paragraph, those below 30 characters joined to the one before.

    The end of a line ends a sentence, too, if the first word of the next line would have fitted on that line.
    """
    lines = block.splitlines(keepends=True)
    width = max(map(len, lines))
    ends, at = {*sentence_starts(block)}, 0
    for line, following in pairwise(lines):
        at += len(line)
        if len(line) + len(following.split(maxsplit=1)[0] if following.strip() else "") <= width:
            ends.add(at)
    sentence = ""
    for start, end in pairwise([0, *sorted(ends - {len(block)}), len(block)]):
        if sentence and len(block[start:end].strip()) >= _SHORTEST:
            yield sentence
            sentence = ""
        sentence += block[start:end]
    yield sentence


def _blocks(text: str) -> Iterator[str]:
    """Yield the paragraphs, items, headings and blocks of code of a text, each with the blank lines after it."""
    block, fenced = "", False
    for line in text.splitlines(keepends=True):
        fence = bool(_FENCE.match(line))
        begins = (fence or _ITEM.match(line) or _HEADING.match(block) or block[:-1].endswith("\n")) and line.strip()
        if block and begins and not fenced:
            yield block
            block = ""
        block += line
        if fence and fenced:
            yield block
            block = ""
        fenced ^= fence
    if block:
        yield block
