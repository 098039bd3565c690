"""The port of receipts: a namespace in, the recalls that were kept of it out, newest first, and which stay in full."""

from dataclasses import dataclass
from typing import Protocol

from pellucid.store.history.telemetry_port import Outcome, Surface


@dataclass(frozen=True, slots=True)
class RecallRow:
    """One recall as history lists it: `at` in epoch milliseconds, how many results it served.

    `in_full`: its receipt is there, and not only its results (of one that failed, there are none). `pinned`: retention
    leaves that receipt alone.
    `query` are the bytes of its words; none if they were withheld or erased, or went with the receipt. How it went
    (the last five) is None of one that left no event.
    """

    recall_id: str
    at: int
    session_id: str | None
    served_count: int
    in_full: bool
    pinned: bool
    query: bytes = b""
    agent: str | None = None
    surface: Surface | None = None
    query_class: str | None = None
    outcome: Outcome | None = None
    degraded: bool | None = None

    @property
    def query_kept(self) -> bool:
        """Whether the words of its query are there."""
        return bool(self.query)


@dataclass(frozen=True, slots=True)
class RecallFilter:
    """Which recalls count: all conditions that are given must hold. `contains` is looked for in the question, in
    whatever case it is written."""

    agent: str | None = None
    query_class: str | None = None
    outcome: Outcome | None = None
    degraded: bool = False
    contains: str = ""


EVERY = RecallFilter()


class Receipts(Protocol):
    """Which recalls there were. A recall of another namespace is unknown."""

    def recalls(
        self,
        namespace: str,
        *,
        since: int = 0,
        session_id: str | None = None,
        only: RecallFilter = EVERY,
        after: RecallRow | None = None,
        limit: int = 100,
    ) -> list[RecallRow]:
        """A page of recalls at or after `since` (epoch milliseconds), of one session or of all, newest first.

        `after` is the last row of the page before: what is recorded meanwhile moves nothing.
        """
        ...

    def serving(
        self, namespace: str, memory_id: str, *, since: int = 0, after: RecallRow | None = None, limit: int = 100
    ) -> list[tuple[RecallRow, int]]:
        """A page of the recalls at or after `since` that served a memory, newest first, each with its place there."""
        ...

    def times_served(self, namespace: str, memory_id: str, since: int = 0) -> int:
        """How many recalls at or after `since` served a memory."""
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
