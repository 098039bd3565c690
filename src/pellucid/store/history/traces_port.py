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
        """Yield (recall id, packed receipt) for each receipt of the namespace whose recall has no measurements (event):
        the agent of such a recall is named in the receipt only.
        """
        ...

    def rows(self, subject: Subject, recall_ids: Collection[str] = ()) -> Iterator[tuple[str, Mapping[str, object]]]:
        """Yield (table name, values by column) for every row about the subject, without packed (binary) columns.

        `recall_ids` are further recalls of the subject. A row of the table `uses` has only the columns `memory_id`,
        `kind` and `at` (epoch ms).
        """
        ...

    def erase(self, subject: Subject, recall_ids: Collection[str] = ()) -> dict[str, int]:
        """Delete the rows that `rows` yields of the same arguments, and the daily sums of the subject's agent; return
        how many rows, by table.

        Tables without such rows are left out; sums do not count. The bytes are gone after `History.scrub`.
        """
        ...
