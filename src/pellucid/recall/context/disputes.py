"""Memories that are disputed in, what the context says of them out: the number of the other line, or its id and words.

A memory names what it is disputed with for good; it is told only where that still stands, and may be seen by whoever
sees the memory.
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
    """For each memory those that cannot hold beside it; none for a question about the past.

    Who disputes something today may not have been known then.
    """
    if request.as_of is not None or request.as_known_at is not None:
        return {}
    told = list(memories)
    disputed = [each for each in told if each.disputed_with]
    named = dict.fromkeys(other for each in disputed for other in each.disputed_with)
    held = {each.memory.id: each.memory for each in world.reader.memories(list(named))} if named else {}
    found = {
        each.id: [held[other] for other in each.disputed_with if other in held and _speaks(held[other], each, request)]
        for each in disputed
    }
    return {memory_id: others for memory_id, others in found.items() if others} | _outdated(told)


def _outdated(told: Sequence[Memory]) -> dict[str, list[Memory]]:
    """For each turn in the context the memories in it that have replaced what the turn says."""
    newer = [each for each in told if each.supersedes]
    found = {
        turn.id: [each for each in newer if each.created > turn.created and _replaces(each, turn)]
        for turn in told
        if turn.category == "moment" and newer
    }
    return {turn: others for turn, others in found.items() if others}


def _replaces(newer: Memory, turn: Memory) -> bool:
    """Whether a sentence of the turn cannot hold beside the newer memory, which takes its place."""
    met = (clash(sentence, newer.content) for sentence in sentences(turn.content))
    return any(each is not None and each.strength == "plain" for each in met)


def in_words(others: Sequence[Memory]) -> list[str]:
    """Each by the end of its id, and what it says."""
    return [f"{each.id[-10:]} “{_short(each.content)}”" for each in others]


def by_number(lines: Sequence[ContextLine], against: Opponents, request: Request) -> list[ContextLine]:
    """The lines, each disputed one marked with the number of the line that disputes it, if that is there, too.

    Lines are numbered in the order of their places, from 1.
    """
    ranked = sorted(lines, key=lambda line: line.place)
    number = {line.memory.id: at for at, line in enumerate(ranked, start=1)}
    return [
        replace(line, mark=mark_of(line.memory, request.instant, _numbered(against[line.memory.id], number)))
        if line.memory.id in against
        else line
        for line in lines
    ]


def _numbered(others: Sequence[Memory], number: Mapping[str, int]) -> list[str]:
    spelled = zip(others, in_words(others), strict=True)
    return [f"[{number[each.id]}]" if each.id in number else words for each, words in spelled]


def _speaks(other: Memory, memory: Memory, request: Request) -> bool:
    ends = [end for end in (other.invalid_at, other.expires_at) if end is not None and end <= request.instant]
    scopes = set(other.scopes) & set(BOUNDARY_SCOPES) - set(memory.scopes)
    return other.status == "active" and other.trust_zone != "quarantine" and not ends and not scopes


def _short(text: str) -> str:
    line = harmless(text)
    return line if len(line) <= _WORDS else f"{line[: _WORDS - 1]}…"
