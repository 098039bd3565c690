"""A recall and any memory of its namespace in, why the memory is in the context or which stage lost it first out.

Values on the receipt are taken from it; the others (such as the rank of a memory that no leg nominated) are read from
the index of today. A rank is exact, over the whole corpus. Nothing is written.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from pellucid.clock import epoch_ms, isoformat
from pellucid.errors import NotFoundError, bare_step, spell_recorded, step
from pellucid.model.memory import BOUNDARY_SCOPES, Memory, recorded_at
from pellucid.recall.legs.nominate import LEGS, base_of
from pellucid.recall.pipeline import run
from pellucid.recall.receipt.record import Receipt, draft
from pellucid.recall.rescore import rescore
from pellucid.recall.score.equation import Ints
from pellucid.recall.score.ladder import ABSTENTION, ASKED_EDGES, FILTERS, REPEATS, RUNGS, SAID_ALREADY, TELLS_NOTHING
from pellucid.recall.state import Pool, Request, State, World
from pellucid.store.index_port import MemoryStanding
from pellucid.xray.shown import CandidateView
from pellucid.xray.whereabouts import (
    cut_in_words,
    ids_quoting,
    rank_in,
    rank_in_context,
    reason_in_full,
    repeat_reason,
    rows_of,
    rung_of,
)
from pellucid.xray.why.finding import (
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
from pellucid.xray.why.true_ranks import no_vector, true_ranks
from pellucid.xray.why.what_if import Runner, find_change

States = Callable[[dict[str, int]], Iterable[StateChange]]
"""Maps the index row of each memory id to the possible changes of the memory's state; called only if needed."""
_PREDICATE = {"status-active": "active", "valid-at": "valid", "trust-zone": "trusted", "caller-filter": "wanted"}
"""Rungs that a leg applies before it nominates, and their columns, in the order of the ladder."""
_NEVER_ASKED: dict[str, object] = {
    "health": "off",
    "reason": None,
    "nominated": False,
    "rank": None,
    "raw_score": None,
    "last_score": None,
    "unranked": "that recall did not ask this leg",
}
_UNITS: dict[str, Literal["share of the query's words", "cosine"]] = {
    "token-overlap": "share of the query's words",
    "score-floor": "cosine",
}


@dataclass(frozen=True, slots=True)
class MemoryInRecall:
    """A recorded recall with its scores computed again, and one memory in it."""

    state: State
    pool: Pool
    order: Ints
    memory: Memory
    position: int | None
    """Its position among the candidates; None if it was not a candidate."""

    @property
    def place(self) -> int | None:
        """The memory's rank in the ranking, from 1; None if it is not ranked."""
        return rank_in(self.order, self.position)

    @property
    def rung(self) -> str | None:
        """The rung that rejected the memory; None if no rung did."""
        return rung_of(self.pool.rejected, self.position)

    @property
    def context_place(self) -> int | None:
        """The memory's rank in the context, from 1; None if it is not in the context."""
        return rank_in_context(self.state, self.memory.id)

    @property
    def is_unknown(self) -> bool:
        """Whether the memory was written down only after the instant by which the question asks what was known."""
        known_by = self.state.request.as_known_at
        return known_by is not None and epoch_ms(recorded_at(self.memory.id, self.memory.created)) > epoch_ms(known_by)

    @property
    def is_past(self) -> bool:
        """Whether the question was about a past instant (`as_of`), or about what was known at one (`as_known_at`)."""
        return self.state.request.as_of is not None or self.state.request.as_known_at is not None


def why(world: World, request: Request, memory: Memory, states: States, receipt: Receipt | None = None) -> WhyFinding:
    """Return why a memory is in the context of a recall, or why not, and (if it is not there today either) what would
    admit it.

    With a `receipt` the recorded recall is explained, and the request is run only for today's ranks and to try changes;
    if its words were not kept, nothing is run. Without a receipt the request is run now. `states` is called with a map
    from memory ids to index rows, only if a change is sought, and returns the possible changes of the memory's state.

    NotFoundError if the namespace has no such memory; not checked if nothing is run."""
    if receipt is not None and not request.query:
        return _finding(_memory_in_recall(receipt.state, memory), (), 0)
    today = run(request, world)
    now = _memory_in_recall(draft(today).receipt().state, memory)  # as a receipt has it, to compare like with like
    then = _memory_in_recall(receipt.state, memory) if receipt else now
    rows = rows_of(world.reader, today.admission)
    row = rows.get(memory.id)
    if row is None:
        raise NotFoundError(
            f"no memory {memory.id} in {request.namespace}", next_step=f"{step('memory.list')} shows ids"
        )
    legs_today, recalls = ((), 1) if then.is_unknown else _leg_ranks(request, today, world, row)
    legs = _legs_of_recall(legs_today, then)
    if then.context_place:
        return _finding(then, legs, recalls)
    barred = _barring_rung(today, world, row)
    finding = _finding(then, legs, recalls, barred)
    if now.context_place:
        return finding.model_copy(update={"today": "asked again today, it is in the context"})
    legs_now = _legs_of_recall(legs_today, now)
    stage = _stage_that_lost(now, legs_now, barred)
    differing = f"asked again today, it is lost at {stage}" if stage != finding.stage else None
    missed = MissedMemory(request, today, memory.id, row, stage, legs_now, states=lambda: states(rows))
    runner = Runner(world, missed)
    change, tried = find_change(runner)
    change = change or _repair_change(finding)
    return finding.model_copy(
        update={
            "change": change,
            "tried": tried,
            "recalls": recalls + runner.recalls,
            "today": differing,
            "margin": _budget_margin(finding, change) or finding.margin,
        }
    )


def _memory_in_recall(state: State, memory: Memory) -> MemoryInRecall:
    """Compute a recall's scores again, and return it with the memory's position in it."""
    pool, order = rescore(state)
    at = np.flatnonzero(pool.ids == np.array([bytes.fromhex(memory.id.removeprefix("mem_"))], dtype="S16"))
    return MemoryInRecall(state, pool, order, memory, int(at[0]) if len(at) else None)


def _leg_ranks(request: Request, today: State, world: World, row: int) -> tuple[tuple[WhyLeg, ...], int]:
    """Return the memory's rank in each leg today as if no rung barred it, and how many recalls were run: one, which
    made `today`; two if its gate, which can find that a message needs no memory, let it search nothing, so that the
    recall is run again without the gate.
    """
    admitting_world = replace(world, reader=world.reader.pretending({row: MemoryStanding(wanted=True)}))
    state, recalls = today, 1
    if today.plan.depth == "no_recall":
        settings = request.settings.model_copy(update={"gate": "off"})
        state, recalls = run(replace(request, settings=settings), world), 2
    return true_ranks(state, admitting_world, row), recalls


def _legs_of_recall(legs_today: tuple[WhyLeg, ...], recall: MemoryInRecall) -> tuple[WhyLeg, ...]:
    """Return today's legs with what the recall recorded of them, and then the legs that nominated the memory in the
    recall but are not asked today.
    """
    asked_today = {each.leg for each in legs_today}
    unasked_today = (each for each in _recorded_legs(recall) if each.nominated and each.leg not in asked_today)
    return (*(_with_record(each, recall) for each in legs_today), *unasked_today)


def _with_record(leg: WhyLeg, recall: MemoryInRecall) -> WhyLeg:
    """Return a leg's record about the memory with what the recall recorded: health, nomination, rank and scores.

    If the recall's leg did not nominate it, today's rank stays. A leg that the recall did not ask is off; if the recall
    has no recorded legs, `leg` is unchanged.
    """
    report = next((each for each in recall.state.legs if each.name == leg.leg), None)
    if report is None:
        return leg if not recall.state.legs else leg.model_copy(update=_NEVER_ASKED)
    reason = spell_recorded(report.reason or "") or None
    recorded_health = {"health": report.health, "reason": reason, "nominated": False}
    ranks = recall.pool.ranks.get(leg.leg)
    if recall.position is None or ranks is None or not ranks[recall.position]:
        return leg.model_copy(update=recorded_health)
    scores = recall.pool.scores[leg.leg]
    recorded_rank = {
        "nominated": True,
        "rank": int(ranks[recall.position]),
        "raw_score": float(scores[recall.position]),
        "last_score": float(scores[int(ranks.argmax())]),
        "unranked": None,
    }
    return leg.model_copy(update=recorded_health | recorded_rank)


def _barring_rung(today: State, world: World, row: int) -> str | None:
    """Return the first of `status-active`, `valid-at`, `trust-zone` and `caller-filter` that keeps legs from nominating
    the memory of this row; None if none does. Scopes, period and floors are not looked at.
    """
    columns = world.reader.columns(np.array([row]), today.admission)
    return next((rung for rung, name in _PREDICATE.items() if not getattr(columns, name)[0]), None)


def _finding(recall: MemoryInRecall, legs: tuple[WhyLeg, ...], recalls: int, barred: str | None = None) -> WhyFinding:
    """Put together the finding: verdict, the stage that lost the memory, its ranks, score and margin.

    `barred` is the rung that kept legs from nominating it; `recalls` is how many recalls were run for this. If `legs`
    is empty, the legs that the receipt records are used.
    """
    state, settings, legs = recall.state, recall.state.request.settings, legs or _recorded_legs(recall)
    stage = None if recall.context_place else _stage_that_lost(recall, legs, barred)

    view = CandidateView(state, recall.pool, recall.order)
    shown = view.result(recall.memory.id, recall.place or 1) if recall.position is not None else None
    is_evidence = (
        recall.position is not None
        and not recall.pool.nominated[recall.position]
        and any(ranks[recall.position] for ranks in recall.pool.open_ranks.values())
    )
    return WhyFinding(
        verdict="hit" if recall.context_place else "miss",
        stage=stage,
        reason=_reason_for_loss(recall, stage, legs),
        soft=rung_of(recall.pool.soft, recall.position),
        place=recall.place,
        ranked=len(recall.order),
        context_place=recall.context_place,
        told=cut_in_words(state, recall.memory.id),
        quoted_at=tuple(rank_in_context(state, each) or 0 for each in ids_quoting(state, recall.memory.id)),
        top_k=settings.top_k_facts,
        budget=settings.char_budget,
        used=state.context.length,
        open_arm=is_evidence or (recall.position is None and stage in _PREDICATE),
        legs=legs,
        degraded=tuple(each.name for each in state.legs if each.health == "degraded"),
        scores=shown.score_decomposition if shown else None,
        signals=shown.why if shown else None,
        margin=_distance_from_cut(recall, stage),
        recalls=recalls,
    )


def _recorded_legs(recall: MemoryInRecall) -> tuple[WhyLeg, ...]:
    """Return what a receipt alone records of its legs; nothing for a memory that was not written down then."""
    if recall.is_unknown:
        return ()
    pool = recall.state.request.settings.pool
    unranked = (
        WhyLeg(
            leg=each.name,
            health=each.health,
            score_type=LEGS[base_of(each.name)].score_type,
            nominated=False,
            pool=pool,
            unranked="the question's words were not kept: it cannot be asked again",
        )
        for each in recall.state.legs
    )
    return tuple(_with_record(each, recall) for each in unranked)


def _stage_that_lost(recall: MemoryInRecall, legs: tuple[WhyLeg, ...], barred: str | None) -> str:
    """Return the stage or rung that lost the memory: `not-known-yet` or `gate` if it is so, else the rung on record; of
    a candidate that none rejected, `abstention` or `context-pass`; else see `_loss_before_pool`. `barred` is the rung
    that kept legs from nominating it.
    """
    if recall.is_unknown:
        return NOT_KNOWN
    if recall.state.plan.depth == "no_recall":
        return GATE
    if recall.rung:
        return recall.rung
    if recall.position is not None:
        doubt = recall.state.abstention
        return ABSTENTION if doubt and doubt.abstained else REMOVED
    return _loss_before_pool(legs, barred)


def _loss_before_pool(legs: tuple[WhyLeg, ...], barred: str | None) -> str:
    """Return what lost a memory that was not a candidate: `barred`, if a leg that is on ranks it within its pool. Else
    `leg-degraded` if a degraded leg has no rank for it or it has no vector; else `leg-off` if a leg that is off ranks
    it within its pool; else `not-nominated`: every leg ranks it too low, or not at all.
    """
    at_work = [each for each in legs if each.health != "off"]
    if barred and any(each.rank and each.rank <= each.pool for each in at_work):
        return barred
    if any((each.health == "degraded" and not each.rank) or each.unranked == no_vector() for each in at_work):
        return DEGRADED
    if any(each.rank and each.rank <= each.pool for each in legs if each.health == "off"):
        return LEG_OFF
    return NOT_NOMINATED


def _reason_for_loss(recall: MemoryInRecall, stage: str | None, legs: tuple[WhyLeg, ...]) -> str | None:
    """Say why `stage` lost the memory, in words about that memory or else the filter's own; None for other stages."""
    memory, state = recall.memory, recall.state
    unmet = [each for each in BOUNDARY_SCOPES if each in memory.scopes and each not in state.request.scopes]
    down = [
        f"{each.leg}: {each.unranked or each.reason}"
        for each in legs
        if not each.rank and (each.health == "degraded" or each.unranked == no_vector())
    ]
    at = recall.position
    omitted = None if at is None else reason_in_full(state, recall.pool, at, memory)
    repeated = None if at is None else repeat_reason(state, recall.pool, at, memory)
    reasons = {
        NOT_KNOWN: _recorded_too_late(recall),
        GATE: state.plan.reason or "the message needs no memory",
        DEGRADED: "; ".join(down),
        "status-active": "it was not active then" if recall.is_past else f"its status is {memory.status}",
        "valid-at": _validity_words(recall),
        "trust-zone": "it was in quarantine then" if recall.is_past else "it is in quarantine",
        "boundary-scope": f"it is marked {', '.join(unmet)}, which the caller did not name",
        "time-window": f'it was made outside "{state.plan.period.phrase}"' if state.plan.period else None,
        ASKED_EDGES: omitted,
        TELLS_NOTHING: omitted,
        SAID_ALREADY: omitted,
        "budget-fit": omitted,
        REPEATS: f"it {repeated}" if repeated else omitted,
        ABSTENTION: "the recall was not sure enough of any answer",
        REMOVED: "a pass over the context took it out",
    }
    return reasons.get(stage or "") or next((each.reason for each in FILTERS if each.name == stage), None)


def _recorded_too_late(recall: MemoryInRecall) -> str | None:
    """Say when the memory was written down and what the question asked; None if it did not ask what was known."""
    known_by = recall.state.request.as_known_at
    if known_by is None:
        return None
    at = recorded_at(recall.memory.id, recall.memory.created)
    return f"it was recorded at {isoformat(at)}, later than {isoformat(known_by)}"


def _validity_words(recall: MemoryInRecall) -> str:
    """Say why the memory was not valid at the instant asked about: its beginning, end and expiry, if it has them."""
    memory = recall.memory
    names = ("valid_at", "invalid_at", "expires_at")
    words = {"valid_at": "valid from", "invalid_at": "invalid since", "expires_at": "expired at"}
    clauses = [f"{words[name]} {isoformat(at)}" for name in names if (at := getattr(memory, name))]
    if recall.is_past and not memory.valid_at:
        clauses.insert(0, f"made at {isoformat(memory.created)}")
    return f"not valid at the instant asked about ({', '.join(clauses)})"


def _distance_from_cut(recall: MemoryInRecall, stage: str | None) -> WhyMargin | None:
    """Return how far a hit (`stage` is None) is from being cut by topK (in score above the best one cut; in places left
    in topK if none was cut), or by how much a miss failed the rung `stage`. None for a memory that was not a candidate,
    and for a rung other than `top-k`, `token-overlap` and `score-floor`.
    """
    top_k, kept, final = recall.state.request.settings.top_k_facts, recall.state.kept, recall.pool.final
    beyond = recall.order[recall.pool.rejected[recall.order] == 1 + RUNGS.index("top-k")]
    if recall.position is None:
        return None
    if stage is None:
        if len(beyond):
            return WhyMargin(unit="score", spare=float(final[recall.position] - final[beyond[0]]))
        return WhyMargin(unit="places", spare=float(top_k - 1 - kept.tolist().index(recall.position)))
    if stage == "top-k":
        return WhyMargin(unit="score", missing=float(final[kept[-1]] - final[recall.position]))
    unit, measured = _UNITS.get(stage), next((each.margin for each in FILTERS if each.name == stage), None)
    if unit is None or measured is None:
        return None
    return WhyMargin(unit=unit, missing=float(measured(recall.state, recall.pool)[recall.position]))


def _budget_margin(finding: WhyFinding, change: WhyChange | None) -> WhyMargin | None:
    """Return how many characters larger the budget must be, if `budget-fit` lost the memory and `change` is a larger
    budget that admits it; else None.
    """
    if finding.stage != "budget-fit" or change is None or change.kind != "budget":
        return None
    return WhyMargin(unit="characters", missing=float(int(change.to) - finding.budget))


def _repair_change(finding: WhyFinding) -> WhyChange | None:
    """Return the advice to repair a leg that is down, untried as its answer is unknown; None for any other stage."""
    if finding.stage != DEGRADED:
        return None
    return WhyChange(
        kind="repair",
        setting="leg",
        was=finding.reason or "down",
        to="ok",
        apply=bare_step("home.doctor"),
        verified=False,
    )
