"""How a local database is opened, migrated, written and read."""

import subprocess
import sys
import threading
from pathlib import Path

import apsw
import pytest

from pellucid.errors import StoreBusyError, StoreError
from pellucid.store.local.database import (
    ThreadConnections,
    connect,
    execute,
    execute_many,
    immediate,
    load_queries,
    migrate,
    read_transaction,
    sql_folder,
)


def database(path: Path) -> apsw.Connection:
    connection = connect(path, synchronous="NORMAL")
    execute(connection, "CREATE TABLE IF NOT EXISTS t (x)")
    return connection


def migrations(folder: Path, **scripts: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name, script in scripts.items():
        (folder / f"{name.removeprefix('_')}.sql").write_text(script)
    return folder


def version(connection: apsw.Connection) -> int:
    return execute(connection, "PRAGMA user_version")[0][0]


@pytest.mark.parametrize("synchronous", [("FULL", 2), ("NORMAL", 1)])
def test_a_connection_has_the_settings_the_promises_rest_on(tmp_path: Path, synchronous: tuple[str, int]) -> None:
    connection = connect(tmp_path / "x.db", synchronous=synchronous[0])  # type: ignore[arg-type]
    pragmas = ("journal_mode", "synchronous", "secure_delete", "foreign_keys", "busy_timeout")
    found = [execute(connection, f"PRAGMA {pragma}")[0][0] for pragma in pragmas]
    assert found == ["wal", synchronous[1], 1, 1, 30_000]


def test_databases_and_their_logs_are_private_under_any_umask(tmp_path: Path) -> None:
    script = (
        "import os, sys; os.umask(0)\n"
        "from pathlib import Path\n"
        "from pellucid.store.local.database import connect, execute\n"
        "c = connect(Path(sys.argv[1]), synchronous='FULL'); execute(c, 'CREATE TABLE t (x)')\n"
        "root = Path(sys.argv[1]).parent.parent\n"
        "print(*(oct(p.stat().st_mode & 0o777) + p.name for p in sorted(root.rglob('*'))))"
    )
    path = tmp_path / "a" / "b" / "x.db"
    run = subprocess.run([sys.executable, "-c", script, path], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["0o700b", "0o600x.db", "0o600x.db-shm", "0o600x.db-wal"]
    assert path.parent.parent.stat().st_mode & 0o777 == 0o700


def test_a_database_others_could_read_is_made_private(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    path.touch()
    path.chmod(0o644)
    database(path)
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_link_in_place_of_a_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.db").symlink_to(tmp_path / "elsewhere.db")
    with pytest.raises(StoreError):
        connect(tmp_path / "x.db", synchronous="FULL")
    assert not (tmp_path / "elsewhere.db").exists()


def test_a_readonly_connection_creates_nothing_and_writes_nothing(tmp_path: Path) -> None:
    with pytest.raises(StoreError):
        connect(tmp_path / "none.db", synchronous="NORMAL", readonly=True)
    assert list(tmp_path.iterdir()) == []
    database(tmp_path / "x.db")
    with pytest.raises(StoreError, match="may not be written"):
        execute(connect(tmp_path / "x.db", synchronous="NORMAL", readonly=True), "INSERT INTO t VALUES (1)")


def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    (tmp_path / "x.db").write_bytes(b"not a database" * 400)
    with pytest.raises(StoreError, match=r"x\.db: the file is not a SQLite database") as error:
        connect(tmp_path / "x.db", synchronous="FULL")
    assert error.value.next_step


def test_migrations_are_applied_once_and_in_order(tmp_path: Path) -> None:
    folder = migrations(tmp_path / "sql", _001_init="CREATE TABLE a (x); INSERT INTO a VALUES (1)")
    connection = connect(tmp_path / "x.db", synchronous="FULL")
    migrate(connection, folder)
    migrations(folder, _002_more="ALTER TABLE a ADD y", _010_last="UPDATE a SET y = x + 1")
    (folder / "queries.sql").write_text("no migration")
    migrate(connection, folder)
    migrate(connection, folder)
    assert execute(connection, "SELECT * FROM a") == [(1, 2)]
    assert version(connection) == 10


def test_a_migration_that_fails_leaves_the_schema_before_it(tmp_path: Path) -> None:
    folder = migrations(
        tmp_path / "sql", _001_init="CREATE TABLE a (x)", _002_bad="CREATE TABLE b (x); SELECT nonsense"
    )
    connection = connect(tmp_path / "x.db", synchronous="FULL")
    with pytest.raises(apsw.SQLError):
        migrate(connection, folder)
    assert version(connection) == 1
    assert execute(connection, "SELECT name FROM sqlite_schema") == [("a",)]


def test_a_database_of_a_newer_version_is_refused_with_a_next_step(tmp_path: Path) -> None:
    connection = connect(tmp_path / "x.db", synchronous="FULL")
    execute(connection, "PRAGMA user_version = 7")
    with pytest.raises(StoreError, match="schema version 7") as error:
        migrate(connection, sql_folder("journal"))
    assert "newer" in error.value.next_step


OPEN_AT_ONCE = """
import multiprocessing, sys
from pathlib import Path
from pellucid.store.local.database import connect, migrate, sql_folder

def open_each(folder, together):
    for name in range(150):
        together.wait()
        migrate(connect(folder / f"{name}.db", synchronous="FULL"), sql_folder("journal"))

fork = multiprocessing.get_context("fork")
together = fork.Barrier(6, timeout=60)
runs = [fork.Process(target=open_each, args=(Path(sys.argv[1]), together)) for _ in range(6)]
for run in runs:
    run.start()
for run in runs:
    run.join()
sys.exit(max(abs(run.exitcode) for run in runs))
"""


def test_processes_that_open_new_databases_at_once_agree(tmp_path: Path) -> None:
    """SQLite tells one in a hundred of them `busy`, without waiting: each is asked again."""
    assert subprocess.run([sys.executable, "-c", OPEN_AT_ONCE, tmp_path], check=False).returncode == 0


def test_a_write_transaction_keeps_all_or_nothing(tmp_path: Path) -> None:
    connection = database(tmp_path / "x.db")

    def insert_and_fail() -> None:
        with immediate(connection):
            execute_many(connection, "INSERT INTO t VALUES (?)", [(1,), (2,)])
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        insert_and_fail()
    assert execute(connection, "SELECT * FROM t") == []
    with immediate(connection):
        execute_many(connection, "INSERT INTO t VALUES (?)", [(1,), (2,)])
    assert execute(connection, "SELECT * FROM t") == [(1,), (2,)]


def test_a_lock_held_too_long_is_reported_as_busy(tmp_path: Path) -> None:
    first, second = database(tmp_path / "x.db"), database(tmp_path / "x.db")
    second.set_busy_timeout(0)
    with immediate(first):
        with pytest.raises(StoreBusyError), immediate(second):
            raise AssertionError("two writers at once")
        assert not second.in_transaction


def test_a_read_transaction_sees_one_snapshot(tmp_path: Path) -> None:
    reader, writer = database(tmp_path / "x.db"), database(tmp_path / "x.db")
    with read_transaction(reader):
        execute(writer, "INSERT INTO t VALUES (1)")
        assert execute(reader, "SELECT * FROM t") == []
    assert execute(reader, "SELECT * FROM t") == [(1,)]
    assert not reader.in_transaction


def test_a_damaged_database_is_reported_with_a_next_step(tmp_path: Path) -> None:
    connection = database(tmp_path / "x.db")
    execute_many(connection, "INSERT INTO t VALUES (?)", [(bytes(5_000),)] * 20)
    connection.close()
    data = bytearray((tmp_path / "x.db").read_bytes())
    data[4096:8192] = b"\xff" * 4096
    (tmp_path / "x.db").write_bytes(data)
    with pytest.raises(StoreError, match="damaged") as error:
        execute(connect(tmp_path / "x.db", synchronous="FULL"), "SELECT * FROM t")
    assert "doctor" in error.value.next_step


def test_each_thread_has_a_connection_of_its_own(tmp_path: Path) -> None:
    connections = ThreadConnections(lambda: database(tmp_path / "x.db"))
    mine = connections.get()
    others: list[apsw.Connection] = []
    thread = threading.Thread(target=lambda: others.append(connections.get()))
    thread.start()
    thread.join()
    assert connections.get() is mine
    assert others[0] is not mine
    connections.close()
    for connection in (mine, *others):
        with pytest.raises(apsw.ConnectionClosedError):
            connection.cursor()
    assert connections.get() is not mine


def test_every_statement_of_the_journal_fits_its_schema() -> None:
    connection = apsw.Connection(":memory:")
    migrate(connection, sql_folder("journal"))
    for sql in load_queries("pellucid.store.local", "sql/journal/queries.sql").values():
        connection.execute(sql, (None,) * sql.count("?"), explain=1)


def test_a_statement_without_a_comment_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "uncommented"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "queries.sql").write_text("-- name: fine\n-- Why.\nSELECT 1;\n\n-- name: bare\nSELECT 1;\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ValueError, match=r"query bare of .* has no comment"):
        load_queries("uncommented", "queries.sql")
