"""One read transaction in, ranked rows and their features out: `IndexReader` over SQLite and warm columns."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import apsw
import numpy as np
from numpy.typing import NDArray

from pellucid.encoders.port import Vector
from pellucid.model.memory import Memory
from pellucid.store.index_port import (
    Admission,
    Columns,
    Corpus,
    Features,
    Floats,
    IndexedFile,
    LegHits,
    Mask,
    Rows,
    Served,
    Term,
)
from pellucid.store.local.analysis import Analyzer
from pellucid.store.local.columns import View
from pellucid.store.local.database import execute, stream

_NO_ROWS: Rows = np.zeros(0, dtype=np.int64)
_NO_SCORES: Floats = np.zeros(0, dtype=np.float32)
_SLACK = 1e-4
"""More than BLAS can be off by between two layouts of the same unit vectors (384 float32 products: about 1e-6)."""
_CHUNK = 256
_MILLIS_A_DAY = 86_400_000


class LocalIndexReader:
    """See `IndexReader`; lives inside the read transaction that made it."""

    def __init__(
        self,
        connection: apsw.Connection,
        queries: dict[str, str],
        analyzer: Analyzer,
        ns: int,
        view: View,
        applied_seq: int,
    ) -> None:
        self._connection = connection
        self._queries = queries
        self._analyzer = analyzer
        self._ns = ns
        self._view = view
        self._applied_seq = applied_seq

    def corpus(self) -> Corpus:
        light = self._view.light
        return Corpus(len(light), int(light["active"].sum()), int(light["has_vector"].sum()), self._applied_seq)

    def terms(self, text: str) -> list[Term]:
        places = self._analyzer.places(text)
        known = {stem: self._frequency(stem) for stem, _, _ in places}
        return [Term(stem, start, end, known[stem]) for stem, start, end in places]

    def vector(self, query: Vector, admission: Admission, pool: int, open_pool: int) -> LegHits:
        coarse = self._view.cosine(query)
        admitted = self._view.admissible(admission.at)
        has_vector = self._view.light["has_vector"]
        rows, scores = self._nearest(coarse, admitted & has_vector, query, pool)
        open_rows, open_scores = self._nearest(coarse, ~admitted & has_vector, query, open_pool)
        return LegHits(rows, scores, open_rows, open_scores)

    def _nearest(self, coarse: Floats, mask: Mask, query: Vector, count: int) -> tuple[Rows, Floats]:
        near = np.flatnonzero(mask)
        if count == 0 or len(near) == 0:
            return _NO_ROWS, _NO_SCORES
        if len(near) > count:
            floor = np.partition(coarse[near], -count)[-count] - _SLACK
            near = near[coarse[near] >= floor]
        return self._best(near, exact_cosine(self._view.vectors(near), query), count)

    def _best(self, positions: NDArray[np.int64], scores: Floats, count: int) -> tuple[Rows, Floats]:
        light = self._view.light
        order = np.lexsort((light["id"][positions], -scores))[:count]
        return light["row"][positions[order]], scores[order]

    def lexical(self, stems: Sequence[str], admission: Admission, pool: int, open_pool: int) -> LegHits:
        if not stems or len(self._view.light) == 0:
            return LegHits(_NO_ROWS, _NO_SCORES, _NO_ROWS, _NO_SCORES)
        wanted = " OR ".join(f'"{stem}"' for stem in stems)
        admitted, rejected = _Arm(pool), _Arm(open_pool)
        mask = self._view.admissible(admission.at)
        for positions, scores in self._matches(wanted):
            inside = mask[positions]
            admitted.take(positions[inside], scores[inside])
            rejected.take(positions[~inside], scores[~inside])
            if admitted.full(scores[-1]) and (rejected.full(scores[-1]) or mask.all()):
                break
        return LegHits(*self._best(*admitted.all(), pool), *self._best(*rejected.all(), open_pool))

    def _matches(self, wanted: str) -> Iterator[tuple[NDArray[np.int64], Floats]]:
        cursor = stream(self._connection, self._queries["match"].format(ns=self._ns), (wanted,))
        while chunk := list(islice(cursor, _CHUNK)):
            rows, ranks = zip(*chunk, strict=True)
            yield (
                self._view.positions(np.array(rows, dtype=np.int64)),
                -np.array(ranks, dtype=np.float64).astype(np.float32),
            )

    def recent(self, admission: Admission, pool: int) -> LegHits:
        light = self._view.light
        inside = np.flatnonzero(self._view.admissible(admission.at))
        days = (light["created"][inside] / _MILLIS_A_DAY).astype(np.float32)
        return LegHits(*self._best(inside, days, pool), _NO_ROWS, _NO_SCORES)

    def neighbours(self, rows: Rows, reach: int) -> Rows:
        view, light = self._view, self._view.light
        positions = view.positions(rows)
        positions = positions[light["session"][positions] >= 0]
        found: list[NDArray[np.int64]] = []
        for step in range(-2 * reach, 2 * reach + 1):
            beside = view.by_turn[np.clip(view.place[positions] + step, 0, len(light) - 1)]
            near = np.abs(light["ordinal"][beside] - light["ordinal"][positions]) <= reach
            found.append(beside[near & (light["session"][beside] == light["session"][positions])])
        every = np.unique(light["row"][np.concatenate(found)]) if found else _NO_ROWS
        return np.setdiff1d(every, rows, assume_unique=True)

    def columns(self, rows: Rows, admission: Admission) -> Columns:
        some = self._view.light[self._view.positions(rows)]
        valid = (some["valid_from"] <= admission.at) & (admission.at < some["valid_until"])
        return Columns(
            ids=some["id"], active=some["active"], valid=valid, trusted=some["trusted"], boundary=some["boundary"],
            created=some["created"], session=some["session"], ordinal=some["ordinal"],
            importance=some["importance"], pinned=some["pinned"],
        )  # fmt: skip

    def features(self, rows: Rows, query: Vector | None) -> Features:
        sql = self._queries["row_features"]
        found = [execute(self._connection, sql, (row,))[0] for row in rows.tolist()]
        codes = np.frombuffer(b"".join(code for code, _ in found), dtype=np.uint8).reshape(-1, 16)
        terms = np.frombuffer(b"".join(term for _, term in found), dtype=np.uint32)
        cosine = np.zeros(len(rows), dtype=np.float32)
        if query is not None and len(rows):
            cosine = exact_cosine(self._view.vectors(self._view.positions(rows)), query)
        return Features(
            codes, np.cumsum([len(code) // 16 for code, _ in found], dtype=np.int64),
            terms, np.cumsum([len(term) // 4 for _, term in found], dtype=np.int64), cosine,
        )  # fmt: skip

    def memories(self, rows: Rows) -> list[Served]:
        sql = self._queries["served"]
        return [served(execute(self._connection, sql, (row,))[0]) for row in rows.tolist()]

    def _frequency(self, stem: str) -> int:
        if len(self._view.light) == 0:
            return 0
        found = execute(self._connection, self._queries["frequency"].format(ns=self._ns), (stem,))
        return int(found[0][0]) if found else 0


class _Arm:
    """Collects the best of one arm until nothing further can belong to it, ties at the edge included."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._positions: list[NDArray[np.int64]] = []
        self._scores: list[Floats] = []
        self._held = 0

    def take(self, positions: NDArray[np.int64], scores: Floats) -> None:
        if self._count and len(positions):
            self._positions.append(positions)
            self._scores.append(scores)
            self._held += len(positions)

    def full(self, last_seen: float) -> bool:
        if self._held < self._count:
            return False
        return self._count == 0 or last_seen < np.concatenate(self._scores)[self._count - 1]

    def all(self) -> tuple[NDArray[np.int64], Floats]:
        if not self._positions:
            return np.zeros(0, dtype=np.int64), _NO_SCORES
        return np.concatenate(self._positions), np.concatenate(self._scores)


def exact_cosine(vectors: Floats, query: Vector) -> Floats:
    """Cosine of unit vectors, the same bits for the same pair wherever the row stands (float64 row sums)."""
    products = vectors.astype(np.float64) * query.astype(np.float64)
    return products.sum(axis=1).astype(np.float32)


def served(row: tuple[Any, ...]) -> Served:
    """A full row as `Served`."""
    record, path, op_id, digest, size, mtime_ns = row
    return Served(Memory.model_validate_json(record), path, op_id, IndexedFile(digest, size, mtime_ns))
