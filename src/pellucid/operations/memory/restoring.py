"""A planned erasure in, the memories that only its memories had replaced, restored, out."""

from pellucid.app import App
from pellucid.memory.changes import ChangeSet
from pellucid.memory.erasure.plan import Erasure
from pellucid.memory.erasure.revival import revive
from pellucid.memory.ledger_rows import lifecycle_rows
from pellucid.model.memory import Status
from pellucid.model.wire import Wire


class RestoredMemory(Wire):
    """One memory that an erasure restores, with its status afterwards."""

    id: str
    status: Status
    excerpt: str


def restore_replaced(app: App, plan: Erasure) -> tuple[ChangeSet, tuple[RestoredMemory, ...]]:
    """Return the changes, not committed yet, that put in force again what only the erased memories had replaced or
    disputed; and those memories whose status or retired attributes these changes restore."""
    changes = ChangeSet(app.records, plan.namespace, "user", app.clock)
    gone, memories = {each.memory.id for each, _ in plan.going}, app.index.memories(plan.namespace)
    revived = revive(changes, (app.index, app.lookup), memories, lifecycle_rows(app.ledger, plan.namespace), gone)
    pairs = [(each.memory, changes.now(each.memory)) for each in revived]
    shown = [new for old, new in pairs if (old.status, old.retired_attributes) != (new.status, new.retired_attributes)]
    return changes, tuple(
        RestoredMemory(id=each.id, status=each.status, excerpt=" ".join(each.content.split())[:80]) for each in shown
    )
