"""A ranked pool in, the verdict on a direct answer out: one settled, trusted, unambiguous statement comes first."""

from dataclasses import replace
from time import perf_counter

import numpy as np

from pellucid.recall.score.equation import STEP, Floats, Ints, Mask, total
from pellucid.recall.state import Plan, Pool, State, Tier

CATEGORY, TRUSTED, CONFIRMED, SOMEBODY = 1, 2, 4, 8
"""Bits of `Pool.direct`: its category can answer, its source is trusted, it is confirmed, it is about somebody."""
IMPORTANT, OVERLAP, MARGIN = 0.7, 0.55, 0.15
"""The least importance, share of the question's words, and lead in that share over all others."""
TURNS = 3
"""How many turns the evidence of a memory is read from, at most."""
LEAST_WORDS = 2
"""How many telling words a question must have: with one, every memory that contains the word would answer."""
_SLACK = 1e-9
"""The most that rounding can put a share of words off."""
TIER, HYBRID = "direct-answer", "hybrid"


def direct(state: State) -> State:
    """Look for one statement that answers by itself (`verdict`), and put it `STEP` above all that passed the filters,
    by a term `direct`; the verdict is the `tier` of the state returned. Unchanged if `directAnswer` is off."""
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
    """Return which candidate answers directly: of those that pass the filters and all `_gates`, the one with the
    greatest share of the query's content words, if that exceeds by `MARGIN` the share of every other candidate that
    passes the filters and does more than ask, whatever its gates (neighbours in its session aside). Else there is no
    answer (None), and the reason is the gate that the last ones failed, `ambiguous` without such a lead, or
    `no-candidates`. `filtered_by` names the gates that rejected some, and `ambiguous`."""
    passed = pool.rejected == 0
    considered = int(passed.sum())
    if not considered:
        return Tier(HYBRID, "no-candidates")
    shares = word_shares(pool, plan)
    left, failed = passed, list[str]()
    for name, passes in _gates(pool, plan, shares):
        if (left & ~passes).any():
            failed.append(name)
        if not (left & passes).any():
            return Tier(HYBRID, name, filtered_by=tuple(failed), considered=considered)
        left = left & passes
    leader, is_clear = _leader(pool, np.flatnonzero(left), np.flatnonzero(passed & ~pool.asks), shares)
    if not is_clear:
        return Tier(HYBRID, "ambiguous", filtered_by=(*failed, "ambiguous"), considered=considered)
    said = f"trusted statement, unambiguous, token-overlap {shares[leader]:.2f}"
    return Tier(TIER, said, answer=leader, filtered_by=tuple(failed), considered=considered)


def _gates(pool: Pool, plan: Plan, shares: Floats) -> tuple[tuple[str, Mask], ...]:
    """Return the conditions that a direct answer must meet, in order, each as its name and a mask of the candidates
    that meet it. A candidate must do more than ask; its source is trusted; its category can answer; it is important
    (`IMPORTANT`) or confirmed; it is not about somebody else than the query names; its share (in `shares`) of the
    query's content words, which must be two or more, is at least `OVERLAP`."""
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
    """Return the share of the query's content words that each candidate contains; 0 if the query has none."""
    mask = np.uint64(sum(1 << i for i in plan.telling))
    return np.bitwise_count(pool.matched & mask) / max(len(plan.telling), 1)


def _leader(pool: Pool, among: Ints, others: Ints, shares: Floats) -> tuple[int, bool]:
    """Return the pool position of the one of `among` with the greatest of the `shares` (of equals the first), and
    whether it exceeds the shares of all `others` by at least `MARGIN`.

    Candidates of the leader's session fewer than `TURNS` turns away, from which it may have been read, are no rivals.
    """
    first = int(among[np.argsort(-shares[among], kind="stable")[0]])
    same_session = (pool.session[others] == pool.session[first]) & (pool.session[first] >= 0)
    same = same_session & (np.abs(pool.ordinal[others] - pool.ordinal[first]) < TURNS)
    rivals = shares[others[~same & (others != first)]]
    return first, float(shares[first]) - float(rivals.max(initial=0.0)) >= MARGIN - _SLACK
