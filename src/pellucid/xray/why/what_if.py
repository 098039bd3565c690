"""A recall that missed a memory in, the first single change that admits it out: each is tried by a real recall.

What is tried is said in `suggest`. Nothing is written: settings and flags are those of the one recall, and a change of
state is a reader in which the memory stands otherwise (`IndexReader.pretending`).
"""

from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError

from pellucid.model.memory import unpack_id
from pellucid.recall.pipeline import run
from pellucid.recall.score.ladder import REPEATS
from pellucid.recall.state import State, World
from pellucid.xray.why.finding import NOT_KNOWN, WhyChange, WhyTried
from pellucid.xray.why.suggest import TRIED
from pellucid.xray.why.trial import Dial, Idea, Missed, TrialChange
from pellucid.xray.why.whereabouts import context_place, place_in, position_of, rung_of
from pellucid.xray.words.numbers import ordinal


@dataclass(frozen=True, slots=True)
class TrialRun:
    """A change, the recall that was run with it, and the memory's place in its context."""

    draft: TrialChange
    state: State
    place: int | None


class Runner:
    """Runs the recall that missed a memory again, each time with one change, and counts how often."""

    def __init__(self, world: World, missed: Missed) -> None:
        self.missed = missed
        self.recalls = 0
        self._world = world

    def run(self, draft: TrialChange) -> TrialRun:
        """Run the recall with this change, and count it."""
        world = self._world
        if draft.standings:
            world = replace(world, reader=world.reader.pretending(draft.standings))
        self.recalls += 1
        state = run(draft.request, world)
        return TrialRun(draft, state, context_place(state, self.missed.memory_id))


def find(runner: Runner) -> tuple[WhyChange | None, tuple[WhyTried, ...]]:
    """The first change that admits the memory, and those tried before it that do not; None where nothing admits it."""
    missed, tried = runner.missed, list[WhyTried]()
    for suggest in TRIED[:1] if missed.stage == NOT_KNOWN else TRIED:
        for idea in suggest(missed):
            came = _try_idea(runner, idea)
            if isinstance(came, WhyChange):
                return came, tuple(tried)
            tried += [came] if came else []
    return None, tuple(tried)


def _try_idea(runner: Runner, idea: Idea) -> WhyChange | WhyTried | None:
    """What came of an idea: the change if it admits the memory, else what was tried; None if out of range."""
    if isinstance(idea, WhyTried):
        return idea
    if isinstance(idea, Dial):
        return _turn_dial(runner, idea)
    ran = runner.run(idea)
    return _change_of(ran, smallest=False) if ran.place else _in_vain(ran, runner.missed.row)


def _turn_dial(runner: Runner, dial: Dial) -> WhyChange | WhyTried | None:
    """Turn a number up until it admits the memory, then back as far as it still does; None if no stop is in range."""
    low, ran = dial.low, None
    for high in dial.stops:
        try:
            draft = dial.draft(high)
        except ValidationError:
            break
        ran = runner.run(draft)
        if ran.place:
            return _least_that_admits(runner, dial, low, high, ran)
        low = high
    return _in_vain(ran, runner.missed.row) if ran else None


def _least_that_admits(runner: Runner, dial: Dial, low: int, high: int, at_high: TrialRun) -> WhyChange:
    """The lowest number found that admits the memory, by halving between `low` and `high`; `at_high`, its run, admits.

    `smallest` of the change says whether the number below was seen not to.
    """
    while high - low > 1:
        middle = (low + high) // 2
        ran = runner.run(dial.draft(middle))
        if ran.place:
            high, at_high = middle, ran
        else:
            low = middle
    tried_below = low > dial.low
    return _change_of(at_high, smallest=tried_below or not runner.run(dial.draft(low)).place)


def _change_of(ran: TrialRun, *, smallest: bool) -> WhyChange:
    """The change of a run that admits the memory, as the finding tells it."""
    draft = ran.draft
    return WhyChange(
        kind=draft.kind,
        setting=draft.setting,
        was=draft.was,
        to=draft.to,
        apply=draft.apply,
        verified=True,
        place=ran.place,
        smallest=smallest,
    )


def _in_vain(ran: TrialRun, row: int) -> WhyTried:
    draft = ran.draft
    return WhyTried(kind=draft.kind, setting=draft.setting, to=draft.to, result=_fate_in_words(ran.state, row))


def _fate_in_words(state: State, row: int) -> str:
    """How far a memory came that is not in the context, in a few words, for a change tried in vain."""
    position, cut = position_of(state.pool, row), state.request.settings.top_k_facts
    place, rung = place_in(state.order, position), rung_of(state.pool.rejected, position)
    if place:
        end = f"where topK is {cut}" if rung == "top-k" else f"but {_reason_omitted(state, place, rung)}"
        return f"it comes {ordinal(place)} of {len(state.order)}, {end}"
    return f"{rung} turns it away" if rung else "no leg nominates it"


def _reason_omitted(state: State, place: int, rung: str | None) -> str:
    """Why a memory that came far enough is not in the context all the same."""
    if state.abstention and state.abstention.abstained:
        return "the recall is not sure enough of any answer"
    if rung == REPEATS:
        return "another stands for it"
    ids: Any = state.pool.ids
    memory_id = unpack_id(ids[int(state.order[place - 1])])
    left_out = (each.reason for each in state.context.omitted if each.memory_id == memory_id)
    return next(left_out, "a pass over the context takes it out")
