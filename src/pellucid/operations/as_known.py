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
"""The ledger's field for a memory's last verification; a verification changes nothing else of the memory."""


def memory_as_known(memory: Memory, changes: Sequence[LifecycleRow], known_at: datetime | None) -> Memory:
    """Return a memory as it was known at `known_at`: without the later changes in the ledger, and without what its file
    says was recorded later (`by_known`). It is unchanged if `known_at` is None. `changes` are ledger rows, oldest
    first, of this memory and others. An `updated` after `known_at` becomes the time of the last change up to `known_at`
    that was not a verification or, if there was none, of the creation."""
    if known_at is None:
        return memory
    from pellucid.memory.changes import from_state  # with it the writers of vault files are loaded

    own_rows = [row for row in changes if row.memory_id == memory.id and row.before]
    names, as_known = tuple(memory.structured_attributes), memory
    for row in reversed(own_rows):
        if row.timestamp > known_at:
            as_known = as_known.model_copy(update=from_state(row.before, names))
    if memory.updated > known_at:
        changed = (row.timestamp for row in own_rows if row.timestamp <= known_at and row.before.keys() - {VERIFIED})
        as_known = as_known.model_copy(update={"updated": max([memory.created, *changed])})
    return by_known(as_known, known_at)


def memories_as_known(app: App, namespace: str, memories: Sequence[Memory], past: PastInstants) -> list[Memory]:
    """Return memories, in the same order, as they were known at `past.known`, each with its last verification until
    `past.at` (or `past.known`, if earlier); unchanged if both are None. The ledger is read only if a change since then
    is possible."""
    limit = min((each for each in (past.at, past.known) if each), default=None)
    if limit is None:
        return list(memories)
    verified_since = (each.last_verified_at and each.last_verified_at > limit for each in memories)
    if past.known is None and not any(verified_since):
        return list(memories)
    ids = {each.id for each in memories}
    changes = [row for row in rows_of_type(app.ledger, LifecycleRow, namespace) if row.memory_id in ids]
    return [_with_verification_as_of(memory_as_known(each, changes, past.known), changes, limit) for each in memories]


def _with_verification_as_of(memory: Memory, changes: Sequence[LifecycleRow], limit: datetime) -> Memory:
    """Return the memory with the `last_verified_at` that it had at `limit`, taken from the first row of `changes`
    (oldest first) after `limit` that changed this field; unchanged if there is no such row."""
    from pellucid.memory.changes import from_state

    later = (row for row in changes if row.memory_id == memory.id and row.timestamp > limit and VERIFIED in row.before)
    first = next(later, None)
    return memory.model_copy(update=from_state({VERIFIED: first.before[VERIFIED]})) if first else memory
