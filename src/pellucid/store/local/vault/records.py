"""Operations in, files and heads out: `Records` on one machine, a vault of Markdown behind a journal."""

import errno
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import NoReturn

import apsw

from pellucid.errors import ConflictError, InputError, NoRoomError, StoreBusyError, StoreError
from pellucid.store.local import journal
from pellucid.store.local.database import ThreadConnections, immediate, migrate, os_errors_explained, sql_folder
from pellucid.store.local.erasing import empty_log, erase_remains
from pellucid.store.local.failpoint import Failpoint, never
from pellucid.store.local.ledger import file as ledger_file
from pellucid.store.local.ledger.rows import LEDGER, LocalLedger
from pellucid.store.local.vault import paths, syscalls
from pellucid.store.local.vault.displaced import YARD, Displaced
from pellucid.store.local.vault.files import NOT_A_FILE, Vault, sync
from pellucid.store.local.vault.filing import VaultDrain
from pellucid.store.local.vault.paths import folded, parts
from pellucid.store.local.vault.scrub import Scrub
from pellucid.store.records import (
    DrainReport,
    FileHead,
    FileRemoval,
    FileWrite,
    JournalOperation,
    OperationRow,
    Stamp,
    content_digest,
)

_BATCH = 1_000
_LOG_BYTES = 4 << 20  # above this the write-ahead log is emptied after a drain; always when the store is closed
_READERS_S = 5.0  # how long a scrub waits for other processes to let go of the journal's log
_INSTANT = re.compile(r"\d{4}-(0[1-9]|1[0-2])-\d{2}T.+")
_MEMORY_FILE = re.compile(rf"(?!{paths.CONFLICT.pattern}).+\.md")


class Twins:
    """Finds paths that differ only in case or composition, while the vault is unchanged; lists a folder once."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._folders: dict[tuple[str, ...], dict[str, set[str]]] = {}

    def find(self, path: str) -> str | None:
        """Return the path of an existing file or folder that differs from `path`, or a folder of it, only in case or
        composition; None if there is none.
        """
        names = parts(path)
        for depth, name in enumerate(names):
            same = self._listing(names[:depth]).get(folded(name), set())
            if same and name not in same:
                return "/".join((*names[:depth], min(same)))
        return None

    def _listing(self, above: tuple[str, ...]) -> dict[str, set[str]]:
        """Return the names in the folder `above` (its parts), grouped by their form without case and composition
        (`folded`); cached.
        """
        if above not in self._folders:
            listing = self._folders[above] = dict[str, set[str]]()
            for name in self._vault.names(above):
                listing.setdefault(folded(name), set()).add(name)
        return self._folders[above]


class LocalRecords:
    """The record of truth in `home`: `vault/` and `journal.db`. Shared by threads and processes.

    `drain` finishes what a crash interrupted: whoever opens a home calls it once (the opening job that takes over edits
    has the indexer catch up, which does so), and a home that is only looked at stays as it is. `displaced_for_s` is how
    many seconds a replaced file is kept, because an editor may still write to it.
    """

    def __init__(self, home: Path, *, displaced_for_s: float = 5.0, failpoint: Failpoint = never) -> None:
        """Open the journal of `home`, made and migrated as needed; the ledger counts on after its last row."""
        self._vault = Vault(home / "vault")
        self._journal_path = home / "journal.db"
        self._displaced_for_s = displaced_for_s
        self._failpoint = failpoint
        self._connections = ThreadConnections(partial(journal.open_journal, self._journal_path))
        migrate(self._connections.get(), sql_folder("journal"))
        self.ledger = LocalLedger(self._vault, self._connections.get)
        """The rows of the ledger, and whether they, and the key beside them, are all there."""
        self.ledger.continue_numbering(home / "index.db")

    def commit(self, operation: JournalOperation) -> int:
        """Acknowledge an operation, which survives any crash from here on; return its sequence number.

        Raises:
            InputError: a path is not allowed in the vault or occurs twice, `at` is no instant, or a ledger row is not
                JSON or has a number.
            ConflictError: a path changed since it was read, a new one differs from another only in case or
                composition, or the operation was committed before; nothing is kept.
            StoreError: the journal could not be written; nothing is kept.
        """
        _check_form(operation)
        ledger = [ledger_file.encode(row) for row in operation.ledger]
        connection = self._connections.get()
        with immediate(connection):
            if journal.is_known_op(connection, operation.op_id):
                raise ConflictError(f"operation {operation.op_id} was committed before")
            twins = Twins(self._vault)
            for change in (*operation.writes, *operation.removals):
                self._check_base(connection, change)
            for write in operation.writes:
                if write.base_hash is None:
                    self._check_twin(connection, write.path, twins)
            seq = journal.append(connection, operation, ledger)
            self._failpoint("commit-open")
        self._failpoint("commit-done")
        return seq

    def _check_base(self, connection: apsw.Connection, change: FileWrite | FileRemoval) -> None:
        """Raise ConflictError unless the path of a change has the digest that the change replaces (None: there is no
        file), and if what is there is no regular file.

        What waits in the journal counts as written.
        """
        waiting = journal.pending_digest(connection, change.path)
        head = self._file_digest(change.path) if waiting is None else waiting or None
        if head != change.base_hash or head == NOT_A_FILE:
            why = "exists already" if change.base_hash is None else "changed since it was read"
            raise ConflictError(
                f"{change.path} {why if head else 'is gone'}", next_step="read it again, then repeat the change"
            )

    def _check_twin(self, connection: apsw.Connection, path: str, twins: Twins) -> None:
        """Raise ConflictError if a new path differs from another, existing or waiting, only in case or composition.

        Composition is Unicode's: `é` is one character, or two.
        """
        with os_errors_explained(self._vault.root):
            twin = journal.pending_twin(connection, path) or twins.find(path)
        if twin:
            _refuse_twin(path, twin)

    def _file_digest(self, path: str) -> str | None:
        """Return a vault file's digest, None if there is none; raise InputError if the path leads through a link."""
        with os_errors_explained(self._vault.root / path):
            try:
                return self._vault.digest(path)
            except OSError as error:
                if error.errno not in {errno.ENOTDIR, errno.ELOOP}:
                    raise
        raise InputError(
            f"{path} leads through a link or a file", code="invalid_path", next_step="use folders of the vault only"
        )

    def drain(self) -> DrainReport:
        """Write what waits in the journal to the vault, changes and ledger rows; return the paths of what was done.

        What a crash interrupted is finished first; at the end old replaced files in `.pellucid/displaced` are deleted
        (`Displaced.settle`). Raises StoreBusyError if another process has been draining for 30 seconds, StoreError if
        the disk is full or failing, a path is out of reach or its bytes in the journal are damaged: what was not
        written keeps waiting.
        """
        connection = self._connections.get()
        displaced = Displaced(self._vault, self._failpoint)
        filing = VaultDrain(self._vault, displaced, partial(journal.payload, connection), self._failpoint)
        # a lock of its own: whoever opens a home or looks after it drains without the right to write in a namespace
        with os_errors_explained(self._vault.root), self._vault.locked():
            self._failpoint("drain-locked")
            self._append_ledger(connection)
            settled = self._file_waiting(connection, filing)
            displaced.settle(self._displaced_for_s, partial(journal.known_paths, connection))
        if _log_bytes(self._journal_path) > _LOG_BYTES:
            with suppress(NoRoomError):
                empty_log(connection, wait_s=0)
        for error in filing.damaged.values():
            raise error
        _report_blocked(filing.blocked)
        return DrainReport(
            filed=tuple(each.path for each in settled if each.state == "FILED"),
            conflicts=tuple(displaced.conflicts),
            deleted=tuple(each.path for each in settled if each.state == "DELETED"),
        )

    def _file_waiting(self, connection: apsw.Connection, filing: VaultDrain) -> list[journal.Settled]:
        """Write the waiting changes to the vault in batches of 1,000, recording in the journal how each ended.

        Return that. Changes of paths that are out of reach, or whose bytes are damaged in the journal, keep waiting and
        are left out.
        """
        waiting = journal.pending(connection)
        filing.recover(waiting)
        settled: list[journal.Settled] = []
        for start in range(0, len(waiting), _BATCH):
            done = filing.run(waiting[start : start + _BATCH])
            with immediate(connection):
                journal.settle(connection, done)
            self._failpoint("entries-settled")
            settled += done
        return settled

    def _append_ledger(self, connection: apsw.Connection) -> None:
        """Append the waiting ledger rows to the files of their months and sync; then drop them from the journal.

        The journal then records the new states of these files.
        """
        waiting = journal.waiting_ledger(connection)
        if not waiting:
            return
        recorded, new_states = journal.filed(connection), list[journal.FiledMonth]()
        with self._vault.folder(LEDGER, create=True) as folder:
            for month in sorted({row.month for row in waiting}):
                new_state = ledger_file.append(
                    folder, [row for row in waiting if row.month == month], recorded.get(month)
                )
                new_states += [new_state] if new_state else []
                self._failpoint("ledger-appended")
                sync(folder, ledger_file.file_name(month))
            sync(folder)
        self._failpoint("ledger-synced")
        with immediate(connection):
            journal.drop_ledger(connection, waiting[-1].seq)
            journal.put_filed(connection, new_states)

    def heads(self, paths: Iterable[str]) -> list[FileHead]:
        """Return the newest bytes of each path, in the order given; `data` is None for a path that is gone.

        Raises InputError for a path that is not allowed or a file that may not be read, StoreError if the journal has
        lost the bytes that wait for a path.
        """
        connection = self._connections.get()
        return [self._head_of(connection, path) for path in paths]

    def _head_of(self, connection: apsw.Connection, path: str) -> FileHead:
        """Return the newest bytes of a path: those waiting in the journal, else those of the file; `data` is None if
        the path is gone. Raises as `heads` does.
        """
        paths.parts(path)
        if waiting := journal.pending_head(connection, path):
            data, op_id, digest = waiting
            return FileHead(path, data, None, op_id, digest)
        with os_errors_explained(self._vault.root / path):
            content = self._vault.read(path)
        if content is None:
            return FileHead(path, None, None, None, "")
        digest = content_digest(content.data)
        stamp, op_id = Stamp(path, content.size, content.mtime_ns), journal.version_op(connection, path, digest)
        return FileHead(path, content.data, stamp, op_id, digest)

    def walk(self, wanted: Iterable[str] | None = None) -> Iterator[Stamp]:
        """Return the stamps of the vault's Markdown files, sorted by path, without hidden and conflict files.

        With `wanted`, those of the regular files at these paths, whatever they are called; paths without one are left
        out.
        """
        with os_errors_explained(self._vault.root):
            return self._vault.walk(_MEMORY_FILE) if wanted is None else self._vault.stamps(wanted)

    def operations(self, after: int = 0, op_id: str | None = None) -> list[OperationRow]:
        """Return the operations with a sequence number above `after`, oldest first; with `op_id`, of these only that
        one.
        """
        return journal.operations(self._connections.get(), after, op_id)

    def already_seen(self, keys: Iterable[bytes]) -> set[bytes]:
        """Return which of these turn keys (keyed hashes) a committed operation has marked as seen."""
        return journal.seen(self._connections.get(), keys)

    def conflicts(self) -> list[str]:
        """Return the paths of the conflict files in the vault, sorted."""
        with os_errors_explained(self._vault.root):
            return [stamp.path for stamp in self._vault.walk(paths.CONFLICT)]

    def scrub(self, paths: Collection[str]) -> dict[str, int]:
        """Erase all copies of former files at these paths, after their removal (or rewriting) was drained and indexed.

        Returns counts by kind: `displaced` files, `leftovers` of crashed processes, `conflicts`, and `names`: entries
        of the journal that named a path. A path that still has a file keeps its name. Safe to repeat. Raises
        StoreBusyError if a change of a path waits, or another process is busy for too long: repeat it.
        """
        connection = self._connections.get()
        with os_errors_explained(self._vault.root), self._vault.locked():
            erased = Scrub(self._vault, connection, paths, self._failpoint).run()
        erase_remains(connection, _READERS_S)
        self._failpoint("remains-erased")
        return erased

    def replaces_atomically(self) -> bool:
        """Whether the vault's file system can exchange two files in one step, so that no concurrent save is lost.

        It is tried on two temporary files in the vault's folder `.pellucid`, which is made if missing.
        """
        with os_errors_explained(self._vault.root), self._vault.folder((paths.OWN_FOLDER,), create=True) as folder:
            return syscalls.exchange_is_atomic(folder)

    def close(self) -> None:
        """Delete the replaced files in `.pellucid/displaced` that are older than `displaced_for_s` seconds, empty the
        journal's log, and close every connection.

        What cannot be done because the vault or the log is in use, or the disk full, is left out.
        """
        connection = self._connections.get()
        with suppress(StoreBusyError, NoRoomError), os_errors_explained(self._vault.root):
            if self._vault.names(YARD):
                with self._vault.locked(timeout_s=0):  # whoever holds the lock settles them
                    displaced = Displaced(self._vault, self._failpoint)
                    displaced.settle(self._displaced_for_s, partial(journal.known_paths, connection))
        with suppress(NoRoomError):
            empty_log(connection, wait_s=0)
        self._connections.close()


def _check_form(operation: JournalOperation) -> None:
    """Check an operation's instant `at` and its paths, before anything is read.

    Raises InputError if `at` is no ISO instant, a path is not allowed or occurs twice; ConflictError if a new path
    differs from another of the operation only in case or Unicode composition.
    """
    if not _INSTANT.fullmatch(operation.at):
        raise InputError(f"{operation.at!r} is not an instant such as 2026-04-20T17:30:00.000Z")
    changes = (*operation.writes, *operation.removals)
    for change in changes:
        paths.parts(change.path)
        if change.base_hash is None:
            paths.check_new(change.path)
    if len({change.path for change in changes}) < len(changes):
        raise InputError("an operation may write or remove each path once")
    same = Counter(paths.folded(change.path) for change in changes)
    for write in operation.writes:
        if write.base_hash is None and same[paths.folded(write.path)] > 1:
            _refuse_twin(write.path, "another path of the same operation")


def _refuse_twin(path: str, twin: str) -> NoReturn:
    """Raise the ConflictError for two paths that differ only in case or Unicode composition."""
    raise ConflictError(
        f"{path} and {twin} would be one file on systems that ignore case", next_step="use another name"
    )


def _report_blocked(blocked: dict[str, str]) -> None:
    """Raise a StoreError if there are blocked paths (path → reason)."""
    if blocked:
        path, why = next(iter(blocked.items()))
        raise StoreError(
            f"{len(blocked)} waiting path(s) of the vault are out of reach, among them {path}: {why}",
            next_step="make it writable or move away what stands there; the changes wait in the journal",
        )


def _log_bytes(path: Path) -> int:
    """Return the size of a database's write-ahead log in bytes; 0 if it has none."""
    try:
        return path.with_name(f"{path.name}-wal").stat().st_size
    except FileNotFoundError:
        return 0
