"""An audit entry of an X-ray in, the operation that wrote the version served out."""

from typing import Annotated

from pellucid.app import App
from pellucid.errors import NotFoundError
from pellucid.model.wire import Wire
from pellucid.operations.operation import Argument, Operation, Surfaces, Text, in_home
from pellucid.store.history.history_port import parse_audit_id
from pellucid.store.records import OperationRow


class AuditInput(Wire):
    """The id of one result of a recall."""

    namespace: str
    entry: Annotated[str, Argument("An audit entry of an X-ray (aud_…).")]


class AuditOutput(Wire):
    """The recall of an audit entry, the memory served, and the operation that wrote the version served."""

    audit_entry_id: str
    recall_id: str
    place: int
    memory_id: str
    path: str | None = None
    operation: dict[str, object] | None = None
    recalled_at: int


def audit(app: App, request: AuditInput) -> AuditOutput:
    """Resolve an audit entry (`aud_…`, the id of one result of a recall, which X-rays show) to its recall, its memory
    and the operation that wrote the version served; the path is None if the memory is gone, the operation if it is not
    on record. NotFoundError for an unknown entry."""
    recall_and_rank = parse_audit_id(request.entry)
    row = app.history.audit(*recall_and_rank, request.namespace) if recall_and_rank else None
    if row is None:
        raise NotFoundError(
            f"no audit entry {request.entry} in {request.namespace}", next_step="an X-ray shows one a result"
        )
    found = app.index.memories(request.namespace, [row.memory_id])
    operations = app.records.operations(op_id=row.op_id) if row.op_id else []
    return AuditOutput(
        audit_entry_id=request.entry,
        recall_id=row.recall_id,
        place=row.place,
        memory_id=row.memory_id,
        path=found[0].path if found else None,
        operation=_operation_view(operations[0]) if operations else None,
        recalled_at=row.at,
    )


def _operation_view(row: OperationRow) -> dict[str, object]:
    """Summarise a journal operation as a dict with the keys `seq`, `opId`, `kind`, `at` and `files`. `files` is the
    number of its files; their paths are not told, since files can belong to other namespaces."""
    return {"seq": row.seq, "opId": row.op_id, "kind": row.kind, "at": row.at, "files": len(row.paths)}


AUDIT = Operation(
    "recall.audit",
    "Follow one result of a recall to the change that wrote it.",
    AuditInput,
    AuditOutput,
    in_home(audit),
    "read",
    Surfaces("audit", http=("GET /v1/audit/{entry}",)),
    text=Text("everyday.audit_text", excerpts=True),
)
