"""Ranked memories in, those that only repeat a better one out.

A turn is kept as passages, and what is durable in it as memories of their own; a commit, its message and the summary of
a task say one thing three times. In a context each word is paid for once.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pellucid.model.memory import Memory
from pellucid.model.stance import stance
from pellucid.model.text import content_words, words

REPEATED = 0.7
"""The share of its words that a better one of the same turns holds, from which a memory adds too little to be told."""
TELLING = 4
"""Content words from which a memory of other turns is known to be said by a better one that holds them all."""

_Span = tuple[str, int, int]


@dataclass(frozen=True, slots=True)
class _Told:
    """A memory's words, and the turns that it came from."""

    id: str
    words: frozenset[str]
    content: frozenset[str]
    spans: tuple[_Span, ...]
    memory: Memory

    def says(self, other: "_Told") -> bool:
        """Whether it says what the other does.

        Of other turns every content word must be held, every number, and its side: what changed one says another.
        """
        if len(other.words & self.words) >= REPEATED * len(other.words) and _meet(self.spans, other.spans):
            return True
        if len(other.content) < TELLING or not other.content <= self.content:
            return False
        if any(char.isdigit() for word in other.words - self.words for char in word):
            return False
        return stance(self.memory.content).denied == stance(other.memory.content).denied


def repeats(ranked: Sequence[Memory]) -> dict[str, str]:
    """The ids of memories of turns that a better one says as well, each with that one's id."""
    out: dict[str, str] = {}
    kept: list[_Told] = []
    for memory in ranked:
        spans = tuple(_spans(memory))
        if not memory.session_id or not spans or memory.category == "section":
            continue
        said = memory.content
        told = _Told(memory.id, frozenset(words(said)), frozenset(content_words(said)), spans, memory)
        better = next((each.id for each in kept if each.says(told)), None)
        if better:
            out[memory.id] = better
        else:
            kept.append(told)
    return out


def _spans(memory: Memory) -> Iterator[_Span]:
    for source, _, range_ in (each.rpartition(":") for each in memory.evidence):
        start, _, end = range_.partition("-")
        if start.isdigit() and end.isdigit():
            yield source, int(start), int(end)


def _meet(one: Sequence[_Span], other: Sequence[_Span]) -> bool:
    return any(
        source == theirs and start <= last and first <= end
        for source, start, end in one
        for theirs, first, last in other
    )
