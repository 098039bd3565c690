"""A measured pool in, verdicts out: every filter in the order it acts, and the first one each candidate failed."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pellucid.model.memory import BOUNDARY_SCOPES
from pellucid.recall.equation import Mask
from pellucid.recall.state import Pool, Rung, State, World


@dataclass(frozen=True, slots=True)
class Filter:
    """One rung: who passes, and what is said of those who do not."""

    name: str
    reason: str
    passes: Callable[[State, Pool], Mask]


def _boundary(state: State, pool: Pool) -> Mask:
    granted = sum(1 << i for i, scope in enumerate(BOUNDARY_SCOPES) if scope in state.request.scopes)
    return (pool.boundary & ~np.uint8(granted)) == 0


def overlap(state: State, pool: Pool) -> NDArray[np.float64]:
    """The share of the query's distinct words that each candidate holds."""
    return np.bitwise_count(pool.matched) / max(len(state.plan.words), 1)


def _floor(state: State, pool: Pool) -> Mask:
    """A cosine floor can only be asked of candidates and queries that have a vector."""
    return (pool.cosine >= state.request.settings.min_fact_score) | (pool.cosine == 0)


FILTERS: tuple[Filter, ...] = (
    Filter("namespace-scope", "foreign rows are never read", lambda _, pool: np.ones(len(pool), dtype=np.bool_)),
    Filter("status-active", "not active", lambda _, pool: pool.active),
    Filter("valid-at", "not valid at the instant asked about", lambda _, pool: pool.valid),
    Filter("trust-zone", "quarantined", lambda _, pool: pool.trusted),
    Filter("boundary-scope", "outside the caller's scopes", _boundary),
    Filter(
        "token-overlap",
        "below-token-overlap-floor",
        lambda state, pool: overlap(state, pool) >= state.request.settings.min_token_overlap,
    ),
    Filter("score-floor", "below the cosine floor", _floor),
)
RUNGS = (*(each.name for each in FILTERS), "top-k", "budget-fit")
"""Every rung a receipt can name, in the order they act."""


def ladder(state: State, world: World) -> State:  # noqa: ARG001 - every stage has one shape
    """Let each candidate climb until it fails. Nothing may join the pool after this."""
    pool = state.pool
    rejected = np.zeros(len(pool), dtype=np.uint8)
    rungs: list[Rung] = []
    for number, each in enumerate(FILTERS, start=1):
        standing = rejected == 0
        passes = each.passes(state, pool)
        rejected[standing & ~passes] = number
        considered, admitted = int(standing.sum()), int((rejected == 0).sum())
        rungs.append(Rung(each.name, considered, admitted, reason=each.reason if admitted < considered else ""))
    return replace(state, pool=replace(pool, rejected=rejected), rungs=tuple(rungs))
