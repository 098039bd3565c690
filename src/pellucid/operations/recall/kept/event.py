"""A recall in, how it went out: what it came to, what each memory that it gave was cited for, and what went wrong."""

from itertools import count
from typing import ClassVar

from pydantic import Field

from pellucid.app import App
from pellucid.errors import NotFoundError, PellucidError
from pellucid.model.wire import Wire
from pellucid.operations.browsing import MemoryCitation, told_citation
from pellucid.operations.operation import Operation, RecallId, Surfaces
from pellucid.operations.recall.kept.snapshots import ListedRecall, listed_recall
from pellucid.operations.recall.recalling import recall_named
from pellucid.operations.recall.wording import words_of
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
    """Those that it gave, by their places."""
    citations: tuple[MemoryCitation, ...] = ()
    """What was said of the recall as a whole."""
    failure: Failure | None = None
    words: dict[str, str] = Field(default_factory=dict)
    """The first words of the memories that it gave, by id, where whoever asks may read them."""


def event(app: App, request: EventInput) -> EventOutput:
    """How a recall went, and what came of it.

    Raises:
        NotFoundError: no recall of this namespace has that id.
    """
    namespace, recall_id = request.namespace, recall_named(app, request.namespace, request.recall_id)
    row = app.receipts.find(recall_id, namespace)
    if row is None:
        raise NotFoundError(f"no recall {recall_id} in {namespace}", next_step="`pellucid snapshots list` shows ids")
    went = app.telemetry.event(recall_id, namespace)
    cited = [told_citation(each) for each in app.citations.of_recall(namespace, recall_id)]
    gave = _given(app, namespace, recall_id) if row.served_count else []
    return EventOutput(
        recall=listed_recall(row),
        depth=went.depth if went else None,
        found=went.found if went else None,
        payload_tokens=went.payload_tokens if went else None,
        millis=went.millis if went else None,
        memories=tuple(
            GivenMemory(memory_id=each, place=place, citations=tuple(one for one in cited if one.memory_id == each))
            for place, each in enumerate(gave, start=1)
        ),
        citations=tuple(each for each in cited if each.memory_id == recall_id),
        failure=_failure(went.failure) if went and went.outcome == "failed" else None,
        words=words_of(app, namespace, (), gave),
    )


def _given(app: App, namespace: str, recall_id: str) -> list[str]:
    rows = (app.history.audit(recall_id, place, namespace) for place in count(1))
    return [each.memory_id for each in iter(lambda: next(rows), None)]


def _failure(failure: RecallFailure | None) -> Failure:
    """What went wrong, in words; of recalls from before it was kept, that nobody knows."""
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
    """Show how a recall went, and what came of it.

What it came to, which of its memories were cited, by whom and by what sign; of one that failed, what went wrong.
""",
    EventInput,
    EventOutput,
    lambda call, asked: event(call.app, asked),
    "read",
    Surfaces("snapshots show", http=("GET /v1/snapshots/{recall_id}/event",)),
)
