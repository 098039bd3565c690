"""A receipt and the memories it names in, the X-ray snapshot out: nothing is asked of the index's ranking again."""

from collections.abc import Mapping
from math import fsum, isnan

import numpy as np

from pellucid.clock import isoformat
from pellucid.model.memory import unpack_id
from pellucid.model.snapshot import (
    Budget,
    ContextTrace,
    Eligible,
    FilterTrace,
    LegContribution,
    LegHealth,
    OmittedMemory,
    RecallXraySnapshot,
    RejectedCandidate,
    RerankDetail,
    ScoreDecomposition,
    ServedBy,
    StageTrace,
    XrayResult,
)
from pellucid.recall.equation import Ints, rank
from pellucid.recall.ladder import FILTERS, RUNGS
from pellucid.recall.legs import FALLBACK, LEGS, base_of
from pellucid.recall.receipt import Receipt
from pellucid.recall.rescore import rescore
from pellucid.recall.state import Pool, State
from pellucid.settings import settings_hash
from pellucid.store.history_port import audit_id
from pellucid.store.index_port import Served
from pellucid.xray.provenance import provenance
from pellucid.xray.sentence import sentence

SCORE_TYPES = {leg.name: leg.score_type for leg in (*LEGS, FALLBACK)}
_TERM_KEYS = {
    "lexical": "bm25", "reinforcement": "reinforcement_boost", "tierPrior": "tier_prior",
    "rerankPassage": "rerank_passage",
}  # fmt: skip
REJECTED_SHOWN = 20


def build(receipt: Receipt, memories: Mapping[str, Served]) -> RecallXraySnapshot:
    """The snapshot of a recorded recall; `memories` are the served ones as they are now, less those that are gone."""
    state = receipt.state
    pool, order = rescore(state)
    shown = _Shown(state, pool, order)
    request = state.request
    return RecallXraySnapshot(
        query=request.query,
        snapshot_id=request.recall_id,
        captured_at=int(request.at.timestamp() * 1000),
        results=tuple(
            shown.result(memory_id, place, memories.get(memory_id))
            for place, memory_id in enumerate(state.context.included, start=1)
        ),
        filters=tuple(
            FilterTrace(
                name=rung.name, considered=rung.considered, admitted=rung.admitted,
                soft_admitted=rung.soft_admitted, reason=rung.reason or None,
            )
            for rung in state.rungs
        ),
        budget=Budget(chars=request.settings.char_budget, used=state.context.length),
        session_key=request.session_id,
        namespace=request.namespace,
        query_terms=state.plan.words,
        rejected=shown.rejected(),
        rejected_total=int((pool.rejected > 0).sum()),
        stages=tuple(StageTrace(name=stage.name, ms=stage.millis, note=stage.note or None) for stage in state.stages),
        legs=tuple(
            LegHealth(name=leg.name, health=leg.health, reason=leg.reason or None, admitted=leg.admitted, open=leg.open)
            for leg in state.legs
        ),
        weights=request.settings.leg_weights.model_dump(),
        settings_hash=settings_hash(request.settings),
        as_of=isoformat(request.at),
        context=ContextTrace(
            included=state.context.included,
            omitted=tuple(OmittedMemory(memory_id=o.memory_id, reason=o.reason) for o in state.context.omitted),
        ),
        eligible=Eligible(
            memories=state.corpus.rows, active=state.corpus.active,
            with_vectors=state.corpus.vectors, applied_seq=state.corpus.applied_seq,
        ),
    )  # fmt: skip


class _Shown:
    """What is shown of each candidate of one recall."""

    def __init__(self, state: State, pool: Pool, order: Ints) -> None:
        self._state = state
        self._pool = pool
        self._order = order
        self._position = {unpack_id(raw): position for position, raw in enumerate(pool.ids)}
        self._rerank_places = rank(pool.rerank_score, ~np.isnan(pool.rerank_score))

    def result(self, memory_id: str, place: int, served: Served | None) -> XrayResult:
        """One memory that reached the context."""
        position = self._position[memory_id]
        contributions, reranked = self._contributions(position), self._rerank(position)
        served_by = self._served_by(position)
        request = self._state.request
        scores = self._scores(position)
        return XrayResult(
            memory_id=memory_id,
            path=served.path if served else "",
            served_by=served_by,
            score_decomposition=scores,
            audit_entry_id=audit_id(request.recall_id, place),
            admitted_by=tuple(rung.name for rung in self._state.rungs),
            provenance=provenance(served.memory, request, served_by) if served else None,
            contributions=contributions,
            rerank=reranked,
            why=sentence(contributions, reranked, scores, len(self._state.plan.telling)),
        )

    def rejected(self) -> tuple[RejectedCandidate, ...]:
        """The best of those turned away: first what a filter stopped, by open place, then what was cut, by score."""
        pool = self._pool
        filtered = np.flatnonzero((pool.rejected > 0) & (pool.rejected <= len(FILTERS))).tolist()
        stopped = sorted(filtered, key=lambda p: (min((r[p] or 999 for r in pool.open_ranks.values()), default=999), p))
        cut = [p for p in self._order.tolist() if pool.rejected[p]]
        half = REJECTED_SHOWN // 2
        return tuple(self._rejected(p) for p in (stopped[:half] + cut)[:REJECTED_SHOWN])

    def _rejected(self, position: int) -> RejectedCandidate:
        rung = RUNGS[int(self._pool.rejected[position]) - 1]
        reasons = {each.name: each.reason for each in FILTERS} | {
            "top-k": "beyond topK",
            "budget-fit": "over the budget",
        }
        return RejectedCandidate(
            memory_id=unpack_id(self._pool.ids[position]),
            rejected_by=rung,
            reason=reasons[rung],
            margin=self._margin(rung, position),
            final=float(self._pool.final[position]),
            contributions=self._contributions(position),
        )

    def _margin(self, rung: str, position: int) -> float | None:
        """How much was missing, in the unit of the rung; None where a rung asks yes or no."""
        settings = self._state.request.settings
        measured = {each.name: each.margin for each in FILTERS}.get(rung)
        if measured:
            return float(measured(self._state, self._pool)[position])
        if rung == "top-k":
            last = self._order[settings.top_k_facts - 1]
            return float(self._pool.final[last] - self._pool.final[position])
        return None

    def _scores(self, position: int) -> ScoreDecomposition:
        ranks = self._pool.ranks
        at_work = (name for name in self._pool.terms if name not in ranks or ranks[name][position])
        shares = {_TERM_KEYS.get(name, name): float(self._pool.terms[name][position]) for name in at_work}
        further = [shares.pop(name) for name in tuple(shares) if "@" in name]
        present = shares | ({"sub_queries": fsum(further)} if further else {})
        penalty = float(self._pool.penalty[position])
        return ScoreDecomposition(**present, mmr_penalty=penalty or None, final=float(self._pool.final[position]))

    def _contributions(self, position: int) -> tuple[LegContribution, ...]:
        pool, out = self._pool, list[LegContribution]()
        for leg, ranks in pool.ranks.items():
            place = int(ranks[position]) or int(pool.open_ranks[leg][position])
            if place:
                term = float(pool.terms[leg][position]) if ranks[position] else 0.0
                matches = self._matches(position) if leg == "lexical" else ()
                out.append(
                    LegContribution(
                        leg=leg, rank=place, raw_score=float(pool.scores[leg][position]),
                        score_type=SCORE_TYPES[base_of(leg)], matches=matches, term=term,
                    )
                )  # fmt: skip
        return tuple(out)

    def _matches(self, position: int) -> tuple[int, ...]:
        bits = int(self._pool.matched[position])
        return tuple(i for i in self._state.plan.telling if bits >> i & 1)

    def _rerank(self, position: int) -> RerankDetail | None:
        score = float(self._pool.rerank_score[position])
        if isnan(score):
            return None
        term = float(self._pool.terms["rerank"][position])
        place = int(self._rerank_places[position])
        return RerankDetail(backend=self._state.rerank_backend, rank=place, raw_score=score, term=term)

    def _served_by(self, position: int) -> ServedBy:
        legs = [leg for leg, ranks in self._pool.ranks.items() if ranks[position]]
        if not legs:
            return "episode"
        return "recent-scan" if legs == ["recent"] else "hybrid"
