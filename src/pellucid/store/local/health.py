"""A home in, the damage and weaknesses of its files, and the rows of its index, out; a damaged index is moved aside."""

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
from pellucid.store.local import database
from pellucid.store.local.spool import TURN
from pellucid.store.local.vault.files import Skip, Vault
from pellucid.store.local.vault.records import LocalRecords
from pellucid.store.records import Records

_DAMAGE = (apsw.CorruptError, apsw.NotADBError, apsw.SQLError, apsw.TooBigError, apsw.FormatError, UnicodeDecodeError)
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
_BYTELESS = "SELECT path FROM entries WHERE state = 'PENDING' AND typeof(new_bytes) <> 'blob' ORDER BY entry"
_HELD = "SELECT m.path, n.name, m.id, m.record FROM memories m JOIN namespaces n ON n.ns = m.ns"


def integrity(home: Path) -> Iterator[tuple[str, str]]:
    """Yield (file name, problem) for each damaged database of a home; to be called before any is opened to write.

    Missing and empty files are not damaged, nor is a database with an older or newer schema, except an index with a
    newer one, or with numbers that the journal has not reached. Raises StoreError if a database cannot be read for
    another reason, such as a lock.
    """
    sound: list[str] = []
    for name in database.DATABASES:
        if not _is_empty(home / name):
            if why := _describe_damage(home / name):
                yield name, " ".join(why.split())
            else:
                sound.append(name)
    if {"journal.db", "index.db"} <= set(sound) and _is_ahead(home):
        yield "index.db", "it claims operations that the journal never had"


def totals(home: Path) -> tuple[int, int]:
    """Return the number of memories in the index of a home, and how many of them have a vector.

    (0, 0) if there is no index, or reading it raises StoreError. An error of `apsw` is raised if it lacks the table.
    """
    if _is_empty(home / "index.db"):
        return 0, 0
    try:
        with closing(_open_read_only(home / "index.db")) as connection:
            return database.execute(connection, "SELECT count(*), count(vec) FROM features")[0]
    except StoreError:
        return 0, 0


def indexed_memories(home: Path) -> dict[str, dict[tuple[str, str], bytes]]:
    """Return the memories in the index by file: path → {(namespace, memory id): fingerprint}.

    Empty without an index. Raises StoreError if it cannot be opened, an error of `apsw` if it cannot be read or has no
    tables, ValidationError if a memory in it is damaged.
    """
    out: dict[str, dict[tuple[str, str], bytes]] = {}
    if not _is_empty(home / "index.db"):
        with closing(_open_read_only(home / "index.db")) as connection:
            for path, namespace, memory_id, record in database.stream(connection, _HELD):
                out.setdefault(path, {})[namespace, memory_id] = fingerprint(Memory.model_validate_json(record))
    return out


def fingerprint(memory: Memory) -> bytes:
    """Return a 16-byte hash over all fields of a memory, with instants cut to milliseconds, as in the index."""
    as_indexed = Memory.model_validate_json(memory.model_dump_json(by_alias=True))  # the index keeps milliseconds
    return hashlib.sha256(as_indexed.model_dump_json(by_alias=True).encode()).digest()[:16]


def set_aside(home: Path, at: datetime) -> str:
    """Rename the index and its log, so that a new one can be built; return the new name, `index.db.damaged-<at>`.

    `at` is in UTC. Without an index nothing is renamed, and the name is returned all the same. The files become
    readable by their owner alone.
    """
    name = f"index.db.damaged-{at:%Y%m%dT%H%M%S.%fZ}"
    for suffix in ("-wal", "-shm", ""):  # the database last: without its log it is only older, never stranger
        old = home / f"index.db{suffix}"
        if old.exists():
            old.chmod(0o600)
            old.rename(home / f"{name}{suffix}")
    return name


def skipped(home: Path) -> list[tuple[Skip, str]]:
    """Return the Markdown files and folders of a home's vault that are ignored, as (reason, path), sorted; a reason is
    such as `link`. Hidden ones are left out. Raises StoreError if a folder may not be listed.
    """
    return sorted(Vault(home / "vault").skipped())


def replaces_atomically(records: Records) -> bool:
    """Whether replacing a vault file never loses an editor's concurrent save; tried on two temporary files.

    True, too, for a record that is not local, and if a full disk leaves it untried.
    """
    with suppress(NoRoomError):  # it is tried on two files: a full disk says nothing of that
        return not isinstance(records, LocalRecords) or records.replaces_atomically()
    return True


def _is_empty(path: Path) -> bool:
    """Whether a path does not exist, or is a file of no bytes."""
    return not path.exists() or (path.is_file() and path.stat().st_size == 0)


def _open_read_only(path: Path) -> apsw.Connection:
    """Open a database read-only."""
    return database.connect(path, synchronous="NORMAL", readonly=True)


def _describe_damage(path: Path) -> str | None:
    """Return the damage of a database (header, pages, tables, a text, a row of the index); None if it has none.

    Raises StoreError if it cannot be read for another reason, such as a lock. The file is opened by SQLite only:
    closing another descriptor would drop this process's locks on it.
    """
    try:
        database.refuse_link(path)
        with (
            database.os_errors_explained(path),
            closing(database.open_unchanged(path, database.BUSY_TIMEOUT_MS)) as connection,
        ):
            return _schema_problem(connection, path)
    except StoreError as error:
        if isinstance(error.__cause__, _DAMAGE):
            return error.message.removeprefix(f"{path}: ")
        raise
    except _DAMAGE as error:
        return str(error)


def _schema_problem(connection: apsw.Connection, path: Path) -> str | None:
    """Check the pages, header and schema of an open database; return the first problem, None if it has none.

    Tables and rows are only checked if the schema is the newest.
    """
    name = path.stem
    answer = database.execute(connection, "PRAGMA integrity_check(1)")[0][0]
    if answer != "ok":
        return str(answer)
    if connection.readonly("main") and not (database.may_not_be_written(path) or database.has_no_room_for_log(path)):
        return "it says that it may not be written"  # a bit of its header, not the mode of the file
    with closing(apsw.Connection(":memory:")) as fresh:
        database.migrate(fresh, database.sql_folder(name))
        newest, expected = database.schema_version(fresh), database.execute(fresh, _COLUMNS)
    version = database.schema_version(connection)
    if version == newest:
        return _table_problem(connection, name, expected)
    if version > newest and name == "index":
        return f"it has schema version {version}, and this program knows versions up to {newest}"
    if version == 0 and database.execute(connection, _COLUMNS):
        return "it says that it was never set up, and holds tables"
    return None


def _table_problem(connection: apsw.Connection, name: str, expected: list[tuple[Any, ...]]) -> str | None:
    """Check the columns and rows of an open database; return the first problem, None if there is none.

    `name` is that of its file without `.db`, `expected` the rows that the query `_COLUMNS` must return at least.
    """
    if not set(expected) <= set(database.execute(connection, _COLUMNS)):
        return "a table is missing, or has other columns"
    row_check = {"index": _index_row_problem, "spool": _spooled_turn_problem, "journal": _waiting_entry_problem}.get(
        name
    )
    return _encoding_problem(connection, {row[0] for row in expected}) or (row_check(connection) if row_check else None)


def _encoding_problem(connection: apsw.Connection, tables: set[str]) -> str | None:
    """Return the problem of the first table with a text that is not UTF-8; None if there is none."""
    for table in sorted(tables):
        try:
            for _ in database.stream(connection, f'SELECT * FROM "{table}"'):  # noqa: S608 - a name from our own schema
                pass
        except UnicodeDecodeError:
            return f"a text in table {table} is not UTF-8"
    return None


def _waiting_entry_problem(connection: apsw.Connection) -> str | None:
    """Return the problem of the first waiting change in the journal whose bytes are missing; None if all are there."""
    for (path,) in database.stream(connection, _BYTELESS):
        return f"it lacks the bytes that wait for {path}"
    return None


def _index_row_problem(connection: apsw.Connection) -> str | None:
    """Return the problem of the first counter, row or record of the index that no indexing can have written.

    None if all are possible.
    """
    for key, value in database.stream(connection, "SELECT key, value FROM meta"):
        if key in _NUMBERS and not str(value).isdecimal():
            return f"the number of the last {_NUMBERS[key]} is no number"
    for namespace, memory_id, importance, record, *features in database.stream(connection, _ROWS):
        weighed = isinstance(importance, float) and 0 <= importance <= 1
        if namespace is None or not weighed or not _is_record_of(record, memory_id) or not _has_right_shapes(*features):
            return f"the row of memory {memory_id} is spoilt"
    return _index_record_problem(connection)


def _index_record_problem(connection: apsw.Connection) -> str | None:
    """Return a sentence about the first invalid record of the index: an episode, the result of a lifecycle pass for a
    memory (fold), or the stored words of an episode (story). None if all are valid.
    """
    for path, episode_id, record in database.stream(connection, "SELECT path, id, record FROM episodes"):
        if not _is_record_of(record, episode_id, Episode):
            return f"the episode of {path} is spoilt"
    for memory_id, record in database.stream(connection, "SELECT memory_id, record FROM folds"):
        if not _is_record_of(record, memory_id, FoldRow):
            return f"the fold of memory {memory_id} is spoilt"
    for path, *features in database.stream(connection, "SELECT path, vec, x'', terms, counts, length FROM stories"):
        if not _has_right_shapes(*features):
            return f"the words of the episode of {path} are spoilt"
    return None


def _spooled_turn_problem(connection: apsw.Connection) -> str | None:
    """Return the problem of the first turn in the spool that cannot be parsed, or whose session is not that of its row;
    None if there is none.
    """
    for place, session, turn in database.stream(connection, "SELECT place, session_id, turn FROM turns"):
        try:
            parsed_session = TURN.validate_json(turn).session_id if isinstance(turn, str) else None
        except ValidationError:
            parsed_session = None
        if parsed_session != session:
            return f"the turn at place {place} is spoilt"
    return None


def _is_record_of(record: object, expected_id: object, model: type[Memory | Episode | FoldRow] = Memory) -> bool:
    """Whether a JSON record parses as `model` and has this id (for a fold, that of its memory)."""
    try:
        parsed = model.model_validate_json(record) if isinstance(record, str) else None
    except ValidationError:
        return False
    return parsed is not None and expected_id == (parsed.memory_id if isinstance(parsed, FoldRow) else parsed.id)


def _has_right_shapes(vec: object, codes: object, terms: object, counts: object, length: object) -> bool:
    """Whether the stored features of a row fit together.

    `codes` must be whole codes of 16 bytes, and empty without a vector; `terms` ascending numbers of 4 bytes; `counts`
    a byte above 0 for each, with `length` as their sum (unless one is 255, the most); `vec` None or as `_is_vector`.
    """
    if not (isinstance(codes, bytes) and isinstance(terms, bytes) and isinstance(counts, bytes)):
        return False
    if len(codes) % _CODE_BYTES or len(terms) != 4 * len(counts) or (codes and vec is None):
        return False
    numbers = np.frombuffer(counts, dtype=np.uint8)
    ordered = bool(np.all(np.diff(np.frombuffer(terms, dtype=np.uint32).astype(np.int64)) > 0))
    counted = bool(np.all(numbers > 0)) and (int(numbers.sum()) == length or 255 in numbers)
    return ordered and counted and (vec is None or _is_vector(vec))


def _is_vector(vec: object) -> bool:
    """Whether a value is a stored vector: 384 half-precision numbers with a length of at most 1 (and a little)."""
    if not isinstance(vec, bytes) or len(vec) != _VECTOR_BYTES:
        return False
    with np.errstate(invalid="ignore"):  # a spoilt half may be a signalling NaN
        square = float(np.square(np.frombuffer(vec, dtype=np.float16).astype(np.float64)).sum())
    return square < _LONGEST


def _is_ahead(home: Path) -> bool:
    """Whether the index claims a higher number of an operation or a ledger row than the journal ever gave.

    Of the two, what the journal has never numbered is not compared. False if either database has no tables.
    """
    with closing(_open_read_only(home / "index.db")) as index, closing(_open_read_only(home / "journal.db")) as journal:
        if not (database.execute(index, _COLUMNS) and database.execute(journal, _COLUMNS)):
            return False
        claimed = dict(database.execute(index, "SELECT key, CAST(value AS INTEGER) FROM meta"))
        given = dict(database.execute(journal, "SELECT name, seq FROM sqlite_sequence"))
    pairs = (("appliedSeq", "ops"), ("ledgerSeq", "ledger"))
    return any(claimed.get(key, 0) > given[name] for key, name in pairs if name in given)
