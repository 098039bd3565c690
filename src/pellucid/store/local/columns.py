"""Index rows in, aligned NumPy columns out: what a recall scans, kept warm and re-read a segment at a time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

import apsw
import numpy as np
from numpy.typing import NDArray

from pellucid.store.index_port import Floats, Mask
from pellucid.store.local.database import execute

SEGMENT = 1024
DIMENSIONS = 384

LIGHT = np.dtype(
    [
        ("row", "i8"), ("id", "S16"), ("created", "i8"), ("valid_from", "i8"), ("valid_until", "i8"), ("active", "?"),
        ("trusted", "?"), ("boundary", "u1"), ("session", "i8"), ("ordinal", "i8"), ("importance", "f4"),
        ("pinned", "?"), ("has_vector", "?"), ("length", "i4"),
    ]
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Segment:
    """Up to 1,024 rows of one namespace: light columns, vectors as float32 (n, 384), zero where there is none, words.

    The words stand twice: one posting a row and distinct stem sorted by term (`terms`, whose row `owners`, how often
    `counts`), and row by row (`held`, a row's last at `ends`).
    """

    version: int
    light: NDArray[np.void]
    vectors: Floats
    terms: NDArray[np.uint32]
    owners: NDArray[np.int64]
    counts: Floats
    held: NDArray[np.uint32]
    ends: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class View:
    """One namespace at one snapshot. Positions index every column; `by_turn` sorts them by session and ordinal."""

    light: Mapping[str, NDArray[Any]]
    """The columns of `LIGHT`, each contiguous."""
    segments: tuple[Segment, ...]
    starts: NDArray[np.int64]
    """The position of each segment's first row."""
    by_turn: NDArray[np.int64]
    place: NDArray[np.int64]
    """The inverse of `by_turn`."""
    words: float
    """The mean number of stems a row."""

    def __len__(self) -> int:
        return len(self.by_turn)

    def admissible(self, at: int) -> Mask:
        """Active, valid at the instant, and not quarantined."""
        light = self.light
        return light["active"] & light["trusted"] & (light["valid_from"] <= at) & (at < light["valid_until"])

    def positions(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Where these rows stand; every one must be in the view."""
        return np.searchsorted(self.light["row"], rows)

    def cosine(self, query: Floats) -> Floats:
        """Approximate cosine of every row: BLAS may round differently from row to row."""
        if not self.segments:
            return np.zeros(0, dtype=np.float32)
        return np.concatenate([segment.vectors @ query for segment in self.segments])

    def spans(self, terms: Sequence[int]) -> NDArray[np.int64]:
        """Where each term's postings stand in each segment: (terms, segments, 2), first and last-but-one."""
        wanted = np.array(terms, dtype=np.uint32)
        found = [
            (np.searchsorted(segment.terms, wanted, "left"), np.searchsorted(segment.terms, wanted, "right"))
            for segment in self.segments
        ]
        return np.array(found, dtype=np.int64).reshape(-1, 2, len(wanted)).transpose(2, 0, 1)

    def postings(self, spans: NDArray[np.int64]) -> tuple[NDArray[np.int64], Floats]:
        """The positions that hold one term, given its spans, in order; and how often each does."""
        held = [(i, first, last) for i, (first, last) in enumerate(spans.tolist()) if last > first]
        if not held:
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float32)
        positions = [self.segments[i].owners[first:last] + self.starts[i] for i, first, last in held]
        return np.concatenate(positions), np.concatenate([self.segments[i].counts[a:b] for i, a, b in held])

    def matched(self, positions: NDArray[np.int64], terms: Sequence[int]) -> NDArray[np.uint64]:
        """Which of these terms each of these positions holds, as bits."""
        number = np.searchsorted(self.starts, positions, "right") - 1
        held = [self._held(int(i), int(at - self.starts[i])) for i, at in zip(number, positions, strict=True)]
        out = np.zeros(len(positions), dtype=np.uint64)
        if not held:
            return out
        flat, owner = np.concatenate(held), np.repeat(np.arange(len(held)), [len(each) for each in held])
        for bit, term in enumerate(terms):
            out[owner[flat == term]] |= np.uint64(1 << bit)
        return out

    def _held(self, segment: int, row: int) -> NDArray[np.uint32]:
        ends = self.segments[segment].ends
        return self.segments[segment].held[ends[row - 1] if row else 0 : ends[row]]

    def vectors(self, positions: NDArray[np.int64]) -> Floats:
        """The vectors at these positions, float32 (n, 384)."""
        out = np.empty((len(positions), DIMENSIONS), dtype=np.float32)
        number = np.searchsorted(self.starts, positions, "right") - 1
        for i in np.unique(number):
            here = number == i
            out[here] = self.segments[int(i)].vectors[positions[here] - self.starts[i]]
        return out


@dataclass(slots=True)
class ColumnCache:
    """The warm views of one process, by namespace number; safe between threads."""

    load_sql: str
    _views: dict[int, tuple[dict[int, Segment], View]] = field(
        default_factory=dict[int, tuple[dict[int, Segment], View]]
    )
    _sessions: dict[str, int] = field(default_factory=dict[str, int])
    _lock: Lock = field(default_factory=Lock)

    def view(self, connection: apsw.Connection, ns: int, versions: dict[int, int]) -> View:
        """The view of a namespace whose segments have these versions; only changed segments are read."""
        with self._lock:
            held, view = self._views.get(ns) or ({}, None)
            if view is not None and {seg: segment.version for seg, segment in held.items()} == versions:
                return view
            fresh = {
                seg: held[seg]
                if seg in held and held[seg].version == version
                else self._load(connection, ns, seg, version)
                for seg, version in versions.items()
            }
            view = _assemble(tuple(segment for _, segment in sorted(fresh.items()) if len(segment.light)))
            self._views[ns] = fresh, view
            return view

    def clear(self) -> None:
        """Let go of every column; what a reading needs is read again."""
        with self._lock:
            self._views.clear()
            self._sessions.clear()

    def _load(self, connection: apsw.Connection, ns: int, seg: int, version: int) -> Segment:
        rows = execute(connection, self.load_sql, (ns, seg * SEGMENT, seg * SEGMENT + SEGMENT - 1))
        light = np.zeros(len(rows), dtype=LIGHT)
        vectors = np.zeros((len(rows), DIMENSIONS), dtype=np.float32)
        for i, (row, memory_id, created, start, end, active, trusted, boundary, session, *rest) in enumerate(rows):
            ordinal, importance, pinned, length, vec, _, _ = rest
            code = -1 if session is None else self._sessions.setdefault(session, len(self._sessions))
            flags = (active, trusted, boundary, code, ordinal, importance, pinned, vec is not None, length)
            light[i] = (row, bytes.fromhex(memory_id.removeprefix("mem_")), created, start, end, *flags)
            if vec is not None:
                vectors[i] = np.frombuffer(vec, dtype=np.float16)
        return Segment(version, light, vectors, *_postings([row[-2] for row in rows], [row[-1] for row in rows]))


def _postings(
    terms: list[bytes], counts: list[bytes]
) -> tuple[NDArray[np.uint32], NDArray[np.int64], Floats, NDArray[np.uint32], NDArray[np.int64]]:
    flat = np.frombuffer(b"".join(terms), dtype=np.uint32)
    lengths = [len(each) // 4 for each in terms]
    order = np.argsort(flat, kind="stable")
    often = np.frombuffer(b"".join(counts), dtype=np.uint8).astype(np.float32)
    owners = np.repeat(np.arange(len(terms)), lengths)
    return flat[order], owners[order], often[order], flat, np.cumsum(lengths, dtype=np.int64)


def _assemble(segments: tuple[Segment, ...]) -> View:
    rows = np.concatenate([segment.light for segment in segments]) if segments else np.zeros(0, dtype=LIGHT)
    light = {name: np.ascontiguousarray(rows[name]) for name in LIGHT.names or ()}
    by_turn = np.lexsort((light["id"], light["ordinal"], light["session"]))
    place = np.empty_like(by_turn)
    place[by_turn] = np.arange(len(by_turn))
    starts = np.cumsum([0, *(len(segment.light) for segment in segments)], dtype=np.int64)[:-1]
    return View(light, segments, starts, by_turn, place, float(light["length"].mean()) if len(rows) else 0.0)
