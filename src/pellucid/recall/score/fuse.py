"""A pool of leg ranks in, one fused score's terms out: what every leg's rank is worth."""

from dataclasses import replace

import numpy as np

from pellucid.clock import epoch_ms
from pellucid.recall.legs.nominate import LEGS, base_of
from pellucid.recall.score.equation import Floats, recency, reciprocal
from pellucid.recall.state import Plan, Pool, State
from pellucid.settings.sections import RecallSettings

COMPANY = 0.4
"""The share of the graph leg's weight for what it brings beside the edges that are asked for."""


def fuse(state: State) -> State:
    """Add a term for each leg, from the candidates' ranks in it, and `temporal`, from the age of what legs brought."""
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
    """The weight of each leg (its term for the first rank) for this query: the settings, adjusted to what it asks."""
    of_legs = {leg.name: leg.weighs(settings) for leg in LEGS.values()}
    weights = settings.leg_weights.model_dump() | of_legs | settings.class_weights.get(plan.query_class, {})
    if (plan.asked or plan.answers) and weights["graph"]:
        weights["graph"] = settings.graph_asked_weight
    if plan.timeless:
        weights["temporal"] = 0.0
    return weights


def weights_shown(settings: RecallSettings, plan: Plan) -> dict[str, float]:
    """The weights used, by name; `graph_company` is that of what the graph leg brings beside the asked edges."""
    weights = weights_for(settings, plan)
    return weights | ({"graph_company": _company_weight(settings, plan)} if plan.answers else {})


def _company_weight(settings: RecallSettings, plan: Plan) -> float:
    """The weight of the graph leg for candidates that it brings beside what the asked edges lead to."""
    return COMPANY * weights_for(settings, plan)["graph"] if plan.asked else settings.leg_weights.graph


def fused(pool: Pool) -> Floats:
    """The sum of each candidate's terms of legs that speak for neighbours, too (`Leg.lends`), and `temporal`."""
    legs = {"temporal", *(name for name in pool.ranks if LEGS[base_of(name)].lends)}
    return sum((term for name, term in pool.terms.items() if name in legs), start=0.0 * pool.final)
