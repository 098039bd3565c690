"""Ranked memories in, those that only repeat a better one out.

A turn is kept as passages, and what is durable in it as memories of their own; a commit, its message and the summary of
a task say one thing three times. In a context each word is paid for once. A licence, references and the like that
hold nothing of what is asked were found by the title of their document: a better section of it tells that, too. A
header that stands in a file and again in its text is told once.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from pellucid.language.lexicon import words as vocabulary
from pellucid.language.statements.negation import polarity
from pellucid.language.words import content_words, words
from pellucid.model.memory import TRANSCRIBED, Memory

REPEATED = 0.7
"""The share of its words that a better one of the same turns holds, from which a memory adds too little to be told."""
SHORT = 280
"""Characters of a turn up to which a memory that was read from it, and ranks before it, stands for both."""
MOST = 0.5
"""The share of such a turn's content words that the memory must hold: what else the turn says must be little."""
TELLING = 4
"""Content words from which a memory of other turns is known to be said by a better one that holds them all."""

_ORDINAL = re.compile(r"(?m)^[ \t]*(?:#{1,6}[ \t]+)?\d{1,3}[.)](?=[ \t])")
"""Where an item or a section stands in its list: no number that says anything."""
_NAME = re.compile(r"(?<=[\w,;)] )[A-ZÀ-Þ]\w+|\b\w*\d\w*")
"""A number, or a word that has a capital though nothing ends before it."""
_CLAUSE = re.compile(r"[,.;:()\n](?=\s|$)|(?=\()|\s[-–—]+\s")
_Span = tuple[str, int, int]


@dataclass(frozen=True, slots=True)
class _WordsSaid:
    """A memory's words, the turns that it came from, and its place in the pool."""

    number: int
    text: tuple[str, ...]
    words: frozenset[str]
    content: frozenset[str]
    names: frozenset[str]
    spans: tuple[_Span, ...]
    memory: Memory

    @classmethod
    def of(cls, memory: Memory, number: int) -> "_WordsSaid":
        """A memory's words, less list numbers such as `3.`; `number` is its place in the pool."""
        text = _ORDINAL.sub("", memory.content)
        said = words(text)
        names, spans = frozenset(words(" ".join(_NAME.findall(text)))), tuple(_evidence_spans(memory))
        return cls(number, said, frozenset(said), frozenset(content_words(text)), names, spans, memory)

    def says(self, other: "_WordsSaid") -> bool:
        """Whether it says all that the other does, so that the other adds nothing.

        Every number and name must be held; of other turns every content word, too, and its side: what changed one says
        another.
        """
        if not other.names <= self.words:
            return False
        if _spans_overlap(self.spans, other.spans):
            both = len(other.words & self.words)
            if both >= REPEATED * len(other.words):
                return True
            if both >= REPEATED * len(self.words) and self._read_from(other):
                return True
        if other.words and self.text == other.text:
            return True
        if len(other.content) < TELLING or not other.content <= self.content:
            return False
        return polarity(self._clauses_about(other)).denied == polarity(other.memory.content).denied

    def _clauses_about(self, other: "_WordsSaid") -> str:
        """Its clauses that speak of what the other does: what another of them denies, the other need not."""
        clauses = ((each, content_words(each)) for each in _CLAUSE.split(self.memory.content))
        return ", ".join(each for each, held in clauses if 2 * len(other.content.intersection(held)) >= len(held))

    def completes(self, other: "_WordsSaid") -> bool:
        """Whether it says all of the other, a turn of the same session or its source, and is at most twice as long."""
        if MOST * len(self.memory.content) > len(other.memory.content):
            return False
        whole = other.words < self.words and self.memory.session_id == other.memory.session_id
        return whole or (_spans_overlap(self.spans, other.spans) and self._read_from(other))

    def _read_from(self, other: "_WordsSaid") -> bool:
        """Whether it was read from that short turn, and holds most of what it says."""
        turn, memory = other.memory.category in TRANSCRIBED, self.memory.category not in TRANSCRIBED
        held = len(other.content & self.content) >= MOST * len(other.content)
        return turn and memory and held and other.names <= self.words and len(other.memory.content) <= SHORT


class AlreadyTold:
    """What has been told so far, best first.

    `asked` are the stems of the question's telling words, `stems` those of a text.
    """

    def __init__(
        self, asked: AbstractSet[str] = frozenset(), stems: Callable[[str], AbstractSet[str]] = lambda _: frozenset()
    ) -> None:
        self._told: list[_WordsSaid] = []
        self._last: _WordsSaid | None = None
        self._documents: dict[str, tuple[int, bool]] = {}
        """The first section of each that is told, and whether it is bare."""
        self._sections: dict[str, dict[int, frozenset[str]]] = {}
        """The lines of each section that is told, by document."""
        self._asked, self._stems = asked, stems

    def take(self, memory: Memory, number: int, *, firm: bool = False) -> dict[int, int]:
        """Add the next best memory. Returns by each repeated one's number the number of the one that says it.

        It is itself among them where a better one says what it does. Where it is the next best of the same session and
        says the whole of the one before and more, that one is: unless that was `firm`, which nothing stands for.
        """
        before, self._last = self._last, None
        if memory.category == "section":
            return self._take_section(memory, number, bare=not firm and self._is_bare(memory.content))
        said = _WordsSaid.of(memory, number)
        if not memory.session_id or not said.spans:
            return {}
        better = next((each.number for each in self._told if each.says(said)), None)
        if better is not None:
            self._last = before
            return {number: better}
        self._last = None if firm else said
        self._told.append(said)
        if before is None or not said.completes(before):
            return {}
        self._told.remove(before)
        return {before.number: number}

    def _take_section(self, memory: Memory, number: int, *, bare: bool) -> dict[int, int]:
        """Add a section; returns what is settled as `take` does.

        A section is settled by another of its document that has its every line, and a bare one by any other of it.
        """
        document, lines = memory.session_id or memory.id, _lines_of(memory.content)
        said = self._sections.setdefault(document, {})
        if (better := next((other for other, held in said.items() if lines <= held), None)) is not None:
            return {number: better}
        first, was_bare = self._documents.setdefault(document, (number, bare))
        if bare and first != number:
            return {number: first}
        said[number] = lines
        if bare or not was_bare:
            return {}
        self._documents[document] = number, False
        del said[first]
        return {first: number}

    def _is_bare(self, section: str) -> bool:
        """Whether a section is a licence, references and the like, and holds nothing of what is asked.

        What its document is called does not count: that is said there again, and of no use.
        """
        title, _, body = section.partition("\n")
        document, _, heading = title.rpartition(" › ")
        return is_carried_along(section) and not (self._asked - self._stems(document)) & self._stems(
            f"{heading}\n{body}"
        )


def is_carried_along(section: str) -> bool:
    """Whether a section is headed as what documents only carry along: a licence, references and the like."""
    document, _, heading = section.partition("\n")[0].rpartition(" › ")
    return bool(document) and not vocabulary("backmatter").isdisjoint(words(heading))


def _lines_of(section: str) -> frozenset[str]:
    """A section's lines, in small letters: a header may stand in a file and again in its text."""
    return frozenset(line for each in section.casefold().splitlines() if (line := each.strip()))


def _evidence_spans(memory: Memory) -> Iterator[_Span]:
    """The turns a memory was read from, as (session, first turn, last turn); other evidence is left out."""
    for source, _, range_ in (each.rpartition(":") for each in memory.evidence):
        start, _, end = range_.partition("-")
        if start.isdigit() and end.isdigit():
            yield source, int(start), int(end)


def _spans_overlap(one: Sequence[_Span], other: Sequence[_Span]) -> bool:
    """Whether some turn is in both."""
    return any(
        source == theirs and start <= last and first <= end
        for source, start, end in one
        for theirs, first, last in other
    )
