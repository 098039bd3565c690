"""A home in, its damaged databases out."""

from collections.abc import Iterator
from pathlib import Path

from pellucid.errors import StoreError
from pellucid.store.local.database import connect, execute

DATABASES = ("journal.db", "index.db", "history.db")


def integrity(home: Path) -> Iterator[tuple[str, str]]:
    """Each damaged database with what SQLite says of it (`PRAGMA integrity_check`)."""
    for name in DATABASES:
        if not (home / name).exists():
            continue
        try:
            connection = connect(home / name, synchronous="NORMAL", readonly=True)
            said = execute(connection, "PRAGMA integrity_check(1)")[0][0]
            connection.close()
        except StoreError as error:
            said = error.message
        if said != "ok":
            yield name, str(said)


def totals(home: Path) -> tuple[int, int]:
    """Memories in the index, and how many of them have a vector; zeros where there is no index that can be read."""
    try:
        connection = connect(home / "index.db", synchronous="NORMAL", readonly=True)
        rows, vectors = execute(connection, "SELECT count(*), count(vec) FROM features")[0]
        connection.close()
    except StoreError:
        return 0, 0
    return rows, vectors
