"""A pool of leg ranks in, one fused score's terms out: what every leg's place is worth."""

from collections.abc import Collection
from dataclasses import replace

from pellucid.recall.equation import Floats, rank, reciprocal
from pellucid.recall.legs import base_of
from pellucid.recall.state import Pool, State, World
from pellucid.settings import LegWeights, RecallSettings


def fuse(state: State, world: World) -> State:  # noqa: ARG001 - every stage has one shape
    """Turn places into terms. `temporal` ranks what the legs brought, newest first, and brings nothing itself."""
    request = state.request
    return replace(state, pool=price(state.pool, request.settings, request.without, state.plan.query_class))


def price(pool: Pool, settings: RecallSettings, without: Collection[str], query_class: str) -> Pool:
    """The pool with a term for every leg's ranks."""
    weights = weights_for(settings, query_class).model_dump()
    terms = {name: reciprocal(ranks, weights[base_of(name)], settings.rrf_k) for name, ranks in pool.ranks.items()}
    if weights["temporal"] and "temporal" not in without:
        newest = rank(pool.created, pool.nominated)
        terms["temporal"] = reciprocal(newest, weights["temporal"], settings.rrf_k)
    return replace(pool, terms=terms)


def weights_for(settings: RecallSettings, query_class: str) -> LegWeights:
    """The leg weights of a class of query: the settings', but for what is said of that class."""
    return settings.leg_weights.model_copy(update=settings.class_weights.get(query_class, {}))


def fused(pool: Pool) -> Floats:
    """The sum of the legs' terms: what neighbours are owed a share of."""
    legs = (*pool.ranks, "temporal")
    return sum((term for name, term in pool.terms.items() if name in legs), start=0.0 * pool.final)
