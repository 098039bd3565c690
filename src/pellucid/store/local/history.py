"""Receipts in, `history.db` out: what was recalled, and the operation behind every result served."""

import json
from pathlib import Path

import apsw

from pellucid.store.history_port import AuditRow, RecallRecord
from pellucid.store.local.database import (
    ThreadConnections,
    connect,
    execute,
    immediate,
    load_queries,
    migrate,
    sql_folder,
)


class LocalHistory:
    """See `History`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._queries = load_queries("pellucid.store.local", "sql/history/queries.sql")
        self._connections = ThreadConnections(self._open)

    def _open(self) -> apsw.Connection:
        connection = connect(self._path, synchronous="NORMAL")
        migrate(connection, sql_folder("history"))
        return connection

    def record(self, kept: RecallRecord) -> None:
        connection = self._connections.get()
        served = json.dumps(kept.served, separators=(",", ":"))
        row = (kept.recall_id, kept.at, kept.namespace, kept.session_id, served, kept.packed)
        with immediate(connection):
            execute(connection, self._queries["put_receipt"], row)

    def receipt(self, recall_id: str, namespace: str) -> bytes | None:
        found = execute(self._connections.get(), self._queries["receipt"], (recall_id, namespace))
        return found[0][0] if found else None

    def audit(self, recall_id: str, place: int, namespace: str) -> AuditRow | None:
        found = execute(self._connections.get(), self._queries["audit"], (recall_id, namespace))
        served: list[tuple[str, str | None]] = json.loads(found[0][0]) if found else []
        if not 1 <= place <= len(served):
            return None
        memory_id, op_id = served[place - 1]
        return AuditRow(recall_id, place, memory_id, op_id, found[0][1])

    def counts(self) -> tuple[int, int]:
        return tuple(execute(self._connections.get(), self._queries["counts"])[0])

    def prune(self, before: int, keep: int) -> int:
        connection = self._connections.get()
        with immediate(connection):
            return len(execute(connection, self._queries["prune"], (before, keep)))

    def close(self) -> None:
        self._connections.close()
