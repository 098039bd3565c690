"""A plan in, nominated candidates out: every leg's ranked list, its health, and the pool they make together."""

from dataclasses import replace

import numpy as np

from pellucid.errors import StoreError
from pellucid.recall.pool import gather
from pellucid.recall.state import LegReport, Plan, State, World
from pellucid.store.index_port import LegHits

_NO_ROWS, _NO_SCORES = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float32)
_NONE = LegHits(_NO_ROWS, _NO_SCORES, _NO_ROWS, _NO_SCORES)


def legs(state: State, world: World) -> State:
    """Ask the search legs; the newest memories only when a search leg is down or everything came back empty."""
    found = {"vector": _vector(state, state.plan, world), "lexical": _lexical(state, state.plan, world)}
    if "recent" not in state.request.without and _needs_fallback([report for report, _ in found.values()]):
        found["recent"] = _recent(state, world)
    pool = gather(world.reader, {name: hits for name, (_, hits) in found.items()}, state.admission)
    return replace(state, legs=tuple(report for report, _ in found.values()), pool=pool)


def _needs_fallback(reports: list[LegReport]) -> bool:
    """A leg that is down brought nothing and says why; one that only misses some memories still searches."""
    down = any(report.health == "degraded" and report.admitted == 0 for report in reports)
    return down or all(report.admitted == 0 for report in reports)


def _vector(state: State, plan: Plan, world: World) -> tuple[LegReport, LegHits]:
    settings = state.request.settings
    if "vector" in state.request.without or settings.leg_weights.vector == 0:
        return LegReport("vector", "off"), _NONE
    if state.corpus.rows == 0:
        return LegReport("vector", "empty"), _NONE
    if plan.encoding is None:
        return LegReport("vector", "degraded", plan.encoder_problem), _NONE
    if state.corpus.vectors == 0:
        return LegReport("vector", "degraded", "no memory here has a vector: run `pellucid rebuild`"), _NONE
    hits = world.reader.vector(plan.encoding.vector, state.admission, settings.pool, settings.open_pool)
    missing = state.corpus.rows - state.corpus.vectors
    note = f"{missing} of {state.corpus.rows} memories have no vector: run `pellucid rebuild`" if missing else ""
    return _report("vector", hits, note if missing > state.corpus.vectors else "", note), hits


def _lexical(state: State, plan: Plan, world: World) -> tuple[LegReport, LegHits]:
    settings = state.request.settings
    if "lexical" in state.request.without or settings.leg_weights.lexical == 0:
        return LegReport("lexical", "off"), _NONE
    stems = [plan.stems[i] for i in plan.searched]
    try:
        hits = world.reader.lexical(stems, state.admission, settings.pool, settings.open_pool)
    except StoreError as error:
        return LegReport("lexical", "degraded", error.message), _NONE
    skipped = sum(1 for frequency in plan.frequencies if frequency) - len(stems)
    return _report("lexical", hits, note=f"{skipped} common words left out" if skipped else ""), hits


def _recent(state: State, world: World) -> tuple[LegReport, LegHits]:
    hits = world.reader.recent(state.admission, state.request.settings.pool)
    return _report("recent", hits), hits


def _report(name: str, hits: LegHits, problem: str = "", note: str = "") -> LegReport:
    health = "degraded" if problem else "ok" if len(hits.rows) else "empty"
    return LegReport(name, health, problem or note, len(hits.rows), len(hits.open_rows))
