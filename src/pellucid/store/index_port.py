"""The port of the index: folded records in, one consistent snapshot of searchable rows out."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Protocol, TypeAlias

from pellucid.deadline import Deadline
from pellucid.encoders.port import Encoding, Vector
from pellucid.model.entity import FOREVER
from pellucid.model.memory import BOUNDARY_SCOPES, Memory
from pellucid.store.episode_port import EpisodeReader
from pellucid.store.graph_port import GraphLookup, GraphReader
from pellucid.store.index_changes import IndexedFile, IndexState, LedgerChange, PathChange

if TYPE_CHECKING:  # a command that only looks at memories need not wait for NumPy
    import numpy as np
    from numpy.typing import NDArray

Rows: TypeAlias = Annotated["NDArray[np.int64]", "int64"]
Floats: TypeAlias = Annotated["NDArray[np.float32]", "float32"]
Mask: TypeAlias = Annotated["NDArray[np.bool_]", "bool"]


@dataclass(frozen=True, slots=True)
class Term:
    """One analysed word of a query: its stem, its character span in the query, and how many rows hold it."""

    stem: str
    start: int
    end: int
    frequency: int


@dataclass(frozen=True, slots=True)
class Filters:
    """What a caller limits a recall to; every filter given must hold. Instants are epoch milliseconds, half-open."""

    tags: tuple[str, ...] = ()
    """All of these."""
    categories: tuple[str, ...] = ()
    """Any of these."""
    agent: str | None = None
    session_id: str | None = None
    since: int | None = None
    until: int | None = None
    not_session: str | None = None
    """Nothing that came of this session, or of one below it (`<session>/…`)."""
    not_ids: tuple[str, ...] = ()
    """None of these memories."""

    @property
    def limiting(self) -> bool:
        """Whether anything but the dates limits the rows to some."""
        return bool(self.tags or self.categories or self.agent or self.session_id)

    @property
    def asking(self) -> bool:
        """Whether it says where an answer is to be found; what is only left out says nothing of that."""
        return self.limiting or self.since is not None or self.until is not None


OWN = 16
"""The bit of `Columns.direct` of the user's own words; where all who speak have names, nobody is the user."""
EVERY_SCOPE = (1 << len(BOUNDARY_SCOPES)) - 1


@dataclass(frozen=True, slots=True)
class Admission:
    """Which rows may answer: `at` is the instant asked about, in epoch milliseconds.

    `only`, sorted, are the rows that fit the caller's filters (None: all do), and `never` those that the caller leaves
    out; `since` and `until` bound their creation, and so does `period`, which the query names and no caller asked for.
    """

    at: int
    only: Rows | None = None
    never: Rows | None = None
    since: int | None = None
    until: int | None = None
    period: tuple[int | None, int | None] = (None, None)
    past: bool = False
    """`at` was asked for: what has been closed, superseded or set aside since then stands as it did."""
    known: int | None = None
    """Only what was written down by then counts; None: all that is known."""
    granted: int = 0
    """Bits of the boundary scopes that the caller has; what carries another may not answer."""


@dataclass(frozen=True, slots=True)
class MemoryStanding:
    """What of a memory's state a recall reads. Instants are epoch milliseconds, half-open."""

    active: bool = True
    trusted: bool = True
    since: int = -FOREVER
    until: int = FOREVER
    pinned: bool | None = None
    """None: as it is."""
    wanted: bool | None = None
    """Whether it fits the caller's filters; None: as it does."""


@dataclass(frozen=True, slots=True)
class LegHits:
    """What a leg found, best first (raw score descending, then newest, then id).

    The admitted arm may answer; the open arm (superseded, quarantined, filtered out) is kept as evidence alone.
    """

    rows: Rows
    scores: Floats
    open_rows: Rows
    open_scores: Floats


@dataclass(frozen=True, slots=True)
class Columns:
    """The light columns of some rows, aligned with the rows asked for."""

    ids: NDArray[np.bytes_]
    """The 16 bytes of each memory id; their order is the order of the ids."""
    active: Mask
    valid: Mask
    trusted: Mask
    boundary: NDArray[np.uint8]
    """Bits of the boundary scopes a row carries, in the order of `BOUNDARY_SCOPES`."""
    created: NDArray[np.int64]
    session: NDArray[np.int64]
    """A number per session, -1 for none; only equality means anything."""
    ordinal: NDArray[np.int64]
    place: NDArray[np.int64]
    """Its place among the rows of its session, in their order; 0 without a session."""
    importance: Floats
    pinned: Mask
    wanted: Mask
    """Fits the caller's filters."""
    admitted: Mask
    """May answer: all of the above, and made within the period of the admission."""
    about: NDArray[np.int64]
    """A number for who said it or whom it is about, -1 for nobody; see `TextSurvey.named`."""
    asks: Mask
    """It only asks: its last sentence is a question."""
    direct: NDArray[np.uint8]
    """Bits: 1 a category that can answer directly, 2 trusted, 4 a user stands behind it, 8 about somebody, 16 `OWN`."""
    heat: Floats
    """Of the last lifecycle fold, 0 to 1; 0 before any."""
    cold: Mask
    reinforcement: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Corpus:
    """The statistics of one namespace that scores depend on."""

    rows: int
    active: int
    vectors: int
    applied_seq: int


@dataclass(frozen=True, slots=True)
class TextSurvey:
    """What a namespace knows of a text: its words, analysed as memories are, with their frequency, and its names."""

    corpus: Corpus
    terms: tuple[Term, ...]
    named: Mapping[int, str]
    """Who is named that said, or is meant by, a memory in no boundary scope: number in `Columns.about`, and name."""


class IndexReader(Protocol):
    """One consistent snapshot of one namespace."""

    episodes: EpisodeReader
    graph: GraphReader

    def survey(self, text: str, *, names: bool = True) -> TextSurvey:
        """The statistics of the namespace, and what it knows of a query's words; `names`: also whom it names."""
        ...

    def vector(self, query: Vector, admission: Admission, pool: int, open_pool: int) -> LegHits:
        """Nearest rows by cosine, exact."""
        ...

    def lexical(
        self, stems: Sequence[str], admission: Admission, pool: int, open_pool: int, *, passages: bool = False
    ) -> LegHits:
        """Best rows by BM25 (Robertson, k1 = 1.2, b = 0.75) over the namespace's own statistics.

        With `passages` a row is read together with those `beside` it.
        """
        ...

    def mentioning(self, paths: Sequence[str], admission: Admission, pool: int, open_pool: int) -> LegHits:
        """Rows that speak of these files: 1 for each by its path or the end of it, ½ for each by its name alone."""
        ...

    def recent(self, admission: Admission, pool: int) -> LegHits:
        """Newest admissible rows; the score is the creation instant in epoch days."""
        ...

    def select(self, filters: Filters, *, left_out: bool = False) -> Rows:
        """The rows that fit these filters but for their dates, or those that they leave out, sorted."""
        ...

    def neighbours(self, rows: Rows, reach: int, admission: Admission) -> Rows:
        """Rows of the same sessions within `reach` turns and `2·reach` places of these, without the rows themselves.

        What was not yet written down when the admission knows is left out.
        """
        ...

    def beside(self, rows: Rows, admission: Admission) -> tuple[Rows, Rows]:
        """For each row the one just before and just after it in its session, a turn apart at most; -1 for none.

        What may not answer stands beside nothing: it lends no word to others.
        """
        ...

    def columns(self, rows: Rows, admission: Admission) -> Columns:
        """The light columns of these rows."""
        ...

    def features(self, rows: Rows, query: Vector | None, stems: Sequence[str], rare: float = 0.0) -> Features:
        """Vectors, cosine and matches (of 64 stems at most) of these rows; with `rare` what few memories hold."""
        ...

    def codes(self, rows: Rows) -> Codes:
        """The token codes of these rows."""
        ...

    def pretending(self, standings: Mapping[int, MemoryStanding]) -> IndexReader:
        """The same, as if some rows (by number) stood otherwise: a what-if without a write. The graph stays."""
        ...

    def memories(self, which: Rows | Sequence[str]) -> list[Served]:
        """These rows in full, in the order asked; or the memories of these ids, unknown ones left out."""
        ...


@dataclass(frozen=True, slots=True)
class Features:
    """What is read of rows for their scores: float32 (rows, dimensions), zeros where none is; the exact cosine."""

    vectors: Floats
    cosine: Floats
    """0 without a query."""
    matched: NDArray[np.uint64]
    """Which of the stems each row holds, as bits in their order."""
    rare: Sequence[frozenset[int]] = ()
    """The terms of each row, by number, that another of them holds, and at most so large a share of all memories."""


@dataclass(frozen=True, slots=True)
class Codes:
    """The token sign codes of some rows end to end, uint8 (tokens, 16), with the end of each row's."""

    codes: NDArray[np.uint8]
    ends: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Served:
    """An indexed memory, whether or not a recall gave it, with the place and the operation of that version."""

    memory: Memory
    path: str
    op_id: str | None
    stamp: IndexedFile


class Index(Protocol):
    """A fold of the record; deletable at any moment."""

    def state(self) -> IndexState:
        """What the index was built from."""
        ...

    def files(self, paths: Collection[str] | None = None) -> dict[str, IndexedFile]:
        """Every indexed path, or those of these that are indexed."""
        ...

    def encodings(self, digests: Collection[bytes]) -> dict[bytes, Encoding]:
        """Encodings already computed for these texts."""
        ...

    def apply(
        self,
        changes: Iterable[PathChange],
        state: IndexState,
        ledger: Iterable[LedgerChange] = (),
        *,
        anew: bool = False,
    ) -> dict[str, str] | None:
        """Fold changes in one transaction; None, and nothing done, if the index is already ahead of `state`.

        `ledger` are rows in the order of their numbers; those folded before are passed over, and `ledger_seq` never
        goes back. With `anew` they are all there are: what the index held of the ledger goes first.
        Returns the ids that were refused because another file holds them, each with that file's path.
        """
        ...

    def reading(self, namespace: str, deadline: Deadline | None = None) -> AbstractContextManager[IndexReader]:
        """One snapshot of a namespace; an unknown namespace is an empty one.

        A query that is under way when the deadline is over is interrupted, and the block ends with DeadlineError.
        """
        ...

    def memories(self, namespace: str, ids: Sequence[str] | None = None) -> list[Served]:
        """Every memory of a namespace, newest first; or those of these ids, in order, unknown ones left out."""
        ...

    def holding(self, namespace: str, hashes: Collection[str]) -> dict[str, dict[frozenset[str], str]]:
        """The ids of the active memories that have these content hashes: behind each boundary, the oldest."""
        ...

    @property
    def graph(self) -> GraphLookup:
        """Exact questions about the graph, which needs no snapshot."""
        ...

    def close(self) -> None:
        """Let go of every handle."""
        ...


class Scrubber(Protocol):
    """Takes away what dropped rows leave behind; asked once a removal was folded."""

    def scrub(self, wait_s: float = 10.0) -> None:
        """Leave no byte of a dropped row: in the file, in its log, in the warm columns of this process.

        Other processes' warm columns let go of it at their next reading. Safe to repeat; not inside `reading`.

        Raises:
            StoreBusyError: another process was reading or writing for `wait_s` seconds; nothing is lost, repeat it.
        """
        ...
