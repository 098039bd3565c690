"""The port of receipts: a namespace in, its stored recalls out, newest first, with the state of each receipt."""

from dataclasses import dataclass
from typing import Protocol

from pellucid.store.history.telemetry_port import Outcome, Surface


@dataclass(frozen=True, slots=True)
class RecallRow:
    """One recall as history lists it: `at` in epoch milliseconds.

    `in_full`: its packed receipt is stored, not only its results. `pinned`: retention leaves the receipt alone. `query`
    is empty if it was withheld or erased, or went with the receipt. The last five fields are None if it left no event.
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
        """Whether the words of the query are stored."""
        return bool(self.query)


@dataclass(frozen=True, slots=True)
class RecallFilter:
    """Conditions on listed recalls; all given must hold. `contains` is looked for in the query, ignoring case."""

    agent: str | None = None
    query_class: str | None = None
    outcome: Outcome | None = None
    degraded: bool = False
    contains: str = ""


EVERY = RecallFilter()


class Receipts(Protocol):
    """Lists recalls by what their receipts say; the receipt itself is `History.receipt`. A recall of another namespace
    is unknown.
    """

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
        """Return a page of the recalls at or after `since` (epoch ms) that fit the filter `only`, newest first, at most
        `limit`.

        Of every session unless `session_id` is given. `after` is the last row of the page before; None: the first page.
        """
        ...

    def serving(
        self, namespace: str, memory_id: str, *, since: int = 0, after: RecallRow | None = None, limit: int = 100
    ) -> list[tuple[RecallRow, int]]:
        """Return a page of the recalls at or after `since` (epoch ms) that served a memory, each with the rank (from 1)
        at which it served that.

        The newest come first, at most `limit`. `after` is the last row of the page before; None: the first page.
        """
        ...

    def times_served(self, namespace: str, memory_id: str, since: int = 0) -> int:
        """Return how many recalls at or after `since` (epoch milliseconds) served a memory."""
        ...

    def latest(self, namespace: str, session_id: str | None = None) -> RecallRow | None:
        """Return the newest recall of a session or, without one, of the namespace; None if there is none."""
        ...

    def find(self, recall_id: str, namespace: str) -> RecallRow | None:
        """Return one recall by id; None if unknown in the namespace. Waits up to a second for a recall just made."""
        ...

    def pin(self, recall_id: str, namespace: str, *, pinned: bool) -> RecallRow | None:
        """Pin a recall's receipt, so that `History.prune` keeps it in full, or unpin it (`pinned` False); return the
        recall as it is then, None if unknown. Waits up to a second for a recall just made.
        """
        ...
