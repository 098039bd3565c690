"""A ranking in, how much it should be doubted out: what is near the question, and what holds its telling words.

    doubt = 1 − (2·near + held) / 3

`near` is the highest cosine of the query and a candidate that passed every filter; it varies half as much as `held`,
and so counts twice. `held` is the share of the query's telling words that the first three together hold; a word weighs
log(1 + N/(1 + df)) squared, so that one rare word that none of them holds (another city, another name) is cause for
doubt, and a word that no memory holds is the greatest. Where there is no encoder, `held` stands alone. Both are read
off the pool's columns, so that a receipt gives the same doubt.
"""

from math import fsum, log

import numpy as np

from pellucid.recall.equation import Ints
from pellucid.recall.ladder import FILTERS
from pellucid.recall.state import Abstention, Plan, Pool, State

TOGETHER = 3
"""Candidates whose words are taken together: an answer may be spread over two or three."""
NEAREST = 3
NEAR, HELD = 2, 1
"""What each of the two signs counts."""
_FLOORS = tuple(number for number, each in enumerate(FILTERS, start=1) if each.margin is not None)
"""Filters that measure how near a candidate is; what they turn away is a near miss, what others do is no answer."""


def judge(state: State) -> Abstention | None:
    """How much this recall doubts its ranking, and whether that is too much; None where nothing was asked for.

    Nothing that passed the filters is doubt 1, and always an abstention; a threshold of 1 never makes one by itself.
    """
    if state.plan.depth == "no_recall":
        return None
    threshold, pool, order = state.request.settings.abstain_at, state.pool, state.order
    if len(order) == 0:
        missed = np.flatnonzero(np.isin(pool.rejected, _FLOORS))
        return Abstention(1.0, threshold, abstained=True, nearest=_nearest(state, missed))
    score = doubt(pool, order, state.plan, state.corpus.rows)
    abstained = threshold < 1 and score >= threshold
    nearest = _nearest(state, order[: state.request.settings.top_k_facts]) if abstained else ()
    return Abstention(score, threshold, abstained=abstained, nearest=nearest)


def doubt(pool: Pool, order: Ints, plan: Plan, rows: int) -> float:
    """How much the ranking `order` of the pool should be doubted, 0 to 1."""
    signs = [(HELD, held(pool, order[:TOGETHER], plan, rows))] if plan.telling else []
    if (pool.cosine[order] != 0).any():
        signs.append((NEAR, float(np.clip(pool.cosine[order].max(), 0, 1))))
    weight = sum(each for each, _ in signs)
    return round(1 - fsum(each * sign for each, sign in signs) / weight, 6) if weight else 1.0


def nearness(pool: Pool, position: int, plan: Plan, rows: int) -> float:
    """How near one candidate is by itself: 1 less the doubt of a ranking of it alone."""
    return 1 - doubt(pool, np.array([position], dtype=np.int64), plan, rows)


def held(pool: Pool, among: Ints, plan: Plan, rows: int) -> float:
    """The share of the query's telling words that these candidates hold together, each word by its weight."""
    bits = int(np.bitwise_or.reduce(pool.matched[among], initial=np.uint64(0)))
    weights = {i: log(1 + rows / (1 + plan.frequencies[i])) ** 2 for i in plan.telling}
    total = fsum(weights.values())
    return fsum(weight for i, weight in weights.items() if bits >> i & 1) / total if total else 0.0


def _nearest(state: State, among: Ints) -> tuple[int, ...]:
    """The nearest of these candidates, best first."""
    pool, plan, rows = state.pool, state.plan, state.corpus.rows
    near = {position: nearness(pool, position, plan, rows) for position in among.tolist()}
    return tuple(sorted(near, key=lambda position: (-near[position], position))[:NEAREST])
