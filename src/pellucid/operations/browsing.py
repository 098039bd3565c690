"""Filters or an id in, memories as they stand out: looking around without asking a question."""

from datetime import datetime

from pydantic import Field

from pellucid.app import App
from pellucid.errors import InputError, NotFoundError
from pellucid.model.memory import Category, Memory, Status
from pellucid.model.wire import Wire
from pellucid.store.index_port import Served


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


class Listed(Wire):
    """A memory and where it stands."""

    memory: Memory
    path: str
    op_id: str | None = None


class ListOutput(Wire):
    """The newest of the memories that fit, and how many fit in all."""

    memories: tuple[Listed, ...]
    total: int


def list_memories(app: App, request: ListInput) -> ListOutput:
    """The memories of a namespace that fit the filters, newest first."""
    fitting = [each for each in app.index.memories(request.namespace) if _fits(each.memory, request)]
    return ListOutput(memories=tuple(_listed(each) for each in fitting[: request.limit]), total=len(fitting))


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
