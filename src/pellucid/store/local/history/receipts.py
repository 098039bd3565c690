"""A namespace in, its recalls as they are listed out: newest first, of a session, by words, or by what they served."""

import unicodedata
from collections.abc import Callable, Mapping
from typing import Any

import apsw

from pellucid.store.history.receipts_port import EVERY, RecallFilter, RecallRow
from pellucid.store.local.database import execute, immediate
from pellucid.store.local.history.later import found_soon

_LAST = (2**63 - 1, "")
"""A place after every recall."""


class LocalReceipts:
    """See `Receipts`."""

    def __init__(self, connection: Callable[[], apsw.Connection], queries: Mapping[str, str]) -> None:
        self._connection = connection
        self._queries = queries

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
        before = (after.at, after.recall_id) if after else _LAST
        query, session = ("recalls_of_session", (session_id,)) if session_id else ("recalls", ())
        if not session and (only.agent or only.query_class or only.outcome or only.degraded):
            query = "recalls_that"
        wanted = (only.agent, only.query_class, only.outcome, int(only.degraded), folded_words(only.contains))
        bindings = (namespace, since, *before, *wanted, limit, *session)
        return [_recall_row(*row) for row in execute(self._connection(), self._queries[query], bindings)]

    def find(self, recall_id: str, namespace: str) -> RecallRow | None:
        connection, asked = self._connection(), (recall_id, namespace)
        found = found_soon(recall_id, lambda: execute(connection, self._queries["recall"], asked))
        return _recall_row(*found[0]) if found else None

    def serving(
        self, namespace: str, memory_id: str, *, since: int = 0, after: RecallRow | None = None, limit: int = 100
    ) -> list[tuple[RecallRow, int]]:
        """A page of the recalls that served a memory, newest first, each with its place there."""
        before = (after.at, after.recall_id) if after else _LAST
        bindings = (memory_id, namespace, since, *before, memory_id, limit)
        found = execute(self._connection(), self._queries["recalls_serving"], bindings)
        return [(_recall_row(*row), place + 1) for *row, place in found]

    def times_served(self, namespace: str, memory_id: str, since: int = 0) -> int:
        bindings = (memory_id, namespace, since)
        return execute(self._connection(), self._queries["times_served"], bindings)[0][0]

    def latest(self, namespace: str, session_id: str | None = None) -> RecallRow | None:
        return next(iter(self.recalls(namespace, session_id=session_id, limit=1)), None)

    def pin(self, recall_id: str, namespace: str, *, pinned: bool) -> RecallRow | None:
        """Keep a receipt in full whatever its age, or no longer; the recall as it then stands, None if unknown."""
        connection = self._connection()
        with immediate(connection):
            execute(connection, self._queries["pin" if pinned else "unpin"], (recall_id, namespace))
            return self.find(recall_id, namespace)


def _recall_row(*row: Any) -> RecallRow:
    recall_id, at, session_id, served, in_full, pinned, query, *who, degraded = row
    agent, surface, query_class, outcome = who
    return RecallRow(
        recall_id,
        at,
        session_id,
        served,
        bool(in_full),
        bool(pinned),
        query,
        agent,
        surface,
        query_class,
        outcome,
        None if degraded is None else bool(degraded),
    )


def folded_words(text: str) -> str:
    """A text as words are looked for in it."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return unicodedata.normalize("NFKC", folded)
