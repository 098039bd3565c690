"""The port of the record: acknowledged operations in, the newest bytes of every path out."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, Protocol

from pellucid.store.ledger_gaps import Span, gaps_text

OperationKind = Literal[
    "import",
    "observe",
    "remember",
    "update",
    "archive",
    "retract",
    "dispute",
    "pin",
    "undo",
    "trust",
    "consolidate",
    "lifecycle",
    "forget",
    "purge",
    "external-edit",
    "ledger",
    "index",
    "reverify",
]
LedgerRow = dict[str, object]
KeyState = Literal["", "lost", "damaged", "changed", "restored"]
"""What is wrong with the vault's key; `restored`: it is right again, and the home must be opened anew to use it."""


def content_digest(data: bytes) -> str:
    """Return the SHA-256 of a file's bytes in hex, the form of `baseHash` and `newHash`."""
    import hashlib

    return hashlib.sha256(data).hexdigest()


@dataclass(frozen=True, slots=True)
class FileWrite:
    """New bytes for a vault path; `base_hash` is the digest of the bytes they replace, None for a new file."""

    path: str
    data: bytes
    base_hash: str | None = None


@dataclass(frozen=True, slots=True)
class FileRemoval:
    """A vault path that is to be gone; `base_hash` is the digest of the bytes that were seen there."""

    path: str
    base_hash: str


@dataclass(frozen=True, slots=True)
class JournalOperation:
    """One acknowledged unit of change, kept as a whole or not at all.

    `ledger` holds JSON-ready rows for `.pellucid/ledger/YYYY-MM.jsonl`; the store numbers them. `seen` are keyed hashes
    of transcript turns that need never be imported again (`already_seen`).
    """

    op_id: str
    kind: OperationKind
    at: str
    writes: tuple[FileWrite, ...] = ()
    ledger: tuple[dict[str, object], ...] = ()
    seen: tuple[bytes, ...] = ()
    removals: tuple[FileRemoval, ...] = ()
    adopted: tuple[tuple[str, str], ...] = ()
    """Paths somebody else wrote, each with the digest found there: on record, and nothing to file."""


@dataclass(frozen=True, slots=True)
class OperationRow:
    """The journal's record of an operation after its files were written: no text."""

    seq: int
    op_id: str
    kind: OperationKind
    at: str
    paths: tuple[tuple[str, str | None], ...]  # each path with the digest the operation gave it


@dataclass(frozen=True, slots=True)
class Stamp:
    """Size and modification time of a vault file, known without reading it."""

    path: str
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class FileHead:
    """The newest bytes of a path: those waiting in the journal, else the file's; `data` is None if it is gone."""

    path: str
    data: bytes | None
    stamp: Stamp | None
    """The file's stamp if the bytes came from the file; None if they still wait in the journal."""
    op_id: str | None  # the operation that wrote exactly these bytes, if the journal knows one
    digest: str
    """The `content_digest` of the bytes; empty if the path is gone."""


@dataclass(frozen=True, slots=True)
class DrainReport:
    """What a drain did: files written, conflict files made, files found deleted by the user (paths)."""

    filed: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()


class Records(Protocol):
    """The record of truth. After `commit` returns, the operation survives any crash."""

    def commit(self, operation: JournalOperation) -> int:
        """Acknowledge an operation and return its sequence number; nothing of it is kept if this raises.

        Raises ConflictError if a path is not as it was read (`base_hash`), or the operation was committed before;
        InputError if a path or row is not allowed; StoreError if the journal could not be written.
        """
        ...

    def drain(self) -> DrainReport:
        """Write the changes that wait in the journal, also those from before a crash, to their files, and erase their
        bytes from the journal; return which files were written, found deleted, or kept as conflict files.

        What cannot be written keeps waiting, and this raises StoreError.
        """
        ...

    def heads(self, paths: Iterable[str]) -> list[FileHead]:
        """Return the current whole content of each path, in the order given: the bytes still waiting in the journal,
        else the file's; `data` is None for a path that is gone. Raises InputError for a path that is not allowed or a
        file that may not be read, StoreError if the journal lost waiting bytes.
        """
        ...

    def walk(self, wanted: Iterable[str] | None = None) -> Iterator[Stamp]:
        """Return the stamps (path, size, time) of the vault's Markdown files, sorted by path, without hidden and
        conflict files.

        With `wanted`, those of the regular files at these paths, whatever they are called; other paths are left out.
        """
        ...

    def operations(self, after: int = 0, op_id: str | None = None) -> list[OperationRow]:
        """Return the operations with a sequence number above `after`, oldest first; with `op_id`, of these only that
        one.
        """
        ...

    def already_seen(self, keys: Iterable[bytes]) -> set[bytes]:
        """Return which of these turn keys (keyed hashes) a committed operation has marked as seen."""
        ...

    def conflicts(self) -> list[str]:
        """Return the paths, sorted, of the conflict files in the vault, which the user has to resolve."""
        ...

    def close(self) -> None:
        """Delete replaced files that are no longer needed, and close every connection."""
        ...


@dataclass(frozen=True, slots=True)
class RecordState:
    """What is lost, damaged or changed in the ledger and the vault's key."""

    missing: tuple[Span, ...] = ()  # numbers of rows that were written, and stand nowhere any more
    damaged: tuple[tuple[str, int], ...] = ()
    """Lines of the ledger that are not rows: the name of the file and the line, from 1."""
    altered: tuple[str, ...] = ()
    """Files of the ledger whose content has changed since it was written, though each line can be read."""
    key: KeyState = ""

    @property
    def settled(self) -> bool:
        """Whether nothing is lost, damaged or changed in ledger and key, so that tombstones can be trusted."""
        return not (self.missing or self.damaged or self.altered or self.key)

    @property
    def problems(self) -> tuple[str, ...]:
        """What is wrong with the ledger, one sentence each; what is wrong with the key is in `key`."""
        lost = [f"rows of the ledger are missing: {gaps_text(self.missing)}"] if self.missing else []
        lines = [f"{name}: line {number} is not a ledger row" for name, number in self.damaged]
        return (*lines, *lost, *(f"{name} does not say any more what was written into it" for name in self.altered))


class Ledger(Protocol):
    """The numbered rows of what no vault file implies, in the order they were acknowledged."""

    def rows(self, after: int = 0) -> Iterator[LedgerRow]:
        """Yield the rows with a `seq` above `after`, in that order, also those that still wait in the journal to be
        written to a file; damaged lines are skipped.
        """
        ...

    def state(self, *, thorough: bool = False) -> RecordState:
        """Return what is lost, damaged or changed in the ledger and the key.

        Files that look unchanged by size and time are not read again, except with `thorough`.
        """
        ...

    def settle(self) -> None:
        """Accept ledger and key as they are: damaged lines move to a file beside, and the temporary key in use replaces
        a missing or damaged one.

        The caller has written a `loss` row before, which gives up the rows that are missing.
        """
        ...


class Eraser(Protocol):
    """Removes the remaining copies of removed files; called after the removal was drained and indexed."""

    def scrub(self, paths: Collection[str]) -> dict[str, int]:
        """Erase all copies of former files at these paths; return counts by kind of place. Safe to repeat.

        Replaced files that were kept for a while (`displaced`), `conflicts`, `leftovers` of crashes and log pages go;
        in the journal, the names of paths that are gone become random pseudonyms (`names`). Raises StoreBusyError if a
        change of a path waits, or another process is busy for too long: repeat it.
        """
        ...
