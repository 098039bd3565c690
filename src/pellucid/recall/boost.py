"""A ranked pool in, small named terms out: what a memory is worth whatever was asked."""

from dataclasses import replace

import numpy as np

from pellucid.recall.state import Pool, State, World
from pellucid.settings import RecallSettings


def boost(state: State, world: World) -> State:  # noqa: ARG001 - every stage has one shape
    """Add importance and pins, each where its weight is not 0 and some candidate has it."""
    return replace(state, pool=favour(state.pool, state.request.settings))


def favour(pool: Pool, settings: RecallSettings) -> Pool:
    """The pool with a term for every such worth that some candidate has."""
    terms = dict(pool.terms)
    if settings.importance_weight:
        terms["importance"] = settings.importance_weight * pool.importance.astype(np.float64)
    if settings.pin_weight and pool.pinned.any():
        terms["pin"] = settings.pin_weight * pool.pinned.astype(np.float64)
    return replace(pool, terms=terms)
