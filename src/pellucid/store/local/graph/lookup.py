"""Names and keys in, nodes, states, claims, edges and documents out: `GraphLookup` over the rows of `index.db`."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pellucid.model.document import Document
from pellucid.model.entity import (
    EDGE_TYPES,
    FOREVER,
    NO_FACTS,
    Claim,
    EdgeType,
    EntityFact,
    EntityState,
    GraphFacts,
    entity_id,
    state_chain,
)
from pellucid.store.graph_port import FiledDocument, FiledEdge, Node
from pellucid.store.local.database import Queries
from pellucid.store.local.graph.reader import edge_of_row, keys_of, node_of_row, nodes_named
from pellucid.store.local.graph.writer import NOT_INDEXED, claims_in_force, intervals_in_force


class LocalGraph:
    """See `GraphLookup`. `edges` replace an alias by its entity; `facts` are as the file states them."""

    def __init__(self, queries: Queries, secret: bytes) -> None:
        """Read the graph by `queries` of the index; `secret` keys the ids of nodes (`model.entity.entity_id`)."""
        self._queries, self._run, self._secret = queries, queries.run, secret

    def _namespace_number(self, namespace: str) -> int:
        """Return the number of a namespace; 0 if it is unknown."""
        found = self._run("namespace", namespace)
        return found[0][0] if found else 0

    def entities(self, namespace: str, types: Sequence[str] = ()) -> list[Node]:
        """Return the entities of a namespace, sorted by key; with `types`, only entities of these types."""
        wanted = json.dumps(list(types)) if types else None
        return [node_of_row(*row) for row in self._run("entities", self._namespace_number(namespace), wanted)]

    def entity(self, namespace: str, name: str) -> Node | None:
        """Return the node of a name, of an alias of one entity alone, or of the id of a memory or an episode.

        None if unknown, and for an alias of several entities (see `shared`) that is no node's own name.
        """
        return next(iter(nodes_named(self._queries, self._namespace_number(namespace), [name])), None)

    def shared(self, namespace: str) -> dict[str, tuple[str, ...]]:
        """Return, by ambiguous alias (as `node_key`), the sorted names of the entities that it can mean."""
        rows = self._run("shared_names", self._namespace_number(namespace))
        return {key: tuple(sorted(json.loads(names))) for key, names in rows}

    def states(self, namespace: str, key: str, known: int | None = None) -> tuple[EntityState, ...]:
        """Return the states of the entity with this key (`node_key`), oldest first: its attributes over time.

        They are as recorded by `known` (epoch ms; None: as known now). Empty if the entity was unknown then.
        """
        if known is not None:
            return self._states_known_at(namespace, key, known)
        return tuple(
            EntityState(start, FOREVER if end is None else end, json.loads(props), event, cause)
            for start, end, event, cause, props in self._run("states_of_key", namespace, key)
        )

    def _states_known_at(self, namespace: str, key: str, known: int) -> tuple[EntityState, ...]:
        """Compute the states of the entity with this key from what was recorded by `known` (epoch ms), oldest first.

        An end after `known` was not known yet. Empty if no edge was recorded and no claim counts.
        """
        claims = self._claims_in_force(namespace, key, known)
        first, until = next(iter(self._run("first_known", namespace, key, known)), (None, None))
        since: list[int] = [each for each in (first, *(claim.valid_from for claim in claims)) if each is not None]
        if not since:
            return ()
        end = FOREVER if until is None or until > known else until
        return state_chain(claims, min(since), max([end, *(claim.valid_until for claim in claims)]))

    def claims(self, namespace: str, key: str) -> tuple[Claim, ...]:
        """Return the claims (values that memories state for attributes) on the entity with this key (`node_key`), as
        they are known now; empty if it is unknown.

        Each occurs once for every interval in which its memory was in force (see `intervals_in_force`), cut to it.
        """
        return tuple(self._claims_in_force(namespace, key))

    def _claims_in_force(self, namespace: str, key: str, known: int | None = None) -> list[Claim]:
        """Return the claims on the entity with this key over the intervals in which they were in force, as recorded by
        `known` (epoch ms; None: as known now); empty if it is unknown.
        """
        nodes = [row[0] for row in self._run("node_of_key", namespace, key)]
        by_node = claims_in_force(self._run("claims_of_nodes", json.dumps(nodes)), known)
        return [claim for claims in by_node.values() for claim in claims]

    def edges(
        self,
        namespace: str,
        keys: Sequence[str] | None = None,
        types: Sequence[EdgeType] = (),
        known: int | None = None,
    ) -> list[FiledEdge]:
        """Return the edges of a namespace, those that ended, too, sorted by vault file.

        With `keys` only edges at the nodes with these keys (`node_key`) count, with `types` only edges of these types;
        an alias at an end is replaced by its entity. Each edge occurs once for every interval in which its memory is in
        force, as recorded by `known` (epoch ms; None: as known now).
        """
        ns = self._namespace_number(namespace)
        entity_of_alias: dict[int, int] = dict(self._run("redirects", ns))
        if keys is None:
            rows = self._run("edges_of_namespace", ns)
        else:
            found = (self._run("node_of_key", namespace, key) for key in dict.fromkeys(keys))
            numbers = [int(row[0]) for rows in found for row in rows]
            wanted = {entity_of_alias.get(number, number) for number in numbers}
            wanted |= {alias for alias, entity in entity_of_alias.items() if entity in wanted}
            rows = self._run("edges_of_nodes", ns, json.dumps(sorted(wanted)))
        kinds = {EDGE_TYPES.index(each) for each in types or EDGE_TYPES}
        rows = [row for row in rows if row[2] in kinds]
        ends = [[entity_of_alias.get(int(end), int(end)) for end in row[:2]] for row in rows]
        key = keys_of(self._queries, {end for pair in ends for end in pair})
        filed = [
            FiledEdge(edge_of_row(key[source], key[target], row[2:10]), row[10])
            for (source, target), row in zip(ends, rows, strict=True)
        ]
        return self._edges_in_force(ns, filed, known)

    def _edges_in_force(self, ns: int, filed: Sequence[FiledEdge], known: int | None) -> list[FiledEdge]:
        """Return each edge of `filed` once for every interval in which its memory was in force, as recorded by `known`
        (epoch ms), cut to that interval, in the order given; `ns` is the number of the namespace.

        Without `known`, an edge stays as stated if its memory is not indexed, or is active and the ledger has no change
        of it.
        """
        ids = json.dumps(sorted({each.edge.memory_id for each in filed}))
        standings = {row[0]: row[1:] for row in self._run("stands_of", ns, ids, known is not None)}
        out: list[FiledEdge] = []
        for each in filed:
            standing = standings.get(each.edge.memory_id)
            if standing is None and known is None:
                out.append(each)
                continue
            times = intervals_in_force(each.edge, standing or NOT_INDEXED, known)
            out += [replace(each, edge=replace(each.edge, valid_from=start, valid_until=end)) for start, end in times]
        return out

    def named(self, namespace: str, ids: Sequence[str]) -> dict[str, str]:
        """Return the names of the nodes with these ids (`model.entity.entity_id`), by id; unknown ids are left out."""
        if not ids:
            return {}
        ns, wanted = self._namespace_number(namespace), set(ids)
        found = {
            number: identity
            for number, key in self._run("nodes_of", ns)
            if (identity := entity_id(namespace, key, self._secret)) in wanted
        }
        rows = self._run("nodes", ns, json.dumps(sorted(found)))
        return {found[number]: name for number, _, name, *_ in rows}

    def facts(self, path: str) -> GraphFacts:
        """Return the graph facts in the index that one vault file states, sorted; empty if the file is not indexed."""
        sources = self._run("source", path)
        if not sources:
            return NO_FACTS
        file: int = sources[0][0]
        entities, edges = self._run("entity_facts_of", file), self._run("edges_of", file)
        claims, aliases = self._run("claims_of", file), self._run("aliases_of", file)
        nodes = {row[0] for row in (*entities, *claims)} | {row[2] for row in aliases}
        nodes |= {end for row in edges for end in row[1:3]}
        key = keys_of(self._queries, nodes)
        return GraphFacts(
            tuple(sorted((_entity_fact(key[row[0]], row[1:]) for row in entities), key=repr)),
            tuple(sorted((edge_of_row(key[row[1]], key[row[2]], row[3:]) for row in edges), key=repr)),
            tuple(sorted((Claim(key[row[0]], *row[1:]) for row in claims), key=repr)),
            tuple(sorted((alias, key[of]) for _, alias, of in aliases)),
            tuple((memory_id, of) for memory_id, of in self._run("homes_by_key", file)),
        )

    def documents(self, namespace: str) -> list[FiledDocument]:
        """Return every document of a namespace, removed ones, too, sorted by root and path."""
        rows = self._run("documents", namespace)
        return [FiledDocument(Document.model_validate_json(record), path) for record, path in rows]


def _entity_fact(key: str, values: Sequence[Any]) -> EntityFact:
    """Make an entity fact of a node's key and the other columns of a row of `entity_facts`: whether it is only
    mentioned (1) or defined (0), since when, its name, its type, until when.
    """
    mentioned, since, name, type_, until = values
    return EntityFact(key, name, type_, not mentioned, since, until)
