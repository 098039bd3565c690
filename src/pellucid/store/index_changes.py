"""What the index is told, and what it last saw: the rows of a file or of the ledger, and the state they lead to."""

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
    """None when no encoder was to be had: the row is served by the lexical leg, and `doctor` says so."""


@dataclass(frozen=True, slots=True)
class PathChange:
    """All that one vault file now holds; an empty `file_digest` means that the file is gone."""

    path: str
    file_digest: str
    size: int
    mtime_ns: int
    op_id: str | None
    records: tuple[IndexRecord, ...]
    episode: Episode | None = None
    topic_digest: bytes = b""
    """Names the topic's text, as a record's digest does a memory's; empty where it has no encoding."""
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
    """What the index was built from: the last operation indexed, and the encoder of its vectors ("" before any)."""

    applied_seq: int
    model: str
    basis: str
    ledger_seq: int = 0  # the last row of the ledger folded
    ledger_gaps: tuple[Span, ...] = ()
    """Numbers up to it whose rows were not to be had: lost or damaged, and not given up."""
