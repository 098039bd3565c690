"""Terms in, the final order out: the sum, less a penalty for repeating a better candidate."""

from dataclasses import replace

import numpy as np

from pellucid.model.snapshot import FilterTrace
from pellucid.recall.score.equation import Pairs, choose, total
from pellucid.recall.score.ladder import DIVERSIFY, RUNGS
from pellucid.recall.state import State

_SLACK = 1e-4
"""The most that a float32 product can be off."""


def compare(state: State) -> State:
    """Set the pool's pairs of similar candidates, and drop the state's `features`, which no later stage reads.

    There are none if the weight of the penalty for similarity (`mmrLambda`) is 0, the request leaves `diversify` out,
    or the state has no `features`.
    """
    settings = state.request.settings
    wanted = settings.mmr_lambda and "diversify" not in state.request.without
    return replace(state, features=None, pool=replace(state.pool, pairs=_similar_pairs(state) if wanted else Pairs()))


def diversify(state: State) -> State:
    """Set the final score of every candidate (its terms less the penalty), and `order`: those that passed, best first.

    To pass is to be rejected by no filter. The penalty is for similarity to a better candidate. If it lowers the score
    of some that passed, `rungs` gets a report `mmr-diversify`; `soft` of each lowered candidate, if still 0, gets its
    number in `RUNGS`.
    """
    pool, settings = state.pool, state.request.settings
    base = total(pool.terms, len(pool))
    penalty, order = choose(base, pool.rejected == 0, pool.pairs, settings.mmr_lambda, settings.mmr_threshold)
    soft = np.where((penalty > 0) & (pool.soft == 0), 1 + RUNGS.index(DIVERSIFY), pool.soft).astype(np.uint8)
    pool = replace(pool, penalty=penalty, final=base - penalty, soft=soft)
    lowered = int((penalty[order] > 0).sum())
    came, reason = len(order), "like a better one"
    rung = FilterTrace(name=DIVERSIFY, considered=came, admitted=came, soft_admitted=lowered, reason=reason)
    return replace(state, pool=pool, order=order, rungs=(*state.rungs, *((rung,) if lowered else ())))


def _similar_pairs(state: State) -> Pairs:
    """Map pairs of pool positions, the lower first, to their cosine, if that is at least `mmrThreshold`.

    Only candidates that passed every filter are compared. Empty if the state has no `features`.
    """
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
