"""A memory in, the recalls that served it out, newest first, each with what became of it there."""

from collections import Counter
from collections.abc import Sequence

from pydantic import Field

from pellucid.app import App
from pellucid.clock import epoch_ms
from pellucid.model.memory import recorded_at
from pellucid.model.wire import Wire
from pellucid.operations.browsing import MemoryCitation, citation_view, find_memory
from pellucid.operations.operation import Limit, MemoryId, Operation, Surfaces
from pellucid.operations.paging import After, decode_cursor, encode_cursor
from pellucid.operations.recall.kept.snapshots import ListedRecall, recall_row_at, recall_view
from pellucid.store.history.citations_port import CitationRow
from pellucid.store.history.receipts_port import RecallRow


class ServingInput(Wire):
    """Which memory, and how many of the recalls that served it."""

    namespace: str
    memory_id: MemoryId
    limit: Limit = Field(default=20, ge=1, le=10_000)
    after: After = None


class ServedIn(Wire):
    """A recall that served a memory: its rank there, and what came of it."""

    recall: ListedRecall
    place: int
    """From 1."""
    citations: tuple[MemoryCitation, ...] = ()


class ServingOutput(Wire):
    """The newest recalls that served a memory, how many there are in all, and what came of them."""

    memory_id: str
    recalls: tuple[ServedIn, ...]
    total: int
    came_of_it: dict[str, int] = Field(default_factory=dict)
    """How often each kind of citation was made of it, over all recalls."""
    next: str | None = None
    """Where the page ends, if there is more behind it: the `after` of the next."""


def recalls_serving(app: App, request: ServingInput) -> ServingOutput:
    """List the recalls that served a memory, newest first, a page of `limit`, with what came of it there; errors as of
    `find_memory`."""
    namespace, memory = request.namespace, find_memory(app, request.namespace, request.memory_id).memory
    since = epoch_ms(recorded_at(memory.id, memory.created))
    begun = recall_row_at(decode_cursor(app, request))
    rows = app.receipts.serving(namespace, memory.id, since=since, after=begun, limit=request.limit + 1)
    shown, cited = rows[: request.limit], app.citations.of(namespace, memory.id)
    last = shown[-1][0] if len(rows) > len(shown) else None
    return ServingOutput(
        memory_id=memory.id,
        recalls=tuple(_serving_view(row, place, cited) for row, place in shown),
        total=app.receipts.times_served(namespace, memory.id, since),
        came_of_it=dict(Counter(each.kind for each in cited)),
        next=encode_cursor(app, request, (last.at, last.recall_id)) if last else None,
    )


def _serving_view(row: RecallRow, place: int, cited: Sequence[CitationRow]) -> ServedIn:
    """Show a recall and the citations (of `cited`) that the memory got in it."""
    here = tuple(citation_view(each) for each in cited if each.recall_id == row.recall_id)
    return ServedIn(recall=recall_view(row), place=place, citations=here)


SERVING = Operation(
    "memory.recalls",
    "List the recalls that served a memory, newest first. Of each: the question, and what came of it.",
    ServingInput,
    ServingOutput,
    lambda call, asked: recalls_serving(call.app, asked),
    "read",
    Surfaces("recalls", http=("GET /v1/memories/{memory_id}/recalls",)),
)
