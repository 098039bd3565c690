"""Extracted facts in, judged observations out: the step between a trace and a memory."""

from typing import Literal

from pydantic import Field

from pellucid.model.memory import Category, SourceClass
from pellucid.model.wire import Instant, Wire

Verdict = Literal["accept", "reject", "defer"]
LONGEST_QUOTE = 300


class Evidence(Wire):
    """The place of a fact: a session or path, and an inclusive range of 1-based turns or lines."""

    source: str
    start: int = Field(ge=1)
    end: int = Field(ge=1)
    quote: str = Field(default="", max_length=LONGEST_QUOTE)
    """The sentence that says the fact, word for word; empty if no single sentence does."""

    def __str__(self) -> str:
        return f"{self.source}:{self.start}-{self.end}"


class Resolution(Wire):
    """The effect of a fact on an earlier one: a correction or an update replaces it, a retraction takes it back.

    `about` are the words that name the earlier fact: its old value (`not 300 ms`), or what is taken back (`the TTL`);
    empty if only the fact's own words tell. An update is kept only if it cannot hold beside a memory that is kept.
    """

    kind: Literal["correction", "retraction", "update"]
    about: str = ""
    value: str = ""
    """The new value of a correction that does not name its subject: `Actually it is 600 seconds`."""


class ExtractedFact(Wire):
    """An extractor's result: self-contained content with its category, confidence and evidence, without importance."""

    category: Category
    content: str = Field(min_length=1)
    confidence: float = Field(ge=0, le=1)
    tags: tuple[str, ...] = ()
    entity_ref: str | None = None
    structured_attributes: dict[str, str] = Field(default_factory=dict)
    evidence: tuple[Evidence, ...] = ()
    resolves: Resolution | None = None
    """The effect on an earlier statement, which reconciliation finds. A retraction is not itself kept."""

    @property
    def cited(self) -> list[int]:
        """The numbers of all turns or lines that the evidence spans, range after range, without their sources; a number
        that is in several ranges is repeated.
        """
        return [at for each in self.evidence for at in range(each.start, each.end + 1)]


class Contribution(Wire):
    """A named share of an importance score, e.g. `category:decision` +0.08."""

    name: str
    value: float


class MemoryObservation(Wire):
    """A fact that was extracted, scored and judged, but is not yet a memory. The ledger keeps its verdict."""

    id: str
    session_id: str
    observed_at: Instant
    fact: ExtractedFact
    importance: float = Field(ge=0, le=1)
    importance_contributions: tuple[Contribution, ...] = ()
    source_class: SourceClass = "user_input"
    """The least trusted source class of the turns in its evidence."""
    verdict: Verdict
    verdict_reason: str
    judge_accepted: bool
    """Whether the verdict is to accept: of the judge, or of a rule after it that knows what was served before."""
