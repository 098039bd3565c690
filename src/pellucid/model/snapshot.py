"""A receipt and today's memories in, the X-ray snapshot out: what every surface shows of one recall.

The reference's fields keep their names and meaning; what Pellucid adds stands beside them. `schemaVersion` is "1".
"""

from typing import ClassVar, Literal

from pydantic import ConfigDict, Field

from pellucid.model.wire import Wire

ServedBy = Literal[
    "direct-answer", "hybrid", "graph", "recent-scan", "procedural", "review-context", "episode", "persona", "cochange"
]
Health = Literal["ok", "empty", "degraded", "off"]
FAILED = "failed: "
"""Begins the note of a failed stage; the error's class and message follow, since a receipt keeps the note alone."""
CorrectionState = Literal["none", "correction", "superseded", "disputed", "forgotten"]
Safety = Literal["safe", "requires-review", "blocked"]


class ScoreDecomposition(Wire):
    """The terms of a score; a term is missing if it did not count. `final` is their sum less `mmrPenalty`, exactly.

    `bm25` is the lexical leg's term, not a raw BM25 score; raw scores are in `contributions`. A term without a field
    here is under its own name.
    """

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, float] = Field(init=False)  # pyright: ignore[reportIncompatibleVariableOverride]
    vector: float | None = None
    bm25: float | None = None
    passage: float | None = None
    """By the words of a memory and of its neighbours in its session."""
    procedural: float | None = None
    review: float | None = None
    recent: float | None = None
    graph: float | None = None
    temporal: float | None = None
    sub_queries: float | None = None
    """The sum of all that the legs of sub-questions add."""
    rerank: float | None = None
    rerank_passage: float | None = None
    """By the reranker, read together with the neighbouring turns."""
    named: float | None = None
    """For a memory said by, or about, somebody whom the query names."""
    voice: float | None = None
    """For the user's own words, if the query is about the user."""
    asking: float | None = None
    """Below 0 for a memory that ends in a question."""
    importance: float | None = None
    tier_prior: float | None = None
    reinforcement_boost: float | None = None
    heat: float | None = None
    pin: float | None = None
    expansion: float | None = None
    renewal: float | None = None
    direct: float | None = None
    """Puts a direct answer first."""
    mmr_penalty: float | None = None
    final: float


class LegContribution(Wire):
    """The result of one leg for a memory: its rank, its raw score and that score's type, and the resulting term."""

    leg: str
    rank: int
    raw_score: float
    score_type: str
    matches: tuple[int, ...] = ()
    """Indices into `queryTerms`: the query words that the memory contains (lexical leg only)."""
    term: float


class RerankDetail(Wire):
    """The result of the reranker for a memory."""

    backend: str
    rank: int
    raw_score: float
    term: float


class Alignment(Wire):
    """The memory's word that is most similar to a query word: an index into `queryTerms`, and a range of characters.

    Computed on view from today's text; no receipt contains it.
    """

    term: int
    start: int
    end: int
    word: str
    similarity: float
    """The cosine between the two tokens, as late interaction sees them."""


class QueryRead(Wire):
    """The recall's reading of the query: its class, the depth of the search and why, people and times it names."""

    query_class: str
    depth: str
    reason: str = ""
    entities: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    """People in the query who said a memory, or whom one is about."""
    period: str | None = None
    since: int | None = None
    until: int | None = None
    """The bounds of the period in epoch milliseconds, half-open."""
    dates_what_was_said: bool = False
    sub_queries: tuple[str, ...] = ()
    answers: int = 0
    """How many memories answer by edges that the question asks for; 0 if it asks for none, or none was found."""


class AbstentionTrace(Wire):
    """How doubtful a recall was of its answer, from 0 to 1, and the nearest misses if it gave none."""

    doubt: float
    threshold: float
    abstained: bool
    nearest: tuple[str, ...] = ()
    near: float | None = None
    """The mean of the best cosines with the query. As `met` and `held`: from 0 to 1, and None if it did not count."""
    met: float | None = None
    """The mean of the best scores of the reranker."""
    shown_for: str | None = None
    """Why an answer was shown although its doubt is at the threshold or above."""
    measured_doubt: float | None = None
    """The doubt by the signs alone, if what the query asks for beside words bounds it; else None."""
    held: float | None = None
    """The share of the query's content words that the first three memories contain together; rare words weigh more."""
    measured: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Maps each sign that counted to the ids of the memories that it was read of, the best first."""


class Provenance(Wire):
    """The origin of a memory, and whether it is safe to use as it is."""

    source: str
    category: str | None = None
    """What kind of memory it is (`decision`, `section`); None in older snapshots."""
    created: str | None = None
    updated: str | None = None
    namespace: str | None = None
    scope: str
    user_context_scopes: tuple[str, ...] = ()
    retrieval_reason: str
    confidence: float = Field(ge=0, le=1)
    confidence_tier: str | None = None
    """The name of that confidence: `explicit`, `implied`, `inferred` or `speculative`."""
    importance_level: str | None = None
    """`trivial`, `low`, `normal`, `high` or `critical`."""
    stale: bool
    corrected: bool
    correction_state: CorrectionState
    safe_to_use: bool
    safety: Safety
    safety_reasons: tuple[str, ...] = ()


class Staleness(Wire):
    """How long ago somebody last confirmed a memory, as seen from the instant that a recall asked about."""

    last_verified_at: str | None = None
    """When the memory was last verified; None if never since it was written."""
    age_days: int = Field(ge=0)
    """Whole days since it was verified or, without that, since it began to hold or was written."""
    superseded: bool
    """Whether something newer has taken its place by today."""
    retired: str | None = None
    """Of a section: the end of its document by then, from its header: `superseded by SPEC-054`, `withdrawn`."""
    due: bool = False
    """Whether it is superseded, retired, or old enough (`lifecycle.staleAfterDays`) to be offered for `reverify`."""


class XrayResult(Wire):
    """One memory that reached the context, and all reasons why."""

    memory_id: str
    path: str
    served_by: ServedBy
    score_decomposition: ScoreDecomposition
    graph_path: tuple[str, ...] | None = None
    graph_edge_confidences: tuple[float, ...] | None = None
    graph_edges: tuple[str, ...] | None = None
    """Each edge of the path as stated, whichever way it was followed: `SPEC-054 DEPENDS_ON SPEC-037`."""
    audit_entry_id: str | None = None
    admitted_by: tuple[str, ...]
    rejected_by: str | None = None
    """The rung whose objection it has, and that let it pass in spite of that; None for none."""
    provenance: Provenance | None = None
    staleness: Staleness | None = None
    """None if the memory is gone since."""
    contributions: tuple[LegContribution, ...] = ()
    rerank: RerankDetail | None = None
    why: str = ""
    newer_than: str | None = None
    """The id of the older memory above which `renewal` put it; None otherwise."""
    told: str | None = None
    """How much of the memory the context contains, if not all: `3 of 21 sentences, the whole: pellucid show ID`."""
    quotes: tuple[str, ...] = ()
    """The ids of other candidates whose words its line in the context quotes."""
    alignment: tuple[Alignment, ...] = ()
    """Only if the caller asked for it."""


class RejectedCandidate(Wire):
    """A candidate that did not reach the context: the rung that stopped it, by how much, and the score it had."""

    memory_id: str
    rejected_by: str
    reason: str
    margin: float | None = None
    floor: float | None = None
    """The least that passes a rung that measures (a cosine, a share of words); None for others."""
    told_under: str | None = None
    """The id of the result that stands for its document, where the question asks for edges; None for others."""
    behind: dict[str, float] = Field(default_factory=dict)
    """Of one that `top-k` cut, the one or two terms in which it is most behind the last that was kept (negative), and
    the one in which it is most ahead of that.
    """
    quoted_under: tuple[str, ...] = ()
    """The ids of the results whose lines in the context quote words of it."""
    final: float
    contributions: tuple[LegContribution, ...] = ()


class FilterTrace(Wire):
    """One rung: how many candidates came, how many passed, and the objection to the others.

    `soft_admitted` counts those that passed in spite of the objection.
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
    """The outcome of one leg; `degraded` and `empty` are never the same thing."""

    name: str
    health: Health
    reason: str | None = None
    """Within the recall and its receipt it can hold marks of `errors.recorded_step`; what shows it spells these."""
    admitted: int
    open: int
    """The number of further memories that it found and that are not admissible."""
    barred: dict[str, int] | None = None
    """Of these, how many each rung rejected; None for none, if only `open` is known, and within the recall itself."""


class StageTrace(Wire):
    """How long one stage took; `note` says why it was switched off or failed, or what a further iteration asked."""

    name: str
    ms: float
    note: str | None = None

    @property
    def failed(self) -> bool:
        """Whether the stage failed, that is whether its note begins with `failed: `."""
        return self.note is not None and self.note.startswith(FAILED)


class OmittedMemory(Wire):
    """A ranked memory that was left out of the context, and why."""

    memory_id: str
    reason: str


class EpisodeTrace(Wire):
    """An episode that the context names although none of its memories is in the context, and why."""

    episode_id: str
    score: float
    matches: int
    """The number of its session's memories that passed every filter; 0 if its topic alone answers."""


class PassTrace(Wire):
    """The effect of one pass by a model on the context: it can only remove or rephrase. No text of a memory."""

    name: str
    note: str | None = None
    """Why the pass changed nothing."""
    removed: tuple[str, ...] = ()
    rephrased: tuple[str, ...] = ()
    before: int = 0
    """The number of characters of the memories that it rephrased."""
    after: int = 0
    """The number of characters of their rephrasings."""


class CutTrace(Wire):
    """A memory of which the context contains only the best passages: sentences, items of lists, blocks of code."""

    memory_id: str
    shown: int
    of: int


class ContextTrace(Wire):
    """The contents of the assembled context, in order of rank, and the memories left out of it."""

    included: tuple[str, ...] = ()
    omitted: tuple[OmittedMemory, ...] = ()
    cuts: tuple[CutTrace, ...] = ()
    episodes: tuple[EpisodeTrace, ...] = ()
    passes: tuple[PassTrace, ...] = ()


class Eligible(Wire):
    """The corpus that the recall searched: rows of the namespace, active rows, rows with vectors."""

    memories: int
    active: int
    with_vectors: int
    applied_seq: int


class RecallXraySnapshot(Wire):
    """All that one recall did: a pure function of its receipt and of the memories it names."""

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
    """The number of all rejected candidates; `rejected` names the best of them."""
    stages: tuple[StageTrace, ...] = ()
    legs: tuple[LegHealth, ...] = ()
    last_kept: str | None = None
    """The id of the last memory within `topK`, with which those below are compared; it can itself be left out."""
    neighbours: int = 0
    """The number of candidates that no leg found: they stand beside others in a session or document."""
    weights: dict[str, float] = Field(default_factory=dict)
    settings_hash: str = ""
    as_of: str | None = None
    """The instant asked about: that of the recall, unless the caller gave a past one."""
    as_known_at: str | None = None
    """If given, only memories written down by then counted."""
    context: ContextTrace = ContextTrace()
    eligible: Eligible | None = None
    plan: QueryRead | None = None
    abstention: AbstentionTrace | None = None
    words: dict[str, str] = Field(default_factory=dict)
    """Maps ids of the memories named here to their first words today; no receipt contains them. Memories that are gone,
    in quarantine, or marked for scopes that the caller did not name are left out.
    """

    def to_wire(self) -> dict[str, object]:
        """Return the record as `Wire.to_wire` does, but always with the key `tierExplain`, in its place: None if no
        verdict on a direct answer is on record.
        """
        wire = super().to_wire()
        names = [field.alias or name for name, field in type(self).model_fields.items()]
        return {name: wire.get(name) for name in names if name in wire or name == "tierExplain"}
