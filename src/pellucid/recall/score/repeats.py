"""Ranked memories in, those that only repeat a better one out.

A turn is stored as passages, and what is durable in it as memories of their own; a commit, its message and the summary
of a task say one thing three times; the header of a file is also part of its text.

The worse of two goes before topK, so that it takes no place there (`without_repeats`). Once the context is filled, the
better one goes that a later line in it says in full (`covered_by_later`, asked by `context.sparing`).
"""

import re
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from pellucid.documents.relations import relation_of_heading
from pellucid.language.lexicon import words as vocabulary
from pellucid.language.statements.negation import polarity
from pellucid.language.words import content_words, words
from pellucid.model.document import split_naming_line
from pellucid.model.memory import TRANSCRIBED, Memory
from pellucid.recall.score.equation import Ints, Mask
from pellucid.recall.state import State, World
from pellucid.store.index_port import Served

REPEATED = 0.7
"""The share of a memory's words in a better one of the same turns from which it counts as repeated."""
SHORT = 280
"""Characters of a turn up to which a memory extracted from the turn can cover it."""
MOST = 0.5
"""The share of such a turn's content words that the memory must contain."""
TELLING = 4
"""The fewest content words by which a memory of other turns can count as covered."""

_ORDINAL = re.compile(r"(?m)^[ \t]*(?:#{1,6}[ \t]+)?\d{1,3}[.)](?=[ \t])")
"""Matches the number of an item or a section in its list."""
_NAME = re.compile(r"(?<=[\w,;)] )[A-ZÀ-Þ][\w.:_+#%-]+")
"""Matches a capitalised word in mid-sentence, with all that signs join to it (`CLAUDE.md`)."""
_CODE = re.compile(r"`([^`]+)`")
"""Matches a span or a block of code, whose words stand for themselves as names do."""
_POSSESSIVE = re.compile(r"(?<=\w)['’]s\b")
_CLAUSE = re.compile(r"[,.;:()\n](?=\s|$)|(?=\()|\s[-–—]+\s")
_Span = tuple[str, int, int]


@dataclass(frozen=True, slots=True)
class _MemoryWords:
    """The words of a memory, the turns that it came from, and its position in the pool (`number`)."""

    number: int
    text: tuple[str, ...]
    words: frozenset[str]
    content: frozenset[str]
    names: frozenset[str]
    spans: tuple[_Span, ...]
    memory: Memory

    @classmethod
    def of(cls, memory: Memory, number: int) -> "_MemoryWords":
        """Return the words of a memory without list numbers such as `3.`; `number` is its position in the pool."""
        text = _POSSESSIVE.sub("", _ORDINAL.sub("", memory.content))
        found = words(text)
        named = " ".join([*_NAME.findall(text), *_CODE.findall(memory.content)])
        names = {each for each in found if any(map(str.isdigit, each))}.union(words(named))
        spans = tuple(_evidence_spans(memory))
        return cls(number, found, frozenset(found), frozenset(content_words(text)), frozenset(names), spans, memory)

    def covers(self, other: "_MemoryWords") -> bool:
        """Whether this memory says all that the other does, so that the other can be left out.

        This memory must contain every number and name of the other. If they share a turn, it is then enough to contain
        70 % of the other's words, or to have 70 % of its own words from a short turn that it was extracted from
        (`_was_read_from`). Else it must have the same text, or every content word of the other, of at least four, and
        both must deny or affirm the same.
        """
        if not other.names <= self.words:
            return False
        if _spans_overlap(self.spans, other.spans):
            both = len(other.words & self.words)
            if both >= REPEATED * len(other.words):
                return True
            if both >= REPEATED * len(self.words) and self._was_read_from(other):
                return True
        if other.words and self.text == other.text:
            return True
        if len(other.content) < TELLING or not other.content <= self.content:
            return False
        return polarity(self._clauses_about(other)).denied == polarity(other.memory.content).denied

    def _clauses_about(self, other: "_MemoryWords") -> str:
        """Return the clauses of this memory, joined, of whose content words at least half are in the other.

        `covers` compares their denials with the other's.
        """
        clauses = ((each, content_words(each)) for each in _CLAUSE.split(self.memory.content))
        return ", ".join(each for each, inside in clauses if 2 * len(other.content.intersection(inside)) >= len(inside))

    def extends(self, other: "_MemoryWords") -> bool:
        """Whether this memory is at most twice as long as the other, and says all of it.

        It does if both are of one session and it has all words of the other and more, or if they share a turn and it
        was extracted from the other (`_was_read_from`).
        """
        if MOST * len(self.memory.content) > len(other.memory.content):
            return False
        whole = other.words < self.words and self.memory.session_id == other.memory.session_id
        return whole or (_spans_overlap(self.spans, other.spans) and self._was_read_from(other))

    def _was_read_from(self, other: "_MemoryWords") -> bool:
        """Whether this memory can have been extracted from `other`, a turn or section of at most 280 characters.

        It must be none itself, and contain at least half of the other's content words and all its names and numbers.
        Whether they share a turn is for the caller to check.
        """
        turn, memory = other.memory.category in TRANSCRIBED, self.memory.category not in TRANSCRIBED
        has_most = len(other.content & self.content) >= MOST * len(other.content)
        return turn and memory and has_most and other.names <= self.words and len(other.memory.content) <= SHORT


def without_repeats(state: State, world: World) -> tuple[Ints, list[Served], dict[int, int]]:
    """Return the best `topK` memories that do not repeat a better one, best first: their pool positions, then
    themselves.

    The third value maps the pool position of each memory left out so far to the position of the one, among those
    returned, that says the same: a better one, or one just after it that says more (`AlreadyTold.take`).
    """
    max_count, order = state.request.settings.top_k_facts, state.order
    kept, repeats = dict[int, Served](), dict[int, int]()
    already_told, must_stay = AlreadyTold(*sought(state, world)), irreplaceable(state)
    for start in range(0, len(order), max_count):
        batch = order[start : start + max_count]
        for at, candidate in zip(batch.tolist(), world.reader.memories(state.pool.rows[batch]), strict=True):
            kept[at] = candidate
            for other, by in already_told.take(candidate.memory, at, must_stay=bool(must_stay[at])).items():
                del kept[other]
                # what repeated the dropped memory now repeats the one that it repeats
                repeats = {worse: by if better == other else better for worse, better in repeats.items()} | {other: by}
            if len(kept) == max_count:
                return np.array([*kept], dtype=np.int64), [*kept.values()], repeats
    return np.array([*kept], dtype=np.int64), [*kept.values()], repeats


def irreplaceable(state: State) -> Mask:
    """Return a mask of the candidates never left out for a later one that says more: pinned ones, a direct answer."""
    return state.pool.pinned | (state.pool.terms.get("direct", np.zeros(len(state.pool))) > 0)


def sought(state: State, world: World) -> tuple[AbstractSet[str], Callable[[str], AbstractSet[str]]]:
    """Return the stems of the question's content words, and a function that returns the distinct stems of a text."""
    stems = state.plan.stems
    return {stems[i] for i in state.plan.telling}, lambda text: {
        each.stem for each in world.reader.survey(text, names=False).terms
    }


class AlreadyTold:
    """The memories served so far, taken best first, to find those that only repeat another.

    `asked` and `stems` are as `sought` returns them.
    """

    def __init__(
        self, asked: AbstractSet[str] = frozenset(), stems: Callable[[str], AbstractSet[str]] = lambda _: frozenset()
    ) -> None:
        self._kept: list[_MemoryWords] = []
        self._last: _MemoryWords | None = None
        self._documents: dict[str, tuple[int, bool]] = {}
        """By document: its first section kept, and whether that is bare."""
        self._sections: dict[str, dict[int, frozenset[str]]] = {}
        """By document: the lines of each section kept."""
        self._asked, self._stems = asked, stems

    def take(self, memory: Memory, number: int, *, must_stay: bool = False) -> dict[int, int]:
        """Add the next best memory; map the number of each memory left out by this to the number of the one covering
        it, {} if none is. `number` is the memory's position in the pool.

        The new memory is left out if one taken before covers it (`covers`). The memory taken just before is left out if
        the new one extends it; a memory with `must_stay` is not left out by a later one. A memory that is no section
        and has no session or no turns as evidence covers and repeats nothing.
        """
        before, self._last = self._last, None
        if memory.category == "section":
            return self._take_section(memory, number, bare=not must_stay and is_bare(memory, self._asked, self._stems))
        taken = _MemoryWords.of(memory, number)
        if not memory.session_id or not taken.spans:
            return {}
        better = next((each.number for each in self._kept if each.covers(taken)), None)
        if better is not None:
            self._last = before
            return {number: better}
        self._last = None if must_stay else taken
        self._kept.append(taken)
        if before is None or not taken.extends(before):
            return {}
        self._kept.remove(before)
        return {before.number: number}

    def _take_section(self, memory: Memory, number: int, *, bare: bool) -> dict[int, int]:
        """Add a section; return as `take` does.

        The section is left out for another of its document with all its lines, and if `bare` (see `is_bare`), for any
        other of its document. A bare section gives way to the first of its document that is not.
        """
        document, lines = memory.session_id or memory.id, _lines_of(memory.content)
        lines_of_sections = self._sections.setdefault(document, {})
        if (
            better := next((other for other, other_lines in lines_of_sections.items() if lines <= other_lines), None)
        ) is not None:
            return {number: better}
        first, was_bare = self._documents.setdefault(document, (number, bare))
        if bare and first != number:
            return {number: first}
        lines_of_sections[number] = lines
        if bare or not was_bare:
            return {}
        self._documents[document] = number, False
        del lines_of_sections[first]
        return {first: number}


def covered_by_later(memories: Sequence[Memory]) -> Iterator[tuple[int, int]]:
    """Yield pairs of positions in the list, (covered, covering): the second memory comes later, shares a turn with the
    first, contains all its content words and covers it (`covers`)."""
    spans = [tuple(_evidence_spans(each)) for each in memories]
    overlapping = [(a, b) for a, b in combinations(range(len(memories)), 2) if _spans_overlap(spans[a], spans[b])]
    words_of = {
        number: _MemoryWords.of(memories[number], number) for number in {each for pair in overlapping for each in pair}
    }
    for less, more in overlapping:
        if words_of[less].content <= words_of[more].content and words_of[more].covers(words_of[less]):
            yield less, more


def is_bare(memory: Memory, asked: AbstractSet[str], stems: Callable[[str], AbstractSet[str]]) -> bool:
    """Whether a memory is a licence or the like (`is_carried_along`) that answers no more than its document's name.

    That is, it has no stem of `asked` that the name lacks; `asked` and `stems` are from `sought`. Never if the question
    asks for a licence or the like.
    """
    if not is_carried_along(memory) or asked & stems(" ".join(vocabulary("backmatter"))):
        return False
    document, heading = split_naming_line(memory.content)
    body = memory.content.partition("\n")[2]
    return not (asked - stems(document)) & stems(f"{heading}\n{body}")


def is_carried_along(memory: Memory) -> bool:
    """Whether a memory is a section of a document with a heading that names a licence, a list of references or the
    like.
    """
    document, heading = split_naming_line(memory.content)
    if not document or memory.category != "section":
        return False
    listing = relation_of_heading(heading, 2, ())
    return bool(listing and listing.type in ("REFERENCES", "RELATES_TO")) or not vocabulary("backmatter").isdisjoint(
        words(heading)
    )


def _lines_of(section: str) -> frozenset[str]:
    """Return the distinct lines of a section in lower case, stripped, without blank ones."""
    return frozenset(line for each in section.casefold().splitlines() if (line := each.strip()))


def _evidence_spans(memory: Memory) -> Iterator[_Span]:
    """Yield the turns that a memory was read from, as (session, first turn, last turn).

    Evidence of another form than `session:first-last` is left out.
    """
    for source, _, range_ in (each.rpartition(":") for each in memory.evidence):
        start, _, end = range_.partition("-")
        if start.isdigit() and end.isdigit():
            yield source, int(start), int(end)


def _spans_overlap(one: Sequence[_Span], other: Sequence[_Span]) -> bool:
    """Whether some turn is in both lists of spans."""
    return any(
        source == theirs and start <= last and first <= end
        for source, start, end in one
        for theirs, first, last in other
    )
