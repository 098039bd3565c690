"""A change or an import in, the memories as they were before it out: what can be undone."""

from collections.abc import Collection, Sequence
from typing import Annotated

from pellucid.app import App
from pellucid.errors import ConflictError, NotFoundError
from pellucid.memory.changes import ChangeSet, from_state
from pellucid.memory.ledger_rows import lifecycle_rows
from pellucid.model.ledger import LifecycleRow
from pellucid.model.memory import SourceClass
from pellucid.model.wire import Wire
from pellucid.operations.browsing import find_memory, memories_by_id
from pellucid.operations.memory.changing import check_may_change, commit_changes
from pellucid.operations.operation import Argument, Operation, Surfaces
from pellucid.store.index_port import Served


class UndoInput(Wire):
    """What to undo: an operation (`op_…`), an import (`op_…..op_…`), or the last change of a memory."""

    namespace: str
    said_by: SourceClass = "manual"
    """Who asks for it."""
    target: Annotated[str, Argument("An operation (op_…), the first..last of an import, or a memory: its last change.")]


class UndoOutput(Wire):
    """What was put back."""

    op_id: str
    undone: tuple[str, ...]
    """`event of memory`, newest first."""


def undo(app: App, request: UndoInput) -> UndoOutput:
    """Undo an operation, an import, or the last change of a memory. An undo can be undone, too.

    Memories created by an import are archived; later changes of them stay.

    Raises:
        NotFoundError: nothing of that name was changed here, or it was forgotten since.
        ConflictError: what is to be put back was changed again since; undo that first.
        NotYoursError: a program asks, and a person said some of it.
    """
    with app.unit_of_work.deciding(request.namespace):
        imports = _import_operations(app, request.target)
        rows = _rows_to_undo(app, request, imports)
        changes = ChangeSet(app.records, request.namespace, "user", app.clock)
        held = _current_memories(app, request.namespace, rows)
        made = [each for each in app.index.memories(request.namespace) if each.op_id in imports] if imports else []
        if not (rows or made):
            raise NotFoundError(
                f"nothing that {request.target} changed here can be undone",
                next_step="`pellucid history ID` shows the changes of a memory",
            )
        check_may_change(request.said_by, [each.memory for each in (*held.values(), *made)])
        for row in reversed(rows):
            _undo_change(changes, held, row)
        away = [each for each in made if changes.now(each.memory).status == "active"]
        for each in away:
            changes.change(each, "undone", {"status": "archived"}, "undo:import")
        op_id = commit_changes(app, "undo", changes)
    undone = [f"{row.event_type} of {row.memory_id}" for row in reversed(rows)]
    return UndoOutput(op_id=op_id, undone=(*undone, *(f"import of {each.memory.id}" for each in away)))


def _import_operations(app: App, target: str) -> set[str]:
    """Return the ids of the import operations that a target names: `op_…`, or all from the first to the last of
    `op_…..op_…`; empty for any other target, or one unknown here."""
    first, _, last = target.partition("..")
    if not first.startswith("op_"):
        return set()
    ends = [row.seq for op_id in (first, last or first) for row in app.records.operations(op_id=op_id)]
    if len(ends) < 2:  # one of the two is not known
        return set()
    between = app.records.operations(after=ends[0] - 1)
    return {row.op_id for row in between if row.seq <= ends[1] and row.kind == "import"}


def _rows_to_undo(app: App, request: UndoInput, imports: Collection[str]) -> list[LifecycleRow]:
    """Return the ledger rows to undo, oldest first: all of an operation, or the last change of a memory with those
    connected; empty if there are none."""
    rows = [
        row
        for row in lifecycle_rows(app.ledger, request.namespace)
        if row.event_type not in {"corroborated", "forgotten"}
    ]
    if request.target.startswith("op_"):
        return [row for row in rows if row.correlation_id in (imports or {request.target})]
    memory_id = find_memory(app, request.namespace, request.target).memory.id
    of_it = [row for row in rows if row.memory_id == memory_id]
    last = [row for row in rows if of_it and row.correlation_id == of_it[-1].correlation_id]
    bound = _rows_linked_to(memory_id, last)
    there = {each.memory.id for each in app.index.memories(request.namespace, sorted({b.memory_id for b in bound}))}
    return [row for row in bound if row.memory_id in there]  # the rest was forgotten since


def _rows_linked_to(memory_id: str, rows: Sequence[LifecycleRow]) -> list[LifecycleRow]:
    """Return the rows of one operation about a memory, and about those that related ids link to it, step by step.

    In the order of `rows`; empty if none names the memory.
    """
    bound: set[str] = {memory_id}
    found: list[LifecycleRow] = []
    while more := [row for row in rows if row not in found and bound & {row.memory_id, *row.related_memory_ids}]:
        found += more
        bound |= {each for row in more for each in (row.memory_id, *row.related_memory_ids)}
    return [row for row in rows if row in found]


def _current_memories(app: App, namespace: str, rows: Sequence[LifecycleRow]) -> dict[str, Served]:
    """Return the current memories that ledger rows name, by id; NotFoundError if one that a row is about is gone."""
    named = {each for row in rows for each in (row.memory_id, *row.related_memory_ids)}
    held = memories_by_id(app, namespace, sorted(named))
    if gone := [row.memory_id for row in rows if row.memory_id not in held]:
        raise NotFoundError(f"{gone[0]} is not here any more", next_step="what was forgotten cannot be brought back")
    return held


def _undo_change(changes: ChangeSet, held: dict[str, Served], row: LifecycleRow) -> None:
    """Undo one change (a memory that it created is archived); ConflictError if the memory was changed again since."""
    served = held[row.memory_id]
    if not row.before and row.event_type in {"created", "merged", "disputed", "superseded"}:  # the operation made it
        if changes.now(served.memory).status != row.after.get("status", "active"):
            raise ConflictError(
                f"{row.memory_id} was changed again since (status)", next_step="undo the newer change first"
            )
        changes.change(served, "undone", {"status": "archived"}, f"undo:{row.event_id}")
        return
    now = changes.now(served.memory)
    names = tuple(now.structured_attributes)
    after, before = from_state(row.after, names), from_state(row.before, names)
    moved = [name for name, value in after.items() if getattr(now, name) != value]
    if moved:
        raise ConflictError(
            f"{row.memory_id} was changed again since ({', '.join(moved)})", next_step="undo the newer change first"
        )
    changes.change(served, "undone", before, f"undo:{row.event_id}", row.related_memory_ids)
    for related in row.related_memory_ids:
        if row.event_type == "superseded" and (successor := held.get(related)):
            left = tuple(each for each in changes.now(successor.memory).supersedes if each != row.memory_id)
            changes.change(successor, "undone", {"supersedes": left}, f"undo:{row.event_id}", [row.memory_id])


UNDO = Operation(
    "change.undo",
    "Take back a change: an operation, or a memory's last. An undo can be undone.",
    UndoInput,
    UndoOutput,
    lambda call, asked: undo(call.app, asked),
    "change",
    Surfaces("undo", http=("POST /v1/undo",)),
    span="update_memory",
)
