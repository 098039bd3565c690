"""A home in, what is damaged or weak about it and the rows of its index out; a damaged index is moved aside."""

import hashlib
from collections.abc import Iterator
from contextlib import closing, suppress
from datetime import datetime
from pathlib import Path
from typing import Any

import apsw
import numpy as np
from pydantic import ValidationError

from pellucid.errors import NoRoomError, StoreError
from pellucid.model.ledger import FoldRow
from pellucid.model.memory import Episode, Memory
from pellucid.store.local.database import (
    BUSY_TIMEOUT_MS,
    DATABASES,
    connect,
    execute,
    may_not_be_written,
    migrate,
    opened_as_it_is,
    os_errors_explained,
    refuse_link,
    schema_version,
    sql_folder,
    stands_still,
    stream,
)
from pellucid.store.local.spool import TURN
from pellucid.store.local.vault.files import Skip, Vault
from pellucid.store.local.vault.records import LocalRecords
from pellucid.store.records import Records

_DAMAGE = (
    apsw.CorruptError,
    apsw.NotADBError,
    apsw.SQLError,
    apsw.TooBigError,
    apsw.FormatError,
    UnicodeDecodeError,
)
_VECTOR_BYTES, _CODE_BYTES = 768, 16
_LONGEST = 1.02  # the square of a unit vector's length, in half precision
_COLUMNS = """
SELECT t.name, c.name, c.type, c."notnull", c.pk FROM sqlite_schema t, pragma_table_info(t.name) c
WHERE t.type = 'table' ORDER BY t.name, c.cid
"""
_NUMBERS = {"appliedSeq": "operation", "ledgerSeq": "ledger row"}
_ROWS = """
SELECT n.name, m.id, m.importance, m.record, f.vec, f.codes, f.terms, f.counts, f.length
FROM memories m LEFT JOIN namespaces n ON n.ns = m.ns LEFT JOIN features f ON f.row = m.row
"""
_HELD = "SELECT m.path, n.name, m.id, m.record FROM memories m JOIN namespaces n ON n.ns = m.ns"


def integrity(home: Path) -> Iterator[tuple[str, str]]:
    """Each damaged database and what is wrong with it. It only reads; call it before any database is opened to write.

    A database of an older or newer version of the schema is not damaged, except that an index of a newer one cannot be
    told from one whose header is.

    Raises:
        StoreError: a database cannot be read for another reason: it is locked, not ours, or the disk fails.
    """
    sound: list[str] = []
    for name in DATABASES:
        if not _is_empty(home / name):
            why = _damage_of(home / name)
            if why:
                yield name, " ".join(why.split())
            else:
                sound.append(name)
    if {"journal.db", "index.db"} <= set(sound) and _is_ahead(home):
        yield "index.db", "it claims operations that the journal never had"


def totals(home: Path) -> tuple[int, int]:
    """Memories in the index, and how many of them have a vector; zeros where there is no index that can be read."""
    try:
        with closing(_reading(home / "index.db")) as connection:
            return execute(connection, "SELECT count(*), count(vec) FROM features")[0]
    except StoreError:
        return 0, 0


def held(home: Path) -> dict[str, dict[tuple[str, str], bytes]]:
    """What the index holds of each file: namespace and id of every memory, with its fingerprint."""
    out: dict[str, dict[tuple[str, str], bytes]] = {}
    if not _is_empty(home / "index.db"):
        with closing(_reading(home / "index.db")) as connection:
            for path, namespace, memory_id, record in stream(connection, _HELD):
                print_ = fingerprint(Memory.model_validate_json(record))
                out.setdefault(path, {})[namespace, memory_id] = print_
    return out


def fingerprint(memory: Memory) -> bytes:
    """Sixteen bytes that two memories share only if every field is the same, as far as the index keeps it."""
    kept = Memory.model_validate_json(memory.model_dump_json(by_alias=True))  # the index keeps milliseconds
    return hashlib.sha256(kept.model_dump_json(by_alias=True).encode()).digest()[:16]


def set_aside(home: Path, at: datetime) -> str:
    """Move the index away, its log with it, so that a new one can be made; the name it has now."""
    name = f"index.db.damaged-{at:%Y%m%dT%H%M%S.%fZ}"
    for suffix in ("-wal", "-shm", ""):  # the database last: without its log it is only older, never stranger
        old = home / f"index.db{suffix}"
        if old.exists():
            old.chmod(0o600)
            old.rename(home / f"{name}{suffix}")
    return name


def skipped(home: Path) -> list[tuple[Skip, str]]:
    """What looks like a memory in the vault and is passed over."""
    return sorted(Vault(home / "vault").skipped())


def replaces_atomically(records: Records) -> bool:
    """Whether an editor's save can never be lost while a file is replaced; only a local vault may say no."""
    with suppress(NoRoomError):  # it is tried on two files: a full disk says nothing of that
        return not isinstance(records, LocalRecords) or records.replaces_atomically()
    return True


def _is_empty(path: Path) -> bool:
    return not path.exists() or (path.is_file() and path.stat().st_size == 0)


def _reading(path: Path) -> apsw.Connection:
    return connect(path, synchronous="NORMAL", readonly=True)


def _damage_of(path: Path) -> str | None:
    """What is wrong with a database: its header, its pages, its tables, a text that is none, a row of the index.

    The file is never opened but by SQLite: closing it would let go of the locks this process holds on it.
    """
    try:
        refuse_link(path)
        with os_errors_explained(path), closing(opened_as_it_is(path, BUSY_TIMEOUT_MS)) as connection:
            return _unsound_table(connection, path)
    except StoreError as error:
        if isinstance(error.__cause__, _DAMAGE):
            return error.message.removeprefix(f"{path}: ")
        raise
    except _DAMAGE as error:
        return str(error)


def _unsound_table(connection: apsw.Connection, path: Path) -> str | None:
    """What is wrong with a database that opens: its pages, its header, or tables other than its version makes."""
    name = path.stem
    said = execute(connection, "PRAGMA integrity_check(1)")[0][0]
    if said != "ok":
        return str(said)
    if connection.readonly("main") and not (may_not_be_written(path) or stands_still(path)):
        return "it says that it may not be written"  # a bit of its header, not the mode of the file
    with closing(apsw.Connection(":memory:")) as fresh:
        migrate(fresh, sql_folder(name))
        newest, expected = schema_version(fresh), execute(fresh, _COLUMNS)
    version = schema_version(connection)
    if version == newest:
        return _misshapen_table(connection, name, expected)
    if version > newest and name == "index":
        return f"it has schema version {version}, and this program knows versions up to {newest}"
    if version == 0 and execute(connection, _COLUMNS):
        return "it says that it was never set up, and holds tables"
    return None


def _misshapen_table(connection: apsw.Connection, name: str, expected: list[tuple[Any, ...]]) -> str | None:
    """What is wrong with the tables of a database, or with a row of them; None if nothing is."""
    if not set(expected) <= set(execute(connection, _COLUMNS)):
        return "a table is missing, or has other columns"
    odd = {"index": _odd_row, "spool": _odd_turn}.get(name)
    return _unreadable_value(connection, {row[0] for row in expected}) or (odd(connection) if odd else None)


def _unreadable_value(connection: apsw.Connection, tables: set[str]) -> str | None:
    for table in sorted(tables):
        try:
            for _ in stream(connection, f'SELECT * FROM "{table}"'):  # noqa: S608 - a name from our own schema
                pass
        except UnicodeDecodeError:
            return f"a text in table {table} is not UTF-8"
    return None


def _odd_row(connection: apsw.Connection) -> str | None:
    """The first row of the index that no fold can have written."""
    for key, value in stream(connection, "SELECT key, value FROM meta"):
        if key in _NUMBERS and not str(value).isdecimal():
            return f"the number of the last {_NUMBERS[key]} is no number"
    for namespace, memory_id, importance, record, *features in stream(connection, _ROWS):
        weighed = isinstance(importance, float) and 0 <= importance <= 1
        if namespace is None or not weighed or not _is_record_of(record, memory_id) or not _has_right_shapes(*features):
            return f"the row of memory {memory_id} is spoilt"
    return _odd_record(connection)


def _odd_record(connection: apsw.Connection) -> str | None:
    """The first episode, fold or story of the index that no fold can have written; None if there is none."""
    for path, episode_id, record in stream(connection, "SELECT path, id, record FROM episodes"):
        if not _is_record_of(record, episode_id, Episode):
            return f"the episode of {path} is spoilt"
    for memory_id, record in stream(connection, "SELECT memory_id, record FROM folds"):
        if not _is_record_of(record, memory_id, FoldRow):
            return f"the fold of memory {memory_id} is spoilt"
    for path, *features in stream(connection, "SELECT path, vec, x'', terms, counts, length FROM stories"):
        if not _has_right_shapes(*features):
            return f"the words of the episode of {path} are spoilt"
    return None


def _odd_turn(connection: apsw.Connection) -> str | None:
    """The first turn of the spool that nobody could take out again."""
    for place, session, turn in stream(connection, "SELECT place, session_id, turn FROM turns"):
        try:
            said = TURN.validate_json(turn).session_id if isinstance(turn, str) else None
        except ValidationError:
            said = None
        if said != session:
            return f"the turn at place {place} is spoilt"
    return None


def _is_record_of(record: object, its_id: object, model: type[Memory | Episode | FoldRow] = Memory) -> bool:
    """Whether a record can be read and is of this id."""
    try:
        read = model.model_validate_json(record) if isinstance(record, str) else None
    except ValidationError:
        return False
    return read is not None and its_id == (read.memory_id if isinstance(read, FoldRow) else read.id)


def _has_right_shapes(vec: object, codes: object, terms: object, counts: object, length: object) -> bool:
    """Whether the features of a row have the types and shapes that a recall reads."""
    if not (isinstance(codes, bytes) and isinstance(terms, bytes) and isinstance(counts, bytes)):
        return False
    if len(codes) % _CODE_BYTES or len(terms) != 4 * len(counts) or (codes and vec is None):
        return False
    said = np.frombuffer(counts, dtype=np.uint8)
    ordered = bool(np.all(np.diff(np.frombuffer(terms, dtype=np.uint32).astype(np.int64)) > 0))
    counted = bool(np.all(said > 0)) and (int(said.sum()) == length or 255 in said)
    return ordered and counted and (vec is None or _is_vector(vec))


def _is_vector(vec: object) -> bool:
    if not isinstance(vec, bytes) or len(vec) != _VECTOR_BYTES:
        return False
    with np.errstate(invalid="ignore"):  # a spoilt half may be a signalling NaN
        square = float(np.square(np.frombuffer(vec, dtype=np.float16).astype(np.float64)).sum())
    return square < _LONGEST


def _is_ahead(home: Path) -> bool:
    """Whether the index was built from operations or ledger rows that the journal never numbered."""
    with closing(_reading(home / "index.db")) as index, closing(_reading(home / "journal.db")) as journal:
        if not (execute(index, _COLUMNS) and execute(journal, _COLUMNS)):
            return False
        claimed = dict(execute(index, "SELECT key, CAST(value AS INTEGER) FROM meta"))
        given = dict(execute(journal, "SELECT name, seq FROM sqlite_sequence"))
    pairs = (("appliedSeq", "ops"), ("ledgerSeq", "ledger"))
    return any(claimed.get(key, 0) > given[name] for key, name in pairs if name in given)
