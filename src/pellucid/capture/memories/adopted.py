"""Nothing in, the shape of a memory from another tool's file out, and the names of the formats."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, get_args

from pellucid.model.memory import AssertedBy, Category, Status

MemoryFormat = Literal["claude-md", "agents-md", "memory-md", "basic-memory", "remnic", "mem0", "chatgpt"]
MEMORY_FORMATS: tuple[MemoryFormat, ...] = get_args(MemoryFormat)

BY_A_PERSON: frozenset[MemoryFormat] = frozenset({"claude-md", "agents-md"})
"""Formats that people write by hand; the others are mostly an agent's or a model's conclusions."""

CONFIDENCE: dict[MemoryFormat, float] = {
    **dict.fromkeys(MEMORY_FORMATS, 0.8),
    "claude-md": 0.95,
    "agents-md": 0.95,
    "basic-memory": 0.85,
}
"""The confidence in a memory whose file states none, by format."""


@dataclass(frozen=True, slots=True)
class AdoptedMemory:
    """One memory read from another tool's file; `read_memories` yields it without a secret in any field.

    `category` is None if neither the file nor its wording shows one. `foreign_id` is the other tool's id of the memory,
    and `supersedes` and `superseded_by` are such ids. `path` is relative to the named folder; `start` and `end` are
    line numbers in the file (in a JSON document, the number of the entry), 1-based and inclusive.
    """

    kind: MemoryFormat
    content: str
    path: str
    start: int
    end: int
    category: Category | None = None
    tags: tuple[str, ...] = ()
    entity_ref: str | None = None
    attributes: dict[str, str] = field(default_factory=dict[str, str])
    created: datetime | None = None
    updated: datetime | None = None
    confidence: float | None = None
    importance: float | None = None
    status: Status = "active"
    valid_at: datetime | None = None
    invalid_at: datetime | None = None
    expires_at: datetime | None = None
    foreign_id: str | None = None
    supersedes: tuple[str, ...] = ()
    superseded_by: str | None = None

    @property
    def evidence(self) -> str:
        """The place that the memory was read from: `path:start-end`."""
        return f"{self.path}:{self.start}-{self.end}"

    @property
    def asserted_by(self) -> AssertedBy:
        """Whose word the memory counts as: `user` for the formats `claude-md` and `agents-md`, which people write by
        hand, else `inferred`.
        """
        return "user" if self.kind in BY_A_PERSON else "inferred"
