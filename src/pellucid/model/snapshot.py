"""A receipt and today's memories in, the X-ray snapshot out: what every surface shows of one recall.

The reference's fields keep their names and meaning; what Pellucid adds stands beside them. `schemaVersion` is "1".
"""

from typing import ClassVar, Literal

from pydantic import ConfigDict, Field

from pellucid.model.wire import Wire

ServedBy = Literal[
    "direct-answer", "hybrid", "graph", "recent-scan", "procedural", "review-context", "episode", "persona", "cochange"
]
CorrectionState = Literal["none", "correction", "superseded", "disputed", "forgotten"]
Safety = Literal["safe", "requires-review", "blocked"]


class ScoreDecomposition(Wire):
    """The terms of a score, present where they were at work. `final` is their sum less `mmrPenalty`, exactly.

    `bm25` is the lexical leg's term, not a raw BM25 score; raw scores stand in `contributions`. What has no
    field here stands under its own name.
    """

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, float] = Field(init=False)  # pyright: ignore[reportIncompatibleVariableOverride]
    vector: float | None = None
    bm25: float | None = None
    passage: float | None = None
    """By the words of a memory and those beside it in its session."""
    procedural: float | None = None
    review: float | None = None
    recent: float | None = None
    graph: float | None = None
    temporal: float | None = None
    sub_queries: float | None = None
    """What the legs of sub-questions add, in all."""
    rerank: float | None = None
    rerank_passage: float | None = None
    """By the reranker, read together with the turns beside it."""
    named: float | None = None
    """Said by, or about, somebody the query names."""
    voice: float | None = None
    """The user's own words, where the query is about the user."""
    asking: float | None = None
    """Below 0 for what only asks."""
    importance: float | None = None
    tier_prior: float | None = None
    reinforcement_boost: float | None = None
    heat: float | None = None
    pin: float | None = None
    expansion: float | None = None
    renewal: float | None = None
    direct: float | None = None
    """What puts a direct answer first."""
    mmr_penalty: float | None = None
    final: float


class LegContribution(Wire):
    """What one leg said of a memory: its rank, its raw score and what that measures, and the term that came of it."""

    leg: str
    rank: int
    raw_score: float
    score_type: str
    matches: tuple[int, ...] = ()
    """Indices into `queryTerms`: which of the query's words the memory holds (lexical leg only)."""
    term: float


class RerankDetail(Wire):
    """What the reranker said of a memory."""

    backend: str
    rank: int
    raw_score: float
    term: float


class Alignment(Wire):
    """Which word of a memory a word of the query met best: an index into `queryTerms`, and a range of characters.

    Computed on view from today's text; no receipt holds it.
    """

    term: int
    start: int
    end: int
    word: str
    similarity: float
    """The cosine between the two tokens, as late interaction sees them."""


class QueryRead(Wire):
    """What was read of the query: its class, how deep to go and why, who and when it names."""

    query_class: str
    depth: str
    reason: str = ""
    entities: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    """Whom it names that said some memory, or whom one is about."""
    period: str | None = None
    since: int | None = None
    until: int | None = None
    """Of the period, epoch milliseconds, half-open."""
    dates_what_was_said: bool = False
    sub_queries: tuple[str, ...] = ()


class AbstentionTrace(Wire):
    """How doubtful a recall was of its answer, from 0 to 1, and the nearest misses if it gave none."""

    doubt: float
    threshold: float
    abstained: bool
    nearest: tuple[str, ...] = ()


class Provenance(Wire):
    """Where a memory comes from, and whether it is safe to use as it stands."""

    source: str
    created: str | None = None
    updated: str | None = None
    namespace: str | None = None
    scope: str
    user_context_scopes: tuple[str, ...] = ()
    retrieval_reason: str
    confidence: float = Field(ge=0, le=1)
    confidence_tier: str | None = None
    """What that confidence is called: `explicit`, `implied`, `inferred` or `speculative`."""
    importance_level: str | None = None
    """`trivial`, `low`, `normal`, `high` or `critical`."""
    stale: bool
    corrected: bool
    correction_state: CorrectionState
    safe_to_use: bool
    safety: Safety
    safety_reasons: tuple[str, ...] = ()


class Staleness(Wire):
    """How long ago somebody last stood behind a memory, as seen from the instant that a recall asked about."""

    last_verified_at: str | None = None
    """When it was last verified; None: never since it was written."""
    age_days: int = Field(ge=0)
    """Whole days since it was verified, or, if that never was, since it began to hold or was written."""
    superseded: bool
    """Something newer stands in its place today."""
    retired: str | None = None
    """Of a section: what the header of its document said of its end by then, `superseded by SPEC-054`, `withdrawn`."""
    due: bool = False
    """Superseded, retired, or old enough (`lifecycle.staleAfterDays`) that `reverify` is offered for it."""


class XrayResult(Wire):
    """One memory that reached the context, and everything that put it there."""

    memory_id: str
    path: str
    served_by: ServedBy
    score_decomposition: ScoreDecomposition
    graph_path: tuple[str, ...] | None = None
    graph_edge_confidences: tuple[float, ...] | None = None
    graph_edges: tuple[str, ...] | None = None
    """Each edge of the path as it is written down, whichever way it was followed: `SPEC-054 DEPENDS_ON SPEC-037`."""
    audit_entry_id: str | None = None
    admitted_by: tuple[str, ...]
    rejected_by: str | None = None
    provenance: Provenance | None = None
    staleness: Staleness | None = None
    """None where the memory is gone since."""
    contributions: tuple[LegContribution, ...] = ()
    rerank: RerankDetail | None = None
    why: str = ""
    newer_than: str | None = None
    """The id of the older memory that it was put above by `renewal`; None otherwise."""
    told: str | None = None
    """How much of it the context tells, where that is not all: `3 of 21 sentences, the whole: pellucid show ID`."""
    alignment: tuple[Alignment, ...] = ()
    """Only where it was asked for."""


class RejectedCandidate(Wire):
    """A candidate that did not reach the context: the rung that stopped it, by how much, and the score it had."""

    memory_id: str
    rejected_by: str
    reason: str
    margin: float | None = None
    final: float
    contributions: tuple[LegContribution, ...] = ()


class FilterTrace(Wire):
    """One rung: how many came, how many passed, and what speaks against the others.

    `soft_admitted` of those that passed were let pass although the rung speaks against them, too.
    """

    name: str
    considered: int = Field(ge=0)
    admitted: int = Field(ge=0)
    soft_admitted: int = Field(default=0, ge=0)
    reason: str | None = None


class Budget(Wire):
    """Characters allowed and used by the assembled context."""

    chars: int = Field(ge=0)
    used: int = Field(ge=0)


class TierExplain(Wire):
    """The direct-answer verdict: which tier answered and why."""

    tier: str
    tier_reason: str
    filtered_by: tuple[str, ...] = ()
    candidates_considered: int
    latency_ms: float
    source_anchors: tuple[str, ...] = ()
    """`path` or `path:start-end`."""


class LegHealth(Wire):
    """How one leg did; `degraded` and `empty` are never the same thing."""

    name: str
    health: Literal["ok", "empty", "degraded", "off"]
    reason: str | None = None
    admitted: int
    open: int
    """How many more it found that may not answer."""
    barred: dict[str, int] | None = None
    """Of these, how many each rung turned away; None for none, and where only `open` is told."""


class StageTrace(Wire):
    """How long one stage took, and a note if it was switched off or failed."""

    name: str
    ms: float
    note: str | None = None


class OmittedMemory(Wire):
    """A ranked memory that was left out of the context, and why."""

    memory_id: str
    reason: str


class EpisodeTrace(Wire):
    """An episode that the context names although none of its memories is in it, and why."""

    episode_id: str
    score: float
    matches: int
    """How many of its session's memories passed every filter; 0 where its topic alone answers."""


class PassTrace(Wire):
    """What one pass by a model did to the context: it may only remove or rephrase. No text of a memory."""

    name: str
    note: str | None = None
    """Why it changed nothing."""
    removed: tuple[str, ...] = ()
    rephrased: tuple[str, ...] = ()
    before: int = 0
    """Characters of the memories that it rephrased."""
    after: int = 0
    """Characters of what it made of them."""


class CutTrace(Wire):
    """A memory of which the context tells only the best passages: sentences, items of lists, blocks of code."""

    memory_id: str
    shown: int
    of: int


class ContextTrace(Wire):
    """What the assembled context holds, in order of rank, and what was left out of it."""

    included: tuple[str, ...] = ()
    omitted: tuple[OmittedMemory, ...] = ()
    cuts: tuple[CutTrace, ...] = ()
    episodes: tuple[EpisodeTrace, ...] = ()
    passes: tuple[PassTrace, ...] = ()


class Eligible(Wire):
    """The corpus the recall saw: rows of the namespace, how many were active, how many had vectors."""

    memories: int
    active: int
    with_vectors: int
    applied_seq: int


class RecallXraySnapshot(Wire):
    """Everything one recall did: a pure function of its receipt and of the memories it names."""

    is_xray: ClassVar[bool] = True
    schema_version: Literal["1"] = "1"
    query: str
    snapshot_id: str
    """The recall id."""
    captured_at: int
    """Epoch milliseconds."""
    tier_explain: TierExplain | None = None
    results: tuple[XrayResult, ...] = ()
    filters: tuple[FilterTrace, ...] = ()
    budget: Budget
    session_key: str | None = None
    namespace: str | None = None
    trace_id: str | None = None
    """The recall id as the 32 hex digits of a W3C trace id."""
    query_terms: tuple[str, ...] = ()
    rejected: tuple[RejectedCandidate, ...] = ()
    rejected_total: int = 0
    """How many were turned away in all; `rejected` names the best of them."""
    stages: tuple[StageTrace, ...] = ()
    legs: tuple[LegHealth, ...] = ()
    weights: dict[str, float] = Field(default_factory=dict)
    settings_hash: str = ""
    as_of: str | None = None
    """The instant asked about: that of the recall, unless a past one was."""
    as_known_at: str | None = None
    """Only what was written down by then counted."""
    context: ContextTrace = ContextTrace()
    eligible: Eligible | None = None
    plan: QueryRead | None = None
    abstention: AbstentionTrace | None = None
    words: dict[str, str] = Field(default_factory=dict)
    """The first words of the memories named here, by id, as they stand today; no receipt holds them. None of what is
    gone, in quarantine, or marked for scopes that the one who asked did not name."""

    def to_wire(self) -> dict[str, object]:
        """As `Wire.to_wire`, but `tierExplain` is always there: null where the direct-answer tier did not fire."""
        wire = super().to_wire()
        names = [field.alias or name for name, field in type(self).model_fields.items()]
        return {name: wire.get(name) for name in names if name in wire or name == "tierExplain"}
