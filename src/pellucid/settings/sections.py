"""The sections of the settings, one frozen class each; a field's description is its line in docs/settings.md."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator
from pydantic.alias_generators import to_camel

from pellucid.settings.files import Harmless

NAMESPACE_PATTERN = r"^[a-z0-9][a-z0-9._-]{0,63}/[a-z0-9][a-z0-9._-]{0,63}$"
QUERY_CLASSES = ("historical", "architectural", "current_state", "decision", "other")
Weight = Annotated[float, Field(ge=0, le=1000)]
Fraction = Annotated[float, Field(ge=0, le=1)]
Positive = Annotated[int, Field(ge=1)]
Count = Annotated[int, Field(ge=0)]
PositiveFloat = Annotated[float, Field(gt=0)]
_SECTION = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, alias_generator=to_camel, populate_by_name=True)


class LegWeights(BaseModel):
    """What the first rank in a leg is worth in the sum; 0 switches the leg off."""

    model_config = _SECTION
    vector: Weight = Field(default=1.0, description="Nearness of meaning.")
    lexical: Weight = Field(default=1.0, description="Shared words, by BM25.")
    passage: Weight = Field(default=0.5, description="Words shared with a memory and those beside it, by BM25.")
    graph: Weight = Field(default=1.0, description="What hangs together with the things that the query names.")
    procedural: Weight = Field(default=3.0, description="Procedures, where the query starts a task.")
    review: Weight = Field(default=5.0, description="Memories that speak of the files under review.")
    recent: Weight = Field(default=1.0, description="Newest first; asked only when the search legs fail.")
    temporal: Weight = Field(default=0.1, description="Prefers newer memories, but not for questions about the past.")
    rerank: Weight = Field(default=1.25, description="Place by the reranker.")
    rerank_passage: Weight = Field(
        default=1.0, description="Place by late interaction with a memory and those beside it."
    )


class RecallSettings(BaseModel):
    """The defaults of a recall; each can be overridden per call. docs/recall.md says what they were measured on."""

    model_config = _SECTION
    top_k_facts: Harmless[int] = Field(default=20, ge=1, le=1000, description="Memories returned at most.")
    pool: int = Field(
        default=50, ge=1, le=1000, description="P: admissible candidates a leg returns; fixed, whatever topK is."
    )
    open_pool: int = Field(default=20, ge=0, le=200, description="Candidates of the open arm (evidence only).")
    rrf_k: int = Field(default=10, ge=1, le=10_000, description="k of the term w·(k+1)/(k+rank).")
    leg_weights: LegWeights = Field(default=LegWeights(), description="What first place in each leg is worth.")
    class_weights: dict[str, dict[str, float]] = Field(
        default_factory=dict[str, dict[str, float]],
        description="Leg weights that differ for a class of query: `{historical = {temporal = 0.25}}`.",
    )
    half_life_days: PositiveFloat = Field(
        default=180.0, description="Days after which being recent is worth 1/e (0.37), twice as many 1/e²."
    )
    gate: Literal["off", "heuristic", "llm"] = Field(
        default="heuristic", description="Who decides that a message needs no memory, or only little."
    )
    query_dates: Literal["off", "soft", "filter"] = Field(
        default="filter",
        description="What a period in the query does: nothing, a note on what lies outside, or a filter where the query"
        " dates what was said (a note else).",
    )
    enable_reranking: bool = Field(default=True, description="Score survivors one by one.")
    rerank_multiplier: int = Field(
        default=8, ge=1, le=100, description="Times 12: survivors that a cross-encoder or a service scores."
    )
    direct_answer: bool = Field(default=True, description="Put one settled, unambiguous statement first.")
    max_iterations: int = Field(default=1, ge=1, le=5, description="Passes over a question; 1 asks no sub-questions.")
    sufficiency_threshold: Fraction = Field(
        default=0.8, description="Share of the question that a pass must cover to be the last."
    )
    decompose: Literal["local", "llm"] = Field(default="local", description="Who finds the sub-questions.")
    top_k_episodes: Harmless[int] = Field(default=4, ge=0, le=100, description="Episodes returned at most.")
    max_episodes: Harmless[int] = Field(default=8, ge=0, le=1000, description="Episodes in the context at most.")
    citations: Harmless[Literal["off", "oai", "plain"]] = Field(
        default="off", description="A block that says what each line stands on: `<oai-mem-citation>`, or plain lines."
    )
    context_passes: tuple[Literal["select", "facts", "cleanup"], ...] = Field(
        default=(), description="Passes by the model of `llm` over the context; they may only remove or rephrase."
    )
    abstain_at: Fraction = Field(
        default=0.65, description="Doubt from which a recall says that it knows nothing; 1 never does."
    )
    abstain_from: Count = Field(
        default=100, description="Memories from which on doubt can be too much: of fewer, words tell too little."
    )
    min_fact_score: float = Field(default=0.0, ge=-1, le=1, description="Cosine floor of the score-floor rung.")
    score_propagation_alpha: Fraction = Field(default=0.4, description="Discount of a neighbour's fused score.")
    mmr_lambda: Weight = Field(default=0.0, description="Weight of the diversity penalty.")
    mmr_threshold: Fraction = Field(default=0.85, description="τ: similarity above which the penalty starts.")
    char_budget: Harmless[Positive] = Field(default=16_000, description="Characters of assembled context.")
    expand_from: Count = Field(
        default=10, description="First places of each leg whose neighbouring turns join the pool."
    )
    graph_asked_weight: Weight = Field(
        default=20.0,
        description="Worth of first place in the graph leg where the query asks for edges; of what else it finds, 2/5.",
    )
    graph_traversal_confidence_floor: Fraction = Field(
        default=0.2, description="Edges below this confidence are not followed."
    )
    graph_traversal_page_rank_iterations: int = Field(
        default=8, ge=0, le=100, description="Iterations that refine the order of what the graph leg reached."
    )
    graph_hops: int = Field(default=3, ge=1, le=10, description="Edges from a named thing at most.")
    graph_decay: float = Field(default=0.7, gt=0, le=1, description="Share of a score that each edge passes on.")
    lexical_cost: Positive = Field(default=20_000, description="Rows the lexical leg may touch: rarest words first.")
    min_token_overlap: Fraction = Field(default=0.0, description="Share of the query's words a memory must hold.")
    importance_weight: Weight = Field(default=0.05, description="Worth of importance 1.0 over 0.")
    named_weight: Weight = Field(default=0.8, description="Worth of being said by, or about, somebody the query names.")
    voice_weight: Weight = Field(
        default=1.0, description="Worth of the user's own words where a question is about the user."
    )
    asking_weight: Weight = Field(default=0.2, description="What a memory that ends in a question loses.")
    heat_weight: Weight = Field(default=0.05, description="Worth of heat 1.0, of the last fold.")
    tier_weight: Weight = Field(default=0.05, description="Worth of being hot rather than cold.")
    reinforcement_recall_boost_enabled: bool = Field(default=True, description="Prefer what was said repeatedly.")
    reinforcement_weight: Weight = Field(default=0.02, description="Worth of each of ten repetitions.")
    renewal_weight: Weight = Field(
        default=1.25, description="Lead that an older memory gives up to a newer one with all the query's words."
    )
    pin_weight: Weight = Field(default=0.5, description="Worth of a pin.")
    store_query_text: bool = Field(
        default=True,
        description="Keep the query's words beside the receipt; a server that others can reach keeps none unless told.",
    )

    @field_validator("class_weights")
    @classmethod
    def _known_classes(cls, weights: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
        """Check `weights`, which maps a class of query to the weights of its legs (search paths), and return it with
        only the weights that were set, as `LegWeights` reads them, with snake-case names.

        Raise ValueError for an unknown class or leg, and for a weight that `legWeights` would refuse.
        """
        if unknown := set(weights) - set(QUERY_CLASSES):
            raise ValueError(f"no class of query is called {min(unknown)!r}: {', '.join(QUERY_CLASSES)}")
        return {name: LegWeights.model_validate(each).model_dump(exclude_unset=True) for name, each in weights.items()}


class RerankSettings(BaseModel):
    """Who scores the survivors of a recall one by one. docs/rerank.md says what each backend sends where."""

    model_config = _SECTION
    backend: Literal["late-interaction", "cross-encoder", "cohere", "none"] = Field(
        default="late-interaction", description="Who scores; only `cohere` sends anything."
    )
    model: str = Field(default="", description="The model, or a local folder of one; empty: the backend's default.")
    base_url: str = Field(default="https://api.cohere.com", description="Where `cohere` is asked.")
    api_key: SecretStr = Field(
        default=SecretStr(""), description="Its key; better PELLUCID_RERANK__API_KEY than a file."
    )
    timeout_s: float = Field(default=1.5, gt=0, le=60, description="Seconds after which a recall answers without it.")


class CaptureSettings(BaseModel):
    """What is left out of capture before anything is stored."""

    model_config = _SECTION
    exclude_paths: tuple[str, ...] = Field(default=(), description="Glob patterns of transcript files never read.")
    off_the_record: str = Field(
        default="[off the record]", description="A turn holding this marker is dropped, and all up to the closing one."
    )
    on_the_record: str = Field(default="[on the record]", description="Ends an off-the-record stretch.")
    max_turn_chars: int = Field(
        default=20_000,
        ge=100,
        description="A longer tool's output, and a message ten times as long, is cut; it says so.",
    )


class HistorySettings(BaseModel):
    """How long what was recalled can be explained in full, and is on record at all."""

    model_config = _SECTION
    receipt_days: Positive = Field(
        default=30, description="Receipts older than this keep their results only, unless pinned."
    )
    cited_days: Positive = Field(
        default=90, description="The same of recalls of which an agent was seen to use a memory."
    )
    receipts: Positive = Field(default=50_000, description="Receipts kept in full at most, the newest.")
    receipt_mb: Positive = Field(default=512, description="Megabytes of receipts kept in full at most, of the newest.")
    event_days: Positive = Field(
        default=400, description="Events of recalls, and citations, older than this go; the sums of their days stay."
    )
    events: Positive = Field(default=1_000_000, description="Events of recalls kept at most, the newest.")


class TelemetrySettings(BaseModel):
    """What a collector of OpenTelemetry is told, by itself nothing; what the panels of `stats` reckon with."""

    model_config = _SECTION
    otel: bool = Field(
        default=False, description="Send spans; only then do the `OTEL_*` variables of the environment count."
    )
    endpoint: str = Field(
        default="",
        description="Where spans are sent, such as http://127.0.0.1:4318/v1/traces; empty: where `OTEL_*` says.",
    )
    content: bool = Field(default=False, description="Spans hold the words of questions and memories, too.")
    rework_tokens: Count = Field(
        default=2_000, description="Tokens that work costs which is done again because nobody remembered it."
    )
    never_cited_from: Positive = Field(
        default=5, description="Times a memory is served, and never worked with, before `never-cited` names it."
    )


class StoreSettings(BaseModel):
    """What a process keeps in memory of the store."""

    model_config = _SECTION
    warm_mb: Count = Field(
        default=1024,
        description="Megabytes of namespaces kept warm; beyond, the least recently asked goes, never one in use.",
    )


class ServerSettings(BaseModel):
    """What a server takes on: how large, how long, how many at once."""

    model_config = _SECTION
    time_limit_s: float = Field(
        default=30.0, gt=0, le=3600, description="Seconds that a question may take; twenty times that, what writes."
    )
    body_mb: int = Field(default=4, ge=1, le=1024, description="Megabytes of a request's body.")
    import_mb: int = Field(default=512, ge=1, le=65_536, description="Megabytes of a transcript that is sent.")
    calls: int = Field(
        default=8, ge=1, le=256, description="Calls that run at once, of those that ask and of those that write."
    )
    waiting: int = Field(default=256, ge=1, le=10_000, description="Calls under way or waiting, before one is refused.")


class ObserveSettings(BaseModel):
    """When a live session's turns are flushed, who extracts and judges, and what is kept of the trace."""

    model_config = _SECTION
    extractor: Literal["heuristic", "llm", "command"] = Field(
        default="heuristic", description="Who extracts from a segment: rules, the endpoint of `llm`, or its command."
    )
    judge: Literal["heuristic", "llm", "command"] = Field(
        default="heuristic", description="Who tells durable from passing."
    )
    flush_turns: int = Field(default=40, ge=1, le=1000, description="Turns after which a segment is flushed.")
    flush_minutes: PositiveFloat = Field(
        default=30.0, description="Minutes of silence after which the turns before it are flushed."
    )
    topic_shift: float = Field(
        default=0.65, ge=0, le=2, description="Distance of the newest turns to the segment that flushes it; 0 is off."
    )
    high_signal: bool = Field(default=True, description="Flush at once when a turn says something to be kept.")
    trace_retention: Literal["discard", "episode"] = Field(
        default="discard", description="What becomes of the turns of a flushed segment: gone, or kept in its episode."
    )


class LlmSettings(BaseModel):
    """The endpoint, or the command, of the optional extractor and judge; neither is asked unless one of them is on."""

    model_config = _SECTION
    base_url: str = Field(default="", description="The endpoint, such as http://127.0.0.1:8080/v1.")
    model: str = Field(default="", description="The model asked.")
    api_key: SecretStr = Field(default=SecretStr(""), description="The key; better PELLUCID_LLM__API_KEY than a file.")
    api: Literal["responses", "chat"] = Field(default="chat", description="Responses API or chat completions.")
    timeout_s: float = Field(default=30.0, gt=0, le=600, description="Seconds an attempt may take.")
    retries: int = Field(default=2, ge=0, le=10, description="Attempts after the first, where one may help.")
    max_input_chars: int = Field(default=24_000, ge=1000, description="Characters of a segment sent at most, per call.")
    max_output_tokens: int = Field(default=2_000, ge=64, description="Tokens an answer may have.")
    max_facts: int = Field(default=24, ge=1, le=200, description="Facts taken from one answer.")
    input_cost: float = Field(default=0.0, ge=0, description="Price of a million input tokens, for the cost records.")
    output_cost: float = Field(default=0.0, ge=0, description="Price of a million output tokens.")
    max_cost: float = Field(default=0.0, ge=0, description="Cost of a run that ends its calls; 0: no cap.")
    command: str | tuple[str, ...] = Field(
        default=(),
        description='A program that reads a prompt and prints JSON: `["claude", "-p"]`; run without a shell.',
    )
    command_environment: tuple[str, ...] = Field(default=(), description="Further variables the command is given.")
    command_timeout_s: float = Field(default=180.0, gt=0, le=3600, description="Seconds the command may take.")
    command_calls: Count = Field(default=200, description="Times one run may start the command; 0: no cap.")


class LifecycleSettings(BaseModel):
    """How memories age. docs/lifecycle.md has the formulas."""

    model_config = _SECTION
    demote_at: Fraction = Field(default=0.35, description="Tier value at which a hot memory goes cold.")
    promote_at: Fraction = Field(default=0.55, description="Tier value at or above which a cold one is hot again.")
    demote_after_days: float = Field(default=14.0, ge=0, description="Age before which nothing goes cold.")
    stale_after_days: PositiveFloat = Field(
        default=180.0, description="Days without verification after which a hit is offered for one."
    )
    fold_every_days: PositiveFloat = Field(default=1.0, description="Days after which a lifecycle pass is due.")
    consolidate_every_days: PositiveFloat = Field(default=7.0, description="Days after which a consolidation is due.")
    report_every_days: PositiveFloat = Field(default=7.0, description="Days one compounding report covers.")


class GraphSettings(BaseModel):
    """What counts as the name of a document in a text. docs/graph.md has the rules."""

    model_config = _SECTION
    series: tuple[str, ...] = Field(
        default=("SPEC", "ADR", "RFC"), description="Series whose numbers name documents: `SPEC-054`, `ADR #18`."
    )
    patterns: tuple[str, ...] = Field(
        default=(), description="Regular expressions of further names, each whole match a name: `TICKET-\\d+`."
    )


class TrustSettings(BaseModel):
    """Where memories from untrusted sources begin, and how they rise. docs/trust.md has the rules."""

    model_config = _SECTION
    enabled: bool = Field(
        default=True, description="Quarantine, injection checks and corroboration; off only to measure what they do."
    )


class ProjectSettings(BaseModel):
    """What a recall asks beside the project of its folder. docs/projects.md says which project that is."""

    model_config = _SECTION
    also_ask: tuple[Annotated[str, Field(pattern=NAMESPACE_PATTERN)], ...] = Field(
        default=(), description="Namespaces that a recall asks, too, where nobody named one: `local/persona`."
    )


class HookSettings(BaseModel):
    """What is done of itself when an agent's program tells of its sessions. docs/hooks.md says what it tells."""

    model_config = _SECTION
    enabled: bool = Field(default=True, description="Whether such programs are listened to at all.")
    capture: bool = Field(default=True, description="Whether their transcripts are read.")
    keep_turns: bool = Field(
        default=True, description="Keep what is said in them word for word behind the memories, as an import does."
    )
    brief_tokens: int = Field(
        default=1500, ge=0, le=4000, description="Tokens of the brief that a session begins with; 0: none."
    )
    items: int = Field(default=3, ge=0, le=20, description="Memories put before a prompt at most; 0: none.")
    characters: int = Field(default=4000, ge=200, le=9000, description="Characters of them at most.")
    abstain_at: Fraction = Field(
        default=0.5, description="Doubt from which nothing is put before a prompt, as nobody asked."
    )
    near: float = Field(default=0.5, ge=-1, le=1, description="Cosine below which a memory is not put before a prompt.")
    ask_agent: bool = Field(
        default=True, description="Ask the agent, once a session, what it would want to know next month."
    )
    ask_after: Positive = Field(default=8, description="Prompts of a session before it is asked.")
    idle_minutes: int = Field(
        default=30, ge=1, le=1440, description="Minutes without an event after which a server they started ends."
    )
    transcripts: tuple[str, ...] = Field(
        default=(), description="Further folders whose transcripts may be read, beside the programs' own."
    )
