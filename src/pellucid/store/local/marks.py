"""A memory in, what the index keeps of it beside its text out: whose words it holds, whom it is about."""

import re
from collections.abc import Iterable, Sequence

from pellucid.language.spelling import attribute_key, entity_key
from pellucid.language.statements.negation import polarity
from pellucid.model.memory import BOUNDARY_SCOPES, TRANSCRIBED, Memory
from pellucid.store.index_port import IndexRecord

DIRECT_CATEGORIES = (
    "decision",
    "commitment",
    "principle",
    "rule",
    "correction",
    "preference",
    "entity",
    "relationship",
)
"""What can answer by itself: settled statements, not single facts, moments or procedures."""
_SPEAKER = re.compile(r"([^\W\d_][\w .'-]{0,39}): ")
_TOLD = re.compile(r"[^\W\d_][\w .'-]{0,39} \(to ([^\W\d_][\w .'-]{0,39})\): ")
_NAMELESS = "user"
"""By what distilled words call a user who has no name."""


def stance_key(memory: Memory) -> str:
    """What a statement affirms or denies; what a document says at length takes no stand against what is remembered."""
    return "" if memory.category == "section" else polarity(memory.content, memory.entity_ref).key


def is_consolidated(memory: Memory) -> bool:
    """Whether a consolidation made a memory out of others; a block of a file is nobody's but the file's."""
    made = memory.source == "consolidation" and memory.category not in TRANSCRIBED
    return made and bool(memory.derived_from or memory.supersedes)


def search_text(memory: Memory) -> str:
    """What the lexical leg reads of a memory: its content, then its tags."""
    return "\n".join((memory.content, *memory.tags))


def stated(memory: Memory) -> list[str]:
    """The `entity::attribute` keys of what a memory states and has not retired, sorted; none without an entity."""
    retired = {entity_key(name) for name in memory.retired_attributes}
    names = [name for name in memory.structured_attributes if entity_key(name) not in retired]
    return sorted({attribute_key(memory.entity_ref, name) for name in names}) if memory.entity_ref else []


def about(memory: Memory) -> str | None:
    """Who said a moment, or whom another memory is about, as an entity key; None where nobody is named.

    What was said to somebody of `you` stands there as `Priya (to Tomás): You …`, and is about who is told it.
    """
    if memory.entity_ref:
        return entity_key(memory.entity_ref)
    found = (_SPEAKER if memory.category == "moment" else _TOLD).match(memory.content)
    return entity_key(found[1]) if found and memory.category != "section" else None


def direct_bits(memory: Memory) -> int:
    """What a direct answer must be: 1 an eligible category, 2 trusted, 4 the user's own, 8 about somebody."""
    user = memory.asserted_by in ("axiom", "user")
    return (
        (memory.category in DIRECT_CATEGORIES)
        | (memory.trust_zone == "trusted" or user) << 1
        | user << 2
        | (about(memory) is not None) << 3
    )


def by_user(memory: Memory) -> bool:
    """Whether a memory holds the user's own words, or was read from them; who has another name is not the user."""
    if memory.category == "section" or memory.source_class not in ("user_input", "manual"):
        return False
    spoken = _SPEAKER.match(memory.content) if memory.category != "moment" else None
    return not spoken or entity_key(spoken[1]) == _NAMELESS


def among_people(records: Sequence[IndexRecord]) -> bool:
    """Whether a file holds a talk of people, none of whom asks: each turn begins with a name."""
    turns = {each.ordinal: each.memory for each in reversed(records) if each.memory.category == "moment"}
    voices = {memory.source_class for memory in turns.values()}
    said = [memory.content for memory in turns.values() if memory.source_class == "user_input"]
    return bool(said) and "assistant_output" not in voices and all(map(_SPEAKER.match, said))


def boundary_bits(scopes: Iterable[str]) -> int:
    """The boundary scopes among these, as bits in the order of `BOUNDARY_SCOPES`."""
    return sum(1 << i for i, scope in enumerate(BOUNDARY_SCOPES) if scope in scopes)


def boundary_scopes(bits: int) -> frozenset[str]:
    """The boundary scopes that these bits stand for."""
    return frozenset(scope for i, scope in enumerate(BOUNDARY_SCOPES) if bits >> i & 1)
