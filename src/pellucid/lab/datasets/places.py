"""Evidence of memories in, the records it names out: how a memory of several turns is compared with labels."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pellucid.lab.datasets.dataset import Group, KeptMemory, Record

WIDEST = 3
"""Turns that an evidence range can span, at most, to count: a memory that cites a whole session cites nothing."""


def span(evidence: str) -> tuple[str, int, int]:
    """Parse evidence `source:start-end` into source, first and last turn; malformed text into itself, 0 and 0."""
    source, _, turns = evidence.rpartition(":")
    start, _, end = turns.partition("-")
    return (source, int(start), int(end)) if start.isdecimal() and end.isdecimal() else (evidence, 0, 0)


def place(record: Record) -> tuple[str, int]:
    """Return the source and turn by which evidence names a record: a turn's are its session and ordinal, a document's
    its key and 1."""
    return (record.turn.session_id, record.turn.ordinal) if record.turn.ordinal else (record.key, 1)


@dataclass(frozen=True, slots=True)
class Places:
    """The keys of a group's records by (source, turn)."""

    keys: Mapping[tuple[str, int], str]

    @classmethod
    def of(cls, group: Group) -> "Places":
        """Return the keys of a group's records by the source and turn that `place` gives each; of two records in one
        place, the later one's.
        """
        return cls({place(record): record.key for record in group.records})

    def covered(self, evidence: Iterable[str]) -> tuple[str, ...]:
        """Return the keys of the records in these evidence ranges, each once, in the order of the ranges and their
        turns.

        Malformed ranges, those over more than three turns, and turns without a record are ignored.
        """
        spans = [(source, start, end) for source, start, end in map(span, evidence) if 0 <= end - start < WIDEST]
        found = [self.keys.get((source, turn)) for source, start, end in spans for turn in range(start, end + 1)]
        return tuple(dict.fromkeys(key for key in found if key))


def rank_records(memories: Iterable[KeptMemory], max_count: int, about: str = "") -> list[KeptMemory]:
    """Return the first `max_count` of `memories` (best first), leaving out transcribed memories that repeat.

    A transcribed memory repeats if another transcribed one of just the same records came before, if it has no records,
    or if its only record is `about`: the key of the record that the question itself names, "" if it names none.
    """
    out: list[KeptMemory] = []
    seen = {(about,), ()}
    for each in memories:
        if len(out) == max_count:
            break
        if not (each.transcribed and each.keys in seen):
            out.append(each)
            seen |= {each.keys} if each.transcribed else set()
    return out
