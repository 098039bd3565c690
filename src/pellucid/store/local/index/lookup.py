"""Keys in, the memories, episodes, folds and tombstones that have them out: `Lookup` over the rows of `index.db`."""

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from pellucid.clock import epoch_ms, isoformat
from pellucid.model.entity import FOREVER
from pellucid.model.ledger import FoldRow
from pellucid.model.memory import BOUNDARY_SCOPES, Episode, Memory
from pellucid.store.index_changes import IndexedFile
from pellucid.store.index_port import Served
from pellucid.store.local.database import ThreadConnections, execute
from pellucid.store.lookup_port import Aging, FiledEpisode, Holdings, Wanted


class LocalLookup:
    """See `Lookup`. A key that nothing has is not in the answer."""

    def __init__(self, connections: ThreadConnections, queries: Mapping[str, str]) -> None:
        self._connections = connections
        self._queries = queries

    def stating(self, namespace: str, keys: Collection[str]) -> dict[str, list[Served]]:
        return self._by_key("stating", namespace, keys)

    def polarities(self, namespace: str, polarities: Collection[str]) -> dict[str, list[Served]]:
        return self._by_key("stances", namespace, polarities)

    def _by_key(self, query: str, namespace: str, keys: Collection[str]) -> dict[str, list[Served]]:
        connection, sql = self._connections.get(), self._queries[query]
        found = {key: execute(connection, sql, (key, namespace)) for key in keys}
        return {key: [served(row) for row in rows] for key, rows in found.items() if rows}

    def fitting(self, namespace: str, wanted: Wanted) -> tuple[int, int]:
        rows = execute(self._connections.get(), self._queries["browse_counts"], _filter_values(namespace, wanted))
        return rows[0][0], rows[0][1]

    def browse(
        self, namespace: str, wanted: Wanted, *, passages: bool, after: tuple[int, str] | None, limit: int
    ) -> list[Served]:
        bindings = (*_filter_values(namespace, wanted), passages, *(after or (FOREVER, "")), limit)
        return [served(row) for row in execute(self._connections.get(), self._queries["browse_page"], bindings)]

    def episodes(self, namespace: str, ids: Sequence[str] | None = None) -> list[FiledEpisode]:
        connection = self._connections.get()
        if ids is None:
            rows = execute(connection, self._queries["episodes"], (namespace,))
        else:
            rows = [row for each in ids for row in execute(connection, self._queries["episode"], (each, namespace))]
        return [FiledEpisode(Episode.model_validate_json(record), path, op_id) for record, path, op_id in rows]

    def sessions(self, namespace: str) -> frozenset[str]:
        return frozenset(row[0] for row in execute(self._connections.get(), self._queries["sessions"], (namespace,)))

    def held(self, namespace: str) -> Holdings:
        rows = execute(self._connections.get(), self._queries["held"], (namespace,))
        return Holdings(*rows[0][:4], anything=bool(rows[0][4])) if rows else Holdings()

    def folds(self, namespace: str, ids: Collection[str] | None = None) -> dict[str, FoldRow]:
        query, of = ("folds", ()) if ids is None else ("folds_of", (json.dumps(sorted(ids)),))
        rows = execute(self._connections.get(), self._queries[query], (namespace, *of))
        return {memory_id: FoldRow.model_validate_json(record) for memory_id, record in rows}

    def doubted(self, namespace: str) -> list[str]:
        return [row[0] for row in execute(self._connections.get(), self._queries["doubted"], (namespace,))]

    def aged(self, namespace: str, aging: Aging) -> dict[str, int]:
        at, before = aging.at, aging.verified_before
        instants = (epoch_ms(at), epoch_ms(before), isoformat(before), isoformat(at))
        kinds = (json.dumps(sorted(aging.exempt)), json.dumps(sorted(aging.protected)))
        bindings = (namespace, *instants, *kinds, aging.decay)
        return dict(execute(self._connections.get(), self._queries["aged"], bindings))

    def tombstones(self, keys: Collection[bytes]) -> set[bytes]:
        connection, sql = self._connections.get(), self._queries["tombstone"]
        return {key for key in keys if execute(connection, sql, (key,))}

    def tombstone_keys(self) -> set[bytes]:
        return {bytes(key) for (key,) in execute(self._connections.get(), self._queries["tombstone_keys"])}

    def namespaces(self) -> list[str]:
        return sorted(name for _, name in execute(self._connections.get(), self._queries["namespaces"]))


def _filter_values(namespace: str, wanted: Wanted) -> tuple[str | int | None, ...]:
    words = None if wanted.contains is None else wanted.contains.casefold()
    ids = None if wanted.ids is None else json.dumps(sorted(wanted.ids))
    of = (wanted.category, wanted.status, wanted.session_id, wanted.since, wanted.until, wanted.tag)
    return namespace, *of, wanted.entity_ref, words, ids


def served(row: tuple[Any, ...]) -> Served:
    """A full row as `Served`."""
    record, path, op_id, digest, size, mtime_ns = row
    return Served(Memory.model_validate_json(record), path, op_id, IndexedFile(digest, size, mtime_ns))


def boundary_scopes(bits: int) -> frozenset[str]:
    """The boundary scopes that these bits stand for."""
    return frozenset(scope for i, scope in enumerate(BOUNDARY_SCOPES) if bits >> i & 1)
