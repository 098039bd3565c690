"""A sentence in, a durable memory out: what a person or an agent asks to be kept."""

from typing import Annotated

from pydantic import Field

from pellucid.app import App
from pellucid.clock import isoformat
from pellucid.errors import InputError, field_name
from pellucid.language.spelling import content_hash
from pellucid.memory.changes import ChangeSet
from pellucid.memory.reconcile.reconcile import Reconciler, Statement
from pellucid.memory.trust.zones import first_zone, is_of_person
from pellucid.model.ledger import LifecycleRow
from pellucid.model.memory import BOUNDARY_SCOPES, TRANSCRIBED, Category, Memory, SourceClass
from pellucid.model.wire import Wire
from pellucid.observe.attributes import read_attribution
from pellucid.observe.extract.resolutions import lone_correction
from pellucid.observe.language import detect_language
from pellucid.operations.operation import Agent, Flag, Operation, Scopes, Session, Surfaces, Words
from pellucid.operations.safe_input import SafeInput
from pellucid.operations.session.restating import restate
from pellucid.operations.using import MemoryUse, cite_if_served
from pellucid.store.records import FileWrite, content_digest
from pellucid.vault.markdown import FileIdentity, edit_memory, parse


class RememberInput(SafeInput):
    """What to remember, and what is known of it."""

    content: Annotated[str, Words("What to remember, in words.")]
    namespace: str
    said_by: SourceClass = "manual"
    """Whose words these are."""
    category: Annotated[Category, Flag("fact, decision, preference, principle, …")] = "fact"
    tags: Annotated[tuple[str, ...], Flag("A tag.")] = ()
    entity_ref: Annotated[str | None, Flag("The thing this is about.", "--entity")] = None
    confidence: Annotated[float, Flag("How sure, 0 to 1.")] = Field(default=0.95, ge=0, le=1)
    importance: Annotated[float, Flag("How important, 0 to 1.")] = Field(default=0.7, ge=0, le=1)
    pinned: Annotated[bool, Flag("Prefer it in recalls, and never let it fade.", "--pin")] = False
    attributes: Annotated[dict[str, str], Flag("Values of the entity, by name.")] = Field(default_factory=dict)
    """Values by attribute of the entity; read from the words where none are given."""
    axiom: Annotated[bool, Flag("Only another axiom ever replaces it by itself.", of_person=True)] = False
    scopes: Scopes = ()
    session_id: Session = None
    agent: Agent = None


class RememberOutput(Wire):
    """The memory as it is kept. `created` is false where the same words were kept before.

    `updated` says that the memory kept before was given tags, a pin or the standing of an axiom which it lacked.
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
    """Keep one memory, asserted by the user or an agent. The same content is kept once per entity.

    A memory that exists gains the requested tags, pin and axiom status, unless an agent asks and a person said it.

    Raises:
        InputError: there is nothing to keep; `moment` or `section` is asked for (they come from files); or an agent
            states an axiom.
    """
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
    for each in outcome.replaced if outcome.created else ():
        deed = MemoryUse("rewrote", asked.session_id, asked.agent, f"by {outcome.memory.id}")
        cite_if_served(app, asked.namespace, each, deed)
    return outcome.model_copy(update={"redactions": request.redactions})


def _with_attributes_from_text(asked: RememberInput) -> RememberInput:
    """Fill in entity and attributes from the content, where the request gives none; attributes only if the request
    gives no other entity than the content's."""
    read = read_attribution(asked.content, detect_language(asked.content))
    stated = asked.attributes or (read.attributes if asked.entity_ref in (None, read.entity) else {})
    return asked.model_copy(update={"entity_ref": asked.entity_ref or read.entity, "attributes": stated})


def _create_memory(app: App, asked: RememberInput, digest: str) -> RememberOutput:
    """Create a memory, or let reconciliation merge it into an existing one, which is then returned; `digest` is its
    content hash."""
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
    reconciler = Reconciler(app.index, app.lookup, changes, app.key, trust=trust, restate=restate)
    resolves = lone_correction(asked.content, detect_language(asked.content))
    reconciler.consider([Statement(memory, resolves, event="created", reason="remembered")])
    outcome = reconciler.decide().outcomes[0]
    plan = changes.plan()
    kept = app.unit_of_work.commit("remember", plan.writes, plan.rows)
    held = app.index.memories(asked.namespace, [outcome.memory_id or memory.id])[0]
    return RememberOutput(
        memory=held.memory,
        path=held.path,
        created=held.memory.id == memory.id,
        op_id=kept.op_id,
        replaced=held.memory.supersedes,
        encoder_problem=kept.folded.encoder_problem or None,
    )


def _update_existing(app: App, asked: RememberInput, digest: str) -> RememberOutput | None:
    """Add missing tags, pin or axiom status to the memory with this content hash and these boundary scopes, and return
    it; None if there is none. Verbatim text, and what a person said if an agent asks, stay unchanged."""
    known = app.index.holding(asked.namespace, [digest]).get(digest, {})
    alike = known.get(frozenset(asked.scopes).intersection(BOUNDARY_SCOPES))
    if alike is None:
        return None
    held = app.index.memories(asked.namespace, [alike])[0]
    is_foreign = asked.said_by != "manual" and is_of_person(held.memory)
    has_no_tags = held.memory.category in TRANSCRIBED
    if is_foreign or has_no_tags or not _missing_fields(held.memory, asked):
        return RememberOutput(memory=held.memory, path=held.path, created=False, op_id=held.op_id)
    data, now = app.records.heads([held.path])[0].data, app.clock.now()
    if data is None:  # somebody deleted it since: it is not known any more
        app.indexer.catch_up([held.path])
        return None
    filed = parse(held.path, data, FileIdentity(asked.namespace, app.key, now)).memories[0][0]
    changes = {**_missing_fields(filed, asked), "updated": isoformat(now)}
    write = FileWrite(held.path, edit_memory(data, changes), content_digest(data))
    kept = app.unit_of_work.commit("update", [write], _state_change_rows(app, filed, changes))
    now_held = app.index.memories(asked.namespace, [held.memory.id])[0]
    return RememberOutput(
        memory=now_held.memory,
        path=now_held.path,
        created=False,
        updated=True,
        op_id=kept.op_id,
        encoder_problem=kept.folded.encoder_problem or None,
    )


def _missing_fields(held: Memory, asked: RememberInput) -> dict[str, object]:
    """Return the frontmatter keys that the request adds to the memory, with their new values; empty if it has all."""
    changes: dict[str, object] = {}
    if new := [tag for tag in dict.fromkeys(asked.tags) if tag not in held.tags]:
        changes["tags"] = [*held.tags, *new]
    if asked.pinned and not held.pinned:
        changes["pinned"] = True
    if asked.axiom and held.asserted_by != "axiom":
        changes["assertedBy"] = "axiom"
    return changes


def _state_change_rows(app: App, held: Memory, changes: dict[str, object]) -> list[dict[str, object]]:
    """Return the ledger row by which undo can restore pin and axiom status, in a list; empty if only tags change."""
    before = {"pinned": held.pinned, "assertedBy": held.asserted_by}
    after = {key: value for key, value in changes.items() if key in before}
    if not after:
        return []
    row = LifecycleRow(
        event_id=app.clock.new_id("evt"),
        memory_id=held.id,
        namespace=held.namespace,
        event_type="pinned",
        timestamp=app.clock.now(),
        actor="user",
        reason_code="remembered-again",
        before={key: before[key] for key in after},
        after=after,
    )
    return [row.to_wire()]


REMEMBER = Operation(
    "memory.remember",
    "Keep one memory, in your own words.",
    RememberInput,
    RememberOutput,
    lambda call, asked: remember(call.app, asked),
    "append",
    Surfaces("remember", http=("POST /v1/memories",), mcp="memory_remember:remember"),
    span="create_memory",
)
