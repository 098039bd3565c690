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
    """Begin the terms anew: one for each leg, from the candidates' ranks in it, and `temporal`, from the age of the
    nominated ones. Terms of an earlier pass are gone."""
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
    """Return the weight of each leg (its term at rank 1) for this query: the settings, adjusted to what is asked; also
    those of `temporal`, `rerank` and `rerank_passage`. Edges and documents that are asked for by name weigh the graph
    leg alike."""
    leg_weights = {leg.name: leg.weight_by(settings) for leg in LEGS.values()}
    weights = settings.leg_weights.model_dump() | leg_weights | settings.class_weights.get(plan.query_class, {})
    if (plan.asked or plan.answers) and weights["graph"]:
        weights["graph"] = settings.graph_asked_weight
    if plan.timeless:
        weights["temporal"] = 0.0
    return weights


def weights_shown(settings: RecallSettings, plan: Plan) -> dict[str, float]:
    """Return the weights used, by name; `graph_company` is for what the graph leg finds beside its answers."""
    weights = weights_for(settings, plan)
    return weights | ({"graph_company": _company_weight(settings, plan)} if plan.answers else {})


def _company_weight(settings: RecallSettings, plan: Plan) -> float:
    """Return the graph leg's weight for candidates that it finds beside its answers (see `Plan.answers`)."""
    return COMPANY * weights_for(settings, plan)["graph"] if plan.asked else settings.leg_weights.graph


def fused(pool: Pool) -> Floats:
    """Return the sum of each candidate's `temporal` and leg terms, without legs that lend nothing (`Leg.lends`)."""
    legs = {"temporal", *(name for name in pool.ranks if LEGS[base_of(name)].lends)}
    return sum((term for name, term in pool.terms.items() if name in legs), start=0.0 * pool.final)
