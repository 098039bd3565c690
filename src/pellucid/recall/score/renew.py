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
RELATED = 0.5
"""How alike two of one session must answer at least that both hold a rare word."""
RARE = 0.01
"""The share of the memories that hold a rare word, at most."""
RETOLD = 2.0
"""So many times the lead is given up by what was retold of the same rare thing."""
HOUR = 3_600_000
"""How much newer a memory must be, in ms: what was said or imported together does not succeed itself."""

Matrix = np.ndarray[tuple[int, int], np.dtype[np.bool_]]


def find_replaced(state: State, world: World) -> State:
    """Say whose document was replaced by whose, of the candidates, and what was said of one thing, then and later."""
    return replace(
        state, pool=replace(state.pool, replaced=_find_pairs(state, world), retold=_find_retold(state, world))
    )


def _find_retold(state: State, world: World) -> tuple[tuple[int, int], ...]:
    """Pairs (older, newer) of pool positions, of one session: both hold a rare word and much the same of the question.

    Sections are in none. What is said later of a session's work is said of the same names: which these are, no list
    need know.
    """
    pool = state.pool
    alike = _alikeness(pool, np.arange(len(pool)), state.plan, state.corpus.rows) >= RELATED
    one = (pool.session[None, :] == pool.session[:, None]) & (pool.session[:, None] >= 0)
    later = pool.created[None, :] > pool.created[:, None]
    pairs = np.argwhere(alike & one & later)
    ends = np.unique(pairs)
    if not len(ends):
        return ()
    rows, reader = pool.rows[ends], world.reader
    held = zip(reader.features(rows, None, (), RARE).rare, reader.graph.headings(rows), strict=True)
    rare = {
        at: frozenset[int]() if heading else terms for at, (terms, heading) in zip(ends.tolist(), held, strict=True)
    }
    return tuple((older, newer) for older, newer in pairs.tolist() if not rare[older].isdisjoint(rare[newer]))


def _find_pairs(state: State, world: World) -> tuple[tuple[int, int], ...]:
    """Pairs (older, newer) of pool positions of documents, the newer having replaced the older.

    None where the query names the older one, or asks what replaced it.
    """
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
    leads = np.where(_is_elsewhere(pool, leaders) & (alike >= SAME), weight * alike, -1.0)
    leads = np.where(_is_retold(pool, leaders), RETOLD * weight * alike, leads)
    leads = np.where(_gives_way(pool, leaders, plan), leads, -1.0)
    term = np.zeros(len(pool))
    term[leaders], above = succession(base[leaders], pool.created[leaders], leads)
    lifts, successors = _before_replaced(pool, plan, base + term)
    term += lifts
    if not term.any():
        return state
    newer_than = {int(leaders[newer]): int(leaders[older]) for newer, older in above.items()} | successors
    return replace(state, pool=replace(pool, newer_than=newer_than)).with_terms({"renewal": term})


def _before_replaced(pool: Pool, plan: Plan, base: Floats) -> tuple[Floats, dict[int, int]]:
    """How far the best sections of each successor are raised, to stand `STEP` above all that its document replaced.

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


def _is_elsewhere(pool: Pool, among: Ints) -> Matrix:
    """[older, newer]: another session, an hour later."""
    created, session = pool.created[among], pool.session[among]
    elsewhere = (session[None, :] != session[:, None]) | (session[:, None] < 0)
    return elsewhere & (created[None, :] - created[:, None] >= HOUR)


def _is_retold(pool: Pool, among: Ints) -> Matrix:
    """A matrix [older, newer] over `among`: whether `_find_retold` found that pair."""
    place = {at: number for number, at in enumerate(among.tolist())}
    out = np.zeros((len(among), len(among)), dtype=np.bool_)
    for older, newer in pool.retold:
        if older in place and newer in place:
            out[place[older], place[newer]] = True
    return out


def _gives_way(pool: Pool, among: Ints, plan: Plan) -> Matrix:
    """[older, newer]: what is pinned gives way only to what is pinned.

    What the edges that the query asks for lead to gives way to nothing: each of these is another thing.
    """
    pinned, asked = pool.pinned[among], pool.answering(plan)[among]
    return (pinned[None, :] | ~pinned[:, None]) & ~asked[:, None]
