"""Index rows in, aligned NumPy columns out: the warm data that recalls scan, re-read a block at a time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.deadline import Deadline
from pellucid.store.index_port import Admission, Float32s, Mask, within_scopes
from pellucid.store.local.database import Queries

ROW_BLOCK = 1024  # rows that are read together (the tables call a block of rows, or of files, a segment)
DIMENSIONS = 384

LIGHT = np.dtype(
    [
        ("row", "i8"),
        ("id", "S16"),
        ("created", "i8"),
        ("valid_from", "i8"),
        ("valid_until", "i8"),
        ("active", "?"),
        ("trusted", "?"),
        ("boundary", "u1"),
        ("session", "i8"),
        ("ordinal", "i8"),
        ("importance", "f4"),
        ("pinned", "?"),
        ("asks", "?"),
        ("direct", "u1"),
        ("closed", "?"),
        ("consolidated", "?"),
        ("about", "i8"),
        ("heat", "f4"),
        ("cold", "?"),
        ("reinforcement", "i8"),
        ("has_vector", "?"),
        ("length", "i4"),
    ]
)


@dataclass(frozen=True, slots=True)
class ColumnBlock:
    """Up to 1,024 rows of one namespace: light columns, vectors as float32 (n, 384; zeros if missing), and words.

    Rows are memories, or episodes. Words are stored twice: as one posting for each row and distinct stem, sorted by
    term (`terms`, whose row is in `owners`, and how often in `counts`), and row by row (`held`, where a row's terms end
    at `ends`).
    """

    version: int
    light: NDArray[np.void]
    vectors: Float32s
    terms: NDArray[np.uint32]
    owners: NDArray[np.int64]
    counts: Float32s
    held: NDArray[np.uint32]
    ends: NDArray[np.int64]

    @property
    def size(self) -> int:
        """The memory that a block takes, in bytes, with the copies of its light columns in the view."""
        columns = self.vectors, self.terms, self.owners, self.counts, self.held, self.ends
        return 3 * self.light.nbytes + sum(each.nbytes for each in columns)


@dataclass(frozen=True, slots=True)
class View:
    """One namespace at one snapshot. Positions index every column; `by_turn` sorts them by session and ordinal."""

    light: Mapping[str, NDArray[Any]]  # the columns of `LIGHT`, each contiguous
    blocks: tuple[ColumnBlock, ...]
    starts: NDArray[np.int64]  # the position of each block's first row
    by_turn: NDArray[np.int64]
    place: NDArray[np.int64]  # the inverse of `by_turn`
    within: NDArray[np.int64]  # each row's place among those of its session; 0 without one
    before: NDArray[np.int64]  # the position just before each in its session, a turn apart at most; -1 for none
    after: NDArray[np.int64]
    passage: NDArray[np.int64]  # the stems of each row together with those beside it
    names: Mapping[str, int]
    """Maps each key that is the `about` of a memory, as far as this process has seen, to its number in the columns."""
    known: frozenset[int]
    """The numbers that occur here in memories without boundary scopes: not everybody is allowed to learn of others."""

    def __len__(self) -> int:
        """The number of rows."""
        return len(self.by_turn)

    def admissible(self, admission: Admission) -> Mask:
        """Return a mask of the rows that are active and trusted now, valid at `admission.at`, and fit the request
        (`fits_request`).
        """
        light, at = self.light, admission.at
        valid = light["active"] & light["trusted"] & (light["valid_from"] <= at) & (at < light["valid_until"])
        return valid & self.fits_request(admission)

    def fits_request(self, admission: Admission) -> Mask:
        """Return a mask of the rows that are within the caller's boundary scopes, fit the filters (`fits_filters`), and
        were created in the query's period.
        """
        visible = within_scopes(self.light["boundary"], admission.granted)
        return visible & self.fits_filters(admission) & self._made_between(*admission.period)

    def fits_filters(self, admission: Admission) -> Mask:
        """Return which rows fit the caller's filters: `only`, `never`, `since` and `until`; all without any."""
        fits = np.ones(len(self), dtype=np.bool_)
        if admission.only is not None:
            fits &= np.isin(self.light["row"], admission.only)
        if admission.never is not None:
            fits &= ~np.isin(self.light["row"], admission.never)
        return fits & self._made_between(admission.since, admission.until)

    def _made_between(self, since: int | None, until: int | None) -> Mask:
        """Return which rows were created from `since` on and before `until`; None: no limit."""
        within = np.ones(len(self), dtype=np.bool_)
        if since is not None:
            within &= self.light["created"] >= since
        if until is not None:
            within &= self.light["created"] < until
        return within

    def sums_with_neighbours(self, positions: NDArray[np.int64], counts: Float32s, lends: Mask) -> Float32s:
        """Return, for each row of the view, its count plus the counts of those rows next to it that are in the mask
        `lends`.

        `counts` are those of the rows at `positions`; other rows have 0. Next to a row are the row before and the row
        after it in its session, at most one turn apart. The mask is over the whole view.
        """
        sums = np.zeros(len(self), dtype=np.float32)
        sums[positions] = counts
        lending = np.flatnonzero(lends[positions])
        for beside in (self.before[positions[lending]], self.after[positions[lending]]):
            exists = beside >= 0
            sums[beside[exists]] += counts[lending[exists]]  # no two rows stand before, or after, the same one
        return sums

    def positions(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the positions of these row numbers; every one must be in the view."""
        return np.searchsorted(self.light["row"], rows)

    def cosine(self, query: Float32s) -> Float32s:
        """Return the approximate cosine of every row with a unit vector; 0 for a row without one. BLAS can round
        differently from row to row.
        """
        if not self.blocks:
            return np.zeros(0, dtype=np.float32)
        return np.concatenate([block.vectors @ query for block in self.blocks])

    def spans(self, terms: Sequence[int]) -> NDArray[np.int64]:
        """Return where the entries of each of these terms are in each block's `terms`, as (first, end) indices: an
        array (terms, blocks, 2).
        """
        wanted = np.array(terms, dtype=np.uint32)
        found = [
            (np.searchsorted(block.terms, wanted, "left"), np.searchsorted(block.terms, wanted, "right"))
            for block in self.blocks
        ]
        return np.array(found, dtype=np.int64).reshape(len(self.blocks), 2, len(wanted)).transpose(2, 0, 1)

    def postings(self, spans: NDArray[np.int64]) -> tuple[NDArray[np.int64], Float32s]:
        """Return the positions of the rows that contain one term, and how often each does.

        `spans` are the term's: an element of what `spans()` returns, (blocks, 2).
        """
        held = [(i, first, last) for i, (first, last) in enumerate(spans.tolist()) if last > first]
        if not held:
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float32)
        positions = [self.blocks[i].owners[first:last] + self.starts[i] for i, first, last in held]
        return np.concatenate(positions), np.concatenate([self.blocks[i].counts[a:b] for i, a, b in held])

    def matched(self, positions: NDArray[np.int64], terms: Sequence[int]) -> NDArray[np.uint64]:
        """Return which of these terms (at most 64) the row at each position contains: bit i for the term i."""
        out = np.zeros(len(positions), dtype=np.uint64)
        if not terms or not len(positions):
            return out
        held = self._terms_at(positions)
        flat, owner = np.concatenate(held), np.repeat(np.arange(len(held)), [len(each) for each in held])
        for bit, term in enumerate(terms):
            out[owner[flat == term]] |= np.uint64(1 << bit)
        return out

    def rare(self, positions: NDArray[np.int64], share: float) -> list[frozenset[int]]:
        """Return, for the row at each position, its terms that another of them has, too, and that few rows contain.

        Few is at most `share` (0 to 1) of the whole view.
        """
        terms_by_row = self._terms_at(positions)
        flat = np.concatenate([np.zeros(0, dtype=np.uint32), *terms_by_row])
        terms, number, occurrences = np.unique(flat, return_inverse=True, return_counts=True)
        shared = np.flatnonzero(occurrences > 1)  # what one of them alone holds need not be counted
        is_rare = np.zeros(len(terms), dtype=np.bool_)
        frequencies = np.diff(self.spans(terms[shared].tolist())).sum(axis=(1, 2))
        is_rare[shared] = frequencies <= share * len(self.light["row"])
        ends = np.cumsum([len(each) for each in terms_by_row])
        return [
            frozenset(flat[end - len(each) : end][is_rare[number[end - len(each) : end]]].tolist())
            for each, end in zip(terms_by_row, ends.tolist(), strict=True)
        ]

    def _terms_at(self, positions: NDArray[np.int64]) -> list[NDArray[np.uint32]]:
        """Return the distinct terms of the row at each position."""
        out: list[NDArray[np.uint32]] = []
        for i, position in zip(np.searchsorted(self.starts, positions, "right") - 1, positions, strict=True):
            block, row = self.blocks[int(i)], position - self.starts[i]
            out.append(block.held[block.ends[row - 1] if row else 0 : block.ends[row]])
        return out

    def vectors(self, positions: NDArray[np.int64]) -> Float32s:
        """Return the vectors at these positions, in their order, float32 (n, 384); zeros where a row has none."""
        out = np.empty((len(positions), DIMENSIONS), dtype=np.float32)
        order = positions.argsort()
        ordered = positions[order]
        cuts = [*ordered.searchsorted(self.starts).tolist(), len(ordered)]
        for block, start, first, last in zip(self.blocks, self.starts.tolist(), cuts[:-1], cuts[1:], strict=True):
            if first < last:
                out[order[first:last]] = block.vectors[ordered[first:last] - start]
        return out


def story_space(ns: int) -> int:
    """Return the number under which the versions of the blocks of a namespace's stories (episodes) are kept: `-ns`.

    Stories are numbered apart from memories, whose blocks with the same numbers are kept under `ns`.
    """
    return -ns


@dataclass(slots=True)
class ColumnCache:
    """The warm view of one namespace. Thread-safe: one thread loads, and the others wait for it."""

    load_query: str  # the name of the query for the rows of a block
    size: int = 0  # bytes, about
    _blocks: dict[int, ColumnBlock] = field(default_factory=dict[int, ColumnBlock])
    _view: View | None = None
    _sessions: dict[str, int] = field(default_factory=dict[str, int])
    _names: dict[str, int] = field(default_factory=dict[str, int])
    _lock: Lock = field(default_factory=Lock)

    def view(self, queries: Queries, ns: int, versions: dict[int, int], deadline: Deadline) -> View:
        """Return the view of the namespace with number `ns` whose blocks (by number) have these versions; only blocks
        of another version than in the last view are read.

        Raises DeadlineError if the deadline comes first: blocks read so far stay loaded.
        """
        with deadline.holding(self._lock):
            if self._view is not None and {block: each.version for block, each in self._blocks.items()} == versions:
                return self._view
            loaded = self._blocks = dict(self._blocks)
            self._view = None
            for block, version in deadline.over(versions.items()):
                if block not in loaded or loaded[block].version != version:
                    loaded[block] = self._load_block(queries, ns, block, version)
            current = self._blocks = {block: loaded[block] for block in versions}
            filled = tuple(block for _, block in sorted(current.items()) if len(block.light))
            view = self._view = _assemble_view(filled, self._names)
            self.size = sum(block.size for block in filled)
            return view

    def _load_block(self, queries: Queries, ns: int, block: int, version: int) -> ColumnBlock:
        """Read the rows of one block (by number, 1,024 rows) of a namespace from the database; `version` is noted in
        the result.
        """
        rows = queries.run(self.load_query, ns, block * ROW_BLOCK, block * ROW_BLOCK + ROW_BLOCK - 1)
        light = np.zeros(len(rows), dtype=LIGHT)
        vectors = np.zeros((len(rows), DIMENSIONS), dtype=np.float32)
        for i, (row, memory_id, created, start, end, active, trusted, boundary, session, *rest) in enumerate(rows):
            *plain, about, heat, cold, reinforcement, length, vec, _, _ = rest
            use = (_number_of(about, self._names), heat, cold, reinforcement, vec is not None, length)
            flags = (active, trusted, boundary, _number_of(session, self._sessions), *plain, *use)
            light[i] = (row, bytes.fromhex(memory_id.partition("_")[2]), created, start, end, *flags)
            if vec is not None:
                vectors[i] = np.frombuffer(vec, dtype=np.float16)
        return ColumnBlock(
            version, light, vectors, *_decoded_postings([row[-2] for row in rows], [row[-1] for row in rows])
        )


def _decoded_postings(
    terms: list[bytes], counts: list[bytes]
) -> tuple[NDArray[np.uint32], NDArray[np.int64], Float32s, NDArray[np.uint32], NDArray[np.int64]]:
    """Decode the stored terms (4 bytes each) and counts (1 byte each) of each row into the word columns of a
    ColumnBlock: `terms` in order, `owners` and `counts` aligned with them, `held` and `ends`.
    """
    flat = np.frombuffer(b"".join(terms), dtype=np.uint32)
    lengths = [len(each) // 4 for each in terms]
    order = np.argsort(flat, kind="stable")
    often = np.frombuffer(b"".join(counts), dtype=np.uint8).astype(np.float32)
    owners = np.repeat(np.arange(len(terms)), lengths)
    return flat[order], owners[order], often[order], flat, np.cumsum(lengths, dtype=np.int64)


def _number_of(name: str | None, numbers: dict[str, int]) -> int:
    """Return the number of a name in `numbers`, to which a new name is added with the next number; -1 for None."""
    return -1 if name is None else numbers.setdefault(name, len(numbers))


def _assemble_view(blocks: tuple[ColumnBlock, ...], names: Mapping[str, int]) -> View:
    """Concatenate blocks into one view.

    `names` maps the keys of whom memories are about to the numbers that stand for them in the column `about`.
    """
    rows = np.concatenate([block.light for block in blocks]) if blocks else np.zeros(0, dtype=LIGHT)
    light = {name: np.ascontiguousarray(rows[name]) for name in LIGHT.names or ()}
    by_turn = np.lexsort((light["id"], light["ordinal"], light["session"]))
    place = np.empty_like(by_turn)
    place[by_turn] = np.arange(len(by_turn))
    starts = np.cumsum([0, *(len(block.light) for block in blocks)], dtype=np.int64)[:-1]
    before, after = _turns_beside(light["session"], light["ordinal"], by_turn)
    view = View(
        light,
        blocks,
        starts,
        by_turn,
        place,
        _places_in_session(light["session"], by_turn),
        before,
        after,
        light["length"],
        names,
        frozenset(np.unique(light["about"][light["boundary"] == 0]).tolist()) - {-1},
    )
    every = np.arange(len(view))  # a passage's length is worked out with the view itself, so it is put in last
    return replace(view, passage=view.sums_with_neighbours(every, light["length"], every >= 0).astype(np.int64))


def _places_in_session(session: NDArray[np.int64], by_turn: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the place of each row in its session, from 0, in the order of turns; 0 outside of sessions (`session`
    below 0). `by_turn` has the rows' positions, sorted by session, then by turn."""
    ordered = session[by_turn]
    out = np.zeros(len(by_turn), dtype=np.int64)
    out[by_turn] = np.arange(len(by_turn)) - np.searchsorted(ordered, ordered, "left")
    return np.where(session >= 0, out, 0)


def _turns_beside(
    session: NDArray[np.int64], ordinal: NDArray[np.int64], by_turn: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return two arrays: the position just before, and just after, each row in its session, at most one turn apart; -1
    for none. `by_turn` has the rows' positions, sorted by session (below 0: none), then by turn (`ordinal`).
    """
    first, second = by_turn[:-1], by_turn[1:]
    close = (session[first] == session[second]) & (session[first] >= 0) & (ordinal[second] - ordinal[first] <= 1)
    before, after = np.full(len(by_turn), -1, dtype=np.int64), np.full(len(by_turn), -1, dtype=np.int64)
    before[second[close]], after[first[close]] = first[close], second[close]
    return before, after
