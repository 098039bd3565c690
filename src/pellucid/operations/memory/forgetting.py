"""Memories that must go in, a receipt of each place they were taken from out: forget, purge, and the preview of both.

Nothing is forgotten by half. What holds the words beside the memory's own file (copies, memories derived from it, the
turns it came from, the topic of its episode, receipts whose query says them, turns that wait in the spool) goes in the
same operation, and tombstones keep it from coming back. If a crash comes in between, the next command finishes it.
"""

import shutil
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated

from pydantic import Field

from pellucid.app import App
from pellucid.documents.files import named_file
from pellucid.errors import ConflictError, InputError, NoRoomError, StoreError
from pellucid.memory.erasure.plan import Erasure, erasure, file_key, tombstones
from pellucid.model.ledger import KeyRow, LifecycleRow, TombstoneRow
from pellucid.model.memory import Category, Memory, SourceClass, Status
from pellucid.model.wire import Instant, Wire
from pellucid.operations.browsing import find_memory
from pellucid.operations.memory.changing import check_voice
from pellucid.operations.memory.restoring import RestoredMemory, restored
from pellucid.operations.operation import Flag, MemoryIds, Operation, Session, Surfaces
from pellucid.operations.remains import Remainder, begin, end, finish, scrub
from pellucid.operations.settling import require_settled
from pellucid.store.graph_port import FiledDocument
from pellucid.store.index_port import Served
from pellucid.store.local.vault.key import fingerprint
from pellucid.store.records import OperationKind

_ALL_AT_ONCE = 500
_LEAST_ROOM, _ROOM_EACH = 512 << 10, 16 << 10
"""Free bytes that forgetting takes, and each memory of a file it touches: to write down, file and fold what goes."""
Preview = Annotated[bool, Flag("Do it; without this, only say what would go.", "--yes", opposite=True)]


class ForgetInput(Wire):
    """Which memories are to be forgotten; `chain` takes their older and newer versions, too.

    An id may be that of a document (`doc_…`), or a document's path: then all of it goes.
    """

    namespace: str
    said_by: SourceClass = "manual"
    """Who asks for it."""
    memory_ids: MemoryIds = Field(min_length=1)
    chain: Annotated[bool, Flag("Their older and newer versions, too.")] = False
    preview: Preview = True


class PurgeInput(Wire):
    """Which memories are to be forgotten together: every filter given must hold, and one must be given."""

    namespace: str
    before: Annotated[Instant | None, Flag("Created before this day.")] = None
    status: Annotated[Status | None, Flag("Of this status, such as archived.")] = None
    category: Annotated[Category | None, Flag("Of this category.")] = None
    source_class: Annotated[SourceClass | None, Flag("Said by this kind of source.", "--source")] = None
    preview: Preview = True
    session_id: Session = None


class ErasedMemory(Wire):
    """One memory that goes, and why: asked for, a copy of one, derived from one, or a turn it came from."""

    id: str
    path: str
    category: Category
    why: str
    excerpt: str


class ForgetOutput(Wire):
    """What goes, or went, from where. Of a preview nothing is gone, and `places` counts what would be."""

    done: bool
    memories: tuple[ErasedMemory, ...]
    places: dict[str, int]
    versions: tuple[str, ...] = ()
    """Other versions of what goes, which stay unless the chain is asked for."""
    op_id: str | None = None
    tombstones: int = 0
    restored: tuple[RestoredMemory, ...] = ()
    """What only they had retired, or called into question."""
    remains: tuple[Remainder, ...] = ()
    """What is not gone yet, though nothing is found or shown of it any more."""


def preview_forget(app: App, request: ForgetInput) -> ForgetOutput:
    """What `forget` would take, and from where; nothing is changed.

    Raises:
        NotFoundError: no such memory in the namespace.
    """
    return preview_of(app, _erasure_plan(app, request))


def forget(app: App, request: ForgetInput) -> ForgetOutput:
    """Forget memories: no byte of their words stays in the home, and importing their session does not bring them back.

    Where another process holds a copy for too long, or the disk has no room for the rewriting that erases the last
    bytes, `remains` says so, and the next command goes on.

    Raises:
        NotFoundError: no such memory in the namespace; it may have been forgotten before.
        NoRoomError: there is not even room to write down that they are gone; nothing was changed.
        NotYoursError: a program asks, and a person said some of what would go.
        UnhealthyError: the vault's key is lost or changed: a tombstone made now would not be known later.
    """
    require_settled(app, ledger=False)
    with app.unit_of_work.deciding(None):
        finish(app)
        plan = _erasure_plan(app, request)
        theirs = "show the user the preview: to forget it is theirs, in a shell or with a token that grants admin"
        check_voice(request.said_by, [held.memory for held, _ in plan.going], theirs)
        return carry_out(app, plan, "forget")


def preview_purge(app: App, request: PurgeInput) -> ForgetOutput:
    """What `purge` would take; nothing is changed.

    Raises:
        InputError: no filter is given.
    """
    chosen = _memories_to_purge(app, request)
    return preview_of(app, plan_of(app, request.namespace, chosen)) if chosen else _nothing(done=False)


def purge(app: App, request: PurgeInput) -> ForgetOutput:
    """Forget every memory that fits, five hundred at a time; a repeat goes on where a crash ended it.

    Raises:
        InputError: no filter is given.
    """
    require_settled(app, ledger=False)
    outcome = _nothing(done=True)
    with app.unit_of_work.deciding(None):
        finish(app)
        while chosen := _memories_to_purge(app, request):
            done = carry_out(app, plan_of(app, request.namespace, chosen[:_ALL_AT_ONCE]), "purge")
            places = {
                key: outcome.places.get(key, 0) + done.places.get(key, 0) for key in {*outcome.places, *done.places}
            }
            outcome = done.model_copy(
                update={
                    "memories": (*outcome.memories, *done.memories),
                    "places": places,
                    "tombstones": outcome.tombstones + done.tombstones,
                    "restored": (*outcome.restored, *done.restored),
                    "remains": done.remains,
                }
            )
    return outcome


def _memories_to_purge(app: App, request: PurgeInput) -> list[Served]:
    filters = {
        "status": request.status,
        "category": request.category,
        "session_id": request.session_id,
        "source_class": request.source_class,
    }
    given = {name: value for name, value in filters.items() if value is not None}
    if not given and request.before is None:
        raise InputError(
            "purge needs a filter: it would forget everything",
            code="missing_filter",
            next_step="name a status, a category, a session, a source or an age",
        )
    return [
        each
        for each in app.index.memories(request.namespace)
        if all(getattr(each.memory, name) == value for name, value in given.items())
        and (request.before is None or each.memory.created < request.before)
    ]


def _erasure_plan(app: App, request: ForgetInput) -> Erasure:
    documents = app.graph.documents(request.namespace)
    asked = [
        served for each in request.memory_ids for served in _memories_named(app, request.namespace, each, documents)
    ]
    return plan_of(app, request.namespace, asked, chain=request.chain)


def _memories_named(app: App, namespace: str, name: str, documents: Sequence[FiledDocument]) -> list[Served]:
    """The memory of an id; or all that a document is, by its id, its path or that of its vault file."""
    place = named_file(name)
    ids = {
        each.document.id
        for each in documents
        if name in (each.document.id, each.document.path, each.path)
        or place == Path(each.document.root) / each.document.path
    }
    if len({each.document.root for each in documents if each.document.id in ids}) > 1:
        raise InputError(
            f"documents below several folders are called {name}",
            code="ambiguous_id",
            next_step="give a document's id, or its whole path",
        )
    whole = [each for each in app.index.memories(namespace) if each.memory.session_id in ids] if ids else []
    return whole or [find_memory(app, namespace, name)]


def plan_of(app: App, namespace: str, asked: Sequence[Served], *, chain: bool = False) -> Erasure:
    return erasure(app.records, app.index.memories(namespace), app.lookup.episodes(namespace), asked, chain=chain)


def preview_of(app: App, plan: Erasure) -> ForgetOutput:
    conflicts = sum(_stem(path) in {_stem(each) for each in plan.paths} for path in app.records.conflicts())
    places = {
        "files": len(plan.removals),
        "rewrittenFiles": len(plan.writes),
        "indexRows": len(plan.going),
        "conflictCopies": conflicts,
        "spooledTurns": len(_spooled_keys(app, plan)),
    }
    return ForgetOutput(
        done=False,
        memories=_erased_memories(plan),
        places=places,
        versions=plan.versions,
        tombstones=len(_tombstone_keys(app, plan)),
        restored=restored(app, plan)[1],
    )


def _stem(path: str) -> str:
    """What a file and its conflict copies share: the id at the end of the name."""
    return path.rsplit("/", 1)[-1].split(".", 1)[0][-10:]


def _nothing(*, done: bool) -> ForgetOutput:
    return ForgetOutput(done=done, memories=(), places={})


def _erased_memories(plan: Erasure) -> tuple[ErasedMemory, ...]:
    return tuple(
        ErasedMemory(
            id=held.memory.id, path=held.path, category=held.memory.category, why=why, excerpt=held.memory.content[:80]
        )
        for held, why in plan.going
    )


def _tombstone_keys(app: App, plan: Erasure) -> set[bytes]:
    said = {key for held, _ in plan.going for key in tombstones(app.key, held.memory)}
    return said | {key for keys in _file_keys(app, plan).values() for key in keys}


def _file_keys(app: App, plan: Erasure) -> dict[str, list[bytes]]:
    """By each document that goes whole, the key by which its file is known again."""
    gone = {each.path for each in plan.removals}
    return {
        each.document.id: [file_key(app.key, plan.namespace, each.document.digest)]
        for each in app.graph.documents(plan.namespace)
        if each.path in gone
    }


def _spooled_keys(app: App, plan: Erasure) -> list[bytes]:
    """The keys of turns that wait in the spool and say what goes."""
    return [
        each.key
        for waiting in app.spool.waiting(plan.namespace)
        for each in app.spool.held(plan.namespace, waiting.session_id)
        if plan.is_said_by(each.turn)
    ]


def carry_out(app: App, plan: Erasure, kind: OperationKind) -> ForgetOutput:
    """Queries and spooled turns first, while the words are known; then the files; then every remainder."""
    _check_room(app, plan)
    begin(app)
    places = {
        "queries": app.history.erase(
            plan.namespace, plan.lost_words, [each.memory.id for each, _ in plan.going], scrub=False
        ),
        "spooledTurns": app.spool.drop(_spooled_keys(app, plan)),
        "files": len(plan.removals),
        "rewrittenFiles": len(plan.writes),
        "indexRows": len(plan.going),
    }
    now, keys = app.clock.now(), 0
    ledger: list[dict[str, object]] = [KeyRow(at=now, keyed_by=fingerprint(app.key).hex()).to_wire()]
    whole = _file_keys(app, plan)
    for held, why in plan.going:
        found = tombstones(app.key, held.memory) + whole.pop(held.memory.session_id or "", [])
        keys += len(found)
        ledger += [_tombstone_row(held.memory, found, now), _forgotten_row(app, held.memory, why, now)]
    changes, back = restored(app, plan)
    revived = changes.plan(plan.writes)
    kept = app.unit_of_work.commit(kind, revived.writes, [*ledger, *revived.rows], removals=plan.removals)
    app.indexer.catch_up(plan.paths)  # a file somebody deleted by hand stands in no operation
    _check_gone(app, plan)
    listed = tuple(each.model_copy(update={"excerpt": ""}) for each in _erased_memories(plan))
    places, remains = scrub(app, plan.namespace, kept.op_id, plan.paths, len(plan.going), places)
    if not remains:
        end(app)
    return ForgetOutput(
        done=True,
        memories=listed,
        places=places,
        versions=plan.versions,
        op_id=kept.op_id,
        tombstones=keys,
        restored=back,
        remains=remains,
    )


def _check_room(app: App, plan: Erasure) -> None:
    """What is written down must be filed and folded, too: else what was forgotten would still be found.

    Raises:
        NoRoomError: there may not be room for that; nothing was changed.
    """
    paths, index = set(plan.paths), app.settings.home / "index.db"
    folded = sum(each.path in paths for each in app.index.memories(plan.namespace))  # a file is folded as a whole
    rewritten = sum(len(each.data) for each in plan.writes)
    needed = _LEAST_ROOM + 2 * rewritten + min(_ROOM_EACH * folded, index.stat().st_size)
    free = shutil.disk_usage(app.settings.home).free
    if free < needed:
        raise NoRoomError(
            f"to forget this takes {needed:,} bytes of room for a moment, and {free:,} are free; nothing was changed",
            next_step="free some space, then repeat the command",
        )


def _check_gone(app: App, plan: Erasure) -> None:
    """An editor that saved a file at that very moment keeps it, and its words: that must not pass for forgotten.

    Raises:
        ConflictError: names the files that are still there.
    """
    removed = [each.path for each in plan.removals]
    staying = [head.path for head in app.records.heads(removed) if head.data is not None]
    if staying:
        raise ConflictError(
            f"{len(staying)} of {len(removed)} files were saved by somebody while they were being forgotten: "
            + ", ".join(staying),
            next_step="close them in the editor, then forget the memory again",
        )


def _tombstone_row(memory: Memory, keys: Sequence[bytes], at: datetime) -> dict[str, object]:
    return TombstoneRow(
        memory_id=memory.id, namespace=memory.namespace, at=at, keys=tuple(key.hex() for key in keys)
    ).to_wire()


def _forgotten_row(app: App, memory: Memory, why: str, at: datetime) -> dict[str, object]:
    return LifecycleRow(
        event_id=app.clock.new_id("evt"),
        memory_id=memory.id,
        namespace=memory.namespace,
        event_type="forgotten",
        timestamp=at,
        actor="user",
        reason_code=why,
    ).to_wire()


def failure_of(outcome: ForgetOutput) -> StoreError | None:
    """A failure where bytes are left: who asked must not take it for done."""
    if not outcome.remains:
        return None
    return StoreError(
        f"forgotten, but not erased to the last byte yet: {', '.join(each.place for each in outcome.remains)}",
        next_step="each later command goes on with it; `pellucid doctor` says what is left",
    )


FORGET = Operation(
    "memory.forget",
    "Forget memories for good: no byte of their words stays. Importing their session again brings nothing back.",
    ForgetInput,
    ForgetOutput,
    lambda call, asked: (preview_forget if asked.preview else forget)(call.app, asked),
    "erase",
    Surfaces("forget", http=("POST /v1/forget",), mcp="memory_forget"),
    failure=failure_of,
    span="delete_memory",
)
PURGE = Operation(
    "memory.purge",
    "Forget every memory that fits all of these filters.",
    PurgeInput,
    ForgetOutput,
    lambda call, asked: (preview_purge if asked.preview else purge)(call.app, asked),
    "erase",
    Surfaces("purge", http=("POST /v1/purge",)),
    failure=failure_of,
    needs="admin",
    span="delete_memory",
)
