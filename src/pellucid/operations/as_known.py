"""Memories and the ledger in, the memories as they were known at an instant out: what was changed later is undone."""

from collections.abc import Sequence
from datetime import datetime

from pellucid.app import App
from pellucid.memory.ledger_rows import rows_of_type
from pellucid.model.ledger import LifecycleRow
from pellucid.model.memory import Memory
from pellucid.operations.instants import PastInstants
from pellucid.recall.as_of_view import by_known

VERIFIED = "lastVerifiedAt"
"""To stand behind a memory again is no change of it."""


def as_known(memory: Memory, changes: Sequence[LifecycleRow], known: datetime | None) -> Memory:
    """A memory with every row of the ledger undone that is later than `known`; None is today.

    Args:
        changes: rows of the ledger in their order, of this memory and of others.
    """
    if known is None:
        return memory
    from pellucid.memory.changes import from_state  # with it the writers of vault files are loaded

    of_it = [row for row in changes if row.memory_id == memory.id and row.before]
    names, out = tuple(memory.structured_attributes), memory
    for row in reversed(of_it):
        if row.timestamp > known:
            out = out.model_copy(update=from_state(row.before, names))
    if memory.updated > known:
        changed = (row.timestamp for row in of_it if row.timestamp <= known and row.before.keys() - {VERIFIED})
        out = out.model_copy(update={"updated": max([memory.created, *changed])})
    return by_known(out, known)


def memories_as_known(app: App, namespace: str, memories: Sequence[Memory], past: PastInstants) -> list[Memory]:
    """Memories as they were known at `past.known`, with the last verification that the instant asked about had.

    The ledger is read only where something may have changed since.
    """
    limit = min((each for each in (past.at, past.known) if each), default=None)
    if limit is None or (past.known is None and not any(_verified_after(each, limit) for each in memories)):
        return list(memories)
    ids = {each.id for each in memories}
    changes = [row for row in rows_of_type(app.ledger, LifecycleRow, namespace) if row.memory_id in ids]
    return [_verified_by(as_known(each, changes, past.known), changes, limit) for each in memories]


def _verified_after(memory: Memory, limit: datetime) -> bool:
    return memory.last_verified_at is not None and memory.last_verified_at > limit


def _verified_by(memory: Memory, changes: Sequence[LifecycleRow], limit: datetime) -> Memory:
    """The memory with the verification that it had at an instant: what the first later row says was there before."""
    from pellucid.memory.changes import from_state

    later = (row for row in changes if row.memory_id == memory.id and row.timestamp > limit and VERIFIED in row.before)
    first = next(later, None)
    return memory.model_copy(update=from_state({VERIFIED: first.before[VERIFIED]})) if first else memory
