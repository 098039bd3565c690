"""Memories to forget in, counts of what was erased in each place out: forget, purge, and the preview of both.

Everything that contains their words is erased in the same operation: copies, derived memories, source turns, episode
topics, queries in receipts, spooled turns. Tombstones prevent a return. After a crash, the next command finishes the
operation.
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
from pellucid.errors import ConflictError, InputError, NoRoomError, StoreError, step
from pellucid.memory.erasure import plan as erasure
from pellucid.memory.erasure.plan import Erasure, file_key, tombstones
from pellucid.model.ledger import KeyRow, LifecycleRow, TombstoneRow
from pellucid.model.memory import Category, Memory, SourceClass, Status
from pellucid.model.wire import Instant, Wire
from pellucid.operations.browsing import find_memory
from pellucid.operations.memory.changing import check_may_change
from pellucid.operations.memory.restoring import RestoredMemory, restore_replaced
from pellucid.operations.operation import Flag, MemoryIds, Operation, Session, Surfaces, Text, in_home
from pellucid.operations.remains import Remainder, finish_erasures, mark_erasure_begun, mark_erasure_finished, scrub
from pellucid.operations.settling import require_settled
from pellucid.store.graph_port import FiledDocument
from pellucid.store.index_port import Served
from pellucid.store.local.vault.key import fingerprint
from pellucid.store.records import OperationKind

ROUND = 500
"""The number of memories that a purge forgets in one operation."""
_LEAST_ROOM, _ROOM_EACH = 512 << 10, 16 << 10
"""The free bytes that an erasure needs at least, and further for each memory of the files that it changes."""
Preview = Annotated[bool, Flag("Do it; without this, only say what would go.", "--yes", opposite=True)]


class ForgetInput(Wire):
    """The memories to forget; with `chain`, their older and newer versions, too.

    An id can also be a document's (`doc_…`) or its path: then the whole document is forgotten.
    """

    namespace: str
    said_by: SourceClass = "manual"
    """The source of the request: a person or a program."""
    memory_ids: MemoryIds = Field(min_length=1)
    chain: Annotated[bool, Flag("Their older and newer versions, too.")] = False
    preview: Preview = True


class PurgeInput(Wire):
    """Filters of the memories to forget: a memory must pass every filter, and there must be at least one filter."""

    namespace: str
    before: Annotated[Instant | None, Flag("Created before this day.")] = None
    status: Annotated[Status | None, Flag("Of this status, such as archived.")] = None
    category: Annotated[Category | None, Flag("Of this category.")] = None
    source_class: Annotated[SourceClass | None, Flag("Said by this kind of source.", "--source")] = None
    preview: Preview = True
    session_id: Session = None


class ErasedMemory(Wire):
    """One memory that is erased, and why: it was asked for, or is a copy of, derived from or a source of such a one."""

    id: str
    path: str
    category: Category
    why: str
    excerpt: str


class ForgetOutput(Wire):
    """What was erased, with counts by place; if `done` is false, what would be erased."""

    done: bool
    memories: tuple[ErasedMemory, ...]
    places: dict[str, int]
    versions: tuple[str, ...] = ()
    """The ids of other versions of the erased memories, which stay unless the chain is asked for."""
    op_id: str | None = None
    tombstones: int = 0
    restored: tuple[RestoredMemory, ...] = ()
    """Memories that are restored, as only the erased memories had replaced or disputed them."""
    remains: tuple[Remainder, ...] = ()
    """Places that still contain bytes of the erased memories, although these cannot be found any more."""


def preview_forget(app: App, request: ForgetInput) -> ForgetOutput:
    """Return what `forget` would erase; nothing is changed. NotFoundError or InputError as `forget` raises them."""
    return preview_plan(app, _plan_request(app, request))


def forget(app: App, request: ForgetInput) -> ForgetOutput:
    """Erase memories to the last byte, and write tombstones, so that importing their session does not bring them back.

    Interrupted erasures are finished first. Memories that only the erased ones had replaced or disputed are restored.
    Places that cannot be erased yet (a file in use, a full disk) are listed in `remains`; later commands retry.

    Raises:
        InputError: several memories, or documents below several folders, have one of the names.
        NotFoundError: no such memory in the namespace; it is possible that it was forgotten before.
        ConflictError: somebody saved one of the files meanwhile: it is back, the others are forgotten.
        NoRoomError: the disk has too little space even for the record of the erasure; nothing was changed.
        NotYoursError: a program asks, and a person said some of what would be erased.
        UnhealthyError: the vault's key is lost or changed, so that tombstones made now would not be recognised later.
    """
    require_settled(app, ledger=False)
    with app.unit_of_work.deciding(None):
        finish_erasures(app)
        plan = _plan_request(app, request)
        instead = "show the user the preview: to forget it is theirs, in a shell or with a token that grants admin"
        check_may_change(request.said_by, [served.memory for served, _ in plan.going], instead)
        return carry_out_erasure(app, plan, "forget")


def preview_purge(app: App, request: PurgeInput) -> ForgetOutput:
    """Show what `purge` would erase; nothing is changed. InputError without a filter."""
    if chosen := _memories_to_purge(app, request):
        return preview_plan(app, plan_erasure(app, request.namespace, chosen))
    return ForgetOutput(done=False, memories=(), places={})


def purge(app: App, request: PurgeInput) -> ForgetOutput:
    """Erase every memory that passes the filters, whoever said it, 500 (`ROUND`) at a time, and return the sum of all
    rounds; after a crash, a repeated call continues. InputError without a filter; UnhealthyError if the vault's key is
    lost; after NoRoomError or ConflictError (a file was saved meanwhile), what earlier rounds erased is gone."""
    require_settled(app, ledger=False)
    outcome = ForgetOutput(done=True, memories=(), places={})
    with app.unit_of_work.deciding(None):
        finish_erasures(app)
        while chosen := _memories_to_purge(app, request):
            plan = plan_erasure(app, request.namespace, chosen[:ROUND])
            outcome = add_outcomes(outcome, carry_out_erasure(app, plan, "purge"))
    return outcome


def add_outcomes(earlier: ForgetOutput, later: ForgetOutput) -> ForgetOutput:
    """Return the sum of two rounds of forgetting; versions, operation and remains are those of the later round."""
    places = Counter(earlier.places)
    places.update(later.places)
    return later.model_copy(
        update={
            "memories": (*earlier.memories, *later.memories),
            "places": dict(places),
            "tombstones": earlier.tombstones + later.tombstones,
            "restored": (*earlier.restored, *later.restored),
        }
    )


def _memories_to_purge(app: App, request: PurgeInput) -> list[Served]:
    """Return the memories of the namespace that pass every filter of the request; InputError without a filter."""
    fields = {
        "status": request.status,
        "category": request.category,
        "session_id": request.session_id,
        "source_class": request.source_class,
    }
    filters = {name: value for name, value in fields.items() if value is not None}
    if not filters and request.before is None:
        raise InputError(
            "purge needs a filter: it would forget everything",
            code="missing_filter",
            next_step="name a status, a category, a session, a source or an age",
        )
    return [
        each
        for each in app.index.memories(request.namespace)
        if all(getattr(each.memory, name) == value for name, value in filters.items())
        and (request.before is None or each.memory.created < request.before)
    ]


def _plan_request(app: App, request: ForgetInput) -> Erasure:
    """Plan to erase what a request names; NotFoundError if a name fits nothing, InputError if it fits several."""
    documents = app.graph.documents(request.namespace)
    named = [
        served for each in request.memory_ids for served in _find_memories(app, request.namespace, each, documents)
    ]
    return plan_erasure(app, request.namespace, named, chain=request.chain)


def _find_memories(app: App, namespace: str, name: str, documents: Sequence[FiledDocument]) -> list[Served]:
    """Return all memories of the document in `documents` with this id, path or vault file, else the memory of this
    name. NotFoundError if there is neither, InputError if several memories, or documents below several folders, fit."""
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


def plan_erasure(app: App, namespace: str, chosen: Sequence[Served], *, chain: bool = False) -> Erasure:
    """Plan the erasure of memories (with `chain`, of all their versions) and of all that contains their words."""
    memories, episodes = app.index.memories(namespace), app.lookup.episodes(namespace)
    return erasure.plan_erasure(app.records, memories, episodes, chosen, chain=chain)


def preview_plan(app: App, plan: Erasure) -> ForgetOutput:
    """Return the output of an erasure that is only planned, with counts by place; nothing is changed."""
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
    """Return the last ten characters of a file's name before its first dot: the end of the id in the name, which copies
    made in a conflict share."""
    return path.rsplit("/", 1)[-1].split(".", 1)[0][-10:]


def _erased_memories(plan: Erasure) -> tuple[ErasedMemory, ...]:
    """Return the memories that an erasure takes as output, each with its reason and its first 80 characters."""
    return tuple(
        ErasedMemory(
            id=each.memory.id, path=each.path, category=each.memory.category, why=why, excerpt=each.memory.content[:80]
        )
        for each, why in plan.going
    )


def _tombstone_keys(app: App, plan: Erasure) -> set[bytes]:
    """Return the tombstone keys of an erasure's memories and documents, by which a return of them is recognised."""
    of_memories = {key for served, _ in plan.going for key in tombstones(app.key, served.memory)}
    return of_memories | {key for keys in _document_keys(app, plan).values() for key in keys}


def _document_keys(app: App, plan: Erasure) -> dict[str, list[bytes]]:
    """Return a map from the ids of documents whose vault files an erasure removes to their tombstone keys."""
    gone = {each.path for each in plan.removals}
    return {
        each.document.id: [file_key(app.key, plan.namespace, each.document.digest)]
        for each in app.graph.documents(plan.namespace)
        if each.path in gone
    }


def _spooled_keys(app: App, plan: Erasure) -> list[bytes]:
    """Return the keys of spooled turns that contain words of an erasure's memories."""
    return [
        each.key
        for waiting in app.spool.waiting(plan.namespace)
        for each in app.spool.held(plan.namespace, waiting.session_id)
        if plan.is_said_by(each.turn)
    ]


def carry_out_erasure(app: App, plan: Erasure, kind: OperationKind) -> ForgetOutput:
    """Carry out an erasure as an operation of this kind: erase queries and spooled turns while the words are still
    known, then commit the changes of files, then scrub every store. Places that could not be erased yet are listed in
    `remains`. NoRoomError before anything is changed, ConflictError if a removed file was saved again meanwhile."""
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
    document_keys = _document_keys(app, plan)
    for served, why in plan.going:
        # a document's keys go with the first of its memories
        own_keys = tombstones(app.key, served.memory) + document_keys.pop(served.memory.session_id or "", [])
        keys += len(own_keys)
        ledger += _ledger_rows(app, served.memory, why, own_keys, now)
    changes, restored = restore_replaced(app, plan)
    restoring = changes.plan(plan.writes)
    committed = app.unit_of_work.commit(kind, restoring.writes, [*ledger, *restoring.rows], removals=plan.removals)
    app.indexer.catch_up(plan.paths)  # a file that somebody deleted by hand is in no operation
    _check_gone(app, plan)
    erased = tuple(each.model_copy(update={"excerpt": ""}) for each in _erased_memories(plan))
    places, remains = scrub(app, plan.namespace, committed.op_id, plan.paths, len(plan.going), places)
    if not remains:
        mark_erasure_finished(app)
    return ForgetOutput(
        done=True,
        memories=erased,
        places=places,
        versions=plan.versions,
        op_id=committed.op_id,
        tombstones=keys,
        restored=restored,
        remains=remains,
    )


def _check_room(app: App, plan: Erasure) -> None:
    """Raise NoRoomError if the disk has too little space to write and index an erasure; if it ended half-way, some of
    the forgotten memories could still be found."""
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
    """Raise ConflictError if a removed file exists again, as when an editor saved it meanwhile."""
    removed = [each.path for each in plan.removals]
    staying = [head.path for head in app.records.heads(removed) if head.data is not None]
    if staying:
        raise ConflictError(
            f"{len(staying)} of {len(removed)} files were saved by somebody while they were being forgotten: "
            + ", ".join(staying),
            next_step="close them in the editor, then forget the memory again",
        )


def _ledger_rows(app: App, memory: Memory, why: str, keys: Sequence[bytes], at: datetime) -> list[dict[str, object]]:
    """Return a forgotten memory's ledger rows: the tombstone with its keys, then when and `why` it was forgotten."""
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
        next_step=f"each later command goes on with it; {step('home.doctor')} says what is left",
    )


FORGET = Operation(
    "memory.forget",
    "Forget memories for good: no byte of their words stays. Importing their session again brings nothing back.",
    ForgetInput,
    ForgetOutput,
    in_home(forget, preview=preview_forget),
    "erase",
    Surfaces("forget", http=("POST /v1/forget",), mcp="memory_forget"),
    text=Text("memory.changes.forget_text", excerpts=True, carry_out={"preview": False}),
    failure=remains_error,
    span="delete_memory",
)
PURGE = Operation(
    "memory.purge",
    "Forget every memory that fits all of these filters.",
    PurgeInput,
    ForgetOutput,
    in_home(purge, preview=preview_purge),
    "erase",
    Surfaces("purge", http=("POST /v1/purge",)),
    text=Text("memory.changes.forget_text", excerpts=True, carry_out={"preview": False}),
    failure=remains_error,
    needs="admin",
    span="delete_memory",
)
