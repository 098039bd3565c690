"""A receipt and the memories it names in, the X-ray snapshot out: nothing is asked of the index's ranking again."""

from collections.abc import Mapping
from dataclasses import asdict

from pellucid.clock import epoch_ms, isoformat
from pellucid.model.memory import unpack_id
from pellucid.model.snapshot import (
    AbstentionTrace,
    Budget,
    ContextTrace,
    CutTrace,
    Eligible,
    EpisodeTrace,
    FilterTrace,
    LegHealth,
    OmittedMemory,
    PassTrace,
    QueryRead,
    RecallXraySnapshot,
    StageTrace,
    TierExplain,
)
from pellucid.recall.receipt.record import Receipt
from pellucid.recall.rescore import rescore
from pellucid.recall.score.fuse import weights_shown
from pellucid.recall.state import Corpus, State
from pellucid.settings import settings_hash
from pellucid.store.index_port import Served
from pellucid.xray.align import Aligner
from pellucid.xray.provenance import STALE_AFTER_DAYS
from pellucid.xray.shown import NO_NAMES, REJECTED_SHOWN, Shown


def build(
    receipt: Receipt,
    memories: Mapping[str, Served],
    aligner: Aligner | None = None,
    stale_after: float = STALE_AFTER_DAYS,
    names: Mapping[str, str] = NO_NAMES,
    anchor: str = "",
    turned_away: int = REJECTED_SHOWN,
) -> RecallXraySnapshot:
    """The snapshot of a recorded recall; `memories` are the served ones as they are now, less those that are gone.

    `stale_after` is the age in days from which a memory is due for verification, `names` what the nodes of graph paths
    are called today; a node that has no name any more is shown by its id. `anchor` is where a direct answer stands,
    `turned_away` how many of those turned away are named at most.

    Raises:
        EncoderError: words are to be aligned, and the model could not be loaded.
    """
    state = receipt.state
    pool, order = rescore(state)
    shown = Shown(state, pool, order, stale_after, names)
    request = state.request
    return RecallXraySnapshot(
        query=request.query,
        snapshot_id=request.recall_id,
        captured_at=epoch_ms(request.at),
        results=tuple(
            shown.result(memory_id, place, memories.get(memory_id), aligner)
            for place, memory_id in enumerate(state.context.included, start=1)
        ),
        filters=_filter_traces(state),
        budget=Budget(chars=request.settings.char_budget, used=state.context.length),
        session_key=request.session_id,
        namespace=request.namespace,
        trace_id=request.recall_id.removeprefix("rec_"),
        tier_explain=_tier_explain(state, anchor),
        query_terms=state.plan.words,
        plan=_query_read(state),
        abstention=_abstention_trace(state),
        rejected=shown.rejected(turned_away),
        rejected_total=len(pool) - len(state.context.included),
        stages=tuple(StageTrace(name=stage.name, ms=stage.millis, note=stage.note or None) for stage in state.stages),
        legs=_leg_health(state),
        weights=weights_shown(request.settings, state.plan),
        settings_hash=settings_hash(request.settings),
        as_of=isoformat(request.instant),
        as_known_at=isoformat(request.as_known_at) if request.as_known_at else None,
        context=_context_trace(state),
        eligible=_eligible_of(state.corpus),
    )


def _eligible_of(corpus: Corpus) -> Eligible:
    return Eligible(
        memories=corpus.rows, active=corpus.active, with_vectors=corpus.vectors, applied_seq=corpus.applied_seq
    )


def _context_trace(state: State) -> ContextTrace:
    """What the context holds, and what was left out, cut, added and passed over, as the snapshot tells it."""
    context = state.context
    return ContextTrace(
        included=context.included,
        omitted=tuple(OmittedMemory(memory_id=each.memory_id, reason=each.reason) for each in context.omitted),
        cuts=tuple(CutTrace.model_validate(asdict(each)) for each in context.cuts),
        episodes=tuple(EpisodeTrace.model_validate(asdict(each)) for each in context.episodes),
        passes=tuple(PassTrace.model_validate(asdict(each)) for each in context.passes),
    )


def _leg_health(state: State) -> tuple[LegHealth, ...]:
    """How each leg did, as the snapshot tells it."""
    return tuple(
        LegHealth(name=leg.name, health=leg.health, reason=leg.reason or None, admitted=leg.admitted, open=leg.open)
        for leg in state.legs
    )


def _filter_traces(state: State) -> tuple[FilterTrace, ...]:
    """How many came to each rung and passed it, as the snapshot tells it."""
    return tuple(
        FilterTrace(
            name=rung.name,
            considered=rung.considered,
            admitted=rung.admitted,
            soft_admitted=rung.soft_admitted,
            reason=rung.reason or None,
        )
        for rung in state.rungs
    )


def _tier_explain(state: State, anchor: str) -> TierExplain | None:
    """The verdict on a direct answer; None where nobody looked for one. `anchor` is where that answer's words stand."""
    tier = state.tier
    if tier is None:
        return None
    return TierExplain(
        tier=tier.tier,
        tier_reason=tier.reason,
        filtered_by=tier.filtered_by,
        candidates_considered=tier.considered,
        latency_ms=round(tier.millis, 3),
        source_anchors=(anchor,) if anchor else (),
    )


def _query_read(state: State) -> QueryRead:
    """What was read of the query, as the snapshot tells it."""
    plan, period = state.plan, state.plan.period
    return QueryRead(
        query_class=plan.query_class,
        depth=plan.depth,
        reason=plan.reason,
        entities=plan.entities,
        named=tuple(plan.named.values()),
        period=period.phrase if period else None,
        since=period.since if period else None,
        until=period.until if period else None,
        dates_what_was_said=period is not None and period.asserts,
        sub_queries=tuple(each.text.strip() or "(not kept)" for each in state.sub_plans),
    )


def _abstention_trace(state: State) -> AbstentionTrace | None:
    """How unsure the recall was, and whether it withheld its answer for that; None where doubt was not judged."""
    doubt = state.abstention
    if doubt is None:
        return None
    nearest = tuple(unpack_id(state.pool.ids[position]) for position in doubt.nearest)
    return AbstentionTrace(doubt=doubt.score, threshold=doubt.threshold, abstained=doubt.abstained, nearest=nearest)
