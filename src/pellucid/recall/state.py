"""A request in, what each stage of its recall left behind out: the values that travel from stage to stage."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from pellucid.encoders.port import Embedder, QueryEncoding
from pellucid.recall.equation import Floats, Ints, Mask, Pairs
from pellucid.settings import RecallSettings
from pellucid.store.index_port import Admission, Columns, Corpus, Features, IndexReader, Rows, Served

Health = Literal["ok", "empty", "degraded", "off"]


@dataclass(frozen=True, slots=True)
class Request:
    """One question, with everything that may differ from call to call.

    `without` names legs and stages to leave out (an ablation); `at` is the instant asked about.
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


@dataclass(frozen=True, slots=True)
class LegReport:
    """How a leg did: its health and why, and how many rows each arm brought."""

    name: str
    health: Health
    reason: str = ""
    admitted: int = 0
    open: int = 0


@dataclass(frozen=True, slots=True)
class StageReport:
    """How a stage did: its wall time, and why it was skipped or failed, if it was."""

    name: str
    millis: float
    note: str = ""


@dataclass(frozen=True, slots=True)
class Rung:
    """One filter of the ladder: how many candidates came, how many passed, how many of those only softly."""

    name: str
    considered: int
    admitted: int
    soft_admitted: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """What the query says: its words (in query order), and its encoding if there is one."""

    text: str
    stems: tuple[str, ...] = ()
    """Distinct stems in query order; a match is an index into these."""
    words: tuple[str, ...] = ()
    """Each stem as the query first spelled it."""
    frequencies: tuple[int, ...] = ()
    telling: tuple[int, ...] = ()
    """Indices of the stems that say what is sought: all but function words, whether any memory holds them or not."""
    searched: tuple[int, ...] = ()
    """Indices of the stems the lexical leg asks for; the others are too common to be worth their cost."""
    encoding: QueryEncoding | None = None
    token_stem: tuple[int, ...] = ()
    """For each query token of the encoding, the stem it stands in, or -1."""
    encoder_problem: str = ""


@dataclass(frozen=True, slots=True)
class Pool:
    """The candidates, sorted by id, as aligned columns. Everything an explanation needs is one of these columns."""

    rows: Rows
    ids: NDArray[np.bytes_]
    created: Ints
    session: Ints
    ordinal: Ints
    active: Mask
    valid: Mask
    trusted: Mask
    boundary: NDArray[np.uint8]
    importance: NDArray[np.float32]
    pinned: Mask
    ranks: Mapping[str, Ints]
    open_ranks: Mapping[str, Ints]
    scores: Mapping[str, NDArray[np.float32]]
    """Raw scores by leg; NaN where the leg did not see the candidate."""
    cosine: NDArray[np.float32]
    matched: NDArray[np.uint64]
    """Which of the query's first 64 stems the memory holds, as bits."""
    rerank_score: NDArray[np.float32]
    """NaN where it was not scored."""
    rejected: NDArray[np.uint8]
    """1 + the index (in `RUNGS`) of the first rung that turned the candidate away; 0 for none."""
    terms: Mapping[str, Floats] = field(default_factory=dict[str, Floats])
    pairs: Pairs = field(default_factory=Pairs)
    penalty: Floats = field(default_factory=lambda: np.zeros(0))
    final: Floats = field(default_factory=lambda: np.zeros(0))

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def nominated(self) -> Mask:
        """Brought by the admitted arm of some leg."""
        out = np.zeros(len(self), dtype=np.bool_)
        for ranks in self.ranks.values():
            out |= ranks > 0
        return out


def blank(rows: Rows, columns: Columns) -> Pool:
    """A pool of these rows, sorted by id, that nothing is known of but its columns."""
    by_id = np.argsort(columns.ids, kind="stable")
    count = len(rows)
    return Pool(
        rows=rows[by_id], ids=columns.ids[by_id], created=columns.created[by_id], session=columns.session[by_id],
        ordinal=columns.ordinal[by_id], active=columns.active[by_id], valid=columns.valid[by_id],
        trusted=columns.trusted[by_id], boundary=columns.boundary[by_id], importance=columns.importance[by_id],
        pinned=columns.pinned[by_id], ranks={}, open_ranks={}, scores={},
        cosine=np.zeros(count, dtype=np.float32), matched=np.zeros(count, dtype=np.uint64),
        rerank_score=np.full(count, np.nan, dtype=np.float32), rejected=np.zeros(count, dtype=np.uint8),
        penalty=np.zeros(count), final=np.zeros(count),
    )  # fmt: skip


_NO_ROWS: Rows = np.zeros(0, dtype=np.int64)
_NO_FLAGS: Mask = np.zeros(0, dtype=np.bool_)
_NO_COLUMNS = Columns(
    ids=np.zeros(0, dtype="S16"), active=_NO_FLAGS, valid=_NO_FLAGS, trusted=_NO_FLAGS, pinned=_NO_FLAGS,
    boundary=np.zeros(0, dtype=np.uint8), created=_NO_ROWS, session=_NO_ROWS, ordinal=_NO_ROWS,
    importance=np.zeros(0, dtype=np.float32),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Omission:
    """A ranked memory that did not fit the context, and why."""

    memory_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class Context:
    """The assembled text (absent in a receipt), its length in characters, and what is in it."""

    text: str = ""
    length: int = 0
    included: tuple[str, ...] = ()
    omitted: tuple[Omission, ...] = ()


@dataclass(frozen=True, slots=True)
class State:
    """Everything a recall knows so far. Stages take one and return the next."""

    request: Request
    plan: Plan = Plan("")
    admission: Admission = Admission(0)  # noqa: RUF009 - frozen
    corpus: Corpus = Corpus(0, 0, 0, 0)  # noqa: RUF009 - frozen
    legs: tuple[LegReport, ...] = ()
    pool: Pool = field(default_factory=lambda: blank(_NO_ROWS, _NO_COLUMNS))
    features: Features | None = None
    """What `measure` read of the pool, aligned with it; dropped when the ranking is done."""
    rungs: tuple[Rung, ...] = ()
    order: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """Pool positions of what passed every filter, best first; `topK` and the budget only cut it."""
    served: tuple[Served, ...] = ()
    """The first topK of `order`, in full."""
    context: Context = Context()
    stages: tuple[StageReport, ...] = ()


@dataclass(frozen=True, slots=True)
class World:
    """What stages may ask: one snapshot of the namespace, and the encoder (or why there is none)."""

    reader: IndexReader
    embedder: Embedder | None
    encoder_problem: str = ""


class Stage(Protocol):
    """A step of a recall: pure, silent, named; the runner times and records it."""

    __name__: str

    def __call__(self, state: State, world: World) -> State: ...
