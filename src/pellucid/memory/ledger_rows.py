"""Raw rows of the ledger in, typed rows of a namespace out; and when memories were said again."""

from collections.abc import Collection, Iterable, Iterator
from datetime import datetime
from typing import TypeVar, get_args

from pydantic import ValidationError

from pellucid.model.ledger import (
    ErasureRow,
    FlushRow,
    FoldRow,
    KeyRow,
    LifecycleRow,
    LossRow,
    PassRow,
    TombstoneRow,
    UnkeptRow,
    VerdictRow,
)
from pellucid.model.wire import Wire
from pellucid.store.records import Ledger, LedgerRow

Row = (
    LifecycleRow | VerdictRow | UnkeptRow | FlushRow | FoldRow | PassRow | TombstoneRow | ErasureRow | KeyRow | LossRow
)
OneType = TypeVar("OneType", bound=Wire)
Sessions = dict[str, datetime]
"""Maps a session in which a memory was said again to the last time there."""
REINFORCING = frozenset({"manual", "user_input", "system_memory"})
"""Source classes that reinforce a memory by saying it again. An agent repeats what it recalled, a tool what it read: a
memory served often would otherwise make itself stronger.
"""
_TYPES: dict[str, type[Row]] = {model.model_fields["kind"].default: model for model in get_args(Row)}


def typed(rows: Iterable[LedgerRow], namespace: str | None, kinds: Collection[str] = tuple(_TYPES)) -> Iterator[Row]:
    """Yield the checked rows of these kinds, in order, of one namespace or (None) of all; damaged rows are skipped."""
    for row in rows:
        kind = str(row.get("kind"))
        if kind in kinds and namespace in {None, row.get("namespace")}:
            try:
                yield _TYPES[kind].model_validate({key: value for key, value in row.items() if key != "seq"})
            except ValidationError:  # of an older version, or edited by hand: it says nothing that can be relied on
                continue


def rows_of_type(ledger: Ledger, model: type[OneType], namespace: str | None = None) -> Iterator[OneType]:
    """Yield the ledger's rows of the type `model`, oldest first, of one namespace or (None) of all.

    Damaged rows are skipped.
    """
    kind = str(model.model_fields["kind"].default)
    for row in typed(ledger.rows(), namespace, (kind,)):
        if isinstance(row, model):
            yield row


def lifecycle_rows(ledger: Ledger, namespace: str) -> list[LifecycleRow]:
    """Return the ledger's lifecycle rows of a namespace, one for each change of a memory, oldest first."""
    return list(rows_of_type(ledger, LifecycleRow, namespace))


def recurrences(rows: Iterable[Row]) -> dict[str, Sessions]:
    """Map ids of memories to the sessions in which a person said them again, with the last time in each (UTC).

    Only rows with a reason in `REINFORCING` count. A row without a session counts as a session of its own, by the id of
    its operation, or its own id if it has none.
    """
    out: dict[str, Sessions] = {}
    for row in rows:
        if isinstance(row, LifecycleRow) and row.event_type == "corroborated" and row.reason_code in REINFORCING:
            sessions = out.setdefault(row.memory_id, {})
            session = row.session_id or row.correlation_id or row.event_id
            sessions[session] = max(row.timestamp, sessions.get(session, row.timestamp))
    return out


def row_time(row: Row) -> datetime:
    """Return the UTC instant of a ledger row: of a pass its end; of a verdict when it was given or, if that is not on
    record, when its observation was made; of any other row the time that it gives.
    """
    match row:
        case LifecycleRow():
            return row.timestamp
        case VerdictRow():
            return row.decided_at or row.observed_at
        case PassRow():
            return row.finished
        case FlushRow() | FoldRow() | UnkeptRow() | TombstoneRow() | ErasureRow() | KeyRow() | LossRow():
            return row.at
