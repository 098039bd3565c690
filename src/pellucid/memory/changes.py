"""Decisions about kept memories in, file edits and ledger rows out: one way to change the state of a memory.

What a memory *says* never changes in place: other words are a new memory that supersedes it. What changes here is its
state: status, validity, pin, trust. Each change leaves a row that says what was and what is, and so can be undone.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
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
"""What may change in place; a ledger row may hold these, for none of them holds words."""
_OF_MOMENTS = frozenset({"status", "pinned", "trust_zone"})
"""What the marker of a verbatim turn can say."""
_OF_SECTIONS = frozenset({"trust_zone"})
"""What the marker of a document's section can say; a version of its header has none."""

Fields = dict[str, Any]
"""New values by the names of fields of `Memory`."""


@dataclass(frozen=True, slots=True)
class WritePlan:
    """The files and the ledger rows that one operation writes."""

    writes: tuple[FileWrite, ...]
    rows: tuple[dict[str, object], ...]


@dataclass(slots=True)
class ChangeSet:
    """Collects what one operation does to the memories of a namespace; `plan` says it in files and rows."""

    records: Records
    namespace: str
    actor: Actor
    clock: Clock
    _fresh: dict[str, Memory] = field(default_factory=dict[str, Memory])
    _edited: dict[str, tuple[Served, Fields]] = field(default_factory=dict[str, "tuple[Served, Fields]"])
    _rows: list[LifecycleRow] = field(default_factory=list[LifecycleRow])

    @property
    def fresh(self) -> tuple[Memory, ...]:
        """The memories this operation creates, with the changes it makes to them."""
        return tuple(self._fresh.values())

    def create(self, memory: Memory, event: Event | None = None, reason: str = "", related: Iterable[str] = ()) -> None:
        """Add a new memory; with an `event`, the ledger gets a row about its creation."""
        self._fresh[memory.id] = memory
        if event:
            self._note_change(memory.id, event, {}, {"status": memory.status}, reason, related)

    def now(self, memory: Memory) -> Memory:
        """The memory with the changes that this operation has made to it so far."""
        if memory.id in self._fresh:
            return self._fresh[memory.id]
        return memory.model_copy(update=self._edited[memory.id][1]) if memory.id in self._edited else memory

    def status_of(self, memory_id: str, fresh: Memory | None = None) -> Status | None:
        """The status that this operation gives a memory; None where it does not touch it.

        `fresh` is the memory, if this operation creates it.
        """
        if memory_id in self._edited:
            return self.now(self._edited[memory_id][0].memory).status
        return self.now(fresh).status if fresh else None

    def change(
        self, of: Served | Memory, event: Event, fields: Fields, reason: str = "", related: Iterable[str] = ()
    ) -> bool:
        """Change the state of a kept memory, or of one this operation creates; False if nothing changes.

        `event`, `reason` and the ids of `related` memories go to the ledger.
        """
        memory = self.now(of.memory if isinstance(of, Served) else of)
        assert fields.keys() <= STATE_FIELDS, "words are changed by superseding"
        changeable = self.changeable_fields(of)
        new = {name: value for name, value in fields.items() if name in changeable and getattr(memory, name) != value}
        if not new:
            return False
        names = tuple(memory.structured_attributes)
        before = _with_numbered_attributes(_written_state({name: getattr(memory, name) for name in new}), names)
        after = _with_numbered_attributes(_written_state(new), names)
        if memory.id in self._fresh:
            self._fresh[memory.id] = memory.model_copy(update=new)
        else:
            assert isinstance(of, Served)
            self._edited[memory.id] = (of, {**self._edited.get(memory.id, (of, {}))[1], **new})
        self._note_change(memory.id, event, before, after, reason, related)
        return True

    def changeable_fields(self, of: Served | Memory) -> frozenset[str]:
        """The names of the fields that the file of a memory can hold; none for a version of a document's header.

        Raises:
            ConflictError: the file of a section is gone.
        """
        category = (of.memory if isinstance(of, Served) else of).category
        if category == "section":
            there = isinstance(of, Served) and holds_section(self._file_bytes(of), of.memory.id)
            return _OF_SECTIONS if there else frozenset()
        return _OF_MOMENTS if category == "moment" else STATE_FIELDS

    def corroborate(self, memory_id: str, source_class: str, session_id: str | None) -> None:
        """Note in the ledger that a memory's words were said once more, by whom and where; its file stays."""
        self._note_change(memory_id, "corroborated", {}, {}, source_class, ())
        self._rows[-1] = self._rows[-1].model_copy(update={"session_id": session_id})

    def plan(self, drafts: Sequence[FileWrite] = ()) -> WritePlan:
        """All files and ledger rows of the operation: its changes, and `drafts`, the files it writes besides.

        A change of a memory whose file is among the drafts is made in the draft.

        Raises:
            ConflictError: a file is gone or holds the memory no longer; nothing was written.
        """
        drafted = {each.path: (each.base_hash, each.data) for each in drafts}
        files: dict[str, tuple[str | None, bytes]] = {}
        for served, fields in self._edited.values():
            if not (known := files.get(served.path) or drafted.get(served.path)):
                now = self._file_bytes(served)
                known = content_digest(now), now
            base, data = known
            files[served.path] = base, self._with_fields(data, served.path, served.memory, fields)
        writes = [FileWrite(path, data, base) for path, (base, data) in files.items()]
        untouched = [each for each in drafts if each.path not in files]
        return WritePlan(
            (*untouched, *map(memory_write, self._fresh.values()), *writes), tuple(row.to_wire() for row in self._rows)
        )

    def _file_bytes(self, served: Served) -> bytes:
        """The bytes of a memory's vault file as they are now; ConflictError if it is gone."""
        data = self.records.heads([served.path])[0].data
        if data is None:
            raise ConflictError(
                f"{served.path} is gone: the memory in it was deleted just now", next_step="repeat the command"
            )
        return data

    def _with_fields(self, data: bytes, served_path: str, memory: Memory, fields: Fields) -> bytes:
        """The bytes of a memory's vault file with these fields of it changed, and `updated` with them.

        `updated` stays for a turn or a section, and where only `last_verified_at` changes. ConflictError if the file
        holds another memory now.
        """
        if memory.category == "moment":
            return edit_moment(data, memory.id, _written_state(fields))
        if memory.category == "section":
            return edit_section(data, memory.id, {"quarantined": fields["trust_zone"] == "quarantine"})
        if memory.id.encode() not in data:  # a hand-written file names no id: it is its path's
            _check_names_no_id(served_path, data, memory)
        values = _written_state(fields)
        if fields.keys() - {"last_verified_at"}:  # to stand behind a memory again is no change of it
            values["updated"] = isoformat(self.clock.now())
        return edit_memory(data, {key: value if value not in ([], {}) else None for key, value in values.items()})

    def _note_change(
        self, memory_id: str, event: Event, before: Fields, after: Fields, reason: str, related: Iterable[str]
    ) -> None:
        """Add a row for the ledger that says what was (`before`) and what is (`after`)."""
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
            )
        )


def _written_state(fields: Fields) -> dict[str, object]:
    """Fields as a file has them: camelCase keys, instants as text, absent values None."""
    checked = Memory.model_construct(**fields)
    values = checked.model_dump(mode="json", by_alias=True, include=set(fields), warnings=False)
    return {key: values[key] for key in map(to_camel, fields)}


def _with_numbered_attributes(state: dict[str, object], names: Sequence[str]) -> dict[str, object]:
    """A written state for the ledger: its retired attributes by their index in `names`, all of the memory's.

    A name may be a word of the memory's text, and the ledger holds no such word.
    """
    retired = state.get("retiredAttributes")
    if not isinstance(retired, dict):
        return state
    held = cast("dict[str, str]", retired).items()
    return {**state, "retiredAttributes": {str(names.index(name)): by for name, by in held if name in names}}


def _check_names_no_id(path: str, data: bytes, memory: Memory) -> None:
    """Raise ConflictError if a file that does not name the memory's id names another one."""
    named = re.search(rb"^id:[ \t]*(\S+)", data, re.MULTILINE)
    if named:
        raise ConflictError(
            f"{path} holds {named[1].decode(errors='replace')} now, not {memory.id}", next_step="repeat the command"
        )


def from_state(state: dict[str, object], names: Sequence[str] = ()) -> Fields:
    """Fields of a memory from the `before` or `after` of a ledger row.

    `names` are those of the memory's attributes, in their order, if retired ones are to be read.

    Raises:
        ValidationError: the row was tampered with.
    """
    fields = {to_camel(name): name for name in STATE_FIELDS}
    given = {fields[key]: value for key, value in state.items() if key in fields}
    if isinstance(retired := given.get("retired_attributes"), dict):
        held = cast("dict[str, str]", retired).items()
        given["retired_attributes"] = {names[int(place)]: by for place, by in held if int(place) < len(names)}
    base: dict[str, object] = {
        "id": "mem_" + "0" * 32,
        "category": "fact",
        "namespace": "local/default",
        "created": "2000-01-01T00:00:00Z",
        "updated": "2000-01-01T00:00:00Z",
        "source": "manual",
    }
    checked = Memory.model_validate(base | {name: value for name, value in given.items() if value is not None})
    return {
        name: getattr(checked, name)
        if value is not None
        else Memory.model_fields[name].get_default(call_default_factory=True)
        for name, value in given.items()
    }


def memory_write(memory: Memory) -> FileWrite:
    """The vault file that holds a new memory."""
    return FileWrite(memory_path(memory), render_memory(memory))
