"""Disputed memories in, what the context says of them out: the number of the other line, or its id and words.

A memory names its opponents for good; the context only names those still in force that the reader may see.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from pellucid.language.sentences import sentences
from pellucid.language.statements.clash import clash
from pellucid.model.memory import BOUNDARY_SCOPES, Memory
from pellucid.recall.context.builder import ContextLine
from pellucid.recall.context.text import harmless, mark_of
from pellucid.recall.state import Request, World

_WORDS = 80
Opponents = Mapping[str, Sequence[Memory]]
"""By the id of a memory, those that cannot hold beside it."""


def opponents(memories: Iterable[Memory], request: Request, world: World) -> Opponents:
    """For each memory those that contradict it; empty for a past instant, when they may not have been known."""
    if request.as_of is not None or request.as_known_at is not None:
        return {}
    listed = list(memories)
    disputed = [each for each in listed if each.disputed_with]
    named = dict.fromkeys(other for each in disputed for other in each.disputed_with)
    held = {each.memory.id: each.memory for each in world.reader.memories(list(named))} if named else {}
    found = {
        each.id: [
            held[other] for other in each.disputed_with if other in held and _is_in_force(held[other], each, request)
        ]
        for each in disputed
    }
    return {memory_id: others for memory_id, others in found.items() if others} | _replaced_turns(listed)


def _replaced_turns(memories: Sequence[Memory]) -> dict[str, list[Memory]]:
    """For each turn the memories that have replaced what it says."""
    newer = [each for each in memories if each.supersedes]
    found = {
        turn.id: [each for each in newer if each.created > turn.created and _replaces(each, turn)]
        for turn in memories
        if turn.category == "moment" and newer
    }
    return {turn: others for turn, others in found.items() if others}


def _replaces(newer: Memory, turn: Memory) -> bool:
    """Whether a sentence of the turn contradicts the newer memory."""
    clashes = (clash(sentence, newer.content) for sentence in sentences(turn.content))
    return any(each is not None and each.strength == "plain" for each in clashes)


def quotes(others: Sequence[Memory]) -> list[str]:
    """Each memory as the end of its id and the beginning of its words."""
    return [f"{each.id[-10:]} “{_quote(each.content)}”" for each in others]


def with_dispute_numbers(lines: Sequence[ContextLine], against: Opponents, request: Request) -> list[ContextLine]:
    """The lines, disputed ones marked with the numbers (their positions, from 1) of the lines that contradict them."""
    ranked = sorted(lines, key=lambda line: line.place)
    number = {line.memory.id: at for at, line in enumerate(ranked, start=1)}
    return [
        replace(line, mark=mark_of(line.memory, request.instant, _references(against[line.memory.id], number)))
        if line.memory.id in against
        else line
        for line in lines
    ]


def _references(others: Sequence[Memory], number: Mapping[str, int]) -> list[str]:
    """Each opponent by the number of its line, or, without one, by a quote."""
    spelled = zip(others, quotes(others), strict=True)
    return [f"[{number[each.id]}]" if each.id in number else words for each, words in spelled]


def _is_in_force(other: Memory, memory: Memory, request: Request) -> bool:
    """Whether `other` is active and trusted at the instant, and may be seen by whoever sees `memory`."""
    ends = [end for end in (other.invalid_at, other.expires_at) if end is not None and end <= request.instant]
    scopes = set(other.scopes) & set(BOUNDARY_SCOPES) - set(memory.scopes)
    return other.status == "active" and other.trust_zone != "quarantine" and not ends and not scopes


def _quote(text: str) -> str:
    """A memory's words on one line, cut to 80 characters."""
    line = harmless(text)
    return line if len(line) <= _WORDS else f"{line[: _WORDS - 1]}…"
