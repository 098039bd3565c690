"""The port of lookups: exact keys in, what the folded record holds of them out."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from pellucid.model.entity import FOREVER
from pellucid.model.ledger import FoldRow
from pellucid.model.memory import Episode
from pellucid.store.index_port import Served


@dataclass(frozen=True, slots=True)
class Aging:
    """What makes a memory old at an instant: it was superseded, last verified (or began) before `verified_before`, or
    decayed to `decay`."""

    at: datetime
    verified_before: datetime
    decay: float
    exempt: Collection[str]
    """Categories that do not grow old."""
    protected: Collection[str]
    """Categories that do not decay; nor does what is pinned, or an axiom."""


@dataclass(frozen=True, slots=True)
class FiledEpisode:
    """An episode and the file it stands in."""

    episode: Episode
    path: str
    op_id: str | None


@dataclass(frozen=True, slots=True)
class Holdings:
    """How much of each kind a namespace holds; memories and passages count if they are active."""

    memories: int = 0
    passages: int = 0
    sessions: int = 0
    last_session: str | None = None
    """When the newest of them ended, or began where its end is not known; ISO 8601."""
    anything: bool = False
    """Whether there is anything at all, retired memories included."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which memories to look through: every filter given must hold. Instants are epoch milliseconds, half-open."""

    category: str | None = None
    status: str | None = None
    session_id: str | None = None
    since: int = -FOREVER
    until: int = FOREVER
    tag: str | None = None
    entity_ref: str | None = None
    contains: str | None = None
    """Words in the content, whatever their case."""
    ids: Collection[str] | None = None
    """Some of these."""


class Lookup(Protocol):
    """Exact questions about one namespace; every answer leaves out what may not be recalled, unless it says so."""

    def stating(self, namespace: str, keys: Collection[str]) -> dict[str, list[Served]]:
        """Active memories by each `entity::attribute` key (`spelling.attribute_key`) they state, newest valid first.

        Attributes that a memory has retired do not count. Quarantined memories are included: their caller decides.
        """
        ...

    def polarities(self, namespace: str, polarities: Collection[str]) -> dict[str, list[Served]]:
        """Active memories by `negation.stance`: the same statement, whether affirmed or denied."""
        ...

    def fitting(self, namespace: str, wanted: Wanted) -> tuple[int, int]:
        """How many memories fit that are no passages of what was said, and how many passages."""
        ...

    def browse(
        self, namespace: str, wanted: Wanted, *, passages: bool, after: tuple[int, str] | None, limit: int
    ) -> list[Served]:
        """A page of those that fit, newest first, with or without passages.

        `after` is when the last of the page before was created, and its id.
        """
        ...

    def episodes(self, namespace: str, ids: Sequence[str] | None = None) -> list[FiledEpisode]:
        """Every episode of a namespace, newest first; or those of these ids, in order, unknown ones left out."""
        ...

    def sessions(self, namespace: str) -> frozenset[str]:
        """The sessions that episodes of a namespace came of."""
        ...

    def held(self, namespace: str) -> Holdings:
        """How much a namespace holds."""
        ...

    def folds(self, namespace: str, ids: Collection[str] | None = None) -> dict[str, FoldRow]:
        """The last lifecycle fold of each memory, or of each of these, that has one."""
        ...

    def doubted(self, namespace: str) -> list[str]:
        """The ids of what is kept back, waits, is disputed, or cannot hold together with another."""
        ...

    def aged(self, namespace: str, aging: Aging) -> dict[str, int]:
        """When each memory that answers and grew old was kept (epoch milliseconds), by id."""
        ...

    def tombstones(self, keys: Collection[bytes]) -> set[bytes]:
        """Which of these keys (`memory.erasure.tombstone`) belong to something forgotten."""
        ...

    def tombstone_keys(self) -> set[bytes]:
        """Every key of something forgotten, of all namespaces."""
        ...

    def namespaces(self) -> list[str]:
        """Every namespace that ever held a memory, in order."""
        ...
