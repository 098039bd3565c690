"""Decisions in, the rows of the ledger out: what no file implies. No row holds a word of a memory."""

from typing import Literal

from pydantic import Field

from pellucid.model.observation import Verdict
from pellucid.model.wire import Instant, Wire

Event = Literal[
    "created",
    "corroborated",
    "superseded",
    "attribute_retired",
    "retracted",
    "disputed",
    "archived",
    "pinned",
    "unpinned",
    "restored",
    "quarantined",
    "promoted",
    "reverified",
    "merged",
    "forgotten",
    "undone",
]
Actor = Literal["user", "agent", "extraction", "reconcile", "consolidate", "lifecycle", "trust", "import"]
"""What changed a memory. "user" is whoever called an operation, an agent with a tool among them; who *said* the words
is in the memory (`assertedBy`, `sourceClass`). "agent" is read where it was written, and written by nothing."""


class LifecycleRow(Wire):
    """One change of one memory. `before` and `after` are frontmatter keys of its state, never of its words."""

    kind: Literal["lifecycle"] = "lifecycle"
    event_id: str
    memory_id: str
    namespace: str
    event_type: Event
    timestamp: Instant
    actor: Actor
    reason_code: str = ""
    related_memory_ids: tuple[str, ...] = ()
    session_id: str | None = None
    """Where it was said, of what was said again."""
    before: dict[str, object] = Field(default_factory=dict)
    after: dict[str, object] = Field(default_factory=dict)
    correlation_id: str | None = None
    """The operation that made the change."""


class VerdictRow(Wire):
    """What was decided about one observation."""

    kind: Literal["verdict"] = "verdict"
    observation_id: str
    session_id: str
    namespace: str
    observed_at: Instant
    decided_at: Instant | None = None
    category: str
    confidence: float
    importance: float
    verdict: Verdict
    reason: str
    content_hash: str
    """Keyed with the vault's key: it tells equal words apart from others, and nobody without the key anything."""
    resulting_primitive_id: str | None = None
    evidence: tuple[str, ...] = ()
    said: tuple[str, ...] = ()
    """Keyed hashes of its content words, and of those of the sentences it was read from: it is found again by them."""


class UnkeptRow(Wire):
    """A sentence that looked like a statement and became no observation: where it stands, why, and no word of it."""

    kind: Literal["unkept"] = "unkept"
    session_id: str
    namespace: str
    at: Instant
    evidence: tuple[str, ...]
    reason: str
    said: tuple[str, ...]
    """Keyed hash of its content words, as in a verdict."""


class FlushRow(Wire):
    """One segment that was flushed: how many turns, why, and what came of it. Seconds are of extraction alone."""

    kind: Literal["flush"] = "flush"
    session_id: str
    namespace: str
    at: Instant
    signal: str
    turns: int
    by_role: dict[str, int] = Field(default_factory=dict)
    characters: int = 0
    observations: int = 0
    accepted: int = 0
    seconds: float = 0.0
    extractor: str = "heuristic"
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    dropped: dict[str, int] = Field(default_factory=dict)
    """What a model claimed and its evidence did not bear out, by reason."""


class FoldRow(Wire):
    """The last lifecycle fold of one memory: all that ranking may know of its use."""

    kind: Literal["fold"] = "fold"
    memory_id: str
    namespace: str
    at: Instant
    heat: float = Field(ge=0, le=1)
    decay: float = Field(ge=0, le=1)
    tier: Literal["hot", "cold"] = "hot"
    tier_value: float = Field(ge=0, le=1)
    access_count: int = 0
    """Times it was served: exposure, which makes nothing hotter."""
    last_accessed: Instant | None = None
    use_count: int | None = None
    """Times it was used; None in a row from when being served counted as use."""
    last_used: Instant | None = None
    reinforcement_count: int = 0


class PassRow(Wire):
    """A pass that ran to its end: when, and counts of what it did."""

    kind: Literal["pass"] = "pass"
    name: Literal["lifecycle", "consolidate", "report"]
    namespace: str
    started: Instant
    finished: Instant
    counts: dict[str, int] = Field(default_factory=dict)


class TombstoneRow(Wire):
    """What may not come back: keyed hashes (hex) of a forgotten memory's words and of its evidence turns."""

    kind: Literal["tombstone"] = "tombstone"
    memory_id: str
    namespace: str
    at: Instant
    keys: tuple[str, ...]


class KeyRow(Wire):
    """The key that tombstones are made with from here on: its fingerprint (hex), which tells nothing of it."""

    kind: Literal["key"] = "key"
    at: Instant
    keyed_by: str


class LossRow(Wire):
    """What a person gave up: rows of the ledger and a key that nobody can bring back, with their tombstones."""

    kind: Literal["loss"] = "loss"
    at: Instant
    missing: tuple[tuple[int, int], ...] = ()
    """The first and last of the numbers of rows that are missing."""
    damaged: tuple[str, ...] = ()
    """Where lines stood that could not be read, and which files had been changed."""
    key: str = ""
    """What was wrong with the key; empty if nothing was."""
    keyed_by: str
    """As in `KeyRow`."""


class ErasureRow(Wire):
    """An erasure that ran to its end: how many things were taken from which place. It says nothing of what."""

    kind: Literal["erasure"] = "erasure"
    at: Instant
    namespace: str
    erasure_of: str
    """The operation that removed the files."""
    memories: int
    places: dict[str, int] = Field(default_factory=dict)
