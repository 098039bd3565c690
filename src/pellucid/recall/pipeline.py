"""A request in, a finished state out: the one ordered list of stages, and the runner that times and records them."""

from dataclasses import replace
from time import perf_counter

from pellucid.errors import InputError
from pellucid.recall.assemble import assemble
from pellucid.recall.boost import boost
from pellucid.recall.diversify import diversify
from pellucid.recall.expand import expand
from pellucid.recall.fuse import fuse
from pellucid.recall.ladder import ladder
from pellucid.recall.legs import legs
from pellucid.recall.measure import measure
from pellucid.recall.plan import plan
from pellucid.recall.renew import renew
from pellucid.recall.rerank import rerank
from pellucid.recall.state import Request, Stage, StageReport, State, World

STAGES: tuple[Stage, ...] = (
    plan,  # what the query says
    legs,  # who is nominated
    fuse,  # what each leg's place is worth
    expand,  # who stands beside them
    measure,  # what is true of each by itself
    ladder,  # who may pass
    rerank,  # whom late interaction prefers
    boost,  # what a memory is worth whatever was asked
    renew,  # who takes an older one's place
    diversify,  # the sum, without repetition
    assemble,  # what fits the budget
)
OPTIONAL: tuple[Stage, ...] = (expand, rerank, boost, renew)
"""Stages a recall survives: switched off by name, or failed and recorded."""


def run(request: Request, world: World) -> State:
    """Run every stage in order. A failure of an optional stage is recorded and the recall goes on without it."""
    state = State(request)
    for stage in STAGES:
        if stage in OPTIONAL and stage.__name__ in request.without:
            state = _record(state, stage, 0.0, "switched off")
            continue
        started = perf_counter()
        state, note = _attempt(stage, state, world)
        state = _record(state, stage, (perf_counter() - started) * 1000, note)
    return state


def _attempt(stage: Stage, state: State, world: World) -> tuple[State, str]:
    if stage not in OPTIONAL:
        return stage(state, world), ""
    try:
        return stage(state, world), ""
    except InputError:
        raise
    except Exception as error:  # noqa: BLE001 - the runner is where an optional stage may fail, and it is recorded
        return state, f"failed: {type(error).__name__}: {error}"


def _record(state: State, stage: Stage, millis: float, note: str) -> State:
    return replace(state, stages=(*state.stages, StageReport(stage.__name__, millis, note)))
