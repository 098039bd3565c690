"""A namespace in, its recalls as history lists them out: newest first, by session, words or served memory."""

import unicodedata
from dataclasses import dataclass
from typing import Any

from pellucid.store.history.receipts_port import EVERY, RecallFilter, RecallRow
from pellucid.store.local.database import Queries, immediate
from pellucid.store.local.history.later import wait_for_rows

_LAST = (2**63 - 1, "")  # A place after every recall


@dataclass(frozen=True, slots=True)
class LocalReceipts:
    """See `Receipts`."""

    queries: Queries

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
        before = (after.at, after.recall_id) if after else _LAST
        query, session = ("recalls_of_session", (session_id,)) if session_id else ("recalls", ())
        if not session and (only.agent or only.query_class or only.outcome or only.degraded):
            query = "recalls_that"
        wanted = (only.agent, only.query_class, only.outcome, int(only.degraded), folded_words(only.contains))
        found = self.queries.run(query, namespace, since, *before, *wanted, limit, *session)
        return [_recall_row(*row) for row in found]

    def find(self, recall_id: str, namespace: str) -> RecallRow | None:
        """Return one recall by id; None if unknown in the namespace. Waits up to a second for a recall just made."""
        found = wait_for_rows(recall_id, lambda: self.queries.run("recall", recall_id, namespace))
        return _recall_row(*found[0]) if found else None

    def serving(
        self, namespace: str, memory_id: str, *, since: int = 0, after: RecallRow | None = None, limit: int = 100
    ) -> list[tuple[RecallRow, int]]:
        """Return a page of the recalls at or after `since` (epoch ms) that served a memory, each with the rank (from 1)
        at which it served that.

        The newest come first, at most `limit`. `after` is the last row of the page before; None: the first page.
        """
        before = (after.at, after.recall_id) if after else _LAST
        found = self.queries.run("recalls_serving", memory_id, namespace, since, *before, memory_id, limit)
        return [(_recall_row(*row), place + 1) for *row, place in found]

    def times_served(self, namespace: str, memory_id: str, since: int = 0) -> int:
        """Return how many recalls at or after `since` (epoch milliseconds) served a memory."""
        return self.queries.run("times_served", memory_id, namespace, since)[0][0]

    def latest(self, namespace: str, session_id: str | None = None) -> RecallRow | None:
        """Return the newest recall of a session or, without one, of the namespace; None if there is none."""
        return next(iter(self.recalls(namespace, session_id=session_id, limit=1)), None)

    def pin(self, recall_id: str, namespace: str, *, pinned: bool) -> RecallRow | None:
        """Pin a recall's receipt, so that `History.prune` keeps it in full, or unpin it (`pinned` False); return the
        recall as it is then, None if the namespace has none with this id. Waits up to a second for a recall just made.
        """
        if self.find(recall_id, namespace):  # before the transaction, which would keep another process from writing it
            with immediate(self.queries.connection()):
                self.queries.run("pin" if pinned else "unpin", recall_id, namespace)
        return self.find(recall_id, namespace)


def _recall_row(*row: Any) -> RecallRow:
    """Make a RecallRow of the columns of one of the `recall…` queries."""
    recall_id, at, session_id, served, in_full, pinned, query, *event, degraded = row
    head = recall_id, at, session_id, served, bool(in_full), bool(pinned), query
    return RecallRow(*head, *event, degraded=None if degraded is None else bool(degraded))


def folded_words(text: str) -> str:
    """Return a text in the form in which words are compared and searched: NFKC and casefolded."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return unicodedata.normalize("NFKC", folded)
