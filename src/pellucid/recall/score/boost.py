"""A ranked pool in, small named terms out: what a memory is worth by what it is, and by whose words are asked for."""

from collections.abc import Mapping

import numpy as np

from pellucid.recall.score.equation import Floats
from pellucid.recall.state import Plan, Pool, State
from pellucid.settings.sections import RecallSettings
from pellucid.store.index_port import OWN

BOOSTS = ("named", "voice", "asking", "importance", "tierPrior", "reinforcement", "heat", "pin")
"""The terms this stage may add; each can be left out by its name."""
REPETITIONS = 10
"""Repetitions that count: a memory said a hundred times is not worth more than one said ten times."""


def boost(state: State) -> State:
    """Add every such worth whose weight is not 0, where some candidate has it."""
    worths = _worths(state.pool, state.plan, state.request.settings).items()
    return state.with_terms(
        {name: worth for name, worth in worths if name not in state.request.without and worth.any()}
    )


def _worths(pool: Pool, plan: Plan, settings: RecallSettings) -> Mapping[str, Floats]:
    repeated = settings.reinforcement_weight if settings.reinforcement_recall_boost_enabled else 0.0
    own = plan.own & ((pool.direct & OWN) > 0)  # who asks for something tells of themself, too
    return {
        "named": _unpaid(settings.named_weight * pool.named.astype(np.float64), pool),
        "voice": settings.voice_weight * own.astype(np.float64),
        "asking": 0.0 - settings.asking_weight * (pool.asks & ~own).astype(np.float64),
        "importance": settings.importance_weight * pool.importance.astype(np.float64),
        "tierPrior": 0.0 - settings.tier_weight * pool.cold.astype(np.float64),
        "reinforcement": repeated * np.minimum(pool.reinforcement, REPETITIONS).astype(np.float64),
        "heat": settings.heat_weight * pool.heat.astype(np.float64),
        "pin": settings.pin_weight * pool.pinned.astype(np.float64),
    }


def _unpaid(named: Floats, pool: Pool) -> Floats:
    """What is left of the worth of being named where the graph leg, which begins at the same names, has not paid it."""
    return np.maximum(named - pool.terms["graph"], 0.0) if "graph" in pool.terms else named
