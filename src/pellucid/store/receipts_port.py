"""The port of receipts: a namespace in, the recalls that were kept of it out, newest first, and which stay in full."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class RecallRow:
    """One recall as history lists it: `at` in epoch milliseconds, how many results it served.

    `in_full`: its receipt is there, and not only its results. `pinned`: retention leaves that receipt alone.
    `query` are the bytes of its words; none if they were withheld or erased, or went with the receipt.
    """

    recall_id: str
    at: int
    session_id: str | None
    served_count: int
    in_full: bool
    pinned: bool
    query: bytes = b""

    @property
    def query_kept(self) -> bool:
        """Whether the words of its query are there."""
        return bool(self.query)


class Receipts(Protocol):
    """Which recalls there were. A recall of another namespace is unknown."""

    def recalls(
        self,
        namespace: str,
        *,
        since: int = 0,
        session_id: str | None = None,
        after: RecallRow | None = None,
        limit: int = 100,
    ) -> list[RecallRow]:
        """A page of recalls at or after `since` (epoch milliseconds), of one session or of all, newest first.

        `after` is the last row of the page before: what is recorded meanwhile moves nothing.
        """
        ...

    def latest(self, namespace: str, session_id: str | None = None) -> RecallRow | None:
        """The last recall of a session, or of the namespace."""
        ...

    def find(self, recall_id: str, namespace: str) -> RecallRow | None:
        """One recall, None if unknown."""
        ...

    def pin(self, recall_id: str, namespace: str, *, pinned: bool) -> RecallRow | None:
        """Keep a receipt in full whatever its age, or no longer; the recall as it then stands, None if unknown."""
        ...
