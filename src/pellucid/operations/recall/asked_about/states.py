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
from pellucid.xray.why.pretend import standing
from pellucid.xray.why.trial import StateChange

_BY_HAND = (("invalid_at", "invalidAt"), ("expires_at", "expiresAt"), ("valid_at", "validAt"))


@dataclass(frozen=True, slots=True)
class Rehearsal(UnitOfWork):
    """A unit of work that writes nothing: what would have been committed is in `writes`."""

    writes: list[FileWrite] = field(default_factory=list[FileWrite])

    @contextmanager
    def deciding(
        self,
        namespace: str | None,  # noqa: ARG002 - as a unit of work is asked
        texts: Iterable[str] = (),  # noqa: ARG002
        *,
        wait_s: float = WAIT_S,  # noqa: ARG002
    ) -> Generator[None]:
        """Nothing is decided for good: no other writer need wait."""
        yield

    def commit(
        self,
        kind: OperationKind,  # noqa: ARG002 - as a unit of work is asked
        writes: Iterable[FileWrite],
        ledger: Iterable[dict[str, object]] = (),  # noqa: ARG002
        seen: Iterable[bytes] = (),  # noqa: ARG002
        removals: Iterable[FileRemoval] = (),  # noqa: ARG002
    ) -> CommitResult:
        """Take note of the files, and leave them as they are."""
        self.writes.extend(writes)
        return CommitResult("op_rehearsed", Folded())


def state_changes(app: App, held: Served, rows: Mapping[str, int], at: datetime) -> Iterator[StateChange]:
    """What would put the memory in force, or before others: undone, vouched for, edited by hand, pinned.

    `rows` are the rows of the namespace by memory id, `at` is now: nothing done today changes how it stood before.
    """
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
    """The effect of a verb on all that it would change; nothing where it would not put this one in force."""
    kept = app.unit_of_work
    rehearsal = Rehearsal(kept.records, kept.indexer, kept.clock, kept.clean, kept.exclusive)
    word = command.split()[-2]
    try:
        verb(replace(app, unit_of_work=rehearsal))
    except (InputError, NotFoundError, ConflictError) as error:
        yield StateChange("state", _state_in_words(held.memory), word, command, problem=error.message)
        return
    after = {each.id: each for each in _memories_in(app, rehearsal.writes) if each.id in rows}
    now = after.get(held.memory.id)
    if now is None or standing(now) == standing(held.memory) or not standing(now).active:
        return
    changed = _memories_changed(app, held.memory.namespace, after)
    standings = {rows[each.id]: standing(each) for each in changed}
    yield StateChange("state", _state_in_words(held.memory), _state_in_words(now), command, standings)


def _memories_changed(app: App, namespace: str, after: Mapping[str, Memory]) -> list[Memory]:
    """Those that would stand otherwise than they do: an episode's file holds many that would not."""
    before = {each.memory.id: standing(each.memory) for each in app.index.memories(namespace, list(after))}
    return [each for each in after.values() if before.get(each.id) != standing(each)]


def _memories_in(app: App, writes: Collection[FileWrite]) -> Iterator[Memory]:
    identity = FileIdentity(HAND_WRITTEN, app.key, app.clock.now())
    for write in writes:
        yield from (memory for memory, _ in parse(write.path, write.data, identity).memories)


def _changes_by_edit(held: Served, rows: Mapping[str, int], at: datetime) -> Iterator[StateChange]:
    """What an editor can change in its file, a line at a time."""
    memory, row = held.memory, rows[held.memory.id]
    if memory.status != "active":
        now = memory.model_copy(update={"status": "active"})
        said = f"set `status: active` in {held.path}"
        yield StateChange("status", memory.status, "active", said, {row: standing(now)})
    if memory.trust_zone == "quarantine":
        now = memory.model_copy(update={"trust_zone": "working"})
        said = f"set `trustZone: working` in {held.path}"
        yield StateChange("trustZone", "quarantine", "working", said, {row: standing(now)})
    for name, key in _BY_HAND:
        value: datetime | None = getattr(memory, name)
        if value and (value > at if name == "valid_at" else value <= at):
            now = memory.model_copy(update={name: None})
            yield StateChange(
                key, isoformat(value)[:10], "none", f"remove `{key}` from {held.path}", {row: standing(now)}
            )


def _state_in_words(memory: Memory) -> str:
    """Status, zone and pin in a few words."""
    quarantined = ", in quarantine" if memory.trust_zone == "quarantine" else ""
    return f"{memory.status}{quarantined}{', pinned' if memory.pinned else ''}"
