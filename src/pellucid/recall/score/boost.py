"""A ranked pool in, small named terms out: for what a memory is (importance, a pin …), and for whose words it has."""

import numpy as np

from pellucid.recall.score.equation import Floats
from pellucid.recall.state import Mask, Pool, State
from pellucid.store.index_port import OWN

BOOSTS = ("named", "voice", "asking", "importance", "tierPrior", "reinforcement", "heat", "pin")
"""The terms that this stage can add; each can be left out by its name."""
REPETITIONS = 10
"""Repetitions that count, at most: a memory said a hundred times is not worth more than one said ten times."""


def boost(state: State) -> State:
    """Add the terms in `BOOSTS`: for what a memory is (importance, heat, a pin …) and for whose words it has.

    Each is weighted by a setting; `asking` and `tierPrior` are negative. A term is missing if it is 0 for all
    candidates or the request leaves it out.
    """
    pool, settings = state.pool, state.request.settings
    repeated = settings.reinforcement_weight if settings.reinforcement_recall_boost_enabled else 0.0
    is_own = state.plan.own & ((pool.direct & OWN) > 0)  # who asks for something tells of themself, too
    terms = {
        "named": _less_term_of_graph(settings.named_weight * _speaks_of_named(pool).astype(np.float64), pool),
        "voice": settings.voice_weight * is_own.astype(np.float64),
        "asking": 0.0 - settings.asking_weight * (pool.asks & ~is_own).astype(np.float64),
        "importance": settings.importance_weight * pool.importance.astype(np.float64),
        "tierPrior": 0.0 - settings.tier_weight * pool.cold.astype(np.float64),
        "reinforcement": repeated * np.minimum(pool.reinforcement, REPETITIONS).astype(np.float64),
        "heat": settings.heat_weight * pool.heat.astype(np.float64),
        "pin": settings.pin_weight * pool.pinned.astype(np.float64),
    }
    without = state.request.without
    return state.with_terms({name: term for name, term in terms.items() if name not in without and term.any()})


def _speaks_of_named(pool: Pool) -> Mask:
    """Return a mask of the candidates that say something by or about somebody whom the query names.

    A candidate that only asks does not count; in its place count those of the next turn of its session that do not ask.
    """
    out = pool.named & ~pool.asks
    for at in np.flatnonzero(pool.named & pool.asks & (pool.session >= 0)):
        out |= (pool.session == pool.session[at]) & (pool.ordinal == pool.ordinal[at] + 1) & ~pool.asks
    return out


def _less_term_of_graph(named: Floats, pool: Pool) -> Floats:
    """Return the term `named` of each candidate less its `graph` term in the pool, not below 0: the graph leg has
    rewarded the same names. Unchanged if the pool has no `graph` term."""
    return np.maximum(named - pool.terms["graph"], 0.0) if "graph" in pool.terms else named
