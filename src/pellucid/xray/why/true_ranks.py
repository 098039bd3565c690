"""A recall's plan and a memory in, its exact rank in every leg out, however low; nothing is nominated by this."""

from dataclasses import replace

import numpy as np

from pellucid.errors import StoreError, spell_recorded, step
from pellucid.model.snapshot import LegHealth
from pellucid.recall.legs.leg import AskedLeg, empty_report
from pellucid.recall.legs.nominate import FALLBACK, asked_legs
from pellucid.recall.state import State, World
from pellucid.store.index_port import LegHits
from pellucid.xray.whereabouts import position_of
from pellucid.xray.why.finding import WhyLeg


def no_vector() -> str:
    """Return why the vector leg does not list a memory that has no vector, and what to do."""
    return f"it has no vector: run {step('home.rebuild')}"


_STEP = 8
"""The factor by which a leg is asked deeper each time, until the memory is found or the leg has no more."""


def true_ranks(state: State, world: World, row: int) -> tuple[WhyLeg, ...]:
    """Return how each leg that the recall asked ranks the memory of an index row, however low.

    `state` is the recall; `world` must have a reader for which the memory is admissible, as every rank counts
    admissible memories only. The fallback leg is last, if the recall asked it.
    """
    legs = [*asked_legs(state)]
    if any(report.name == FALLBACK.name for report in state.legs):
        legs.append(AskedLeg(FALLBACK.name, FALLBACK, state.plan))
    return tuple(_why_leg(state, each, world, row) for each in legs)


def _why_leg(state: State, asked_leg: AskedLeg, world: World, row: int) -> WhyLeg:
    """Return how a leg ranks the row in its whole list as it is now, beside what the recall recorded of that leg."""
    report = next((one for one in state.legs if one.name == asked_leg.name), empty_report(asked_leg.name, "off"))
    rank, hits = _true_rank(state, asked_leg, world, row)
    settings, ranks = state.request.settings, state.pool.ranks.get(asked_leg.name)
    position = position_of(state.pool, row)
    last_score = _last_score(state, asked_leg.name) if report.health != "off" else _score_at(hits, settings.pool)
    return WhyLeg(
        leg=asked_leg.name,
        health=report.health,
        reason=spell_recorded(report.reason or "") or None,
        score_type=asked_leg.leg.score_type,
        nominated=ranks is not None and position is not None and bool(ranks[position]),
        rank=rank,
        raw_score=_score_at(hits, rank) if rank else None,
        last_score=last_score,
        pool=settings.pool,
        unranked=None if rank else _why_unranked(asked_leg, hits, report, row, world),
    )


def _true_rank(state: State, asked_leg: AskedLeg, world: World, row: int) -> tuple[int | None, LegHits | None]:
    """Return the row's rank (from 1) in a leg's whole list, and the list as far as it was read. The rank is None if the
    list does not contain the row, the list is None if the store fails.
    """
    depth = max(state.request.settings.pool, 1) * _STEP
    while True:
        hits = _deep_hits(state, asked_leg, world, depth)
        if hits is None:
            return None, None
        at = np.flatnonzero(hits.rows == row)
        if len(at):
            return int(at[0]) + 1, hits
        if len(hits.rows) < depth:
            return None, hits
        depth *= _STEP


def _deep_hits(state: State, asked_leg: AskedLeg, world: World, depth: int) -> LegHits | None:
    """Return what a leg finds if it can nominate `depth` memories that may answer (and, in its open search, none that
    may not); None if the store fails.
    """
    settings = state.request.settings.model_copy(update={"pool": depth, "open_pool": 0})
    try:
        wider = replace(state, request=replace(state.request, settings=settings))
        return asked_leg.leg.ask(wider, asked_leg.plan, world)[1]
    except StoreError:
        return None


def _last_score(state: State, name: str) -> float | None:
    """Return the raw score of the last memory that a leg nominated; None if it nominated none."""
    ranks = state.pool.ranks.get(name)
    if ranks is None or not ranks.any():
        return None
    return float(state.pool.scores[name][int(ranks.argmax())])


def _score_at(hits: LegHits | None, place: int) -> float | None:
    """Return the raw score at a rank (from 1) of a list; None if the list is shorter, or there is none."""
    return float(hits.scores[place - 1]) if hits and 0 < place <= len(hits.rows) else None


def _why_unranked(asked_leg: AskedLeg, hits: LegHits | None, report: LegHealth, row: int, world: World) -> str:
    """Say why a leg does not list the row at all: it is down, the memory or the query has no vector, or nothing in it
    matches. `hits` is the leg's list, None if the store failed; `report` its health in the recall.
    """
    if hits is None:
        return "it could not be asked: the index cannot be read now"
    if report.health == "degraded" and len(hits.rows) == 0:
        return f"the leg is down: {spell_recorded(report.reason or 'down')}"
    if asked_leg.leg.score_type == "cosine":
        has_vector = world.reader.features(np.array([row]), None, ()).vectors.any()
        return "the query has no vector" if has_vector else no_vector()
    if asked_leg.leg.score_type == "bm25":
        return "it holds none of the words that were searched for"
    return "nothing in it speaks for it there"
