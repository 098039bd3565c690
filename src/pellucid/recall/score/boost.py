"""A ranked pool in, small named terms out: what a memory is worth by what it is, and by whose words are asked for."""

import numpy as np

from pellucid.recall.score.equation import Floats
from pellucid.recall.state import Mask, Pool, State
from pellucid.store.index_port import OWN

BOOSTS = ("named", "voice", "asking", "importance", "tierPrior", "reinforcement", "heat", "pin")
"""The terms this stage may add; each can be left out by its name."""
REPETITIONS = 10
"""Repetitions that count: a memory said a hundred times is not worth more than one said ten times."""


def boost(state: State) -> State:
    """Add as terms what a memory is worth by what it is (importance, heat, a pin …), each weighted by a setting."""
    pool, settings = state.pool, state.request.settings
    repeated = settings.reinforcement_weight if settings.reinforcement_recall_boost_enabled else 0.0
    own = state.plan.own & ((pool.direct & OWN) > 0)  # who asks for something tells of themself, too
    worths = {
        "named": _less_graph_term(settings.named_weight * _speaks_of_named(pool).astype(np.float64), pool),
        "voice": settings.voice_weight * own.astype(np.float64),
        "asking": 0.0 - settings.asking_weight * (pool.asks & ~own).astype(np.float64),
        "importance": settings.importance_weight * pool.importance.astype(np.float64),
        "tierPrior": 0.0 - settings.tier_weight * pool.cold.astype(np.float64),
        "reinforcement": repeated * np.minimum(pool.reinforcement, REPETITIONS).astype(np.float64),
        "heat": settings.heat_weight * pool.heat.astype(np.float64),
        "pin": settings.pin_weight * pool.pinned.astype(np.float64),
    }
    gone = state.request.without
    return state.with_terms({name: worth for name, worth in worths.items() if name not in gone and worth.any()})


def _speaks_of_named(pool: Pool) -> Mask:
    """Which candidates say something by or about somebody the query names.

    A turn that only asks says nothing: the turn behind it has this in its place.
    """
    out = pool.named & ~pool.asks
    for at in np.flatnonzero(pool.named & pool.asks & (pool.session >= 0)):
        out |= (pool.session == pool.session[at]) & (pool.ordinal == pool.ordinal[at] + 1) & ~pool.asks
    return out


def _less_graph_term(named: Floats, pool: Pool) -> Floats:
    """The `named` term less the `graph` term, not below 0: the graph leg has paid for the same names."""
    return np.maximum(named - pool.terms["graph"], 0.0) if "graph" in pool.terms else named
