"""A pool of leg ranks in, the terms of one fused score out: the worth of every leg's rank."""

from dataclasses import replace

import numpy as np

from pellucid.clock import epoch_ms
from pellucid.recall.legs.nominate import LEGS, base_of
from pellucid.recall.score.equation import Floats, recency, reciprocal
from pellucid.recall.state import Plan, Pool, State
from pellucid.settings.sections import RecallSettings

COMPANY = 0.4
"""The graph leg's share of its weight for what it finds beside the edges that are asked for."""


def fuse(state: State) -> State:
    """Return the state with new terms in its pool: one for each leg, by rank, and `temporal`; terms of an earlier pass
    are dropped, and `newer_than` is emptied.

    `temporal` is how recent a candidate is, 0 if no leg nominated it; it is missing if its weight is 0 or the request
    leaves it out. What the graph leg finds beside its answers gets less of its term (`_company_weight`).
    """
    request, plan, pool = state.request, state.plan, state.pool
    settings, weights = request.settings, weights_for(request.settings, plan)
    terms = {name: reciprocal(ranks, weights[base_of(name)], settings.rrf_k) for name, ranks in pool.ranks.items()}
    if plan.answers and "graph" in terms:
        share = _company_weight(settings, plan) / (weights["graph"] or 1.0)
        terms["graph"] = np.where(pool.answering(plan), terms["graph"], share * terms["graph"])
    if weights["temporal"] and "temporal" not in request.without:
        recent = recency(pool.created, epoch_ms(request.instant), settings.half_life_days)
        terms["temporal"] = weights["temporal"] * np.where(pool.nominated, recent, 0.0)
    return replace(state, pool=replace(pool, terms=terms, newer_than={}))


def weights_for(settings: RecallSettings, plan: Plan) -> dict[str, float]:
    """Return for this query the weights of the legs (their terms at rank 1), `temporal`, `rerank` and `rerank_passage`.

    They are those that the settings have for the query's class, else those for all queries. If the query asks for edges
    or for documents by name, the graph leg weighs `graphAskedWeight`, unless it is off; `temporal` weighs 0 if the
    query is timeless.
    """
    leg_weights = {leg.name: leg.weight_by(settings) for leg in LEGS.values()}
    weights = settings.leg_weights.model_dump() | leg_weights | settings.class_weights.get(plan.query_class, {})
    if (plan.asked or plan.answers) and weights["graph"]:
        weights["graph"] = settings.graph_asked_weight
    if plan.timeless:
        weights["temporal"] = 0.0
    return weights


def weights_shown(settings: RecallSettings, plan: Plan) -> dict[str, float]:
    """Return the weights of `weights_for` by name and, if the query has answers in the graph (`Plan.answers`), as
    `graph_company` the weight of what the graph leg finds beside them.
    """
    weights = weights_for(settings, plan)
    return weights | ({"graph_company": _company_weight(settings, plan)} if plan.answers else {})


def _company_weight(settings: RecallSettings, plan: Plan) -> float:
    """Return the graph leg's weight for candidates that it finds beside its answers (see `Plan.answers`).

    `COMPANY` times its weight if the query asks for edges, else its setting.
    """
    return COMPANY * weights_for(settings, plan)["graph"] if plan.asked else settings.leg_weights.graph


def fused(pool: Pool) -> Floats:
    """Return the sum of each candidate's `temporal` term and its terms of legs from which neighbours gain."""
    legs = {"temporal", *(name for name in pool.ranks if LEGS[base_of(name)].lends)}
    return sum((term for name, term in pool.terms.items() if name in legs), start=0.0 * pool.final)
