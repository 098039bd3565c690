"""Memories that somebody confirms in, the same with a new date of verification out: their words stay as they are."""

from pydantic import Field

from pellucid.app import App
from pellucid.errors import InputError, step
from pellucid.memory.changes import ChangeSet
from pellucid.model.wire import Instant, Wire
from pellucid.operations.browsing import Listed, find_memory, listed
from pellucid.operations.memory.changing import commit_changes
from pellucid.operations.operation import MemoryIds, Operation, Surfaces, Text, in_home
from pellucid.operations.using import note_use
from pellucid.store.index_port import Served

_IN_FORCE = ("active", "pending_review", "quarantined", "disputed")


class ReverifyInput(Wire):
    """The memories that are confirmed."""

    namespace: str
    memory_ids: MemoryIds = Field(min_length=1)


class ReverifyOutput(Wire):
    """The memories as they are now; `op_id` is the argument for `undo`, None if nothing changed."""

    memories: tuple[Listed, ...]
    verified_at: Instant
    op_id: str | None = None


def reverify(app: App, request: ReverifyInput) -> ReverifyOutput:
    """Set the last verification of the memories that the request names to now, and record a use of them; if one of them
    cannot be verified, nothing is changed.

    Raises:
        NotFoundError: one of them is not in the namespace.
        InputError: an id fits several memories; or one of them is a moment (a passage), a section of a document, or of
            another status than active, pending review, quarantined or disputed.
    """
    with app.unit_of_work.deciding(request.namespace):
        now = app.clock.now()
        verified = _memories_to_verify(app, request)
        changes = ChangeSet(app.records, request.namespace, "user", app.clock)
        changed = [changes.change(each, "reverified", {"last_verified_at": now}) for each in verified]
        op_id = commit_changes(app, "reverify", changes) if any(changed) else None
    ids = [each.memory.id for each in verified]
    note_use(app, request.namespace, ids, "verified")
    memories = tuple(map(listed, app.index.memories(request.namespace, ids)))
    return ReverifyOutput(memories=memories, verified_at=now, op_id=op_id)


def _memories_to_verify(app: App, request: ReverifyInput) -> list[Served]:
    """Return the memories that the request names, each once, in its order. NotFoundError for a name that no memory has;
    InputError for one that several have, and for a memory that cannot be verified (`_check_verifiable`)."""
    found: dict[str, Served] = {}
    for name in request.memory_ids:
        served = find_memory(app, request.namespace, name)
        _check_verifiable(served)
        found.setdefault(served.memory.id, served)
    return list(found.values())


def _check_verifiable(served: Served) -> None:
    """Raise InputError unless a memory's status is active, pending review, quarantined or disputed, and it is neither a
    moment (a passage) nor a section of a document."""
    memory = served.memory
    if memory.category == "moment":
        raise InputError(
            f"{memory.id} is a turn as it was said: there is nothing in it to verify",
            code="not_verifiable",
            next_step=f"verify a memory that came of it; {step('episode.show')} lists them",
        )
    if memory.category == "section":
        raise InputError(
            f"{memory.id} is a section of a document: it says what the file says",
            code="not_verifiable",
            next_step=f"{step('document.index')} reads the file again",
        )
    if memory.status not in _IN_FORCE:
        history = step("memory.history", name=memory.id)
        by = f" by {memory.superseded_by}" if memory.superseded_by else ""
        raise InputError(
            f"{memory.id} is {memory.status}{by}: what is not in force cannot be verified",
            code="not_verifiable",
            next_step=f"{history} shows what became of it, {step('change.undo')} brings it back",
        )


REVERIFY = Operation(
    "memory.reverify",
    "Confirm that memories still hold. Sets the date of their last verification, and nothing else.",
    ReverifyInput,
    ReverifyOutput,
    in_home(reverify),
    "change",
    Surfaces("reverify", http=("POST /v1/memories/reverify",), mcp="memory_history:reverify"),
    text=Text("memory.changes.reverify_text", excerpts=True),
    span="update_memory",
)
