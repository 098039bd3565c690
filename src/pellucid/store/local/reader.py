"""One read transaction in, ranked rows and their features out: `IndexReader` over SQLite and warm columns."""

from collections.abc import Sequence
from math import log1p
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
from pellucid.store.local.analysis import Analyzer, term
from pellucid.store.local.columns import View
from pellucid.store.local.database import execute

_NO_ROWS: Rows = np.zeros(0, dtype=np.int64)
_NO_SCORES: Floats = np.zeros(0, dtype=np.float32)
_SLACK = 1e-4
"""More than BLAS can be off by between two layouts of the same unit vectors (384 float32 products: about 1e-6)."""
K1, B = 1.2, 0.75
_MILLIS_A_DAY = 86_400_000


class LocalIndexReader:
    """See `IndexReader`; lives inside the read transaction that made it."""

    def __init__(
        self,
        connection: apsw.Connection,
        queries: dict[str, str],
        analyzer: Analyzer,
        view: View,
        applied_seq: int,
    ) -> None:
        self._connection = connection
        self._queries = queries
        self._analyzer = analyzer
        self._view = view
        self._applied_seq = applied_seq
        self._spans: dict[str, NDArray[np.int64]] = {}

    def survey(self, text: str) -> tuple[Corpus, list[Term]]:
        view, places = self._view, self._analyzer.places(text)
        corpus = Corpus(
            len(view), int(view.light["active"].sum()), int(view.light["has_vector"].sum()), self._applied_seq
        )
        found = self._find([stem for stem, _, _ in places])
        known = {stem: int((spans[:, 1] - spans[:, 0]).sum()) for stem, spans in found.items()}
        return corpus, [Term(stem, start, end, known[stem]) for stem, start, end in places]

    def _find(self, stems: Sequence[str]) -> dict[str, NDArray[np.int64]]:
        """Where each stem's postings stand; looked up once a snapshot."""
        missing = list(dict.fromkeys(stem for stem in stems if stem not in self._spans))
        if missing:
            spans = self._view.spans([term(stem) for stem in missing])
            self._spans.update(zip(missing, spans, strict=True))
        return {stem: self._spans[stem] for stem in stems}

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
        if len(positions) > 4 * count > 0:  # only what can be among the first, ties included
            likely = scores >= np.partition(scores, -count)[-count]
            positions, scores = positions[likely], scores[likely]
        order = np.lexsort((light["id"][positions], -scores))[:count]
        return light["row"][positions[order]], scores[order]

    def lexical(self, stems: Sequence[str], admission: Admission, pool: int, open_pool: int) -> LegHits:
        scores = np.zeros(len(self._view))
        for spans in self._find(stems).values():
            positions, counts = self._view.postings(spans)
            scores[positions] += self._bm25(positions, counts)
        admitted, held = self._view.admissible(admission.at), np.flatnonzero(scores)
        inside, outside = held[admitted[held]], held[~admitted[held]]
        return LegHits(
            *self._best(inside, scores[inside].astype(np.float32), pool),
            *self._best(outside, scores[outside].astype(np.float32), open_pool),
        )

    def _bm25(self, positions: NDArray[np.int64], counts: Floats) -> NDArray[np.float64]:
        """What one word adds to each row that holds it; idf = log(1 + (N−n+½)/(n+½)), which is never negative."""
        rows, holding = len(self._view), len(positions)
        rarity = log1p((rows - holding + 0.5) / (holding + 0.5))
        relative = self._view.light["length"][positions] / max(self._view.words, 1e-9)
        often = counts.astype(np.float64)
        return rarity * often * (K1 + 1) / (often + K1 * (1 - B + B * relative))

    def recent(self, admission: Admission, pool: int) -> LegHits:
        light = self._view.light
        inside = np.flatnonzero(self._view.admissible(admission.at))
        newest = inside[np.lexsort((light["id"][inside], -light["created"][inside]))][:pool]
        days = (light["created"][newest] / _MILLIS_A_DAY).astype(np.float32)
        return LegHits(light["row"][newest], days, _NO_ROWS, _NO_SCORES)

    def neighbours(self, rows: Rows, reach: int) -> Rows:
        view, light = self._view, self._view.light
        positions = view.positions(rows)
        positions = positions[light["session"][positions] >= 0]
        found: list[NDArray[np.int64]] = []
        for step in range(-2 * reach, 2 * reach + 1):
            beside = view.by_turn[np.clip(view.place[positions] + step, 0, len(view) - 1)]
            near = np.abs(light["ordinal"][beside] - light["ordinal"][positions]) <= reach
            found.append(beside[near & (light["session"][beside] == light["session"][positions])])
        every = np.unique(light["row"][np.concatenate(found)]) if found else _NO_ROWS
        return np.setdiff1d(every, rows, assume_unique=True)

    def columns(self, rows: Rows, admission: Admission) -> Columns:
        positions = self._view.positions(rows)
        some = {name: column[positions] for name, column in self._view.light.items()}
        valid = (some["valid_from"] <= admission.at) & (admission.at < some["valid_until"])
        return Columns(
            ids=some["id"], active=some["active"], valid=valid, trusted=some["trusted"], boundary=some["boundary"],
            created=some["created"], session=some["session"], ordinal=some["ordinal"],
            importance=some["importance"], pinned=some["pinned"],
        )  # fmt: skip

    def features(self, rows: Rows, query: Vector | None, stems: Sequence[str]) -> Features:
        sql = self._queries["codes"]
        codes = [execute(self._connection, sql, (row,))[0][0] for row in rows.tolist()]
        positions = self._view.positions(rows)
        vectors = self._view.vectors(positions)
        return Features(
            codes=np.frombuffer(b"".join(codes), dtype=np.uint8).reshape(-1, 16),
            ends=np.cumsum([len(each) // 16 for each in codes], dtype=np.int64),
            vectors=vectors,
            cosine=np.zeros(len(rows), dtype=np.float32) if query is None else exact_cosine(vectors, query),
            matched=self._view.matched(positions, [term(stem) for stem in stems]),
        )

    def memories(self, rows: Rows) -> list[Served]:
        sql = self._queries["served"]
        return [served(execute(self._connection, sql, (row,))[0]) for row in rows.tolist()]


def exact_cosine(vectors: Floats, query: Vector) -> Floats:
    """Cosine of unit vectors, the same bits for the same pair wherever the row stands (float64 row sums)."""
    products = vectors.astype(np.float64) * query.astype(np.float64)
    return products.sum(axis=1).astype(np.float32)


def served(row: tuple[Any, ...]) -> Served:
    """A full row as `Served`."""
    record, path, op_id, digest, size, mtime_ns = row
    return Served(Memory.model_validate_json(record), path, op_id, IndexedFile(digest, size, mtime_ns))
