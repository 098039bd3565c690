"""A memory or a source in, its trust listed, explained, raised or withdrawn out; every change can be undone."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from pellucid.app import App
from pellucid.errors import ConflictError, InputError, field_name, step
from pellucid.memory.changes import ChangeSet, Fields, from_state
from pellucid.memory.ledger_rows import lifecycle_rows
from pellucid.memory.reconcile.reconcile import Reconciler
from pellucid.memory.trust.zones import Band, doubts, next_zone, score, why_quarantined
from pellucid.model.ledger import LifecycleRow
from pellucid.model.memory import Memory, SourceClass, TrustZone
from pellucid.model.observation import Contribution
from pellucid.model.wire import Instant, Wire
from pellucid.operations.browsing import Listed, find_memory, listed, sort_key
from pellucid.operations.memory.changing import commit_changes
from pellucid.operations.operation import Argument, Flag, MemoryId, Operation, Surfaces, Text, in_home
from pellucid.operations.paging import After, page
from pellucid.store.index_port import Served

_REPLACED = {"superseded", "attribute_retired"}
"""Events by which another memory changed a memory, and which a rollback of that other memory reverts."""


class TrustListInput(Wire):
    """The trust zone to list."""

    namespace: str
    zone: Annotated[TrustZone, Flag("quarantine, working or trusted.")] = "quarantine"
    limit: Annotated[int, Flag("How many at most.")] = Field(default=50, ge=1, le=10_000)
    after: After = None


class TrustListOutput(Wire):
    """A page of the memories of a zone, newest first, with reasons, and how many there are in all."""

    zone: TrustZone
    memories: tuple[Listed, ...]
    reasons: tuple[str, ...]
    """For each of `memories` the reason for quarantine; "" if there is none."""
    total: int
    next: str | None = None
    """The `after` of the next page; None if this is the last page."""


class TrustOutput(Wire):
    """A memory's trust: its score with named shares, its zone, and the events that changed them."""

    memory: Memory
    path: str
    score: float
    band: Band
    contributions: tuple[Contribution, ...]
    doubt: str
    """The reason for quarantine; "" if there is none."""
    events: tuple[LifecycleRow, ...]
    """Its corroborations, promotions and quarantines."""


class PromoteInput(Wire):
    """The memory that a person vouches for."""

    namespace: str
    memory_id: MemoryId


class SourceInput(Wire):
    """Memories by ids, or by session, source class and agent, which must all fit."""

    namespace: str
    memory_ids: Annotated[tuple[str, ...], Argument("Memories: ids, last ten digits, or paths.")] = ()
    source_class: Annotated[
        SourceClass | None, Flag("A source class, such as tool_output or web_content.", "--source")
    ] = None
    agent: Annotated[str | None, Flag("What this agent took in.")] = None
    session_id: Annotated[str | None, Flag("What came of this session.", "--session")] = None
    since: Instant | None = Field(default=None, description="Only what was created at or after this.")
    preview: Annotated[bool, Flag("Only say what would be quarantined.")] = False


class RollbackInput(SourceInput):
    """Memories by session, source class and agent, which must all fit."""

    memory_ids: tuple[str, ...] = Field(default=(), description="Memories: ids, last ten digits, or paths.")
    since: Annotated[Instant | None, Flag("Only what was created on this day or later.")] = None
    preview: Annotated[bool, Flag("Do it; without this, only say what would change.", "--yes", opposite=True)] = True


class TrustChanged(Wire):
    """One memory that a trust operation changes, after the change."""

    memory_id: str
    what: str
    zone: TrustZone
    status: str
    excerpt: str


class TrustChangeOutput(Wire):
    """The memories changed, or if `done` is false, those that would be. `op_id` is the argument for `undo`."""

    done: bool
    changed: tuple[TrustChanged, ...]
    op_id: str | None = None


def trust_list(app: App, request: TrustListInput) -> TrustListOutput:
    """List the active memories of a trust zone, newest first, a page of `limit`, each with its reason for quarantine
    (see `quarantine_reason`). InputError for a cursor of another list."""
    in_zone = [
        each
        for each in app.index.memories(request.namespace)
        if each.memory.trust_zone == request.zone and each.memory.status == "active"
    ]
    shown, next_page = page(app, request, in_zone, sort_key)
    return TrustListOutput(
        zone=request.zone,
        total=len(in_zone),
        next=next_page,
        memories=tuple(map(listed, shown)),
        reasons=tuple(quarantine_reason(each.memory) for each in shown),
    )


def trust_explain(app: App, request: PromoteInput) -> TrustOutput:
    """Explain a memory's trust score and zone, with the events that changed them. NotFoundError if no memory fits the
    id, InputError if several do."""
    served = find_memory(app, request.namespace, request.memory_id)
    trust = score(served.memory)
    trust_events = {"corroborated", "promoted", "quarantined"}
    return TrustOutput(
        memory=served.memory,
        path=served.path,
        score=trust.value,
        band=trust.band,
        contributions=tuple(Contribution(name=name, value=value) for name, value in trust.shares),
        doubt=quarantine_reason(served.memory),
        events=tuple(
            row
            for row in lifecycle_rows(app.ledger, request.namespace)
            if row.memory_id == served.memory.id and (row.event_type in trust_events or "trustZone" in row.after)
        ),
    )


def promote(app: App, request: PromoteInput) -> TrustChangeOutput:
    """Raise a memory by one trust zone (quarantine, working, trusted), as a person vouches for it. A memory that leaves
    quarantine is reconciled with known memories like a new one, so that one of the two can give way, unless it is a
    moment or a section.

    Raises:
        NotFoundError: no such memory in the namespace.
        InputError: the id fits several memories; or the memory is trusted already, or not active, or a moment or a
            section outside of quarantine.
    """
    with app.unit_of_work.deciding(request.namespace):
        held = find_memory(app, request.namespace, request.memory_id)
        memory = held.memory
        if memory.trust_zone == "trusted":
            raise InputError(f"{memory.id} is trusted already", next_step=f"{step('trust.explain')} says why")
        is_verbatim = memory.category in ("section", "moment")
        if memory.status != "active" or (is_verbatim and memory.trust_zone == "working"):
            raise InputError(f"{memory.id} is {memory.status}, {memory.category}: there is nothing to promote")
        changes = ChangeSet(app.records, request.namespace, "user", app.clock)
        if is_verbatim:  # moments and sections replace nothing
            changes.change(held, "promoted", {"trust_zone": "working"}, "vouched")
        elif memory.trust_zone == "quarantine":
            Reconciler(app.index, app.lookup, changes, app.key).admit(held, "vouched")
        else:
            changes.change(held, "promoted", {"trust_zone": next_zone(memory.trust_zone)}, "vouched")
        return _commit(app, changes, [held], "promoted")


def quarantine(app: App, request: SourceInput) -> TrustChangeOutput:
    """Put the memories that the request names, or all from a source, into quarantine: no recall returns them, and they
    change no others. Memories in quarantine stay as they are, as do a source's versions of headers; a preview writes
    nothing.

    Raises:
        InputError: the request names neither memories nor a source, or an id fits several memories.
        NotFoundError: no such memory in the namespace.
        ConflictError: the request names by id a moment (to be retracted) or the version of a header (to be forgotten);
            or the file of a section is gone.
    """
    with app.unit_of_work.deciding(request.namespace):
        chosen = _memories_of_source(app, request)
        if any(each.memory.category == "moment" for each in chosen) and request.memory_ids:
            raise ConflictError("a moment is a turn of a file: it has no zone", next_step="retract it instead")
        changes = ChangeSet(app.records, request.namespace, "user", app.clock)
        if request.memory_ids and not all(map(changes.changeable_fields, chosen)):
            raise ConflictError("the version of a document's header has no zone", next_step="forget it instead")
        changed = [
            each
            for each in chosen
            if changes.change(each, "quarantined", {"trust_zone": "quarantine"}, _reason_code(request))
        ]
        return _commit(app, changes, changed, "quarantined", preview=request.preview)


def rollback(app: App, request: SourceInput) -> TrustChangeOutput:
    """Put the memories that the request names, or all from a source, into quarantine (moments, that is passages, are
    retracted), and restore what they had replaced, in one operation. A preview writes nothing.

    Superseded memories are again as they were before, unless they were changed since, and retired attributes count
    again. InputError if the request names neither memories nor a source, or an id fits several; NotFoundError for an
    unknown id; ConflictError if the file of a section is gone."""
    with app.unit_of_work.deciding(request.namespace):
        chosen = _memories_of_source(app, request)
        changes = ChangeSet(app.records, request.namespace, "trust", app.clock)
        retired = [each for each in chosen if _retire(changes, each, request)]
        chosen_ids = {each.memory.id for each in chosen}
        restored = _restore_replaced(app, changes, request.namespace, chosen_ids)
        restored_ids = {each.memory.id for each in restored}
        for each in chosen:
            left = tuple(old for old in each.memory.supersedes if old not in restored_ids)
            changes.change(each, "quarantined", {"supersedes": left}, _reason_code(request))
        return _commit(app, changes, [*retired, *restored], "rolled back", preview=request.preview, restored=restored)


def _retire(changes: ChangeSet, served: Served, request: SourceInput) -> bool:
    """Add to `changes` that a memory is quarantined, or that a moment (a passage) is retracted; return whether it
    changes."""
    if served.memory.category == "moment":
        return changes.change(served, "retracted", {"status": "retracted"}, _reason_code(request))
    return changes.change(served, "quarantined", {"trust_zone": "quarantine"}, _reason_code(request))


def _restore_replaced(app: App, changes: ChangeSet, namespace: str, gone: set[str]) -> list[Served]:
    """Restore the memories that those with ids in `gone` had superseded, or whose attributes they had retired, if that
    was their last change; the changes are added to `changes`. Return the restored memories, without those in `gone`.

    What a memory in `gone` replaced stays replaced if a memory outside of `gone` has superseded it since."""
    last: dict[str, LifecycleRow] = {}
    for row in lifecycle_rows(app.ledger, namespace):
        if row.after and row.event_type not in {"corroborated", "redated"}:
            last[row.memory_id] = row
    rows = [row for row in last.values() if row.event_type in _REPLACED and gone.intersection(row.related_memory_ids)]
    ids = [*gone, *(row.memory_id for row in rows)]
    by_id = {each.memory.id: each for each in app.index.memories(namespace, ids)}
    replaced_since = {each for each in gone if (by := by_id[each].memory.superseded_by) is not None and by not in gone}
    return [
        by_id[row.memory_id]
        for row in rows
        if row.memory_id in by_id
        and row.memory_id not in gone
        and _restore_one(changes, by_id[row.memory_id], row, gone - replaced_since)
    ]


def _restore_one(changes: ChangeSet, served: Served, row: LifecycleRow, gone: set[str]) -> bool:
    """Add to `changes` that a memory, and its attributes, are as they were before memories with ids in `gone` replaced
    them; `row` is the memory's last change. Return whether it changes."""
    memory = served.memory
    left = {name: by for name, by in memory.retired_attributes.items() if by not in gone}
    fields: Fields = {"retired_attributes": left}
    if memory.superseded_by in gone:
        fields |= from_state(row.before)
    successors = {*memory.retired_attributes.values(), memory.superseded_by}
    return changes.change(served, "restored", fields, "source-rolled-back", sorted(gone & successors))


def _memories_of_source(app: App, request: SourceInput) -> list[Served]:
    """Return the memories that the request names by id (NotFoundError for an unknown id, InputError if several fit
    one), else all that fit its session, agent, source class and time. InputError if it gives no id, session, agent or
    source class."""
    if request.memory_ids:
        return [find_memory(app, request.namespace, each) for each in dict.fromkeys(request.memory_ids)]
    if not (request.session_id or request.source_class or request.agent):
        raise InputError(
            "nothing says whose memories are meant",
            code="missing_source",
            next_step=f"name ids, {field_name('session_id')}, {field_name('source_class')} or {field_name('agent')}",
        )
    return [each for each in app.index.memories(request.namespace) if _is_from_source(each.memory, request)]


def quarantine_reason(memory: Memory) -> str:
    """Return the reason why a memory is in quarantine, or would begin there by its source and content, as `code:
    reason`; "" if there is none, and for every moment (passage) outside of quarantine."""
    if memory.category == "moment" and memory.trust_zone != "quarantine":
        return ""  # a pasted turn is marked, and recalls are allowed to return it
    reason = doubts(memory.source_class, memory.content)
    return reason or (why_quarantined(memory) if memory.trust_zone == "quarantine" else "")


def _is_from_source(memory: Memory, request: SourceInput) -> bool:
    """Whether a memory fits all of the session, agent, source class and `since` (it was created then or later) that the
    request gives; a memory without a source class is of `manual`.
    """
    criteria = (
        (request.session_id, memory.session_id),
        (request.agent, memory.agent),
        (request.source_class, memory.source_class or "manual"),
    )
    fits = all(wanted is None or wanted == actual for wanted, actual in criteria)
    return fits and (request.since is None or memory.created >= request.since)


def _reason_code(request: SourceInput) -> str:
    """Return the ledger's reason code of a request, such as `by-session`: the kinds of its criteria, and the source
    class, without the names of sessions and agents."""
    criteria = {"ids": request.memory_ids, "session": request.session_id, "agent": request.agent}
    kinds = [kind for kind, value in criteria.items() if value]
    return "by-" + "-".join([*kinds, *([request.source_class] if request.source_class else [])])


def _commit(
    app: App,
    changes: ChangeSet,
    memories: Sequence[Served],
    what: str,
    *,
    preview: bool = False,
    restored: Sequence[Served] = (),
) -> TrustChangeOutput:
    """Commit the changes, which are those of `memories`, unless `preview` is set or there are none, and return the
    output, which names these memories. `what` was done to those that are not in `restored`, such as `quarantined`."""
    restored_ids = {each.memory.id for each in restored}
    changed = tuple(
        _trust_changed(changes.now(each.memory), "restored" if each.memory.id in restored_ids else what)
        for each in memories
    )
    if preview or not changed:
        return TrustChangeOutput(done=not preview, changed=changed)
    return TrustChangeOutput(done=True, changed=changed, op_id=commit_changes(app, "trust", changes))


def _trust_changed(memory: Memory, what: str) -> TrustChanged:
    """Convert a memory after the change into its output form; `what` was done to it, such as `quarantined`."""
    excerpt = " ".join(memory.content.split())[:80]
    return TrustChanged(memory_id=memory.id, what=what, zone=memory.trust_zone, status=memory.status, excerpt=excerpt)


TRUST_LIST = Operation(
    "trust.list",
    "List the memories of a zone, and why each is there.",
    TrustListInput,
    TrustListOutput,
    in_home(trust_list),
    "read",
    Surfaces("trust list", http=("GET /v1/trust",)),
    text=Text("memory.changes.trust_list_text"),
)
TRUST_EXPLAIN = Operation(
    "trust.explain",
    "Say why a memory is trusted as far as it is.\n\nIts score by named share, its zone, each step it took.\n",
    PromoteInput,
    TrustOutput,
    in_home(trust_explain),
    "read",
    Surfaces("trust explain", http=("GET /v1/trust/{memory_id}",)),
    text=Text("memory.changes.trust_text", excerpts=True),
)
PROMOTE = Operation(
    "trust.promote",
    "Vouch for a memory: it rises one zone. Out of quarantine it meets what it contradicts.",
    PromoteInput,
    TrustChangeOutput,
    in_home(promote),
    "change",
    Surfaces("trust promote", http=("POST /v1/memories/{memory_id}/promote",)),
    text=Text("memory.changes.trust_change_text", excerpts=True),
    needs="admin",  # who vouches speaks as the user
)
QUARANTINE = Operation(
    "trust.quarantine",
    "Put memories where nothing recalls them.\n\nThese, or all that came from a session, a source or an agent.\n",
    SourceInput,
    TrustChangeOutput,
    in_home(quarantine),
    "change",
    Surfaces("trust quarantine", http=("POST /v1/trust/quarantine",)),
    text=Text("memory.changes.trust_change_text", excerpts=True, carry_out={"preview": False}),
    needs="admin",  # who judges a source judges what people said, too
)
ROLLBACK = Operation(
    "trust.rollback",
    "Take back all that came from a source.\n\n"
    "It is put out of force, and what it had replaced is restored; one operation.\n",
    RollbackInput,
    TrustChangeOutput,
    in_home(rollback),
    "change",
    Surfaces("trust rollback", http=("POST /v1/trust/rollback",)),
    text=Text("memory.changes.trust_change_text", excerpts=True, carry_out={"preview": False}),
    needs="admin",
)
