"""An earlier recall in, the context that it gave out: written anew, since no receipt contains a word of a memory."""

from pellucid.app import App
from pellucid.model.snapshot import Budget
from pellucid.model.wire import Wire
from pellucid.operations.operation import Operation, RecallId, Surfaces, Text, in_home
from pellucid.operations.recall.recalling import load_receipt
from pellucid.xray import given


class ContextInput(Wire):
    """An earlier recall."""

    namespace: str
    recall_id: RecallId


class ContextOutput(Wire):
    """The rebuilt context of an earlier recall, and whether it equals the context that was given."""

    recall_id: str
    context: str
    exact: bool
    """Whether it is made of the same versions of the same memories, in the same order, and has the same length."""
    differs: tuple[str, ...] = ()
    """Why it is not exact."""
    budget: Budget
    """The characters allowed, and those of the context as it was given."""


def rebuild_context(app: App, request: ContextInput) -> ContextOutput:
    """Rebuild the context that an earlier recall gave, from its receipt and today's memories, and say why it is not the
    same if so (`differs`). Nothing is recorded. NotFoundError if there is no such recall, or its receipt is gone;
    StoreError if it cannot be read; DeadlineError if the call's time is over."""
    receipt = load_receipt(app, request.namespace, request.recall_id)
    asked = receipt.state.request
    with app.recaller.world(asked, app.deadline) as world:
        found = given.rebuild_context(receipt, world)
    return ContextOutput(
        recall_id=asked.recall_id,
        context=found.context.text,
        exact=not found.differs,
        differs=found.differs,
        budget=Budget(chars=asked.settings.char_budget, used=receipt.state.context.length),
    )


CONTEXT = Operation(
    "recall.context",
    "Show the context that an earlier recall gave.\n\n"
    "It is written anew from its receipt and its memories; where it could not come out the same, "
    "that is said, and why.\n",
    ContextInput,
    ContextOutput,
    in_home(rebuild_context),
    "read",
    Surfaces("snapshots context", http=("GET /v1/snapshots/{recall_id}/context",)),
    text=Text("recall.snapshot.context_text"),
)
