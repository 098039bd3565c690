"""A recall that missed a memory in, the first single change that admits it out: each is tried by a real recall.

`suggest` lists the changes. Nothing is written: settings and flags are those of the one recall, and a change of state
is a reader in which the memory has another state (`IndexReader.pretending`).
"""

from dataclasses import dataclass, replace

from pydantic import ValidationError

from pellucid.model.memory import unpack_id
from pellucid.recall.pipeline import run
from pellucid.recall.score.ladder import REPEATS
from pellucid.recall.state import State, World
from pellucid.xray.whereabouts import omitted_reason, position_of, rank_in, rank_in_context, rung_of
from pellucid.xray.why.finding import NOT_KNOWN, WhyChange, WhyTried
from pellucid.xray.why.suggest import TRIED
from pellucid.xray.why.trial import Attempt, MissedMemory, NumberSearch, TrialChange
from pellucid.xray.words.numbers import ordinal


@dataclass(frozen=True, slots=True)
class TrialRun:
    """A change, the recall that was run with it, and the memory's rank in its context; None if it is not in the
    context.
    """

    draft: TrialChange
    state: State
    place: int | None


class Runner:
    """Runs the recall again with one change at a time, and counts the runs."""

    def __init__(self, world: World, missed: MissedMemory) -> None:
        self.missed = missed
        self.recalls = 0
        self._world = world

    def run(self, draft: TrialChange) -> TrialRun:
        """Run the recall with a change, and return it with the memory's rank in its context; count the run in
        `recalls`. A change of state is only pretended by the reader: nothing is written.
        """
        world = self._world
        if draft.standings:
            world = replace(world, reader=world.reader.pretending(draft.standings))
        self.recalls += 1
        state = run(draft.request, world)
        return TrialRun(draft, state, rank_in_context(state, self.missed.memory_id))


def find_change(runner: Runner) -> tuple[WhyChange | None, tuple[WhyTried, ...]]:
    """Try changes in order; return the first that admits the memory, or None, and the attempts that failed before.

    These include changes that could not be tried. For a memory not known at the instant asked about, only leaving out
    past instants is tried. `runner.recalls` counts the recalls run.
    """
    missed, tried = runner.missed, list[WhyTried]()
    for suggest in TRIED[:1] if missed.stage == NOT_KNOWN else TRIED:
        for attempt in suggest(missed):
            outcome = _try_attempt(runner, attempt)
            if isinstance(outcome, WhyChange):
                return outcome, tuple(tried)
            tried += [outcome] if outcome else []
    return None, tuple(tried)


def _try_attempt(runner: Runner, attempt: Attempt) -> WhyChange | WhyTried | None:
    """Return the change if the attempt admits the memory, else the record of the failed attempt; None for a search
    whose first value is out of the setting's range.

    An attempt that is such a record already, as it cannot be tried, is returned as it is.
    """
    if isinstance(attempt, WhyTried):
        return attempt
    if isinstance(attempt, NumberSearch):
        return _search_number(runner, attempt)
    ran = runner.run(attempt)
    return _admitting_change(ran, smallest=False) if ran.place else _failed_attempt(ran, runner.missed.row)


def _search_number(runner: Runner, search: NumberSearch) -> WhyChange | WhyTried | None:
    """Try a search's stops in turn up to the first that admits the memory, then look for the smallest number that does
    (`_smallest_change`). Return the change; the last failed attempt if no stop admits the memory; None if the first
    stop is out of range. A stop out of range ends the search.
    """
    low, ran = search.low, None
    for high in search.stops:
        try:
            draft = search.draft(high)
        except ValidationError:
            break
        ran = runner.run(draft)
        if ran.place:
            return _smallest_change(runner, search, low, high, ran)
        low = high
    return _failed_attempt(ran, runner.missed.row) if ran else None


def _smallest_change(runner: Runner, search: NumberSearch, low: int, high: int, at_high: TrialRun) -> WhyChange:
    """Return the change to the smallest number between `low` (exclusive) and `high` that admits the memory, found by
    halving. `at_high` is the run with `high`. The change is marked `smallest` if the number below it was run, now if
    not before, and does not admit the memory.
    """
    while high - low > 1:
        middle = (low + high) // 2
        ran = runner.run(search.draft(middle))
        if ran.place:
            high, at_high = middle, ran
        else:
            low = middle
    is_below_tried = low > search.low  # else `low` is where the search began, and no run has tried it
    return _admitting_change(at_high, smallest=is_below_tried or not runner.run(search.draft(low)).place)


def _admitting_change(ran: TrialRun, *, smallest: bool) -> WhyChange:
    """Return the record of a change that admits the memory; `smallest` is whether the next smaller value is known not
    to.
    """
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


def _failed_attempt(ran: TrialRun, row: int) -> WhyTried:
    """Return the record of a change that does not admit the memory, whose index row is `row`, with how far it came."""
    draft = ran.draft
    return WhyTried(kind=draft.kind, setting=draft.setting, to=draft.to, result=_outcome_in_words(ran.state, row))


def _outcome_in_words(state: State, row: int) -> str:
    """Say how far a memory came that is not in the context: `it comes 9th of 40, where top-k is 8`.

    If it is not ranked, say which rung rejected it, or that no leg nominates it.
    """
    position, top_k = position_of(state.pool, row), state.request.settings.top_k_facts
    place, rung = rank_in(state.order, position), rung_of(state.pool.rejected, position)
    if place:
        end = f"where top-k is {top_k}" if rung == "top-k" else f"but {_reason_omitted(state, place, rung)}"
        return f"it comes {ordinal(place)} of {len(state.order)}, {end}"
    return f"{rung} turns it away" if rung else "no leg nominates it"


def _reason_omitted(state: State, place: int, rung: str | None) -> str:
    """Say why the memory at rank `place` is not in the context; that a pass took it out if nothing else is recorded.
    `rung` is the one that rejected it, if one did.
    """
    if state.abstention and state.abstention.abstained:
        return "the recall is not sure enough of any answer"
    if rung == REPEATS:
        return "it repeats another memory"
    memory_id = unpack_id(state.pool.ids[int(state.order[place - 1])])
    return omitted_reason(state, memory_id) or "a pass over the context takes it out"
