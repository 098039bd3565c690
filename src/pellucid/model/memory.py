"""A decision in, the memory out: the contents of one memory file (or of one block of an episode's file)."""

import re
from collections.abc import Collection
from datetime import UTC, datetime
from typing import Literal, get_args

from pydantic import Field

from pellucid.language.spelling import attribute_key, entity_key
from pellucid.model.turn import FlushSignal
from pellucid.model.wire import Instant, Wire
from pellucid.settings.sections import NAMESPACE_PATTERN

Category = Literal[
    "fact",
    "preference",
    "entity",
    "decision",
    "relationship",
    "principle",
    "commitment",
    "skill",
    "rule",
    "correction",
    "procedure",
    "reasoning_trace",
    "moment",
    "section",
]
Status = Literal[
    "active",
    "pending_review",
    "quarantined",
    "rejected",
    "disputed",
    "superseded",
    "retracted",
    "archived",
    "forgotten",
]
Source = Literal["extraction", "manual", "import", "document", "consolidation"]
AssertedBy = Literal["axiom", "user", "inferred"]
ConfidenceTier = Literal["explicit", "implied", "inferred", "speculative"]
ImportanceLevel = Literal["trivial", "low", "normal", "high", "critical"]
TrustZone = Literal["quarantine", "working", "trusted"]
SourceClass = Literal[
    "manual",
    "system_memory",
    "user_input",
    "assistant_output",
    "tool_output",
    "subagent_trace",
    "pasted",
    "web_content",
]
"""Where the words of a memory came from, from the most to the least trusted."""
SOURCE_CLASS_OF: dict[str, SourceClass] = {
    "user": "user_input",
    "assistant": "assistant_output",
    "system": "system_memory",
    "tool": "tool_output",
}
"""Maps the role that speaks to the source class that counts if nothing more is known."""

MEMORY_ID = re.compile(r"\bmem_[0-9a-f]{32}\b")
"""Matches a memory's whole id within a text."""
BOUNDARY_SCOPES = ("temporary", "private", "do-not-use-outside-this-context")
"""Scopes that restrict a memory: a caller must name each of them that the memory has."""


def boundary_bits(scopes: Collection[str]) -> int:
    """Return the sum of the bits of those scopes that restrict a memory: 1 for `temporary`, 2 for `private`, 4 for
    `do-not-use-outside-this-context` (the order of `BOUNDARY_SCOPES`). All other scopes are ignored.
    """
    return sum(1 << i for i, scope in enumerate(BOUNDARY_SCOPES) if scope in scopes)


TRANSCRIBED: tuple[Category, ...] = ("moment", "section")
"""Categories that quote somebody word for word, as blocks of a file; `remember` and `update` refuse them."""
CATEGORIES: tuple[Category, ...] = get_args(Category)
STATUSES: tuple[Status, ...] = get_args(Status)
SOURCE_CLASSES: tuple[SourceClass, ...] = get_args(SourceClass)

LAST_TURN = 2**31 - 1
"""The highest turn number that fits into every column."""

FOLDERS: dict[Category, str] = {
    **dict.fromkeys(CATEGORIES, "facts"),
    "correction": "corrections",
    "procedure": "procedures",
    "reasoning_trace": "reasoning-traces",
    "moment": "episodes",
    "section": "documents",
}
"""Maps each category to its vault folder, which has a folder `YYYY-MM/` a month (`documents` has none)."""

_CONFIDENCE_TIERS: tuple[tuple[float, ConfidenceTier], ...] = (
    (0.95, "explicit"),
    (0.70, "implied"),
    (0.40, "inferred"),
)
_IMPORTANCE_LEVELS: tuple[tuple[float, ImportanceLevel], ...] = (
    (0.9, "critical"),
    (0.7, "high"),
    (0.4, "normal"),
    (0.2, "low"),
)


def confidence_tier(confidence: float) -> ConfidenceTier:
    """Return the name of a confidence in [0, 1]: explicit ≥ .95, implied ≥ .70, inferred ≥ .40, else speculative."""
    for floor, tier in _CONFIDENCE_TIERS:
        if confidence >= floor:
            return tier
    return "speculative"


def importance_level(score: float) -> ImportanceLevel:
    """Return the name of an importance in [0, 1]: critical ≥ .9, high ≥ .7, normal ≥ .4, low ≥ .2, else trivial."""
    for floor, level in _IMPORTANCE_LEVELS:
        if score >= floor:
            return level
    return "trivial"


class Retirement(Wire):
    """The end of a section's document, as the document's own header states it."""

    said: str
    """The header's words: `superseded by SPEC-054`, `withdrawn`."""
    since: Instant
    by: str
    """The id of the first header version that says so."""


class Memory(Wire):
    """One durable statement with its evidence. Field order is the order of the keys in the file's frontmatter.

    `content` is the Markdown body and not a frontmatter key. `confidence_tier` and `importance_level` are written
    beside their numbers and derived from them. Use (access counts, heat) is not in a memory: it is history.
    """

    id: str = Field(pattern=r"^mem_[0-9a-f]{32}$")
    category: Category
    namespace: str = Field(pattern=NAMESPACE_PATTERN)
    created: Instant
    updated: Instant
    source: Source
    asserted_by: AssertedBy = "inferred"
    source_class: SourceClass | None = None
    """None in hand-written files, and in files older than the field: a person's own words."""
    session_id: str | None = None
    agent: str | None = None
    evidence: tuple[str, ...] = ()
    """`path-or-session:start-end`, 1-based and inclusive."""
    evidence_quotes: dict[str, str] = Field(default_factory=dict)
    """Maps an evidence range to the sentence there that says it, word for word; only if a sentence does."""
    confidence: float = Field(default=0.9, ge=0, le=1)
    tags: tuple[str, ...] = ()
    pinned: bool = False
    entity_ref: str | None = None
    structured_attributes: dict[str, str] = Field(default_factory=dict)
    retired_attributes: dict[str, str] = Field(default_factory=dict)
    """Maps an attribute that a newer memory states anew to that memory's id; all other attributes still hold."""
    importance_score: float = Field(default=0.5, ge=0, le=1)
    status: Status = "active"
    trust_zone: TrustZone = "working"
    scopes: tuple[str, ...] = ()
    valid_at: Instant | None = None
    invalid_at: Instant | None = None
    expires_at: Instant | None = None
    supersedes: tuple[str, ...] = ()
    superseded_by: str | None = None
    disputed_with: tuple[str, ...] = ()
    """The ids of memories that contradict this one without replacing it. Recall serves both, marked."""
    episode_id: str | None = None
    artifact_ids: tuple[str, ...] = ()
    content_hash: str | None = None  # as its file says; who compares words works it out, as a file can be edited
    derived_from: tuple[str, ...] = ()
    last_verified_at: Instant | None = None
    retired: Retirement | None = None
    """Of a section: the end of its document. It is worked out from the document's header and is not in the file."""
    content: str = ""

    @property
    def holds_since(self) -> datetime:
        """The UTC instant since which the statement holds: `valid_at`, or `created` if that is not known."""
        return self.valid_at or self.created

    @property
    def confidence_tier(self) -> ConfidenceTier:
        """How `confidence` is named: explicit, implied, inferred or speculative."""
        return confidence_tier(self.confidence)

    @property
    def importance_level(self) -> ImportanceLevel:
        """How `importance_score` is named: critical, high, normal, low or trivial."""
        return importance_level(self.importance_score)


class Episode(Wire):
    """A coherent stretch of one session: the header of an episode file; its moments are blocks in the same file."""

    id: str = Field(pattern=r"^ep_[0-9a-f]{32}$")
    namespace: str = Field(pattern=NAMESPACE_PATTERN)
    created: Instant
    updated: Instant
    source: Source = "import"
    session_id: str
    topic: str
    started: Instant | None = None
    ended: Instant | None = None
    turns: str
    """The inclusive range of the session's turns, `1-40`."""
    signal: FlushSignal | None = None
    """The reason for which the segment was cut where it was."""
    agent: str | None = None
    members: tuple[str, ...] = ()
    """The ids of the memories that were extracted from the segment, in the order of the session."""
    artifacts: tuple[str, ...] = ()
    """The artifacts that the segment mentions or makes, each as `role kind name` (see `model.artifact`)."""


class Moment(Wire):
    """A passage, word for word, as a memory: an anchored block of its episode's file."""

    id: str = Field(pattern=r"^mem_[0-9a-f]{32}$")
    turn: int = Field(ge=1, le=LAST_TURN)
    role: str
    at: Instant | None = None
    content: str
    status: Status = "active"
    pinned: bool = False
    trust_zone: TrustZone | None = None
    """None if it follows from the role: a tool's words begin in quarantine."""
    source_class: SourceClass | None = None
    """None if it follows from the role; `pasted` if most of a person's turn is somebody else's words."""


def live_attributes(memory: Memory) -> dict[str, str]:
    """Return the values of the attributes that a memory states, by `entity::attribute` (`attribute_key`), without those
    that its `retired_attributes` name.

    Empty if the memory has no `entity_ref`.
    """
    if not memory.entity_ref:
        return {}
    retired = {entity_key(name) for name in memory.retired_attributes}
    values = memory.structured_attributes.items()
    return {attribute_key(memory.entity_ref, name): value for name, value in values if entity_key(name) not in retired}


def recorded_at(memory_id: str, created: datetime) -> datetime:
    """Return when a memory was written down: the UTC time in its id, to the millisecond, or `created` if the id is no
    UUIDv7.
    """
    digits = memory_id.partition("_")[2]
    return datetime.fromtimestamp(int(digits[:12], 16) / 1000, UTC) if digits[12:13] == "7" else created


def unpack_id(raw: bytes, prefix: str = "mem") -> str:
    """Return the id `<prefix>_<32 hexadecimal digits>` of its 16 bytes; zero bytes at the end, which NumPy drops, may
    be missing.
    """
    return prefix + "_" + raw.ljust(16, bytes(1)).hex()
