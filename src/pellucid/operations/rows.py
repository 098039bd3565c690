"""The ledger in, its rows of one kind and namespace out, typed."""

from collections.abc import Iterator
from typing import TypeVar

from pydantic import ValidationError

from pellucid.app import App
from pellucid.model.ledger import LifecycleRow
from pellucid.model.wire import Wire

Row = TypeVar("Row", bound=Wire)


def rows(app: App, model: type[Row], namespace: str | None = None, after: int = 0) -> Iterator[Row]:
    """The rows of one kind, in their order; of one namespace, or of all.

    A row that is not what its kind says (of another version, or edited by hand) is passed over.
    """
    kind = model.model_fields["kind"].default
    for row in app.ledger.ledger(after):
        if row.get("kind") == kind and (namespace is None or row.get("namespace") == namespace):
            try:
                yield model.model_validate({key: value for key, value in row.items() if key != "seq"})
            except ValidationError:
                continue


def lifecycle_rows(app: App, namespace: str) -> list[LifecycleRow]:
    """Every change of a memory of the namespace."""
    return list(rows(app, LifecycleRow, namespace))
