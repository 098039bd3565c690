"""The port of traces: a session or an agent in, all that history holds of it out, or away."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Subject:
    """Whose traces: those of one session, or of one agent, in one namespace."""

    namespace: str
    session_id: str | None = None
    agent: str | None = None


class Traces(Protocol):
    """What is on record of one who asked. Nothing of another namespace is looked at."""

    def unattributed(self, namespace: str) -> Iterator[tuple[str, bytes]]:
        """Receipts of which nothing but themselves says which agent asked: their ids, and the receipts."""
        ...

    def rows(self, subject: Subject, recall_ids: Collection[str] = ()) -> Iterator[tuple[str, Mapping[str, object]]]:
        """Every row that says something of the subject, with the name of its table; receipts without their columns.

        `recall_ids` are recalls of it that it is not on record for.
        """
        ...

    def erase(self, subject: Subject, recall_ids: Collection[str] = ()) -> dict[str, int]:
        """Take these rows away: how many, by table. No byte of them stays after the next `History.scrub`."""
        ...
