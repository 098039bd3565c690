"""A turn that gives injected orders in, the stretches of it that are doubted out: the orders, and what continues them.

The rest of a person's message can be from the same page as its orders, so all of it is doubted, except what the person
says or asks above the first line that was plainly pasted, if that is brief and harmless. An agent's message
shows many things in turn (files, rules, its own words): of it only the blocks with the orders are doubted, and what is
just after them in the same section or code fence.
"""

import re
from collections.abc import Container, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, pairwise

from pellucid.language import lexicon
from pellucid.language.hidden import undisguised
from pellucid.language.quoting.fences import fence_after
from pellucid.language.quoting.pasted import spans
from pellucid.language.quoting.voices import foreign_and_own, quoted
from pellucid.language.sentences import QUESTION_MARKS
from pellucid.language.words import words
from pellucid.memory.trust.concepts import addresses_in
from pellucid.memory.trust.injection import looks_injected, split_injections
from pellucid.model.turn import Turn

_FENCE = re.compile(r"[ \t]*(?:```+|~~~+)")
_SECTION = re.compile(r"\s{0,3}[>+-]?\s{0,3}(?:#{1,6}\s|([-*_])\1{2,}\s*$)")
"""A heading or a rule between sections; also in quoted lines and in those of a diff."""

_REACH = 1_000
"""The characters after an order that can belong to it: three or four passages."""
_BRIEF = 600
"""The characters above a paste that are a person's own, at most: a page's introduction is longer."""
_LONG = 600
"""The characters of a block that end it where a line begins at the margin: a list can be longer than any section."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """Which words of a turn begin in quarantine: those in `stretches`; all of them if that is None.

    Why is told of a memory from its own file, which outlives its session: `zones.why_quarantined`.
    """

    letters: str = ""
    """The letters and digits of the turn."""
    stretches: tuple[tuple[int, int], ...] | None = None
    """Starts and ends in `letters`."""
    words: str = ""
    """The text of the stretches."""

    def covers(self, words: str) -> bool:
        """Whether words of the turn, or made of it, are doubted: one of the places where they stand in it overlaps a
        doubted stretch, they are not found in it, or the whole turn is doubted. Only letters and digits are compared;
        words without any are doubted only with the whole turn.
        """
        wanted = _letters(words)
        if self.stretches is None:
            return True
        places = list(_places(self.letters, wanted)) if wanted else []
        overlaps = (start < at + len(wanted) and at < end for at in places for start, end in self.stretches)
        return any(overlaps) or bool(wanted and not places)

    @property
    def is_whole(self) -> bool:
        """Whether the whole turn is doubted."""
        return self.stretches is None


@dataclass(frozen=True, slots=True)
class _Block:
    """A paragraph, a list or the like, with blank lines around it."""

    text: str
    begins: bool
    """Whether a section begins with it: it is a heading, or the first after a rule."""
    fence: int
    """The number of the code fence that it is in, from 1; 0 if it is in none."""


def injected_turn(text: str, *, of_agent: bool = False) -> tuple[str, ...]:
    """Return the codes of the signs of injection in a turn's text, and in what it pastes or quotes; empty if there are
    none. `of_agent`: an agent wrote the turn, by which pasted and own words are told apart (`foreign_and_own`).
    """
    parts = [foreign_and_own(text, of_agent=of_agent)[0], *quoted(text)]
    codes = [*looks_injected(text), *(code for part in parts if part for code in looks_injected(part, foreign=True))]
    return tuple(dict.fromkeys(codes))


def doubt_of(turn: Turn) -> Doubt:
    """Return the doubt of a turn that looks injected, that is which of its words begin in quarantine.

    All of an assistant's turn is doubted, unless some of its blocks (paragraphs and the like) give the orders, and what
    is left looks harmless and names none of their addresses: then only these blocks are. A person's turn is doubted but
    for what they plainly say themselves above a paste (`_words_above_paste`); any other turn as a whole.
    """
    if turn.role != "assistant":
        return _doubt_below(_words_above_paste(turn), turn) if turn.role == "user" else Doubt()
    blocks = list(_blocks(turn.content))
    doubted = _doubted_blocks(turn.content, blocks)
    hostile = "\n\n".join(block.text if doubted[at] else "..." for at, block in enumerate(blocks))
    rest = "\n\n".join("..." if doubted[at] else block.text for at, block in enumerate(blocks))
    is_told_apart = any(doubted) and not all(doubted) and not injected_turn(rest, of_agent=True)
    if not is_told_apart or addresses_in(undisguised(hostile)) & addresses_in(undisguised(rest)):
        return Doubt()
    lengths = (len(_letters(block.text)) for block in blocks)
    ends = list(accumulate(lengths, initial=len(lead := _letters(turn.speaker or ""))))
    stretches = tuple(stretch for at, stretch in enumerate(pairwise(ends)) if doubted[at])
    return Doubt(lead + _letters(turn.content), stretches, hostile)


def _doubt_below(own: str, turn: Turn) -> Doubt:
    """Return the doubt of a turn without the `own` words at its beginning; of all of it if there are none."""
    if not own:
        return Doubt()
    letters = _letters(turn.speaker or "") + _letters(turn.content)
    begins = len(_letters(turn.speaker or "")) + len(_letters(own))
    return Doubt(letters, ((begins, len(letters)),), turn.content[len(own) :])


def _words_above_paste(turn: Turn) -> str:
    """Return what a person says or asks above the first pasted line of a turn; empty unless it is plainly their own.

    It is if it has at most 600 characters and a question mark or a word such as `I` or `we`, looks harmless, is not
    itself led in as a quotation, shares no address with what is below, and if what is below gives orders.
    """
    text = turn.content
    begins = next((span.start for span in spans(text) if span.pasted), 0)
    above, below = text[:begins], text[begins:]
    if not above.strip() or len(above) > _BRIEF or not injected_turn(below) or injected_turn(above):
        return ""
    own = {line.strip() for line in foreign_and_own(text)[1].splitlines()}
    is_own = all(line.strip() in own for line in above.splitlines())
    speaks = any(mark in above for mark in QUESTION_MARKS) or not _speakers().isdisjoint(words(above))
    shared = addresses_in(undisguised(above)) & addresses_in(undisguised(below))
    return above if is_own and speaks and not shared else ""


@cache
def _speakers() -> frozenset[str]:
    """Return the words by which a person speaks of themself in English, German, French and Spanish: `I`, `we` and their
    forms.
    """
    return frozenset(lexicon.persons("i", "we", "ich", "wir", "je", "yo", "nosotros"))


def _doubted_blocks(text: str, blocks: list[_Block]) -> list[bool]:
    """Return for each of the `blocks` of `text` whether it gives orders, alone or together with its neighbours, or
    follows one that does: it begins within 1,000 characters after that, in the same section or code fence.
    """
    foreign = set(foreign_and_own(text, of_agent=True)[0].splitlines())
    split = split_injections([block.text for block in blocks])
    out: list[bool] = []
    reach = {"section": 0, "fence": 0}  # the characters that the orders of earlier blocks still reach
    fence = 0
    for number, block in enumerate(blocks):
        if block.begins or block.fence != fence:
            reach["fence"] = 0
        if block.begins and not block.fence:
            reach["section"] = 0
        fence = block.fence
        is_hostile = number in split or _gives_orders(block, foreign)
        out.append(is_hostile or any(left > 0 for left in reach.values()))
        reach = {place: left - len(block.text) for place, left in reach.items()}
        if is_hostile:
            reach["fence" if fence else "section"] = _REACH
    return out


def _gives_orders(block: _Block, foreign: Container[str]) -> bool:
    """Whether a block gives injected orders; in another's voice if one of its lines is among the `foreign` ones."""
    is_foreign = any(line in foreign for line in block.text.splitlines() if line.strip())
    return bool(injected_turn(block.text, of_agent=True) or (is_foreign and looks_injected(block.text, foreign=True)))


def _blocks(text: str) -> Iterator[_Block]:
    """Yield the blocks of a text, in order: they end at blank lines, before a heading or a rule, at both ends of a code
    fence and, once longer than 600 characters, before a line that is not indented.
    """
    fence, number, count = "", 0, 0  # the fence that is open, its number, and the fences so far
    lines, begins, length = list[str](), False, 0
    for line in text.splitlines():
        mark = _FENCE.match(line)
        was, fence = fence, fence_after(fence, mark[0]) if mark else fence
        opens, closes = bool(fence and not was), bool(was and not fence)
        starts = _SECTION.match(line) is not None
        is_long = length > _LONG and not line.startswith((" ", "\t"))
        if lines and (starts or opens or is_long or not line.strip()):
            yield _Block("\n".join(lines), begins, number)
            lines, begins, length = [], False, 0
        if opens:
            number = count = count + 1
        begins = begins or starts
        if line.strip():
            lines.append(line)
            length += len(line)
        if closes:
            yield _Block("\n".join(lines), begins, number)
            lines, begins, length, number = [], False, 0, 0
    if lines:
        yield _Block("\n".join(lines), begins, number)


def _letters(text: str) -> str:
    """Return the letters and digits of a text, joined: so a stretch of it is found again however blanks and marks
    differ.
    """
    return "".join(filter(str.isalnum, text))


def _places(text: str, words: str) -> Iterator[int]:
    """Yield each index at which some words stand in a text, overlapping ones, too."""
    at = text.find(words)
    while at >= 0:
        yield at
        at = text.find(words, at + 1)
