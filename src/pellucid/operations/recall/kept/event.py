"""A recall in, its event out: its outcome, the citations of the memories that it gave, and its failure."""

from pydantic import Field

from pellucid.app import App
from pellucid.errors import PellucidError, step
from pellucid.model.wire import Wire
from pellucid.operations.browsing import MemoryCitation, citation_view
from pellucid.operations.operation import Operation, RecallId, Surfaces, Text, in_home
from pellucid.operations.recall.kept.snapshots import ListedRecall, recall_view
from pellucid.operations.recall.results import find_recall
from pellucid.operations.recall.wording import headlines_of
from pellucid.operations.using import served_ids
from pellucid.store.history.telemetry_port import RecallFailure


class EventInput(Wire):
    """A recall, by its id or as `last`."""

    namespace: str
    recall_id: RecallId


class GivenMemory(Wire):
    """A memory that a recall gave, and its citations in that recall."""

    memory_id: str
    place: int
    """Its rank, from 1."""
    citations: tuple[MemoryCitation, ...] = ()


class FailedRecall(Wire):
    """The error of a recall that gave no answer, and what to do now."""

    code: str
    text: str
    """A description of the error's class."""
    place: str
    """The place in Pellucid where it was raised."""
    next_step: str


class EventOutput(Wire):
    """How a recall went. Numbers are None if its event is not stored (any more)."""

    recall: ListedRecall
    depth: str | None = None
    found: int | None = None
    """The number of memories that were ranked."""
    payload_tokens: int | None = None
    """The tokens of the context, estimated."""
    millis: float | None = None
    memories: tuple[GivenMemory, ...] = ()
    """The memories that it gave, in order of rank."""
    citations: tuple[MemoryCitation, ...] = ()
    """The citations of the recall as a whole."""
    failure: FailedRecall | None = None
    words: dict[str, str] = Field(default_factory=dict)
    """Maps the ids of the memories that it gave to their first words, if the caller is allowed to read them."""


def event(app: App, request: EventInput) -> EventOutput:
    """Show how a recall went, as far as that is on record, and the citations of the memories that it served.
    NotFoundError if there is no such recall."""
    namespace, row = request.namespace, find_recall(app, request.namespace, request.recall_id)
    recall_id = row.recall_id
    stored = app.telemetry.event(recall_id, namespace)
    citations = [citation_view(each) for each in app.citations.of_recall(namespace, recall_id)]
    memory_ids = list(served_ids(app, namespace, recall_id)) if row.served_count else []
    return EventOutput(
        recall=recall_view(row),
        depth=stored.depth if stored else None,
        found=stored.found if stored else None,
        payload_tokens=stored.payload_tokens if stored else None,
        millis=stored.millis if stored else None,
        memories=tuple(
            GivenMemory(memory_id=each, place=place, citations=tuple(one for one in citations if one.memory_id == each))
            for place, each in enumerate(memory_ids, start=1)
        ),
        citations=tuple(each for each in citations if each.memory_id == recall_id),
        failure=_failure_view(stored.failure) if stored and stored.outcome == "failed" else None,
        words=headlines_of(app, namespace, (), memory_ids),
    )


def _failure_view(failure: RecallFailure | None) -> FailedRecall:
    """Describe a recall's failure; its text is the first paragraph of the docstring of the error class with that code.
    None, as of older recalls that have no record of their failure, becomes a failure with the code `unknown`."""
    next_step = f"ask it again; {step('home.doctor')} says whether something is not well"
    if failure is None:
        return FailedRecall(code="unknown", text="What went wrong is not on record.", place="", next_step=next_step)
    kinds = [PellucidError]
    for each in kinds:
        kinds.extend(each.__subclasses__())  # the loop goes on with these
    kind = next((each for each in kinds if each.code == failure.code), PellucidError)
    text = " ".join((kind.__doc__ or failure.code).split("\n\n")[0].split())
    return FailedRecall(code=failure.code, text=text, place=failure.place, next_step=next_step)


EVENT = Operation(
    "recall.event",
    "Show how a recall went, and what came of it.\n\n"
    "What it came to, which of its memories were cited, by whom and by what sign; "
    "of one that failed, what went wrong.\n",
    EventInput,
    EventOutput,
    in_home(event),
    "read",
    Surfaces("snapshots show", http=("GET /v1/snapshots/{recall_id}/event",)),
    text=Text("recall.snapshot.event_text", excerpts=True),
)
