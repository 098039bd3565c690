"""The ledger in, its rows of one kind and namespace out, typed."""

from collections.abc import Iterator
from typing import TypeVar

from pellucid.app import App
from pellucid.memory.ledger_rows import typed
from pellucid.model.ledger import LifecycleRow
from pellucid.model.wire import Wire

Row = TypeVar("Row", bound=Wire)


def rows(app: App, model: type[Row], namespace: str | None = None) -> Iterator[Row]:
    """The rows of one kind, in their order; of one namespace, or of all."""
    kind = str(model.model_fields["kind"].default)
    for row in typed(app.ledger.ledger(), namespace, (kind,)):
        if isinstance(row, model):
            yield row


def lifecycle_rows(app: App, namespace: str) -> list[LifecycleRow]:
    """Every change of a memory of the namespace."""
    return list(rows(app, LifecycleRow, namespace))
