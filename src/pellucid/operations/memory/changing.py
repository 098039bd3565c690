"""A verb and a memory in, its changed state out: update, archive, retract, dispute, pin."""

from collections.abc import Iterable
from typing import Annotated, Literal

from pydantic import Field

from pellucid.app import App
from pellucid.errors import ConflictError, InputError, NotYoursError, field_name, step
from pellucid.language.spelling import content_hash, normalise
from pellucid.memory.changes import ChangeSet, Fields
from pellucid.memory.reconcile.reconcile import Reconciler
from pellucid.memory.reconcile.statement import Statement
from pellucid.memory.trust.zones import first_zone, is_of_person
from pellucid.model.ledger import Event
from pellucid.model.memory import SOURCE_CLASSES, TRANSCRIBED, Category, Memory, SourceClass
from pellucid.model.wire import Wire
from pellucid.observe.attributes import read_attribution
from pellucid.observe.language import detect_language
from pellucid.operations.browsing import find_memory
from pellucid.operations.operation import Agent, Flag, MemoryId, Operation, Session, Surfaces, Text, Words, in_home
from pellucid.operations.safe_input import SafeInput
from pellucid.operations.using import MemoryUse, cite_if_served, note_use
from pellucid.store.records import OperationKind

Verb = Literal["archive", "retract", "dispute", "pin", "unpin"]


class VerbInput(SafeInput):
    """The memory to change, and a reason."""

    namespace: str
    memory_id: MemoryId
    said_by: SourceClass = "manual"
    """The source of the request: a person or a program."""
    reason: Annotated[str, Flag("A short code for the ledger, such as wrong-source.")] = ""
    """A code of at most 64 characters without spaces."""


class PinInput(Wire):
    """The memory to pin or unpin."""

    namespace: str
    memory_id: MemoryId
    said_by: SourceClass = "manual"
    pinned: Annotated[bool, Flag("Take the pin out.", "--off", opposite=True)] = True


class UpdateInput(SafeInput):
    """A memory, and the new values of its fields; fields that are None stay."""

    namespace: str
    memory_id: MemoryId
    said_by: SourceClass = "manual"
    """The source of the new words: a person or a program."""
    content: Annotated[str | None, Words("What it is to say instead.")] = None
    category: Annotated[Category | None, Flag("Another category.")] = None
    tags: Annotated[tuple[str, ...] | None, Flag("The tags it is to have.")] = None
    entity_ref: Annotated[str | None, Flag("The thing this is about.", "--entity")] = None
    attributes: Annotated[dict[str, str] | None, Flag("Values of the entity, by name.")] = None
    confidence: Annotated[float | None, Flag("How sure, 0 to 1.")] = Field(default=None, ge=0, le=1)
    importance: Annotated[float | None, Flag("How important, 0 to 1.")] = Field(default=None, ge=0, le=1)
    session_id: Session = None
    agent: Agent = None


class ChangedOutput(Wire):
    """A memory after a change. `changed` is false if it was so already; `op_id` is the argument for `undo`."""

    memory: Memory
    path: str
    changed: bool
    op_id: str | None = None
    replaced: tuple[str, ...] = ()
    """Memories that this one supersedes now."""


_VERBS: dict[Verb, tuple[OperationKind, Event, Fields]] = {
    "archive": ("archive", "archived", {"status": "archived"}),
    "retract": ("retract", "retracted", {"status": "retracted"}),
    "dispute": ("dispute", "disputed", {"status": "disputed"}),
    "pin": ("pin", "pinned", {"pinned": True}),
    "unpin": ("pin", "unpinned", {"pinned": False}),
}


def apply_verb(app: App, verb: Verb, request: VerbInput) -> ChangedOutput:
    """Change a memory's state: archive, retract or dispute it, pin or unpin it. A retracted memory counts as valid
    until the moment of its retraction. If the memory is in that state already, nothing is written.

    Raises:
        NotFoundError: no such memory in the namespace.
        InputError: the id fits several memories, the reason has a space or more than 64 characters, or the memory is a
            section of a document.
        NotYoursError: a program asks to change what a person said.
        StoreBusyError: others have been writing in the namespace for a minute.
    """
    if len(request.reason) > 64 or " " in request.reason.strip():
        raise InputError("a reason is a short code, such as `wrong-source`", code="invalid_reason")
    kind, event, fields = _VERBS[verb]
    with app.unit_of_work.deciding(request.namespace):
        held = find_memory(app, request.namespace, request.memory_id)
        check_may_change(request.said_by, [held.memory])
        if held.memory.category == "section":
            raise InputError(
                f"{held.memory.id} is what a document says",
                next_step="edit the document and index it again, or forget it",
            )
        if verb == "retract":
            fields = {**fields, "invalid_at": app.clock.now()} if held.memory.status != "retracted" else fields
        changes = ChangeSet(app.records, request.namespace, "user", app.clock)
        changed = changes.change(held, event, fields, request.reason)
        op_id = commit_changes(app, kind, changes) if changed else None
    return _changed_output(app, request.namespace, held.memory.id, op_id)


def update(app: App, request: UpdateInput) -> ChangedOutput:
    """Replace a memory by a new version that supersedes it; the old version stays in its history. What else the new
    words contradict is treated as if they had been remembered anew. Records that the new version was used and, if a
    recall served the old version, a citation of that. A request that changes nothing leaves the memory as it is.

    Raises:
        NotFoundError: no such memory in the namespace.
        InputError: the id fits several memories, the new content is empty, or the memory or the new category is a
            moment (a passage) or a section.
        ConflictError: the memory was replaced already, or another memory says the same.
        NotYoursError: a program asks to change what a person said.
        StoreBusyError: others have been writing in the namespace for a minute.
    """
    with app.unit_of_work.deciding(request.namespace, filter(None, [request.content])):
        held = find_memory(app, request.namespace, request.memory_id)
        new = _new_version(app, held.memory, request)
        if new is None:
            return _changed_output(app, request.namespace, held.memory.id, None)
        changes = ChangeSet(app.records, request.namespace, "user", app.clock)
        retired = {"status": "superseded", "superseded_by": new.id, "invalid_at": new.valid_at}
        changes.change(held, "superseded", retired, "edited", [new.id])
        reconciler = Reconciler(app.index, app.lookup, changes, app.key)
        reconciler.consider([Statement(new, event="created", reason="edited")])
        outcome = reconciler.decide().outcomes[0]
        if outcome.memory_id != new.id:
            raise ConflictError(
                f"{outcome.memory_id} says the same already", next_step=f"archive {held.memory.id} instead"
            )
        op_id = commit_changes(app, "update", changes)
    note_use(app, request.namespace, [new.id], "updated", request.session_id)
    sign = "updated" if new.content == held.memory.content else "rewrote"
    deed = MemoryUse(sign, request.session_id, request.agent, f"by {new.id}")
    cite_if_served(app, request.namespace, held.memory.id, deed)
    return _changed_output(app, request.namespace, new.id, op_id)


def _new_version(app: App, old: Memory, request: UpdateInput) -> Memory | None:
    """Build the new version of a memory, without storing it; None if the request changes nothing. A version with new
    content has no evidence, and only the attributes that the request or the content states. InputError, ConflictError
    and NotYoursError for a content, category or memory that `update` refuses."""
    check_may_change(request.said_by, [old])
    _check_updatable(old, request)
    content = request.content.strip() if request.content is not None else old.content
    if not content:
        raise InputError("there is nothing left of it: the content is empty", code="missing_content")
    requested = {
        "content": content,
        "category": request.category,
        "tags": request.tags,
        "entity_ref": request.entity_ref,
        "structured_attributes": request.attributes,
        "confidence": request.confidence,
        "importance_score": request.importance,
    }
    new = {name: value for name, value in requested.items() if value is not None and getattr(old, name) != value}
    if not new:
        return None
    entity = request.entity_ref or old.entity_ref
    if "content" in new:
        attribution = read_attribution(content, detect_language(content))
        in_content = attribution.attributes if entity in (None, attribution.entity) else {}
        stated = request.attributes or {**_attributes_still_stated(old, content), **in_content}
        entity = entity or attribution.entity
        new |= {"evidence": (), "evidence_quotes": {}, "structured_attributes": stated, "entity_ref": entity}
    if "structured_attributes" in new:
        new |= {"retired_attributes": {}}
    now = app.clock.now()
    return old.model_copy(
        update={
            **new,
            "id": app.clock.new_id("mem"),
            "created": now,
            "updated": now,
            "source": "manual",
            **_authorship_fields(app, old, request, content),
            "agent": request.agent,
            "status": "active",
            "valid_at": now,
            "invalid_at": None,
            "supersedes": (old.id,),
            "superseded_by": None,
            "derived_from": (),
            "content_hash": content_hash(content, entity),
        }
    )


def _authorship_fields(app: App, old: Memory, request: UpdateInput, content: str) -> Fields:
    """Return the fields `asserted_by`, `source_class` and `trust_zone` of a new version. A person's words are trusted.
    A program's get the less trusted source class of the program and the old version, and the zone of new words of that
    class; if the old version is in quarantine, so is the new one."""
    if request.said_by == "manual":
        asserted_by = "axiom" if old.asserted_by == "axiom" else "user"
        return {"asserted_by": asserted_by, "source_class": "manual", "trust_zone": "trusted"}
    voices: tuple[SourceClass, ...] = (request.said_by, old.source_class or "manual")
    source = max(voices, key=SOURCE_CLASSES.index)
    zone = first_zone(source, content, enabled=app.settings.trust.enabled)
    held_back = "quarantine" if old.trust_zone == "quarantine" else zone
    return {"asserted_by": "inferred", "source_class": source, "trust_zone": held_back}


def _attributes_still_stated(old: Memory, content: str) -> dict[str, str]:
    """Return the old version's attributes whose values occur in the new content, upper or lower case alike; retired
    attributes are left out."""
    words = f" {normalise(content)} "
    live = {
        name: normalise(value)
        for name, value in old.structured_attributes.items()
        if name not in old.retired_attributes
    }
    # only languages in ASCII are sure to separate words by spaces
    stated = [name for name, value in live.items() if (f" {value} " if value.isascii() else value) in words]
    return {name: old.structured_attributes[name] for name in stated}


def _check_updatable(old: Memory, request: UpdateInput) -> None:
    """Raise ConflictError if the memory `old` was superseded; InputError if it is a moment (a passage) or a section (of
    a document), or the request's category is one of these."""
    if old.status == "superseded":
        raise ConflictError(f"{old.id} was replaced by {old.superseded_by}", next_step="update that one, or undo")
    if request.category in TRANSCRIBED:
        raise InputError(
            "a moment is a verbatim turn of a session, a section a part of a document",
            next_step=f"choose another {field_name('category')}",
        )
    if old.category == "moment":
        raise InputError("a moment is what was said, word for word", next_step="retract or forget it, or remember anew")
    if old.category == "section":
        raise InputError("a section is what its document says", next_step="edit the document and index it again")


def check_may_change(said_by: SourceClass, memories: Iterable[Memory], instead: str = "") -> None:
    """Raise NotYoursError if a program (`said_by` is not `manual`) asks to change memories of which a person said one;
    `instead` is the error's next step ("" for the usual one)."""
    if said_by == "manual" or not (personal := next(filter(is_of_person, memories), None)):
        return
    raise NotYoursError(
        f"{personal.id} is what a person said, which no program changes",
        next_step=instead
        or f"remember what you know beside it, flag it with {step('memory.cite')}, or ask the user to change it",
    )


def commit_changes(app: App, kind: OperationKind, changes: ChangeSet) -> str:
    """Commit the collected changes as one operation of this kind, and return its id."""
    plan = changes.plan()
    return app.unit_of_work.commit(kind, plan.writes, plan.rows).op_id


def _changed_output(app: App, namespace: str, memory_id: str, op_id: str | None) -> ChangedOutput:
    """Build the output for a memory as it is now; `op_id` is the operation that changed it, None if nothing changed."""
    held = find_memory(app, namespace, memory_id)
    return ChangedOutput(
        memory=held.memory, path=held.path, changed=op_id is not None, op_id=op_id, replaced=held.memory.supersedes
    )


UPDATE = Operation(
    "memory.update",
    "Reword a memory; the old version stays in its history.",
    UpdateInput,
    ChangedOutput,
    in_home(update),
    "change",
    Surfaces("update", http=("PATCH /v1/memories/{memory_id}",), mcp="memory_remember:update"),
    text=Text("memory.changes.update_text", excerpts=True),
    span="update_memory",
)


def _verb_operation(verb: Verb, text: str, mcp: str = "") -> Operation[VerbInput, ChangedOutput]:
    """Make the operation that applies a verb to one memory; `text` is its help, `mcp` its tool and mode, such as
    `memory_remember:retract`, or "" if no tool offers it."""

    def apply(app: App, asked: VerbInput) -> ChangedOutput:
        """Apply the verb of this operation to the memory that is asked for, and return the memory after that
        (`apply_verb`)."""
        return apply_verb(app, verb, asked)

    return Operation(
        f"memory.{verb}",
        text,
        VerbInput,
        ChangedOutput,
        in_home(apply),
        "change",
        Surfaces(verb, http=(f"POST /v1/memories/{{memory_id}}/{verb}",), mcp=mcp),
        text=Text(f"memory.changes.{verb}_text", excerpts=True),
        span="update_memory",
    )


ARCHIVE = _verb_operation("archive", "Put a memory away: it is kept, and answers nothing.", "memory_remember:archive")
RETRACT = _verb_operation("retract", "Take a memory back: it was not, or is not, true.", "memory_remember:retract")
DISPUTE = _verb_operation("dispute", "Call a memory into question. It answers nothing until that is undone.")


def set_pinned(app: App, asked: PinInput) -> ChangedOutput:
    """Pin a memory, or unpin it if `pinned` is false, and return it; if it is so already, nothing is written.
    NotFoundError if no memory fits the id; InputError if several do, and for a section of a document; NotYoursError if
    a program asks, and a person said the memory."""
    request = VerbInput(namespace=asked.namespace, memory_id=asked.memory_id, said_by=asked.said_by)
    return apply_verb(app, "pin" if asked.pinned else "unpin", request)


PIN = Operation(
    "memory.pin",
    "Prefer a memory in recalls, and never let it fade.",
    PinInput,
    ChangedOutput,
    in_home(set_pinned),
    "change",
    Surfaces("pin", http=("POST /v1/memories/{memory_id}/pin",)),
    text=Text("memory.changes.pin_text", excerpts=True),
    span="update_memory",
)
