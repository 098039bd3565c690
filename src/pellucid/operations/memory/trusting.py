"""A memory or a source in, how far it is trusted out: list, explain, promote, quarantine, roll back; all undoable."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from pellucid.app import App
from pellucid.errors import ConflictError, InputError, field_name
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
from pellucid.operations.operation import Argument, Flag, MemoryId, Operation, Surfaces
from pellucid.operations.paging import After, page
from pellucid.store.index_port import Served

_REPLACED = {"superseded", "attribute_retired"}
"""Changes of a memory that another one brought about, and that go with it."""


class TrustListInput(Wire):
    """Which zone to list."""

    namespace: str
    zone: Annotated[TrustZone, Flag("quarantine, working or trusted.")] = "quarantine"
    limit: Annotated[int, Flag("How many at most.")] = Field(default=50, ge=1, le=10_000)
    after: After = None


class TrustListOutput(Wire):
    """The newest memories of a zone, why they are there, and how many there are in all."""

    zone: TrustZone
    memories: tuple[Listed, ...]
    reasons: tuple[str, ...]
    """As long as `memories`: why each began in quarantine; empty where nothing in its words or source says so."""
    total: int
    next: str | None = None
    """Where the page ends, if there is more behind it: the `after` of the next."""


class TrustOutput(Wire):
    """Why a memory is trusted as far as it is: its score by named share, its zone, and each step it took."""

    memory: Memory
    path: str
    score: float
    band: Band
    contributions: tuple[Contribution, ...]
    doubt: str
    """Why its words begin in quarantine; empty where they do not."""
    events: tuple[LifecycleRow, ...]
    """Its corroborations, promotions and quarantines."""


class PromoteInput(Wire):
    """Which memory a person vouches for."""

    namespace: str
    memory_id: MemoryId


class SourceInput(Wire):
    """What came from where: by ids, or by session, source class and agent, which must all hold."""

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
    """What came from where, by session, source class and agent."""

    memory_ids: tuple[str, ...] = Field(default=(), description="Memories: ids, last ten digits, or paths.")
    since: Annotated[Instant | None, Flag("Only what was created on this day or later.")] = None
    preview: Annotated[bool, Flag("Do it; without this, only say what would change.", "--yes", opposite=True)] = True


class TrustChanged(Wire):
    """One memory that a trust operation changes, and how."""

    memory_id: str
    what: str
    zone: TrustZone
    status: str
    excerpt: str


class TrustChangeOutput(Wire):
    """What was changed; of a preview (`done` false), what would be. `op_id` is what `undo` takes."""

    done: bool
    changed: tuple[TrustChanged, ...]
    op_id: str | None = None


def trust_list(app: App, request: TrustListInput) -> TrustListOutput:
    """List the active memories of a trust zone, newest first, a page of `limit`, each with why it is in quarantine, or
    would be ("" if nothing says so)."""
    held = [
        each
        for each in app.index.memories(request.namespace)
        if each.memory.trust_zone == request.zone and each.memory.status == "active"
    ]
    shown, following = page(app, request, held, sort_key)
    return TrustListOutput(
        zone=request.zone,
        total=len(held),
        next=following,
        memories=tuple(map(listed, shown)),
        reasons=tuple(quarantine_reason(each.memory) for each in shown),
    )


def trust_explain(app: App, namespace: str, memory_id: str) -> TrustOutput:
    """Explain a memory's trust score and zone, with what changed them; errors as of `find_memory`."""
    held = find_memory(app, namespace, memory_id)
    scored = score(held.memory)
    told = {"corroborated", "promoted", "quarantined"}
    return TrustOutput(
        memory=held.memory,
        path=held.path,
        score=scored.value,
        band=scored.band,
        contributions=tuple(Contribution(name=name, value=value) for name, value in scored.shares),
        doubt=quarantine_reason(held.memory),
        events=tuple(
            row
            for row in lifecycle_rows(app.ledger, namespace)
            if row.memory_id == held.memory.id and (row.event_type in told or "trustZone" in row.after)
        ),
    )


def promote(app: App, request: PromoteInput) -> TrustChangeOutput:
    """Raise a memory by one trust zone, as a person vouches for it. Out of quarantine, it is reconciled like a new one.

    Raises:
        NotFoundError: no such memory in the namespace.
        InputError: it is trusted already, or not in force, or a moment or a section that is not in quarantine.
    """
    with app.unit_of_work.deciding(request.namespace):
        held = find_memory(app, request.namespace, request.memory_id)
        memory = held.memory
        if memory.trust_zone == "trusted":
            raise InputError(f"{memory.id} is trusted already", next_step="`pellucid trust explain` says why")
        block = memory.category in ("section", "moment")
        if memory.status != "active" or (block and memory.trust_zone == "working"):
            raise InputError(f"{memory.id} is {memory.status}, {memory.category}: there is nothing to promote")
        changes = ChangeSet(app.records, request.namespace, "user", app.clock)
        if block:  # it replaces nothing, whatever it says
            changes.change(held, "promoted", {"trust_zone": "working"}, "vouched")
        elif memory.trust_zone == "quarantine":
            Reconciler(app.index, app.lookup, changes, app.key).admit(held, "vouched")
        else:
            changes.change(held, "promoted", {"trust_zone": next_zone(memory.trust_zone)}, "vouched")
        return _commit(app, changes, [held], "promoted")


def quarantine(app: App, request: SourceInput) -> TrustChangeOutput:
    """Quarantine the named memories, or all from a source: no recall returns them, and they change no others. Those
    that are in quarantine already are left as they are; a preview writes nothing.

    Raises:
        InputError: nothing says which.
        NotFoundError: no such memory in the namespace.
        ConflictError: a moment (to be retracted) or a version of a document's header (to be forgotten) is named.
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
    """Quarantine all memories from a source, and restore what they had replaced, in one operation. Moments are
    retracted instead. Superseded memories become active again, unless changed since; retired attributes, too. A preview
    writes nothing; InputError if nothing says which source."""
    with app.unit_of_work.deciding(request.namespace):
        chosen = _memories_of_source(app, request)
        changes = ChangeSet(app.records, request.namespace, "trust", app.clock)
        out = [each for each in chosen if _retire(changes, each, request)]
        gone = {each.memory.id for each in chosen}
        back = _restore_replaced(app, changes, request.namespace, gone)
        again = {each.memory.id for each in back}
        for each in chosen:
            left = tuple(old for old in each.memory.supersedes if old not in again)
            changes.change(each, "quarantined", {"supersedes": left}, _reason_code(request))
        return _commit(app, changes, [*out, *back], "rolled back", preview=request.preview, restored=back)


def _retire(changes: ChangeSet, held: Served, request: SourceInput) -> bool:
    """Quarantine a memory, or retract a moment; return whether that changes anything."""
    if held.memory.category == "moment":
        return changes.change(held, "retracted", {"status": "retracted"}, _reason_code(request))
    return changes.change(held, "quarantined", {"trust_zone": "quarantine"}, _reason_code(request))


def _restore_replaced(app: App, changes: ChangeSet, namespace: str, gone: set[str]) -> list[Served]:
    """Restore what the memories in `gone` had replaced, unless it was changed since; return those restored."""
    last: dict[str, LifecycleRow] = {}
    for row in lifecycle_rows(app.ledger, namespace):
        if row.after and row.event_type != "corroborated":
            last[row.memory_id] = row
    rows = [row for row in last.values() if row.event_type in _REPLACED and gone.intersection(row.related_memory_ids)]
    ids = [*gone, *(row.memory_id for row in rows)]
    held = {each.memory.id: each for each in app.index.memories(namespace, ids)}
    replaced_since = {each for each in gone if (by := held[each].memory.superseded_by) is not None and by not in gone}
    return [
        held[row.memory_id]
        for row in rows
        if row.memory_id in held
        and row.memory_id not in gone
        and _restore_one(changes, held[row.memory_id], row, gone - replaced_since)
    ]


def _restore_one(changes: ChangeSet, held: Served, row: LifecycleRow, gone: set[str]) -> bool:
    """Restore a memory's state from before those in `gone` replaced it; return whether that changes anything."""
    memory = held.memory
    left = {name: by for name, by in memory.retired_attributes.items() if by not in gone}
    fields: Fields = {"retired_attributes": left}
    if memory.superseded_by in gone:
        fields |= from_state(row.before)
    return changes.change(held, "restored", fields, "source-rolled-back", sorted(gone & _successors(memory)))


def _successors(memory: Memory) -> set[str]:
    """Return the ids of memories that replaced this one or attributes of it."""
    return {*memory.retired_attributes.values(), *([memory.superseded_by] if memory.superseded_by else [])}


def _memories_of_source(app: App, request: SourceInput) -> list[Served]:
    """Find the memories named by id, else all that fit the session, agent and source class given; InputError if none
    is."""
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
    """Say why a memory is, or would be, quarantined; "" if nothing keeps it there, as for any moment outside of it."""
    if memory.category == "moment" and memory.trust_zone != "quarantine":
        return ""  # a pasted turn is marked, and may be recalled
    told = doubts(memory.source_class, memory.content)
    return told or (why_quarantined(memory) if memory.trust_zone == "quarantine" else "")


def _is_from_source(memory: Memory, wanted: SourceInput) -> bool:
    """Whether a memory fits all the criteria that the request gives."""
    asked = (
        (wanted.session_id, memory.session_id),
        (wanted.agent, memory.agent),
        (wanted.source_class, memory.source_class or "manual"),
    )
    fits = all(value is None or value == has for value, has in asked)
    return fits and (wanted.since is None or memory.created >= wanted.since)


def _reason_code(request: SourceInput) -> str:
    """Return the ledger's reason code, such as `by-session`, by kinds alone; it leaves out names of sessions and
    agents."""
    given = {"ids": request.memory_ids, "session": request.session_id, "agent": request.agent}
    named = [name for name, value in given.items() if value]
    return "by-" + "-".join([*named, *([request.source_class] if request.source_class else [])])


def _commit(
    app: App,
    changes: ChangeSet,
    held: Sequence[Served],
    what: str,
    *,
    preview: bool = False,
    restored: Sequence[Served] = (),
) -> TrustChangeOutput:
    """Commit the changes, unless previewed or there are none, and show the memories `held`; `what` was done to those
    that are not `restored`, such as `quarantined`."""
    back = {each.memory.id for each in restored}
    changed = tuple(
        _trust_changed(changes.now(each.memory), "restored" if each.memory.id in back else what) for each in held
    )
    if preview or not changed:
        return TrustChangeOutput(done=not preview, changed=changed)
    return TrustChangeOutput(done=True, changed=changed, op_id=commit_changes(app, "trust", changes))


def _trust_changed(memory: Memory, what: str) -> TrustChanged:
    """Show a memory as it is after the change, with `what` was done to it and its first words."""
    excerpt = " ".join(memory.content.split())[:80]
    return TrustChanged(memory_id=memory.id, what=what, zone=memory.trust_zone, status=memory.status, excerpt=excerpt)


TRUST_LIST = Operation(
    "trust.list",
    "List the memories of a zone, and why each is there.",
    TrustListInput,
    TrustListOutput,
    lambda call, asked: trust_list(call.app, asked),
    "read",
    Surfaces("trust list", http=("GET /v1/trust",)),
)
TRUST_EXPLAIN = Operation(
    "trust.explain",
    "Say why a memory is trusted as far as it is.\n\nIts score by named share, its zone, each step it took.\n",
    PromoteInput,
    TrustOutput,
    lambda call, asked: trust_explain(call.app, asked.namespace, asked.memory_id),
    "read",
    Surfaces("trust explain", http=("GET /v1/trust/{memory_id}",)),
)
PROMOTE = Operation(
    "trust.promote",
    "Vouch for a memory: it rises one zone. Out of quarantine it meets what it contradicts.",
    PromoteInput,
    TrustChangeOutput,
    lambda call, asked: promote(call.app, asked),
    "change",
    Surfaces("trust promote", http=("POST /v1/memories/{memory_id}/promote",)),
    needs="admin",  # who vouches speaks as the user
)
QUARANTINE = Operation(
    "trust.quarantine",
    "Put memories where nothing recalls them.\n\nThese, or all that came from a session, a source or an agent.\n",
    SourceInput,
    TrustChangeOutput,
    lambda call, asked: quarantine(call.app, asked),
    "change",
    Surfaces("trust quarantine", http=("POST /v1/trust/quarantine",)),
    needs="admin",  # who judges a source judges what people said, too
)
ROLLBACK = Operation(
    "trust.rollback",
    "Take back all that came from a source.\n\n"
    "It is put out of force, and what it had replaced is restored; one operation.\n",
    RollbackInput,
    TrustChangeOutput,
    lambda call, asked: rollback(call.app, asked),
    "change",
    Surfaces("trust rollback", http=("POST /v1/trust/rollback",)),
    needs="admin",
)
