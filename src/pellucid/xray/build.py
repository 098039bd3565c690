"""A receipt and the memories it names in, the X-ray snapshot out: nothing is asked of the index's ranking again."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from pydantic.alias_generators import to_camel

from pellucid.clock import epoch_ms, isoformat
from pellucid.errors import spell_recorded
from pellucid.model import snapshot
from pellucid.model.memory import unpack_id
from pellucid.recall.context.abstain import doubt_by_signs, reason_to_show, signs_of_answer
from pellucid.recall.receipt.record import Receipt
from pellucid.recall.rescore import rescore
from pellucid.recall.score.fuse import weights_shown
from pellucid.recall.score.ladder import ASKED_EDGES, RUNGS
from pellucid.recall.state import Corpus, Pool, State
from pellucid.settings import settings_hash
from pellucid.store.index_port import Served
from pellucid.xray.align import Aligner
from pellucid.xray.provenance import STALE_AFTER_DAYS
from pellucid.xray.shown import NO_NAMES, REJECTED_SHOWN, CandidateView


def build(
    receipt: Receipt,
    memories: Mapping[str, Served],
    aligner: Aligner | None = None,
    stale_after: float = STALE_AFTER_DAYS,
    names: Mapping[str, str] = NO_NAMES,
    anchor: str = "",
    max_rejected: int = REJECTED_SHOWN,
) -> snapshot.RecallXraySnapshot:
    """Return the snapshot of a recorded recall, with `words` left empty.

    `memories` maps ids to the memories that still exist, as today or as known at the past instant asked about: those
    served, and those left out as repeats, as telling nothing or as led to by no asked edge. With an `aligner`, query
    words are matched with memory words. `stale_after` is the age in days from which a memory is due for verification,
    `names` maps ids of graph nodes to names, `anchor` is the source of a direct answer (empty for none), `max_rejected`
    limits `rejected`. EncoderError if words are to be aligned, and the model could not be loaded.
    """
    pool, order = rescore(receipt.state)
    state = replace(receipt.state, pool=pool, order=order)  # a receipt has the terms not stored, but worked out
    shown = CandidateView(state, pool, order, memories, stale_after, names)
    request = state.request
    return snapshot.RecallXraySnapshot(
        query=request.query,
        snapshot_id=request.recall_id,
        captured_at=epoch_ms(request.at),
        results=tuple(
            shown.result(memory_id, place, aligner) for place, memory_id in enumerate(state.context.included, start=1)
        ),
        filters=state.rungs,
        budget=snapshot.Budget(chars=request.settings.char_budget, used=state.context.length),
        session_key=request.session_id,
        namespace=request.namespace,
        trace_id=request.recall_id.removeprefix("rec_"),
        tier_explain=_tier_explain(state, anchor),
        query_terms=state.plan.words,
        plan=_query_read(state),
        abstention=_abstention_trace(state),
        rejected=shown.rejected(max_rejected),
        rejected_total=len(pool) - len(state.context.included),
        stages=state.stages,
        legs=_leg_health(state, pool),
        neighbours=_neighbours(pool),
        last_kept=unpack_id(pool.ids[int(state.kept[-1])]) if len(state.kept) else None,
        weights={to_camel(name): value for name, value in weights_shown(request.settings, state.plan).items()},
        settings_hash=settings_hash(request.settings),
        as_of=isoformat(request.instant),
        as_known_at=isoformat(request.as_known_at) if request.as_known_at else None,
        context=_context_trace(state, shown),
        eligible=_eligible(state.corpus),
    )


def _eligible(corpus: Corpus) -> snapshot.Eligible:
    """Return how many memories the index had, how many of these were active and how many had vectors, and the number of
    the last write that it had applied.
    """
    return snapshot.Eligible(
        memories=corpus.rows, active=corpus.active, with_vectors=corpus.vectors, applied_seq=corpus.applied_seq
    )


def _context_trace(state: State, shown: CandidateView) -> snapshot.ContextTrace:
    """Return the ids of the memories in the context, and what was omitted, cut, added or changed by model passes."""
    context = state.context
    reasons = {
        each.memory_id: shown.reason_without_edge(each.memory_id)
        if each.rung == ASKED_EDGES
        else shown.reason_omitted(each.memory_id) or each.reason
        for each in context.omitted
    }
    return snapshot.ContextTrace(
        included=context.included,
        omitted=tuple(snapshot.OmittedMemory(memory_id=each, reason=reason) for each, reason in reasons.items()),
        cuts=context.cuts,
        episodes=context.episodes,
        passes=context.passes,
    )


def _leg_health(state: State, pool: Pool) -> tuple[snapshot.LegHealth, ...]:
    """Return each leg's health, its reason with calls as the surface in use writes them; `barred` counts, by the rung
    that rejected them, the memories that the leg found but that may not answer.
    """
    return tuple(
        leg.model_copy(
            update={
                "reason": spell_recorded(leg.reason) if leg.reason else None,
                "barred": _barred_by_rung(pool, leg.name),
            }
        )
        for leg in state.legs
    )


def _neighbours(pool: Pool) -> int:
    """Return the number of candidates that no leg found, not even among memories that may not answer."""
    found = np.zeros(len(pool), dtype=np.bool_)
    for ranks in (*pool.ranks.values(), *pool.open_ranks.values()):
        found |= ranks > 0
    return int((~found).sum())


def _barred_by_rung(pool: Pool, leg: str) -> dict[str, int] | None:
    """Map each rung, in ladder order, to how many memories it rejected of those that a leg found in its open search
    (among memories that may not answer); None if the leg found none of them.
    """
    ranks = pool.open_ranks.get(leg)
    if ranks is None:
        return None
    numbers: list[int] = pool.rejected[(ranks > 0) & (pool.rejected > 0)].tolist()
    return {RUNGS[number - 1]: numbers.count(number) for number in sorted(set(numbers))} or None


def _tier_explain(state: State, anchor: str) -> snapshot.TierExplain | None:
    """Return the verdict on a direct answer, a memory that answers by itself; None if the recall did not look for one.
    `anchor` is the source of the answer; empty if there is no source.
    """
    tier = state.tier
    if tier is None:
        return None
    return snapshot.TierExplain(
        tier=tier.tier,
        tier_reason=tier.reason,
        filtered_by=tier.filtered_by,
        candidates_considered=tier.considered,
        latency_ms=round(tier.millis, 3),
        source_anchors=(anchor,) if anchor else (),
    )


def _query_read(state: State) -> snapshot.QueryRead:
    """Return how the recall understood the query: class, names, period, sub-questions. A sub-question whose text was
    not kept reads `(not kept)`.
    """
    plan, period = state.plan, state.plan.period
    return snapshot.QueryRead(
        query_class=plan.query_class,
        depth=plan.depth,
        reason=plan.reason,
        entities=plan.entities,
        named=tuple(plan.named.values()),
        period=period.phrase if period else None,
        since=period.since if period else None,
        until=period.until if period else None,
        dates_what_was_said=period is not None and period.asserts,
        answers=plan.answers if plan.asked else 0,
        sub_queries=tuple(each.text.strip() or "(not kept)" for each in state.sub_plans),
    )


def _abstention_trace(state: State) -> snapshot.AbstentionTrace | None:
    """Return the recall's doubt, its threshold and signs, the nearest misses, and whether it abstained; if it did not
    in spite of its doubt, also why. None if doubt was not judged.
    """
    doubt = state.abstention
    if doubt is None:
        return None

    def ids_of(positions: Sequence[int]) -> tuple[str, ...]:
        """Return the ids of the candidates at these positions."""
        return tuple(unpack_id(state.pool.ids[at]) for at in positions)

    signs = signs_of_answer(state)
    measured = doubt_by_signs(signs) if signs else doubt.score
    is_doubted = doubt.threshold < 1 and doubt.score >= doubt.threshold
    return snapshot.AbstentionTrace(
        doubt=doubt.score,
        threshold=doubt.threshold,
        abstained=doubt.abstained,
        nearest=ids_of(doubt.nearest),
        shown_for=reason_to_show(state) or None if is_doubted and not doubt.abstained else None,
        measured_doubt=measured if measured != doubt.score else None,
        measured={name: ids_of(sign.positions) for name, sign in signs.items()},
        **{name: round(sign.value, 6) for name, sign in signs.items()},
    )
