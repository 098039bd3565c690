"""Memories that go for good in, memories that only they had retired, in force again, out."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from pellucid.memory.changes import ChangeSet, Fields, from_state
from pellucid.memory.reconcile.known import KnownStatements
from pellucid.model.ledger import LifecycleRow
from pellucid.model.memory import Memory
from pellucid.store.index_port import Index, Served
from pellucid.store.lookup_port import Lookup

_SAME_STATEMENT = frozenset({"edited"})
"""Reasons of rows by which a memory gave way to its own rewording: forgetting the new words does not revive the old."""
_IN_FORCE: Fields = {"status": "active", "superseded_by": None, "invalid_at": None}


def orphans(memories: Iterable[Served], rows: Iterable[LifecycleRow]) -> list[Served]:
    """Return the superseded memories whose successor is gone, except those that were merely reworded, that is whose
    last change of status has the reason `edited`.

    They come in the order of `memories`, all of a namespace; `rows` are its lifecycle rows, oldest first.
    """
    listed = list(memories)
    ids = {each.memory.id for each in listed}
    superseded = {each.memory.id: each for each in listed if each.memory.status == "superseded"}
    superseded = {key: each for key, each in superseded.items() if (by := each.memory.superseded_by) and by not in ids}
    if not superseded:
        return []
    reworded = {key for key, row in _last_status_rows(rows, superseded).items() if row.reason_code in _SAME_STATEMENT}
    return [each for key, each in superseded.items() if key not in reworded]


def revive(
    changes: ChangeSet,
    index_and_lookup: tuple[Index, Lookup],
    memories: Sequence[Served],
    rows: Iterable[LifecycleRow],
    gone: Collection[str],
) -> list[Served]:
    """Put in force again what only the memories `gone` (ids) had retired; return the memories that change.

    References of the staying memories to those gone are removed, too. If the memory that retired another was itself
    replaced by one that stays, that one takes its place. A revived memory that something newer in force plainly
    contradicts (looked up in `index_and_lookup`) gives way to that. The changes are added to `changes`; nothing is
    written. `memories` are all of the namespace, `rows` its lifecycle rows, oldest first.
    """
    by_id = {each.memory.id: each for each in memories}
    staying = (each for each in memories if each.memory.id not in gone)
    affected = [each for each in staying if _related_ids(each.memory).intersection(gone)]
    if not affected:
        return []
    last = _last_status_rows(rows, {each.memory.id for each in affected})
    changed: list[Served] = []
    for each in affected:
        memory = each.memory
        fields = _fields_without(memory, last.get(memory.id), by_id, gone)
        is_active = fields.get("status") == "active"
        if is_active and (newer := _newer_contradiction(changes, index_and_lookup, memory, fields, gone)):
            fields |= {"status": "superseded", "superseded_by": newer.id, "invalid_at": newer.holds_since}
        related = sorted(_related_ids(memory).intersection(gone))
        if changes.change(each, "restored", fields, "source-forgotten", related):
            changed.append(each)
    return changed


def _fields_without(
    memory: Memory, row: LifecycleRow | None, by_id: Mapping[str, Served], gone: Collection[str]
) -> Fields:
    """Return the state fields of a memory that stays, without any reference to the memories `gone`.

    If one of these superseded it, it gets the first successor that stays; without one, the state from before that
    change (by default: active), unless it had only been reworded. `row` is the last change of its status, if any;
    `by_id` are all memories of the namespace.
    """
    fields: Fields = {
        "retired_attributes": {name: by for name, by in memory.retired_attributes.items() if by not in gone},
        "disputed_with": tuple(each for each in memory.disputed_with if each not in gone),
        "supersedes": tuple(each for each in memory.supersedes if each not in gone),
    }
    if not memory.superseded_by or memory.superseded_by not in gone or (row and row.reason_code in _SAME_STATEMENT):
        return fields
    if successor := _successor_of(memory.superseded_by, by_id, gone):
        return fields | {"superseded_by": successor}
    before = from_state(row.before) if row else {}
    return fields | _IN_FORCE | {name: value for name, value in before.items() if name in _IN_FORCE}


def _successor_of(successor: str | None, by_id: Mapping[str, Served], gone: Collection[str]) -> str | None:
    """Return the id of the first memory in the chain of replacements from `successor` on that is in `by_id`, all
    memories of the namespace, and not in `gone`; None if there is none, or the chain runs in a circle.
    """
    seen: set[str] = set()
    while successor and successor in gone and successor not in seen:
        seen.add(successor)
        successor = by_id[successor].memory.superseded_by if successor in by_id else None
    return successor if successor in by_id and successor not in gone else None


def _newer_contradiction(
    changes: ChangeSet, index_and_lookup: tuple[Index, Lookup], memory: Memory, fields: Fields, gone: Collection[str]
) -> Memory | None:
    """Return a memory in force that would plainly contradict `memory` with these fields, holds since the same time or
    later, and is not in `gone`; None if there is none. It is looked up in `index_and_lookup`, and taken as `changes`
    leave it.
    """
    statements = KnownStatements(*index_and_lookup, changes)
    revived = memory.model_copy(update=fields)
    statements.load([revived])
    for each in statements.contradicted(revived):
        other = each.of.memory if isinstance(each.of, Served) else each.of
        newer = other.holds_since >= memory.holds_since
        if each.plain and newer and other.id not in gone:
            return other
    return None


def _related_ids(memory: Memory) -> set[str]:
    """Return the ids of all memories that a memory's state names: those that it supersedes, is superseded by or is
    disputed with, and those by which its attributes were retired.
    """
    by = [memory.superseded_by] if memory.superseded_by else []
    return {*by, *memory.retired_attributes.values(), *memory.disputed_with, *memory.supersedes}


def _last_status_rows(rows: Iterable[LifecycleRow], ids: Collection[str]) -> dict[str, LifecycleRow]:
    """Map the ids of these memories to the last row that changed their status; without such a row an id is left out.
    `rows` are oldest first.
    """
    return {row.memory_id: row for row in rows if row.memory_id in ids and "status" in row.after}
