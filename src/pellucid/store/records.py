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
    """The SHA-256 of a file's bytes, in hex; what `baseHash` and `newHash` hold."""
    import hashlib

    return hashlib.sha256(data).hexdigest()


@dataclass(frozen=True, slots=True)
class FileWrite:
    """New bytes for one vault-relative POSIX path.

    `base_hash` is the digest of the bytes this write was computed from, `None` for a file that must not exist yet.
    """

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
    """One acknowledged unit of change: all of it is kept, or none.

    `ledger` holds JSON-ready rows for `.pellucid/ledger/YYYY-MM.jsonl`; the store numbers them.
    `seen` are keyed hashes of transcript turns that need never be imported again (`already_seen`).
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
    """What the journal remembers of an operation after its files were written: no text."""

    seq: int
    op_id: str
    kind: OperationKind
    at: str
    paths: tuple[tuple[str, str | None], ...]
    """Each path with the digest the operation gave it."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """A file as the file system shows it, without reading it."""

    path: str
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class FileHead:
    """The newest bytes of a path: its newest undrained journal entry, else its file; `data` is None when it is gone."""

    path: str
    data: bytes | None
    stamp: Stamp | None
    """The file's stamp if the bytes came from the file; None if they still wait in the journal."""
    op_id: str | None
    """The operation that wrote exactly these bytes, if the journal knows one."""


@dataclass(frozen=True, slots=True)
class DrainReport:
    """What a drain did: paths filed, conflict files made, paths found deleted by the user."""

    filed: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()


class Records(Protocol):
    """The record of truth. After `commit` returns, the operation survives any crash."""

    def commit(self, operation: JournalOperation) -> int:
        """Acknowledge an operation and return its sequence number; nothing of it is kept if this raises."""
        ...

    def drain(self) -> DrainReport:
        """Write what waits in the journal to its files, recovering from any earlier crash; erase filed payloads."""
        ...

    def heads(self, paths: Iterable[str]) -> list[FileHead]:
        """The newest bytes of each path, in the order asked."""
        ...

    def walk(self, wanted: Iterable[str] | None = None) -> Iterator[Stamp]:
        """Every Markdown file of the vault, sorted by path; conflict files and hidden folders are left out.

        With `wanted`, those of these paths that exist, and nothing else is looked at.
        """
        ...

    def operations(self, after: int = 0, op_id: str | None = None) -> list[OperationRow]:
        """Operations with a sequence number above `after`, oldest first; or the one of that id."""
        ...

    def already_seen(self, keys: Iterable[bytes]) -> set[bytes]:
        """Which of these turn keys some committed operation has already marked as seen."""
        ...

    def conflicts(self) -> list[str]:
        """Conflict files in the vault, for `doctor` and the user to resolve."""
        ...

    def close(self) -> None:
        """Settle displaced files and let go of every handle."""
        ...


@dataclass(frozen=True, slots=True)
class RecordState:
    """What of the record beside the memories' files (the ledger, the vault's key) is lost, damaged or changed."""

    missing: tuple[Span, ...] = ()
    """Numbers of rows that were written, and stand nowhere any more."""
    damaged: tuple[tuple[str, int], ...] = ()
    """Lines of the ledger that are no rows: the name of the file and the line, from 1."""
    altered: tuple[str, ...] = ()
    """Files of the ledger that no longer say what was written into them, though each line can be read."""
    key: KeyState = ""

    @property
    def settled(self) -> bool:
        """Whether nothing is wrong: what was forgotten is known again by its tombstones."""
        return not (self.missing or self.damaged or self.altered or self.key)

    @property
    def problems(self) -> tuple[str, ...]:
        """What is wrong with the ledger, a sentence each; of the key `key` says it."""
        lost = [f"rows of the ledger are missing: {gaps_text(self.missing)}"] if self.missing else []
        lines = [f"{name}: line {number} is not a ledger row" for name, number in self.damaged]
        return (*lines, *lost, *(f"{name} does not say any more what was written into it" for name in self.altered))


class Ledger(Protocol):
    """The numbered rows of what no file implies, in the order they were acknowledged; are they all there?"""

    def rows(self, after: int = 0) -> Iterator[LedgerRow]:
        """Every row whose `seq` is greater than `after`, those that still wait for their file included.

        A line that is no row is passed over.
        """
        ...

    def state(self, *, thorough: bool = False) -> RecordState:
        """What of the ledger and the key is lost or damaged.

        Sizes are compared, and files are read only where those differ; `thorough` reads every line.
        """
        ...

    def settle(self) -> None:
        """Take the ledger and the key as they are from now on: damaged lines are set aside, a lost key is replaced.

        To be asked after a row of kind `loss` was acknowledged that gives up what is missing.
        """
        ...


class Eraser(Protocol):
    """Takes away what a removal leaves behind; asked once the removal was filed and folded."""

    def scrub(self, paths: Collection[str]) -> dict[str, int]:
        """Leave no byte of what stood at these paths: displaced and conflict copies, log pages, their very names.

        The names in the journal of paths that are gone become random pseudonyms. Returns what was erased, by place.
        Safe to repeat.

        Raises:
            StoreBusyError: another process holds a copy just now; nothing is lost, repeat it.
        """
        ...
