"""Changes of the index in, the state that it reaches out: the rows of a file or of the ledger."""

from dataclasses import dataclass

from pellucid.encoders.port import Encoding
from pellucid.model.document import Document
from pellucid.model.entity import NO_FACTS, GraphFacts
from pellucid.model.ledger import FoldRow, LifecycleRow, TombstoneRow
from pellucid.model.memory import Episode, Memory
from pellucid.store.ledger_gaps import Span


@dataclass(frozen=True, slots=True)
class IndexRecord:
    """One memory as the index stores it. `digest` identifies its text, so that its encoding can be reused."""

    memory: Memory
    ordinal: int
    digest: bytes
    encoding: Encoding | None
    """None if there was no encoder: then the row is found by its words only, and `doctor` says so."""


@dataclass(frozen=True, slots=True)
class PathChange:
    """The contents of one vault file for the index; an empty `file_digest` means that the file is gone."""

    path: str
    file_digest: str
    size: int
    mtime_ns: int
    op_id: str | None
    records: tuple[IndexRecord, ...]
    episode: Episode | None = None
    topic_digest: bytes = b""
    """Identifies the topic's text, as a record's digest does a memory's; empty without an episode."""
    topic_encoding: Encoding | None = None
    document: Document | None = None
    facts: GraphFacts = NO_FACTS


@dataclass(frozen=True, slots=True)
class LedgerChange:
    """A ledger row that the index keeps, with its sequence number."""

    seq: int
    row: FoldRow | TombstoneRow | LifecycleRow


@dataclass(frozen=True, slots=True)
class IndexedFile:
    """A file as the index last read it. A negative `mtime_ns` means that its bytes still waited in the journal."""

    digest: str
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class IndexState:
    """The state of the index: the last operation indexed, and the encoder of its vectors ("" before any)."""

    applied_seq: int
    model: str
    basis: str
    ledger_seq: int = 0  # the last row of the ledger folded
    ledger_gaps: tuple[Span, ...] = ()
    """The numbers up to `ledger_seq` whose rows could not be read: lost or damaged, and not given up."""
