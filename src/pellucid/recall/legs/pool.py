"""Leg hits in, the pool of candidates out: the union, sorted by id, with every column a later stage reads."""

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from pellucid.recall.score.equation import Ints, Mask
from pellucid.recall.state import Period, Plan, Pool, blank_pool
from pellucid.store.index_port import Admission, IndexReader, LegHits, Rows

_NO_ROWS: Rows = np.zeros(0, dtype=np.int64)
T = TypeVar("T", bound=np.generic)


def gather(reader: IndexReader, hits: Mapping[str, LegHits], admission: Admission, plan: Plan) -> Pool:
    """The pool of all that the legs found in their admitted or open search, each row once."""
    brought = [rows for found in hits.values() for rows in (found.rows, found.open_rows)]
    pool = _blank_pool(reader, np.unique(np.concatenate([*brought, _NO_ROWS])), admission, plan)
    return replace(
        pool,
        ranks={name: _rank_column(pool, found.rows) for name, found in hits.items()},
        open_ranks={name: _rank_column(pool, found.open_rows) for name, found in hits.items()},
        scores={
            name: _score_column(pool, np.r_[found.rows, found.open_rows], np.r_[found.scores, found.open_scores])
            for name, found in hits.items()
        },
    )


def join(reader: IndexReader, pool: Pool, rows: Rows, admission: Admission, plan: Plan) -> Pool:
    """The pool with these further rows, which no leg ranked."""
    if len(rows) == 0:
        return pool
    wider = _blank_pool(reader, np.r_[pool.rows, rows], admission, plan)
    place = _positions(wider, pool.rows)
    return replace(
        wider,
        ranks={name: _spread_column(ranks, place, len(wider)) for name, ranks in pool.ranks.items()},
        open_ranks={name: _spread_column(ranks, place, len(wider)) for name, ranks in pool.open_ranks.items()},
        scores={name: _spread_column(scores, place, len(wider), np.nan) for name, scores in pool.scores.items()},
        terms={name: _spread_column(term, place, len(wider)) for name, term in pool.terms.items()},
    )


def keep_candidates(pool: Pool, kept: Mask) -> Pool:
    """The pool cut down to the candidates of the mask, with all their columns and the pairs among them."""
    place = np.cumsum(kept) - 1
    pairs = {(int(place[a]), int(place[b])): much for (a, b), much in pool.pairs.items() if kept[a] and kept[b]}
    flat = {each.name: getattr(pool, each.name)[kept] for each in fields(Pool) if each.name not in _NESTED}
    deep = {name: {key: column[kept] for key, column in getattr(pool, name).items()} for name in _KEYED}
    two = {
        name: tuple((int(place[a]), int(place[b])) for a, b in getattr(pool, name) if kept[a] and kept[b])
        for name in _PAIRED
    }
    return replace(pool, pairs=pairs, newer_than={}, **two, **flat, **deep)


_KEYED = ("ranks", "open_ranks", "scores", "terms")
_PAIRED = ("replaced", "retold")
_NESTED = (*_KEYED, *_PAIRED, "pairs", "newer_than")


def _blank_pool(reader: IndexReader, rows: Rows, admission: Admission, plan: Plan) -> Pool:
    """A pool of these rows without leg ranks, but with who is named in the query and made within its period."""
    columns = reader.columns(rows, admission)
    by_id = np.argsort(columns.ids, kind="stable")
    pool = blank_pool(rows, columns)
    return replace(
        pool, named=np.isin(columns.about[by_id], list(plan.named)), dated=_mask_of_period(pool, plan.period)
    )


def _mask_of_period(pool: Pool, period: Period | None) -> Mask:
    """Which candidates were created in the period, its end excluded; all of them without one."""
    inside = np.ones(len(pool), dtype=np.bool_)
    if period is not None and period.since is not None:
        inside &= pool.created >= period.since
    if period is not None and period.until is not None:
        inside &= pool.created < period.until
    return inside


def _positions(pool: Pool, rows: Rows) -> NDArray[np.int64]:
    """The pool position of each of these index rows."""
    order = np.argsort(pool.rows)
    return order[np.searchsorted(pool.rows, rows, sorter=order)]


def _rank_column(pool: Pool, rows: Rows) -> Ints:
    """A pool column with the rank, from 1, of each of these rows, best first; 0 for all others."""
    return _spread_column(np.arange(1, len(rows) + 1), _positions(pool, rows), len(pool))


def _score_column(pool: Pool, rows: Rows, scores: NDArray[np.float32]) -> NDArray[np.float32]:
    """A pool column with the scores of these rows; NaN for all others."""
    return _spread_column(scores, _positions(pool, rows), len(pool), np.nan)


def _spread_column(values: NDArray[T], place: NDArray[np.int64], count: int, blank: float = 0) -> NDArray[T]:
    """A column of `count` values: `values` at the positions `place`, `blank` everywhere else."""
    out = np.full(count, blank, dtype=values.dtype)
    out[place] = values
    return out
