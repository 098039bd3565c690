"""A memory in, possible changes of its state out: each verb is rehearsed to its end, without the commit."""

from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from pellucid.app import HAND_WRITTEN, App
from pellucid.clock import isoformat
from pellucid.errors import ConflictError, InputError, NotFoundError, bare_step
from pellucid.memory.indexer import Folded
from pellucid.memory.unit_of_work import CommitResult, UnitOfWork
from pellucid.model.memory import Memory
from pellucid.operations.memory.changing import VerbInput, apply_verb
from pellucid.operations.memory.trusting import PromoteInput, promote
from pellucid.operations.memory.undoing import UndoInput, undo
from pellucid.store.index_port import Served
from pellucid.store.records import FileRemoval, FileWrite, OperationKind
from pellucid.vault.markdown import FileIdentity, parse
from pellucid.xray.whereabouts import standing
from pellucid.xray.why.trial import StateChange

_DATE_KEYS = (("invalid_at", "invalidAt"), ("expires_at", "expiresAt"), ("valid_at", "validAt"))


@dataclass(frozen=True, slots=True)
class Rehearsal(UnitOfWork):
    """A unit of work that writes nothing, and collects in `writes` the files that would have been committed."""

    writes: list[FileWrite] = field(default_factory=list[FileWrite])

    @contextmanager
    def deciding(
        self,
        namespace: str | None,  # noqa: ARG002 - as a unit of work is asked
        texts: Iterable[str] = (),  # noqa: ARG002
    ) -> Generator[None]:
        """Run a `with` block without a lock, and encode nothing: a rehearsal needs neither."""
        yield

    def commit(
        self,
        kind: OperationKind,  # noqa: ARG002 - as a unit of work is asked
        writes: Iterable[FileWrite],
        ledger: Iterable[dict[str, object]] = (),  # noqa: ARG002
        seen: Iterable[bytes] = (),  # noqa: ARG002
        removals: Iterable[FileRemoval] = (),  # noqa: ARG002
    ) -> CommitResult:
        """Append the files to `writes`, without writing them; ledger rows, keys and removals are dropped. The result
        has an invented operation id."""
        self.writes.extend(writes)
        return CommitResult("op_rehearsed", Folded())


def state_changes(app: App, served: Served, rows: Mapping[str, int], at: datetime) -> Iterator[StateChange]:
    """Yield the changes of state that would put a memory in force (active, not in quarantine, valid) or rank it higher:
    undo, promote, edit by hand, pin. Nothing is written. A change that would be refused has the reason as its
    `problem`. `rows` maps the ids of the namespace's memories, this one included, to index rows; `at` is the instant at
    which validity is judged."""
    memory = served.memory
    fields: Any = {"namespace": memory.namespace, "memory_id": memory.id}
    in_force = memory.status == "active" and memory.trust_zone != "quarantine"
    if not in_force or memory.invalid_at:
        target = UndoInput(namespace=memory.namespace, target=memory.id)
        way = bare_step("change.undo", target=memory.id)
        yield from _change_by_verb(app, served, rows, "undo", way, lambda dry: undo(dry, target))
    if memory.trust_zone == "quarantine":
        way = bare_step("trust.promote", memory_id=memory.id)
        target_zone = PromoteInput(**fields)
        yield from _change_by_verb(app, served, rows, "promote", way, lambda dry: promote(dry, target_zone))
    yield from _changes_by_edit(served, rows, at)
    if not memory.pinned:
        way, asked = bare_step("memory.pin", memory_id=memory.id), VerbInput(**fields)
        yield from _change_by_verb(app, served, rows, "pin", way, lambda dry: apply_verb(dry, "pin", asked))


def _change_by_verb(
    app: App, served: Served, rows: Mapping[str, int], word: str, way: str, verb: Callable[[App], object]
) -> Iterator[StateChange]:
    """Rehearse an operation on the memory `served` (nothing is written), and yield at most one change: the new
    standings of all memories in `rows` that it would alter, or its problem if it is refused. Yield nothing if, after
    it, the memory would not be active, or its `standing` (its pin, and what decides whether a recall may return it)
    would be as before. `word` names the operation, `way` is its call as text; `verb` runs it in the app that it is
    called with. `rows` maps the ids of the namespace's memories to index rows."""
    work = app.unit_of_work
    rehearsal = Rehearsal(work.records, work.indexer, work.clock, work.exclusive)
    try:
        verb(replace(app, unit_of_work=rehearsal))
    except (InputError, NotFoundError, ConflictError) as error:
        yield StateChange("state", _describe_state(served.memory), word, way, problem=error.message)
        return
    after = {each.id: each for each in _parse_memories(app, rehearsal.writes) if each.id in rows}
    changed_memory = after.get(served.memory.id)
    if changed_memory is None or not standing(changed_memory).active:
        return
    if standing(changed_memory) == standing(served.memory):
        return
    changed = _memories_with_new_standing(app, served.memory.namespace, after)
    standings = {rows[each.id]: standing(each) for each in changed}
    was, now = _describe_state(served.memory), _describe_state(changed_memory)
    yield StateChange("state", was, "pinned" if now == f"{was}, pinned" else now, way, standings)


def _memories_with_new_standing(app: App, namespace: str, after: Mapping[str, Memory]) -> list[Memory]:
    """Return those memories of `after`, a map from ids to memories, whose `standing` (pin, and what decides whether a
    recall may return them) differs from today's. The others are only in the same file, as the passages of an episode
    are."""
    before = {each.memory.id: standing(each.memory) for each in app.index.memories(namespace, list(after))}
    return [each for each in after.values() if before.get(each.id) != standing(each)]


def _parse_memories(app: App, writes: Collection[FileWrite]) -> Iterator[Memory]:
    """Yield the memories in the files that would be written."""
    identity = FileIdentity(HAND_WRITTEN, app.key, app.clock.now())
    for write in writes:
        yield from (memory for memory, _ in parse(write.path, write.data, identity).memories)


def _changes_by_edit(served: Served, rows: Mapping[str, int], at: datetime) -> Iterator[StateChange]:
    """Yield the one-line edits of a memory's file, each of which removes one obstacle to its being in force at `at`: a
    status other than active, quarantine, a validity that has ended, expired or not begun. `rows` maps ids of memories,
    also of this one, to index rows."""
    memory, row = served.memory, rows[served.memory.id]
    if memory.status != "active":
        now = memory.model_copy(update={"status": "active"})
        edit = f"set `status: active` in {served.path}"
        yield StateChange("status", memory.status, "active", edit, {row: standing(now)})
    if memory.trust_zone == "quarantine":
        now = memory.model_copy(update={"trust_zone": "working"})
        edit = f"set `trustZone: working` in {served.path}"
        yield StateChange("trustZone", "quarantine", "working", edit, {row: standing(now)})
    for name, key in _DATE_KEYS:
        value: datetime | None = getattr(memory, name)
        if value and (value > at if name == "valid_at" else value <= at):
            now = memory.model_copy(update={name: None})
            edit = f"remove `{key}` from {served.path}"
            yield StateChange(key, isoformat(value)[:10], "none", edit, {row: standing(now)})


def _describe_state(memory: Memory) -> str:
    """Describe a memory's status, quarantine and pin, such as `active, in quarantine, pinned`."""
    quarantined = ", in quarantine" if memory.trust_zone == "quarantine" else ""
    return f"{memory.status}{quarantined}{', pinned' if memory.pinned else ''}"
