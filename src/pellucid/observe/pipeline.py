"""One flushed segment in, its judged observations out: extract, then importance, then judge, in this order."""

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from operator import itemgetter

from pellucid.clock import Clock
from pellucid.language.words import content_words
from pellucid.model.observation import LONGEST_QUOTE, Evidence, ExtractedFact, MemoryObservation
from pellucid.model.turn import Segment, Turn
from pellucid.observe.extract.extractor import Extractor
from pellucid.observe.importance import score_importance
from pellucid.observe.judge import Candidate, Judge
from pellucid.observe.prose import prose_sentences
from pellucid.observe.source import source_class

_MIN_SHARED = 0.5
"""The share of content words in common from which a sentence counts as the quote of a fact."""
_EDGE = re.compile(r"\s+\S*$")


def observe(segment: Segment, extractor: Extractor, judge: Judge, clock: Clock) -> list[MemoryObservation]:
    """Extract facts from a segment, score and judge them; return each with its verdict, the rejected ones, too.

    They come in the order of the extractor. `clock` gives ids and the time. Nothing is written. Raises ChatError and
    DeadlineError as a model's extractor does.
    """
    return judge_facts(extractor.extract(segment), segment, judge, clock)


def judge_facts(
    facts: Iterable[ExtractedFact], segment: Segment, judge: Judge, clock: Clock
) -> list[MemoryObservation]:
    """Score and judge facts of a segment; return an observation of each, in their order, with its verdict. Nothing is
    written.

    Evidence without a quote gets one if a sentence fits; a correction, update or retraction that no person said becomes
    a plain statement. `observed_at` is the time of the turn in which the last piece of evidence ends, else of the piece
    before, and so on; now if no such turn has a time. `source_class` is read from the turns of the evidence, whatever
    the extractor says.
    """
    turns = {turn.ordinal: turn for turn in segment.turns}
    facts = [with_quotes(_without_foreign_resolution(fact, turns), turns) for fact in facts]
    candidates = [Candidate(fact, score_importance(fact)) for fact in facts]
    rulings = judge.judge(candidates, segment)
    return [
        MemoryObservation(
            id=clock.new_id("obs"),
            session_id=segment.session_id,
            observed_at=_time_of_evidence(candidate.fact, turns) or clock.now(),
            fact=candidate.fact,
            importance=candidate.importance.score,
            importance_contributions=candidate.importance.contributions,
            source_class=source_class(candidate.fact.evidence, turns),
            verdict=ruling.verdict,
            verdict_reason=ruling.reason,
            judge_accepted=ruling.verdict == "accept",
        )
        for candidate, ruling in zip(candidates, rulings, strict=True)
    ]


def _without_foreign_resolution(fact: ExtractedFact, turns: Mapping[int, Turn]) -> ExtractedFact:
    """Return the fact, but as a plain statement (`resolves` None) if it corrects, updates or retracts another and was
    not said by a person.

    A person said it if the turn in which the last piece of its evidence ends is known and a user's. `turns` maps
    ordinals to turns."""
    last = turns.get(fact.evidence[-1].end) if fact.evidence else None
    by_person = last is not None and last.role == "user"
    return fact if fact.resolves is None or by_person else fact.model_copy(update={"resolves": None})


def _time_of_evidence(fact: ExtractedFact, turns: Mapping[int, Turn]) -> datetime | None:
    """Return the time of the turn in which the last piece of a fact's evidence ends.

    If that turn is not in `turns` (by ordinal), or has no time, that of the piece before, and so on; None if no such
    turn has one.
    """
    ends = (turns[part.end] for part in reversed(fact.evidence) if part.end in turns)
    return next((turn.at for turn in ends if turn.at), None)


def with_quotes(fact: ExtractedFact, turns: Mapping[int, Turn]) -> ExtractedFact:
    """Return the fact with a quote for each piece of its evidence that has none; unchanged if no sentence fits.

    A sentence of the cited turns fits if it shares at least half as many content words with the fact as the longer of
    the two has; the one that shares most is taken, cut at 300 characters. `turns` maps ordinals to turns. The quote is
    looked for here, by words, since a statement can be of several sentences or of parts of one, and a model's extractor
    names none.
    """
    evidence = tuple(each if each.quote else _with_quote(each, fact.content, turns) for each in fact.evidence)
    return fact if evidence == fact.evidence else fact.model_copy(update={"evidence": evidence})


def _with_quote(evidence: Evidence, content: str, turns: Mapping[int, Turn]) -> Evidence:
    """Return the evidence with the sentence of its turns that shares most content words with `content` as its quote.

    Of several such, the first of the latest turn. Unchanged if its share (`_overlap`) is less than half
    (`_MIN_SHARED`).
    """
    wanted = set(content_words(content))
    cited = [turns[at] for at in range(evidence.start, evidence.end + 1) if at in turns]
    rated = [(_overlap(sentence, wanted), sentence) for turn in reversed(cited) for sentence in _sentences(turn)]
    share, sentence = max(rated, key=itemgetter(0), default=(0.0, ""))
    return evidence.model_copy(update={"quote": _shortened_quote(sentence)}) if share >= _MIN_SHARED else evidence


def _sentences(turn: Turn) -> list[str]:
    """Return the sentences of a turn's prose that stand in the turn as they are, apart from line ends and blanks."""
    flat = " ".join(turn.content.split())
    found = (" ".join(each.split()) for each in prose_sentences(turn.content))
    return [each for each in found if each in flat]


def _overlap(sentence: str, wanted: set[str]) -> float:
    """Return the number of content words that a sentence shares with `wanted`, divided by the larger number of the two:
    0 to 1.
    """
    own_words = set(content_words(sentence))
    return len(own_words & wanted) / max(len(own_words), len(wanted), 1)


def _shortened_quote(sentence: str) -> str:
    """Return the sentence; if it has over 300 characters (`LONGEST_QUOTE`), cut at a blank before that, with `…` at its
    end."""
    if len(sentence) <= LONGEST_QUOTE:
        return sentence
    return _EDGE.sub("", sentence[: LONGEST_QUOTE - 1]) + "…"
