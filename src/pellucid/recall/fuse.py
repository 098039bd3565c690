"""A pool of leg ranks in, one fused score's terms out: what every leg's place is worth."""

from collections.abc import Collection
from dataclasses import replace

from pellucid.recall.equation import Floats, rank, reciprocal
from pellucid.recall.state import Pool, State, World
from pellucid.settings import RecallSettings

LEGS = ("vector", "lexical", "recent")


def fuse(state: State, world: World) -> State:  # noqa: ARG001 - every stage has one shape
    """Turn places into terms. `temporal` ranks what the legs brought, newest first, and brings nothing itself."""
    return replace(state, pool=price(state.pool, state.request.settings, state.request.without))


def price(pool: Pool, settings: RecallSettings, without: Collection[str]) -> Pool:
    """The pool with a term for every leg's ranks."""
    weights = settings.leg_weights.model_dump()
    terms = {name: reciprocal(ranks, weights[name], settings.rrf_k) for name, ranks in pool.ranks.items()}
    if weights["temporal"] and "temporal" not in without:
        newest = rank(pool.created, pool.nominated)
        terms["temporal"] = reciprocal(newest, weights["temporal"], settings.rrf_k)
    return replace(pool, terms=terms)


def fused(pool: Pool) -> Floats:
    """The sum of the legs' terms: what neighbours are owed a share of."""
    return sum((term for name, term in pool.terms.items() if name in (*LEGS, "temporal")), start=0.0 * pool.final)
