"""A memory in, what could be done to its state out: each verb rehearsed to its end, with the commit left out."""

from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from pellucid.app import HAND_WRITTEN, App
from pellucid.clock import isoformat
from pellucid.errors import ConflictError, InputError, NotFoundError
from pellucid.memory.indexer import Folded
from pellucid.memory.unit_of_work import WAIT_S, CommitResult, UnitOfWork
from pellucid.model.memory import Memory
from pellucid.operations.memory.changing import VerbInput, apply_verb
from pellucid.operations.memory.trusting import PromoteInput, promote
from pellucid.operations.memory.undoing import UndoInput, undo
from pellucid.store.index_port import Served
from pellucid.store.records import FileRemoval, FileWrite, OperationKind
from pellucid.vault.markdown import FileIdentity, parse
from pellucid.xray.why.trial import StateChange
from pellucid.xray.why.whereabouts import standing

_DATE_KEYS = (("invalid_at", "invalidAt"), ("expires_at", "expiresAt"), ("valid_at", "validAt"))


@dataclass(frozen=True, slots=True)
class Rehearsal(UnitOfWork):
    """A unit of work that writes nothing, and collects in `writes` what would have been committed."""

    writes: list[FileWrite] = field(default_factory=list[FileWrite])

    @contextmanager
    def deciding(
        self,
        namespace: str | None,  # noqa: ARG002 - as a unit of work is asked
        texts: Iterable[str] = (),  # noqa: ARG002
        *,
        wait_s: float = WAIT_S,  # noqa: ARG002
    ) -> Generator[None]:
        """Do not lock: nothing is decided for good."""
        yield

    def commit(
        self,
        kind: OperationKind,  # noqa: ARG002 - as a unit of work is asked
        writes: Iterable[FileWrite],
        ledger: Iterable[dict[str, object]] = (),  # noqa: ARG002
        seen: Iterable[bytes] = (),  # noqa: ARG002
        removals: Iterable[FileRemoval] = (),  # noqa: ARG002
    ) -> CommitResult:
        """Collect the files to write in `writes`, without writing them; ledger rows and removals are dropped."""
        self.writes.extend(writes)
        return CommitResult("op_rehearsed", Folded())


def state_changes(app: App, held: Served, rows: Mapping[str, int], at: datetime) -> Iterator[StateChange]:
    """Yield changes of state that would put a memory in force or rank it higher: undo, promote, edit by hand, pin; one
    that fails is told with its problem. `rows` are the index rows of the namespace's memories by id, `at` is now."""
    memory = held.memory
    there: Any = {"namespace": memory.namespace, "memory_id": memory.id}
    in_force = memory.status == "active" and memory.trust_zone != "quarantine"
    if not in_force or memory.invalid_at:
        target = UndoInput(namespace=memory.namespace, target=memory.id)
        yield from _change_by_verb(app, held, rows, f"pellucid undo {memory.id}", lambda dry: undo(dry, target))
    if memory.trust_zone == "quarantine":
        yield from _change_by_verb(
            app, held, rows, f"pellucid trust promote {memory.id}", lambda dry: promote(dry, PromoteInput(**there))
        )
    yield from _changes_by_edit(held, rows, at)
    if not memory.pinned:
        yield from _change_by_verb(
            app, held, rows, f"pellucid pin {memory.id}", lambda dry: apply_verb(dry, "pin", VerbInput(**there))
        )


def _change_by_verb(
    app: App, held: Served, rows: Mapping[str, int], command: str, verb: Callable[[App], object]
) -> Iterator[StateChange]:
    """Rehearse an operation, and yield its effect on all memories it changes, or why it fails; nothing if it would not
    put this one in force, or changes nothing in how it stands. `command` is its command line, `verb` runs it in a given
    app."""
    kept = app.unit_of_work
    rehearsal = Rehearsal(kept.records, kept.indexer, kept.clock, kept.clean, kept.exclusive)
    word = command.split()[-2]
    try:
        verb(replace(app, unit_of_work=rehearsal))
    except (InputError, NotFoundError, ConflictError) as error:
        yield StateChange("state", _describe_state(held.memory), word, command, problem=error.message)
        return
    after = {each.id: each for each in _parse_memories(app, rehearsal.writes) if each.id in rows}
    now = after.get(held.memory.id)
    if now is None or standing(now) == standing(held.memory) or not standing(now).active:
        return
    changed = _memories_with_new_standing(app, held.memory.namespace, after)
    standings = {rows[each.id]: standing(each) for each in changed}
    was, to = _describe_state(held.memory), _describe_state(now)
    to = "pinned" if to == f"{was}, pinned" else to
    yield StateChange("state", was, to, command, standings)


def _memories_with_new_standing(app: App, namespace: str, after: Mapping[str, Memory]) -> list[Memory]:
    """Return the memories of `after` whose standing differs from today's; an episode's file holds many others."""
    before = {each.memory.id: standing(each.memory) for each in app.index.memories(namespace, list(after))}
    return [each for each in after.values() if before.get(each.id) != standing(each)]


def _parse_memories(app: App, writes: Collection[FileWrite]) -> Iterator[Memory]:
    """Parse the memories of files about to be written."""
    identity = FileIdentity(HAND_WRITTEN, app.key, app.clock.now())
    for write in writes:
        yield from (memory for memory, _ in parse(write.path, write.data, identity).memories)


def _changes_by_edit(held: Served, rows: Mapping[str, int], at: datetime) -> Iterator[StateChange]:
    """Yield the one-line edits of a memory's file that would put it in force, or help to; none if nothing is in the
    way."""
    memory, row = held.memory, rows[held.memory.id]
    if memory.status != "active":
        now = memory.model_copy(update={"status": "active"})
        said = f"set `status: active` in {held.path}"
        yield StateChange("status", memory.status, "active", said, {row: standing(now)})
    if memory.trust_zone == "quarantine":
        now = memory.model_copy(update={"trust_zone": "working"})
        said = f"set `trustZone: working` in {held.path}"
        yield StateChange("trustZone", "quarantine", "working", said, {row: standing(now)})
    for name, key in _DATE_KEYS:
        value: datetime | None = getattr(memory, name)
        if value and (value > at if name == "valid_at" else value <= at):
            now = memory.model_copy(update={name: None})
            yield StateChange(
                key, isoformat(value)[:10], "none", f"remove `{key}` from {held.path}", {row: standing(now)}
            )


def _describe_state(memory: Memory) -> str:
    """Say a memory's status, quarantine and pin in a few words, such as `active, in quarantine, pinned`."""
    quarantined = ", in quarantine" if memory.trust_zone == "quarantine" else ""
    return f"{memory.status}{quarantined}{', pinned' if memory.pinned else ''}"
