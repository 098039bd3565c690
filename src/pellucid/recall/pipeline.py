"""A request in, a finished state out: the one ordered list of stages, and the runner that times and records them."""

from collections.abc import Sequence
from dataclasses import replace
from time import perf_counter

from pellucid.errors import InputError
from pellucid.recall.context.assemble import assemble
from pellucid.recall.context.direct import direct
from pellucid.recall.legs.nominate import legs
from pellucid.recall.query.iterate import iterate
from pellucid.recall.query.plan import plan
from pellucid.recall.score.boost import boost
from pellucid.recall.score.diversify import diversify
from pellucid.recall.score.expand import expand
from pellucid.recall.score.fuse import fuse
from pellucid.recall.score.ladder import ladder
from pellucid.recall.score.measure import measure
from pellucid.recall.score.renew import renew
from pellucid.recall.score.rerank import rerank
from pellucid.recall.state import Request, Stage, StageReport, State, World

STAGES: tuple[Stage, ...] = (
    plan,  # what the query says
    legs,  # who is nominated
    fuse,  # what each leg's place is worth
    expand,  # who stands beside them
    measure,  # what is true of each by itself
    ladder,  # who may pass
    rerank,  # whom the reranker prefers
    boost,  # what a memory is worth by what it is
    renew,  # who takes an older one's place
    direct,  # whether one answers by itself
    diversify,  # the sum, without repetition
    assemble,  # what fits the budget
)
ITERATED = STAGES[1:-1]
"""What is run again with the legs of sub-questions, as long as the question is not covered."""
OPTIONAL: tuple[Stage, ...] = (expand, rerank, boost, renew, direct)
"""Stages a recall survives: switched off by name, or failed and recorded."""

FAILED = "failed: "
"""How the note of a stage begins that failed; what went wrong follows."""


def run(request: Request, world: World) -> State:
    """Run every stage in order. A failure of an optional stage is recorded and the recall goes on without it."""
    state = _through(STAGES[:-1], State(request), world)
    for number in range(2, request.settings.max_iterations + 1):
        started = perf_counter()
        sub_plans, note = iterate(state, world)
        state = _record(state, f"iterate@{number}", (perf_counter() - started) * 1000, note)
        if not sub_plans:
            break
        state = _through(ITERATED, replace(state, sub_plans=(*state.sub_plans, *sub_plans)), world, f"@{number}")
    return _through(STAGES[-1:], state, world)


def _through(stages: Sequence[Stage], state: State, world: World, again: str = "") -> State:
    for stage in stages:
        name = stage.__name__
        if stage in OPTIONAL and name in state.request.without:
            state = _record(state, name + again, 0.0, "switched off")
            continue
        started = perf_counter()
        state, note = _attempt(stage, state, world)
        state = _record(state, name + again, (perf_counter() - started) * 1000, note)
    return state


def _attempt(stage: Stage, state: State, world: World) -> tuple[State, str]:
    if stage not in OPTIONAL:
        return stage(state, world), ""
    try:
        return stage(state, world), ""
    except InputError:
        raise
    except Exception as error:  # noqa: BLE001 - the runner is where an optional stage may fail, and it is recorded
        return state, f"{FAILED}{type(error).__name__}: {error}"


def _record(state: State, name: str, millis: float, note: str) -> State:
    return replace(state, stages=(*state.stages, StageReport(name, millis, note)))
