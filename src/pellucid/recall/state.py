"""A request in, what each stage of its recall adds out: the values that travel from stage to stage."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from pellucid.deadline import Deadline
from pellucid.encoders.chat.model import ChatModel
from pellucid.encoders.port import Embedder, QueryEncoding, Vector
from pellucid.encoders.rerank.reranker import Reranker
from pellucid.model.memory import boundary_bits
from pellucid.model.snapshot import CutTrace, EpisodeTrace, FilterTrace, LegHealth, PassTrace, StageTrace
from pellucid.recall.query.edges import AskedEdges
from pellucid.recall.score.equation import Floats, Ints, Mask, Pairs
from pellucid.settings.sections import RecallSettings, RerankSettings
from pellucid.store.index_port import Admission, Columns, Corpus, Features, Filters, IndexReader, Rows, Served


@dataclass(frozen=True, slots=True)
class Request:
    """One question, with everything that can differ from call to call.

    `without` names legs, stages and terms to leave out (an ablation); `at` is when the question was asked.
    """

    query: str
    namespace: str
    recall_id: str
    at: datetime
    settings: RecallSettings
    session_id: str | None = None
    agent: str | None = None
    scopes: tuple[str, ...] = ()
    without: frozenset[str] = frozenset()
    filters: Filters = Filters()  # noqa: RUF009 - frozen
    review: tuple[str, ...] = ()
    """Paths of the files under review: memories that mention them are nominated."""
    chosen: frozenset[str] = frozenset()
    """Settings that the caller chose for this call: a gate does not narrow them."""
    as_of: datetime | None = None
    """The past instant asked about; None for now."""
    as_known_at: datetime | None = None
    """Only what was written down by then counts; None for everything."""

    @property
    def instant(self) -> datetime:
        """Return the instant asked about: a past instant, or when the question was asked."""
        return self.as_of or self.at

    @property
    def granted(self) -> int:
        """Return the boundary scopes (such as `private`) that the caller has as bits, in the order of
        `BOUNDARY_SCOPES`."""
        return boundary_bits(self.scopes)


@dataclass(frozen=True, slots=True)
class Period:
    """A stretch of time that the query names: half-open, epoch milliseconds; None at an open end.

    `asserts`: the query dates what was said, so that nothing said at another time can answer it.
    """

    since: int | None
    until: int | None
    phrase: str
    asserts: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """What the query says: its words (in query order), what it is after, and its encoding if there is one."""

    text: str
    stems: tuple[str, ...] = ()
    """Distinct stems in query order; a match is an index into these."""
    words: tuple[str, ...] = ()
    """Each stem as the query first spelled it."""
    frequencies: tuple[int, ...] = ()
    """For each stem, how many memories contain it."""
    telling: tuple[int, ...] = ()
    """Indices of the stems that say what is sought: all but function words, whether or not a memory contains them."""
    searched: tuple[int, ...] = ()
    """Indices of the stems that the lexical leg asks for; the others are too common to be worth their cost."""
    people: frozenset[int] = frozenset()
    """Indices of the stems of people's names: what is by or about them counts as `named`, not by its words."""
    encoding: QueryEncoding | None = None
    vector: Vector | None = None
    """The vector that the vector leg asks with: of the query without the names of people."""
    token_stem: tuple[int, ...] = ()
    """For each query token of the encoding, the index of the stem that it is part of, or -1."""
    encoder_problem: str = ""
    query_class: str = "other"
    depth: str = "full"
    """`no_recall`, `minimal` or `full`."""
    reason: str = ""
    """Why this depth."""
    entities: tuple[str, ...] = ()
    named: Mapping[int, str] = field(default_factory=dict[int, str])
    """Maps the numbers (in `Columns.about`) of the people named in the query to their names."""
    period: Period | None = None
    asked: AskedEdges | None = None
    """The edges that the query asks for; None once the graph leg found that they lead nowhere, so that the stages go on
    as for any question. Who must know all the same what was asked reads it of `text` (`asked_edges`)."""
    answers: int = 0
    """How many of the graph leg's first ranks answer: are reached by these edges or, if none is asked for, are leads of
    documents that alone are asked for, by name. The later ranks are only near."""
    beside: tuple[int, ...] = ()
    """If edges are asked for, indices of the telling stems that ask for a part of what they lead to."""
    only_edges: bool = False
    """Whether only what the asked edges lead to is asked for: not a part of it, nor why things are connected."""
    unknown: tuple[str, ...] = ()
    """Names in the query that the graph leg does not know, or that lack the edges asked for."""
    own: bool = False
    """Whether the query asks for what the asker said."""
    timeless: bool = False
    """Whether the query is about the past, so that being recent counts for nothing."""


Way = tuple[tuple[int, int, bool], ...]
"""Nodes of one snapshot's graph, from a seed on: (node, the edge that led to it, whether in its direction)."""


@dataclass(frozen=True, slots=True)
class GraphPath:
    """How the graph leg reached a memory: the nodes that it went through, and one edge fewer than these.

    Nodes are entity ids (`model.entity.entity_id`): no receipt contains a name.
    """

    nodes: tuple[str, ...]
    types: tuple[str, ...]
    forward: tuple[bool, ...]
    """Whether each edge was followed in its own direction."""
    confidences: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Pool:
    """The candidates, sorted by id, as aligned columns. Everything an explanation needs is one of these columns."""

    rows: Rows
    ids: NDArray[np.bytes_]
    created: Ints
    session: Ints
    ordinal: Ints
    place: Ints
    """The candidate's position among the rows of its session: with session and ordinal, it tells neighbours."""
    active: Mask
    valid: Mask
    trusted: Mask
    boundary: NDArray[np.uint8]
    importance: NDArray[np.float32]
    pinned: Mask
    wanted: Mask
    """Whether it fits the caller's filters."""
    dated: Mask
    """Whether it was made within the period that the query names; true if the query names none."""
    named: Mask
    """Whether it is by or about somebody whom the query names."""
    asks: Mask
    direct: NDArray[np.uint8]
    """Bits of `Columns.direct`."""
    heat: NDArray[np.float32]
    cold: Mask
    reinforcement: Ints
    ranks: Mapping[str, Ints]
    """Maps legs to ranks, from 1, in the admitted search; 0 if the leg did not find the candidate."""
    open_ranks: Mapping[str, Ints]
    """Maps legs to ranks in the open search, among rows that are not allowed to answer."""
    scores: Mapping[str, NDArray[np.float32]]
    """Maps legs to raw scores; NaN if the leg did not find the candidate."""
    cosine: NDArray[np.float32]
    matched: NDArray[np.uint64]
    """Which of the query's first 64 stems the memory contains, as bits."""
    rerank_score: NDArray[np.float32]
    """NaN if it was not scored."""
    passage_score: NDArray[np.float32]
    """The score together with the turns beside it; NaN if it was not scored so."""
    rejected: NDArray[np.uint8]
    """1 + the index (in `RUNGS`) of the first rung that rejected the candidate; 0 if no rung did.

    The ladder writes the numbers of its filters here; `assemble` then adds those of the later rungs, such as `top-k`.
    """
    soft: NDArray[np.uint8]
    """1 + the index of the first rung that the candidate failed but was let through by; 0 if there is none."""
    terms: Mapping[str, Floats] = field(default_factory=dict[str, Floats])
    pairs: Pairs = field(default_factory=Pairs)
    replaced: tuple[tuple[int, int], ...] = ()
    """Pairs of positions: a memory of a superseded document, and a memory of its successor."""
    retold: tuple[tuple[int, int], ...] = ()
    """Pairs of positions: an older and a newer memory about the same rare thing, with much the same answer."""
    newer_than: Mapping[int, int] = field(default_factory=dict[int, int])
    """Maps the position of a memory that `renewal` moves up to that of the older one it now precedes."""
    penalty: Floats = field(default_factory=lambda: np.zeros(0))
    final: Floats = field(default_factory=lambda: np.zeros(0))

    def __len__(self) -> int:
        return len(self.rows)

    def answering(self, plan: Plan) -> Mask:
        """Return a mask of the candidates by which the graph leg answers: those in its first `plan.answers` ranks."""
        ranks = self.ranks.get("graph", np.zeros(len(self), dtype=np.int64))
        return (ranks > 0) & (ranks <= plan.answers)

    @property
    def nominated(self) -> Mask:
        """Return a mask of the candidates that some leg found among the rows allowed to answer."""
        out = np.zeros(len(self), dtype=np.bool_)
        for ranks in self.ranks.values():
            out |= ranks > 0
        return out


def blank_pool(rows: Rows, columns: Columns, named: Collection[int] = ()) -> Pool:
    """Return a pool of these rows, sorted by id, with their index columns, and no leg ranks, terms or verdicts yet.

    `columns` must be aligned with `rows`; `named` are the numbers of the entities that the query names, as in their
    column `about`.
    """
    by_id = np.argsort(columns.ids, kind="stable")
    count = len(rows)
    from_index = {
        name: getattr(columns, name)[by_id] for name in Columns.__slots__ if name not in ("about", "admitted")
    }
    return Pool(
        rows=rows[by_id],
        dated=np.ones(count, dtype=np.bool_),
        named=np.isin(columns.about[by_id], list(named)),
        ranks={},
        open_ranks={},
        scores={},
        cosine=np.zeros(count, dtype=np.float32),
        matched=np.zeros(count, dtype=np.uint64),
        rerank_score=np.full(count, np.nan, dtype=np.float32),
        passage_score=np.full(count, np.nan, dtype=np.float32),
        rejected=np.zeros(count, dtype=np.uint8),
        soft=np.zeros(count, dtype=np.uint8),
        penalty=np.zeros(count),
        final=np.zeros(count),
        **from_index,
    )


def plain_columns(count: int) -> Columns:
    """Return index columns of `count` made-up rows, at most 65,536, with ids in rising order.

    They are active, valid, trusted, wanted and admitted; sessions and `about` are -1, all other values 0 or false.
    """
    numbers, share = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.float32)
    yes, bits = np.ones(count, dtype=np.bool_), np.zeros(count, dtype=np.uint8)
    ids = np.array([bytes([*divmod(number, 256)]).rjust(16, b"\1") for number in range(count)], dtype="S16")
    return Columns(
        ids=ids,
        active=yes,
        valid=yes,
        trusted=yes,
        wanted=yes,
        admitted=yes,
        pinned=~yes,
        asks=~yes,
        cold=~yes,
        boundary=bits,
        direct=bits,
        created=numbers,
        session=numbers - 1,
        ordinal=numbers,
        place=numbers,
        about=numbers - 1,
        reinforcement=numbers,
        importance=share,
        heat=share,
    )


@dataclass(frozen=True, slots=True)
class Omission:
    """A ranked memory that was left out of the context, and why."""

    memory_id: str
    reason: str
    rung: str = "budget-fit"


@dataclass(frozen=True, slots=True)
class Context:
    """The assembled text (absent in a receipt), its length in characters, and what is in it."""

    text: str = ""
    length: int = 0
    included: tuple[str, ...] = ()
    omitted: tuple[Omission, ...] = ()
    cuts: tuple[CutTrace, ...] = ()
    episodes: tuple[EpisodeTrace, ...] = ()
    passes: tuple[PassTrace, ...] = ()
    quotes: tuple[tuple[str, str], ...] = ()
    """Pairs of ids: a candidate whose words are quoted in the line of another memory, and that memory."""


@dataclass(frozen=True, slots=True)
class Tier:
    """The verdict on a direct answer: the memory that is one, if any, or the gate that the last candidate failed."""

    tier: str
    reason: str
    answer: int | None = None
    """The pool position of the direct answer."""
    filtered_by: tuple[str, ...] = ()
    considered: int = 0
    millis: float = 0.0


@dataclass(frozen=True, slots=True)
class Abstention:
    """How much a recall doubts its answer: the score (0 to 1, higher is less sure) and the threshold to abstain."""

    score: float
    threshold: float
    abstained: bool = False
    nearest: tuple[int, ...] = ()
    """Pool positions of the nearest misses, best first."""


@dataclass(frozen=True, slots=True)
class State:
    """Everything a recall knows so far. Stages take one and return the next."""

    request: Request
    plan: Plan = Plan("")
    sub_plans: tuple[Plan, ...] = ()
    """Plans of the sub-questions of further iterations: their legs are `vector@2`, `vector@3`, …"""
    admission: Admission = Admission(0)  # noqa: RUF009 - frozen
    corpus: Corpus = Corpus(0, 0, 0, 0)  # noqa: RUF009 - frozen
    legs: tuple[LegHealth, ...] = ()
    ways: Mapping[str, Way] = field(default_factory=dict[str, Way])
    """Maps ids of memories that the graph leg nominated to how it reached them; dropped after the ranking."""
    paths: Mapping[str, GraphPath] = field(default_factory=dict[str, GraphPath])
    """The same for the memories that are served, in terms that outlive the snapshot."""
    pool: Pool = field(default_factory=lambda: blank_pool(np.zeros(0, dtype=np.int64), plain_columns(0)))
    features: Features | None = None
    """What `measure` read of the pool, aligned with it; dropped after the ranking."""
    rungs: tuple[FilterTrace, ...] = ()
    order: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """Pool positions of what passed every filter, best first; `topK` and the budget only cut it."""
    rerank_backend: str = "late-interaction"
    tier: "Tier | None" = None
    """Which tier answered, if the direct-answer tier looked."""
    abstention: "Abstention | None" = None
    kept: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """Pool positions of what is served: the first topK of `order` that do not repeat a better one."""
    repeats: Mapping[int, int] = field(default_factory=dict[int, int])
    """Maps the positions of repeats ranked above the last served memory to those of the memories they repeat."""
    served: tuple[Served, ...] = ()
    """The memories at `kept` in full; those that `context.included` names are handed out."""
    context: Context = Context()
    stages: tuple[StageTrace, ...] = ()

    def with_terms(self, terms: Mapping[str, Floats]) -> "State":
        """Return the state with these terms added to those of its candidates; one of the same name is replaced."""
        return replace(self, pool=replace(self.pool, terms={**self.pool.terms, **terms}))


@dataclass(frozen=True, slots=True)
class World:
    """What stages can ask: one snapshot of the namespace, the encoder (or why there is none), and optional models."""

    reader: IndexReader
    embedder: Embedder | None
    encoder_problem: str = ""
    rerank: RerankSettings = field(default_factory=RerankSettings)
    reranker: Reranker | None = None
    """None for late interaction, which needs no model."""
    chat: ChatModel | None = None
    """The model that optional passes can ask; None if none is set up."""
    deadline: Deadline = field(default_factory=Deadline)
    """Checked before each stage."""
