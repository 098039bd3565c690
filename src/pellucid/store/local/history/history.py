"""Receipts in, `history.db` out: what was recalled, the operation behind every result, and which receipts stay."""

import json
import re
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from pathlib import Path
from shutil import disk_usage
from time import monotonic
from typing import Any

import apsw

from pellucid.errors import NoRoomError, StoreBusyError, StoreError
from pellucid.store.history.history_port import AuditRow, RecallRecord
from pellucid.store.history.telemetry_port import RecallEvent
from pellucid.store.local.database import (
    ThreadConnections,
    Value,
    connect,
    execute,
    execute_many,
    immediate,
    load_queries,
    migrate,
    sql_folder,
)
from pellucid.store.local.erasing import empty_log, erase_remains
from pellucid.store.local.history.counted import LocalCitations, LocalTelemetry, LocalUses
from pellucid.store.local.history.later import Later, found_soon
from pellucid.store.local.history.receipts import LocalReceipts, folded_words
from pellucid.store.local.history.traces import LocalTraces

_READERS_S = 5.0
"""How long an erasure waits for other processes to let go of the log."""
_WHOLE_WORDS = 4
"""Shorter words in Latin letters must stand alone in a query: `art` is not in `start`."""
_ROOM_BYTES = 8 << 20
"""With less room on its disk a recall is recorded before it is answered, so that the answer can say if it was not."""
_ROOMY_S = 1.0
"""How long room that was found counts as there."""


class LocalHistory:
    """See `History`."""

    def __init__(self, path: Path, report: Callable[[str], None] | None = None) -> None:
        """Open no file yet; `report` is told what of it is lost in the end, because it could not be written."""
        self._path = path
        self._report: Callable[[str], None] = report or (lambda _said: None)
        self._queries = load_queries("pellucid.store.local", "sql/history/queries.sql")
        self._connections = ThreadConnections(self._open)
        self._later = Later(self._write, self._say_lost)
        self._roomy_until = 0.0
        self.receipts = LocalReceipts(self._settled, self._queries)
        """Which recalls there were, in the same file."""
        self.uses = LocalUses(self._settled, self._queries)
        """Use and exposure of memories, in the same file."""
        self.citations = LocalCitations(self._settled, self._queries)
        """What became of the memories that were served, in the same file."""
        self.telemetry = LocalTelemetry(self._settled, self._queries)
        """What recalls came to, in the same file."""
        self.traces = LocalTraces(self._settled, self._queries)
        """All that is on record of one session or agent, in the same file."""

    def _open(self) -> apsw.Connection:
        try:
            connection = connect(self._path, synchronous="NORMAL")
            _made_ready(connection)
        except NoRoomError:
            if self._path.exists() and self._path.stat().st_size:
                raise
            return _empty_history()
        return connection

    def record(self, kept: RecallRecord) -> None:
        self._write([lambda: kept])

    def later(self, kept: Callable[[], RecallRecord], then: Callable[[], object] | None = None) -> None:
        if self._writable().readonly("main") or not self._has_room():
            self._later.settle()
            self.record(kept())
        else:
            self._later.add(kept, then)

    def _has_room(self) -> bool:
        if monotonic() > self._roomy_until and disk_usage(self._path.parent).free >= _ROOM_BYTES:
            self._roomy_until = monotonic() + _ROOMY_S
        return monotonic() <= self._roomy_until

    def settle(self) -> None:
        self._later.settle()

    def _settled(self) -> apsw.Connection:
        """The connection of this thread, to read what was kept; what is still to be written is there, too."""
        connection = self._connections.get()
        if not connection.in_transaction:
            with suppress(StoreError):  # it is tried again: who reads is not kept from it
                self._later.settle()
        return connection

    def _writable(self) -> apsw.Connection:
        connection = self._connections.get()
        if not connection.filename:  # see _empty_history
            raise NoRoomError(f"{self._path}: there is no room to make it", next_step="free some space")
        return connection

    def _write(self, rows: Sequence[Callable[[], RecallRecord]]) -> None:
        connection, kept = self._writable(), [made for make in rows if (made := self._made(make))]
        with immediate(connection):
            execute_many(
                connection,
                self._queries["put_receipt"],
                [_receipt_values(each) for each in kept],
            )
            execute_many(
                connection, self._queries["put_query"], [(each.recall_id, each.query) for each in kept if each.query]
            )
            execute_many(
                connection,
                self._queries["put_event"],
                [(*_who(each), *_event_values(each.event)) for each in kept if each.event],
            )
            failures = [(each.recall_id, each.event.failure) for each in kept if each.event and each.event.failure]
            execute_many(
                connection, self._queries["put_failure"], [(id_, each.code, each.place) for id_, each in failures]
            )

    def _made(self, make: Callable[[], RecallRecord]) -> RecallRecord | None:
        """A record; None of one that cannot be made, so that those behind it do not wait for it for ever."""
        try:
            return make()
        except Exception as error:  # noqa: BLE001 - whatever it is, it concerns one recall that was answered
            self._report(f"a recall cannot be explained later, for its record could not be made: {error!r}")
            return None

    def _say_lost(self, count: int, error: StoreError) -> None:
        self._report(f"{count} recalls cannot be explained later, for their records could not be written: {error}")

    def receipt(self, recall_id: str, namespace: str) -> bytes | None:
        connection, asked = self._settled(), (recall_id, namespace)
        found = found_soon(recall_id, lambda: execute(connection, self._queries["receipt"], asked))
        return b"".join(found[0]) if found else None

    def audit(self, recall_id: str, place: int, namespace: str) -> AuditRow | None:
        found = execute(self._settled(), self._queries["audit"], (recall_id, namespace))
        served: list[tuple[str, str | None]] = json.loads(found[0][0]) if found else []
        if not 1 <= place <= len(served):
            return None
        memory_id, op_id = served[place - 1]
        return AuditRow(recall_id, place, memory_id, op_id, found[0][1])

    def counts(self) -> tuple[int, int]:
        return tuple(execute(self._settled(), self._queries["counts"])[0])

    def erase(
        self, namespace: str, words: Collection[str], memory_ids: Collection[str] = (), *, scrub: bool = True
    ) -> int:
        """See `History.erase`. A receipt from before queries stood apart is emptied, whatever its query was.

        A word of four letters or more is also found inside a longer one. Safe to repeat.

        Raises:
            StoreBusyError: another process writes or reads for too long; repeat it.
        """
        holds, gone = _any_of(words), frozenset(memory_ids)
        if not (holds or gone):
            return 0
        connection = self._settled()
        with immediate(connection):
            rows = execute(connection, self._queries["queries"], (namespace,))
            kept = [
                (recall_id, query)
                for recall_id, query, here, memory_id in rows
                if not (here and (memory_id in gone or (holds and holds.search(_plain(query)))))
            ]
            execute(connection, self._queries["clear_queries"])
            execute_many(connection, self._queries["put_query"], kept)
            emptied = execute(connection, self._queries["empty_old"], (namespace,))
        if scrub:
            self.scrub()
        return len(rows) - len(kept) + len(emptied)

    def scrub(self) -> None:
        connection = self._connections.get()
        if execute(connection, self._queries["owed"])[0][0]:
            execute(connection, "PRAGMA temp_store = MEMORY")  # no copy elsewhere while the file is written anew
            erase_remains(connection, _READERS_S)
            execute(connection, "PRAGMA temp_store = DEFAULT")  # sorting in memory is slower
            execute(connection, self._queries["paid"])
            execute(connection, self._queries["husk_gone"])
        if not empty_log(connection, _READERS_S):
            raise StoreBusyError(
                f"{self._path} still holds what was erased: it was in use for {_READERS_S:g} seconds",
                next_step="let the other process finish, then repeat",
            )

    def prune(self, before: int, keep: int, most_bytes: int = 1 << 62, cited_before: int | None = None) -> int:
        """Empty receipts older than `before` (epoch milliseconds) and all but the newest `keep`: how many."""
        connection, cited = self._settled(), before if cited_before is None else cited_before
        with immediate(connection):
            emptied = execute(connection, self._queries["prune"], (before, keep, most_bytes, cited))
            failed = execute(connection, self._queries["failed_before"], (before,))
            execute_many(connection, self._queries["drop_query"], [*emptied, *failed])
        return len(emptied)

    def trim(self, before: int, keep: int) -> int:
        """Drop events and citations older than `before`, and all but the newest `keep` events: how many."""
        connection, time = self._settled(), f"{before:012x}"
        with immediate(connection):
            beyond = execute(connection, self._queries["last_event_beyond"], (keep,))
            last = max([f"rec_{time}", *(recall_id for (recall_id,) in beyond)])
            execute(connection, self._queries["keep_sums"], (last,))
            events = execute(connection, self._queries["drop_events"], (last,))
            citations = execute(connection, self._queries["drop_citations"], (f"cit_{time}",))
            execute_many(connection, self._queries["drop_query"], citations)
        return len(events) + len(citations)

    def close(self) -> None:
        self._later.close()
        self._connections.close()


def _empty_history() -> apsw.Connection:
    """A history without a recall, in which none can be kept: of a home where there is no room to make one."""
    connection = apsw.Connection(":memory:")
    _made_ready(connection)
    execute(connection, "PRAGMA query_only = ON")
    return connection


def _made_ready(connection: apsw.Connection) -> None:
    """Its tables as they are today, and what the queries call."""
    migrate(connection, sql_folder("history"))
    connection.create_scalar_function("asks", _asks, 2)  # pyright: ignore[reportUnknownMemberType]


def _who(kept: RecallRecord) -> tuple[Value, ...]:
    return kept.recall_id, kept.at, kept.namespace, kept.session_id


def _receipt_values(kept: RecallRecord) -> tuple[Value, ...]:
    return *_who(kept), json.dumps(kept.served, separators=(",", ":")), kept.packed


def _event_values(event: RecallEvent) -> tuple[Value, ...]:
    return (
        event.agent,
        event.surface,
        event.query_class,
        event.depth,
        event.outcome,
        event.found,
        event.selected,
        event.payload_bytes,
        event.payload_tokens,
        event.millis,
        int(event.degraded),
        json.dumps(event.legs, separators=(",", ":")),
    )


def _asks(*given: Any) -> bool:
    """Whether a question, without what filters name behind it, holds these folded words."""
    query, words = given
    return words in _plain(query.rpartition(b"\0")[0] or query)


def _plain(query: bytes) -> str:
    return folded_words(query.decode("utf-8", "replace"))


def _any_of(words: Collection[str]) -> re.Pattern[str] | None:
    """What finds any of these words in a folded query; None if there are none."""
    wanted = sorted({word for each in words if (word := folded_words(each).strip())})
    return re.compile("|".join(map(_pattern, wanted))) if wanted else None


def _pattern(word: str) -> str:
    alone = word.isascii() and len(word) < _WHOLE_WORDS
    return rf"(?<![a-z0-9]){re.escape(word)}(?![a-z0-9])" if alone else re.escape(word)
