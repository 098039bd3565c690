"""A database in, the same without the bytes of deleted rows out: its pages rewritten, its log emptied."""

import shutil
from contextlib import suppress
from pathlib import Path

import apsw

from pellucid.errors import NoRoomError, StoreBusyError, StoreError
from pellucid.store.local.database import BUSY_TIMEOUT_MS, execute

_SPARE = 256 << 10
"""Bytes beside the copy of the live pages: the heads of the log's frames, and its index."""


def erase_remains(connection: apsw.Connection, wait_s: float) -> None:
    """Rewrite the whole database file, then empty its write-ahead log; no transaction may be open on this connection.

    `secure_delete` alone is not enough: when SQLite moves rows between pages, copies may stay in the gap of the old
    page, and deleting the rows later does not touch those.

    Raises StoreBusyError after `wait_s` seconds of use by others; NoRoomError, with the database unchanged but its log
    perhaps emptied, if a copy does not fit on the disk; StoreError if it may not be written.
    """
    empty_log(connection, 0)  # which may make the room that is needed
    _check_room(connection)
    try:
        connection.set_busy_timeout(int(wait_s * 1000))
        execute(connection, "PRAGMA temp_store = MEMORY")  # no copy of the live rows elsewhere
        execute(connection, "VACUUM")
        execute(connection, "PRAGMA temp_store = DEFAULT")
        done = empty_log(connection, wait_s)
    except StoreBusyError:
        done = False
    except StoreError:
        with suppress(StoreError):
            empty_log(connection, 0)  # a rewrite that did not fit must not keep the room it took
        raise
    finally:
        connection.set_busy_timeout(BUSY_TIMEOUT_MS)
    if not done:
        raise StoreBusyError(
            f"{connection.filename} still holds what was deleted: it was in use for {wait_s:g} seconds",
            next_step="let the other process finish, then repeat",
        )


def room_needed(path: Path) -> int:
    """Return how many free bytes `erase_remains` needs at most for the database at `path`: the size of its file (0 for
    a missing one), 2 % and 256 KiB more.
    """
    return _room_for_copy(path.stat().st_size if path.exists() else 0)


def _room_for_copy(size: int) -> int:
    """Return how many free bytes it takes to write so many bytes of live pages anew: 2 % and 256 KiB more."""
    return int(size * 1.02) + _SPARE


def _check_room(connection: apsw.Connection) -> None:
    """Raise NoRoomError if the disk has no space for a second copy of the live pages (`_room_for_copy`)."""
    (live,) = execute(
        connection,
        "SELECT (page_count - freelist_count) * page_size FROM "
        "pragma_page_count, pragma_freelist_count, pragma_page_size",
    )[0]
    path = Path(connection.filename)
    needed, free = _room_for_copy(live), shutil.disk_usage(path.parent).free
    if free < needed:
        raise NoRoomError(
            f"{path} still holds bytes of what was deleted: to write it anew takes {needed:,} bytes, "
            f"and {free:,} are free",
            next_step="free some space: the next command erases them",
        )


def empty_log(connection: apsw.Connection, wait_s: float) -> bool:
    """Checkpoint and truncate the write-ahead log; return whether that was done.

    It is not if the log stayed in use for `wait_s` seconds, or the database is read-only.
    """
    if connection.readonly("main"):
        return False
    try:
        connection.set_busy_timeout(int(wait_s * 1000))
        return not execute(connection, "PRAGMA wal_checkpoint(TRUNCATE)")[0][0]
    finally:
        connection.set_busy_timeout(BUSY_TIMEOUT_MS)
