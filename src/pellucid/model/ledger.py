"""Decisions in, the rows of the ledger out: facts that follow from no file. No row contains a word of a memory."""

from typing import Literal

from pydantic import Field

from pellucid.model.observation import Verdict
from pellucid.model.wire import Instant, Wire

Event = Literal[
    "created",
    "corroborated",
    "redated",
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
"""What happened to a memory. "corroborated": somebody said its words again. "redated": a history moved the dates of a
section or header version; older rows say "corroborated" of that, too, with the reason `history`.
"""
Actor = Literal["user", "agent", "extraction", "reconcile", "consolidate", "lifecycle", "trust", "import"]
"""What changed a memory. "user" is whoever called an operation, also an agent through a tool; whose *words* they are is
in the memory (`assertedBy`, `sourceClass`). "agent" occurs in old rows only.
"""


class LifecycleRow(Wire):
    """A change of one memory. `before` and `after` contain frontmatter keys of its state, never its words."""

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
    """The session in which the memory was said again; only in rows about that."""
    before: dict[str, object] = Field(default_factory=dict)
    after: dict[str, object] = Field(default_factory=dict)
    correlation_id: str | None = None
    """The id of the operation that made the change."""


class VerdictRow(Wire):
    """The decision about one observation."""

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
    """Hashed with the vault's key: it tells equal words apart from others, and reveals nothing without the key."""
    resulting_primitive_id: str | None = None
    """The id of the memory that it made or matched; the name is older than that of a memory."""
    evidence: tuple[str, ...] = ()
    said: tuple[str, ...] = ()
    """Keyed hashes of the content words of the observation, and of the sentences it was read from."""


class UnkeptRow(Wire):
    """A sentence that looked like a statement and became no observation: its place and the reason, not its words."""

    kind: Literal["unkept"] = "unkept"
    session_id: str
    namespace: str
    at: Instant
    evidence: tuple[str, ...]
    reason: str
    said: tuple[str, ...]
    """The keyed hash of the sentence's content words, as in a verdict."""


class FlushRow(Wire):
    """A segment that was flushed or imported: its turns, the signal, and counts of what came of it. `seconds` are of
    extraction."""

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
    """Counts, by reason, of statements that a model made and their evidence did not support."""


class FoldRow(Wire):
    """The last lifecycle fold of one memory: all that ranking is allowed to know of its use."""

    kind: Literal["fold"] = "fold"
    memory_id: str
    namespace: str
    at: Instant
    heat: float = Field(ge=0, le=1)
    decay: float = Field(ge=0, le=1)
    tier: Literal["hot", "cold"] = "hot"
    tier_value: float = Field(ge=0, le=1)
    access_count: int = 0
    """The number of times the memory was served: exposure, which does not raise its heat."""
    last_accessed: Instant | None = None
    use_count: int | None = None
    """The number of times the memory was used; None in old rows, which counted serving as use."""
    last_used: Instant | None = None
    reinforcement_count: int = 0


class PassRow(Wire):
    """A maintenance pass that ran to its end: when, and counts of what it did."""

    kind: Literal["pass"] = "pass"
    name: Literal["lifecycle", "consolidate", "report"]
    namespace: str
    started: Instant
    finished: Instant
    counts: dict[str, int] = Field(default_factory=dict)


class TombstoneRow(Wire):
    """What must not come back: keyed hashes (hex) of a forgotten memory's words and of its evidence turns."""

    kind: Literal["tombstone"] = "tombstone"
    memory_id: str
    namespace: str
    at: Instant
    keys: tuple[str, ...]


class KeyRow(Wire):
    """The fingerprint (hex) of the key that tombstones are made with from here on; it reveals nothing of the key."""

    kind: Literal["key"] = "key"
    at: Instant
    keyed_by: str


class LossRow(Wire):
    """Rows of the ledger, or a key, that are lost with their tombstones, and that a person accepted as lost."""

    kind: Literal["loss"] = "loss"
    at: Instant
    missing: tuple[tuple[int, int], ...] = ()
    """Ranges of the numbers of missing rows, each as its first and last number."""
    damaged: tuple[str, ...] = ()
    """The places of lines that could not be read, and the files that had been changed."""
    key: str = ""
    """What was wrong with the key; empty if nothing was."""
    keyed_by: str
    """As in `KeyRow`."""


class ErasureRow(Wire):
    """An erasure that ran to its end: how many things it took from each place, without saying what."""

    kind: Literal["erasure"] = "erasure"
    at: Instant
    namespace: str
    erasure_of: str
    """The id of the operation that removed the files."""
    memories: int
    places: dict[str, int] = Field(default_factory=dict)
