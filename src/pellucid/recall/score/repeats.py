"""Ranked memories in, those that only repeat a better one out.

A turn is kept as passages, and what is durable in it as memories of their own; a commit, its message and the summary of
a task say one thing three times; a header stands in a file and again in its text.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import combinations

from pellucid.language.lexicon import words as vocabulary
from pellucid.language.statements.negation import polarity
from pellucid.language.words import content_words, words
from pellucid.model.memory import TRANSCRIBED, Memory

REPEATED = 0.7
"""The share of a memory's words in a better one of the same turns from which it counts as repeated."""
SHORT = 280
"""Characters of a turn up to which a memory extracted from it may cover it."""
MOST = 0.5
"""The share of such a turn's content words that the memory must hold."""
TELLING = 4
"""The fewest content words by which a memory of other turns can count as covered."""

_ORDINAL = re.compile(r"(?m)^[ \t]*(?:#{1,6}[ \t]+)?\d{1,3}[.)](?=[ \t])")
"""The number of an item or a section in its list."""
_NAME = re.compile(r"(?<=[\w,;)] )[A-ZÀ-Þ][\w.:_+#%-]+")
"""A capitalised word in mid-sentence, with all that signs join to it (`CLAUDE.md`)."""
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
        """The words of a memory without list numbers such as `3.`; `number` is its position in the pool."""
        text = _POSSESSIVE.sub("", _ORDINAL.sub("", memory.content))
        said = words(text)
        names = {each for each in said if any(map(str.isdigit, each))}.union(words(" ".join(_NAME.findall(text))))
        spans = tuple(_evidence_spans(memory))
        return cls(number, said, frozenset(said), frozenset(content_words(text)), frozenset(names), spans, memory)

    def covers(self, other: "_MemoryWords") -> bool:
        """Whether this memory says all that the other does, so that the other can be left out.

        It must hold every number and name of the other; if they are of different turns, every content word, too, and
        deny or affirm the same.
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
        """The clauses of this memory that share half their content words with the other; their denials are compared."""
        clauses = ((each, content_words(each)) for each in _CLAUSE.split(self.memory.content))
        return ", ".join(each for each, held in clauses if 2 * len(other.content.intersection(held)) >= len(held))

    def extends(self, other: "_MemoryWords") -> bool:
        """Whether it holds all of the other, of the same session or its source turn, and is at most twice as long."""
        if MOST * len(self.memory.content) > len(other.memory.content):
            return False
        whole = other.words < self.words and self.memory.session_id == other.memory.session_id
        return whole or (_spans_overlap(self.spans, other.spans) and self._was_read_from(other))

    def _was_read_from(self, other: "_MemoryWords") -> bool:
        """Whether this memory was extracted from the short turn `other`, and holds most of its content words."""
        turn, memory = other.memory.category in TRANSCRIBED, self.memory.category not in TRANSCRIBED
        held = len(other.content & self.content) >= MOST * len(other.content)
        return turn and memory and held and other.names <= self.words and len(other.memory.content) <= SHORT


class AlreadyTold:
    """The memories kept so far, taken best first, to find those that only repeat another.

    `asked` are the stems of the question's content words; `stems` gives those of a text.
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

    def take(self, memory: Memory, number: int, *, firm: bool = False) -> dict[int, int]:
        """Add the next best memory. Returns who is left out now: the number of each, with that of the one covering it.

        The new memory itself is left out if a better one covers it; the one before it if the new one extends it and
        neither is `firm` (not to be left out).
        """
        before, self._last = self._last, None
        if memory.category == "section":
            return self._take_section(memory, number, bare=not firm and self._is_bare(memory.content))
        said = _MemoryWords.of(memory, number)
        if not memory.session_id or not said.spans:
            return {}
        better = next((each.number for each in self._kept if each.covers(said)), None)
        if better is not None:
            self._last = before
            return {number: better}
        self._last = None if firm else said
        self._kept.append(said)
        if before is None or not said.extends(before):
            return {}
        self._kept.remove(before)
        return {before.number: number}

    def _take_section(self, memory: Memory, number: int, *, bare: bool) -> dict[int, int]:
        """Add a section; it is left out for one of its document with all its lines, and if bare, for any. As `take`."""
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
        """Whether a section is a licence or the like, and holds no sought word that its document's name lacks."""
        title, _, body = section.partition("\n")
        document, _, heading = title.rpartition(" › ")
        sought = self._asked - self._stems(document)
        return is_carried_along(section) and not sought & self._stems(f"{heading}\n{body}")


def covered_by_later(memories: Sequence[Memory]) -> Iterator[tuple[int, int]]:
    """Pairs of positions (covered, covering): memories that a later one of the same turns says in full."""
    spans = [tuple(_evidence_spans(each)) for each in memories]
    beside = [(a, b) for a, b in combinations(range(len(memories)), 2) if _spans_overlap(spans[a], spans[b])]
    said = {number: _MemoryWords.of(memories[number], number) for number in {each for pair in beside for each in pair}}
    for less, more in beside:
        if said[less].content <= said[more].content and said[more].covers(said[less]):
            yield less, more


def is_carried_along(section: str) -> bool:
    """Whether a section's heading is that of a licence, references or the like, which a document only carries along."""
    document, _, heading = section.partition("\n")[0].rpartition(" › ")
    return bool(document) and not vocabulary("backmatter").isdisjoint(words(heading))


def _lines_of(section: str) -> frozenset[str]:
    """The distinct lines of a section in lower case, without blank ones."""
    return frozenset(line for each in section.casefold().splitlines() if (line := each.strip()))


def _evidence_spans(memory: Memory) -> Iterator[_Span]:
    """The turns a memory was read from, as (session, first turn, last turn); evidence of other forms is left out."""
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
