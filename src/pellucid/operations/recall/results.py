"""A recall and what somebody does with it in, the outcome out: a memory opened or copied, or a verdict stored."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from pellucid.app import App
from pellucid.clock import epoch_ms
from pellucid.errors import NotFoundError, step
from pellucid.model.wire import Wire
from pellucid.operations.browsing import find_memory
from pellucid.operations.operation import Agent, Argument, Flag, Operation, Surfaces, Text, in_home
from pellucid.operations.recall.recall_names import resolve_recall_id
from pellucid.operations.safe_input import SafeInput
from pellucid.operations.using import MemoryUse, cite_if_served, note_use, occasion_of
from pellucid.store.history.citations_port import CitationRow, Evidence
from pellucid.store.history.receipts_port import RecallRow
from pellucid.store.index_port import Served


class ResultInput(Wire):
    """One memory of a recall, by its rank."""

    namespace: str
    recall_id: Annotated[str, Argument("A recall's id (rec_…), or last, last~1 and so on.")]
    place: Annotated[int, Argument("The number of the memory in the recall's context.")] = Field(default=1, ge=1)
    agent: Agent = None


class ResultOutput(Wire):
    """A memory that a recall served, as it is now."""

    recall_id: str
    place: int
    memory_id: str
    file: str
    """The absolute path of its file."""
    evidence: tuple[str, ...] = ()
    """Its sources, each as `path-or-session:start-end`."""
    content: str


def _use_result(app: App, request: ResultInput, evidence: Evidence) -> ResultOutput:
    """Return the memory at a rank of a recall, counted from 1. Records a use of the memory, and a citation of the kind
    that `evidence` (`opened`, `copied`) stands for, in the recall's session. NotFoundError if there is no such recall
    or rank, or the memory is gone."""
    row = find_recall(app, request.namespace, request.recall_id)
    served = app.history.audit(row.recall_id, request.place, request.namespace)
    if served is None:
        raise NotFoundError(
            f"{row.recall_id} served {row.served_count} memories: there is no place {request.place}",
            next_step=f"{step('recall.xray')} shows them in their places",
        )
    found: Served = find_memory(app, request.namespace, served.memory_id)
    deed = MemoryUse(evidence, row.session_id, request.agent, recall_id=row.recall_id)
    note_use(app, request.namespace, [served.memory_id], "opened", row.session_id)
    cite_if_served(app, request.namespace, served.memory_id, deed)
    return ResultOutput(
        recall_id=row.recall_id,
        place=request.place,
        memory_id=served.memory_id,
        file=str(app.settings.home / "vault" / found.path),
        evidence=found.memory.evidence,
        content=found.memory.content,
    )


def open_result(app: App, request: ResultInput) -> ResultOutput:
    """Return the memory at a rank of a recall, and record a use of it, and a citation, as its file was opened.
    NotFoundError if there is no such recall or rank, or the memory is gone."""
    return _use_result(app, request, "opened")


def copy_result(app: App, request: ResultInput) -> ResultOutput:
    """Return the memory at a rank of a recall, and record a use of it, and a citation, as its words were copied.
    NotFoundError if there is no such recall or rank, or the memory is gone."""
    return _use_result(app, request, "copied")


def find_recall(app: App, namespace: str, name: str) -> RecallRow:
    """Find the history row of a recall by its id, or by `last`, `last~1` and so on; NotFoundError if there is no such
    recall."""
    recall_id = resolve_recall_id(app, namespace, name)
    if row := app.receipts.find(recall_id, namespace):
        return row
    raise NotFoundError(f"no recall {recall_id} in {namespace}", next_step=f"{step('recall.list')} shows ids")


OPEN = Operation(
    "recall.open",
    "Print where the file of a memory is that a recall gave. Nothing is started to show it.",
    ResultInput,
    ResultOutput,
    in_home(open_result),
    "read",
    Surfaces("open"),
    text=Text("closing.path_text"),
)
COPY = Operation(
    "recall.copy",
    "Print the words of a memory that a recall gave. Nothing else is printed.",
    ResultInput,
    ResultOutput,
    in_home(copy_result),
    "read",
    Surfaces("copy"),
    text=Text("closing.content_text"),
)


class FeedbackInput(SafeInput):
    """A verdict on a recall as a whole, and a comment."""

    RAW: ClassVar[frozenset[str]] = SafeInput.RAW | {"recall_id", "verdict"}

    namespace: str
    recall_id: Annotated[str, Argument("A recall's id (rec_…), or last, last~1 and so on.")]
    verdict: Annotated[Literal["good", "bad"], Argument("good or bad.")]
    comment: Annotated[str, Flag("What was good or bad about it.")] = ""
    agent: Agent = None


class FeedbackOutput(Wire):
    """The verdict; `is_new` is false if the session had already given it of this recall, and then nothing is stored."""

    recall_id: str
    verdict: Literal["good", "bad"]
    is_new: bool


def give_feedback(app: App, request: FeedbackInput) -> FeedbackOutput:
    """Store a verdict on a recall as a whole, as a citation of the recall itself. If the same verdict on it was already
    given in the recall's session (for a recall without a session: on this day, UTC), the earlier one stays, with its
    comment, and the output's `is_new` is false. NotFoundError if there is no such recall, StoreError if it cannot be
    written."""
    row, now = find_recall(app, request.namespace, request.recall_id), app.clock.now()
    details = occasion_of(row.session_id, now), request.agent, epoch_ms(now), request.comment.strip()
    citation = CitationRow(row.recall_id, request.verdict, row.recall_id, *details)
    is_new = app.citations.put(request.namespace, app.clock.new_id("cit"), citation)
    return FeedbackOutput(recall_id=row.recall_id, verdict=request.verdict, is_new=is_new)


FEEDBACK = Operation(
    "recall.feedback",
    "Say whether a recall was good or bad as a whole, and why.",
    FeedbackInput,
    FeedbackOutput,
    in_home(give_feedback),
    "append",
    Surfaces("feedback", http=("POST /v1/snapshots/{recall_id}/feedback",)),
    text=Text("closing.feedback_text"),
)
