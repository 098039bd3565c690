"""A measured pool in, verdicts out: every filter in the order it acts, and the first one that each candidate failed."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pellucid.model.snapshot import FilterTrace
from pellucid.recall.legs.nominate import LEGS, base_of
from pellucid.recall.score.equation import Mask
from pellucid.recall.state import Pool, State
from pellucid.settings.sections import RecallSettings
from pellucid.store.index_port import within_scopes

REPEATS = "repeats"
"""The rung of memories that only repeat a better one."""
ASKED_EDGES = "asked-edges"
"""The rung of sections that the graph leg did not find, if nothing but edges is asked for."""
TELLS_NOTHING = "tells-nothing"
"""The rung of turns that say nothing of what is asked, and little else: `commit this`, `Now the tests:`."""
SAID_ALREADY = "said-already"
"""The rung of memories that another memory in the context says in full."""
ABSTENTION = "abstention"
"""The rung of all that a recall finds too doubtful to be an answer; no receipt names it for one memory."""


def _spare_nobody(state: State, pool: Pool) -> Mask:  # noqa: ARG001 - every rung has one shape
    """Return a mask of no candidates."""
    return np.zeros(len(pool), dtype=np.bool_)


@dataclass(frozen=True, slots=True)
class Filter:
    """One rung of the ladder: who passes, why others do not, and which of these others it lets through all the same."""

    name: str
    reason: str
    passes: Callable[[State, Pool], Mask]
    spares: Callable[[State, Pool], Mask] = _spare_nobody
    margin: Callable[[State, Pool], NDArray[np.float64]] | None = None
    """By how much each candidate misses, in the rung's own unit; None if the rung asks yes or no."""
    floor: Callable[[RecallSettings], float] | None = None
    """The least that passes, in the same unit."""


def _within_boundary(state: State, pool: Pool) -> Mask:
    """Return a mask of the candidates with no boundary scope (see `BOUNDARY_SCOPES`) that the caller lacks."""
    return within_scopes(pool.boundary, state.request.granted)


def overlap(state: State, pool: Pool) -> NDArray[np.float64]:
    """Return the share of the query's distinct words that each candidate contains, 0 to 1; 0 if the query has none."""
    return np.bitwise_count(pool.matched) / max(len(state.plan.words), 1)


def strict_period(state: State) -> bool:
    """Whether a period in the query excludes what was created at another time.

    That is, the setting `queryDates` is `filter` and the plan's period `asserts`. The setting is asked too, because an
    explanation tries a recorded plan with other settings.
    """
    period = state.plan.period
    return state.request.settings.query_dates == "filter" and period is not None and period.asserts


def _brought_by_context(state: State, pool: Pool) -> Mask:  # noqa: ARG001 - every rung has one shape
    """Return a mask of the candidates found, among rows allowed to answer, by a leg that goes by what a memory is
    connected to (`Leg.by_context`), not by the query's words."""
    out = np.zeros(len(pool), dtype=np.bool_)
    for name, ranks in pool.ranks.items():
        if LEGS[base_of(name)].by_context:
            out |= ranks > 0
    return out


FILTERS: tuple[Filter, ...] = (
    Filter("namespace-scope", "foreign rows are never read", lambda _, pool: np.ones(len(pool), dtype=np.bool_)),
    Filter("status-active", "not active", lambda _, pool: pool.active),
    Filter("valid-at", "not valid at the instant asked about", lambda _, pool: pool.valid),
    Filter("trust-zone", "quarantined", lambda _, pool: pool.trusted),
    Filter("boundary-scope", "outside the caller's scopes", _within_boundary),
    Filter("caller-filter", "not what the caller asked for", lambda _, pool: pool.wanted),
    Filter(
        "time-window",
        "made outside the period that the query names",
        lambda state, pool: pool.dated | (state.request.settings.query_dates == "off"),
        spares=lambda state, pool: np.full(len(pool), not strict_period(state)),
    ),
    Filter(
        "token-overlap",
        "below-token-overlap-floor",
        lambda state, pool: overlap(state, pool) >= state.request.settings.min_token_overlap,
        spares=_brought_by_context,
        margin=lambda state, pool: state.request.settings.min_token_overlap - overlap(state, pool),
        floor=lambda settings: settings.min_token_overlap,
    ),
    Filter(
        "score-floor",
        "below the cosine floor",
        # a cosine of 0 passes: the candidate has no vector to compare
        lambda state, pool: (pool.cosine >= state.request.settings.min_fact_score) | (pool.cosine == 0),
        spares=_brought_by_context,
        margin=lambda state, pool: state.request.settings.min_fact_score - pool.cosine.astype(np.float64),
        floor=lambda settings: settings.min_fact_score,
    ),
)
DIVERSIFY = "mmr-diversify"
"""The rung that ranks lower what is too similar to a better candidate: it rejects nothing."""
RUNGS = (
    *(each.name for each in FILTERS),
    DIVERSIFY,
    REPEATS,
    "top-k",
    ASKED_EDGES,
    TELLS_NOTHING,
    SAID_ALREADY,
    "budget-fit",
)
"""Every rung that a receipt can name, in the order they act."""


def ladder(state: State) -> State:
    """Return the state with every candidate's verdict by `FILTERS`, in order, and with `rungs` set to a report with
    counts for each filter.

    `rejected` becomes the number (from 1) of the filter that stops the candidate, `soft` that of the first filter that
    it failed but was spared by; 0 if there is none. No candidate may join the pool after this.
    """
    pool = state.pool
    rejected, soft = np.zeros(len(pool), dtype=np.uint8), np.zeros(len(pool), dtype=np.uint8)
    rungs: list[FilterTrace] = []
    for number, each in enumerate(FILTERS, start=1):
        passing = rejected == 0
        fails = passing & ~each.passes(state, pool)
        spared = fails & each.spares(state, pool)
        rejected[fails & ~spared] = number
        soft[spared & (soft == 0)] = number
        rungs.append(
            FilterTrace(
                name=each.name,
                considered=int(passing.sum()),
                admitted=int((rejected == 0).sum()),
                soft_admitted=int(spared.sum()),
                reason=each.reason if fails.any() else None,
            )
        )
    return replace(state, pool=replace(pool, rejected=rejected, soft=soft), rungs=tuple(rungs))
