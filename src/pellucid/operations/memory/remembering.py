"""A sentence that a person or an agent wants remembered in, a durable memory out."""

from dataclasses import replace
from typing import Annotated

from pydantic import Field

from pellucid.app import App
from pellucid.clock import isoformat
from pellucid.errors import InputError, field_name
from pellucid.language.spelling import content_hash
from pellucid.memory.changes import ChangeSet, Fields
from pellucid.memory.reconcile.reconcile import Reconciler
from pellucid.memory.reconcile.statement import Statement
from pellucid.memory.trust.zones import first_zone, is_of_person
from pellucid.model.memory import BOUNDARY_SCOPES, TRANSCRIBED, Category, Memory, SourceClass
from pellucid.model.wire import Wire
from pellucid.observe.attributes import read_attribution
from pellucid.observe.extract.resolutions import lone_correction
from pellucid.observe.language import detect_language
from pellucid.operations.operation import Agent, Flag, Operation, Scopes, Session, Surfaces, Text, Words, in_home
from pellucid.operations.safe_input import SafeInput
from pellucid.operations.using import MemoryUse, cite_if_served
from pellucid.store.records import FileWrite, content_digest
from pellucid.vault.markdown import FileIdentity, edit_memory, parse


class RememberInput(SafeInput):
    """The sentence to remember, and the fields of its memory."""

    content: Annotated[str, Words("What to remember, in words.")]
    namespace: str
    said_by: SourceClass = "manual"
    """The source of the words: a person or a program."""
    category: Annotated[Category, Flag("fact, decision, preference, principle, …")] = "fact"
    tags: Annotated[tuple[str, ...], Flag("A tag.")] = ()
    entity_ref: Annotated[str | None, Flag("The thing this is about.", "--entity")] = None
    confidence: Annotated[float, Flag("How sure, 0 to 1.")] = Field(default=0.95, ge=0, le=1)
    importance: Annotated[float, Flag("How important, 0 to 1.")] = Field(default=0.7, ge=0, le=1)
    pinned: Annotated[bool, Flag("Prefer it in recalls, and never let it fade.", "--pin")] = False
    attributes: Annotated[dict[str, str], Flag("Values of the entity, by name.")] = Field(default_factory=dict)
    """Maps attributes of the entity to values; if empty, they are read from the content."""
    axiom: Annotated[bool, Flag("Only another axiom ever replaces it by itself.", of_person=True)] = False
    scopes: Scopes = ()
    session_id: Session = None
    agent: Agent = None


class RememberOutput(Wire):
    """The memory as it is now. `created` is false if a memory with the same content existed; `updated` is true if that
    memory was given missing tags, a pin or the status of an axiom.
    """

    memory: Memory
    path: str
    created: bool
    updated: bool = False
    op_id: str | None = None
    replaced: tuple[str, ...] = ()
    """Memories that this one supersedes: older statements of the same thing."""
    redactions: dict[str, int] = Field(default_factory=dict)
    encoder_problem: str | None = None


def remember(app: App, request: RememberInput) -> RememberOutput:
    """Write one memory that a person or a program asserts. It can supersede older statements of the same thing, which
    get a citation if a recall served them.

    The same content is stored once for each entity and set of boundary scopes (`private` and the like, which restrict
    who may recall it): if it is there already, that memory is only given the requested tags, pin and axiom status (only
    another axiom replaces it), or nothing if a program asks and a person said it.

    Raises:
        InputError: the content is empty; the category is `moment` or `section`, which come from files; or a program
            states an axiom.
        StoreBusyError: others have been writing in the namespace for a minute.
    """
    # secrets are out already: `SafeInput` redacts an input as it is made, and counts what it took in `redactions`
    asked = request.model_copy(update={"content": request.content.strip()})
    if not asked.content:
        raise InputError("there is nothing to remember: the content is empty", code="missing_content")
    if asked.category in TRANSCRIBED:
        raise InputError(
            "a moment is a verbatim turn of a session, a section a part of a document",
            next_step=f"choose another {field_name('category')}",
        )
    if asked.axiom and asked.said_by != "manual":
        raise InputError("an axiom is a person's to state", next_step=f"leave {field_name('axiom')} out")
    asked = _with_attributes_from_text(asked)
    digest = content_hash(asked.content, asked.entity_ref)
    with app.unit_of_work.deciding(asked.namespace, [asked.content]):
        outcome = _update_existing(app, asked, digest) or _create_memory(app, asked, digest)
    for replaced_id in outcome.replaced if outcome.created else ():
        deed = MemoryUse("rewrote", asked.session_id, asked.agent, f"by {outcome.memory.id}")
        cite_if_served(app, asked.namespace, replaced_id, deed)
    return outcome.model_copy(update={"redactions": asked.redactions})


def _with_attributes_from_text(asked: RememberInput) -> RememberInput:
    """Return the request with the entity and attributes that its content states, if it gives none itself. If it gives
    another entity than the content, the content's attributes are left out."""
    attribution = read_attribution(asked.content, detect_language(asked.content))
    is_same_entity = asked.entity_ref in (None, attribution.entity)
    attributes = asked.attributes or (attribution.attributes if is_same_entity else {})
    return asked.model_copy(update={"entity_ref": asked.entity_ref or attribution.entity, "attributes": attributes})


def _create_memory(app: App, asked: RememberInput, digest: str) -> RememberOutput:
    """Create a memory, reconcile it with known memories, which it can supersede, and commit the result. Return the
    memory as it is stored, or the existing memory that says the same. `digest` is the content hash.

    The reconciler looks for the same words again, as it does for every statement, wherever that comes from.
    """
    now = app.clock.now()
    memory = Memory(
        id=app.clock.new_id("mem"),
        category=asked.category,
        namespace=asked.namespace,
        created=now,
        updated=now,
        source="manual",
        asserted_by="axiom" if asked.axiom else "user" if asked.said_by == "manual" else "inferred",
        source_class=asked.said_by,
        session_id=asked.session_id,
        agent=asked.agent,
        confidence=asked.confidence,
        tags=asked.tags,
        pinned=asked.pinned,
        entity_ref=asked.entity_ref,
        structured_attributes=asked.attributes,
        importance_score=asked.importance,
        trust_zone=first_zone(asked.said_by, asked.content, enabled=app.settings.trust.enabled),
        scopes=asked.scopes,
        valid_at=now,
        content_hash=digest,
        content=asked.content,
    )
    changes = ChangeSet(app.records, asked.namespace, "user", app.clock)
    trust = app.settings.trust.enabled
    reconciler = Reconciler(app.index, app.lookup, changes, app.key, trust=trust)
    resolves = lone_correction(asked.content, detect_language(asked.content))
    reconciler.consider([Statement(memory, resolves, event="created", reason="remembered")])
    outcome = reconciler.decide().outcomes[0]
    plan = changes.plan()
    committed = app.unit_of_work.commit("remember", plan.writes, plan.rows)
    # read as it is kept: another memory may say it, or it was altered. What a person asks for directly is made or
    # matched, so there always is an id; `or` is for the type checker
    stored = app.index.memories(asked.namespace, [outcome.memory_id or memory.id])[0]
    return RememberOutput(
        memory=stored.memory,
        path=stored.path,
        created=stored.memory.id == memory.id,
        op_id=committed.op_id,
        replaced=stored.memory.supersedes,
        encoder_problem=committed.folded.encoder_problem or None,
    )


def _update_existing(app: App, asked: RememberInput, digest: str) -> RememberOutput | None:
    """Add the requested tags, pin and axiom status to the memory with this content hash (`digest`) and the request's
    boundary scopes, commit, and return it; None if there is no such memory, or its file was deleted (the index then
    learns that). It is returned unchanged if it is a moment or section, has all of these already, or if a program asks
    and a person said it."""
    by_scopes = app.index.holding(asked.namespace, [digest]).get(digest, {})
    memory_id = by_scopes.get(frozenset(asked.scopes).intersection(BOUNDARY_SCOPES))
    if memory_id is None:
        return None
    stored = app.index.memories(asked.namespace, [memory_id])[0]
    is_foreign = asked.said_by != "manual" and is_of_person(stored.memory)
    has_no_tags = stored.memory.category in TRANSCRIBED
    if is_foreign or has_no_tags or not _missing_fields(stored.memory, asked):
        return RememberOutput(memory=stored.memory, path=stored.path, created=False, op_id=stored.op_id)
    data, now = app.records.heads([stored.path])[0].data, app.clock.now()
    if data is None:  # somebody deleted the file, and the index does not know yet
        app.indexer.catch_up([stored.path])
        return None
    in_file = parse(stored.path, data, FileIdentity(asked.namespace, app.key, now)).memories[0][0]
    missing = _missing_fields(in_file, asked)  # again, as the file may be newer than the index
    # tags are words, of which no ledger row may hold any: they go with the file alone
    new_keys = {"tags": missing.pop("tags")} if "tags" in missing else {}
    write = FileWrite(stored.path, edit_memory(data, {**new_keys, "updated": isoformat(now)}), content_digest(data))
    changes = ChangeSet(app.records, asked.namespace, "user", app.clock)
    changes.change(replace(stored, memory=in_file), "pinned", missing, "remembered-again")
    plan = changes.plan([write])
    committed = app.unit_of_work.commit("update", plan.writes, plan.rows)
    updated = app.index.memories(asked.namespace, [memory_id])[0]  # as it is kept, and not as it was asked for
    return RememberOutput(
        memory=updated.memory,
        path=updated.path,
        created=False,
        updated=True,
        op_id=committed.op_id,
        encoder_problem=committed.folded.encoder_problem or None,
    )


def _missing_fields(memory: Memory, asked: RememberInput) -> Fields:
    """Return the fields that the request changes in an existing memory: tags (the old ones, then the new), pin, axiom
    status; empty if it has all.
    """
    fields: Fields = {}
    if new := [tag for tag in dict.fromkeys(asked.tags) if tag not in memory.tags]:
        fields["tags"] = [*memory.tags, *new]
    if asked.pinned and not memory.pinned:
        fields["pinned"] = True
    if asked.axiom and memory.asserted_by != "axiom":
        fields["asserted_by"] = "axiom"
    return fields


REMEMBER = Operation(
    "memory.remember",
    "Keep one memory, in your own words.",
    RememberInput,
    RememberOutput,
    in_home(remember),
    "append",
    Surfaces("remember", http=("POST /v1/memories",), mcp="memory_remember:remember"),
    text=Text("everyday.remembered_text", excerpts=True),
    span="create_memory",
)
