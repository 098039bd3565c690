"""A ranked pool in, small named terms out: what a memory is worth by what it is, and by whose words are asked for."""

import numpy as np

from pellucid.recall.score.equation import Floats
from pellucid.recall.state import Pool, State
from pellucid.store.index_port import OWN

BOOSTS = ("named", "voice", "asking", "importance", "tierPrior", "reinforcement", "heat", "pin")
"""The terms this stage may add; each can be left out by its name."""
REPETITIONS = 10
"""Repetitions that count: a memory said a hundred times is not worth more than one said ten times."""


def boost(state: State) -> State:
    """Add as terms what a memory is worth by what it is (importance, heat, a pin …), as far as weights are not 0."""
    pool, settings = state.pool, state.request.settings
    repeated = settings.reinforcement_weight if settings.reinforcement_recall_boost_enabled else 0.0
    own = state.plan.own & ((pool.direct & OWN) > 0)  # who asks for something tells of themself, too
    worths = {
        "named": _unpaid(settings.named_weight * pool.named.astype(np.float64), pool),
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


def _unpaid(named: Floats, pool: Pool) -> Floats:
    """What is left of the worth of being named where the graph leg, which begins at the same names, has not paid it."""
    return np.maximum(named - pool.terms["graph"], 0.0) if "graph" in pool.terms else named
