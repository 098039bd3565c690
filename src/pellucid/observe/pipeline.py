"""One flushed segment in, its judged observations out: extract, then importance, then judge, in this order."""

from collections.abc import Mapping
from datetime import datetime

from pellucid.clock import Clock
from pellucid.model.observation import ExtractedFact, MemoryObservation
from pellucid.model.turn import Segment, Turn
from pellucid.observe.extract.extractor import Extractor
from pellucid.observe.extract.quotes import quoted
from pellucid.observe.importance import score_importance
from pellucid.observe.judge import Candidate, Judge, Ruling
from pellucid.observe.source import source_class


def observe(segment: Segment, extractor: Extractor, judge: Judge, clock: Clock) -> list[MemoryObservation]:
    """Every candidate of a segment with its verdict, the rejected ones too: the caller keeps a row for each.

    `observed_at` is when the last turn of the evidence was said, where the transcript tells; else the clock's now.
    `source_class` is read from the turns of the evidence, whatever the extractor says.
    """
    said = {turn.ordinal: turn for turn in segment.turns}
    facts = [quoted(_entitled(fact, said), said) for fact in extractor.extract(segment)]
    candidates = [Candidate(fact, score_importance(fact)) for fact in facts]
    rulings = judge.judge(candidates, segment)
    return [
        _observation(candidate, ruling, segment.session_id, said, clock)
        for candidate, ruling in zip(candidates, rulings, strict=True)
    ]


def _entitled(fact: ExtractedFact, said: Mapping[int, Turn]) -> ExtractedFact:
    """Only a person's turn corrects or takes back; from anybody else it is a statement like others."""
    last = said.get(fact.evidence[-1].end) if fact.evidence else None
    by_person = last is not None and last.role == "user"
    return fact if fact.resolves is None or by_person else fact.model_copy(update={"resolves": None})


def _observed_at(fact: ExtractedFact, said: Mapping[int, Turn], clock: Clock) -> datetime:
    ends = (said[part.end] for part in reversed(fact.evidence) if part.end in said)
    return next((turn.at for turn in ends if turn.at), None) or clock.now()


def _observation(
    candidate: Candidate, ruling: Ruling, session_id: str, said: Mapping[int, Turn], clock: Clock
) -> MemoryObservation:
    return MemoryObservation(
        id=clock.new_id("obs"),
        session_id=session_id,
        observed_at=_observed_at(candidate.fact, said, clock),
        fact=candidate.fact,
        importance=candidate.importance.score,
        importance_contributions=candidate.importance.contributions,
        source_class=source_class(candidate.fact.evidence, said),
        verdict=ruling.verdict,
        verdict_reason=ruling.reason,
        judge_accepted=ruling.verdict == "accept",
    )
