"""Memories that must go in, a receipt of each place they were taken from out: forget, purge, and the preview of both.

All that holds their words goes in the same operation: copies, derived memories, source turns, episode topics, queries
in receipts, spooled turns. Tombstones prevent a return. After a crash, the next command finishes the operation.
"""

import shutil
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated

from pydantic import Field

from pellucid.app import App
from pellucid.documents.files import named_file
from pellucid.errors import ConflictError, InputError, NoRoomError, StoreError
from pellucid.memory.erasure import plan as erasure
from pellucid.memory.erasure.plan import Erasure, file_key, tombstones
from pellucid.model.ledger import KeyRow, LifecycleRow, TombstoneRow
from pellucid.model.memory import Category, Memory, SourceClass, Status
from pellucid.model.wire import Instant, Wire
from pellucid.operations.browsing import find_memory
from pellucid.operations.memory.changing import check_may_change
from pellucid.operations.memory.restoring import RestoredMemory, restore_replaced
from pellucid.operations.operation import Flag, MemoryIds, Operation, Session, Surfaces
from pellucid.operations.remains import Remainder, finish_erasures, mark_erasure_begun, mark_erasure_finished, scrub
from pellucid.operations.settling import require_settled
from pellucid.store.graph_port import FiledDocument
from pellucid.store.index_port import Served
from pellucid.store.local.vault.key import fingerprint
from pellucid.store.records import OperationKind

ROUND = 500
"""Memories that a purge forgets at a time."""
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
    """Show what `forget` would erase; nothing is changed."""
    return preview_plan(app, _plan_request(app, request))


def forget(app: App, request: ForgetInput) -> ForgetOutput:
    """Erase memories to the last byte, and prevent that importing their session brings them back.

    What could not be erased yet (a file is in use, the disk is full) is listed in `remains`; later commands retry.

    Raises:
        NotFoundError: no such memory in the namespace; it may have been forgotten before.
        NoRoomError: there is not even room to write down that they are gone; nothing was changed.
        NotYoursError: a program asks, and a person said some of what would go.
        UnhealthyError: the vault's key is lost or changed: a tombstone made now would not be known later.
    """
    require_settled(app, ledger=False)
    with app.unit_of_work.deciding(None):
        finish_erasures(app)
        plan = _plan_request(app, request)
        theirs = "show the user the preview: to forget it is theirs, in a shell or with a token that grants admin"
        check_may_change(request.said_by, [held.memory for held, _ in plan.going], theirs)
        return carry_out_erasure(app, plan, "forget")


def preview_purge(app: App, request: PurgeInput) -> ForgetOutput:
    """Show what `purge` would erase; nothing is changed. InputError without a filter."""
    if chosen := _memories_to_purge(app, request):
        return preview_plan(app, plan_erasure(app, request.namespace, chosen))
    return ForgetOutput(done=False, memories=(), places={})


def purge(app: App, request: PurgeInput) -> ForgetOutput:
    """Forget every memory that fits the filters, `ROUND` at a time; after a crash, a repeat continues. InputError
    without a filter; without a memory that fits, nothing is erased."""
    require_settled(app, ledger=False)
    outcome = ForgetOutput(done=True, memories=(), places={})
    with app.unit_of_work.deciding(None):
        finish_erasures(app)
        while chosen := _memories_to_purge(app, request):
            plan = plan_erasure(app, request.namespace, chosen[:ROUND])
            outcome = add_outcomes(outcome, carry_out_erasure(app, plan, "purge"))
    return outcome


def add_outcomes(before: ForgetOutput, done: ForgetOutput) -> ForgetOutput:
    """Add up two rounds of forgetting; versions, operation and remains are those of the later round."""
    places = Counter(before.places)
    places.update(done.places)
    return done.model_copy(
        update={
            "memories": (*before.memories, *done.memories),
            "places": dict(places),
            "tombstones": before.tombstones + done.tombstones,
            "restored": (*before.restored, *done.restored),
        }
    )


def _memories_to_purge(app: App, request: PurgeInput) -> list[Served]:
    """Return the memories that fit all filters given; InputError if none is given."""
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


def _plan_request(app: App, request: ForgetInput) -> Erasure:
    """Plan the erasure of the memories and documents that a request names."""
    documents = app.graph.documents(request.namespace)
    asked = [
        served for each in request.memory_ids for served in _find_memories(app, request.namespace, each, documents)
    ]
    return plan_erasure(app, request.namespace, asked, chain=request.chain)


def _find_memories(app: App, namespace: str, name: str, documents: Sequence[FiledDocument]) -> list[Served]:
    """Return all memories of the document with this id, path or vault file; if there is none, the memory that is called
    so."""
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


def plan_erasure(app: App, namespace: str, asked: Sequence[Served], *, chain: bool = False) -> Erasure:
    """Work out all that must be erased with these memories; `chain` adds the older and newer versions of them."""
    memories, episodes = app.index.memories(namespace), app.lookup.episodes(namespace)
    return erasure.plan_erasure(app.records, memories, episodes, asked, chain=chain)


def preview_plan(app: App, plan: Erasure) -> ForgetOutput:
    """Show what an erasure would take, counted by place."""
    suffixes = set(map(_file_suffix, plan.paths))
    conflicts = sum(_file_suffix(path) in suffixes for path in app.records.conflicts())
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
        restored=restore_replaced(app, plan)[1],
    )


def _file_suffix(path: str) -> str:
    """Return the last ten characters of a file's name before its first dot: the end of the id in it, which its conflict
    copies share."""
    return path.rsplit("/", 1)[-1].split(".", 1)[0][-10:]


def _erased_memories(plan: Erasure) -> tuple[ErasedMemory, ...]:
    """Show the memories that an erasure takes, each with why and its first words."""
    return tuple(
        ErasedMemory(
            id=held.memory.id, path=held.path, category=held.memory.category, why=why, excerpt=held.memory.content[:80]
        )
        for held, why in plan.going
    )


def _tombstone_keys(app: App, plan: Erasure) -> set[bytes]:
    """Return the keys by which erased memories and documents will be recognised if they are imported again."""
    said = {key for held, _ in plan.going for key in tombstones(app.key, held.memory)}
    return said | {key for keys in _document_keys(app, plan).values() for key in keys}


def _document_keys(app: App, plan: Erasure) -> dict[str, list[bytes]]:
    """Return the tombstone keys of documents whose vault files are removed, by document id."""
    gone = {each.path for each in plan.removals}
    return {
        each.document.id: [file_key(app.key, plan.namespace, each.document.digest)]
        for each in app.graph.documents(plan.namespace)
        if each.path in gone
    }


def _spooled_keys(app: App, plan: Erasure) -> list[bytes]:
    """Return the keys of spooled turns that contain what is erased."""
    return [
        each.key
        for waiting in app.spool.waiting(plan.namespace)
        for each in app.spool.held(plan.namespace, waiting.session_id)
        if plan.is_said_by(each.turn)
    ]


def carry_out_erasure(app: App, plan: Erasure, kind: OperationKind) -> ForgetOutput:
    """Erase queries and spooled turns first, while the words are known; then the files; then scrub every store. What
    could not be erased yet is listed in `remains`; NoRoomError before anything is changed, ConflictError if a file was
    saved meanwhile."""
    _check_room(app, plan)
    mark_erasure_begun(app)
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
    whole = _document_keys(app, plan)
    for held, why in plan.going:
        found = tombstones(app.key, held.memory) + whole.pop(held.memory.session_id or "", [])
        keys += len(found)
        ledger += _ledger_rows(app, held.memory, why, found, now)
    changes, back = restore_replaced(app, plan)
    revived = changes.plan(plan.writes)
    kept = app.unit_of_work.commit(kind, revived.writes, [*ledger, *revived.rows], removals=plan.removals)
    app.indexer.catch_up(plan.paths)  # a file somebody deleted by hand stands in no operation
    _check_gone(app, plan)
    listed = tuple(each.model_copy(update={"excerpt": ""}) for each in _erased_memories(plan))
    places, remains = scrub(app, plan.namespace, kept.op_id, plan.paths, len(plan.going), places)
    if not remains:
        mark_erasure_finished(app)
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
    """Raise NoRoomError if the disk cannot take writing and indexing an erasure: half of it could still be found."""
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
    """Raise ConflictError if a file that was removed is there again, as an editor has saved it meanwhile."""
    removed = [each.path for each in plan.removals]
    staying = [head.path for head in app.records.heads(removed) if head.data is not None]
    if staying:
        raise ConflictError(
            f"{len(staying)} of {len(removed)} files were saved by somebody while they were being forgotten: "
            + ", ".join(staying),
            next_step="close them in the editor, then forget the memory again",
        )


def _ledger_rows(app: App, memory: Memory, why: str, keys: Sequence[bytes], at: datetime) -> list[dict[str, object]]:
    """Return the ledger rows of a forgotten memory: its tombstone with these keys, and why it was forgotten."""
    hexes = tuple(key.hex() for key in keys)
    tombstone = TombstoneRow(memory_id=memory.id, namespace=memory.namespace, at=at, keys=hexes)
    forgotten = LifecycleRow(
        event_id=app.clock.new_id("evt"),
        memory_id=memory.id,
        namespace=memory.namespace,
        event_type="forgotten",
        timestamp=at,
        actor="user",
        reason_code=why,
    )
    return [tombstone.to_wire(), forgotten.to_wire()]


def remains_error(outcome: ForgetOutput) -> StoreError | None:
    """Return the error for an incomplete erasure; None if nothing remains."""
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
    failure=remains_error,
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
    failure=remains_error,
    needs="admin",
    span="delete_memory",
)
