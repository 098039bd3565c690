"""Turns in, those that still wait out: `spool.db`, emptied as what became of them is kept."""

from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import Path

import apsw
from pydantic import TypeAdapter

from pellucid.errors import NoRoomError, StoreBusyError
from pellucid.model.turn import Turn
from pellucid.store.local.database import (
    ThreadConnections,
    connect,
    execute,
    immediate,
    load_queries,
    migrate,
    sql_folder,
)
from pellucid.store.local.erasing import empty_log, erase_remains
from pellucid.store.spool_port import SpooledTurn, Waiting

TURN = TypeAdapter(Turn)


class LocalSpool:
    """See `Spool`. One file; threads and processes may share it. A turn is acknowledged when `append` returns."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._queries = load_queries("pellucid.store.local", "sql/spool/queries.sql")
        self._connections = ThreadConnections(self._open)
        self._used = self._remains = False

    def _open(self) -> apsw.Connection:
        connection = connect(self._path, synchronous="FULL")
        execute(connection, "PRAGMA temp_store = MEMORY")  # a rewrite of the file puts no copy elsewhere
        migrate(connection, sql_folder("spool"))
        self._used = True
        return connection

    @property
    def _is_unused(self) -> bool:
        """Whether nothing was ever spooled here: to look for turns takes no file, nor room for one."""
        return not (self._used or (self._path.exists() and self._path.stat().st_size))

    def append(self, namespace: str, turns: Sequence[SpooledTurn]) -> int:
        connection, added = self._connections.get(), 0
        with immediate(connection):
            for each in turns:
                turn, text = each.turn, TURN.dump_json(each.turn, exclude_none=True).decode()
                row = each.key, namespace, turn.session_id, turn.ordinal, each.spooled_at, text
                if execute(connection, self._queries["add_turn"], row):
                    added += 1
                    execute(connection, self._queries["count_on"], (namespace, turn.session_id, turn.ordinal))
        return added

    def next_ordinal(self, namespace: str, session_id: str) -> int:
        found = execute(self._connections.get(), self._queries["last"], (namespace, session_id))
        return int(found[0][0]) + 1 if found else 1

    def namespaces(self, session_id: str) -> list[str]:
        if self._is_unused:
            return []
        return [row[0] for row in execute(self._connections.get(), self._queries["namespaces"], (session_id,))]

    def held(self, namespace: str, session_id: str) -> list[SpooledTurn]:
        if self._is_unused:
            return []
        rows = execute(self._connections.get(), self._queries["held"], (namespace, session_id))
        return [SpooledTurn(key, TURN.validate_json(turn), spooled_at) for key, turn, spooled_at in rows]

    def waiting(self, namespace: str | None = None) -> list[Waiting]:
        if self._is_unused:  # nothing was ever spooled, and asking makes no file
            return []
        rows = execute(self._connections.get(), self._queries["waiting"], (namespace or "",))
        return [Waiting(*row) for row in rows]

    def drop(self, keys: Collection[bytes]) -> int:
        if self._is_unused:
            return 0
        connection = self._connections.get()
        with immediate(connection):
            gone = [row for key in keys for row in execute(connection, self._queries["drop_turn"], (key,))]
            for session in set(gone):
                execute(connection, self._queries["succeeded"], session)
        if gone or self._remains:
            self._erase()
        return len(gone)

    def _erase(self) -> None:
        """Leave no byte of dropped turns; while that cannot be done it waits for a later drop or close."""
        with suppress(StoreBusyError, NoRoomError):
            self.scrub()

    def scrub(self) -> None:
        if self._is_unused:
            return
        self._remains = True
        erase_remains(self._connections.get(), wait_s=0)
        self._remains = False

    def failed(self, namespace: str, session_id: str, problem: str) -> int:
        connection = self._connections.get()
        with immediate(connection):
            return int(execute(connection, self._queries["failed"], (namespace, session_id, problem))[0][0])

    def close(self) -> None:
        if self._remains:
            self._erase()
        if self._used:
            with suppress(NoRoomError):
                empty_log(self._connections.get(), wait_s=0)
        self._connections.close()
