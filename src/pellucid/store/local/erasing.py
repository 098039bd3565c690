"""A database in, the same without a byte of what was deleted from it out: its pages rewritten, its log emptied."""

import apsw

from pellucid.errors import StoreBusyError
from pellucid.store.local.database import BUSY_TIMEOUT_MS, execute


def erase_remains(connection: apsw.Connection, wait_s: float) -> None:
    """Rewrite the whole file, then empty its write-ahead log; no transaction may be open on this connection.

    `secure_delete` alone is not enough: when SQLite moves rows between pages, copies may stay in the gap of the old
    page, and deleting the rows later does not touch those.

    Raises:
        StoreBusyError: another connection was reading or writing for `wait_s` seconds; repeat it.
        StoreError: there is no room for a second copy of the live rows, or the disk fails.
    """
    try:
        connection.set_busy_timeout(int(wait_s * 1000))
        execute(connection, "PRAGMA temp_store = MEMORY")  # no copy of the live rows elsewhere
        execute(connection, "VACUUM")
        execute(connection, "PRAGMA temp_store = DEFAULT")
        done = empty_log(connection, wait_s)
    except StoreBusyError:
        done = False
    finally:
        connection.set_busy_timeout(BUSY_TIMEOUT_MS)
    if not done:
        raise StoreBusyError(
            f"{connection.filename} still holds what was deleted: it was in use for {wait_s:g} seconds",
            next_step="let the other process finish, then repeat",
        )


def empty_log(connection: apsw.Connection, wait_s: float) -> bool:
    """Bring the write-ahead log into the file and cut it to nothing; False if it was in use for `wait_s` seconds.

    What may only be read keeps its log.
    """
    if connection.readonly("main"):
        return False
    try:
        connection.set_busy_timeout(int(wait_s * 1000))
        return not execute(connection, "PRAGMA wal_checkpoint(TRUNCATE)")[0][0]
    finally:
        connection.set_busy_timeout(BUSY_TIMEOUT_MS)
