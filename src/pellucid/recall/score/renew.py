"""A ranked pool in, one more term out: a newer memory takes the place of an older memory that answers the same.

A document that was replaced comes after its successor, if both are found and the successor answers the question, too:
unless the question names the older by its id, or asks for what was replaced.
"""

from dataclasses import replace
from math import log

import numpy as np

from pellucid.recall.query.edges import asked_edges
from pellucid.recall.query.entities import names_in
from pellucid.recall.score.equation import STEP, Floats, Ints, succession, total
from pellucid.recall.state import Plan, Pool, State, World

LEADERS = 8
"""How many of the best candidates can take each other's place; fixed, so that `topK` only cuts."""
SAME = 0.6
"""The least answer similarity at which a newer memory takes an older one's place."""
MEETS = 0.5
"""The least share of a replaced memory's score that its successor must have, else it is about something else."""
RELATED = 0.5
"""The least answer similarity of two memories of one session that share a rare word."""
RARE = 0.01
"""The share of the memories that contain a rare word, at most."""
RETOLD = 2.0
"""Factor on the lead that an older memory can lose to a newer one of the same session and rare word."""
HOUR = 3_600_000
"""How much newer a memory of another session must be, in ms: what was said or imported together is of one time."""
PAUSE = 10_000
"""The same within a session: a file without times imports in less than this, its turns in the order of the file."""

Matrix = np.ndarray[tuple[int, int], np.dtype[np.bool_]]


def find_replaced(state: State, world: World) -> State:
    """Return the state with `replaced` and `retold` in its pool: pairs (older, newer) of positions of candidates.

    `replaced` pairs sections of replaced documents with those of their successors, `retold` what one session said twice
    (`_find_retold`).
    """
    replaced, retold = _find_replaced_documents(state, world), _find_retold(state, world)
    return replace(state, pool=replace(state.pool, replaced=replaced, retold=retold))


def _find_retold(state: State, world: World) -> tuple[tuple[int, int], ...]:
    """Return pairs (older, newer) of pool positions in one session that share a rare word and answer much the same.

    The newer is at least 10 seconds later, their answer similarity (`_answer_similarity`) at least 0.5, and the word in
    at most 1 % of the memories. Sections of documents are in no pair.
    """
    pool = state.pool
    alike = _answer_similarity(pool, np.arange(len(pool)), state.plan, state.corpus.rows) >= RELATED
    in_one_session = (pool.session[None, :] == pool.session[:, None]) & (pool.session[:, None] >= 0)
    later = pool.created[None, :] - pool.created[:, None] >= PAUSE
    pairs = np.argwhere(alike & in_one_session & later)
    ends = np.unique(pairs)
    if not len(ends):
        return ()
    rows, reader = pool.rows[ends], world.reader
    rare_terms = zip(reader.features(rows, None, (), RARE).rare, reader.graph.headings(rows), strict=True)
    rare = {
        at: frozenset[int]() if heading else terms
        for at, (terms, heading) in zip(ends.tolist(), rare_terms, strict=True)
    }
    return tuple((older, newer) for older, newer in pairs.tolist() if not rare[older].isdisjoint(rare[newer]))


def _find_replaced_documents(state: State, world: World) -> tuple[tuple[int, int], ...]:
    """Return pairs (older, newer) of pool positions of sections of a replaced document and of its successor.

    Empty if the query asks what replaced what; a replaced document that the query names is in no pair as the older.
    """
    pool, graph = state.pool, world.reader.graph
    found = graph.replaced(pool.rows, state.admission)
    asked_for = asked_edges(state.plan.text) if len(found.nodes) else None
    if not len(found.nodes) or (asked_for and "SUPERSEDES" in asked_for.types):
        return ()
    ids = (name for name in names_in(state.plan.text) if any(map(str.isdigit, name)))
    named = [node.number for node in graph.find([*state.plan.entities, *ids])]
    is_unnamed = ~np.isin(found.nodes, named)
    order = np.argsort(pool.rows)
    ends = (order[np.searchsorted(pool.rows, rows[is_unnamed], sorter=order)] for rows in (found.older, found.newer))
    return tuple(zip(*(each.tolist() for each in ends), strict=True))


def renew(state: State) -> State:
    """Add the `renewal` term, which lifts newer memories above older ones that answer the same, and set `newer_than`.

    Of the eight best candidates that passed every filter, a newer one may overtake an older one (unless that cannot
    give way, `_can_give_way`) if the two are a pair in `retold`, or if it is of another session, at least an hour
    later, and the two answer the same by at least `SAME`. The score by which the older may be ahead grows with that
    similarity and `renewalWeight`. Then successors of replaced documents are lifted. The same state if the weight is 0
    or nothing is lifted.
    """
    pool, plan, weight = state.pool, state.plan, state.request.settings.renewal_weight
    if not weight:
        return state
    base = total(pool.terms, len(pool))
    passed = np.flatnonzero(pool.rejected == 0)
    leaders = passed[np.argsort(-base[passed], kind="stable")][:LEADERS]
    alike = _answer_similarity(pool, leaders, plan, state.corpus.rows)
    leads = np.where(_is_later_elsewhere(pool, leaders) & (alike >= SAME), weight * alike, -1.0)
    leads = np.where(_is_retold(pool, leaders), RETOLD * weight * alike, leads)
    leads = np.where(_can_give_way(pool, leaders, plan), leads, -1.0)
    term = np.zeros(len(pool))
    term[leaders], above = succession(base[leaders], pool.created[leaders], leads)
    lifts, successors = _lift_successors(pool, plan, base + term)
    term += lifts
    if not term.any():
        return state
    newer_than = {int(leaders[newer]): int(leaders[older]) for newer, older in above.items()} | successors
    return replace(state, pool=replace(pool, newer_than=newer_than)).with_terms({"renewal": term})


def _lift_successors(pool: Pool, plan: Plan, base: Floats) -> tuple[Floats, dict[int, int]]:
    """Return how far the best section of each successor is raised, to be `STEP` above the best of what it replaced.

    Also maps the position of each raised section to that of the older section below it. Only sections that passed every
    filter count. A successor stays where it is if it is ahead already, or does not answer: its score (`base`) is below
    half of the older one's, or it has none of the content words that the older has of the question. An older section
    that the graph leg answers with is overtaken in any case.
    """
    best: dict[tuple[int, int], tuple[int, int]] = {}
    for older, newer in pool.replaced:
        if pool.rejected[older] or pool.rejected[newer]:
            continue
        documents = int(pool.session[older]), int(pool.session[newer])
        old, new = best.get(documents, (older, newer))
        best[documents] = max(old, older, key=lambda at: base[at]), max(new, newer, key=lambda at: base[at])
    telling, asked = sum(1 << at for at in plan.telling), pool.answering(plan)
    final, above = base.copy(), dict[int, int]()
    for _ in best:  # what is lifted may itself have been replaced
        for older, newer in best.values():
            older_words, newer_words = (int(pool.matched[at]) & telling for at in (older, newer))
            is_answer = base[newer] >= MEETS * final[older] and (not older_words or older_words & newer_words)
            if final[newer] <= final[older] and (asked[older] or is_answer):
                final[newer], above[newer] = final[older] + STEP, older
    return final - base, above


def _answer_similarity(pool: Pool, among: Ints, plan: Plan, rows: int) -> Floats:
    """Return how far two of the candidates at the positions `among` answer the same, as a matrix [older, newer] from 0
    to 1.

    It is the geometric mean of two shares: what both contain of the question, and what the newer contains of the
    older's part of it. Each content word of the question counts log(1 + N/(1 + df)) for df of N (`rows`) memories that
    contain it; words that no memory contains do not count.
    """
    words = np.array([i for i in plan.telling if plan.frequencies[i]], dtype=np.uint64)
    weights = np.array([log(1 + rows / (1 + plan.frequencies[int(i)])) for i in words])
    contains = (pool.matched[among][:, None] >> words & np.uint64(1)).astype(np.float64)
    both = (contains * weights) @ contains.T
    question, older = max(float(weights.sum()), 1e-9), np.maximum(np.diag(both), 1e-9)
    return both / np.sqrt(question * older)[:, None]


def _is_later_elsewhere(pool: Pool, among: Ints) -> Matrix:
    """Return a matrix [older, newer] over `among`: whether the newer is at least an hour later, and of another session.

    A candidate without a session counts as of another.
    """
    created, session = pool.created[among], pool.session[among]
    elsewhere = (session[None, :] != session[:, None]) | (session[:, None] < 0)
    return elsewhere & (created[None, :] - created[:, None] >= HOUR)


def _is_retold(pool: Pool, among: Ints) -> Matrix:
    """Return a matrix [older, newer] over `among`: whether `_find_retold` found that pair."""
    place = {at: number for number, at in enumerate(among.tolist())}
    out = np.zeros((len(among), len(among)), dtype=np.bool_)
    for older, newer in pool.retold:
        if older in place and newer in place:
            out[place[older], place[newer]] = True
    return out


def _can_give_way(pool: Pool, among: Ints, plan: Plan) -> Matrix:
    """Return a matrix [older, newer] over `among`: whether the newer may overtake the older.

    It may not if the older alone is pinned, or if the graph leg answers with the older (`Pool.answering`).
    """
    pinned, asked = pool.pinned[among], pool.answering(plan)[among]
    return (pinned[None, :] | ~pinned[:, None]) & ~asked[:, None]
