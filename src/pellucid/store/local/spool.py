"""Turns in, those that still wait out: `spool.db`, emptied as the memories made of them are kept."""

from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import apsw
from pydantic import TypeAdapter

from pellucid.errors import NoRoomError, StoreBusyError
from pellucid.model.turn import Turn
from pellucid.store.local import database
from pellucid.store.local.erasing import empty_log, erase_remains
from pellucid.store.spool_port import SpooledTurn, Waiting

TURN = TypeAdapter(Turn)


class LocalSpool:
    """See `Spool`. One file, shared by threads and processes. A turn is acknowledged when `append` returns."""

    def __init__(self, path: Path) -> None:
        """Prepare to use the database at `path`; the first `append`, `next_ordinal` or `failed` creates it."""
        self._path = path
        self._connections = database.ThreadConnections(self._open)
        self._queries = database.Queries(self._connections.get, database.queries_of("spool"))
        self._used = self._remains = False

    def _open(self) -> apsw.Connection:
        """Open the database, creating and migrating it as needed."""
        connection = database.connect(self._path, synchronous="FULL")
        database.execute(connection, "PRAGMA temp_store = MEMORY")  # a rewrite of the file puts no copy elsewhere
        database.migrate(connection, database.sql_folder("spool"))
        self._used = True
        return connection

    @property
    def _is_unused(self) -> bool:
        """Whether nothing was ever spooled here, so that reading need not create a file."""
        return not (self._used or (self._path.exists() and self._path.stat().st_size))

    def append(self, namespace: str, turns: Sequence[SpooledTurn]) -> int:
        """Store turns, except those whose key (fingerprint) waits already, in any namespace; return how many were new.

        Raises StoreError, with nothing stored, if they cannot be written.
        """
        added = 0
        with database.immediate(self._connections.get()):
            for each in turns:
                turn, text = each.turn, TURN.dump_json(each.turn, exclude_none=True, exclude={"fingerprint"}).decode()
                where = namespace, turn.session_id, turn.ordinal
                if self._queries.run("add_turn", each.key, *where, each.spooled_at, text):
                    added += 1
                    self._queries.run("count_on", *where)
        return added

    def next_ordinal(self, namespace: str, session_id: str) -> int:
        """Return the number for a session's next turn: one more than the greatest ever spooled for it, or 1."""
        found = self._queries.run("last", namespace, session_id)
        return int(found[0][0]) + 1 if found else 1

    def namespaces(self, session_id: str) -> list[str]:
        """Return the namespaces, sorted, for which turns of a session were ever spooled or `failed` was called."""
        return [] if self._is_unused else [row[0] for row in self._queries.run("namespaces", session_id)]

    def held(self, namespace: str, session_id: str) -> list[SpooledTurn]:
        """Return the waiting turns of a session, sorted by ordinal."""
        rows = [] if self._is_unused else self._queries.run("held", namespace, session_id)
        found = ((replace(TURN.validate_json(turn), fingerprint=key), spooled_at) for key, turn, spooled_at in rows)
        return [SpooledTurn(turn, spooled_at) for turn, spooled_at in found]

    def waiting(self, namespace: str | None = None) -> list[Waiting]:
        """Return the backlog of each session with waiting turns, in one namespace or in all (None), longest waiting
        first.
        """
        return [] if self._is_unused else [Waiting(*row) for row in self._queries.run("waiting", namespace or "")]

    def drop(self, keys: Collection[bytes]) -> int:
        """Delete the turns with these keys (fingerprints), in any namespace, and their bytes on disk if possible now;
        return how many were there.

        For the sessions of these turns, the count of failures and the error message are cleared.
        """
        if self._is_unused:
            return 0
        with database.immediate(self._connections.get()):
            gone = [row for key in keys for row in self._queries.run("drop_turn", key)]
            for session in set(gone):
                self._queries.run("succeeded", *session)
        if gone or self._remains:
            self._erase()
        return len(gone)

    def _erase(self) -> None:
        """Remove the bytes of deleted turns; if the file is in use or the disk is full, leave it to a later call."""
        with suppress(StoreBusyError, NoRoomError):
            self.scrub()

    def scrub(self) -> None:
        """Remove the remaining bytes of deleted turns; raise StoreError if the file is in use or the disk is full."""
        if self._is_unused:
            return
        self._remains = True
        erase_remains(self._connections.get(), wait_s=0)
        self._remains = False

    def failed(self, namespace: str, session_id: str, problem: str) -> int:
        """Count a failed attempt to flush a session and store the error message `problem`, both in the database; return
        the failures so far, this one included.

        When turns of the session are dropped, the count begins anew.
        """
        with database.immediate(self._connections.get()):
            return int(self._queries.run("failed", namespace, session_id, problem)[0][0])

    def close(self) -> None:
        """Erase the remains of deleted turns, empty the write-ahead log and close every connection."""
        if self._remains:
            self._erase()
        if self._used:
            with suppress(NoRoomError):
                empty_log(self._connections.get(), wait_s=0)
        self._connections.close()
