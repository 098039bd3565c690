"""Filters or an id in, memories as they are out: looking around without asking a question."""

from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Annotated

from pydantic import Field

from pellucid.app import App
from pellucid.clock import EPOCH, epoch_ms
from pellucid.errors import InputError, NotFoundError, StoreError, field_name, step
from pellucid.model.entity import FOREVER
from pellucid.model.memory import Category, Memory, Status, unpack_id
from pellucid.model.wire import Instant, Wire
from pellucid.operations.as_known import memories_as_known
from pellucid.operations.instants import AsKnownAt, AsOf, past_instants
from pellucid.operations.operation import Agent, Flag, Limit, MemoryId, Operation, Session, Surfaces, Text, in_home
from pellucid.operations.paging import After, SortKey, decode_cursor, encode_cursor
from pellucid.operations.using import MemoryUse, cite_if_served, note_use
from pellucid.store.history.citations_port import CitationKind, CitationRow, CitationSource, Evidence
from pellucid.store.index_port import EVERY_SCOPE, Admission, Filters, Served
from pellucid.store.lookup_port import Wanted


def _parse_status(text: str, _now: datetime, _name: str) -> str | None:
    """Parse the `--status` flag: None (no filter) for `any`; any other text unchanged, to be checked later."""
    return None if text == "any" else text


class ListInput(Wire):
    """Filters of the memories to list; a memory must pass every filter."""

    namespace: str
    category: Annotated[Category | None, Flag("Only this category.")] = None
    status: Annotated[Status | None, Flag("Only this status; `any` for all.", reads=_parse_status)] = "active"
    tag: Annotated[str | None, Flag("Only with this tag.")] = None
    entity_ref: Annotated[str | None, Flag("Only about this thing.", "--entity")] = None
    contains: Annotated[str | None, Flag("Only with these words in the content.")] = None
    """Whatever their case."""
    since: Annotated[Instant | None, Flag("Only created at or after.")] = None
    until: Annotated[Instant | None, Flag("Only created before.")] = None
    limit: Limit = Field(default=50, ge=1, le=10_000)
    after: After = None
    as_of: AsOf = None
    """List the memories that could answer then, whatever happened to them since."""
    as_known_at: AsKnownAt = None
    session_id: Session = None


class ShowInput(Wire):
    """Which memory."""

    namespace: str
    memory_id: MemoryId
    session_id: Session = None
    agent: Agent = None


class MemoryCitation(Wire):
    """What happened to a memory that a recall served, on one occasion: in a session, or on a day outside of
    sessions."""

    memory_id: str
    kind: CitationKind
    recall_id: str
    occasion: str
    at: Instant
    agent: str | None = None
    source: CitationSource
    """Whether somebody reported the citation, or Pellucid observed it (`automatic`)."""
    evidence: Evidence | None = None
    """The sign by which an automatic citation was observed."""
    notes: str = ""
    """The comment that came with the citation; of an automatic citation the words that are its evidence."""


class Listed(Wire):
    """A memory, the path of its file, and the operation that wrote it."""

    memory: Memory
    path: str
    op_id: str | None = None


class Shown(Listed):
    """A memory as in `Listed`, with its citations in the recalls that served it."""

    citations: tuple[MemoryCitation, ...] = ()


class ListOutput(Wire):
    """A page of the memories that pass the filters, newest first, and how many pass in all.

    Passages are many, so they are listed only if nothing else passes, or if a category is asked for.
    """

    memories: tuple[Listed, ...]
    total: int
    passages: int = 0
    """How many passages pass the filters and are not listed."""
    as_of: Instant | None = None
    """The instants of the request, to the millisecond."""
    as_known_at: Instant | None = None
    next: str | None = None
    """The `after` of the next page; None if this is the last page."""


def list_memories(app: App, request: ListInput) -> ListOutput:
    """List the memories of a namespace that pass the filters, newest first, a page of `limit`. Passages are listed only
    if a category is asked for, or if nothing else passes.

    With `as_of` or `as_known_at`, only memories that a recall could have returned then are listed (InputError for a
    status other than `active`): with `as_known_at` each as it was known then, else as its file is today. InputError
    also for an instant in the future, and for a cursor of another list.
    """
    past = past_instants(request.as_of, request.as_known_at, app.clock.now())
    if past.is_past and request.status != "active":
        raise InputError(
            f"{field_name('as_of')} lists what could answer then, which {field_name('status')} cannot change",
            next_step=f"leave out {field_name('status')}",
        )
    wanted = Wanted(
        category=request.category,
        status=None if past.is_past else request.status,
        session_id=request.session_id,
        since=-FOREVER if request.since is None else epoch_ms(request.since),
        until=FOREVER if request.until is None else epoch_ms(request.until),
        tag=request.tag,
        entity_ref=request.entity_ref,
        contains=request.contains,
        ids=ids_in_force(app, request.namespace, past.at, past.known) if past.is_past else None,
    )
    distilled, passages = app.lookup.fitting(request.namespace, wanted)
    with_passages = request.category is not None or not distilled
    page_start, limit = decode_cursor(app, request), request.limit
    after = (-int(page_start[0]), str(page_start[1])) if page_start else None
    found = app.lookup.browse(request.namespace, wanted, passages=with_passages, after=after, limit=limit + 1)
    shown = [listed(each) for each in found[:limit]]
    if past.known is not None:
        known = memories_as_known(app, request.namespace, [each.memory for each in shown], past)
        shown = [each.model_copy(update={"memory": memory}) for each, memory in zip(shown, known, strict=True)]
    return ListOutput(
        memories=tuple(shown),
        total=distilled + passages if with_passages else distilled,
        passages=0 if with_passages else passages,
        as_of=past.at,
        as_known_at=past.known,
        next=encode_cursor(app, request, sort_key(found[limit - 1])) if len(found) > limit else None,
    )


def sort_key(served: Served) -> SortKey:
    """Return the key that sorts memories newest first: the negated creation time in epoch milliseconds, then the id."""
    return -epoch_ms(served.memory.created), served.memory.id


def ids_in_force(app: App, namespace: str, as_of: datetime | None, as_known_at: datetime | None = None) -> set[str]:
    """Return the ids of the memories that were in force at `as_of` (active, valid and not in quarantine, so that a
    recall could return them) according to the records of `as_known_at`; both default to now. Scopes do not matter.
    InputError for an instant in the future."""
    now = app.clock.now()
    past = past_instants(as_of, as_known_at, now)
    admission = Admission(epoch_ms(past.at or now), past=past.is_past, known=past.known_ms, granted=EVERY_SCOPE)
    with app.index.reading(namespace) as reader:
        columns = reader.columns(reader.select(Filters()), admission)
    return {unpack_id(raw) for raw in columns.ids[columns.admitted].tolist()}


def show_memory(app: App, request: ShowInput) -> Shown:
    """Return one memory by its id, the last ten characters of the id, or its path, with its citations (what became of
    it after a recall served it). Records in the history that the memory was used and, if a recall of this session or
    day served it, a citation. NotFoundError if no memory fits, InputError if several do."""
    found = find_memory(app, request.namespace, request.memory_id)
    note_use(app, request.namespace, [found.memory.id], "opened", request.session_id)
    cite_if_served(app, request.namespace, found.memory.id, MemoryUse("opened", request.session_id, request.agent))
    cited = citations_of(app, request.namespace, found.memory.id)
    return Shown(memory=found.memory, path=found.path, op_id=found.op_id, citations=cited)


def citations_of(app: App, namespace: str, memory_id: str) -> tuple[MemoryCitation, ...]:
    """Return all citations of a memory (what became of it after a recall served it), oldest first; empty if there is
    none, or the history cannot be read."""
    with suppress(StoreError):
        return tuple(map(citation_view, app.citations.of(namespace, memory_id)))
    return ()


def citation_view(row: CitationRow) -> MemoryCitation:
    """Convert a stored citation into its output form."""
    return MemoryCitation(
        memory_id=row.memory_id,
        kind=row.kind,
        recall_id=row.recall_id,
        occasion=row.occasion,
        at=EPOCH + timedelta(milliseconds=row.at),
        agent=row.agent,
        source=row.source,
        evidence=row.evidence,
        notes=row.note,
    )


def find_memory(app: App, namespace: str, memory_id: str) -> Served:
    """Find one memory of a namespace by its id, else by the last ten characters of the id or by its file's path in the
    vault.

    Raises:
        NotFoundError: no memory fits.
        InputError: several memories fit, such as the passages in one episode's file.
    """
    found = app.index.memories(namespace, [memory_id])
    if not found:
        found = [
            each
            for each in app.index.memories(namespace)
            if memory_id and memory_id in (each.memory.id[-10:], each.path)
        ]
    if len(found) > 1:
        raise InputError(f"{len(found)} memories fit {memory_id}", code="ambiguous_id", next_step="give a whole id")
    if not found:
        raise NotFoundError(
            f"no memory {memory_id} in {namespace}",
            next_step=f"{step('memory.list')} shows ids; {field_name('namespace')} names another place",
        )
    return found[0]


def memories_by_id(app: App, namespace: str, ids: Iterable[str]) -> dict[str, Served]:
    """Return a map from ids to the memories that have them; ids without a memory in the namespace are left out."""
    return {each.memory.id: each for each in app.index.memories(namespace, list(dict.fromkeys(ids)))}


def listed(served: Served) -> Listed:
    """Convert a memory of the index into its output form, with its path and the operation that wrote it."""
    return Listed(memory=served.memory, path=served.path, op_id=served.op_id)


LIST = Operation(
    "memory.list",
    "List memories, newest first. Of a past instant, those that could answer then.",
    ListInput,
    ListOutput,
    in_home(list_memories),
    "read",
    Surfaces("list", http=("GET /v1/memories",), mcp="memory_search:memories"),
    text=Text("everyday.memory_list_text", namespace_hints=True),
)
SHOW = Operation(
    "memory.show",
    "Show one memory with everything its file says.",
    ShowInput,
    Shown,
    in_home(show_memory),
    "read",
    Surfaces("show", http=("GET /v1/memories/{memory_id}",), mcp="memory_history:show"),
    text=Text("everyday.memory_text", excerpts=True),
)
