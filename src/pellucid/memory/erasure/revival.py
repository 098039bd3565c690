"""Memories that go for good in, what only they had retired in force again out: erasure keeps what others said."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from pellucid.memory.changes import ChangeSet, Fields, from_state
from pellucid.memory.reconcile.known import KnownStatements
from pellucid.model.ledger import LifecycleRow
from pellucid.model.memory import Memory
from pellucid.store.index_port import Index, Served
from pellucid.store.lookup_port import Lookup

_SAME_STATEMENT = frozenset({"edited"})
"""Reasons for which a memory gave way to a version of itself: who forgets the new wording does not ask for the old."""
_IN_FORCE: Fields = {"status": "active", "superseded_by": None, "invalid_at": None}


def orphans(held: Iterable[Served], rows: Iterable[LifecycleRow]) -> list[Served]:
    """The superseded memories whose successor is gone, though it was no mere rewording.

    `held` are all memories of a namespace, `rows` its changes.
    """
    served = list(held)
    ids = {each.memory.id for each in served}
    lost = {each.memory.id: each for each in served if each.memory.status == "superseded"}
    lost = {key: each for key, each in lost.items() if (by := each.memory.superseded_by) and by not in ids}
    if not lost:
        return []
    reworded = {key for key, row in _last_status_rows(rows, lost).items() if row.reason_code in _SAME_STATEMENT}
    return [each for key, each in lost.items() if key not in reworded]


def revive(
    changes: ChangeSet,
    known: tuple[Index, Lookup],
    held: Sequence[Served],
    rows: Iterable[LifecycleRow],
    gone: Collection[str],
) -> list[Served]:
    """Put in force again what only the memories `gone` (ids) had retired; returns the memories that change.

    What gave way to a memory that had itself given way to another that stays gives way to that one. What something in
    force contradicts plainly gives way to it. `held` are all memories of the namespace, `rows` its changes.
    """
    by_id = {each.memory.id: each for each in held}
    staying = [each for each in held if each.memory.id not in gone and _related_ids(each.memory).intersection(gone)]
    if not staying:
        return []
    last = _last_status_rows(rows, {each.memory.id for each in staying})
    changed: list[Served] = []
    for each in staying:
        fields, related = _fields_without(each.memory, last.get(each.memory.id), by_id, gone), _related_ids(each.memory)
        if fields.get("status") == "active" and (
            newer := _newer_contradiction(changes, known, each.memory, fields, gone)
        ):
            fields |= {"status": "superseded", "superseded_by": newer.id, "invalid_at": newer.valid_at or newer.created}
        if changes.change(each, "restored", fields, "source-forgotten", sorted(related.intersection(gone))):
            changed.append(each)
    return changed


def _fields_without(
    memory: Memory, row: LifecycleRow | None, held: Mapping[str, Served], gone: Collection[str]
) -> Fields:
    """The state of a memory that stays, with every reference to the memories `gone` taken out of it.

    `row` is the last change of its status, `held` are all memories by id.
    """
    fields: Fields = {
        "retired_attributes": {name: by for name, by in memory.retired_attributes.items() if by not in gone},
        "disputed_with": tuple(each for each in memory.disputed_with if each not in gone),
        "supersedes": tuple(each for each in memory.supersedes if each not in gone),
    }
    if not memory.superseded_by or memory.superseded_by not in gone or (row and row.reason_code in _SAME_STATEMENT):
        return fields
    if successor := _successor_of(memory.superseded_by, held, gone):
        return fields | {"superseded_by": successor}
    before = from_state(row.before) if row else {}
    return fields | _IN_FORCE | {name: value for name, value in before.items() if name in _IN_FORCE}


def _successor_of(by: str | None, held: Mapping[str, Served], gone: Collection[str]) -> str | None:
    """The id of the first memory that stays in the chain of those that replaced one another, from `by` on, or None."""
    seen: set[str] = set()
    while by and by in gone and by not in seen:
        seen.add(by)
        by = held[by].memory.superseded_by if by in held else None
    return by if by in held and by not in gone else None


def _newer_contradiction(
    changes: ChangeSet, known: tuple[Index, Lookup], memory: Memory, fields: Fields, gone: Collection[str]
) -> Memory | None:
    """A newer memory in force that plainly contradicts this one as `fields` would make it; None if there is none."""
    standing = KnownStatements(*known, changes)
    again = memory.model_copy(update=fields)
    standing.load([again])
    for each in standing.contradicted(again):
        found = each.of.memory if isinstance(each.of, Served) else each.of
        newer = (found.valid_at or found.created) >= (memory.valid_at or memory.created)
        if each.plain and newer and found.id not in gone:
            return found
    return None


def _related_ids(memory: Memory) -> set[str]:
    """The ids of the memories that a memory's state names."""
    by = [memory.superseded_by] if memory.superseded_by else []
    return {*by, *memory.retired_attributes.values(), *memory.disputed_with, *memory.supersedes}


def _last_status_rows(rows: Iterable[LifecycleRow], ids: Collection[str]) -> dict[str, LifecycleRow]:
    """By id, the last change of each of these memories that set its status."""
    return {row.memory_id: row for row in rows if row.memory_id in ids and "status" in row.after}
