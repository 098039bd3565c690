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
        """Return the active memories that state each `entity::attribute` key, newest valid first.

        Quarantined memories are included, those that are not valid any more are not. Keys nobody states are left out.
        """
        return self._by_key("stating", namespace, keys)

    def polarities(self, namespace: str, polarities: Collection[str]) -> dict[str, list[Served]]:
        """Return the active memories of each polarity key: of one statement, affirmed or denied; newest valid first.

        Quarantined memories are included, those that are not valid any more are not. Keys that no memory has are left
        out.
        """
        return self._by_key("stances", namespace, polarities)

    def _by_key(self, query: str, namespace: str, keys: Collection[str]) -> dict[str, list[Served]]:
        """Run a query for each key; return the memories by key, without keys that none has."""
        found = {key: self.queries.run(query, key, namespace) for key in keys}
        return {key: [served(row) for row in rows] for key, rows in found.items() if rows}

    def fitting(self, namespace: str, wanted: Wanted) -> tuple[int, int]:
        """Return the numbers of matching memories that are not passages, and of matching passages, in every state
        unless `wanted` names one.
        """
        memories, passages = self.queries.run("browse_counts", *_filter_values(namespace, wanted))[0]
        return memories, passages

    def browse(
        self, namespace: str, wanted: Wanted, *, passages: bool, after: tuple[int, str] | None, limit: int
    ) -> list[Served]:
        """Return a page of at most `limit` matching memories, in every state unless `wanted` names one, newest first.

        Passages are among them only with `passages`. `after` is the creation (epoch ms) and id of the last memory of
        the page before; None: the first page.
        """
        bindings = (*_filter_values(namespace, wanted), passages, *(after or (FOREVER, "")), limit)
        return [served(row) for row in self.queries.run("browse_page", *bindings)]

    def episodes(self, namespace: str, ids: Sequence[str] | None = None) -> list[FiledEpisode]:
        """Return all episodes of a namespace, newest first; or those with these ids, in order, without unknown ones."""
        if ids is None:
            rows = self.queries.run("episodes", namespace)
        else:
            rows = [row for each in ids for row in self.queries.run("episode", each, namespace)]
        return [FiledEpisode(Episode.model_validate_json(record), path, op_id) for record, path, op_id in rows]

    def sessions(self, namespace: str) -> frozenset[str]:
        """Return the ids of the sessions that a namespace has episodes of."""
        return frozenset(row[0] for row in self.queries.run("sessions", namespace))

    def held(self, namespace: str) -> Holdings:
        """Return how many active memories, passages and sessions a namespace has; zeros if it is unknown.

        Sections of documents do not count as memories.
        """
        rows = self.queries.run("held", namespace)
        return Holdings(*rows[0][:4], anything=bool(rows[0][4])) if rows else Holdings()

    def folds(self, namespace: str, ids: Collection[str] | None = None) -> dict[str, FoldRow]:
        """Return the last lifecycle fold (heat, tier, …) of each memory, or of each of `ids`, that has one, by id."""
        query, of = ("folds", ()) if ids is None else ("folds_of", (json.dumps(sorted(ids)),))
        rows = self.queries.run(query, namespace, *of)
        return {memory_id: FoldRow.model_validate_json(record) for memory_id, record in rows}

    def to_review(self, namespace: str) -> list[str]:
        """Return the ids, in no order, of memories that are quarantined, pending, disputed, or contradict another."""
        return [row[0] for row in self.queries.run("to_review", namespace)]

    def aged(self, namespace: str, aging: Aging) -> dict[str, int]:
        """Return the creation instant (epoch ms) of each memory that counts as old by the criteria of `aging`, by id.

        Only memories that are active, trusted, not past their validity at `aging.at`, and of no exempt category.
        """
        at, before = aging.at, aging.verified_before
        instants = (epoch_ms(at), epoch_ms(before), isoformat(before), isoformat(at))
        kinds = (json.dumps(sorted(aging.exempt)), json.dumps(sorted(aging.protected)))
        return dict(self.queries.run("aged", namespace, *instants, *kinds, aging.decay))

    def tombstones(self, keys: Collection[bytes]) -> set[bytes]:
        """Return which of these keys (`memory.erasure.tombstone`) belong to something forgotten."""
        return {key for key in keys if self.queries.run("tombstone", key)}

    def tombstone_keys(self) -> set[bytes]:
        """Return the tombstone keys of everything forgotten, of all namespaces."""
        return {bytes(key) for (key,) in self.queries.run("tombstone_keys")}

    def namespaces(self) -> list[str]:
        """Return every namespace that the index ever met, in a memory, an episode, a document or the ledger, sorted."""
        return sorted(name for _, name in self.queries.run("namespaces"))


def _filter_values(namespace: str, wanted: Wanted) -> tuple[str | int | None, ...]:
    """Return the namespace and its filters as the bindings of the queries `browse_…`; None for a filter not given."""
    words = None if wanted.contains is None else wanted.contains.casefold()
    ids = None if wanted.ids is None else json.dumps(sorted(wanted.ids))
    tag = None if wanted.tag is None else tag_key(wanted.tag)
    of = (wanted.category, wanted.status, wanted.session_id, wanted.since, wanted.until, tag)
    return namespace, *of, wanted.entity_ref, words, ids


def served(row: tuple[Any, ...]) -> Served:
    """Convert a row (record, path, operation id, digest, size, mtime) of a query on memories."""
    record, path, op_id, digest, size, mtime_ns = row
    return Served(Memory.model_validate_json(record), path, op_id, IndexedFile(digest, size, mtime_ns))


def boundary_scopes(bits: int) -> frozenset[str]:
    """Decode bits, as the index stores them, into boundary scopes: the lowest bit is the first of `BOUNDARY_SCOPES`;
    empty for 0.
    """
    return frozenset(scope for i, scope in enumerate(BOUNDARY_SCOPES) if bits >> i & 1)
