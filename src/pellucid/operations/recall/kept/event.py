"""A recall in, how it went out: what it came to, what each memory that it gave was cited for, and what went wrong."""

from typing import ClassVar

from pydantic import Field

from pellucid.app import App
from pellucid.errors import PellucidError
from pellucid.model.wire import Wire
from pellucid.operations.browsing import MemoryCitation, citation_view
from pellucid.operations.operation import Operation, RecallId, Surfaces
from pellucid.operations.recall.kept.snapshots import ListedRecall, recall_view
from pellucid.operations.recall.results import find_recall
from pellucid.operations.recall.wording import headlines_of
from pellucid.operations.using import served_ids
from pellucid.store.history.telemetry_port import RecallFailure


class EventInput(Wire):
    """Which recall: its id, or `last`."""

    namespace: str
    recall_id: RecallId


class GivenMemory(Wire):
    """A memory that a recall gave, and each time that it was cited for it."""

    memory_id: str
    place: int
    """From 1."""
    citations: tuple[MemoryCitation, ...] = ()


class Failure(Wire):
    """What went wrong in a recall that gave no answer, and what to do now."""

    code: str
    text: str
    place: str
    """The kind of the error, and where in Pellucid it came from."""
    next_step: str


class EventOutput(Wire):
    """How a recall went. Numbers are None where its event is not kept (any more)."""

    NEXT: ClassVar[str] = "ask it again; `pellucid doctor` says whether something is not well"

    recall: ListedRecall
    depth: str | None = None
    found: int | None = None
    """Memories that were ranked."""
    payload_tokens: int | None = None
    """Tokens of the context, about."""
    millis: float | None = None
    memories: tuple[GivenMemory, ...] = ()
    """Those that it gave, by their ranks."""
    citations: tuple[MemoryCitation, ...] = ()
    """What was said of the recall as a whole."""
    failure: Failure | None = None
    words: dict[str, str] = Field(default_factory=dict)
    """The first words of the memories that it gave, by id, where whoever asks may read them."""


def event(app: App, request: EventInput) -> EventOutput:
    """Show how a recall went, as far as that is on record, and the citations of the memories it served; errors as of
    `find_recall`."""
    namespace, row = request.namespace, find_recall(app, request.namespace, request.recall_id)
    recall_id = row.recall_id
    went = app.telemetry.event(recall_id, namespace)
    cited = [citation_view(each) for each in app.citations.of_recall(namespace, recall_id)]
    gave = list(served_ids(app, namespace, recall_id)) if row.served_count else []
    return EventOutput(
        recall=recall_view(row),
        depth=went.depth if went else None,
        found=went.found if went else None,
        payload_tokens=went.payload_tokens if went else None,
        millis=went.millis if went else None,
        memories=tuple(
            GivenMemory(memory_id=each, place=place, citations=tuple(one for one in cited if one.memory_id == each))
            for place, each in enumerate(gave, start=1)
        ),
        citations=tuple(each for each in cited if each.memory_id == recall_id),
        failure=_failure_view(went.failure) if went and went.outcome == "failed" else None,
        words=headlines_of(app, namespace, (), gave),
    )


def _failure_view(failure: RecallFailure | None) -> Failure:
    """Describe a recall's failure by its error class; older recalls have no record (None) of it: its code is
    `unknown`."""
    if failure is None:
        return Failure(code="unknown", text="What went wrong is not on record.", place="", next_step=EventOutput.NEXT)
    kinds = [PellucidError]
    for each in kinds:
        kinds.extend(each.__subclasses__())
    kind = next((each for each in kinds if each.code == failure.code), PellucidError)
    said = " ".join((kind.__doc__ or failure.code).split("\n\n")[0].split())
    return Failure(code=failure.code, text=said, place=failure.place, next_step=EventOutput.NEXT)


EVENT = Operation(
    "recall.event",
    "Show how a recall went, and what came of it.\n\n"
    "What it came to, which of its memories were cited, by whom and by what sign; "
    "of one that failed, what went wrong.\n",
    EventInput,
    EventOutput,
    lambda call, asked: event(call.app, asked),
    "read",
    Surfaces("snapshots show", http=("GET /v1/snapshots/{recall_id}/event",)),
)
