"""Operations in, sequence numbers out: acknowledged operations, waiting changes, and who wrote which bytes.

Every function takes a connection to `journal.db`; writing functions are called inside `database.immediate`.
"""

import hashlib
import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path

import apsw

from pellucid.errors import StoreError, step
from pellucid.store.local.database import connect, execute, execute_many, queries_of
from pellucid.store.local.vault.conflict import Pending
from pellucid.store.local.vault.paths import folded
from pellucid.store.records import JournalOperation, OperationRow, content_digest

_SQL = queries_of("journal")
REMOVED = ""
"""Takes the place of the digest of new bytes, for a path that is to be removed."""


class DamagedEntryError(StoreError):
    """The bytes of a waiting entry are not in the journal any more; its path cannot be filed or read."""

    def __init__(self, path: str) -> None:
        """`path` is that of the entry."""
        super().__init__(
            f"journal.db is damaged: it lacks the bytes that wait for {path}", next_step=f"run {step('home.doctor')}"
        )


@dataclass(frozen=True, slots=True)
class WaitingRow:
    """A ledger row not yet appended to its file: its number, its month `YYYY-MM`, its JSON text without a number."""

    seq: int
    month: str
    row: str


@dataclass(frozen=True, slots=True)
class FiledMonth:
    """The ledger file of a month as last written: its size, and a digest chained over its lines."""

    month: str
    size: int
    chain: bytes
    mtime_ns: int = -1
    wanting: bool = False
    """Whether the file was found changed since; then it is read again until it is right."""

    def with_lines_added(self, data: bytes) -> "FiledMonth":
        """Return the month's state after the complete lines `data` were appended: its size, and its digest chained on.

        `mtime_ns` is -1 (unknown) and `wanting` False in it.
        """
        chain = self.chain
        for line in data.splitlines(keepends=True):
            chain = hashlib.blake2b(chain + line, digest_size=16).digest()
        return FiledMonth(self.month, self.size + len(data), chain)

    @property
    def stamp(self) -> tuple[int, int]:
        """The size and modification time, to compare with those of the file."""
        return self.size, self.mtime_ns


@dataclass(frozen=True, slots=True)
class Settled:
    """A path whose journal entries up to `last_entry` are dealt with; `state` is FILED, DELETED or CONFLICT."""

    state: str
    path: str
    last_entry: int


def open_journal(path: Path) -> apsw.Connection:
    """Open the journal, created if it is missing, with full synchronisation: commits survive a power cut.

    Its tables are not migrated.
    """
    connection = connect(path, synchronous="FULL")
    execute(connection, "PRAGMA temp_store = MEMORY")  # a rewrite of the file puts no copy elsewhere
    return connection


def is_known_op(connection: apsw.Connection, op_id: str) -> bool:
    """Whether an operation with this id was acknowledged before."""
    return bool(execute(connection, _SQL["op_seq"], (op_id,)))


def append(connection: apsw.Connection, operation: JournalOperation, ledger: Iterable[str]) -> int:
    """Write an operation with its ledger rows (JSON texts) to the journal; return its sequence number.

    Its writes and removals then wait to be written to files, and its ledger rows, which get numbers, to be appended to
    theirs; paths that it adopted count as written, and its turns as seen.
    """
    seq = int(execute(connection, _SQL["add_op"], (operation.op_id, operation.kind, operation.at))[0][0])
    writes = ((each.path, each.base_hash, content_digest(each.data), each.data) for each in operation.writes)
    removals = ((each.path, each.base_hash, REMOVED, b"") for each in operation.removals)
    entries = ((seq, path, folded(path), *rest) for path, *rest in chain(writes, removals))
    execute_many(connection, _SQL["add_entry"], entries)
    adopted = ((seq, path, folded(path), digest) for path, digest in operation.adopted)
    execute_many(connection, _SQL["add_adopted"], adopted)
    execute_many(connection, _SQL["add_ledger"], ((operation.at[:7], row) for row in ledger))
    execute_many(connection, _SQL["add_seen"], ((key,) for key in operation.seen))
    return seq


def pending_digest(connection: apsw.Connection, path: str) -> str | None:
    """Return the digest of the newest bytes of a path that wait to be written to its file.

    `REMOVED` ("") if its removal waits, None if nothing does.
    """
    return _first(connection, "pending_hash", path)


def pending_twin(connection: apsw.Connection, path: str) -> str | None:
    """Return a path with a waiting change that differs from this one only in case or Unicode composition, or None."""
    return _first(connection, "pending_twin", folded(path), path)


def pending_head(connection: apsw.Connection, path: str) -> tuple[bytes | None, str | None, str] | None:
    """Return the newest waiting bytes of a path, their operation's id and their digest; None if none wait.

    For a removal, bytes and id are None, and the digest is `REMOVED`.
    Raises DamagedEntryError if the bytes are not there.
    """
    rows = execute(connection, _SQL["pending_head"], (path,))
    if not rows:
        return None
    data, op_id, digest = rows[0]
    return (None, None, digest) if digest == REMOVED else (_checked_bytes(data, path), op_id, digest)


def version_op(connection: apsw.Connection, path: str, digest: str) -> str | None:
    """Return the id of the newest operation that gave a path bytes of this digest, or found them there; else None."""
    return _first(connection, "version_op", path, digest)


def pending(connection: apsw.Connection) -> list[Pending]:
    """Return all changes that wait to be written to files, combined into one per path, in the order of each path's
    first change.
    """
    changes: dict[str, list[tuple[int, str | None, str | None]]] = {}
    for path, entry, base_hash, new_hash in execute(connection, _SQL["pending"]):
        changes.setdefault(path, []).append((entry, base_hash, None if new_hash == REMOVED else new_hash))
    return [_coalesce(path, entries) for path, entries in changes.items()]


def _coalesce(path: str, entries: list[tuple[int, str | None, str | None]]) -> Pending:
    """Combine a path's waiting entries (number, base, new digest or None for a removal) into one change.

    It leads from the base of the first entry to the bytes of the last, and expects that base or any of the new digests.
    """
    last_entry, _, new_hash = entries[-1]
    base_hash = entries[0][1]
    expected = frozenset({base_hash, *(each for _, _, each in entries)})
    return Pending(path, new_hash, base_hash, expected, last_entry)


def payload(connection: apsw.Connection, pending: Pending) -> bytes:
    """Return the bytes that a waiting change leads to; raise DamagedEntryError if they are missing."""
    rows = execute(connection, _SQL["payload"], (pending.last_entry,))
    return _checked_bytes(rows[0][0] if rows else None, pending.path)


def _checked_bytes(data: object, path: str) -> bytes:
    """Return the bytes that wait for a path; raise DamagedEntryError if `data`, from the journal, is not bytes."""
    if not isinstance(data, bytes):
        raise DamagedEntryError(path)
    return data


def settle(connection: apsw.Connection, settled: Iterable[Settled]) -> None:
    """Give the waiting entries of each path, up to `last_entry`, the given `state`, and erase their bytes in the
    journal: they wait no longer.
    """
    rows = ((each.state, each.path, each.last_entry) for each in settled)
    execute_many(connection, _SQL["settle_entries"], rows)


def known_paths(connection: apsw.Connection) -> list[str]:
    """Return every path that the journal names, in no order: those that operations wrote, removed or adopted, and
    pseudonyms of erased ones.
    """
    return [path for (path,) in execute(connection, _SQL["paths"])]


def waiting_ledger(connection: apsw.Connection) -> list[WaitingRow]:
    """Return the ledger rows not yet appended to their files, oldest first."""
    return [WaitingRow(*row) for row in execute(connection, _SQL["waiting_ledger"])]


def drop_ledger(connection: apsw.Connection, last_seq: int) -> None:
    """Delete the waiting ledger rows up to this number: they are in their files."""
    execute(connection, _SQL["drop_ledger"], (last_seq,))


def has_numbered_rows(connection: apsw.Connection) -> bool:
    """Whether this journal has ever numbered a ledger row."""
    return bool(execute(connection, _SQL["ledger_number"]))


def start_ledger(connection: apsw.Connection, last_seq: int) -> None:
    """Set the number of the next ledger row to `last_seq + 1`; only for a journal that has numbered none
    (`has_numbered_rows`).
    """
    execute(connection, _SQL["start_ledger"], (last_seq,))


def ledger_number(connection: apsw.Connection) -> int:
    """Return the last number given to a ledger row; 0 before the first."""
    rows = execute(connection, _SQL["ledger_number"])
    return int(rows[0][0]) if rows else 0


def raise_ledger_number(connection: apsw.Connection, last_seq: int) -> None:
    """Set the number of the next ledger row to `last_seq + 1`, unless that number is greater already, or no row was
    ever numbered.
    """
    execute(connection, _SQL["go_on_from"], (last_seq, last_seq))


def filed(connection: apsw.Connection) -> dict[str, FiledMonth]:
    """Return, by month `YYYY-MM`, the state of its ledger file as last recorded in the journal; other months are left
    out.
    """
    return {
        row[0]: FiledMonth(row[0], row[1], bytes(row[2]), row[3], bool(row[4]))
        for row in execute(connection, _SQL["filed"])
    }


def put_filed(connection: apsw.Connection, months: Iterable[FiledMonth]) -> None:
    """Record the states of ledger files in the journal, in place of what was recorded of the same months."""
    rows = ((each.month, each.size, each.chain, each.mtime_ns, each.wanting) for each in months)
    execute_many(connection, _SQL["put_filed"], rows)


def drop_filed(connection: apsw.Connection) -> None:
    """Delete all states of ledger files that the journal has recorded."""
    execute(connection, _SQL["drop_filed"])


def key_print(connection: apsw.Connection) -> bytes | None:
    """Return the fingerprint of the vault's key that the journal has recorded; None if it has none."""
    rows = execute(connection, _SQL["key_print"])
    return bytes(rows[0][0]) if rows else None


def put_key_print(connection: apsw.Connection, fingerprint: bytes) -> None:
    """Record the fingerprint of the vault's key in the journal, in place of an earlier one."""
    execute(connection, _SQL["put_key_print"], (fingerprint,))


def any_seen(connection: apsw.Connection) -> bool:
    """Whether any turn was marked as seen; if so there once was a vault key, for marks are keyed hashes of turns."""
    return bool(execute(connection, _SQL["any_seen"]))


def operations(connection: apsw.Connection, after: int, op_id: str | None) -> list[OperationRow]:
    """Return the operations with a sequence number above `after`, oldest first; with `op_id`, of these only the one
    with that id, or [].

    In an operation's `paths`, a digest of None means that the path was removed, or that the digest was erased.
    """
    if op_id is None:
        rows = execute(connection, _SQL["operations"], (after,))
    else:
        rows = execute(connection, _SQL["operation"], (after, op_id))
    return [
        OperationRow(
            seq, name, kind, at, tuple((path, digest or None) for *_, path, digest in files if path is not None)
        )
        for (seq, name, kind, at), files in groupby(rows, key=itemgetter(0, 1, 2, 3))
    ]


def is_waiting(connection: apsw.Connection, path: str) -> bool:
    """Whether a change of a path waits to be filed."""
    return pending_digest(connection, path) is not None


def versions(connection: apsw.Connection, paths: Iterable[str]) -> set[str]:
    """Return the digests of all bytes that operations gave these paths or found there, waiting ones included."""
    rows = (row for path in paths for row in execute(connection, _SQL["versions"], (path,)))
    return {digest for row in rows for digest in row if digest}


def paths_of(connection: apsw.Connection, digests: Collection[str]) -> list[str]:
    """Return the paths, sorted, to which some operation gave bytes of one of these digests."""
    return [path for (path,) in execute(connection, _SQL["paths_of"], (json.dumps([*digests]),))]


def rename(connection: apsw.Connection, path: str, name: str) -> int:
    """Replace a path by the pseudonym `name` in all its journal entries that do not wait, and forget their digests;
    return the number of these entries.
    """
    return len(execute(connection, _SQL["rename"], (name, name, path)))


def forget_versions(connection: apsw.Connection, path: str, but: str) -> None:
    """Remove the digests from a path's journal entries that do not wait, but for `but`, the digest of its current
    bytes.
    """
    execute(connection, _SQL["forget_versions"], (but, path, but))


def seen(connection: apsw.Connection, keys: Iterable[bytes]) -> set[bytes]:
    """Return which of these turn keys are marked as seen."""
    return {key for key in keys if execute(connection, _SQL["is_seen"], (key,))}


def _first(connection: apsw.Connection, query: str, *bindings: str) -> str | None:
    """Run a named query; return the first column of its first row, None without rows."""
    rows = execute(connection, _SQL[query], bindings)
    return rows[0][0] if rows else None
