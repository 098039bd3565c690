"""A recall's plan and a memory in, its exact rank in every leg out, however deep; nothing is nominated by this."""

from dataclasses import replace

import numpy as np

from pellucid.errors import StoreError
from pellucid.recall.legs.leg import NO_HITS, AskedLeg
from pellucid.recall.legs.nominate import FALLBACK, asked_legs
from pellucid.recall.state import LegReport, State, World
from pellucid.store.index_port import LegHits
from pellucid.xray.why.finding import WhyLeg
from pellucid.xray.why.whereabouts import position_of

NO_VECTOR = "it has no vector: run `pellucid rebuild`"
_STEP = 8
"""How much deeper a leg is asked each time, until the memory is found or the leg has no more."""


def true_ranks(state: State, world: World, row: int) -> tuple[WhyLeg, ...]:
    """How each leg asked ranks the memory of a row, however low.

    `state` is the recall, in `world` the memory may answer. The fallback leg is among them if the recall asked it.
    """
    legs = [*asked_legs(state)]
    if any(report.name == FALLBACK.name for report in state.legs):
        legs.append(AskedLeg(FALLBACK.name, FALLBACK, state.plan))
    return tuple(_why_leg(state, each, world, row) for each in legs)


def _why_leg(state: State, each: AskedLeg, world: World, row: int) -> WhyLeg:
    """How a leg ranks the row in its whole list, beside what the recall got from it."""
    report = next((one for one in state.legs if one.name == each.name), LegReport(each.name, "off"))
    found, hits = _true_rank(state, each, world, row)
    settings, ranks = state.request.settings, state.pool.ranks.get(each.name)
    at = position_of(state.pool, row)
    last = _last_score(state, each.name) if report.health != "off" else _score_at(hits, settings.pool)
    return WhyLeg(
        leg=each.name,
        health=report.health,
        reason=report.reason or None,
        score_type=each.leg.score_type,
        nominated=ranks is not None and at is not None and bool(ranks[at]),
        rank=found,
        raw_score=_score_at(hits, found) if found else None,
        last_score=last,
        pool=settings.pool,
        unranked=None if found else _why_unranked(each, hits, report, row, world),
    )


def _true_rank(state: State, each: AskedLeg, world: World, row: int) -> tuple[int | None, LegHits]:
    """The row's rank (from 1) in a leg's whole list, None if it is not in it; and the list as far as it was read."""
    deep = max(state.request.settings.pool, 1) * _STEP
    while True:
        hits = _deep_hits(state, each, world, deep)
        at = np.flatnonzero(hits.rows == row)
        if len(at):
            return int(at[0]) + 1, hits
        if len(hits.rows) < deep:
            return None, hits
        deep *= _STEP


def _deep_hits(state: State, each: AskedLeg, world: World, deep: int) -> LegHits:
    """What a leg finds if it may nominate `deep` memories and no evidence; nothing where the store fails."""
    settings = state.request.settings.model_copy(update={"pool": deep, "open_pool": 0})
    try:
        wider = replace(state, request=replace(state.request, settings=settings))
        return each.leg.ask(wider, each.plan, world)[1]
    except StoreError:
        return NO_HITS


def _last_score(state: State, name: str) -> float | None:
    """The raw score of the last memory that a leg nominated; None where it nominated none."""
    ranks = state.pool.ranks.get(name)
    if ranks is None or not ranks.any():
        return None
    return float(state.pool.scores[name][int(ranks.argmax())])


def _score_at(hits: LegHits, place: int) -> float | None:
    """The raw score at a rank (from 1) of a list; None where the list is shorter."""
    return float(hits.scores[place - 1]) if 0 < place <= len(hits.rows) else None


def _why_unranked(each: AskedLeg, hits: LegHits, report: LegReport, row: int, world: World) -> str:
    """Why a leg does not list the row at all, in words."""
    if report.health == "degraded" and len(hits.rows) == 0:
        return f"the leg is down: {report.reason}"
    if each.leg.score_type == "cosine":
        held = world.reader.features(np.array([row]), None, ()).vectors.any()
        return "the query has no vector" if held else NO_VECTOR
    if each.leg.score_type == "bm25":
        return "it holds none of the words that were searched for"
    return "nothing in it speaks for it there"
