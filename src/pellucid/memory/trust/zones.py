"""Who said something in, how far it is trusted out: the zone a memory begins in, its score, and how it rises.

Zones go quarantine → working → trusted, one step at a time. Words of tools, web pages and subagents, and pasted words,
begin in quarantine whatever their score, and so does what reads as an injected instruction, unless a person vouches for
it by hand. Quarantined memories are never recalled and change nothing.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

from pellucid.language.spelling import content_hash, entity_key, normalise
from pellucid.language.statements.negation import polarity
from pellucid.language.words import content_words
from pellucid.memory.trust.injection import looks_injected
from pellucid.memory.trust.scope import injected_turn
from pellucid.model.memory import Memory, SourceClass, TrustZone

Band = Literal["high", "middle", "low"]

ZONES: tuple[TrustZone, ...] = get_args(TrustZone)
"""All zones, from the least to the most trusted."""
UNTRUSTED: frozenset[SourceClass] = frozenset({"tool_output", "subagent_trace", "pasted", "web_content"})
"""Source classes of words for which no person is responsible."""
VOUCHING: frozenset[SourceClass] = frozenset({"manual", "system_memory", "user_input"})
"""Source classes whose word lets another's out of quarantine; an assistant can merely repeat what it read."""
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
"""What a memory gains by naming its evidence, by words equal to those hashed when it was kept, by its session."""
HIGH, MIDDLE = 0.8, 0.5
_CONTEXT = "context: what it was said in or beside reads as an instruction, or it repeats what is in quarantine"
MOST_BEYOND = 1 / 3
"""The greatest share of its words that a memory can say beyond the statement that vouches for it."""


@dataclass(frozen=True, slots=True)
class Score:
    """The trust score of a memory and the named shares that sum to it. It explains; it never moves a memory."""

    value: float
    shares: tuple[tuple[str, float], ...]
    band: Band


def score(memory: Memory) -> Score:
    """Return the trust score of a memory, with its shares: the weight of its source class, and of its anchors (it names
    its evidence; its words are those hashed when it was kept; it names its session), at most 1.

    Bands begin at .8 (high) and .5 (middle). A memory without a source class counts as remembered by hand.
    """
    source = memory.source_class or "manual"
    has_anchor = {
        "source": bool(memory.evidence),
        "evidenceHash": memory.content_hash == content_hash(memory.content, memory.entity_ref),
        "session": memory.session_id is not None,
    }
    shares = ((source, WEIGHTS[source]), *((name, ANCHORS[name]) for name, is_there in has_anchor.items() if is_there))
    total = sum(value for _, value in shares)
    if total > 1:
        shares = (*shares, ("cap", round(1 - total, 4)))
    value = round(min(1.0, total), 4)
    return Score(value, shares, "high" if value >= HIGH else "middle" if value >= MIDDLE else "low")


def first_zone(source_class: SourceClass, content: str, *, enabled: bool = True) -> TrustZone:
    """Return the zone of a new memory: trusted if remembered by hand, quarantine if doubtful, else working.

    Doubtful are words of an untrusted source, and those that read as an injected instruction, whoever said them: people
    paste. If trust is not judged at all (`enabled` is False), none are.
    """
    if source_class == "manual":
        return "trusted"
    return "quarantine" if enabled and doubts(source_class, content) else "working"


def doubts(source_class: SourceClass | None, content: str) -> str:
    """Return why words of this source class begin in quarantine, as `code: reason`; empty if they do not.

    They do if nobody stands behind the class (`UNTRUSTED`), or if they read as an injected instruction; words
    remembered by hand (`manual` or None) never do.
    """
    if source_class in UNTRUSTED:
        return f"{source_class}: nobody stands behind its words yet"
    of_agent = source_class == "assistant_output"
    codes = injected_turn(content, of_agent=of_agent) if source_class not in (None, "manual") else ()
    return f"injection: it reads as an instruction to an assistant ({', '.join(codes)})" if codes else ""


def why_quarantined(memory: Memory) -> str:
    """Return why a quarantined memory is there, as `code: reason`: its own words, else the context of its turn."""
    return doubts(memory.source_class, memory.content) or _CONTEXT


def vouches(memory: Memory) -> bool:
    """Whether a memory can let others out of quarantine: its source class is in `VOUCHING` (none counts as `manual`),
    it is active, not in quarantine, and has evidence or was remembered by hand.
    """
    source = memory.source_class or "manual"
    has_anchor = bool(memory.evidence) or source == "manual"
    return source in VOUCHING and has_anchor and memory.trust_zone != "quarantine" and memory.status == "active"


def counts_as_repetition(source_class: SourceClass | None) -> bool:
    """Whether a memory is reinforced when this source says it again: only if it is `manual`, `system_memory`,
    `user_input` or None; any other source can have read it in a recall.
    """
    return source_class is None or source_class in VOUCHING


def is_of_person(memory: Memory) -> bool:
    """Whether a person is responsible for a memory, so that no program is allowed to change, archive or erase it: it
    was not inferred, or its source class is `manual`, `system_memory`, `user_input` or None.
    """
    return memory.asserted_by != "inferred" or counts_as_repetition(memory.source_class)


def may_rise(doubted: Memory, voucher: Memory) -> bool:
    """Whether the statement `voucher` lets a doubted memory out of quarantine: it vouches (`vouches`), is of a class
    with more weight (`WEIGHTS`), and says the same or nearly all of it (`_is_covered`).

    The doubted one must have evidence, and must not read as an instruction.
    """
    doubted_source, its_source = doubted.source_class or "manual", voucher.source_class or "manual"
    return (
        vouches(voucher)
        and WEIGHTS[its_source] > WEIGHTS[doubted_source]
        and bool(doubted.evidence)
        and not looks_injected(doubted.content)
        and _is_covered(doubted, voucher)
    )


def says_the_same(one: Memory, other: Memory) -> bool:
    """Whether two memories say the same about the same entity: equal words in base form and order, but for articles,
    `do`, `still` and the like, and both or neither denied (see `polarity`)."""
    return polarity(one.content, one.entity_ref) == polarity(other.content, other.entity_ref)


def _is_covered(doubted: Memory, voucher: Memory) -> bool:
    """Whether the statement `voucher` says the same as a doubted memory, or covers it.

    It covers it if both are of the same entity, the doubted one states attribute values, the voucher states all of
    these, and at least two thirds of the doubted one's content words are the voucher's, the others being of letters
    alone.
    """
    if says_the_same(doubted, voucher):
        return True
    values, voucher_values = _stated_values(doubted), _stated_values(voucher)
    same_entity = entity_key(doubted.entity_ref or "") == entity_key(voucher.entity_ref or "")
    if not values or not same_entity or values - voucher_values:
        return False
    its_words, voucher_words = set(content_words(doubted.content)), set(content_words(voucher.content))
    beyond = its_words - voucher_words
    return len(beyond) <= MOST_BEYOND * len(its_words) and all(word.isalpha() for word in beyond)


def _stated_values(memory: Memory) -> set[tuple[str, str]]:
    """Return the attributes of a memory with their values, in comparable form."""
    return {(entity_key(name), normalise(value)) for name, value in memory.structured_attributes.items()}


def lowest(zones: Iterable[TrustZone]) -> TrustZone:
    """Return the least trusted of some zones, which a merged memory gets; `working` if there is none."""
    distinct = set(zones)
    return min(distinct, key=ZONES.index) if distinct else "working"


def next_zone(zone: TrustZone) -> TrustZone:
    """Return the zone one step above; `trusted` for the highest."""
    return ZONES[min(ZONES.index(zone) + 1, len(ZONES) - 1)]
