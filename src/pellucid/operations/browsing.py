"""Filters or an id in, memories as they stand out: looking around without asking a question."""

from datetime import datetime

import numpy as np
from pydantic import Field

from pellucid.app import App
from pellucid.clock import epoch_ms
from pellucid.errors import InputError, NotFoundError
from pellucid.model.memory import Category, Memory, Status, unpack_id
from pellucid.model.wire import Instant, Wire
from pellucid.operations.instants import not_future
from pellucid.store.index_port import EVERY_SCOPE, Admission, Filters, Served


class ListInput(Wire):
    """Which memories to list: every filter given must hold."""

    namespace: str
    category: Category | None = None
    status: Status | None = "active"
    tag: str | None = None
    session_id: str | None = None
    entity_ref: str | None = None
    contains: str | None = None
    """Words that stand in the content, whatever their case."""
    since: datetime | None = None
    until: datetime | None = None
    limit: int = Field(default=50, ge=1, le=10_000)
    as_of: Instant | None = None
    """What could answer then, whatever became of it since."""
    as_known_at: Instant | None = None
    """By what was written down by then."""


class Listed(Wire):
    """A memory and where it stands."""

    memory: Memory
    path: str
    op_id: str | None = None


class ListOutput(Wire):
    """The newest of the memories that fit, and how many fit in all."""

    memories: tuple[Listed, ...]
    total: int
    as_of: Instant | None = None
    """The instants that were answered at, to the millisecond."""
    as_known_at: Instant | None = None


def list_memories(app: App, request: ListInput) -> ListOutput:
    """The memories of a namespace that fit the filters, newest first.

    With `as_of` or `as_known_at`, those that could answer then; what is shown of each is its file as it is today.

    Raises:
        InputError: an instant lies in the future, or a status is asked for besides.
    """
    past, now = None, app.clock.now()
    at = not_future(request.as_of, now) if request.as_of else None
    known = not_future(request.as_known_at, now, "--as-known-at") if request.as_known_at else None
    if at or known:
        past = answering(app, request.namespace, at, known)
        if request.status != "active":
            raise InputError(
                "--as-of lists what could answer then, which --status cannot change", next_step="leave out --status"
            )
        request = request.model_copy(update={"status": None})
    fitting = [
        each
        for each in app.index.memories(request.namespace)
        if (past is None or each.memory.id in past) and _fits(each.memory, request)
    ]
    return ListOutput(
        memories=tuple(_listed(each) for each in fitting[: request.limit]), total=len(fitting),
        as_of=at, as_known_at=known,
    )  # fmt: skip


def answering(app: App, namespace: str, as_of: datetime | None, as_known_at: datetime | None = None) -> set[str]:
    """The ids of the memories that could answer at an instant, by what was known at another; both default to now.

    Raises:
        InputError: an instant lies in the future.
    """
    now = app.clock.now()
    known = not_future(as_known_at, now, "--as-known-at") if as_known_at else None
    at = not_future(as_of, now) if as_of else now
    admission = Admission(
        epoch_ms(at), past=bool(as_of or known), known=epoch_ms(known) if known else None, granted=EVERY_SCOPE
    )
    with app.index.reading(namespace) as reader:
        columns = reader.columns(reader.select(Filters()), admission)
    return {unpack_id(raw) for raw in columns.ids[np.flatnonzero(columns.admitted)].tolist()}


def show_memory(app: App, namespace: str, memory_id: str) -> Listed:
    """One memory by its id, by the last ten digits of it, or by its path.

    Raises:
        NotFoundError: no memory of this namespace has that id.
        InputError: several fit, as the moments of one episode's file do.
    """
    return _listed(find_memory(app, namespace, memory_id))


def find_memory(app: App, namespace: str, memory_id: str) -> Served:
    """One memory by its id, by the last ten digits of it, or by its path; see `show_memory`."""
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
            next_step="`pellucid list` shows ids; --namespace names another place",
        )
    return found[0]


def _listed(served: Served) -> Listed:
    return Listed(memory=served.memory, path=served.path, op_id=served.op_id)


def _fits(memory: Memory, wanted: ListInput) -> bool:
    asked = (
        (wanted.category, memory.category),
        (wanted.status, memory.status),
        (wanted.session_id, memory.session_id),
        (wanted.entity_ref, memory.entity_ref),
    )
    return (
        all(value is None or value == has for value, has in asked)
        and (wanted.tag is None or wanted.tag in memory.tags)
        and (wanted.contains is None or wanted.contains.casefold() in memory.content.casefold())
        and (wanted.since is None or memory.created >= wanted.since)
        and (wanted.until is None or memory.created < wanted.until)
    )
