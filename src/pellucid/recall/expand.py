"""A fused pool in, a wider pool out: neighbouring turns join, and every candidate is owed a share of its neighbours."""

from dataclasses import replace

import numpy as np

from pellucid.recall.equation import REACH, expansion
from pellucid.recall.fuse import fused
from pellucid.recall.pool import join
from pellucid.recall.state import Pool, State, World


def expand(state: State, world: World) -> State:
    """Bring in the turns beside the best candidates, and pass scores along each session."""
    pool, settings = state.pool, state.request.settings
    if len(pool) == 0 or settings.score_propagation_alpha == 0:
        return state
    best = np.argsort(-fused(pool), kind="stable")[: settings.expand_from]
    beside = world.reader.neighbours(pool.rows[best[pool.nominated[best]]], REACH)
    pool = join(world.reader, pool, np.setdiff1d(beside, pool.rows), state.admission)
    return replace(state, pool=owe(pool, settings.score_propagation_alpha))


def owe(pool: Pool, alpha: float) -> Pool:
    """Pass the fused scores along each session, as a term."""
    owed = expansion(fused(pool), pool.session, pool.ordinal, alpha)
    return replace(pool, terms={**pool.terms, "expansion": owed})
