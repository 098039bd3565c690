"""The port of traces: a session or an agent in, all that history holds of it out, or away."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Subject:
    """Whose traces are meant: those of one session, or of one agent, in one namespace."""

    namespace: str
    session_id: str | None = None
    agent: str | None = None


class Traces(Protocol):
    """What history holds of one session or agent; other namespaces are never touched."""

    def unattributed(self, namespace: str) -> Iterator[tuple[str, bytes]]:
        """Yield (recall id, packed receipt) of the receipts without an event, whose agent only the receipt itself can
        tell.
        """
        ...

    def rows(self, subject: Subject, recall_ids: Collection[str] = ()) -> Iterator[tuple[str, Mapping[str, object]]]:
        """Yield (table name, row) of every row about the subject; `recall_ids` are recalls that no event attributes to
        it.
        """
        ...

    def erase(self, subject: Subject, recall_ids: Collection[str] = ()) -> dict[str, int]:
        """Delete the rows that `rows` yields; return how many, by table. Their bytes are gone after the next
        `History.scrub`.
        """
        ...
