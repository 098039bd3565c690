"""What an erasure takes in, what it alone had retired and how that stands then out."""

from pellucid.app import App
from pellucid.memory.changes import ChangeSet
from pellucid.memory.erasure.plan import Erasure
from pellucid.memory.erasure.revival import revive
from pellucid.memory.ledger_rows import lifecycle_rows
from pellucid.model.memory import Status
from pellucid.model.wire import Wire


class RestoredMemory(Wire):
    """One memory that stays, whose state named what goes, and the status it then has."""

    id: str
    status: Status
    excerpt: str


def restore_replaced(app: App, plan: Erasure) -> tuple[ChangeSet, tuple[RestoredMemory, ...]]:
    """Collect changes, not committed yet, that put memories in force again that only the erased ones had replaced; also
    return those memories whose status or retired attributes change by that."""
    changes = ChangeSet(app.records, plan.namespace, "user", app.clock)
    gone, held = {each.memory.id for each, _ in plan.going}, app.index.memories(plan.namespace)
    back = revive(changes, (app.index, app.lookup), held, lifecycle_rows(app.ledger, plan.namespace), gone)
    now = [(each.memory, changes.now(each.memory)) for each in back]
    told = [new for old, new in now if (old.status, old.retired_attributes) != (new.status, new.retired_attributes)]
    return changes, tuple(
        RestoredMemory(id=each.id, status=each.status, excerpt=" ".join(each.content.split())[:80]) for each in told
    )
