"""A memory in, the recalls that served it out, newest first, each with the memory's citations there."""

from collections import Counter
from collections.abc import Sequence

from pydantic import Field

from pellucid.app import App
from pellucid.clock import epoch_ms
from pellucid.model.memory import recorded_at
from pellucid.model.wire import Wire
from pellucid.operations.browsing import MemoryCitation, citation_view, find_memory
from pellucid.operations.operation import Limit, MemoryId, Operation, Surfaces, Text, in_home
from pellucid.operations.paging import After, decode_cursor, encode_cursor
from pellucid.operations.recall.kept.snapshots import ListedRecall, recall_row_at, recall_view
from pellucid.store.history.citations_port import CitationRow
from pellucid.store.history.receipts_port import RecallRow


class ServingInput(Wire):
    """A memory, and the page of the recalls that served it."""

    namespace: str
    memory_id: MemoryId
    limit: Limit = Field(default=20, ge=1, le=10_000)
    after: After = None


class ServedIn(Wire):
    """A recall that served a memory, with the memory's rank and citations there."""

    recall: ListedRecall
    place: int
    """The memory's rank, from 1."""
    citations: tuple[MemoryCitation, ...] = ()


class ServingOutput(Wire):
    """A page of the recalls that served a memory, newest first, the number of all, and counts of its citations."""

    memory_id: str
    recalls: tuple[ServedIn, ...]
    total: int
    came_of_it: dict[str, int] = Field(default_factory=dict)
    """Maps kinds of citations to how often the memory got them, over all recalls."""
    next: str | None = None
    """The `after` of the next page; None if this is the last page."""


def recalls_serving(app: App, request: ServingInput) -> ServingOutput:
    """List the recalls that served a memory since it was recorded, newest first, a page of `limit`, each with the
    memory's rank and citations there. NotFoundError if no memory fits the id; InputError if several do, and for a
    cursor of another list."""
    namespace, memory = request.namespace, find_memory(app, request.namespace, request.memory_id).memory
    since = epoch_ms(recorded_at(memory.id, memory.created))
    after = recall_row_at(decode_cursor(app, request))
    rows = app.receipts.serving(namespace, memory.id, since=since, after=after, limit=request.limit + 1)
    shown, citations = rows[: request.limit], app.citations.of(namespace, memory.id)
    last = shown[-1][0] if len(rows) > len(shown) else None
    return ServingOutput(
        memory_id=memory.id,
        recalls=tuple(_serving_view(row, place, citations) for row, place in shown),
        total=app.receipts.times_served(namespace, memory.id, since),
        came_of_it=dict(Counter(each.kind for each in citations)),
        next=encode_cursor(app, request, (last.at, last.recall_id)) if last else None,
    )


def _serving_view(row: RecallRow, place: int, citations: Sequence[CitationRow]) -> ServedIn:
    """Show a recall in which a memory had the rank `place`, with those of the memory's citations that it got in this
    recall."""
    in_recall = tuple(citation_view(each) for each in citations if each.recall_id == row.recall_id)
    return ServedIn(recall=recall_view(row), place=place, citations=in_recall)


SERVING = Operation(
    "memory.recalls",
    "List the recalls that served a memory, newest first. Of each: the question, and what came of it.",
    ServingInput,
    ServingOutput,
    in_home(recalls_serving),
    "read",
    Surfaces("recalls", http=("GET /v1/memories/{memory_id}/recalls",)),
    text=Text("recall.snapshot.serving_text", excerpts=True),
)
