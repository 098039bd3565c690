"""Recalls in, `history.db` out: receipts, the operation that wrote each result, and which receipts stay."""

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from shutil import disk_usage
from time import monotonic
from typing import Any

import apsw

from pellucid.errors import NoRoomError, StoreBusyError, StoreError
from pellucid.store.history.history_port import AuditRow, RecallRecord
from pellucid.store.history.telemetry_port import RecallEvent
from pellucid.store.history.traces_port import Subject
from pellucid.store.local import database
from pellucid.store.local.database import Queries, execute, immediate
from pellucid.store.local.erasing import empty_log, erase_remains
from pellucid.store.local.history.counted import LocalCitations, LocalTelemetry, LocalUses
from pellucid.store.local.history.later import Later, wait_for_rows
from pellucid.store.local.history.receipts import LocalReceipts, folded_words

_READERS_S = 5.0  # how long an erasure waits for other processes to let go of the log
_WHOLE_WORDS = 4
"""Shorter words in Latin letters must stand alone in a query: `art` is not in `start`."""
_ROOM_BYTES = 8 << 20
"""With less free space on its disk a recall is recorded before it is answered: the answer can say if it was not."""
_ROOMY_S = 1.0  # how long room that was found counts as there
_PACKED_COLUMNS = {"packed", "apart"}  # columns that nobody can read: an X-ray shows what they hold


@dataclass(frozen=True, slots=True)
class LocalTraces:
    """See `Traces`."""

    queries: Queries

    def unattributed(self, namespace: str) -> Iterator[tuple[str, bytes]]:
        """Yield (recall id, packed receipt) for each receipt of the namespace whose recall has no measurements (event):
        the agent of such a recall is named in the receipt only.
        """
        yield from self.queries.run("unattributed", namespace)

    def rows(self, subject: Subject, recall_ids: Collection[str] = ()) -> Iterator[tuple[str, Mapping[str, object]]]:
        """Yield (table name, values by column) for every row about the subject, without packed (binary) columns.

        `recall_ids` are further recalls of the subject. A row of the table `uses` has only the columns `memory_id`,
        `kind` and `at` (epoch ms).
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
        """Delete the rows that `rows` yields, and the daily sums of the subject's agent; return their number by table.

        Tables without such rows are left out; sums do not count. The bytes are gone after `History.scrub`.
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
        """Return (table, key column, keys of the subject's rows) for each table with a column `recall_id`.

        `recall_ids` are further recalls of the subject. Citations come first, since deleting one updates the sums of
        its event. The keys of the table `queries`, which has words of recalls and of citations, are ids of both.
        """
        subject_keys = (subject.namespace, subject.session_id, subject.agent)
        recalls = sorted({*(recall_id for (recall_id,) in self.queries.run("recalls_of", *subject_keys)), *recall_ids})
        citations = [name for (name,) in self.queries.run("citations_of", *subject_keys, json.dumps(recalls))]
        tables = sorted(table for (table,) in self.queries.run("tables_of_recalls") if table != "citations")
        keys = [(table, "recall_id", recalls + citations if table == "queries" else recalls) for table in tables]
        return [("citations", "citation_id", citations), *keys]


class LocalHistory:
    """See `History`."""

    def __init__(self, path: Path, report: Callable[[str], None] | None = None) -> None:
        """Prepare without opening a file; `report` is called with a message when recalls could not be stored."""
        self._path = path
        self._report: Callable[[str], None] = report or (lambda _message: None)
        self._queries = database.queries_of("history")
        self._connections = database.ThreadConnections(self._open)
        self._later = Later(self._write, self._report_lost)
        self._roomy_until = 0.0
        stored = database.Queries(self._settled, self._queries)
        self.receipts, self.uses, self.citations = LocalReceipts(stored), LocalUses(stored), LocalCitations(stored)
        self.telemetry, self.traces = LocalTelemetry(stored), LocalTraces(stored)
        self._stored = stored

    def _open(self) -> apsw.Connection:
        """Open the database; an empty read-only one in memory if there is none yet and no disk space for it."""
        try:
            connection = database.connect(self._path, synchronous="NORMAL")
            _prepare(connection)
        except NoRoomError:
            if self._path.exists() and self._path.stat().st_size:
                raise
            return _empty_history()
        return connection

    def record(self, record: RecallRecord) -> None:
        """Store one recall with its served results and its event in the database at once; raise StoreError if it cannot
        be written.
        """
        self._write([lambda: record])

    def later(self, make_record: Callable[[], RecallRecord], then: Callable[[], object] | None = None) -> None:
        """Store the recall that `make_record` returns in the background, then call `then`.

        With under 8 MiB of free disk space, or if the file may not be written, both happen at once, `then` even if the
        recall cannot be stored, because it can free space for the next. Raises StoreError if the recall, or a full
        queue before it, cannot be stored; NoRoomError, without calling `then`, if there was no room to make the file.
        """
        if not self._writable().readonly("main") and self._has_room():
            self._later.add(make_record, then)
            return
        try:
            self._later.settle()
            self.record(make_record())
        finally:
            if then:
                with suppress(StoreError):  # the recall is kept, or the reason it is not is raised
                    then()

    def _has_room(self) -> bool:
        """Whether the disk has at least 8 MiB free, or had within the last second."""
        if monotonic() > self._roomy_until and disk_usage(self._path.parent).free >= _ROOM_BYTES:
            self._roomy_until = monotonic() + _ROOMY_S
        return monotonic() <= self._roomy_until

    def settle(self) -> None:
        """Write everything that `later` queued, and call the functions `then` given with it. Raises StoreError if it
        cannot be written; it stays queued.
        """
        self._later.settle()

    def _settled(self) -> apsw.Connection:
        """Return this thread's connection after writing what `later` queued.

        With an open transaction on the connection nothing is written. Rows that cannot be written stay queued, and
        nothing is raised.
        """
        connection = self._connections.get()
        if not connection.in_transaction:
            with suppress(StoreError):  # it is tried again: who reads is not kept from it
                self._later.settle()
        return connection

    def _writable(self) -> apsw.Connection:
        """Return this thread's connection; raise NoRoomError if it is the empty stand-in of `_empty_history`."""
        connection = self._connections.get()
        if not connection.filename:
            raise NoRoomError(f"{self._path}: there is no room to make it", next_step="free some space")
        return connection

    def _write(self, makers: Sequence[Callable[[], RecallRecord]]) -> None:
        """Store the recalls that `makers` return, with their queries, events and failures, in one transaction.

        A recall whose maker raises is left out, and the `report` function is called. Raises StoreError if they cannot
        be written.
        """
        queries = database.Queries(self._connections.get, self._queries)
        connection, kept = self._writable(), [made for make in makers if (made := self._make_or_report(make))]
        with database.immediate(connection):
            receipts = [
                (*_shared_columns(each), json.dumps(each.served, separators=(",", ":")), each.packed) for each in kept
            ]
            queries.run_many("put_receipt", receipts)
            queries.run_many("put_query", [(each.recall_id, each.query) for each in kept if each.query])
            events = [(*_shared_columns(each), *_event_values(each.event)) for each in kept if each.event]
            queries.run_many("put_event", events)
            failures = [(each.recall_id, each.event.failure) for each in kept if each.event and each.event.failure]
            queries.run_many("put_failure", [(id_, failure.code, failure.place) for id_, failure in failures])

    def _make_or_report(self, make: Callable[[], RecallRecord]) -> RecallRecord | None:
        """Return the record that `make` returns. If it raises, call the `report` function of this object and return
        None, so that later ones are stored.
        """
        try:
            return make()
        except Exception as error:  # noqa: BLE001 - whatever it is, it concerns one recall that was answered
            self._report(f"a recall cannot be explained later, for its record could not be made: {error!r}")
            return None

    def _report_lost(self, count: int, error: StoreError) -> None:
        """Call the `report` function of this object with a message that `count` queued recalls were given up for
        `error`.
        """
        self._report(f"{count} recalls cannot be explained later, for their records could not be written: {error}")

    def receipt(self, recall_id: str, namespace: str) -> bytes | None:
        """Return the packed receipt of a recall followed by the bytes of its query, if that is kept; None if the
        namespace has no such recall, or its receipt was dropped.

        Waits up to a second for a recall just made.
        """
        found = wait_for_rows(recall_id, lambda: self._stored.run("receipt", recall_id, namespace))
        return b"".join(found[0]) if found else None

    def audit(self, recall_id: str, place: int, namespace: str) -> AuditRow | None:
        """Return the result that a recall served at rank `place` (from 1); None if the namespace has none."""
        found = self._stored.run("audit", recall_id, namespace)
        served: list[tuple[str, str | None]] = json.loads(found[0][0]) if found else []
        if not 1 <= place <= len(served):
            return None
        memory_id, op_id = served[place - 1]
        return AuditRow(recall_id, place, memory_id, op_id, found[0][1])

    def counts(self) -> tuple[int, int]:
        """Return the number of packed receipts that are kept, of all namespaces, and the sum of their bytes."""
        return tuple(self._stored.run("counts")[0])

    def erase(
        self, namespace: str, words: Collection[str], memory_ids: Collection[str] = (), *, scrub: bool = True
    ) -> int:
        """Remove a namespace's queries and citation notes with one of these words, and the notes on these memories.

        Return how many, emptied receipts included. With `scrub` their bytes go at once, else at the next `scrub`.
        Without words and memories nothing happens. A word of four letters or more, or one not in ASCII, is also found
        inside a longer one. An old receipt that still contains its query is emptied in any case. Safe to repeat. Raises
        StoreBusyError if another process writes or reads for too long.
        """
        pattern, gone = _any_of(words), frozenset(memory_ids)
        if not (pattern or gone):
            return 0
        with database.immediate(self._settled()):
            rows = self._stored.run("queries", namespace)
            kept = [
                (recall_id, query)
                for recall_id, query, here, memory_id in rows
                if not (here and (memory_id in gone or (pattern and pattern.search(_folded_query(query)))))
            ]
            self._stored.run("clear_queries")
            self._stored.run_many("put_query", kept)
            emptied = self._stored.run("empty_old", namespace)
        if scrub:
            self.scrub()
        return len(rows) - len(kept) + len(emptied)

    def scrub(self) -> None:
        """Remove the remaining bytes of erased queries from the file and its log.

        Raises StoreBusyError if the file stays in use for five seconds, NoRoomError if the disk is full.
        """
        connection = self._connections.get()
        if database.execute(connection, self._queries["owed"])[0][0]:
            database.execute(connection, "PRAGMA temp_store = MEMORY")  # no copy elsewhere during the rewrite
            erase_remains(connection, _READERS_S)
            database.execute(connection, "PRAGMA temp_store = DEFAULT")  # sorting in memory is slower
            database.execute(connection, self._queries["paid"])
            database.execute(connection, self._queries["husk_gone"])
        if not empty_log(connection, _READERS_S):
            raise StoreBusyError(
                f"{self._path} still holds what was erased: it was in use for {_READERS_S:g} seconds",
                next_step="let the other process finish, then repeat",
            )

    def prune(self, before: int, keep: int, max_bytes: int = 1 << 62, cited_before: int | None = None) -> int:
        """Drop the packed receipts that are too old, too many or too large; return how many. The lists of their results
        stay.

        Too old is before `before` (epoch ms), for a recall with an automatic citation before both `before` and
        `cited_before` (None: `before` alone); too many is beyond the newest `keep` (at least 1) recalls of all
        namespaces; too large what makes the newest receipts exceed `max_bytes`. Pinned and explicitly cited ones stay.
        The queries of dropped receipts, and of recalls that failed before `before`, are deleted.
        """
        with database.immediate(self._settled()):
            cited = before if cited_before is None else cited_before
            emptied = self._stored.run("prune", before, keep, max_bytes, cited)
            self._stored.run_many("drop_query", [*emptied, *self._stored.run("failed_before", before)])
        return len(emptied)

    def trim(self, before: int, keep: int) -> int:
        """Delete events and citations older than `before` (epoch ms), and events beyond the newest `keep`.

        `keep` counts events of all namespaces. Returns how many were deleted; their sums by day stay. Notes go with
        their citations; with the event of a failed recall go its query and its place in the list of recalls.
        """
        time = f"{before:012x}"
        with database.immediate(self._settled()):
            beyond = self._stored.run("last_event_beyond", keep)
            last = max([f"rec_{time}", *(recall_id for (recall_id,) in beyond)])
            self._stored.run("keep_sums", last)
            events = self._stored.run("drop_events", last)
            citations = self._stored.run("drop_citations", f"cit_{time}")
            self._stored.run_many("drop_query", citations)
        return len(events) + len(citations)

    def close(self) -> None:
        """Write what is queued, or report it as lost, and close every connection."""
        self._later.close()
        self._connections.close()


def _empty_history() -> apsw.Connection:
    """Return an empty read-only history in memory, for a home whose disk has no space for the file."""
    connection = apsw.Connection(":memory:")
    _prepare(connection)
    database.execute(connection, "PRAGMA query_only = ON")
    return connection


def _prepare(connection: apsw.Connection) -> None:
    """Migrate the schema to the newest version, and register the SQL function `asks`."""
    database.migrate(connection, database.sql_folder("history"))
    connection.create_scalar_function("asks", _query_contains, 2)  # pyright: ignore[reportUnknownMemberType]


def _shared_columns(record: RecallRecord) -> tuple[database.Value, ...]:
    """Return the columns that receipts and events share: recall id, instant (epoch ms), namespace, session id."""
    return record.recall_id, record.at, record.namespace, record.session_id


def _event_values(event: RecallEvent) -> tuple[database.Value, ...]:
    """Return the values of an event as bindings of the query `put_event`, after those of `_shared_columns`; `legs` is
    JSON.
    """
    what = event.agent, event.surface, event.query_class, event.depth, event.outcome
    sizes = event.found, event.selected, event.payload_bytes, event.payload_tokens, event.millis
    return *what, *sizes, int(event.degraded), json.dumps(event.legs, separators=(",", ":"))


def _query_contains(*arguments: Any) -> bool:
    """Whether a query contains some words: the SQL function `asks(query, words)`, whose two values are `arguments`.

    The query is bytes: its words and, after a null byte, its filters, which are not searched. It is folded (case, NFKC)
    here; `words` must be folded already, and may be part of a longer word.
    """
    query, words = arguments
    return words in _folded_query(query.rpartition(b"\0")[0] or query)


def _folded_query(query: bytes) -> str:
    """Decode the bytes of a query and fold them for comparison."""
    return folded_words(query.decode("utf-8", "replace"))


def _any_of(words: Collection[str]) -> re.Pattern[str] | None:
    """Compile a pattern that finds any of these words in a folded query; blank words do not count, and None if there
    are no others.
    """
    wanted = sorted({word for each in words if (word := folded_words(each).strip())})
    return re.compile("|".join(map(_word_pattern, wanted))) if wanted else None


def _word_pattern(word: str) -> str:
    """Return a regular expression for a folded word; one in ASCII of fewer than four characters must stand alone."""
    alone = word.isascii() and len(word) < _WHOLE_WORDS
    return rf"(?<![a-z0-9]){re.escape(word)}(?![a-z0-9])" if alone else re.escape(word)


def _decoded(value: object) -> object:
    """Return bytes as text, anything else as it is."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value
