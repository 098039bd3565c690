"""Scored candidates of one segment in, a ruling for each out: accept, reject or defer, with a code and a few words."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from pellucid.language.spelling import content_hash
from pellucid.language.statements.negation import polarity
from pellucid.language.words import content_words
from pellucid.model.memory import Category
from pellucid.model.observation import ExtractedFact, Verdict
from pellucid.model.turn import Segment
from pellucid.observe.extract.statements import is_question, is_unresolved
from pellucid.observe.importance import Importance, without_speaker
from pellucid.observe.language import Language, detect_language
from pellucid.observe.setting import Manner, session_manner

ReasonCode = Literal[
    "durable",
    "question",
    "chatter",
    "transient",
    "speculative",
    "too-vague",
    "unresolved-reference",
    "duplicate-in-segment",
    "below-importance",
    "cap-reached",
]

IMPORTANCE_FLOOR = 0.4
"""Importance below which no fact is kept."""
CONFIDENCE_FLOOR = 0.55
CAP_BASE = 8
"""Facts of a segment that are accepted at most, plus one for every two turns; the most important ones stay."""
REPEATED = 0.8
"""The share of a statement's content words, `FEWEST_REPEATED` at least, in a fuller one that makes it a repetition."""
FEWEST_REPEATED = 5
_TERSE: frozenset[Category] = frozenset({"skill", "relationship", "entity"})
"""Categories for which one content word is enough, since the cue says the rest: `I know Rust`."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An extracted fact with its importance."""

    fact: ExtractedFact
    importance: Importance


@dataclass(frozen=True, slots=True)
class Ruling:
    """A judge's verdict on one candidate, with the reason as a code and in words."""

    verdict: Verdict
    code: ReasonCode
    words: str

    @property
    def reason(self) -> str:
        """The reason as it is stored: `transient: a state that will have passed`.

        Observations, outcomes and rows of the ledger have this text alone, so whoever counts cuts it at the colon.
        """
        return f"{self.code}: {self.words}"


class Judge(Protocol):
    """Decides which candidates of a segment are worth keeping; sees all of them at once, and writes nothing."""

    def judge(self, candidates: Sequence[Candidate], segment: Segment) -> list[Ruling]:
        """Return a ruling for each candidate, in their order; `segment` is what the candidates were extracted from. A
        judge that asks a model raises DeadlineError if the time of the call is over.
        """
        ...


_ACCEPTED = Ruling("accept", "durable", "a lasting statement with evidence")
_TAKEN_BACK = Ruling("accept", "durable", "it takes back what was said before")
DUPLICATE = Ruling("reject", "duplicate-in-segment", "the segment says the same twice")
_CAPPED = Ruling("reject", "cap-reached", "the segment has more important facts than it may keep")


class HeuristicJudge:
    """A judge by rules on wording, confidence, importance, repetition, and how many facts a segment may have."""

    def judge(self, candidates: Sequence[Candidate], segment: Segment) -> list[Ruling]:
        """Return a ruling for each candidate, in their order; of the accepted only the most important stay.

        At most 8 are accepted, plus one for every two turns. Statements that the segment repeats are rejected. A
        retraction is accepted whatever its wording and scores, but counts among these.
        """
        seen: set[str] = set()
        rulings: list[Ruling] = []
        manner = session_manner(segment.turns)
        for candidate in candidates:
            if candidate.fact.resolves and candidate.fact.resolves.kind == "retraction":
                rulings.append(_TAKEN_BACK)
                continue
            ruling = _rule_on_wording(candidate.fact, manner) or _rule_on_scores(candidate)
            rulings.append(ruling or _rule_on_repetition(candidate.fact, seen) or _ACCEPTED)
        for at in _repeats_of_agent(rulings, candidates, segment) if manner == "work" else ():
            rulings[at] = DUPLICATE
        return apply_cap(rulings, candidates, segment)


def _repeats_of_agent(rulings: Sequence[Ruling], candidates: Sequence[Candidate], segment: Segment) -> Iterator[int]:
    """Yield the index of each accepted statement of a working agent that a fuller one of the agent says, too; `rulings`
    and `candidates` have the same order.

    Only statements of at least five content words are examined. An agent tells its findings, its commit and its report
    in much the same words. The fuller one, accepted in the same segment, has 80 % of the content words and all of the
    numbers, and denies as much, so that nothing narrowed or changed is lost.
    """
    turns = {turn.ordinal: turn for turn in segment.turns}
    told = [
        (at, candidate.fact.content, set(content_words(candidate.fact.content)))
        for at, (candidate, ruling) in enumerate(zip(candidates, rulings, strict=True))
        if ruling.verdict == "accept"
        and all(turns[each].role == "assistant" for each in candidate.fact.cited if each in turns)
    ]
    for at, text, own_words in told:
        numbers = {word for word in own_words if any(map(str.isdigit, word))}
        fuller = ((more, said) for _, more, said in told if len(said) > len(own_words) >= FEWEST_REPEATED)
        if any(
            len(own_words & said) >= REPEATED * len(own_words)
            and numbers <= said
            and polarity(text).denied == polarity(more).denied
            for more, said in fuller
        ):
            yield at


def _rule_on_wording(fact: ExtractedFact, manner: Manner) -> Ruling | None:
    """Return the ruling against a candidate that asks, chats, soon passes or is unclear; None if it passes.

    Procedures always pass; in a work session (`manner`), only unclear candidates are ruled out.
    """
    if fact.category == "procedure":
        return None
    text = without_speaker(fact.content)
    language = detect_language(text)
    min_words = 1 if fact.category in _TERSE else 2
    # our extraction leaves these out, sentence by sentence, and at work nothing else is asked; what a model states in a
    # chat is first asked here
    if manner != "work" and (passing := _rule_out_passing(text, language)):
        return passing
    return _rule_out_unclear(text, language, min_words)


def _rule_out_passing(text: str, language: Language) -> Ruling | None:
    """Return the ruling against a question, a courtesy or a state that will have passed; None otherwise."""
    lowered, noise = text.lower(), language.noise
    if is_question(text, language):
        return Ruling("reject", "question", "it asks and states nothing")
    if noise.chatter.search(lowered):
        return Ruling("reject", "chatter", "a courtesy or acknowledgement")
    if noise.transient.search(lowered):
        return Ruling("reject", "transient", "a state that will have passed")
    return None


def _rule_out_unclear(text: str, language: Language, min_words: int) -> Ruling | None:
    """Return the ruling against a text with fewer content words than `min_words` (`too-vague`, reject), one more if it
    points at something unnamed, or with an unresolved pronoun (`unresolved-reference`, defer); None for any other text.
    """
    dangling = bool(language.noise.dangling.search(text.lower()))
    if len(content_words(text)) < min_words + dangling:
        return Ruling("reject", "too-vague", "too few words that mean anything on their own")
    if is_unresolved(text, language):
        return Ruling("defer", "unresolved-reference", "what it speaks of is not named")
    return None


def _rule_on_scores(candidate: Candidate) -> Ruling | None:
    """Return the ruling against a candidate with a confidence under .55 (`speculative`) or an importance under .4
    (`below-importance`); None if it has enough of both.
    """
    if candidate.fact.confidence < CONFIDENCE_FLOOR:
        return Ruling("reject", "speculative", f"confidence {candidate.fact.confidence:.2f} after hedges")
    if candidate.importance.score < IMPORTANCE_FLOOR:
        return Ruling("reject", "below-importance", f"{candidate.importance.score:.2f} of {IMPORTANCE_FLOOR:.2f}")
    return None


def _rule_on_repetition(fact: ExtractedFact, seen: set[str]) -> Ruling | None:
    """Return `DUPLICATE` if the hash of the candidate's text and entity is in `seen`; else add it to `seen`, return
    None.
    """
    key = content_hash(fact.content, fact.entity_ref)
    if key in seen:
        return DUPLICATE
    seen.add(key)
    return None


def apply_cap(rulings: list[Ruling], candidates: Sequence[Candidate], segment: Segment) -> list[Ruling]:
    """Return the rulings; acceptances beyond the segment's cap, the least important, become `cap-reached`.

    The cap is 8, plus one for every two turns. `candidates` are those ruled on, in the same order.
    """
    accepted = [at for at, ruling in enumerate(rulings) if ruling.verdict == "accept"]
    ranked = sorted(accepted, key=lambda at: (-candidates[at].importance.score, at))
    over = set(ranked[CAP_BASE + len(segment.turns) // 2 :])
    return [_CAPPED if at in over else ruling for at, ruling in enumerate(rulings)]
