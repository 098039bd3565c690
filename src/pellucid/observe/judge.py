"""Scored candidates of one segment in, one ruling each out: accept, reject or defer, with a code and a few words."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from pellucid.language.spelling import content_hash
from pellucid.language.words import content_words
from pellucid.model.memory import Category
from pellucid.model.observation import ExtractedFact, Verdict
from pellucid.model.turn import Segment
from pellucid.observe.extract.statements import is_question, is_unresolved
from pellucid.observe.importance import Importance, without_speaker
from pellucid.observe.language import Language, detect_language
from pellucid.observe.setting import Manner, manner_of

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
"""Below `normal` nothing is kept."""
CONFIDENCE_FLOOR = 0.55
CAP_BASE = 8
"""At most this many facts of a segment are accepted, plus one for every two turns; the most important ones stay."""
_TERSE: frozenset[Category] = frozenset({"skill", "relationship", "entity"})
"""Categories whose cue already says what is meant of the one thing named: `I know Rust`."""


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
        """The reason as it is stored: `transient: a state that will have passed`."""
        return f"{self.code}: {self.words}"


class Judge(Protocol):
    """Decides which candidates of a segment are worth keeping; sees them together, and writes nothing."""

    def judge(self, candidates: Sequence[Candidate], segment: Segment) -> list[Ruling]:
        """One ruling for each candidate, in their order."""
        ...


_ACCEPTED = Ruling("accept", "durable", "a lasting statement with evidence")
_TAKEN_BACK = Ruling("accept", "durable", "it takes back what was said before")
DUPLICATE = Ruling("reject", "duplicate-in-segment", "the segment says the same twice")
_CAPPED = Ruling("reject", "cap-reached", "the segment has more important facts than it may keep")


class HeuristicJudge:
    """A judge by rules on wording, confidence, importance, repetition, and how many facts a segment may have."""

    def judge(self, candidates: Sequence[Candidate], segment: Segment) -> list[Ruling]:
        """One ruling for each candidate, in their order; only the most important of the accepted stay, up to a cap.

        A retraction is accepted whatever its wording and scores. The cap is 8 and one for every two turns.
        """
        seen: set[str] = set()
        rulings: list[Ruling] = []
        manner = manner_of(segment.turns)
        for candidate in candidates:
            if candidate.fact.resolves and candidate.fact.resolves.kind == "retraction":
                rulings.append(_TAKEN_BACK)
                continue
            ruling = _rule_on_wording(candidate.fact, manner) or _rule_on_scores(candidate)
            rulings.append(ruling or _rule_on_repetition(candidate.fact, seen) or _ACCEPTED)
        return apply_cap(rulings, candidates, CAP_BASE + len(segment.turns) // 2)


def _rule_on_wording(fact: ExtractedFact, manner: Manner) -> Ruling | None:
    """The ruling against a candidate that asks, chats, soon passes or is unclear; None if its wording will do.

    None also for a procedure; in a work session only what is unclear is ruled out.
    """
    if fact.category == "procedure":
        return None
    text = without_speaker(fact.content)
    language = detect_language(text)
    least = 1 if fact.category in _TERSE else 2
    if manner != "work" and (passing := _rule_out_passing(text, language)):  # extraction from work has asked that
        return passing
    return _rule_out_unclear(text, language, least)


def _rule_out_passing(text: str, language: Language) -> Ruling | None:
    """The ruling against a question, a courtesy or a state that will have passed; None for anything else."""
    lowered, noise = text.lower(), language.noise
    if is_question(text, language):
        return Ruling("reject", "question", "it asks and states nothing")
    if noise.chatter.search(lowered):
        return Ruling("reject", "chatter", "a courtesy or acknowledgement")
    if noise.transient.search(lowered):
        return Ruling("reject", "transient", "a state that will have passed")
    return None


def _rule_out_unclear(text: str, language: Language, least: int) -> Ruling | None:
    """The ruling against a text of too few content words (reject) or with an unresolved pronoun (defer), else None.

    `least` words are enough, one more where it points at something unnamed.
    """
    dangling = bool(language.noise.dangling.search(text.lower()))
    if len(content_words(text)) < least + dangling:
        return Ruling("reject", "too-vague", "too few words that mean anything on their own")
    if is_unresolved(text, language):
        return Ruling("defer", "unresolved-reference", "what it speaks of is not named")
    return None


def _rule_on_scores(candidate: Candidate) -> Ruling | None:
    """The ruling against a candidate of too little confidence or importance; None if it has enough."""
    if candidate.fact.confidence < CONFIDENCE_FLOOR:
        return Ruling("reject", "speculative", f"confidence {candidate.fact.confidence:.2f} after hedges")
    if candidate.importance.score < IMPORTANCE_FLOOR:
        return Ruling("reject", "below-importance", f"{candidate.importance.score:.2f} of {IMPORTANCE_FLOOR:.2f}")
    return None


def _rule_on_repetition(fact: ExtractedFact, seen: set[str]) -> Ruling | None:
    """`DUPLICATE` for a candidate whose text and entity are in `seen`; else None, and they are added to `seen`."""
    key = content_hash(fact.content, fact.entity_ref)
    if key in seen:
        return DUPLICATE
    seen.add(key)
    return None


def apply_cap(rulings: list[Ruling], candidates: Sequence[Candidate], cap: int) -> list[Ruling]:
    """The rulings with only the `cap` most important acceptances; the others become `cap-reached`, refusals stay."""
    accepted = [at for at, ruling in enumerate(rulings) if ruling.verdict == "accept"]
    ranked = sorted(accepted, key=lambda at: (-candidates[at].importance.score, at))
    over = set(ranked[cap:])
    return [_CAPPED if at in over else ruling for at, ruling in enumerate(rulings)]
