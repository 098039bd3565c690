"""A ranked pool in, one more term out: a newer memory takes the place of an older one that answers the same.

A document that another one replaced stands behind it, if both are found and the newer meets the question, too: unless
the question names the older by its id, or asks for what was replaced.
"""

from dataclasses import replace
from math import log

import numpy as np

from pellucid.recall.query.edges import asked_edges
from pellucid.recall.query.entities import names_in
from pellucid.recall.score.equation import STEP, Floats, Ints, succession, total
from pellucid.recall.state import Plan, Pool, State, World

LEADERS = 8
"""Candidates that may take each other's place: the best by the sum of their terms. Fixed, so that `topK` only cuts."""
SAME = 0.6
"""How alike two must answer at least: what shares less of the question with another is rather about something else."""
MEETS = 0.5
"""What a successor must be worth by itself, of what it is put above, and a word of the question that both hold: else it
is about something else. For what an asked edge leads to, its successor stands without."""
HOUR = 3_600_000
"""How much newer a memory must be, in ms: what was said or imported together does not succeed itself."""


def find_replaced(state: State, world: World) -> State:
    """Say whose document was replaced by whose, of the candidates."""
    return replace(state, pool=replace(state.pool, replaced=_find_pairs(state, world)))


def _find_pairs(state: State, world: World) -> tuple[tuple[int, int], ...]:
    """Places (older, newer) of what one document replaced; none of what the query names, or asks the successor of."""
    pool, graph = state.pool, world.reader.graph
    found = graph.replaced(pool.rows, state.admission)
    asked = asked_edges(state.plan.text) if len(found.nodes) else None
    if not len(found.nodes) or (asked and "SUPERSEDES" in asked.types):
        return ()
    ids = (name for name in names_in(state.plan.text) if any(map(str.isdigit, name)))
    named = [node.number for node in graph.find([*state.plan.entities, *ids])]
    free = ~np.isin(found.nodes, named)
    order = np.argsort(pool.rows)
    ends = (order[np.searchsorted(pool.rows, rows[free], sorter=order)] for rows in (found.older, found.newer))
    return tuple(zip(*(each.tolist() for each in ends), strict=True))


def renew(state: State) -> State:
    """Lift newer memories to the place of older ones, where both hold the words of the question."""
    pool, plan, weight = state.pool, state.plan, state.request.settings.renewal_weight
    if not weight:
        return state
    base = total(pool.terms, len(pool))
    standing = np.flatnonzero(pool.rejected == 0)
    leaders = standing[np.argsort(-base[standing], kind="stable")][:LEADERS]
    alike = _alikeness(pool, leaders, plan, state.corpus.rows)
    leads = np.where(_may_succeed(pool, leaders, plan) & (alike >= SAME), weight * alike, -1.0)
    term = np.zeros(len(pool))
    term[leaders], above = succession(base[leaders], pool.created[leaders], leads)
    lifts, successors = _before_replaced(pool, plan, base + term)
    term += lifts
    if not term.any():
        return state
    newer_than = {int(leaders[newer]): int(leaders[older]) for newer, older in above.items()} | successors
    return replace(state, pool=replace(pool, newer_than=newer_than)).with_terms({"renewal": term})


def _before_replaced(pool: Pool, plan: Plan, base: Floats) -> tuple[Floats, dict[int, int]]:
    """What the best of each successor is lifted by, so that it stands `STEP` above all that its document replaced.

    Also which of these that is, by the place of the successor. One that does not meet the question stays where it is,
    and what it replaced stands before it with its mark.
    """
    best: dict[tuple[int, int], tuple[int, int]] = {}
    for older, newer in pool.replaced:
        if pool.rejected[older] or pool.rejected[newer]:
            continue
        documents = int(pool.session[older]), int(pool.session[newer])
        one, other = best.get(documents, (older, newer))
        best[documents] = max(one, older, key=lambda at: base[at]), max(other, newer, key=lambda at: base[at])
    telling, asked = sum(1 << at for at in plan.telling), pool.answering(plan)
    final, above = base.copy(), dict[int, int]()
    for _ in best:  # what is lifted may itself have been replaced
        for older, newer in best.values():
            held, also = (int(pool.matched[at]) & telling for at in (older, newer))
            meets = base[newer] >= MEETS * final[older] and (not held or held & also)
            if final[newer] <= final[older] and (asked[older] or meets):
                final[newer], above[newer] = final[older] + STEP, older
    return final - base, above


def _alikeness(pool: Pool, among: Ints, plan: Plan, rows: int) -> Floats:
    """How far two memories answer the same, [older, newer]: the geometric mean of two shares.

    What both hold of the question, and what the newer holds of what the older does of it; each of the question's
    telling words counts log(1 + N/(1 + df)), as in late interaction, and words that no memory holds do not count.
    """
    known = np.array([i for i in plan.telling if plan.frequencies[i]], dtype=np.uint64)
    weights = np.array([log(1 + rows / (1 + plan.frequencies[int(i)])) for i in known])
    held = (pool.matched[among][:, None] >> known & np.uint64(1)).astype(np.float64)
    both = (held * weights) @ held.T
    question, older = max(float(weights.sum()), 1e-9), np.maximum(np.diag(both), 1e-9)
    return both / np.sqrt(question * older)[:, None]


def _may_succeed(pool: Pool, among: Ints, plan: Plan) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
    """[older, newer]: another session, an hour later; what is pinned gives way only to what is pinned.

    What the edges that the query asks for lead to gives way to nothing: each of these is another thing.
    """
    created, session, pinned = pool.created[among], pool.session[among], pool.pinned[among]
    later = created[None, :] - created[:, None] >= HOUR
    elsewhere = (session[None, :] != session[:, None]) | (session[:, None] < 0)
    asked = pool.answering(plan)[among]
    return later & elsewhere & (pinned[None, :] | ~pinned[:, None]) & ~asked[:, None]
