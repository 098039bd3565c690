"""The kind of some ledger rows in, the rows of that kind as JSON lines out."""

import json
from collections.abc import Iterator
from typing import Annotated, Literal

from pellucid.app import App
from pellucid.model.wire import Wire
from pellucid.operations.operation import Flag, Operation, Surfaces, in_home

LedgerKind = Literal[
    "lifecycle", "verdict", "unkept", "flush", "fold", "pass", "tombstone", "erasure", "loss", "observations"
]
_REFERENCE_VERDICT = "EXTRACTION_JUDGE_VERDICT"


class LedgerInput(Wire):
    """The kind of rows to export, and whether of every namespace."""

    namespace: str
    kind: Annotated[LedgerKind, Flag("lifecycle, verdict, flush, fold, pass, tombstone, erasure, loss; observations.")]
    everywhere: Annotated[bool, Flag("Rows of every namespace.", "--all-namespaces", beyond=True)] = False


def export_ledger(app: App, request: LedgerInput) -> Iterator[str]:
    """Yield the ledger's rows of one kind as JSON lines, in the ledger's order: those of the namespace (with
    `everywhere`, of all), and those that name no namespace. The kind `observations` yields the rows of kind `verdict`
    in the format of `_reference_row`."""
    is_reference, namespace = request.kind == "observations", request.namespace
    row_kind = "verdict" if is_reference else request.kind
    for row in app.ledger.rows():
        if row.get("kind") == row_kind and (request.everywhere or row.get("namespace", namespace) == namespace):
            yield json.dumps(_reference_row(row) if is_reference else row, ensure_ascii=False)


def _reference_row(row: dict[str, object]) -> dict[str, object]:
    """Convert a verdict row to version 1 of the row format of `extraction-judge-verdicts.jsonl`, a file of other
    programs; values that the row lacks are None."""
    return {
        "version": 1,
        "category": _REFERENCE_VERDICT,
        "ts": row.get("decidedAt", row.get("observedAt")),
        "verdictKind": row.get("verdict"),
        "reason": row.get("reason"),
        "candidateCategory": row.get("category"),
        "confidence": row.get("confidence"),
        "contentHash": row.get("contentHash"),
        "observationId": row.get("observationId"),
        "sessionId": row.get("sessionId"),
        "observedAt": row.get("observedAt"),
        "importance": row.get("importance"),
        "resultingPrimitiveId": row.get("resultingPrimitiveId"),
    }


LEDGER = Operation(
    "ledger.export",
    "Print the rows of one kind as JSON lines. `observations` are verdicts in the reference's form.",
    LedgerInput,
    Iterator[str],
    in_home(export_ledger),
    "read",
    Surfaces("ledger export", http=("GET /v1/ledger",)),
    needs="admin",
)
