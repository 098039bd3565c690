"""Memories that somebody stands behind again in, the same with today's date out: their words stay as they are."""

from collections.abc import Sequence

from pydantic import Field

from pellucid.app import App
from pellucid.errors import InputError
from pellucid.memory.changes import ChangeSet
from pellucid.model.wire import Instant, Wire
from pellucid.operations.browsing import Listed, find_memory
from pellucid.operations.operation import MemoryIds, Operation, Surfaces
from pellucid.operations.using import note_use
from pellucid.store.index_port import Served

_IN_FORCE = ("active", "pending_review", "quarantined", "disputed")


class ReverifyInput(Wire):
    """Which memories still hold."""

    namespace: str
    memory_ids: MemoryIds = Field(min_length=1)


class ReverifyOutput(Wire):
    """The memories as they stand now; `op_id` is what `undo` takes, absent where all were verified this very moment."""

    memories: tuple[Listed, ...]
    verified_at: Instant
    op_id: str | None = None


def reverify(app: App, request: ReverifyInput) -> ReverifyOutput:
    """Set the date of the last verification of these memories, all of them or none; nothing else of them changes.

    Raises:
        NotFoundError: one of them is not in the namespace.
        InputError: one of them cannot be verified: a turn, a section of a document, or what is not in force.
    """
    with app.unit_of_work.deciding(request.namespace):
        now = app.clock.now()
        held = _memories_to_verify(app, request)
        changes = ChangeSet(app.records, request.namespace, "user", app.clock)
        changed = [changes.change(each, "reverified", {"last_verified_at": now}) for each in held]
        plan = changes.plan()
        op_id = app.unit_of_work.commit("reverify", plan.writes, plan.rows).op_id if any(changed) else None
    note_use(app, request.namespace, [each.memory.id for each in held], "verified")
    return ReverifyOutput(memories=_after(app, request.namespace, held), verified_at=now, op_id=op_id)


def _memories_to_verify(app: App, request: ReverifyInput) -> list[Served]:
    """The memories of these ids, each once; refused if one of them cannot be verified."""
    found: dict[str, Served] = {}
    for name in request.memory_ids:
        served = find_memory(app, request.namespace, name)
        _check_verifiable(served)
        found.setdefault(served.memory.id, served)
    return list(found.values())


def _check_verifiable(served: Served) -> None:
    """See that a memory is in force, and no turn or section."""
    memory = served.memory
    if memory.category == "moment":
        raise InputError(
            f"{memory.id} is a turn as it was said: there is nothing in it to verify",
            code="not_verifiable",
            next_step="verify a memory that came of it; `pellucid episodes show` lists them",
        )
    if memory.category == "section":
        raise InputError(
            f"{memory.id} is a section of a document: it says what the file says",
            code="not_verifiable",
            next_step="`pellucid index docs` reads the file again",
        )
    if memory.status not in _IN_FORCE:
        by = f" by {memory.superseded_by}" if memory.superseded_by else ""
        raise InputError(
            f"{memory.id} is {memory.status}{by}: what is not in force cannot be verified",
            code="not_verifiable",
            next_step=f"`pellucid history {memory.id}` shows what became of it, `pellucid undo` brings it back",
        )


def _after(app: App, namespace: str, held: Sequence[Served]) -> tuple[Listed, ...]:
    now = app.index.memories(namespace, [each.memory.id for each in held])
    return tuple(Listed(memory=each.memory, path=each.path, op_id=each.op_id) for each in now)


REVERIFY = Operation(
    "memory.reverify",
    "Confirm that memories still hold. Sets the date of their last verification, and nothing else.",
    ReverifyInput,
    ReverifyOutput,
    lambda call, asked: reverify(call.app, asked),
    "change",
    Surfaces("reverify", http=("POST /v1/memories/reverify",), mcp="memory_history:reverify"),
    span="update_memory",
)
