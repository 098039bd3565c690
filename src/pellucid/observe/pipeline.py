"""One flushed segment in, its judged observations out: extract, then importance, then judge, in this order."""

import re
from collections.abc import Mapping
from datetime import datetime

from pellucid.clock import Clock
from pellucid.language.words import content_words
from pellucid.model.observation import LONGEST_QUOTE, Evidence, ExtractedFact, MemoryObservation
from pellucid.model.turn import Segment, Turn
from pellucid.observe.extract.extractor import Extractor
from pellucid.observe.importance import score_importance
from pellucid.observe.judge import Candidate, Judge, Ruling
from pellucid.observe.prose import blocks, sentences
from pellucid.observe.source import source_class

_LEAST_SHARED = 0.5
"""The least share of a sentence's content words that the fact must hold for the sentence to be what says it."""
_EDGE = re.compile(r"\s+\S*$")


def observe(segment: Segment, extractor: Extractor, judge: Judge, clock: Clock) -> list[MemoryObservation]:
    """Every candidate of a segment with its verdict, the rejected ones too: the caller keeps a row for each.

    `observed_at` is when the last turn of the evidence was said, where the transcript tells; else the clock's now.
    `source_class` is read from the turns of the evidence, whatever the extractor says.
    """
    said = {turn.ordinal: turn for turn in segment.turns}
    facts = [quoted(_resolving_by_person(fact, said), said) for fact in extractor.extract(segment)]
    candidates = [Candidate(fact, score_importance(fact)) for fact in facts]
    rulings = judge.judge(candidates, segment)
    return [
        _observation(candidate, ruling, segment.session_id, said, clock)
        for candidate, ruling in zip(candidates, rulings, strict=True)
    ]


def _resolving_by_person(fact: ExtractedFact, said: Mapping[int, Turn]) -> ExtractedFact:
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
    """The observation of a candidate with its ruling; `said` are the segment's turns by ordinal."""
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


def quoted(fact: ExtractedFact, said: Mapping[int, Turn]) -> ExtractedFact:
    """The fact with a quote in each piece of evidence that has none, and of which one sentence says it.

    `said` are the turns by ordinal, redacted as they are kept.
    """
    evidence = tuple(each if each.quote else _with_quote(each, fact.content, said) for each in fact.evidence)
    return fact if evidence == fact.evidence else fact.model_copy(update={"evidence": evidence})


def _with_quote(place: Evidence, content: str, said: Mapping[int, Turn]) -> Evidence:
    """The evidence with the sentence of its turns that shares most with the memory; without a quote if none does."""
    wanted = set(content_words(content))
    turns = [said[at] for at in range(place.start, place.end + 1) if at in said]
    spoken = [
        (_share_in_common(sentence, wanted), sentence) for turn in reversed(turns) for sentence in _sentences(turn)
    ]
    best = max(spoken, key=lambda each: each[0], default=(0.0, ""))
    return place.model_copy(update={"quote": _shortened_quote(best[1])}) if best[0] >= _LEAST_SHARED else place


def _sentences(turn: Turn) -> list[str]:
    """The sentences of a turn that stand in it word for word."""
    flat = " ".join(turn.content.split())
    found = (" ".join(each.split()) for block in blocks(turn.content) for each in sentences(block.text))
    return [each for each in found if each in flat]


def _share_in_common(sentence: str, wanted: set[str]) -> float:
    """How much two sets of content words have in common, of the larger one."""
    held = set(content_words(sentence))
    return len(held & wanted) / max(len(held), len(wanted), 1)


def _shortened_quote(sentence: str) -> str:
    if len(sentence) <= LONGEST_QUOTE:
        return sentence
    return _EDGE.sub("", sentence[: LONGEST_QUOTE - 1]) + "…"
