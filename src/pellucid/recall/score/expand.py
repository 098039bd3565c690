"""A fused pool in, a wider pool out: neighbouring turns join, and every candidate is owed a share of its neighbours."""

from dataclasses import replace

import numpy as np

from pellucid.recall.legs.pool import join
from pellucid.recall.score.equation import REACH, expansion
from pellucid.recall.score.fuse import fused
from pellucid.recall.state import Pool, State, World


def widen(state: State, world: World) -> State:
    """Add to the pool the turns that stand beside each leg's first places; nothing where scores are not passed on."""
    pool, settings = state.pool, state.request.settings
    if len(pool) == 0 or settings.score_propagation_alpha == 0:
        return state
    beside = world.reader.neighbours(pool.rows[leading(pool, settings.expand_from)], REACH, state.admission)
    pool = join(world.reader, pool, np.setdiff1d(beside, pool.rows), state.admission, state.plan)
    return replace(state, pool=pool)


def leading(pool: Pool, places: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """A mask of the first `places` of each leg, whose neighbours join the pool.

    Each leg is taken by itself, so that leaving one out moves no other's.
    """
    out = np.zeros(len(pool), dtype=np.bool_)
    for ranks in pool.ranks.values():
        out |= (ranks > 0) & (ranks <= places)
    return out


def expand(state: State) -> State:
    """Add the `expansion` term: the share of its session neighbours' fused scores that each candidate gains."""
    pool, alpha = state.pool, state.request.settings.score_propagation_alpha
    if len(pool) == 0 or alpha == 0:
        return state
    return state.with_terms({"expansion": expansion(fused(pool), pool.session, pool.ordinal, pool.place, alpha)})
