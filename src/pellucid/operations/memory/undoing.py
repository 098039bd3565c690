"""A change or an import in, the memories as they were before it out."""

from collections.abc import Collection, Sequence
from typing import Annotated

from pellucid.app import App
from pellucid.errors import ConflictError, NotFoundError, step
from pellucid.memory.changes import ChangeSet, from_state
from pellucid.memory.ledger_rows import lifecycle_rows
from pellucid.model.ledger import LifecycleRow
from pellucid.model.memory import SourceClass
from pellucid.model.wire import Wire
from pellucid.operations.browsing import find_memory, memories_by_id
from pellucid.operations.memory.changing import check_may_change, commit_changes
from pellucid.operations.operation import Argument, Operation, Surfaces, Text, in_home
from pellucid.store.index_port import Served


class UndoInput(Wire):
    """The target to undo: an operation (`op_…`), an import (`op_…..op_…`), or the last change of a memory."""

    namespace: str
    said_by: SourceClass = "manual"
    """The source of the request: a person or a program."""
    target: Annotated[str, Argument("An operation (op_…), the first..last of an import, or a memory: its last change.")]


class UndoOutput(Wire):
    """The changes that were undone."""

    op_id: str
    undone: tuple[str, ...]
    """Each change as `event of memory`, newest first."""


def undo(app: App, request: UndoInput) -> UndoOutput:
    """Undo an operation, an import, or the last change of a memory, in one new operation. An undo can be undone, too.

    Of an import, those of these memories are archived that are active: the passages of the episodes that it began, and
    its other memories whose files nobody wrote again since.

    Raises:
        NotFoundError: the target has no changes in the namespace, or a memory of the operation was forgotten since.
        InputError: the target fits several memories.
        ConflictError: a memory was changed again since, so that the newer change must be undone first.
        NotYoursError: a program asks, and a person said one of the memories.
    """
    with app.unit_of_work.deciding(request.namespace):
        imports = _import_operations(app, request.target)
        rows = _rows_to_undo(app, request, imports)
        changes = ChangeSet(app.records, request.namespace, "user", app.clock)
        current = _current_memories(app, request.namespace, rows)
        imported = _imported_memories(app, request.namespace, imports) if imports else []
        if not (rows or any(each.memory.status == "active" for each in imported)):
            raise NotFoundError(
                f"no change of {request.target} that can be undone is on record in {request.namespace}",
                next_step=f"{step('memory.history', name='ID')} shows the changes of a memory",
            )
        check_may_change(request.said_by, [each.memory for each in (*current.values(), *imported)])
        for row in reversed(rows):
            _undo_change(changes, current, row)
        archived = [each for each in imported if changes.now(each.memory).status == "active"]
        for each in archived:
            changes.change(each, "undone", {"status": "archived"}, "undo:import")
        op_id = commit_changes(app, "undo", changes)
    undone = [f"{row.event_type} of {row.memory_id}" for row in reversed(rows)]
    return UndoOutput(op_id=op_id, undone=(*undone, *(f"import of {each.memory.id}" for each in archived)))


def _import_operations(app: App, target: str) -> set[str]:
    """Return the ids of the import operations that a target names: the operation `op_…` if it is one, or for
    `op_…..op_…` all from the first to the last. Empty for any other target, and if the first or last is unknown."""
    first, _, last = target.partition("..")
    if not first.startswith("op_"):
        return set()
    ends = [row.seq for op_id in (first, last or first) for row in app.records.operations(op_id=op_id)]
    if len(ends) < 2:  # one of the two is unknown
        return set()
    between = app.records.operations(after=ends[0] - 1)
    return {row.op_id for row in between if row.seq <= ends[1] and row.kind == "import"}


def _imported_memories(app: App, namespace: str, imports: Collection[str]) -> list[Served]:
    """Return the memories to archive when these imports are undone: the passages of the episodes that they began,
    whoever wrote the file last, and other memories whose files they wrote last."""
    begun = _paths_begun_by(app, imports)
    return [
        each
        for each in app.index.memories(namespace)
        if each.op_id in imports or (each.memory.category == "moment" and each.path in begun)
    ]


def _paths_begun_by(app: App, operations: Collection[str]) -> set[str]:
    """Return the paths of the vault files that these operations were the first to write, as far as the journal knows.

    Who wrote a file last does not tell: a later change of one passage writes the file of all its neighbours again.
    """
    first_by_path: dict[str, str] = {}
    for row in app.records.operations():
        for path, _ in row.paths:
            first_by_path.setdefault(path, row.op_id)
    return {path for path, op_id in first_by_path.items() if op_id in operations}


def _rows_to_undo(app: App, request: UndoInput, imports: Collection[str]) -> list[LifecycleRow]:
    """Return the ledger rows to undo, oldest first; empty if there are none. They are all rows of the operation that
    the request names, or of the operations `imports`, if there are any; or the last change of a memory, with the rows
    of the same operation that are linked to it, but for those of memories forgotten since. Events `corroborated`,
    `redated` and `forgotten` cannot be undone. NotFoundError if the target is no operation and no memory, InputError if
    it is several."""
    rows = [
        row
        for row in lifecycle_rows(app.ledger, request.namespace)
        if row.event_type not in {"corroborated", "redated", "forgotten"}
    ]
    if request.target.startswith("op_"):
        return [row for row in rows if row.correlation_id in (imports or {request.target})]
    memory_id = find_memory(app, request.namespace, request.target).memory.id
    own_rows = [row for row in rows if row.memory_id == memory_id]
    last = [row for row in rows if own_rows and row.correlation_id == own_rows[-1].correlation_id]
    linked = _linked_rows(memory_id, last)
    present = memories_by_id(app, request.namespace, sorted({row.memory_id for row in linked}))
    return [row for row in linked if row.memory_id in present]  # the others were forgotten since


def _linked_rows(memory_id: str, rows: Sequence[LifecycleRow]) -> list[LifecycleRow]:
    """Return those rows of one operation that are about a memory, or about memories that related ids link to it, also
    through others; in the order of `rows`, empty if no row names the memory."""
    linked_ids: set[str] = {memory_id}
    found: list[LifecycleRow] = []
    while more := [row for row in rows if row not in found and linked_ids & {row.memory_id, *row.related_memory_ids}]:
        found += more
        linked_ids |= {each for row in more for each in (row.memory_id, *row.related_memory_ids)}
    return [row for row in rows if row in found]


def _current_memories(app: App, namespace: str, rows: Sequence[LifecycleRow]) -> dict[str, Served]:
    """Return a map from the ids that ledger rows name to the memories as they are now. NotFoundError if the memory of a
    row is gone; related memories that are gone are left out."""
    named = {each for row in rows for each in (row.memory_id, *row.related_memory_ids)}
    current = memories_by_id(app, namespace, sorted(named))
    if gone := [row.memory_id for row in rows if row.memory_id not in current]:
        raise NotFoundError(f"{gone[0]} is not here any more", next_step="what was forgotten cannot be brought back")
    return current


def _undo_change(changes: ChangeSet, current: dict[str, Served], row: LifecycleRow) -> None:
    """Add to `changes` that the change of a ledger row is undone: a memory that it created is archived, and one that
    superseded the memory loses its link to it. `current` maps ids to memories; ConflictError if the memory was changed
    again since."""
    served = current[row.memory_id]
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
    if differing := [name for name, value in after.items() if getattr(now, name) != value]:
        raise ConflictError(
            f"{row.memory_id} was changed again since ({', '.join(differing)})",
            next_step="undo the newer change first",
        )
    changes.change(served, "undone", before, f"undo:{row.event_id}", row.related_memory_ids)
    for related in row.related_memory_ids:
        if row.event_type == "superseded" and (successor := current.get(related)):
            left = tuple(each for each in changes.now(successor.memory).supersedes if each != row.memory_id)
            changes.change(successor, "undone", {"supersedes": left}, f"undo:{row.event_id}", [row.memory_id])


UNDO = Operation(
    "change.undo",
    "Take back a change: an operation, or a memory's last. An undo can be undone.",
    UndoInput,
    UndoOutput,
    in_home(undo),
    "change",
    Surfaces("undo", http=("POST /v1/undo",)),
    text=Text("memory.changes.undo_text", excerpts=True),
    span="update_memory",
)
