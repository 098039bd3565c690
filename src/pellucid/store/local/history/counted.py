"""Uses, citations and events of recalls in, what they come to by memory, day and panel out."""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import groupby

import apsw

from pellucid.model.entity import FOREVER
from pellucid.store.history.citations_port import AGAINST, FAVOURABLE, CitationRow, ServedRecall
from pellucid.store.history.telemetry_port import Grouping, LiftRow, RecallEvent, RecallFailure
from pellucid.store.history.uses_port import Times, UseKind
from pellucid.store.local.database import (
    execute,
    execute_many,
    immediate,
)

_SUMS = "SELECT {by}, {sums} FROM {view} WHERE namespace = ? AND day BETWEEN ? AND ? GROUP BY 1 ORDER BY 1"
"""What stands in braces are names of views and columns, none of them a caller's words."""


class LocalUses:
    """See `Uses`."""

    def __init__(self, connection: Callable[[], apsw.Connection], queries: Mapping[str, str]) -> None:
        self._connection = connection
        self._queries = queries

    def note(self, namespace: str, memory_ids: Collection[str], kind: UseKind, occasion: str, at: int) -> None:
        rows = [(namespace, memory_id, kind, occasion, at) for memory_id in dict.fromkeys(memory_ids)]
        connection = self._connection()
        with immediate(connection):
            execute_many(connection, self._queries["put_use"], rows)

    def uses(self, namespace: str, since: int = 0) -> list[Times]:
        return self._times("uses", namespace, since)

    def exposure(self, namespace: str, since: int = 0) -> list[Times]:
        return self._times("exposure", namespace, since)

    def served_since(self, namespace: str, day: str) -> set[str]:
        return {row[0] for row in execute(self._connection(), self._queries["served_since"], (namespace, day))}

    def _times(self, query: str, namespace: str, since: int) -> list[Times]:
        return [Times(*row) for row in execute(self._connection(), self._queries[query], (namespace, since))]


class LocalCitations:
    """See `Citations`."""

    def __init__(self, connection: Callable[[], apsw.Connection], queries: Mapping[str, str]) -> None:
        self._connection = connection
        self._queries = queries

    def put(self, namespace: str, citation_id: str, row: CitationRow) -> bool:
        """Keep a citation; False where the memory was cited so on this occasion before: nothing changes."""
        connection, what = self._connection(), (namespace, row.memory_id, row.occasion)
        values = (namespace, row.memory_id, row.kind, row.occasion, citation_id, row.recall_id, row.agent, row.at)
        with immediate(connection):
            if row.source == "explicit":
                gone = execute(connection, self._queries["outdone"], (*what, row.kind, row.kind not in FAVOURABLE))
                execute_many(connection, self._queries["drop_query"], gone)
            elif execute(connection, self._queries["refused"], (*what, json.dumps(sorted(FAVOURABLE))))[0][0]:
                return False
            is_new = bool(execute(connection, self._queries["put_citation"], (*values, row.source, row.evidence)))
            if is_new and row.note:
                execute(connection, self._queries["put_query"], (citation_id, row.note.encode()))
        return is_new

    def on(self, namespace: str, occasion: str) -> list[CitationRow]:
        return self._rows("citations", namespace, occasion)

    def of(self, namespace: str, memory_id: str) -> list[CitationRow]:
        return self._rows("citations_of_memory", namespace, memory_id)

    def of_recall(self, namespace: str, recall_id: str) -> list[CitationRow]:
        return self._rows("citations_of_recall", namespace, recall_id)

    def against(self, namespace: str) -> list[CitationRow]:
        return self._rows("citations_against", namespace, json.dumps(sorted(AGAINST)))

    def _rows(self, query: str, *named: str) -> list[CitationRow]:
        return [
            CitationRow(*row, note=note.decode("utf-8", "replace"), source=source, evidence=evidence)
            for *row, note, source, evidence in execute(self._connection(), self._queries[query], named)
        ]

    def served(self, namespace: str, session_id: str | None, since: int = 0) -> list[ServedRecall]:
        """The recalls of a session, or of none, since a time (epoch milliseconds), newest first."""
        found = execute(self._connection(), self._queries["served"], (namespace, since, session_id))
        return [
            ServedRecall(recall_id, at, query, tuple(memory_id for *_, memory_id in rows if memory_id))
            for (recall_id, at, query), rows in groupby(found, key=lambda row: row[:3])
        ]

    def serving(
        self, namespace: str, session_id: str | None, memory_id: str, since: int = 0, until: int = FOREVER
    ) -> str | None:
        asked = (namespace, since, until, session_id, memory_id)
        return next((name for (name,) in execute(self._connection(), self._queries["serving"], asked)), None)


class LocalTelemetry:
    """See `Telemetry`."""

    def __init__(self, connection: Callable[[], apsw.Connection], queries: Mapping[str, str]) -> None:
        self._connection = connection
        self._queries = queries

    def sums(
        self, view: str, measures: Sequence[str], by: Grouping, namespace: str, since: str, until: str
    ) -> list[tuple[str | None, tuple[int, ...]]]:
        wanted = ", ".join(f"sum({each})" for each in measures)
        sql = _SUMS.format(by=by, sums=wanted, view=view)
        return [(of, tuple(counts)) for of, *counts in execute(self._connection(), sql, (namespace, since, until))]

    def event(self, recall_id: str, namespace: str) -> RecallEvent | None:
        found = execute(self._connection(), self._queries["event"], (recall_id, namespace))
        if not found:
            return None
        *values, degraded, legs, code, place = found[0]
        failure = RecallFailure(code, place) if code is not None else None
        return RecallEvent(*values, degraded=bool(degraded), legs=json.loads(legs), failure=failure)

    def lifts_due(self, namespace: str) -> dict[str, list[str]]:
        """The memories that were worked with and whose lifts are not kept yet, by recall, newest first."""
        due: dict[str, list[str]] = {}
        for recall_id, memory_id in execute(self._connection(), self._queries["lifts_due"], (namespace,)):
            due.setdefault(recall_id, []).append(memory_id)
        return due

    def put_lifts(self, namespace: str, recall_id: str, rows: Sequence[LiftRow]) -> None:
        connection = self._connection()
        kept = [(each.leg, each.memory_id, each.rank_with, each.rank_without, recall_id, namespace) for each in rows]
        with immediate(connection):
            execute_many(connection, self._queries["put_lift"], kept)
            execute_many(
                connection, self._queries["lift_done"], [(namespace, recall_id, each.memory_id) for each in rows]
            )
