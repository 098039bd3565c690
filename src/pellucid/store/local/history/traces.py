"""A session or an agent in, its rows in `history.db` out, or away."""

import json
from collections.abc import Callable, Collection, Iterator, Mapping

import apsw

from pellucid.store.history.traces_port import Subject
from pellucid.store.local.database import execute, immediate

_UNTOLD = {"packed", "apart"}
"""Columns that are no words for anybody: an X-ray tells what they hold."""


class LocalTraces:
    """See `Traces`."""

    def __init__(self, connection: Callable[[], apsw.Connection], queries: Mapping[str, str]) -> None:
        self._connection = connection
        self._queries = queries

    def unattributed(self, namespace: str) -> Iterator[tuple[str, bytes]]:
        yield from execute(self._connection(), self._queries["unattributed"], (namespace,))

    def rows(self, subject: Subject, recall_ids: Collection[str] = ()) -> Iterator[tuple[str, Mapping[str, object]]]:
        connection = self._connection()
        recalls, citations = self._ids(connection, subject, recall_ids)
        for table in self._tables(connection):
            column, ids = _key(table, recalls, citations)
            columns = [name for (name,) in execute(connection, self._queries["columns"], (table,))]
            sql = f"SELECT * FROM {table} WHERE {column} IN (SELECT value FROM json_each(?))"  # noqa: S608 - our names
            for row in execute(connection, sql, (json.dumps(ids),)):
                told = {name: _told(value) for name, value in zip(columns, row, strict=True) if name not in _UNTOLD}
                yield table, told
        for memory_id, kind, at in execute(
            connection, self._queries["uses_of"], (subject.namespace, subject.session_id)
        ):
            yield "uses", {"memory_id": memory_id, "kind": kind, "at": at}

    def erase(self, subject: Subject, recall_ids: Collection[str] = ()) -> dict[str, int]:
        """Take the subject's rows away: how many, by table; no byte stays after the next `History.scrub`."""
        connection, gone = self._connection(), dict[str, int]()
        with immediate(connection):
            recalls, citations = self._ids(connection, subject, recall_ids)
            for table in self._tables(connection):
                column, ids = _key(table, recalls, citations)
                sql = f"DELETE FROM {table} WHERE {column} IN (SELECT value FROM json_each(?))"  # noqa: S608
                gone[table] = len(execute(connection, f"{sql} RETURNING {column}", (json.dumps(ids),)))
            used = execute(connection, self._queries["uses_of"], (subject.namespace, subject.session_id))
            gone["uses"] = len(used)
            execute(connection, self._queries["drop_uses_of"], (subject.namespace, subject.session_id))
            execute(connection, self._queries["drop_sums_of"], (subject.namespace, subject.agent))
            execute(connection, self._queries["put_husk"])
        return {table: count for table, count in gone.items() if count}

    def _ids(
        self, connection: apsw.Connection, subject: Subject, recall_ids: Collection[str]
    ) -> tuple[list[str], list[str]]:
        """The recalls and the citations of a subject."""
        who = (subject.namespace, subject.session_id, subject.agent)
        found = execute(connection, self._queries["recalls_of"], who)
        recalls = sorted({*(recall_id for (recall_id,) in found), *recall_ids})
        cited = execute(connection, self._queries["citations_of"], (*who, json.dumps(recalls)))
        return recalls, [citation_id for (citation_id,) in cited]

    def _tables(self, connection: apsw.Connection) -> list[str]:
        """Every table with rows of recalls; citations first, which take back what they say of an event."""
        names = [name for (name,) in execute(connection, self._queries["tables_of_recalls"])]
        return sorted(names, key=lambda name: (name != "citations", name))


def _key(table: str, recalls: list[str], citations: list[str]) -> tuple[str, list[str]]:
    """By which column a table names what goes, and which: words stand under the ids of recalls and of citations."""
    if table == "citations":
        return "citation_id", citations
    return "recall_id", [*recalls, *citations] if table == "queries" else recalls


def _told(value: object) -> object:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value
