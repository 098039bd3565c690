"""Decisions about kept memories in, file edits and ledger rows out: the one way to change the state of a memory.

The words of a memory never change in place: other words are a new memory that supersedes it. Only its state changes
here: status, validity, pin, trust. Each change leaves a row with the old and the new state, and so can be undone.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from pydantic.alias_generators import to_camel

from pellucid.clock import Clock, isoformat
from pellucid.errors import ConflictError
from pellucid.model.ledger import Actor, Event, LifecycleRow
from pellucid.model.memory import Memory, Status
from pellucid.store.index_port import Served
from pellucid.store.records import FileWrite, Records, content_digest
from pellucid.vault.documents import edit_section, holds_section
from pellucid.vault.markdown import edit_memory, edit_moment, memory_path, render_memory

STATE_FIELDS = frozenset(
    {
        *("status", "pinned", "trust_zone", "asserted_by", "episode_id"),
        *("valid_at", "invalid_at", "expires_at", "last_verified_at"),
        *("supersedes", "superseded_by", "retired_attributes", "disputed_with", "derived_from"),
    }
)
"""The fields that are allowed to change in place; ledger rows can contain them, for none of them contains words."""
_OF_MOMENTS = frozenset({"status", "pinned", "trust_zone"})
"""The state fields that the marker of a moment can contain."""
_OF_SECTIONS = frozenset({"trust_zone"})
"""The state fields that the marker of a document's section can contain; a header version has no marker."""

Fields = dict[str, Any]
"""Maps names of fields of `Memory` to new values."""


@dataclass(frozen=True, slots=True)
class WritePlan:
    """The files and the ledger rows that one operation is to write."""

    writes: tuple[FileWrite, ...]
    rows: tuple[dict[str, object], ...]


@dataclass(slots=True)
class ChangeSet:
    """Collects the changes of one operation to memories of a namespace; `plan` turns them into files and rows."""

    records: Records
    namespace: str
    actor: Actor
    clock: Clock
    _fresh: dict[str, Memory] = field(default_factory=dict[str, Memory])
    _edited: dict[str, tuple[Served, Fields]] = field(default_factory=dict[str, "tuple[Served, Fields]"])
    _rows: list[LifecycleRow] = field(default_factory=list[LifecycleRow])

    @property
    def fresh(self) -> tuple[Memory, ...]:
        """The memories that this operation creates, with the changes it made to them since, in order of creation."""
        return tuple(self._fresh.values())

    def create(self, memory: Memory, event: Event | None = None, reason: str = "", related: Iterable[str] = ()) -> None:
        """Add a new memory, of which `plan` will make a file; with an `event`, add a ledger row about it, too, with
        `reason` and `related` ids.

        Nothing is written before the caller commits what `plan` returns.
        """
        self._fresh[memory.id] = memory
        if event:
            self._note_change(memory.id, event, {}, {"status": memory.status}, reason, related)

    def now(self, memory: Memory) -> Memory:
        """Return the memory with the changes that this operation has made to it so far."""
        if memory.id in self._fresh:
            return self._fresh[memory.id]
        return memory.model_copy(update=self._edited[memory.id][1]) if memory.id in self._edited else memory

    def status_of(self, memory_id: str) -> Status | None:
        """Return the status that this operation gives a memory; None if the operation does not touch the memory."""
        if memory_id in self._edited:
            return self.now(self._edited[memory_id][0].memory).status
        return self._fresh[memory_id].status if memory_id in self._fresh else None

    def change(
        self, target: Served | Memory, event: Event, fields: Fields, reason: str = "", related: Iterable[str] = ()
    ) -> bool:
        """Change the state of a memory in this operation; return whether anything changes. Nothing is written before
        the commit.

        `target` is a stored memory as `Served`, or a memory that this operation creates. `fields` maps names of
        `STATE_FIELDS` to new values; others fail an assertion. Those that the memory's file cannot contain are ignored.
        `event`, `reason` and the ids of `related` memories go into the ledger row; without a change there is no row.

        Raises:
            ConflictError: the file of a section is gone.
        """
        memory = self.now(target.memory if isinstance(target, Served) else target)
        assert fields.keys() <= STATE_FIELDS, "words are changed by superseding"
        changeable = self.changeable_fields(target)
        new = {name: value for name, value in fields.items() if name in changeable and getattr(memory, name) != value}
        if not new:
            return False
        names = tuple(memory.structured_attributes)
        before = _with_numbered_attributes(_written_state({name: getattr(memory, name) for name in new}), names)
        after = _with_numbered_attributes(_written_state(new), names)
        if memory.id in self._fresh:
            self._fresh[memory.id] = memory.model_copy(update=new)
        else:
            assert isinstance(target, Served)
            self._edited[memory.id] = (target, {**self._edited.get(memory.id, (target, {}))[1], **new})
        self._note_change(memory.id, event, before, after, reason, related)
        return True

    def changeable_fields(self, target: Served | Memory) -> frozenset[str]:
        """Return the names of the state fields that the memory's file can contain; empty for a document's header
        version (its header as it once was), and for a section that is not given as `Served`.

        Raises:
            ConflictError: the file of a section is gone.
        """
        category = (target.memory if isinstance(target, Served) else target).category
        if category == "section":
            has_marker = isinstance(target, Served) and holds_section(self._file_bytes(target), target.memory.id)
            return _OF_SECTIONS if has_marker else frozenset()
        return _OF_MOMENTS if category == "moment" else STATE_FIELDS

    def corroborate(self, memory_id: str, source_class: str, session_id: str | None) -> None:
        """Add a row saying that a memory's words were said again, and in which session, to the ledger rows that `plan`
        will return; no file changes.

        `source_class` is that of the words said again; it becomes the row's reason.
        """
        self._note_change(memory_id, "corroborated", {}, {}, source_class, (), session_id)

    def plan(self, drafts: Sequence[FileWrite] = ()) -> WritePlan:
        """Return all files and ledger rows of the operation: of the memories it creates and changes, and `drafts`,
        other files that it writes.

        If a changed memory's file is among the drafts, the change is made in the draft. Nothing is written.

        Raises:
            ConflictError: a file is gone, or no longer contains the memory.
        """
        drafted = {each.path: each for each in drafts}
        writes: dict[str, FileWrite] = {}
        for served, fields in self._edited.values():
            if not (write := writes.get(served.path) or drafted.get(served.path)):
                current_bytes = self._file_bytes(served)
                write = FileWrite(served.path, current_bytes, content_digest(current_bytes))
            writes[served.path] = replace(write, data=self._with_fields(write, served.memory, fields))
        untouched = [each for each in drafts if each.path not in writes]
        fresh = map(memory_write, self._fresh.values())
        return WritePlan((*untouched, *fresh, *writes.values()), tuple(row.to_wire() for row in self._rows))

    def _file_bytes(self, served: Served) -> bytes:
        """Return the current bytes of a memory's vault file; raise ConflictError if the file is gone."""
        data = self.records.heads([served.path])[0].data
        if data is None:
            raise ConflictError(
                f"{served.path} is gone: the memory in it was deleted just now", next_step="repeat the command"
            )
        return data

    def _with_fields(self, write: FileWrite, memory: Memory, fields: Fields) -> bytes:
        """Return the bytes of `write`, a memory's vault file, with these fields, and the key `updated`, changed.

        `updated` stays for a moment or section, and if only `last_verified_at` changes. Raises ConflictError if the
        file contains another memory now.
        """
        data = write.data
        if memory.category == "moment":
            return edit_moment(data, memory.id, _written_state(fields))
        if memory.category == "section":
            return edit_section(data, memory.id, {"quarantined": fields["trust_zone"] == "quarantine"})
        if memory.id.encode() not in data:  # a hand-written file names no id: it is its path's
            _refuse_other_id(write.path, data, memory)
        values = _written_state(fields)
        if fields.keys() - {"last_verified_at"}:  # to stand behind a memory again is no change of it
            values["updated"] = isoformat(self.clock.now())
        return edit_memory(data, {key: value if value not in ([], {}) else None for key, value in values.items()})

    def _note_change(
        self,
        memory_id: str,
        event: Event,
        before: Fields,
        after: Fields,
        reason: str,
        related: Iterable[str],
        session_id: str | None = None,
    ) -> None:
        """Add a row about a memory to the ledger rows that `plan` returns, with the `event`, the state before and after
        it, the `reason`, the ids of `related` memories, each once, and the session in which it happened, if one is
        given. Nothing is written before the operation is committed.
        """
        self._rows.append(
            LifecycleRow(
                event_id=self.clock.new_id("evt"),
                memory_id=memory_id,
                namespace=self.namespace,
                event_type=event,
                timestamp=self.clock.now(),
                actor=self.actor,
                reason_code=reason,
                related_memory_ids=tuple(dict.fromkeys(related)),
                before=before,
                after=after,
                session_id=session_id,
            )
        )


def _written_state(fields: Fields) -> dict[str, object]:
    """Return fields as JSON has them: camelCase keys, instants as text, tuples as lists; None stays None."""
    checked = Memory.model_construct(**fields)
    values = checked.model_dump(mode="json", by_alias=True, include=set(fields), warnings=False)
    return {key: values[key] for key in map(to_camel, fields)}


def _with_numbered_attributes(state: dict[str, object], names: Sequence[str]) -> dict[str, object]:
    """Return a written state for the ledger, its retired attributes replaced by their indices in `names`.

    `names` are the memory's attributes. A name can be a word of the memory's text, and the ledger contains no such
    word.
    """
    retired = state.get("retiredAttributes")
    if not isinstance(retired, dict):
        return state
    retired_names = cast("dict[str, str]", retired).items()
    return {**state, "retiredAttributes": {str(names.index(name)): by for name, by in retired_names if name in names}}


def _refuse_other_id(path: str, data: bytes, memory: Memory) -> None:
    """Raise ConflictError if the bytes of a file, which do not contain the id of `memory`, have a line `id: …` with
    another id; `path` is named in the error. Do nothing if they have no such line.
    """
    named = re.search(rb"^id:[ \t]*(\S+)", data, re.MULTILINE)
    if named:
        raise ConflictError(
            f"{path} holds {named[1].decode(errors='replace')} now, not {memory.id}", next_step="repeat the command"
        )


def from_state(state: dict[str, object], names: Sequence[str] = ()) -> Fields:
    """Return the fields of a memory from the `before` or `after` of a ledger row; keys of no state field are left out.

    `names` are the memory's attributes in their order, by which retired ones are numbered in the row; numbers beyond
    them are left out. Instants are in UTC; a value of None becomes the field's default.

    Raises:
        ValueError: the row was tampered with (mostly as pydantic's ValidationError).
    """
    fields = {to_camel(name): name for name in STATE_FIELDS}
    values = {fields[key]: value for key, value in state.items() if key in fields}
    if isinstance(retired := values.get("retired_attributes"), dict):
        by_place = cast("dict[str, str]", retired).items()
        values["retired_attributes"] = {names[int(place)]: by for place, by in by_place if int(place) < len(names)}
    base: dict[str, object] = {
        "id": "mem_" + "0" * 32,
        "category": "fact",
        "namespace": "local/default",
        "created": "2000-01-01T00:00:00Z",
        "updated": "2000-01-01T00:00:00Z",
        "source": "manual",
    }
    checked = Memory.model_validate(base | {name: value for name, value in values.items() if value is not None})
    return {
        name: getattr(checked, name)
        if value is not None
        else Memory.model_fields[name].get_default(call_default_factory=True)
        for name, value in values.items()
    }


def memory_write(memory: Memory) -> FileWrite:
    """Return the write of a new memory's vault file; committing it fails if there is such a file already."""
    return FileWrite(memory_path(memory), render_memory(memory))
