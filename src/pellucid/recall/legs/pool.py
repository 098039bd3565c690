"""Hits of legs in, the pool of candidates out: each row once, sorted by id, with every column a later stage reads."""

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
    """Return the pool of everything that the legs found, each row once, whether in their admitted search or in their
    open search among rows that are not allowed to answer.

    `hits` maps the names of legs, as they were asked (`vector@2`), to what each found. Of `plan`, the people named and
    the period are read, for the columns `named` and `dated`.
    """
    rows_found = [rows for found in hits.values() for rows in (found.rows, found.open_rows)]
    pool = _blank_pool(reader, np.unique(np.concatenate([*rows_found, _NO_ROWS])), admission, plan)
    scores = dict[str, NDArray[np.float32]]()
    for name, found in hits.items():
        place = _positions(pool, np.r_[found.rows, found.open_rows])
        scores[name] = _spread_column(np.r_[found.scores, found.open_scores], place, len(pool), np.nan)
    return replace(
        pool,
        ranks={name: _rank_column(pool, found.rows) for name, found in hits.items()},
        open_ranks={name: _rank_column(pool, found.open_rows) for name, found in hits.items()},
        scores=scores,
    )


def join(reader: IndexReader, pool: Pool, rows: Rows, admission: Admission, plan: Plan) -> Pool:
    """Return the pool with these further rows, which no leg ranked; the pool itself if there are none.

    The rows must be distinct and not in the pool. Of what stages filled in, only ranks, scores and terms are kept.
    """
    if len(rows) == 0:
        return pool
    # all columns are read again, of the present rows too: a pool is sorted by id as a whole
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
    """Return the pool cut down to the candidates of the mask, with all their columns and the pairs among them; its
    `newer_than` is empty."""
    new_position = np.cumsum(kept) - 1
    pairs = {
        (int(new_position[a]), int(new_position[b])): much for (a, b), much in pool.pairs.items() if kept[a] and kept[b]
    }
    flat = {each.name: getattr(pool, each.name)[kept] for each in fields(Pool) if each.name not in _NESTED}
    deep = {name: {key: column[kept] for key, column in getattr(pool, name).items()} for name in _KEYED}
    two = {
        name: tuple((int(new_position[a]), int(new_position[b])) for a, b in getattr(pool, name) if kept[a] and kept[b])
        for name in _PAIRED
    }
    return replace(pool, pairs=pairs, newer_than={}, **two, **flat, **deep)


_KEYED = ("ranks", "open_ranks", "scores", "terms")
_PAIRED = ("replaced", "retold")
_NESTED = (*_KEYED, *_PAIRED, "pairs", "newer_than")


def _blank_pool(reader: IndexReader, rows: Rows, admission: Admission, plan: Plan) -> Pool:
    """Return a pool of these rows without ranks, with the index columns and with the two columns that depend on the
    plan: `named` (the people that it names) and `dated` (its period)."""
    pool = blank_pool(rows, reader.columns(rows, admission), plan.named)
    return replace(pool, dated=_mask_of_period(pool, plan.period))


def _mask_of_period(pool: Pool, period: Period | None) -> Mask:
    """Return a mask of the candidates created in the period, whose end is excluded; all of them if it is None."""
    inside = np.ones(len(pool), dtype=np.bool_)
    if period is not None and period.since is not None:
        inside &= pool.created >= period.since
    if period is not None and period.until is not None:
        inside &= pool.created < period.until
    return inside


def _positions(pool: Pool, rows: Rows) -> NDArray[np.int64]:
    """Return the pool position of each of these index rows, all of which must be in the pool."""
    order = np.argsort(pool.rows)
    return order[np.searchsorted(pool.rows, rows, sorter=order)]


def _rank_column(pool: Pool, rows: Rows) -> Ints:
    """Return a pool column with the rank, from 1, of each of these rows (which are best first); 0 for all others."""
    return _spread_column(np.arange(1, len(rows) + 1), _positions(pool, rows), len(pool))


def _spread_column(values: NDArray[T], place: NDArray[np.int64], count: int, blank: float = 0) -> NDArray[T]:
    """Return a column of `count` values: `values` at the positions `place`, `blank` everywhere else."""
    out = np.full(count, blank, dtype=values.dtype)
    out[place] = values
    return out
