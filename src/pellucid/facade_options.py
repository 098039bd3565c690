"""Nothing in, the keyword arguments of the façade's calls out: their names and types."""

from datetime import datetime
from typing import TypedDict

from pellucid.model.entity import EdgeType
from pellucid.model.memory import Category, SourceClass, Status
from pellucid.operations.graph import graphing


class RecallOptions(TypedDict, total=False):
    """Options of one recall, in place of the settings."""

    top_k: int
    budget: int
    session_id: str
    agent: str
    scopes: tuple[str, ...]
    without: tuple[str, ...]
    tags: tuple[str, ...]
    categories: tuple[Category, ...]
    by_agent: str
    in_session: str
    not_in_session: str
    not_memories: tuple[str, ...]
    since: datetime
    until: datetime
    as_of: datetime
    as_known_at: datetime
    review: str
    settings: dict[str, object]


class RememberOptions(TypedDict, total=False):
    """Fields of a new memory beside its content."""

    category: Category
    tags: tuple[str, ...]
    entity_ref: str
    confidence: float
    importance: float
    pinned: bool
    scopes: tuple[str, ...]
    session_id: str
    agent: str
    attributes: dict[str, str]
    axiom: bool


class ListOptions(TypedDict, total=False):
    """Filters of a list of memories; a memory must pass every filter."""

    category: Category
    status: Status | None
    tag: str
    session_id: str
    entity_ref: str
    contains: str
    since: datetime
    until: datetime
    as_of: datetime
    as_known_at: datetime
    limit: int
    after: str


class LookOptions(TypedDict, total=False):
    """How far around an entity to look, along which edges, and at which instant."""

    hops: int
    types: tuple[EdgeType, ...]
    direction: graphing.Direction
    closed: bool
    as_of: datetime
    as_known_at: datetime


class UpdateOptions(TypedDict, total=False):
    """Fields of a memory's new version, beside its content."""

    category: Category
    tags: tuple[str, ...]
    entity_ref: str
    attributes: dict[str, str]
    confidence: float
    importance: float
    session_id: str
    agent: str


class PurgeOptions(TypedDict, total=False):
    """Filters of the memories that `purge` erases; a memory must pass every filter."""

    before: datetime
    status: Status
    category: Category
    session_id: str
    source_class: SourceClass
