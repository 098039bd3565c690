"""Who said something in, how far it is trusted out: the zone a memory begins in, its score, and how it rises.

Zones go quarantine → working → trusted, one step at a time. What tools, web pages and subagents say, and what is
pasted, begins in quarantine whatever its score, and so does whatever reads as an injected instruction, unless a person
vouches for it by hand. Quarantined memories are never recalled and change nothing.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

from pellucid.language.spelling import content_hash, entity_key, normalise
from pellucid.language.statements.negation import polarity
from pellucid.language.words import content_words
from pellucid.memory.trust.doubt import injected_turn, injection_reason
from pellucid.memory.trust.injection import looks_injected
from pellucid.model.memory import Memory, SourceClass, TrustZone

Band = Literal["high", "middle", "low"]

ZONES: tuple[TrustZone, ...] = get_args(TrustZone)
"""From the least to the most trusted."""
UNTRUSTED: frozenset[SourceClass] = frozenset({"tool_output", "subagent_trace", "pasted", "web_content"})
"""Nobody who could be asked stands behind these words."""
VOUCHING: frozenset[SourceClass] = frozenset({"manual", "system_memory", "user_input"})
"""Whose word lets another's out of quarantine; an assistant may only have read what it says."""
WEIGHTS: dict[SourceClass, float] = {
    "manual": 0.9,
    "system_memory": 0.85,
    "user_input": 0.75,
    "assistant_output": 0.6,
    "tool_output": 0.55,
    "subagent_trace": 0.45,
    "pasted": 0.4,
    "web_content": 0.35,
}
ANCHORS = {"source": 0.1, "evidenceHash": 0.2, "session": 0.05}
"""What a memory gains by naming its evidence, by words that are still those hashed when it was kept, by a session."""
HIGH, MIDDLE = 0.8, 0.5
_CONTEXT = "context: what it was said in or beside reads as an instruction, or it repeats what is in quarantine"
MOST_BEYOND = 1 / 3
"""The share of its words that a memory may say beyond who vouches for it."""


@dataclass(frozen=True, slots=True)
class Score:
    """The trust score of a memory and the named shares that sum to it. It explains; it never moves a memory."""

    value: float
    shares: tuple[tuple[str, float], ...]
    band: Band


def score(memory: Memory) -> Score:
    """The trust score of a memory: the weight of its source class and of its anchors, at most 1; bands at .8 and .5."""
    source = memory.source_class or "manual"
    held = {
        "source": bool(memory.evidence),
        "evidenceHash": memory.content_hash == content_hash(memory.content, memory.entity_ref),
        "session": memory.session_id is not None,
    }
    shares = ((source, WEIGHTS[source]), *((name, ANCHORS[name]) for name, there in held.items() if there))
    total = sum(value for _, value in shares)
    if total > 1:
        shares = (*shares, ("cap", round(1 - total, 4)))
    value = round(min(1.0, total), 4)
    return Score(value, shares, "high" if value >= HIGH else "middle" if value >= MIDDLE else "low")


def first_zone(source_class: SourceClass, content: str, *, enabled: bool = True) -> TrustZone:
    """The zone of a new memory: what is remembered by hand is trusted, doubtful words go to quarantine, others work.

    Doubtful is what an untrusted source says, and what reads as an injected instruction, whoever said it: people paste.
    `enabled` is whether trust is judged at all.
    """
    if source_class == "manual":
        return "trusted"
    return "quarantine" if enabled and doubts(source_class, content) else "working"


def doubts(source_class: SourceClass | None, content: str) -> str:
    """Why words of this source class begin in quarantine, as `code: reason`; empty where they do not."""
    if source_class in UNTRUSTED:
        return f"{source_class}: nobody stands behind its words yet"
    codes = injected_turn(content) if source_class not in (None, "manual") else ()
    return injection_reason(codes) if codes else ""


def why_quarantined(memory: Memory) -> str:
    """Why a quarantined memory is there, as `code: reason`: its own words, else the context it was said in."""
    return doubts(memory.source_class, memory.content) or _CONTEXT


def vouches(memory: Memory) -> bool:
    """Whether a memory lets others out of quarantine: a person's, with evidence, active, and not in quarantine."""
    source = memory.source_class or "manual"
    anchored = bool(memory.evidence) or source == "manual"
    return source in VOUCHING and anchored and memory.trust_zone != "quarantine" and memory.status == "active"


def counts_as_repetition(source_class: SourceClass | None) -> bool:
    """Whether a memory is reinforced when this source says it again: not if it may have read it in a recall."""
    return source_class is None or source_class in VOUCHING


def is_of_person(memory: Memory) -> bool:
    """Whether a person stands behind a memory, so that no program may change, archive or erase it."""
    return memory.asserted_by != "inferred" or counts_as_repetition(memory.source_class)


def may_rise(doubted: Memory, by: Memory) -> bool:
    """Whether the statement `by` lets a doubted memory out of quarantine: of a better source, it says most of it.

    The doubted one must have evidence, must not read as an instruction, and may say nothing specific beyond.
    """
    theirs, mine = doubted.source_class or "manual", by.source_class or "manual"
    return (
        vouches(by)
        and WEIGHTS[mine] > WEIGHTS[theirs]
        and bool(doubted.evidence)
        and not looks_injected(doubted.content)
        and _is_covered(doubted, by)
    )


def says_the_same(one: Memory, other: Memory) -> bool:
    """Whether two memories say the same about the same thing, but for words that carry no meaning."""
    return polarity(one.content, one.entity_ref) == polarity(other.content, other.entity_ref)


def _is_covered(doubted: Memory, by: Memory) -> bool:
    """Whether the statement `by` says all values that a doubted memory states, and two thirds of its words.

    The rest must be plain words.
    """
    if says_the_same(doubted, by):
        return True
    stated, told = _stated(doubted), _stated(by)
    if not stated or entity_key(doubted.entity_ref or "") != entity_key(by.entity_ref or "") or stated - told:
        return False
    said, spoken = set(content_words(doubted.content)), set(content_words(by.content))
    beyond = said - spoken
    return len(beyond) <= MOST_BEYOND * len(said) and all(word.isalpha() for word in beyond)


def _stated(memory: Memory) -> set[tuple[str, str]]:
    """The attributes of a memory with their values, in comparable form."""
    return {(entity_key(name), normalise(value)) for name, value in memory.structured_attributes.items()}


def lowest(zones: Iterable[TrustZone]) -> TrustZone:
    """The least trusted of some zones, which a merged memory gets; `working` where there are none."""
    given = set(zones)
    return min(given, key=ZONES.index) if given else "working"


def next_zone(zone: TrustZone) -> TrustZone:
    """The zone one step above; `trusted` has none."""
    return ZONES[min(ZONES.index(zone) + 1, len(ZONES) - 1)]
