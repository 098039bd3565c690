"""A session or an agent in, its rows in `history.db` out, or away."""

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from pellucid.store.history.traces_port import Subject
from pellucid.store.local.database import Queries, execute, immediate

_PACKED_COLUMNS = {"packed", "apart"}  # columns that nobody can read: an X-ray shows what they hold


@dataclass(frozen=True, slots=True)
class LocalTraces:
    """See `Traces`."""

    queries: Queries

    def unattributed(self, namespace: str) -> Iterator[tuple[str, bytes]]:
        """Yield (recall id, packed receipt) of the receipts without an event, whose agent only the receipt tells."""
        yield from self.queries.run("unattributed", namespace)

    def rows(self, subject: Subject, recall_ids: Collection[str] = ()) -> Iterator[tuple[str, Mapping[str, object]]]:
        """Yield (table name, row) for every row about the subject, without packed columns.

        `recall_ids` are further recalls of it.
        """
        connection = self.queries.connection()
        for table, column, ids in self._keys_by_table(subject, recall_ids):
            columns = [name for (name,) in self.queries.run("columns", table)]
            sql = f"SELECT * FROM {table} WHERE {column} IN (SELECT value FROM json_each(?))"  # noqa: S608 - our names
            for row in execute(connection, sql, (json.dumps(ids),)):
                values = zip(columns, map(_decoded, row), strict=True)
                yield table, {name: value for name, value in values if name not in _PACKED_COLUMNS}
        for memory_id, kind, at in self.queries.run("uses_of", subject.namespace, subject.session_id):
            yield "uses", {"memory_id": memory_id, "kind": kind, "at": at}

    def erase(self, subject: Subject, recall_ids: Collection[str] = ()) -> dict[str, int]:
        """Delete the rows that `rows` yields, and the sums of the subject's agent; return how many rows, by table.

        Tables without such rows are left out. `History.scrub` removes the bytes.
        """
        connection, gone = self.queries.connection(), dict[str, int]()
        with immediate(connection):
            for table, column, ids in self._keys_by_table(subject, recall_ids):
                sql = f"DELETE FROM {table} WHERE {column} IN (SELECT value FROM json_each(?))"  # noqa: S608
                gone[table] = len(execute(connection, f"{sql} RETURNING {column}", (json.dumps(ids),)))
            gone["uses"] = len(self.queries.run("uses_of", subject.namespace, subject.session_id))
            self.queries.run("drop_uses_of", subject.namespace, subject.session_id)
            self.queries.run("drop_sums_of", subject.namespace, subject.agent)
            self.queries.run("put_husk")
        return {table: count for table, count in gone.items() if count}

    def _keys_by_table(self, subject: Subject, recall_ids: Collection[str]) -> list[tuple[str, str, list[str]]]:
        """Return (table, key column, keys of the subject's rows) for each table with rows of recalls.

        Citations come first, for deleting one updates the sums of its event. `queries` holds the words of both.
        """
        who = (subject.namespace, subject.session_id, subject.agent)
        recalls = sorted({*(recall_id for (recall_id,) in self.queries.run("recalls_of", *who)), *recall_ids})
        citations = [name for (name,) in self.queries.run("citations_of", *who, json.dumps(recalls))]
        tables = sorted(table for (table,) in self.queries.run("tables_of_recalls") if table != "citations")
        keys = [(table, "recall_id", recalls + citations if table == "queries" else recalls) for table in tables]
        return [("citations", "citation_id", citations), *keys]


def _decoded(value: object) -> object:
    """Return bytes as text, anything else as it is."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value
