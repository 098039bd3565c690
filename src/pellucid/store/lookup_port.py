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
    """The criteria by which a memory counts as old at an instant: superseded, last verified (or valid) before
    `verified_before`, or decayed to `decay`.
    """

    at: datetime
    verified_before: datetime
    decay: float
    exempt: Collection[str]  # categories that do not grow old
    protected: Collection[str]  # categories that do not decay; nor does what is pinned, or an axiom


@dataclass(frozen=True, slots=True)
class FiledEpisode:
    """An episode, its vault file, and the operation that wrote it."""

    episode: Episode
    path: str
    op_id: str | None


@dataclass(frozen=True, slots=True)
class Holdings:
    """The counts of active memories, passages and sessions of a namespace."""

    memories: int = 0
    passages: int = 0
    sessions: int = 0
    last_session: str | None = None  # when the newest of them ended, or began where its end is not known; ISO 8601
    anything: bool = False  # whether there is anything at all, retired memories included


@dataclass(frozen=True, slots=True)
class Wanted:
    """Filters on memories; every one given must hold. Instants are epoch milliseconds, half-open."""

    category: str | None = None
    status: str | None = None
    session_id: str | None = None
    since: int = -FOREVER
    until: int = FOREVER
    tag: str | None = None  # as somebody writes it: tags are compared by `tag_key`
    entity_ref: str | None = None
    contains: str | None = None  # words in the content, whatever their case
    ids: Collection[str] | None = None  # some of these


class Lookup(Protocol):
    """Exact queries on one namespace; inadmissible memories are left out, unless a method says otherwise."""

    def stating(self, namespace: str, keys: Collection[str]) -> dict[str, list[Served]]:
        """Return, by key, the active memories that give a value to the attribute of a key `entity::attribute`
        (`attribute_key`), those that began to hold last first.

        Attributes that a memory has retired do not count. Quarantined memories are included, those that are not valid
        any more are not. Keys that no memory states are left out.
        """
        ...

    def polarities(self, namespace: str, polarities: Collection[str]) -> dict[str, list[Served]]:
        """Return, by polarity key, the active memories that affirm or deny the statement that the key stands for.

        A statement and its negation have the same key (`negation.polarity`). Those that began to hold last
        come first. Quarantined memories are included, those not valid any more are not. Keys of no memory are left out.
        """
        ...

    def fitting(self, namespace: str, wanted: Wanted) -> tuple[int, int]:
        """Return two counts: the memories that match the filters `wanted` and are no passages (word-for-word quotes of
        a session), and the matching passages.

        Memories count in every state (archived, in quarantine, …), unless `wanted.status` says otherwise.
        """
        ...

    def browse(
        self, namespace: str, wanted: Wanted, *, passages: bool, after: tuple[int, str] | None, limit: int
    ) -> list[Served]:
        """Return a page of at most `limit` memories that match the filters `wanted`, in every state (see `fitting`),
        those created last first.

        Passages are among them only with `passages`. `after` is the creation (epoch ms) and id of the last memory of
        the page before; None: the first page.
        """
        ...

    def episodes(self, namespace: str, ids: Sequence[str] | None = None) -> list[FiledEpisode]:
        """Return all episodes of a namespace, newest first; or those with these ids, in the order given, without
        unknown ones.
        """
        ...

    def sessions(self, namespace: str) -> frozenset[str]:
        """Return the ids of the sessions that a namespace has episodes of."""
        ...

    def held(self, namespace: str) -> Holdings:
        """Return how many active memories, passages and sessions (with an episode) a namespace has, when the newest of
        these sessions ended, and whether there is anything at all; zeros, None and False if it is unknown.

        Sections of documents do not count as memories.
        """
        ...

    def folds(self, namespace: str, ids: Collection[str] | None = None) -> dict[str, FoldRow]:
        """Return, by memory id, what the last lifecycle pass computed of a memory's use: heat, decay, tier, counts
        (`FoldRow`).

        Of all memories, or of `ids`; those that no pass has looked at are left out.
        """
        ...

    def to_review(self, namespace: str) -> list[str]:
        """Return the ids, in no order, of memories that a person should decide about.

        Their status is pending review, quarantined or disputed, or they are active and in quarantine, or they
        contradict another memory.
        """
        ...

    def aged(self, namespace: str, aging: Aging) -> dict[str, int]:
        """Return, by id, the creation instant (epoch ms) of each memory that is old by the criteria of `aging`, and is
        active, trusted, not past its validity at `aging.at` and of no category in `aging.exempt`.

        It is old if another has superseded it, if it began to hold before `aging.verified_before` and was not verified
        since, or if it can decay (see `Aging`) and the last lifecycle pass computed a decay of `aging.decay` or more.
        """
        ...

    def tombstones(self, keys: Collection[bytes]) -> set[bytes]:
        """Return which of these keyed hashes (`memory.erasure.tombstone`) are of something forgotten."""
        ...

    def tombstone_keys(self) -> set[bytes]:
        """Return the tombstone keys of everything forgotten, of all namespaces."""
        ...

    def namespaces(self) -> list[str]:
        """Return every namespace that ever had something in the index: a memory, an episode, a document or a ledger
        row; sorted.
        """
        ...
