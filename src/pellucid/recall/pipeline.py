"""A request in, a finished state out: the one ordered list of stages, and the runner that times and records them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from types import MappingProxyType

from pellucid.errors import DeadlineError, InputError
from pellucid.model.snapshot import FAILED, StageTrace
from pellucid.recall.context.assemble import assemble
from pellucid.recall.context.direct import direct
from pellucid.recall.legs.nominate import base_of, legs
from pellucid.recall.query.iterate import iterate
from pellucid.recall.query.plan import plan
from pellucid.recall.score.boost import boost
from pellucid.recall.score.diversify import compare, diversify
from pellucid.recall.score.expand import expand, widen
from pellucid.recall.score.fuse import fuse
from pellucid.recall.score.ladder import ladder
from pellucid.recall.score.measure import measure
from pellucid.recall.score.renew import find_replaced, renew
from pellucid.recall.score.rerank import rerank, score_survivors
from pellucid.recall.state import Request, State, World


@dataclass(frozen=True, slots=True)
class Stage:
    """A step of a recall: it takes a state and returns the next one. The runner times and records it."""

    name: str
    run: Callable[[State, World], State] | None = None
    """Reads from the world into the state; None if the stage reads nothing."""
    terms: Callable[[State], State] | None = None
    """Pure arithmetic on the state; a replay of a receipt calls only this."""
    optional: bool = False
    """Whether it can be switched off by its name; a recall goes on if such a stage fails."""

    def __call__(self, state: State, world: World) -> State:
        """Return the state after the stage: `run`, then `terms`, as far as it has them."""
        state = self.run(state, world) if self.run else state
        return self.terms(state) if self.terms else state


STAGES: tuple[Stage, ...] = (
    Stage("plan", plan),  # reads the query
    Stage("legs", legs),  # nominates candidates
    Stage("fuse", terms=fuse),  # turns each leg's ranks into terms
    Stage("expand", widen, expand, optional=True),  # adds neighbours of the best candidates
    Stage("measure", measure),  # reads features of each candidate
    Stage("ladder", lambda state, _: ladder(state)),  # filters the candidates: the verdicts are on record
    Stage("rerank", score_survivors, rerank, optional=True),  # compares each with the query more closely
    Stage("boost", terms=boost, optional=True),  # adds terms for importance, pins, use and the like
    Stage("renew", find_replaced, renew, optional=True),  # moves newer words above the older words they replace
    Stage("direct", terms=direct, optional=True),  # puts a memory that answers by itself first
    Stage("diversify", lambda state, _: compare(state), diversify),  # sums the terms, less for repetition
    Stage("assemble", assemble),  # fills the budget
)
"""Every stage, in order. All but the first and the last are run again with the legs of sub-questions."""


def run(request: Request, world: World) -> State:
    """Run every stage in order, and return the finished state. If an optional stage fails, its record says so, and the
    recall goes on without it; an error of any other stage is raised. Also raised are DeadlineError if time runs out,
    and InputError for a query that cannot be asked.
    """
    return _run_stages(STAGES[-1:], ranked(request, world), world)


def ranked(request: Request, world: World) -> State:
    """Run every stage but the last, further iterations included, and return the state, from which a context can be
    assembled. Errors are raised as by `run`."""
    state = _run_stages(STAGES[:-1], State(request), world)
    for number in range(2, request.settings.max_iterations + 1):
        started = perf_counter()
        sub_plans, note = iterate(state, world)
        state = _record_stage(state, f"iterate@{number}", (perf_counter() - started) * 1000, note)
        if not sub_plans:
            break
        state = _run_stages(STAGES[1:-1], replace(state, sub_plans=(*state.sub_plans, *sub_plans)), world, f"@{number}")
    return state


def replay(state: State, read: Mapping[str, Callable[[State], State]] = MappingProxyType({})) -> State:
    """Return the state with the terms of all stages worked out once more, except those of optional stages that
    `left_out` names. Nothing is read.

    `read` maps names of stages to functions; each is called before the terms of its stage, in place of `run`, whether
    the stage is left out or not.
    """
    skipped = left_out(state)
    for stage in STAGES:
        if stage.name in read:
            state = read[stage.name](state)
        if stage.terms and not (stage.optional and stage.name in skipped):
            state = stage.terms(state)
    return state


def left_out(state: State) -> frozenset[str]:
    """Return the names of the stages whose last report has a note, since they were switched off or failed (`iterate`
    always has one), and all names of legs, stages and terms in the request's `without`."""
    notes = {base_of(each.name): each.note for each in state.stages}
    return state.request.without | {name for name, note in notes.items() if note}


def _run_stages(stages: Sequence[Stage], state: State, world: World, suffix: str = "") -> State:
    """Run these stages, and return the state with their reports; optional ones that the request leaves out are only
    reported as switched off. `suffix` (`@2` in the second iteration) is appended to their names in the reports. Raises
    DeadlineError if time runs out; other errors as `_attempt_stage` does."""
    for stage in stages:
        world.deadline.check()
        name = stage.name + suffix
        if stage.optional and stage.name in state.request.without:
            state = _record_stage(state, name, 0.0, "switched off")
            continue
        started = perf_counter()
        state, note = _attempt_stage(stage, state, world)
        state = _record_stage(state, name, (perf_counter() - started) * 1000, note)
    return state


def _attempt_stage(stage: Stage, state: State, world: World) -> tuple[State, str]:
    """Return the state after a stage, and ""; if an optional stage fails, the state before it, and the error. An
    InputError, a DeadlineError and any error of a stage that is not optional are raised."""
    try:
        return stage(state, world), ""
    except (InputError, DeadlineError):
        raise
    except Exception as error:
        if not stage.optional:
            raise
        return state, f"{FAILED}{type(error).__name__}: {error}"


def _record_stage(state: State, name: str, millis: float, note: str) -> State:
    """Return the state with the report of one more stage; `note` says why it failed or was skipped, else ""."""
    return replace(state, stages=(*state.stages, StageTrace(name=name, ms=millis, note=note or None)))
