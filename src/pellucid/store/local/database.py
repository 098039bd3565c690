"""A path in, a private SQLite connection out: how every local database is opened, migrated, written and read."""

import errno
import os
import re
import shutil
import stat
import threading
import weakref
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from time import monotonic, sleep
from typing import Any, Literal

import apsw

from pellucid.deadline import Deadline
from pellucid.errors import NoRoomError, StoreBusyError, StoreError, step

Synchronous = Literal["FULL", "NORMAL"]
Value = str | bytes | int | float | None
DATABASES = ("journal.db", "index.db", "history.db", "spool.db")
BUSY_TIMEOUT_MS = 30_000
_BETWEEN_TRIES = 0.02  # seconds
_STEPS = 10_000
"""Steps of SQLite's machine between two looks at a deadline: well under a millisecond."""
_MIGRATION = re.compile(r"(\d{3})_\w+\.sql")
_QUERY = re.compile(r"^-- name: (\w+)\n", re.MULTILINE)

_SHARED_BYTES = 32 << 10
_NO_SHARED_MEMORY = frozenset({apsw.SQLITE_IOERR_SHMSIZE, apsw.SQLITE_IOERR_SHMOPEN, apsw.SQLITE_IOERR_SHMMAP})
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_MAKE_ROOM = "free some space, then repeat the command; what was acknowledged is kept"
_REASONS: tuple[tuple[type[apsw.Error], str, str], ...] = (
    (apsw.IOError, "the disk could not be read or written", "check the disk and its free space, then repeat"),
    (apsw.CorruptError, "the file is damaged", "run {doctor}"),
    (apsw.NotADBError, "the file is not a SQLite database", "move it away, then run {doctor}"),
    (apsw.ReadOnlyError, "it may not be written", "check the owner and mode of the file and its folder"),
    (apsw.CantOpenError, "it could not be opened", "check that its folder exists and belongs to you"),
)


def connect(path: Path, *, synchronous: Synchronous, readonly: bool = False) -> apsw.Connection:
    """Open a database in WAL mode, readable by its owner alone; create it (with its folder) unless `readonly`.

    A database that this process cannot write (a home that is mounted or kept read-only) is opened read-only, too.
    `synchronous` is SQLite's setting of that name: only with `FULL` does a commit survive a power cut.

    Raises:
        StoreError: the file cannot be opened, is a link, or is not a database.
        StoreBusyError: another process kept it locked for 30 seconds.
    """
    with os_errors_explained(path):
        refuse_link(path)
        readonly = readonly or may_not_be_written(path)
        if not readonly:
            make_private_folder(path.parent)
            _make_private_file(path)
        flags = apsw.SQLITE_OPEN_READONLY if readonly else apsw.SQLITE_OPEN_READWRITE
        first = () if readonly else ("journal_mode = WAL", "secure_delete = ON")
        pragmas = (*first, f"synchronous = {synchronous}", "fullfsync = ON", "foreign_keys = ON", "user_version")
        return open_shared(path, flags, pragmas)


def open_shared(
    path: Path, flags: int, pragmas: Iterable[str] = ("user_version",), busy_ms: int = BUSY_TIMEOUT_MS
) -> apsw.Connection:
    """Open a connection with `apsw` flags and run `pragmas`, such as `synchronous = FULL`, on it, one by one.

    Locks are waited for `busy_ms` milliseconds. SQLite shares the index of the log by a file of 32 KiB. Where that
    cannot be made, a database without a log is opened as immutable if the flags are read-only; any other one is opened
    to write, whatever the flags, in exclusive mode. Errors are those of `apsw` and the file system, unexplained.
    """
    if flags & apsw.SQLITE_OPEN_READONLY and (has_no_room_for_log(path) or _is_read_only_without_log(path)):
        name = f"{path.absolute().as_uri()}?immutable=1"
        return _open_connection(name, flags | apsw.SQLITE_OPEN_URI, pragmas, busy_ms)
    try:
        return _open_connection(str(path), flags, pragmas, busy_ms)
    except apsw.IOError as error:
        if getattr(error, "extendedresult", 0) not in _NO_SHARED_MEMORY:
            raise
    return _open_connection(str(path), apsw.SQLITE_OPEN_READWRITE, ("locking_mode = EXCLUSIVE", *pragmas), busy_ms)


def has_no_room_for_log(path: Path) -> bool:
    """Whether a database has no log and no shared-memory file of 32 KiB, and the disk has less than that free."""
    if _size(path.with_name(f"{path.name}-wal")) or _size(path.with_name(f"{path.name}-shm")) >= _SHARED_BYTES:
        return False
    return shutil.disk_usage(path.parent).free < _SHARED_BYTES


def _size(path: Path) -> int:
    """Return the size of a file in bytes; 0 if there is none."""
    return path.stat().st_size if path.exists() else 0


def _open_connection(name: str, flags: int, pragmas: Iterable[str], busy_ms: int) -> apsw.Connection:
    """Open a connection with `apsw` flags and apply pragmas, retrying each for `busy_ms` ms; close it on an error."""
    connection = apsw.Connection(name, flags=flags)
    try:
        connection.set_busy_timeout(busy_ms)
        for pragma in pragmas:
            _set_pragma(connection, pragma, monotonic() + busy_ms / 1000)
    except apsw.Error:
        connection.close()
        raise
    return connection


def _set_pragma(connection: apsw.Connection, pragma: str, until: float) -> None:
    """Apply a pragma; while the file is locked, try again until `until` (`monotonic`), then raise `apsw.BusyError`."""
    while True:
        try:
            list(stream(connection, f"PRAGMA {pragma}"))
            return
        except apsw.BusyError:
            if monotonic() >= until:
                raise
            sleep(_BETWEEN_TRIES)


def refuse_link(path: Path) -> None:
    """Raise StoreError if a link, or anything but a plain file, is at a database's path; a missing file passes."""
    with suppress(FileNotFoundError):
        if not stat.S_ISREG(path.lstat().st_mode):
            raise StoreError(
                f"{path} is not a file of its own, but a link or something else",
                next_step="look at what it leads to; move the file itself here, or remove the link",
            )


def may_not_be_written(path: Path) -> bool:
    """Whether a database exists that this process can only read, by the mode of the file or of its folder."""
    return path.exists() and not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK))


def open_unchanged(path: Path, busy_ms: int) -> apsw.Connection:
    """Open an existing database without changing its settings or its mode.

    It is opened read-only if it cannot be written, or if it has no log and the disk has no space for a log. Locks are
    waited for `busy_ms` milliseconds; errors are those of `apsw` and the file system.
    """
    reads = may_not_be_written(path) or has_no_room_for_log(path)
    return open_shared(path, apsw.SQLITE_OPEN_READONLY if reads else apsw.SQLITE_OPEN_READWRITE, busy_ms=busy_ms)


def _is_read_only_without_log(path: Path) -> bool:
    """Whether a database is read-only and has no log beside it, so that reading needs no lock file."""
    beside = (path.with_name(f"{path.name}{suffix}") for suffix in ("-wal", "-shm"))
    return may_not_be_written(path) and not any(each.exists() for each in beside)


def execute(connection: apsw.Connection, sql: str, bindings: Sequence[Value] = ()) -> list[tuple[Any, ...]]:
    """Run a statement, or a script without bindings; return all its rows. Raises as `os_errors_explained` says."""
    with os_errors_explained(connection.filename):
        return connection.execute(sql, bindings).fetchall()  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]


def stream(connection: apsw.Connection, sql: str, bindings: Sequence[Value] = ()) -> Iterator[tuple[Any, ...]]:
    """Iterate over the rows of a query as they are computed; errors are those of `apsw`, unexplained."""
    return iter(connection.execute(sql, bindings))  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]


def execute_many(connection: apsw.Connection, sql: str, bindings: Iterable[Sequence[Value]]) -> None:
    """Run a statement once for each row of `bindings`. Raises StoreError as `os_errors_explained` does."""
    with os_errors_explained(connection.filename):
        connection.executemany(sql, bindings).fetchall()  # pyright: ignore[reportUnknownMemberType]


def make_private_folder(folder: Path) -> None:
    """Create a folder and its missing parents with mode 0700, whatever the umask; existing ones keep their mode."""
    for missing in reversed([each for each in (folder, *folder.parents) if not each.exists()]):
        missing.mkdir(mode=0o700, exist_ok=True)
        missing.chmod(0o700)
        _sync_folder(missing.parent)


def _make_private_file(path: Path) -> None:
    """Create a file with mode 0600 before SQLite writes to it, which gives `-wal` and `-shm` the same mode. A file that
    is there gets that mode, too; StoreError if it is a link.
    """
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
        _sync_folder(path.parent)
    except FileExistsError:
        # A database that is there is never opened here: closing a descriptor drops this process's POSIX locks on it.
        if stat.S_IMODE(path.lstat().st_mode) != 0o600:
            refuse_link(path)
            path.chmod(0o600)


def _sync_folder(folder: Path) -> None:
    """Flush a folder, with its entries, to the disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def migrate(connection: apsw.Connection, folder: Traversable) -> None:
    """Apply the migrations `NNN_name.sql` in `folder` that a database lacks, each in its own transaction.

    `PRAGMA user_version` is the number of the last one applied.

    Raises:
        StoreError: the database was written by a newer version, lacks a migration and may not be written, or the disk
            failed. The migration that fails is rolled back; a mistake in its SQL is raised as an error of `apsw`.
    """
    steps = sorted((int(match[1]), each) for each in folder.iterdir() if (match := _MIGRATION.fullmatch(each.name)))
    newest = steps[-1][0] if steps else 0
    if (found := schema_version(connection)) > newest:
        raise StoreError(
            f"{connection.filename} has schema version {found}, and this program knows versions up to {newest}",
            next_step="install the version of pellucid that wrote it, or a newer one",
        )
    if found < newest and connection.readonly("main"):
        raise StoreError(
            f"{connection.filename} has schema version {found}, and may not be written to bring it to {newest}",
            next_step="run any command once where its home may be written",
        )
    for number, script in steps:
        if number > found:
            _apply_script(connection, number, script.read_text("utf-8"))


def _apply_script(connection: apsw.Connection, number: int, script: str) -> None:
    """Run the SQL `script` of a migration and set the schema version to `number`, unless it is so high already."""
    with immediate(connection):
        if schema_version(connection) < number:  # another process may have done it while this one waited for the lock
            execute(connection, script)
            execute(connection, f"PRAGMA user_version = {number}")


def schema_version(connection: apsw.Connection) -> int:
    """Return the number of the last migration applied to a database."""
    return int(execute(connection, "PRAGMA user_version")[0][0])


def sql_folder(name: str) -> Traversable:
    """Return the folder of migrations and `queries.sql` of the local database of this name, such as `journal`."""
    return files("pellucid.store.local") / "sql" / name


def queries_of(name: str) -> dict[str, str]:
    """Return the SQL statements, by name, in `queries.sql` of the local database of this name, such as `journal`."""
    return load_queries("pellucid.store.local", f"sql/{name}/queries.sql")


def load_queries(package: str, name: str) -> dict[str, str]:
    """Return the statements (`-- name: xyz`, a comment, SQL) of the resource at path `name` of a package, by name.

    Raises ValueError if one has no comment.
    """
    parts = _QUERY.split(files(package).joinpath(name).read_text("utf-8"))
    queries = {parts[i]: parts[i + 1].strip() for i in range(1, len(parts), 2)}
    for query, sql in queries.items():
        if not sql.startswith("-- "):
            raise ValueError(f"query {query} of {name} has no comment")
    return queries


@contextmanager
def immediate(connection: apsw.Connection) -> Generator[None]:
    """Run the block in a write transaction begun at once: committed at its end, rolled back on an exception.

    Not for use within another transaction. Errors of SQLite and the file system, in the block, too, are raised as
    `os_errors_explained` says; after a NoRoomError the write-ahead log is truncated if it is not in use.
    """
    with os_errors_explained(connection.filename):
        execute(connection, "BEGIN IMMEDIATE")
        try:
            yield
            execute(connection, "COMMIT")
        except BaseException as error:
            if connection.in_transaction:
                execute(connection, "ROLLBACK")
            if isinstance(error, NoRoomError):
                _truncate_log(connection)
            raise


def _truncate_log(connection: apsw.Connection) -> None:
    """Truncate the log if it is not in use, so that a transaction that did not fit leaves the rest of the disk free."""
    with suppress(StoreError):
        connection.set_busy_timeout(0)
        execute(connection, "PRAGMA wal_checkpoint(TRUNCATE)")
    connection.set_busy_timeout(BUSY_TIMEOUT_MS)


@contextmanager
def read_transaction(connection: apsw.Connection) -> Generator[None]:
    """Run the block in a read transaction (a snapshot), rolled back at its end; in an open transaction, in that one."""
    if connection.in_transaction:
        yield
        return
    with os_errors_explained(connection.filename):
        execute(connection, "BEGIN; SELECT 1 FROM sqlite_schema")  # a deferred transaction starts at its first read
        try:
            yield
        finally:
            if connection.in_transaction:
                execute(connection, "ROLLBACK")


@contextmanager
def interrupted_by(deadline: Deadline | None, connection: apsw.Connection) -> Generator[None]:
    """Interrupt the connection's queries in the block when the deadline is over, and raise DeadlineError.

    None never interrupts.
    """
    if deadline is None:
        yield
        return
    connection.set_progress_handler(lambda: deadline.is_over, _STEPS)
    try:
        yield
    except apsw.InterruptError as error:
        raise deadline.error() from error
    finally:
        connection.set_progress_handler(None)


@contextmanager
def os_errors_explained(path: Path | str) -> Generator[None]:
    """Turn errors of SQLite and the file system in the block into a StoreError about `path`.

    A lock becomes StoreBusyError, a full disk NoRoomError; an error of another kind passes as it is.
    """
    try:
        yield
    except apsw.BusyError as error:
        raise StoreBusyError(
            f"{path} was locked by another process for {BUSY_TIMEOUT_MS // 1000} seconds",
            next_step="let the other process finish, then repeat",
        ) from error
    except apsw.FullError as error:
        raise NoRoomError(f"{path}: the disk is full ({error})", next_step=_MAKE_ROOM) from error
    except tuple(kind for kind, _, _ in _REASONS) as error:
        why, next_step = next((why, step) for kind, why, step in _REASONS if isinstance(error, kind))
        raise StoreError(f"{path}: {why} ({error})", next_step=next_step.format(doctor=step("home.doctor"))) from error
    except OSError as error:
        said = f"{path}: {error.strerror or error}"
        if error.errno in _NO_ROOM:
            raise NoRoomError(said, next_step=_MAKE_ROOM) from error
        raise StoreError(said, next_step="check the disk, and the owner and mode of the folder") from error


class Queries:
    """Runs the named statements of one database, each on the connection that `connection()` returns then."""

    def __init__(self, connection: Callable[[], apsw.Connection], sql: Mapping[str, str]) -> None:
        """Take statements by name; `connection` is called anew for every run."""
        self.connection = connection
        self._sql = sql

    def run(self, name: str, *bindings: Value) -> list[tuple[Any, ...]]:
        """Run the statement of this name; return all its rows. KeyError if there is none, StoreError if it fails."""
        return execute(self.connection(), self._sql[name], bindings)

    def run_many(self, name: str, rows: Iterable[Sequence[Value]]) -> None:
        """Run the statement of this name for each row of bindings. KeyError if there is none, StoreError if one
        fails.
        """
        execute_many(self.connection(), self._sql[name], rows)

    def on(self, connection: apsw.Connection) -> "Queries":
        """Return the same statements bound to one connection."""
        return Queries(lambda: connection, self._sql)


class ThreadConnections:
    """One connection per thread, opened on first use: SQLite connections are not shared between threads."""

    def __init__(self, opener: Callable[[], apsw.Connection]) -> None:
        """Prepare, without opening any: `opener` makes a connection, and is called by each thread that asks for one."""
        self._open = opener
        self._local = threading.local()
        self._all: weakref.WeakSet[apsw.Connection] = weakref.WeakSet()
        self._lock = threading.Lock()

    def get(self) -> apsw.Connection:
        """Return the connection of the calling thread, opened on its first call."""
        connection: apsw.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._local.connection = self._open()
            with self._lock:
                self._all.add(connection)
        return connection

    def close(self) -> None:
        """Close the connections of all threads; none is allowed to be in use. A later `get` opens a new connection."""
        with self._lock:
            for connection in list(self._all):
                connection.close()
        self._local = threading.local()
