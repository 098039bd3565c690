"""A fused pool in, a wider pool out: neighbouring turns join, and candidates gain a share of neighbours' scores."""

from dataclasses import replace

import numpy as np

from pellucid.recall.legs.pool import join
from pellucid.recall.score.equation import REACH, Mask, expansion
from pellucid.recall.score.fuse import fused
from pellucid.recall.state import Pool, State, World


def widen(state: State, world: World) -> State:
    """Add to the pool the rows up to two turns from each leg's first `expandFrom` candidates in their sessions.

    The same state if `scorePropagationAlpha` is 0, or there are no candidates.
    """
    pool, settings = state.pool, state.request.settings
    if len(pool) == 0 or settings.score_propagation_alpha == 0:
        return state
    beside = world.reader.neighbours(pool.rows[top_of_each_leg(pool, settings.expand_from)], REACH, state.admission)
    pool = join(world.reader, pool, np.setdiff1d(beside, pool.rows), state.admission, state.plan)
    return replace(state, pool=pool)


def top_of_each_leg(pool: Pool, places: int) -> Mask:
    """Return a mask of the candidates in the first `places` of some leg's search among rows allowed to answer."""
    out = np.zeros(len(pool), dtype=np.bool_)
    for ranks in pool.ranks.values():
        out |= (ranks > 0) & (ranks <= places)
    return out


def expand(state: State) -> State:
    """Add the `expansion` term: what each candidate gains from the fused scores of its neighbours in the session.

    The same state if `scorePropagationAlpha` is 0, or there are no candidates. See `equation.expansion`.
    """
    pool, alpha = state.pool, state.request.settings.score_propagation_alpha
    if len(pool) == 0 or alpha == 0:
        return state
    return state.with_terms({"expansion": expansion(fused(pool), pool.session, pool.ordinal, pool.place, alpha)})
