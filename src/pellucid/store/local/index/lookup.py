"""Keys in, the memories, episodes, folds and tombstones that have them out: `Lookup` over the rows of `index.db`."""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from pellucid.clock import epoch_ms, isoformat
from pellucid.language.spelling import tag_key
from pellucid.model.entity import FOREVER
from pellucid.model.ledger import FoldRow
from pellucid.model.memory import BOUNDARY_SCOPES, Episode, Memory
from pellucid.store.index_changes import IndexedFile
from pellucid.store.index_port import Served
from pellucid.store.local.database import Queries
from pellucid.store.lookup_port import Aging, FiledEpisode, Holdings, Wanted


@dataclass(frozen=True, slots=True)
class LocalLookup:
    """See `Lookup`."""

    queries: Queries

    def stating(self, namespace: str, keys: Collection[str]) -> dict[str, list[Served]]:
        """Return, by key, the active memories that give a value to the attribute of a key `entity::attribute`
        (`attribute_key`), those that began to hold last first.

        Attributes that a memory has retired do not count. Quarantined memories are included, those that are not valid
        any more are not. Keys that no memory states are left out.
        """
        return self._by_key("stating", namespace, keys)

    def polarities(self, namespace: str, polarities: Collection[str]) -> dict[str, list[Served]]:
        """Return, by polarity key, the active memories that affirm or deny the statement that the key stands for.

        A statement and its negation have the same key (`negation.polarity`). Those that began to hold last
        come first. Quarantined memories are included, those not valid any more are not. Keys of no memory are left out.
        """
        return self._by_key("stances", namespace, polarities)

    def _by_key(self, query: str, namespace: str, keys: Collection[str]) -> dict[str, list[Served]]:
        """Run the query of the name `query` for each key; return the memories found by key, in the query's order,
        without keys that have none.
        """
        found = {key: self.queries.run(query, key, namespace) for key in keys}
        return {key: [served(row) for row in rows] for key, rows in found.items() if rows}

    def fitting(self, namespace: str, wanted: Wanted) -> tuple[int, int]:
        """Return two counts: the memories that match the filters `wanted` and are no passages (word-for-word quotes of
        a session), and the matching passages.

        Memories count in every state (archived, in quarantine, …), unless `wanted.status` says otherwise.
        """
        memories, passages = self.queries.run("browse_counts", *_filter_values(namespace, wanted))[0]
        return memories, passages

    def browse(
        self, namespace: str, wanted: Wanted, *, passages: bool, after: tuple[int, str] | None, limit: int
    ) -> list[Served]:
        """Return a page of at most `limit` memories that match the filters `wanted`, in every state unless that names
        one, those created last first.

        Passages are among them only with `passages`. `after` is the creation (epoch ms) and id of the last memory of
        the page before; None: the first page.
        """
        bindings = (*_filter_values(namespace, wanted), passages, *(after or (FOREVER, "")), limit)
        return [served(row) for row in self.queries.run("browse_page", *bindings)]

    def episodes(self, namespace: str, ids: Sequence[str] | None = None) -> list[FiledEpisode]:
        """Return all episodes of a namespace, newest first; or those with these ids, in the order given, without
        unknown ones.
        """
        if ids is None:
            rows = self.queries.run("episodes", namespace)
        else:
            rows = [row for each in ids for row in self.queries.run("episode", each, namespace)]
        return [FiledEpisode(Episode.model_validate_json(record), path, op_id) for record, path, op_id in rows]

    def sessions(self, namespace: str) -> frozenset[str]:
        """Return the ids of the sessions that a namespace has episodes of."""
        return frozenset(row[0] for row in self.queries.run("sessions", namespace))

    def held(self, namespace: str) -> Holdings:
        """Return how many active memories and passages, and how many sessions (with an episode), a namespace has, when
        the last session ended, and whether there is anything at all; `Holdings()` if it is unknown.

        Passages and sections of documents do not count as memories.
        """
        rows = self.queries.run("held", namespace)
        return Holdings(*rows[0][:4], anything=bool(rows[0][4])) if rows else Holdings()

    def folds(self, namespace: str, ids: Collection[str] | None = None) -> dict[str, FoldRow]:
        """Return, by memory id, what the last lifecycle pass computed of a memory's use: heat, decay, tier, counts
        (`FoldRow`).

        Of all memories, or of `ids`; those that no pass has looked at are left out.
        """
        query, of = ("folds", ()) if ids is None else ("folds_of", (json.dumps(sorted(ids)),))
        rows = self.queries.run(query, namespace, *of)
        return {memory_id: FoldRow.model_validate_json(record) for memory_id, record in rows}

    def to_review(self, namespace: str) -> list[str]:
        """Return the ids, in no order, of memories that a person should decide about.

        Their status is pending review, quarantined or disputed, or they are active and in quarantine, or they
        contradict another memory.
        """
        return [row[0] for row in self.queries.run("to_review", namespace)]

    def aged(self, namespace: str, aging: Aging) -> dict[str, int]:
        """Return, by id, the creation instant (epoch ms) of each memory that is old by the criteria of `aging`, and is
        active, trusted, not past its validity at `aging.at` and of no category in `aging.exempt`.

        It is old if another has superseded it, if it began to hold before `aging.verified_before` and was not verified
        since, or if it can decay (see `Aging`) and the last lifecycle pass computed a decay of `aging.decay` or more.
        """
        at, before = aging.at, aging.verified_before
        instants = (epoch_ms(at), epoch_ms(before), isoformat(before), isoformat(at))
        kinds = (json.dumps(sorted(aging.exempt)), json.dumps(sorted(aging.protected)))
        return dict(self.queries.run("aged", namespace, *instants, *kinds, aging.decay))

    def tombstones(self, keys: Collection[bytes]) -> set[bytes]:
        """Return which of these keyed hashes (`memory.erasure.tombstone`) are of something forgotten."""
        return {key for key in keys if self.queries.run("tombstone", key)}

    def tombstone_keys(self) -> set[bytes]:
        """Return the tombstone keys of everything forgotten, of all namespaces."""
        return {bytes(key) for (key,) in self.queries.run("tombstone_keys")}

    def namespaces(self) -> list[str]:
        """Return every namespace that ever had something in the index: a memory, an episode, a document or a ledger
        row; sorted.
        """
        return sorted(name for _, name in self.queries.run("namespaces"))


def _filter_values(namespace: str, wanted: Wanted) -> tuple[str | int | None, ...]:
    """Return the namespace and the filters `wanted` as bindings of the queries `browse_…`, in their order.

    None stands for a filter that is not given; words are casefolded, the tag is a `tag_key`, ids are a JSON list.
    """
    words = None if wanted.contains is None else wanted.contains.casefold()
    ids = None if wanted.ids is None else json.dumps(sorted(wanted.ids))
    tag = None if wanted.tag is None else tag_key(wanted.tag)
    of = (wanted.category, wanted.status, wanted.session_id, wanted.since, wanted.until, tag)
    return namespace, *of, wanted.entity_ref, words, ids


def served(row: tuple[Any, ...]) -> Served:
    """Make a Served of a row (record as JSON, path, operation id, digest, size, mtime) of a query on memories."""
    record, path, op_id, digest, size, mtime_ns = row
    return Served(Memory.model_validate_json(record), path, op_id, IndexedFile(digest, size, mtime_ns))


def boundary_scopes(bits: int) -> frozenset[str]:
    """Decode bits, as the index stores them, into boundary scopes: the lowest bit is the first of `BOUNDARY_SCOPES`;
    empty for 0.
    """
    return frozenset(scope for i, scope in enumerate(BOUNDARY_SCOPES) if bits >> i & 1)
