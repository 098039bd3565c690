"""Ranks and inputs in, score terms out: the arithmetic of a recall, shared by the live run and every later explanation.

    final = Σ_leg w·(k+1)/(k+rank) + Σ_reranker w_r·(k+1)/(k+rank) + named + voice + asking + importance
            + tierPrior + reinforcement + heat + pin + expansion + renewal + direct − mmrPenalty

All arrays are aligned with a pool that is sorted by id. Of equal scores the lower id stands first; in a leg, and with a
reranker, the newer, then the lower id.
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
"""The terms that are added, in the order they are shown, after those of the legs (`nominate.LEGS`).

Those of sub-questions (`vector@2`) come after them; `mmrPenalty` is subtracted last.
"""

DAY = 86_400_000
REACH = 2
SAME_TURN = 0.5
"""The part of a neighbour's share that counts if both are of the same turn."""
_SHARES = np.array([1.0, 1.0, 0.5, 0.0])
"""A neighbour's share of `scorePropagationAlpha`, by distance: 0 (in old receipts), ±1, ±2, further away."""
SESSION_DISCOUNT = 0.25
SESSION_BEST = 3


def reciprocal(ranks: Ints, weight: float, k: int) -> Floats:
    """Return the term of each rank in a ranked list, `weight·(k+1)/(k+rank)`; 0 if the rank is 0 (not in the list).

    Reciprocal rank fusion (Cormack, Clarke, Büttcher, SIGIR 2009), scaled so that the first rank is worth `weight`.
    """
    return np.where(ranks > 0, weight * (k + 1) / (k + np.maximum(ranks, 1)), 0.0)


def recency(created: Ints, at: int, days: float) -> Floats:
    """Return how recent each of the instants `created` is at the instant `at` (epoch ms): e^(−age/`days`), 1 if it is
    new or after `at`.

    Age is in whole days, so scores stay equal all day.
    """
    return np.exp(-(np.maximum(at - created, 0) // DAY) / days)


def rank(scores: NDArray[np.floating] | Ints, among: Mask, created: Ints) -> Ints:
    """Return ranks, from 1, by falling score within the mask `among`; 0 outside it.

    Of equals the newer comes first (`created`, epoch ms), then the one at the lower position.
    """
    inside = np.flatnonzero(among)
    order = inside[np.lexsort((inside, -created[inside], -scores[inside].astype(np.float64)))]
    ranks = np.zeros(len(scores), dtype=np.int64)
    ranks[order] = np.arange(1, len(order) + 1)
    return ranks


def expansion(fused: Floats, session: Ints, ordinal: Ints, place: Ints, alpha: float) -> Floats:
    """Return what each candidate gains from the fused scores of its session; 0 without one (`session` is -1).

    `alpha` times: neighbours at distance 1 in full, at 2 by half, plus a quarter of the session's three best other
    scores. A distance is the greater of the distances in turns (`ordinal`) and in rows (`place`), so that the many
    passages of a long turn do not all lift the next turn. Passages of one turn give each other half.
    """
    order = np.lexsort((place, ordinal, session))
    sessions, ordinals, places, scores = session[order], ordinal[order], place[order], fused[order]
    gained = np.zeros(len(fused))
    for step in range(1, min(REACH, len(fused) - 1) + 1):
        apart = np.maximum(ordinals[step:] - ordinals[:-step], places[step:] - places[:-step])
        distance = np.where(sessions[step:] == sessions[:-step], apart, REACH + 1)
        same = np.where(ordinals[step:] == ordinals[:-step], SAME_TURN, 1.0)
        share = same * _SHARES[np.minimum(distance, REACH + 1)]
        gained[:-step] += share * scores[step:]
        gained[step:] += share * scores[:-step]
    gained += SESSION_DISCOUNT * _best_others(sessions, scores)
    out = np.zeros(len(fused))
    out[order] = alpha * np.where(sessions >= 0, gained, 0.0)
    return out


def shares_lent(position: int, fused: Floats, session: Ints, ordinal: Ints, place: Ints) -> Floats:
    """Return what each candidate lends the one at `position`, by the columns that `expansion` takes, too: `alpha` times
    their sum is the `expansion` of that one.

    0 for itself and for other sessions.
    """
    others = np.flatnonzero((session == session[position]) & (session >= 0) & (np.arange(len(fused)) != position))
    apart = np.maximum(np.abs(ordinal[others] - ordinal[position]), np.abs(place[others] - place[position]))
    shares = np.where(ordinal[others] == ordinal[position], SAME_TURN, 1.0) * _SHARES[np.minimum(apart, REACH + 1)]
    shares[np.argsort(-fused[others], kind="stable")[:SESSION_BEST]] += SESSION_DISCOUNT
    out = np.zeros(len(fused))
    out[others] = shares * fused[others]
    return out


def _best_others(sessions: Ints, scores: Floats) -> Floats:
    """Return for each row the sum of the three best scores among the other rows of its session. `sessions` has each
    row's number of session; rows with -1 count as one session, too."""
    if len(sessions) == 0:
        return scores
    order = np.lexsort((-scores, sessions))
    begins = np.r_[True, np.diff(sessions[order]) != 0]
    first, group = np.flatnonzero(begins), np.cumsum(begins) - 1
    place = np.arange(len(order)) - first[group]
    ranked = scores[order]
    best = np.bincount(group, weights=np.where(place < SESSION_BEST, ranked, 0.0))
    runner_up = np.bincount(group, weights=np.where(place == SESSION_BEST, ranked, 0.0))
    out = np.empty_like(scores)
    out[order] = np.where(place < SESSION_BEST, best[group] - ranked + runner_up[group], best[group])
    return out


STEP = 0.001
"""How far above an older memory a newer memory is put."""


def succession(base: Floats, created: Ints, leads: Floats) -> tuple[Floats, dict[int, int]]:
    """Return how far each candidate is raised (0 if not) to be `STEP` above the best of the older ones it overtakes.

    It overtakes those whose score (`base`, or as raised) is ahead of its own by 0 to `leads[older, newer]`. `leads`
    alone says who is older: it must be below 0 on the diagonal and for every other pair. The second value maps the
    position of each raised candidate to that of the best one it overtakes. They are raised in the order of `created`,
    so that in a chain the newest ends on top."""
    final, above = base.copy(), dict[int, int]()
    for newer in np.lexsort((np.arange(len(base)), created)).tolist():
        lead = final - base[newer]
        overtaken = np.flatnonzero((lead >= 0) & (lead <= leads[:, newer]))
        if len(overtaken):
            above[newer] = best = int(overtaken[np.argmax(final[overtaken])])
            final[newer] = final[best] + STEP
    return final - base, above


def total(terms: Mapping[str, Floats], count: int) -> Floats:
    """Return the exact sum of each candidate's terms (`math.fsum`), independent of their order; zeros without terms."""
    columns = list(terms.values())
    if not columns:
        return np.zeros(count)
    return np.array([fsum(row) for row in np.column_stack(columns).tolist()])


def choose(base: Floats, eligible: Mask, pairs: Pairs, weight: float, threshold: float) -> tuple[Floats, Ints]:
    """Order the `eligible` candidates greedily by `base` less a penalty, `weight·(similarity − threshold)` for the
    similarity to the most similar one already chosen.

    `pairs` maps pairs of pool positions to similarities of at least the threshold. Returns each candidate's penalty,
    and positions in the order chosen, of equals the lower first: maximal marginal relevance (Carbonell & Goldstein,
    SIGIR 1998), in an additive form that leaves unlike candidates untouched.
    """
    penalty = np.zeros_like(base)
    similar_to: dict[int, list[tuple[int, float]]] = {}
    for (a, b), similarity in pairs.items():
        similar_to.setdefault(a, []).append((b, similarity))
        similar_to.setdefault(b, []).append((a, similarity))
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
        for other, similarity in similar_to.get(position, ()):
            if other not in waiting:
                continue
            penalty[other] = max(penalty[other], weight * (similarity - threshold))
    return penalty, np.array(chosen, dtype=np.int64)
