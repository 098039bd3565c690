"""The port of the index: folded records in, one consistent snapshot of searchable rows out."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Protocol, TypeAlias

from pellucid.deadline import Deadline
from pellucid.encoders.port import Encoding, Vector
from pellucid.model.entity import FOREVER
from pellucid.model.memory import BOUNDARY_SCOPES, Memory, boundary_bits
from pellucid.store.episode_port import EpisodeReader
from pellucid.store.graph_port import GraphLookup, GraphReader
from pellucid.store.index_changes import IndexedFile, IndexState, LedgerChange, PathChange

if TYPE_CHECKING:  # a command that only looks at memories need not wait for NumPy; the ports name each other's types
    import numpy as np
    from numpy.typing import NDArray

Rows: TypeAlias = Annotated["NDArray[np.int64]", "int64"]
Float32s: TypeAlias = Annotated["NDArray[np.float32]", "float32"]
Mask: TypeAlias = Annotated["NDArray[np.bool_]", "bool"]


@dataclass(frozen=True, slots=True)
class Term:
    """One analysed word of a query: its stem, its character span in the query, and how many rows contain it."""

    stem: str
    start: int
    end: int
    frequency: int


@dataclass(frozen=True, slots=True)
class Filters:
    """The limits that a caller sets to a recall; every filter given must hold. Instants are epoch ms, half-open."""

    tags: tuple[str, ...] = ()  # all of these
    categories: tuple[str, ...] = ()  # any of these
    agent: str | None = None
    session_id: str | None = None
    since: int | None = None
    until: int | None = None
    not_session: str | None = None  # nothing that came of this session, or of one below it (`<session>/…`)
    not_ids: tuple[str, ...] = ()  # None of these memories

    @property
    def limiting(self) -> bool:
        """Whether tags, categories, an agent or a session are given; dates and exclusions do not count."""
        return bool(self.tags or self.categories or self.agent or self.session_id)

    @property
    def asking(self) -> bool:
        """Whether a filter says where to look: tags, categories, an agent, a session or a date.

        Exclusions (`not_session`, `not_ids`) do not.
        """
        return self.limiting or self.since is not None or self.until is not None


OWN = 16
"""The bit in `Columns.direct` for the user's own words; if all speakers have names, nobody is the user."""
EVERY_SCOPE = boundary_bits(BOUNDARY_SCOPES)


def within_scopes(boundary: NDArray[np.uint8], granted: int) -> Mask:
    """Return a mask of the rows that a caller may see: those of whose boundary scopes he named every one.

    `boundary` has the bits of each row's boundary scopes (`boundary_bits`), `granted` those of the scopes that he
    named.
    """
    return (boundary & (EVERY_SCOPE & ~granted)) == 0


@dataclass(frozen=True, slots=True)
class Admission:
    """The conditions on admissible rows, at the instant `at` (epoch milliseconds).

    `only`, sorted, are the rows that fit the caller's filters (None: all do), and `never` those that the caller
    excludes; `since` and `until` bound their creation, and so does `period`, which comes from the query and not from
    the caller.
    """

    at: int
    only: Rows | None = None
    never: Rows | None = None
    since: int | None = None
    until: int | None = None
    period: tuple[int | None, int | None] = (None, None)
    past: bool = False
    """Whether the caller asked for `at`: then rows closed, superseded or set aside later count as they were then."""
    known: int | None = None  # only what was written down by then counts; None: all that is known
    granted: int = 0
    """Bits of the boundary scopes that the caller has; a row with another scope is not admissible."""


@dataclass(frozen=True, slots=True)
class MemoryStanding:
    """A hypothetical state of a memory, for what-if recalls. Instants are epoch milliseconds, half-open."""

    active: bool = True
    trusted: bool = True
    since: int = -FOREVER
    until: int = FOREVER
    pinned: bool | None = None  # None: as it is
    wanted: bool | None = None  # whether it fits the caller's filters; None: as it does


@dataclass(frozen=True, slots=True)
class LegHits:
    """The rows that a leg found, best first: the admitted arm is admissible, the open arm is evidence only."""

    rows: Rows
    scores: Float32s
    open_rows: Rows
    open_scores: Float32s


@dataclass(frozen=True, slots=True)
class Columns:
    """The light columns of some rows, aligned with the rows asked for."""

    ids: NDArray[np.bytes_]  # the 16 bytes of each memory id; their order is the order of the ids
    active: Mask
    valid: Mask
    trusted: Mask
    boundary: NDArray[np.uint8]  # bits of the boundary scopes a row carries, in the order of `BOUNDARY_SCOPES`
    created: NDArray[np.int64]
    session: NDArray[np.int64]  # A number per session, -1 for none; only equality means anything
    ordinal: NDArray[np.int64]
    place: NDArray[np.int64]  # its place among the rows of its session, in their order; 0 without a session
    importance: Float32s
    pinned: Mask
    wanted: Mask  # fits the caller's filters
    admitted: Mask  # may answer: all of the above, and made within the period of the admission
    about: NDArray[np.int64]
    """The number of its speaker, or of whom it is about, -1 for nobody; see `TextSurvey.named`."""
    asks: Mask  # its last sentence is a question
    direct: NDArray[np.uint8]
    """Bits: 1 a category that can answer directly, 2 trusted, 4 asserted by a user, 8 about somebody, 16 `OWN`."""
    heat: Float32s  # of the last lifecycle fold, 0 to 1; 0 before any
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
    """A text as a namespace knows it: its analysed words with their frequencies, and the names it mentions."""

    corpus: Corpus
    terms: tuple[Term, ...]
    named: Mapping[int, str]
    """The names in the text of speakers, or subjects, of memories in no boundary scope: `Columns.about` to name."""


class IndexReader(Protocol):
    """One consistent snapshot of one namespace. Legs return `pool` admitted rows and `open_pool` others."""

    episodes: EpisodeReader
    graph: GraphReader

    def survey(self, text: str, *, names: bool = True) -> TextSurvey:
        """Return the namespace's statistics, the words of a text with the number of rows that contain each and, with
        `names`, the names in the text of those whom memories are about.

        Words come in order, repeated ones repeatedly; without `names` there are no names.
        """
        ...

    def vector(self, query: Vector, admission: Admission, pool: int, open_pool: int) -> LegHits:
        """Return the rows nearest to the query by exact cosine, nearest first: at most `pool` admissible ones and at
        most `open_pool` others.

        The scores are the cosines. Rows without a vector are left out.
        """
        ...

    def lexical(
        self, stems: Sequence[str], admission: Admission, pool: int, open_pool: int, *, passages: bool = False
    ) -> LegHits:
        """Return the best rows by BM25 (k1 = 1.2, b = 0.75), best first: at most `pool` admissible ones and at most
        `open_pool` others, all of which contain one of these stems.

        With `passages` each row is scored as one text with its admissible neighbours (`beside`): then a stem in one of
        these will do.
        """
        ...

    def mentioning(self, paths: Sequence[str], admission: Admission, pool: int, open_pool: int) -> LegHits:
        """Return the best rows that mention these files, best first: at most `pool` admissible ones and at most
        `open_pool` others.

        The score of a row is a sum over the files: 1 for a file named with a folder, by its path, an end of it, or a
        longer path that ends with it; ½ if only the file's name is the same; 0 if not even that.
        """
        ...

    def recent(self, admission: Admission, pool: int) -> LegHits:
        """Return the `pool` newest admissible rows, newest first, with their creation instants in epoch days as scores;
        no others are in the result.
        """
        ...

    def select(self, filters: Filters, *, left_out: bool = False) -> Rows:
        """Return, sorted, the rows that fit the tags, categories, agent and session of these filters; dates and
        exclusions do not count.

        With `left_out`, return instead the rows that `not_session` (with the sessions below it, `<session>/…`) and
        `not_ids` exclude.
        """
        ...

    def neighbours(self, rows: Rows, reach: int, admission: Admission) -> Rows:
        """Return other rows of the same sessions within `reach` turns and `2·reach` places, sorted, admissible or not.

        Places count the rows of a session in order. A row without a session has no neighbours. For an admission of the
        past, rows recorded after its `known` are left out.
        """
        ...

    def beside(self, rows: Rows, admission: Admission) -> tuple[Rows, Rows]:
        """Return two arrays aligned with `rows`: the rows just before and those just after each in its session.

        -1 where there is none, or it is more than one turn away or not admissible.
        """
        ...

    def columns(self, rows: Rows, admission: Admission) -> Columns:
        """Return the light columns (`Columns`: ids, states, times, places in sessions, …) of these rows, aligned with
        them.

        `admission` filters nothing here: `valid`, `wanted` and `admitted` say what each row is under it, and for a past
        admission (`past` or `known`) `active` and `trusted` are as of then."""
        ...

    def features(self, rows: Rows, query: Vector | None, stems: Sequence[str], rare: float = 0.0) -> Features:
        """Return, aligned with these rows, their vectors, their cosines to the query (0 without one), and which of the
        `stems` (at most 64) each contains, as bits in their order.

        With `rare` > 0, also those terms of each row that another of these rows contains, too, and that at most this
        share (0 to 1) of all rows of the namespace contains.
        """
        ...

    def codes(self, rows: Rows) -> Codes:
        """Return the token codes (16 bytes of signs a token) of these rows, concatenated, and the end of each row's in
        tokens.

        A row without an encoding has none. They are for late interaction, which compares a query's tokens with a
        memory's.
        """
        ...

    def pretending(self, standings: Mapping[int, MemoryStanding]) -> IndexReader:
        """Return a reader in which some rows (by number) have hypothetical states, for a what-if; this one stays as it
        is.

        The graph and the episodes are those of this reader. Whether a row in `standings` is admissible depends on its
        `MemoryStanding` and the filters alone: neither its boundary scopes nor the query's period keep it out.
        """
        ...

    def memories(self, which: Rows | Sequence[str]) -> list[Served]:
        """Return the memories of these rows, which must exist, or with these ids, of which unknown ones are left out;
        in the order given.
        """
        ...


@dataclass(frozen=True, slots=True)
class Features:
    """What scoring reads of rows: vectors, float32 (rows, dimensions), zeros if missing; exact cosines."""

    vectors: Float32s
    cosine: Float32s  # 0 without a query
    matched: NDArray[np.uint64]  # which of the stems each row holds, as bits in their order
    rare: Sequence[frozenset[int]] = ()
    """The terms of each row, by number, that another of these rows has, and at most a given share of all memories."""


@dataclass(frozen=True, slots=True)
class Codes:
    """The token sign codes of some rows, concatenated, uint8 (tokens, 16), with the end of each row's."""

    codes: NDArray[np.uint8]
    ends: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Served:
    """An indexed memory, its vault file, and the operation that wrote it; whether or not a recall served it."""

    memory: Memory
    path: str
    op_id: str | None
    stamp: IndexedFile


class Index(Protocol):
    """A searchable view built from the record; it can be deleted at any moment."""

    def state(self) -> IndexState:
        """Return the state up to which the index was built; zeros and "" for a new index."""
        ...

    def files(self, paths: Collection[str] | None = None) -> dict[str, IndexedFile]:
        """Return the indexed files by path: all, or those of `paths` that are indexed."""
        ...

    def encodings(self, digests: Collection[bytes]) -> dict[bytes, Encoding]:
        """Return, by digest, the stored encodings (vector and token codes) of texts with these digests; digests without
        one are left out.

        The encoding of an episode's topic has no token codes.
        """
        ...

    def apply(
        self,
        changes: Iterable[PathChange],
        state: IndexState,
        ledger: Iterable[LedgerChange] = (),
        *,
        anew: bool = False,
    ) -> dict[str, str] | None:
        """Index the changed files and ledger rows in one transaction, and store `state` as what the index has reached.

        A memory whose id another file has is left out: the result maps each such id to that file's path. It is None,
        with nothing done, if the index is already ahead of `state`. `ledger` are rows in the order of their numbers;
        those indexed before are skipped. With `anew` they are the whole ledger, and all older rows of it in the index
        are dropped first.
        """
        ...

    def reading(self, namespace: str, deadline: Deadline | None = None) -> AbstractContextManager[IndexReader]:
        """Open a snapshot of a namespace for the block, an empty one if it is unknown.

        Raises DeadlineError when the deadline interrupts a query.
        """
        ...

    def memories(self, namespace: str, ids: Sequence[str] | None = None) -> list[Served]:
        """Return the memories of a namespace, newest first; or those with these ids, in the order given, without
        unknown ones.
        """
        ...

    def holding(self, namespace: str, hashes: Collection[str]) -> dict[str, dict[frozenset[str], str]]:
        """Return the memories with these content hashes that are now active, trusted and not past their validity.

        The result maps each hash to {boundary scopes: id of the oldest such memory with exactly these scopes}; hashes
        that no memory has are left out.
        """
        ...

    @property
    def graph(self) -> GraphLookup:
        """Exact queries on nodes, states, edges and documents of the graph, which need no snapshot."""
        ...

    def close(self) -> None:
        """Close every connection."""
        ...


class Scrubber(Protocol):
    """Removes the remaining bytes of deleted rows; called after a removal was indexed."""

    def scrub(self, wait_s: float = 10.0) -> None:
        """Leave no byte of a deleted row in the file, its log or the warm columns of this process; safe to repeat.

        Other processes drop their warm columns at their next reading. Not to be called inside `reading`. Raises
        StoreBusyError if another process was reading or writing for `wait_s` seconds (repeat it), NoRoomError if the
        disk is full."""
        ...
