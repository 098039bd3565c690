"""A session that pauses or ends in, its waiting turns flushed and a report of its recalls out."""

from collections import Counter
from collections.abc import Iterable

from pydantic import Field

from pellucid.app import App
from pellucid.model.turn import Insistent
from pellucid.model.wire import Wire
from pellucid.operations.browsing import MemoryCitation, citation_view
from pellucid.operations.operation import Agent, Operation, Session, Surfaces, Text, in_home
from pellucid.operations.safe_input import SafeInput
from pellucid.operations.session.flushing import Flushed
from pellucid.operations.session.observing import ObserveInput, observe_turns
from pellucid.operations.using import occasion_of, occasion_start_ms
from pellucid.store.history.citations_port import CitationRow, CitationSource


class ClosingInput(SafeInput):
    """The session to close; without `session_id`, today's turns and recalls outside of sessions."""

    namespace: str
    by_folder: bool = False
    session_id: Session = None
    agent: Agent = None


class ClosingOutput(Wire):
    """The segments of a session that were flushed just now, and counts of its recalls and of the citations in them."""

    namespace: str
    session_id: str | None = None
    flushes: tuple[Flushed, ...] = ()
    recalls: int = 0
    served: int = 0
    """The number of memories that those recalls served, each counted once."""
    counts: dict[str, int] = Field(default_factory=dict)
    """Maps kinds to the number of citations that somebody reported."""
    automatic: dict[str, int] = Field(default_factory=dict)
    """Maps kinds to the number of citations that were observed."""
    citations: tuple[MemoryCitation, ...] = ()
    uncited: tuple[str, ...] = ()
    """The ids of memories that were served and not cited, in the order in which they were first served."""
    problem: str | None = None
    """Why turns still wait; None if none do."""


def checkpoint(app: App, request: ClosingInput) -> ClosingOutput:
    """Make memories of the turns of a session that wait (with the signal `before_reset`), and report its recalls and
    what became of the memories that they served; without a session id, of today's turns and recalls outside of
    sessions. StoreError if something cannot be read or written, DeadlineError if the time of the call is over."""
    return _close_session(app, request, "before_reset")


def wrap(app: App, request: ClosingInput) -> ClosingOutput:
    """Make memories of the turns of a session that wait (with the signal `session_end`), and report its recalls and
    what became of the memories that they served; without a session id, of today's turns and recalls outside of
    sessions. StoreError if something cannot be read or written, DeadlineError if the time of the call is over."""
    return _close_session(app, request, "session_end")


def _close_session(app: App, request: ClosingInput, signal: Insistent) -> ClosingOutput:
    """Flush all waiting turns of a session and its sub-agents (make memories of them), and report the session's recalls
    and the citations made in it. Without a session id, flush the waiting turns that came without a session, and report
    today's (UTC) recalls and citations outside of sessions. `signal` is the reason for the flush. If the extractor
    fails, turns still wait, and `problem` of the output says why. StoreError if something cannot be read or written;
    DeadlineError if the time of the call is over (what was not flushed waits)."""
    now = app.clock.now()
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
    """Return a map from kinds to the number of citations with this source (`explicit` or `automatic`), the most
    frequent kind first."""
    return dict(Counter(row.kind for row in rows if row.source == source).most_common())


CHECKPOINT = Operation(
    "session.checkpoint",
    """Keep what a session said so far, and sum up its recalls.

What became of the memories that it was served, and which of them nobody cited yet.
""",
    ClosingInput,
    ClosingOutput,
    in_home(checkpoint),
    "append",
    Surfaces("checkpoint", http=("POST /v1/checkpoint",), mcp="memory_observe:checkpoint"),
    text=Text("closing.closing_text", excerpts=True),
)
WRAP = Operation(
    "session.wrap",
    "End a session: keep what it said, and sum up its recalls. The same as a checkpoint, for the last time.",
    ClosingInput,
    ClosingOutput,
    in_home(wrap),
    "append",
    Surfaces("wrap", http=("POST /v1/wrap",), mcp="memory_observe:wrap"),
    text=Text("closing.closing_text", excerpts=True),
)
