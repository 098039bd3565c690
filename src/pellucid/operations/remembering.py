"""A sentence in, a durable memory out: what a person or an agent asks to be kept."""

from pydantic import Field

from pellucid.app import App
from pellucid.capture.redact import redact
from pellucid.errors import InputError
from pellucid.memory.keep import memory_write
from pellucid.model.memory import Category, Memory
from pellucid.model.text import content_hash
from pellucid.model.wire import Wire


class RememberInput(Wire):
    """What to remember, and what is known of it."""

    content: str
    namespace: str
    category: Category = "fact"
    tags: tuple[str, ...] = ()
    entity_ref: str | None = None
    confidence: float = Field(default=0.95, ge=0, le=1)
    importance: float = Field(default=0.7, ge=0, le=1)
    pinned: bool = False
    scopes: tuple[str, ...] = ()
    session_id: str | None = None
    agent: str | None = None


class RememberOutput(Wire):
    """The memory as it is kept. `created` is false where the same words were kept before."""

    memory: Memory
    path: str
    created: bool
    op_id: str | None = None
    redactions: dict[str, int] = Field(default_factory=dict)
    encoder_problem: str | None = None


def remember(app: App, request: RememberInput) -> RememberOutput:
    """Keep one memory, asserted by the user; equal words about the same entity are kept once.

    Raises:
        InputError: there is nothing to keep, or `moment` is asked for (moments come from transcripts).
    """
    redacted = redact(request.content.strip())
    if not redacted.text:
        raise InputError("there is nothing to remember: the content is empty", code="missing_content")
    if request.category == "moment":
        raise InputError("a moment is a verbatim turn of a session", next_step="choose another --category")
    digest = content_hash(redacted.text, request.entity_ref)
    if known := app.index.holding(request.namespace, [digest]):
        held = app.index.memories(request.namespace, [known[digest]])[0]
        return RememberOutput(memory=held.memory, path=held.path, created=False, op_id=held.op_id)
    now = app.clock.now()
    memory = Memory(
        id=app.clock.new_id("mem"), category=request.category, namespace=request.namespace, created=now, updated=now,
        source="manual", asserted_by="user", session_id=request.session_id, agent=request.agent,
        confidence=request.confidence, tags=request.tags, pinned=request.pinned, entity_ref=request.entity_ref,
        importance_score=request.importance, scopes=request.scopes, valid_at=now, content_hash=digest,
        content=redacted.text,
    )  # fmt: skip
    write = memory_write(memory)
    kept = app.keeper.commit("remember", [write])
    return RememberOutput(
        memory=memory, path=write.path, created=True, op_id=kept.op_id, redactions=dict(redacted.counts),
        encoder_problem=kept.folded.encoder_problem or None,
    )  # fmt: skip
