"""The port of traces: a session or an agent in, all its rows in the history out, or deleted."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Subject:
    """The owner of traces: one session, or one agent, in one namespace."""

    namespace: str
    session_id: str | None = None
    agent: str | None = None


class Traces(Protocol):
    """The rows of the history about one session or agent; other namespaces are never touched."""

    def unattributed(self, namespace: str) -> Iterator[tuple[str, bytes]]:
        """Yield (recall id, packed receipt) of the namespace's receipts without an event; only the receipt itself names
        its agent.
        """
        ...

    def rows(self, subject: Subject, recall_ids: Collection[str] = ()) -> Iterator[tuple[str, Mapping[str, object]]]:
        """Yield (table name, row) of every row about the subject, without packed (binary) columns.

        `recall_ids` are further recalls of the subject. Of the table `uses` only the memory's id, the kind and the
        instant.
        """
        ...

    def erase(self, subject: Subject, recall_ids: Collection[str] = ()) -> dict[str, int]:
        """Delete the rows that `rows` yields, and the daily sums of the subject's agent; return how many rows, by
        table.

        Tables without such rows are left out; sums do not count. The bytes are gone after `History.scrub`.
        """
        ...
