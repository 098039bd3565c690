"""Terms in, the final order out: the sum, less a penalty for repeating what already stands higher."""

from dataclasses import replace

import numpy as np

from pellucid.recall.score.equation import Ints, Pairs, choose, total
from pellucid.recall.score.ladder import DIVERSIFY, RUNGS
from pellucid.recall.state import Pool, Rung, State, World
from pellucid.settings.sections import RecallSettings

_SLACK = 1e-4
"""More than a float32 product can be off by."""


def diversify(state: State, world: World) -> State:  # noqa: ARG001 - every stage has one shape
    """Sum the terms and order what passed the ladder."""
    settings = state.request.settings
    wanted = settings.mmr_lambda and "diversify" not in state.request.without
    pairs = _alike(state) if wanted else Pairs()
    pool, positions = settle(replace(state.pool, pairs=pairs), settings)
    return replace(state, features=None, order=positions, pool=pool, rungs=(*state.rungs, *rung(pool, positions)))


def rung(pool: Pool, order: Ints) -> tuple[Rung, ...]:
    """The rung of what stands lower for being like a better one; none where nothing does."""
    lowered = int((pool.penalty[order] > 0).sum())
    return (Rung(DIVERSIFY, len(order), len(order), lowered, "like a better one"),) if lowered else ()


def settle(pool: Pool, settings: RecallSettings) -> tuple[Pool, Ints]:
    """The final score of every candidate, and the order of those that passed the ladder."""
    base = total(pool.terms, len(pool))
    standing = pool.rejected == 0
    penalty, positions = choose(base, standing, pool.pairs, settings.mmr_lambda, settings.mmr_threshold)
    soft = np.where((penalty > 0) & (pool.soft == 0), 1 + RUNGS.index(DIVERSIFY), pool.soft).astype(np.uint8)
    return replace(pool, penalty=penalty, final=base - penalty, soft=soft), positions


def _alike(state: State) -> Pairs:
    """Pairs among what passed the ladder whose cosine is at least the threshold."""
    if state.features is None:
        return {}
    best = np.flatnonzero(state.pool.rejected == 0)
    near = state.features.vectors[best]
    coarse = np.triu(near @ near.T, k=1)
    vectors = near.astype(np.float64)
    out: Pairs = {}
    for a, b in np.argwhere(coarse >= state.request.settings.mmr_threshold - _SLACK).tolist():
        similarity = float(np.float32((vectors[a] * vectors[b]).sum()))
        if similarity >= state.request.settings.mmr_threshold:
            out[int(best[a]), int(best[b])] = similarity
    return out
