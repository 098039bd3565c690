"""One flushed segment in, its judged observations out: extract, then importance, then judge, in this order."""

from datetime import datetime

from pellucid.clock import Clock
from pellucid.model.observation import ExtractedFact, MemoryObservation
from pellucid.model.turn import Segment
from pellucid.observe.extract import Extractor
from pellucid.observe.importance import score_importance
from pellucid.observe.judge import Candidate, Judge, Ruling


def observe(segment: Segment, extractor: Extractor, judge: Judge, clock: Clock) -> list[MemoryObservation]:
    """Every candidate of a segment with its verdict, the rejected ones too: the caller keeps a row for each.

    `observed_at` is when the last turn of the evidence was said, where the transcript tells; else the clock's now.
    """
    facts = extractor.extract(segment)
    candidates = [Candidate(fact, score_importance(fact)) for fact in facts]
    rulings = judge.judge(candidates, segment)
    said_at = {turn.ordinal: turn.at for turn in segment.turns if turn.at}
    return [
        _observation(candidate, ruling, segment.session_id, _observed_at(candidate.fact, said_at, clock), clock)
        for candidate, ruling in zip(candidates, rulings, strict=True)
    ]


def _observed_at(fact: ExtractedFact, said_at: dict[int, datetime], clock: Clock) -> datetime:
    return next((at for part in reversed(fact.evidence) if (at := said_at.get(part.end))), None) or clock.now()


def _observation(
    candidate: Candidate, ruling: Ruling, session_id: str, observed_at: datetime, clock: Clock
) -> MemoryObservation:
    return MemoryObservation(
        id=clock.new_id("obs"),
        session_id=session_id,
        observed_at=observed_at,
        fact=candidate.fact,
        importance=candidate.importance.score,
        importance_contributions=candidate.importance.contributions,
        verdict=ruling.verdict,
        verdict_reason=ruling.reason,
        judge_accepted=ruling.verdict == "accept",
    )
