"""A session that pauses or ends in, its waiting turns kept and what became of the memories it was served out."""

from collections import Counter
from collections.abc import Iterable

from pydantic import Field

from pellucid.model.turn import Insistent
from pellucid.model.wire import Wire
from pellucid.operations.browsing import MemoryCitation, citation_view
from pellucid.operations.operation import Agent, Call, Operation, Session, Surfaces
from pellucid.operations.safe_input import SafeInput
from pellucid.operations.session.flushing import Flushed
from pellucid.operations.session.observing import ObserveInput, observe_turns
from pellucid.operations.using import occasion_of, occasion_start_ms
from pellucid.store.history.citations_port import CitationRow, CitationSource


class ClosingInput(SafeInput):
    """Which session; without one, what was said and asked today in none."""

    namespace: str
    by_folder: bool = False
    session_id: Session = None
    agent: Agent = None


class ClosingOutput(Wire):
    """What was kept of a session just now, and its recalls: how many, what became of what they served."""

    namespace: str
    session_id: str | None = None
    flushes: tuple[Flushed, ...] = ()
    recalls: int = 0
    served: int = 0
    """Memories that those recalls served, each once."""
    counts: dict[str, int] = Field(default_factory=dict)
    """The citations that somebody made, by kind."""
    automatic: dict[str, int] = Field(default_factory=dict)
    """Those that were made of what was seen, by kind."""
    citations: tuple[MemoryCitation, ...] = ()
    uncited: tuple[str, ...] = ()
    """Memories that were served and of which nothing was said, as they were served first."""
    problem: str | None = None
    """Why turns still wait, if they do."""


def close_session(call: Call, request: ClosingInput, signal: Insistent) -> ClosingOutput:
    """Flush all waiting turns of a session, and report what became of the memories that its recalls served; without a
    session's name, those of today outside of sessions.

    Raises:
        StoreError: something cannot be read or written.
    """
    app, now = call.app, call.now()
    observed = observe_turns(app, ObserveInput(**request.model_dump(), flush=signal))
    recalls = app.citations.served(request.namespace, request.session_id, occasion_start_ms(request.session_id, now))
    rows = app.citations.on(request.namespace, occasion_of(request.session_id, now))
    served = dict.fromkeys(memory_id for each in reversed(recalls) for memory_id in each.memory_ids)
    cited = {row.memory_id for row in rows}
    return ClosingOutput(
        namespace=request.namespace,
        session_id=request.session_id,
        flushes=observed.flushes,
        recalls=len(recalls),
        served=len(served),
        counts=_counts(rows, "explicit"),
        automatic=_counts(rows, "automatic"),
        citations=tuple(map(citation_view, rows)),
        uncited=tuple(memory_id for memory_id in served if memory_id not in cited),
        problem=observed.extractor_problem,
    )


def _counts(rows: Iterable[CitationRow], source: CitationSource) -> dict[str, int]:
    """Return how many citations of a source (`explicit` or `automatic`) there are of each kind, the most frequent
    first."""
    return dict(Counter(row.kind for row in rows if row.source == source).most_common())


CHECKPOINT = Operation(
    "session.checkpoint",
    """Keep what a session said so far, and sum up its recalls.

What became of the memories that it was served, and which of them nobody cited yet.
""",
    ClosingInput,
    ClosingOutput,
    lambda call, asked: close_session(call, asked, "before_reset"),
    "append",
    Surfaces("checkpoint", http=("POST /v1/checkpoint",), mcp="memory_observe:checkpoint"),
)
WRAP = Operation(
    "session.wrap",
    "End a session: keep what it said, and sum up its recalls. The same as a checkpoint, for the last time.",
    ClosingInput,
    ClosingOutput,
    lambda call, asked: close_session(call, asked, "session_end"),
    "append",
    Surfaces("wrap", http=("POST /v1/wrap",), mcp="memory_observe:wrap"),
)
