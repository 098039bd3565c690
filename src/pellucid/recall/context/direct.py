"""A ranked pool in, the verdict on a direct answer out: one settled, trusted, unambiguous statement comes first."""

from dataclasses import replace
from time import perf_counter

import numpy as np

from pellucid.recall.score.equation import STEP, Floats, Ints, Mask, total
from pellucid.recall.state import Plan, Pool, State, Tier

CATEGORY, TRUSTED, CONFIRMED, SOMEBODY = 1, 2, 4, 8
IMPORTANT, OVERLAP, MARGIN = 0.7, 0.55, 0.15
TURNS = 3
"""Turns that evidence is read from at most."""
LEAST_WORDS = 2
"""Telling words a question must have: with one, everything that holds it answers."""
_SLACK = 1e-9
"""More than a share of words can be off by."""
TIER, HYBRID = "direct-answer", "hybrid"


def direct(state: State) -> State:
    """Look for one statement that answers by itself, and put it `STEP` above all others."""
    pool = state.pool
    if not state.request.settings.direct_answer:
        return state
    started = perf_counter()
    tier = verdict(pool, state.plan)
    if tier.answer is not None:
        base, term = total(pool.terms, len(pool)), np.zeros(len(pool))
        term[tier.answer] = max(float(base[pool.rejected == 0].max()) - float(base[tier.answer]), 0.0) + STEP
        state = state.with_terms({"direct": term})
    return replace(state, tier=replace(tier, millis=(perf_counter() - started) * 1000))


def verdict(pool: Pool, plan: Plan) -> Tier:
    """Which candidate answers directly, or the gate that the last ones failed; and all gates that rejected some."""
    standing = pool.rejected == 0
    considered = int(standing.sum())
    if not considered:
        return Tier(HYBRID, "no-candidates")
    shares = word_shares(pool, plan)
    left, failed = standing, list[str]()
    for name, passes in _gates(pool, plan, shares):
        if (left & ~passes).any():
            failed.append(name)
        if not (left & passes).any():
            return Tier(HYBRID, name, filtered_by=tuple(failed), considered=considered)
        left = left & passes
    first, clear = _leader(pool, np.flatnonzero(left), np.flatnonzero(standing & ~pool.asks), shares)
    if not clear:
        return Tier(HYBRID, "ambiguous", filtered_by=(*failed, "ambiguous"), considered=considered)
    said = f"trusted statement, unambiguous, token-overlap {shares[first]:.2f}"
    return Tier(TIER, said, answer=first, filtered_by=tuple(failed), considered=considered)


def _gates(pool: Pool, plan: Plan, shares: Floats) -> tuple[tuple[str, Mask], ...]:
    """The conditions that a direct answer must meet, in order: the name of each, and a mask of who meets it."""
    about_others = ((pool.direct & SOMEBODY) > 0) & ~pool.named if plan.named else np.zeros(len(pool), dtype=np.bool_)
    return (
        ("only-asks", ~pool.asks),
        ("not-trusted-zone", (pool.direct & TRUSTED) > 0),
        ("ineligible-taxonomy-bucket", (pool.direct & CATEGORY) > 0),
        ("below-importance-floor", (pool.importance >= IMPORTANT) | ((pool.direct & CONFIRMED) > 0)),
        ("entity-ref-mismatch", ~about_others),
        ("below-token-overlap-floor", (shares >= OVERLAP - _SLACK) & (len(plan.telling) >= LEAST_WORDS)),
    )


def word_shares(pool: Pool, plan: Plan) -> Floats:
    """The share of the query's content words that each candidate holds."""
    mask = np.uint64(sum(1 << i for i in plan.telling))
    return np.bitwise_count(pool.matched & mask) / max(len(plan.telling), 1)


def _leader(pool: Pool, among: Ints, others: Ints, shares: Floats) -> tuple[int, bool]:
    """Who of `among` holds most of the query's words, and whether it leads all `others` by the margin.

    The turns that it was read from, which say the same, are no others.
    """
    first = int(among[np.argsort(-shares[among], kind="stable")[0]])
    told = (pool.session[others] == pool.session[first]) & (pool.session[first] >= 0)
    same = told & (np.abs(pool.ordinal[others] - pool.ordinal[first]) < TURNS)
    rivals = shares[others[~same & (others != first)]]
    return first, float(shares[first]) - float(rivals.max(initial=0.0)) >= MARGIN - _SLACK
