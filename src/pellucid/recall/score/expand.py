"""A fused pool in, a wider pool out: neighbouring turns join, and every candidate is owed a share of its neighbours."""

from dataclasses import replace

import numpy as np

from pellucid.recall.legs.pool import join
from pellucid.recall.score.equation import REACH, expansion
from pellucid.recall.score.fuse import fused
from pellucid.recall.state import Pool, State, World


def widen(state: State, world: World) -> State:
    """Bring in the turns beside each leg's first places."""
    pool, settings = state.pool, state.request.settings
    if len(pool) == 0 or settings.score_propagation_alpha == 0:
        return state
    beside = world.reader.neighbours(pool.rows[leading(pool, settings.expand_from)], REACH, state.admission)
    pool = join(world.reader, pool, np.setdiff1d(beside, pool.rows), state.admission, state.plan)
    return replace(state, pool=pool)


def leading(pool: Pool, places: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Whose neighbours join: the first places of each leg, leg by leg, so that leaving one out moves no other's."""
    out = np.zeros(len(pool), dtype=np.bool_)
    for ranks in pool.ranks.values():
        out |= (ranks > 0) & (ranks <= places)
    return out


def expand(state: State) -> State:
    """Pass the fused scores along each session, as a term."""
    pool, alpha = state.pool, state.request.settings.score_propagation_alpha
    if len(pool) == 0 or alpha == 0:
        return state
    return state.with_terms({"expansion": expansion(fused(pool), pool.session, pool.ordinal, pool.place, alpha)})
