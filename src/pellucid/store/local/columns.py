"""Index rows in, aligned NumPy columns out: what a recall scans, kept warm and re-read a segment at a time."""

from dataclasses import dataclass, field
from threading import Lock

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

    The words are one posting a row and distinct stem, sorted by term: `terms`, whose row `owners`, how often `counts`.
    """

    version: int
    light: NDArray[np.void]
    vectors: Floats
    terms: NDArray[np.uint32]
    owners: NDArray[np.int64]
    counts: Floats


@dataclass(frozen=True, slots=True)
class View:
    """One namespace at one snapshot. Positions index every column; `by_turn` sorts them by session and ordinal."""

    light: NDArray[np.void]
    segments: tuple[Segment, ...]
    by_turn: NDArray[np.int64]
    place: NDArray[np.int64]
    """The inverse of `by_turn`."""
    words: float
    """The mean number of stems a row."""

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

    def postings(self, term: int) -> tuple[NDArray[np.int64], Floats]:
        """The positions that hold a term, in order, and how often each does."""
        positions: list[NDArray[np.int64]] = []
        counts: list[Floats] = []
        start = 0
        for segment in self.segments:
            first, last = np.searchsorted(segment.terms, np.array([term, term + 1], dtype=np.uint64)).tolist()
            if last > first:
                positions.append(segment.owners[first:last] + start)
                counts.append(segment.counts[first:last])
            start += len(segment.light)
        if not positions:
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float32)
        return np.concatenate(positions), np.concatenate(counts)

    def vectors(self, positions: NDArray[np.int64]) -> Floats:
        """The vectors at these positions, float32 (n, 384)."""
        out = np.empty((len(positions), DIMENSIONS), dtype=np.float32)
        start = 0
        for segment in self.segments:
            end = start + len(segment.light)
            here = (positions >= start) & (positions < end)
            if here.any():
                out[here] = segment.vectors[positions[here] - start]
            start = end
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

    def forget(self) -> None:
        """Drop every view (the index file was replaced)."""
        with self._lock:
            self._views.clear()

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


def _postings(terms: list[bytes], counts: list[bytes]) -> tuple[NDArray[np.uint32], NDArray[np.int64], Floats]:
    flat = np.frombuffer(b"".join(terms), dtype=np.uint32)
    owners = np.repeat(np.arange(len(terms)), [len(each) // 4 for each in terms])
    order = np.argsort(flat, kind="stable")
    often = np.frombuffer(b"".join(counts), dtype=np.uint8).astype(np.float32)
    return flat[order], owners[order], often[order]


def _assemble(segments: tuple[Segment, ...]) -> View:
    light = np.concatenate([segment.light for segment in segments]) if segments else np.zeros(0, dtype=LIGHT)
    by_turn = np.lexsort((light["id"], light["ordinal"], light["session"]))
    place = np.empty_like(by_turn)
    place[by_turn] = np.arange(len(by_turn))
    return View(light, segments, by_turn, place, float(light["length"].mean()) if len(light) else 0.0)
