"""A recall and any memory of its namespace in, why it is in the context or which stage lost it first out.

What a receipt holds is taken from it; what it does not (the rank of a memory that no leg nominated) is asked of the
index as it is. A rank is exact, over the whole corpus. Nothing is written.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from pellucid.clock import epoch_ms, isoformat
from pellucid.errors import NotFoundError
from pellucid.model.memory import BOUNDARY_SCOPES, Memory, recorded_at, unpack_id
from pellucid.recall.legs.nominate import LEGS, base_of
from pellucid.recall.pipeline import run
from pellucid.recall.receipt.record import Receipt, pack, unpack
from pellucid.recall.rescore import rescore
from pellucid.recall.score.equation import Ints
from pellucid.recall.score.ladder import ASKED_EDGES, FILTERS, REPEATS, RUNGS, SAID_ALREADY, TELLS_NOTHING
from pellucid.recall.score.repeats import is_carried_along
from pellucid.recall.state import Pool, Request, State, World
from pellucid.store.index_port import MemoryStanding
from pellucid.xray.shown import CandidateView
from pellucid.xray.why.finding import (
    ABSTENTION,
    DEGRADED,
    GATE,
    LEG_OFF,
    NOT_KNOWN,
    NOT_NOMINATED,
    REMOVED,
    WhyChange,
    WhyFinding,
    WhyLeg,
    WhyMargin,
)
from pellucid.xray.why.trial import MissedMemory, StateChange
from pellucid.xray.why.true_ranks import NO_VECTOR, true_ranks
from pellucid.xray.why.what_if import Runner, find_change
from pellucid.xray.why.whereabouts import cut_in_words, rank_in, rank_in_context, rows_of, rung_of
from pellucid.xray.words.rungs import repeat_in_words

States = Callable[[dict[str, int]], Iterable[StateChange]]
"""What could be done to the memory, given the row of each memory id: worked out only if it comes to that."""
_PREDICATE = {"status-active": "active", "valid-at": "valid", "trust-zone": "trusted", "caller-filter": "wanted"}
"""Rungs that a leg asks before it nominates, and their columns, in the order of the ladder."""
_NEVER_ASKED: dict[str, object] = {
    "health": "off",
    "reason": None,
    "nominated": False,
    "rank": None,
    "raw_score": None,
    "last_score": None,
    "unranked": "that recall did not ask this leg",
}
_UNITS = {"token-overlap": "share of the query's words", "score-floor": "cosine"}


@dataclass(frozen=True, slots=True)
class MemoryInRecall:
    """A recorded recall with its scores computed again, and one memory in it."""

    state: State
    pool: Pool
    order: Ints
    memory: Memory
    position: int | None
    """Its position among the candidates, None if it was none."""

    @property
    def place(self) -> int | None:
        """The memory's rank in the ranking, from 1; None where it is not ranked."""
        return rank_in(self.order, self.position)

    @property
    def rung(self) -> str | None:
        """The rung that rejected the memory; None if none did."""
        return rung_of(self.pool.rejected, self.position)

    @property
    def context_place(self) -> int | None:
        """The memory's rank in the context, from 1; None where it is not in it."""
        return rank_in_context(self.state, self.memory.id)

    @property
    def is_unknown(self) -> bool:
        """Whether the memory was written down only after the instant by which the question asks what was known."""
        known = self.state.request.as_known_at
        return known is not None and epoch_ms(recorded_at(self.memory.id, self.memory.created)) > epoch_ms(known)

    @property
    def is_past(self) -> bool:
        """Whether the question was about a past instant."""
        return self.state.request.as_of is not None or self.state.request.as_known_at is not None


def why(world: World, request: Request, memory: Memory, states: States, receipt: Receipt | None = None) -> WhyFinding:
    """Why a memory is in the context of a recall, or why not, and what would admit it.

    With a `receipt` the recorded recall is explained, and the request is run only to try changes; where its words were
    not kept, nothing is run. Without one the request is run now. `states` says what could be done to the memory.

    Raises:
        NotFoundError: the namespace has no such memory.
    """
    if receipt is not None and not request.query:
        return _finding(_memory_in_recall(receipt.state, memory), (), 0)
    today = run(request, world)
    now = _memory_in_recall(unpack(pack(today)).state, memory)
    then = _memory_in_recall(receipt.state, memory) if receipt else now
    rows = rows_of(world.reader, today.admission)
    row = rows.get(memory.id)
    if row is None:
        raise NotFoundError(f"no memory {memory.id} in {request.namespace}", next_step="`pellucid list` shows ids")
    places, recalls = ((), 1) if then.is_unknown else _leg_ranks(request, today, world, row)
    legs = _legs_of_recall(places, then)
    if then.context_place:
        return _finding(then, legs, recalls)
    barred = _barring_rung(today, world, row)
    finding = _finding(then, legs, recalls, barred)
    if now.context_place:
        return finding.model_copy(update={"today": "asked again today, it is in the context"})
    legs_now = _legs_of_recall(places, now)
    stage = _stage_that_lost(now, legs_now, barred)
    differs = f"asked again today, it is lost at {stage}" if stage != finding.stage else None
    missed = MissedMemory(
        request=request,
        state=today,
        memory_id=memory.id,
        row=row,
        stage=stage,
        legs=legs_now,
        states=lambda: states(rows),
    )
    runner = Runner(world, missed)
    change, tried = find_change(runner)
    change = change or _repair_change(finding)
    return finding.model_copy(
        update={
            "change": change,
            "tried": tried,
            "recalls": recalls + runner.recalls,
            "today": differs,
            "margin": _budget_margin(finding, change) or finding.margin,
        }
    )


def _memory_in_recall(state: State, memory: Memory) -> MemoryInRecall:
    """A recall, its scores computed again, and the memory's position in it."""
    pool, order = rescore(state)
    at = np.flatnonzero(pool.ids == np.array([bytes.fromhex(memory.id.removeprefix("mem_"))], dtype="S16"))
    return MemoryInRecall(state, pool, order, memory, int(at[0]) if len(at) else None)


def _leg_ranks(request: Request, today: State, world: World, row: int) -> tuple[tuple[WhyLeg, ...], int]:
    """The memory's rank in each leg today if no rung barred it, and how many recalls that took (1; 2 past a gate)."""
    might = replace(world, reader=world.reader.pretending({row: MemoryStanding(wanted=True)}))
    state, recalls = today, 1
    if today.plan.depth == "no_recall":
        settings = request.settings.model_copy(update={"gate": "off"})
        state, recalls = run(replace(request, settings=settings), world), 2
    return true_ranks(state, might, row), recalls


def _legs_of_recall(places: tuple[WhyLeg, ...], then: MemoryInRecall) -> tuple[WhyLeg, ...]:
    """Today's legs as the recall `then` had them, and those that nominated the memory then and are not asked today."""
    today = {each.leg for each in places}
    gone = (each for each in _recorded_legs(then) if each.nominated and each.leg not in today)
    return (*(_as_recorded(each, then) for each in places), *gone)


def _as_recorded(leg: WhyLeg, then: MemoryInRecall) -> WhyLeg:
    """A leg's answer about the memory with what the recall recorded of it: health, whether nominated, rank and scores.

    Not nominated then, it keeps today's rank. A leg the recall did not ask is off; without recorded legs it is
    unchanged.
    """
    report = next((each for each in then.state.legs if each.name == leg.leg), None)
    if report is None:
        return leg if not then.state.legs else leg.model_copy(update=_NEVER_ASKED)
    known = {"health": report.health, "reason": report.reason or None, "nominated": False}
    ranks = then.pool.ranks.get(leg.leg)
    if then.position is None or ranks is None or not ranks[then.position]:
        return leg.model_copy(update=known)
    scores = then.pool.scores[leg.leg]
    said = {
        "nominated": True,
        "rank": int(ranks[then.position]),
        "raw_score": float(scores[then.position]),
        "last_score": float(scores[int(ranks.argmax())]),
        "unranked": None,
    }
    return leg.model_copy(update=known | said)


def _barring_rung(today: State, world: World, row: int) -> str | None:
    """The first rung that keeps legs from nominating the memory of this row, such as `valid-at`; None for none."""
    columns = world.reader.columns(np.array([row]), today.admission)
    return next((rung for rung, name in _PREDICATE.items() if not getattr(columns, name)[0]), None)


def _finding(then: MemoryInRecall, legs: tuple[WhyLeg, ...], recalls: int, barred: str | None = None) -> WhyFinding:
    """Put together the finding: verdict, the stage that lost the memory, its ranks, score and margin.

    `barred` is the rung that kept legs from nominating it; `recalls` is how many recalls were run for this. Empty
    `legs` stand for those that the receipt records.
    """
    state, settings, legs = then.state, then.state.request.settings, legs or _recorded_legs(then)
    stage = None if then.context_place else _stage_that_lost(then, legs, barred)
    known = then.position is not None
    shown = CandidateView(state, then.pool, then.order).result(then.memory.id, then.place or 1, None) if known else None
    evidence = (
        then.position is not None
        and not then.pool.nominated[then.position]
        and any(ranks[then.position] for ranks in then.pool.open_ranks.values())
    )
    return WhyFinding(
        verdict="hit" if then.context_place else "miss",
        stage=stage,
        reason=_reason_for_loss(then, stage, legs),
        soft=rung_of(then.pool.soft, then.position),
        place=then.place,
        ranked=len(then.order),
        context_place=then.context_place,
        told=cut_in_words(state, then.memory.id),
        top_k=settings.top_k_facts,
        budget=settings.char_budget,
        used=state.context.length,
        open_arm=evidence or (then.position is None and stage in _PREDICATE),
        legs=legs,
        degraded=tuple(each.name for each in state.legs if each.health == "degraded"),
        scores=shown.score_decomposition if shown else None,
        signals=shown.why if shown else None,
        margin=_margin_of(then, stage),
        recalls=recalls,
    )


def _recorded_legs(then: MemoryInRecall) -> tuple[WhyLeg, ...]:
    """What a receipt alone says of its legs; nothing for a memory that was not known then."""
    if then.is_unknown:
        return ()
    pool = then.state.request.settings.pool
    unranked = (
        WhyLeg(
            leg=each.name,
            health=each.health,
            score_type=LEGS[base_of(each.name)].score_type,
            nominated=False,
            pool=pool,
            unranked="the question's words were not kept: it cannot be asked again",
        )
        for each in then.state.legs
    )
    return tuple(_as_recorded(each, then) for each in unranked)


def _stage_that_lost(then: MemoryInRecall, legs: tuple[WhyLeg, ...], barred: str | None) -> str:
    """The stage or rung that lost the memory first, such as `gate` or `top-k`.

    `barred`: the rung that barred it from legs.
    """
    if then.is_unknown:
        return NOT_KNOWN
    if then.state.plan.depth == "no_recall":
        return GATE
    if then.rung:
        return then.rung
    if then.position is not None:
        doubt = then.state.abstention
        return ABSTENTION if doubt and doubt.abstained else REMOVED
    return _loss_before_pool(legs, barred)


def _loss_before_pool(legs: tuple[WhyLeg, ...], barred: str | None) -> str:
    """What lost a memory that was no candidate: `barred` if a leg would nominate it, else `leg-degraded` or `leg-off`.

    Else `not-nominated`: every leg ranks it too low, or not at all.
    """
    at_work = [each for each in legs if each.health != "off"]
    if barred and any(each.rank and each.rank <= each.pool for each in at_work):
        return barred
    if any((each.health == "degraded" and not each.rank) or _has_no_vector(each) for each in at_work):
        return DEGRADED
    if any(each.rank and each.rank <= each.pool for each in legs if each.health == "off"):
        return LEG_OFF
    return NOT_NOMINATED


def _has_no_vector(leg: WhyLeg) -> bool:
    """Whether a leg does not rank the memory because it was never encoded."""
    return leg.unranked == NO_VECTOR


def _reason_for_loss(then: MemoryInRecall, stage: str | None, legs: tuple[WhyLeg, ...]) -> str | None:
    """Why `stage` lost the memory, in words; for a filter without words of its own that filter's reason, else None."""
    memory, state = then.memory, then.state
    unmet = [each for each in BOUNDARY_SCOPES if each in memory.scopes and each not in state.request.scopes]
    down = [
        f"{each.leg}: {each.unranked or each.reason}"
        for each in legs
        if not each.rank and (each.health == "degraded" or _has_no_vector(each))
    ]
    omitted = next((each.reason for each in state.context.omitted if each.memory_id == memory.id), None)
    said = {
        NOT_KNOWN: _recorded_too_late(then),
        GATE: state.plan.reason or "the message needs no memory",
        DEGRADED: "; ".join(down),
        "status-active": "it was not active then" if then.is_past else f"its status is {memory.status}",
        "valid-at": _validity_words(then),
        "trust-zone": "it was in quarantine then" if then.is_past else "it is in quarantine",
        "boundary-scope": f"it is marked {', '.join(unmet)}, which the caller did not name",
        "time-window": f'it was made outside "{state.plan.period.phrase}"' if state.plan.period else None,
        ASKED_EDGES: omitted,
        TELLS_NOTHING: omitted,
        SAID_ALREADY: omitted,
        "budget-fit": omitted,
        REPEATS: _repeated_by(then),
        ABSTENTION: "the recall was not sure enough of any answer",
        REMOVED: "a pass over the context took it out",
    }
    return said.get(stage or "") or next((each.reason for each in FILTERS if each.name == stage), None)


def _repeated_by(then: MemoryInRecall) -> str | None:
    """Which memory a repeat repeats, by id; else why the context omitted the memory, or None."""
    better = then.state.repeats.get(-1 if then.position is None else then.position)
    said = next((each.reason for each in then.state.context.omitted if each.memory_id == then.memory.id), None)
    if better is None:
        return said
    bare = then.memory.category == "section" and is_carried_along(then.memory.content)
    said_by = unpack_id(then.pool.ids[better])
    return f"it {repeat_in_words(said_by, shown=said_by in then.state.context.included, bare=bare)}"


def _recorded_too_late(then: MemoryInRecall) -> str | None:
    """When the memory was written down and what the question asked; None where it did not ask what was known."""
    known = then.state.request.as_known_at
    if known is None:
        return None
    at = recorded_at(then.memory.id, then.memory.created)
    return f"it was recorded at {isoformat(at)}, later than {isoformat(known)}"


def _validity_words(then: MemoryInRecall) -> str:
    """Why the memory was not valid at the instant asked about: when it begins, ends and expires, where it says so."""
    memory = then.memory
    names = ("valid_at", "invalid_at", "expires_at")
    words = {"valid_at": "valid from", "invalid_at": "invalid since", "expires_at": "expired at"}
    said = [f"{words[name]} {isoformat(at)}" for name in names if (at := getattr(memory, name))]
    if then.is_past and not memory.valid_at:
        said.insert(0, f"made at {isoformat(memory.created)}")
    return f"not valid at the instant asked about ({', '.join(said)})"


def _margin_of(then: MemoryInRecall, stage: str | None) -> WhyMargin | None:
    """How far a hit is from being cut by topK (in score, else in places left), or a miss from passing its rung.

    None for a memory that was no candidate, and for a rung other than `top-k`, `token-overlap` and `score-floor`.
    """
    top_k, kept, final = then.state.request.settings.top_k_facts, then.state.kept, then.pool.final
    beyond = then.order[then.pool.rejected[then.order] == 1 + RUNGS.index("top-k")]
    if then.position is None:
        return None
    if stage is None:
        if len(beyond):
            return WhyMargin(unit="score", spare=float(final[then.position] - final[beyond[0]]))
        return WhyMargin(unit="places", spare=float(top_k - 1 - kept.tolist().index(then.position)))
    if stage == "top-k":
        return WhyMargin(unit="score", missing=float(final[kept[-1]] - final[then.position]))
    measured = next((each.margin for each in FILTERS if each.name == stage), None)
    if measured is None or stage not in _UNITS:
        return None
    missing = float(measured(then.state, then.pool)[then.position])
    return WhyMargin(unit="cosine" if stage == "score-floor" else "share of the query's words", missing=missing)


def _budget_margin(finding: WhyFinding, change: WhyChange | None) -> WhyMargin | None:
    """How many characters the budget lacked, where a larger one admits the memory; else None."""
    if finding.stage != "budget-fit" or change is None or change.kind != "budget":
        return None
    return WhyMargin(unit="characters", missing=float(int(change.to) - finding.budget))


def _repair_change(finding: WhyFinding) -> WhyChange | None:
    """The advice to repair a leg that is down, untried as its answer is unknown; None for any other stage."""
    if finding.stage != DEGRADED:
        return None
    return WhyChange(
        kind="repair", setting="leg", was=finding.reason or "down", to="ok", apply="pellucid doctor", verified=False
    )
