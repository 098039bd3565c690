"""Ranked memories in, those that only repeat a better one of the same turns out.

A turn is kept as passages, and what is durable in it as memories of their own: both may answer one question, and in a
context each word is paid for once.
"""

from collections.abc import Sequence

from pellucid.model.memory import Memory
from pellucid.model.text import words

REPEATED = 0.7
"""The share of its words that a better one holds, from which a memory adds too little to be told as well."""

_Span = tuple[str, int, int]


def repeats(ranked: Sequence[Memory]) -> dict[str, str]:
    """The ids of memories whose words a better one of the same turns holds, each with that one's id."""
    out: dict[str, str] = {}
    kept: dict[str, list[tuple[str, frozenset[str], tuple[_Span, ...]]]] = {}
    for memory in ranked:
        spans = _spans(memory)
        if not memory.session_id or not spans:
            continue
        said = frozenset(words(memory.content))
        better = next(
            (
                each
                for each, held, theirs in kept.get(memory.session_id, ())
                if _meet(spans, theirs) and len(said & held) >= REPEATED * len(said)
            ),
            None,
        )
        if better:
            out[memory.id] = better
        else:
            kept.setdefault(memory.session_id, []).append((memory.id, said, spans))
    return out


def _spans(memory: Memory) -> tuple[_Span, ...]:
    found = (
        (source, range_.partition("-")) for source, _, range_ in (each.rpartition(":") for each in memory.evidence)
    )
    return tuple(
        (source, int(start), int(end)) for source, (start, _, end) in found if start.isdigit() and end.isdigit()
    )


def _meet(one: Sequence[_Span], other: Sequence[_Span]) -> bool:
    return any(
        source == theirs and start <= last and first <= end
        for source, start, end in one
        for theirs, first, last in other
    )
