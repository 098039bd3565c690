"""Ranks and inputs in, score terms out: the arithmetic of a recall, shared by the live run and every later explanation.

    final = Σ_leg w·(k+1)/(k+rank) + Σ_reranker w_r·(k+1)/(k+rank) + named + voice + asking + importance
            + tierPrior + reinforcement + heat + pin + expansion + renewal + direct − mmrPenalty

All arrays are aligned with a pool that is sorted by id. Of equal scores the newer stands first, then the lower id.
"""

import heapq
from collections.abc import Mapping
from math import fsum

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]
Pairs = dict[tuple[int, int], float]

TERMS = (
    "temporal",
    "rerank",
    "rerankPassage",
    "named",
    "voice",
    "asking",
    "importance",
    "tierPrior",
    "reinforcement",
    "heat",
    "pin",
    "expansion",
    "renewal",
    "direct",
)
"""The terms that are added, in the order they are shown, behind those of the legs (`nominate.LEGS`).

Those of sub-questions (`vector@2`) come behind them; `mmrPenalty` is subtracted last.
"""

DAY = 86_400_000
REACH = 2
SAME_TURN = 0.5
"""What of its share is lent to what came of the same turn."""
_SHARES = np.array([1.0, 1.0, 0.5, 0.0])
"""A neighbour's share of `scorePropagationAlpha`, by distance: 0 (in receipts from before), ±1, ±2, further away."""
SESSION_DISCOUNT = 0.25
SESSION_BEST = 3


def reciprocal(ranks: Ints, weight: float, k: int) -> Floats:
    """The term of a ranked list: `weight·(k+1)/(k+rank)`; 0 where the rank is 0 (not in the list).

    Reciprocal rank fusion (Cormack, Clarke, Büttcher, SIGIR 2009), scaled so that the first rank is worth `weight`.
    """
    return np.where(ranks > 0, weight * (k + 1) / (k + np.maximum(ranks, 1)), 0.0)


def recency(created: Ints, at: int, days: float) -> Floats:
    """How recent each is at `at` (epoch ms), e^(−age/days): 1 if new. Age in whole days keeps scores stable all day."""
    return np.exp(-(np.maximum(at - created, 0) // DAY) / days)


def rank(scores: NDArray[np.floating] | Ints, among: Mask, created: Ints) -> Ints:
    """1-based ranks by score within the mask `among`, ties to the newer, then the lower position; 0 outside it."""
    inside = np.flatnonzero(among)
    order = inside[np.lexsort((inside, -created[inside], -scores[inside].astype(np.float64)))]
    ranks = np.zeros(len(scores), dtype=np.int64)
    ranks[order] = np.arange(1, len(order) + 1)
    return ranks


def expansion(fused: Floats, session: Ints, ordinal: Ints, place: Ints, alpha: float) -> Floats:
    """What each candidate gains from the fused scores of its session; `session` is -1 where there is none.

    `alpha` times: neighbours at distance 1 in full, at 2 by half, plus a quarter of the session's three best other
    scores. The distance of two is the greater of that in turns (`ordinal`) and in rows (`place`), so that the many
    passages of a long turn do not all lift the next turn. Passages of one turn give each other half.
    """
    order = np.lexsort((place, ordinal, session))
    sessions, ordinals, places, scores = session[order], ordinal[order], place[order], fused[order]
    owed = np.zeros(len(fused))
    for step in range(1, min(REACH, len(fused) - 1) + 1):
        apart = np.maximum(ordinals[step:] - ordinals[:-step], places[step:] - places[:-step])
        distance = np.where(sessions[step:] == sessions[:-step], apart, REACH + 1)
        same = np.where(ordinals[step:] == ordinals[:-step], SAME_TURN, 1.0)
        share = same * _SHARES[np.minimum(distance, REACH + 1)]
        owed[:-step] += share * scores[step:]
        owed[step:] += share * scores[:-step]
    owed += SESSION_DISCOUNT * _best_others(sessions, scores)
    out = np.zeros(len(fused))
    out[order] = alpha * np.where(sessions >= 0, owed, 0.0)
    return out


def _best_others(sessions: Ints, scores: Floats) -> Floats:
    """For each row the sum of the three best scores of its session, its own score left out."""
    if len(sessions) == 0:
        return scores
    order = np.lexsort((-scores, sessions))
    first = np.flatnonzero(np.r_[True, np.diff(sessions[order]) != 0])
    group = np.cumsum(np.r_[True, np.diff(sessions[order]) != 0]) - 1
    place = np.arange(len(order)) - first[group]
    ranked = scores[order]
    best = np.bincount(group, weights=np.where(place < SESSION_BEST, ranked, 0.0))
    runner_up = np.bincount(group, weights=np.where(place == SESSION_BEST, ranked, 0.0))
    out = np.empty_like(scores)
    out[order] = np.where(place < SESSION_BEST, best[group] - ranked + runner_up[group], best[group])
    return out


STEP = 0.001
"""How far above an older memory the newer one is put."""


def succession(base: Floats, created: Ints, leads: Floats) -> tuple[Floats, dict[int, int]]:
    """How far each newer candidate is raised to stand `STEP` above the older ones it may overtake; and which those are.

    `leads[older, newer]` is the greatest lead that may be overtaken, below 0 for none. The mapping gives, by the
    position of each raised one, that of the best it now stands above. Oldest first, so that in a chain the newest ends
    on top.
    """
    final, above = base.copy(), dict[int, int]()
    for newer in np.lexsort((np.arange(len(base)), created)).tolist():
        lead = final - base[newer]
        overtaken = np.flatnonzero((lead >= 0) & (lead <= leads[:, newer]))
        if len(overtaken):
            above[newer] = best = int(overtaken[np.argmax(final[overtaken])])
            final[newer] = final[best] + STEP
    return final - base, above


def total(terms: Mapping[str, Floats], count: int) -> Floats:
    """The exact sum of each candidate's terms (`math.fsum`), independent of their order; zeros without terms."""
    columns = list(terms.values())
    if not columns:
        return np.zeros(count)
    return np.array([fsum(row) for row in np.column_stack(columns).tolist()])


def choose(base: Floats, eligible: Mask, pairs: Pairs, weight: float, threshold: float) -> tuple[Floats, Ints]:
    """Greedy choice with a penalty `weight·(similarity − threshold)` for similarity to something already chosen.

    `pairs` holds similarities of at least the threshold, by pool position. Returns each candidate's penalty, and the
    positions of the `eligible` ones in the order chosen: maximal marginal relevance (Carbonell & Goldstein, SIGIR
    1998), in an additive form that leaves unlike candidates untouched.
    """
    penalty = np.zeros_like(base)
    like: dict[int, list[tuple[int, float]]] = {}
    for (a, b), similarity in pairs.items():
        like.setdefault(a, []).append((b, similarity))
        like.setdefault(b, []).append((a, similarity))
    waiting = set(np.flatnonzero(eligible).tolist())
    heap = [(-base[position], position) for position in waiting]
    heapq.heapify(heap)
    chosen: list[int] = []
    while heap:
        score, position = heapq.heappop(heap)
        current = base[position] - penalty[position]
        if -score > current:  # penalties only grow: what stands too high in the heap goes back with its score of now
            heapq.heappush(heap, (-current, position))
            continue
        chosen.append(position)
        waiting.remove(position)
        for other, similarity in like.get(position, ()):
            if other not in waiting:
                continue
            penalty[other] = max(penalty[other], weight * (similarity - threshold))
    return penalty, np.array(chosen, dtype=np.int64)
