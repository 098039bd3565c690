"""Disputed memories in, what the context says of them out: the number of the other line, or its id and words.

A memory names its opponents for good; the context names only those that are still in force and that the reader is
allowed to see.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from pellucid.language.sentences import sentences
from pellucid.language.statements.clash import clash
from pellucid.model.memory import BOUNDARY_SCOPES, Memory
from pellucid.recall.context.builder import ContextLine
from pellucid.recall.context.text import beginning, mark_of
from pellucid.recall.state import Request, World

Opponents = Mapping[str, Sequence[Memory]]
"""Maps the id of a memory to the memories that contradict it."""


def opponents(memories: Iterable[Memory], request: Request, world: World) -> Opponents:
    """Map the id of each disputed memory to the memories in force that contradict it; those without any are left out.

    A passage counts as disputed, too, if a newer one of `memories` that superseded another contradicts a sentence of
    it. Empty for a past instant, at which the contradictions need not have been known.
    """
    if request.as_of is not None or request.as_known_at is not None:
        return {}
    listed = list(memories)
    disputed = [each for each in listed if each.disputed_with]
    opponent_ids = dict.fromkeys(other for each in disputed for other in each.disputed_with)
    read = {each.memory.id: each.memory for each in world.reader.memories(list(opponent_ids))} if opponent_ids else {}
    found = {
        each.id: [
            read[other] for other in each.disputed_with if other in read and _is_in_force(read[other], each, request)
        ]
        for each in disputed
    }
    return {memory_id: others for memory_id, others in found.items() if others} | _memories_against_turns(listed)


def _memories_against_turns(memories: Sequence[Memory]) -> dict[str, list[Memory]]:
    """Map the id of each passage to those of the memories that are newer, superseded another, and contradict a sentence
    of it; a passage without any is left out."""
    newer = [each for each in memories if each.supersedes]
    found = {
        turn.id: [each for each in newer if each.created > turn.created and _replaces(each, turn)]
        for turn in memories
        if turn.category == "moment" and newer
    }
    return {turn: others for turn, others in found.items() if others}


def _replaces(newer: Memory, turn: Memory) -> bool:
    """Whether the memory `newer` plainly contradicts a sentence of the passage `turn` (`clash` of strength `plain`);
    which of the two is newer is not checked."""
    clashes = (clash(sentence, newer.content) for sentence in sentences(turn.content))
    return any(each is not None and each.strength == "plain" for each in clashes)


def quotes(others: Sequence[Memory]) -> list[str]:
    """Return each memory as the last ten characters of its id and the beginning of its words, in quotation marks."""
    return [f"{each.id[-10:]} “{beginning(each.content)}”" for each in others]


def with_dispute_numbers(lines: Sequence[ContextLine], against: Opponents, request: Request) -> list[ContextLine]:
    """Return the lines in the order given, disputed ones marked with the numbers (from 1, in order of rank) of the
    lines that contradict them.

    `against` maps ids of disputed memories to the memories that contradict them; one that has no line is quoted.
    """
    ranked = sorted(lines, key=lambda line: line.place)
    number = {line.memory.id: at for at, line in enumerate(ranked, start=1)}
    return [
        replace(line, mark=mark_of(line.memory, request.instant, _numbers_or_quotes(against[line.memory.id], number)))
        if line.memory.id in against
        else line
        for line in lines
    ]


def _numbers_or_quotes(others: Sequence[Memory], number: Mapping[str, int]) -> list[str]:
    """Return, for each of the memories `others`, the number of its line as `[2]`, which `number` maps from its id; if
    it has no line, its quote (`quotes`)."""
    spelled = zip(others, quotes(others), strict=True)
    return [f"[{number[each.id]}]" if each.id in number else words for each, words in spelled]


def _is_in_force(other: Memory, memory: Memory, request: Request) -> bool:
    """Whether `other` is active, out of quarantine and without an end by the instant of the request, and visible to
    everybody who is allowed to see `memory`."""
    ends = [end for end in (other.invalid_at, other.expires_at) if end is not None and end <= request.instant]
    further_scopes = set(other.scopes) & set(BOUNDARY_SCOPES) - set(memory.scopes)
    return other.status == "active" and other.trust_zone != "quarantine" and not ends and not further_scopes
