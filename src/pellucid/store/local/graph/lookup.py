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
    chain,
    entity_id,
)
from pellucid.store.graph_port import FiledDocument, FiledEdge, Node
from pellucid.store.local.database import ThreadConnections, execute
from pellucid.store.local.graph.reader import edge, keys_of, named, node
from pellucid.store.local.graph.writer import NOBODY, claims_in_force, spans


class LocalGraph:
    """See `GraphLookup`. `edges` say the entity where a file says another name of it; `facts` are as the file says."""

    def __init__(self, connections: ThreadConnections, queries: dict[str, str], secret: bytes) -> None:
        self._connections = connections
        self._secret = secret
        self._queries = queries

    def _run(self, query: str, *bindings: str | int | None) -> list[tuple[Any, ...]]:
        return execute(self._connections.get(), self._queries[query], bindings)

    def _namespace_number(self, namespace: str) -> int:
        """The number of a namespace; 0, which none has, for an unknown one."""
        found = self._run("namespace", namespace)
        return found[0][0] if found else 0

    def _redirects(self, ns: int) -> dict[int, int]:
        """The nodes that are only another name of one entity, and that one."""
        return dict(self._run("redirects", ns))

    def entities(self, namespace: str, types: Sequence[str] = ()) -> list[Node]:
        wanted = json.dumps(list(types)) if types else None
        return [node(*row) for row in self._run("entities", self._namespace_number(namespace), wanted)]

    def entity(self, namespace: str, name: str) -> Node | None:
        found = named(self._connections.get(), self._queries, self._namespace_number(namespace), [name])
        return found[0] if found else None

    def shared(self, namespace: str) -> dict[str, tuple[str, ...]]:
        rows = self._run("shared_names", self._namespace_number(namespace))
        return {key: tuple(sorted(json.loads(names))) for key, names in rows}

    def states(self, namespace: str, key: str, known: int | None = None) -> tuple[EntityState, ...]:
        """The states of an entity, by what was written by `known`; empty where it was then unknown."""
        if known is None:
            rows = self._run("states_of_key", namespace, key)
            return tuple(
                EntityState(start, FOREVER if end is None else end, json.loads(props), event, cause)
                for start, end, event, cause, props in rows
            )
        return self._known_chain(namespace, key, known)

    def _known_chain(self, namespace: str, key: str, known: int) -> tuple[EntityState, ...]:
        """The chain of what was written down by then; an end that lies after it was not known yet."""
        claims = self._in_force(namespace, key, known)
        spoken, until = next(iter(self._run("first_known", namespace, key, known)), (None, None))
        since: list[int] = [each for each in (spoken, *(claim.valid_from for claim in claims)) if each is not None]
        if not since:
            return ()
        end = FOREVER if until is None or until > known else until
        return chain(claims, min(since), max([end, *(claim.valid_until for claim in claims)]))

    def claims(self, namespace: str, key: str) -> tuple[Claim, ...]:
        return tuple(self._in_force(namespace, key))

    def _in_force(self, namespace: str, key: str, known: int | None = None) -> list[Claim]:
        nodes = [row[0] for row in self._run("node_of_key", namespace, key)]
        rows = self._run("claims_of_nodes", json.dumps(nodes))
        return [each for said in claims_in_force(rows, known).values() for each in said]

    def edges(
        self,
        namespace: str,
        keys: Sequence[str] | None = None,
        types: Sequence[EdgeType] = (),
        known: int | None = None,
    ) -> list[FiledEdge]:
        ns = self._namespace_number(namespace)
        redirects = self._redirects(ns)
        if keys is None:
            rows = self._run("edges_of_namespace", ns)
        else:
            found = (self._run("node_of_key", namespace, key) for key in dict.fromkeys(keys))
            numbers = [int(row[0]) for rows in found for row in rows]
            wanted = {redirects.get(number, number) for number in numbers}
            wanted |= {other for other, itself in redirects.items() if itself in wanted}
            rows = self._run("edges_of_nodes", ns, json.dumps(sorted(wanted)))
        kinds = {EDGE_TYPES.index(each) for each in types or EDGE_TYPES}
        kept = [
            (redirects.get(int(row[0]), int(row[0])), redirects.get(int(row[1]), int(row[1])), row)
            for row in rows
            if row[2] in kinds
        ]
        name = keys_of(self._connections.get(), self._queries, {end for a, b, _ in kept for end in (a, b)})
        return self._edges_in_force(
            ns, [FiledEdge(edge(name[a], name[b], row[2:10]), row[10]) for a, b, row in kept], known
        )

    def _edges_in_force(self, ns: int, filed: Sequence[FiledEdge], known: int | None) -> list[FiledEdge]:
        """Each over the intervals in which the memory that says it was in force."""
        ids = json.dumps(sorted({each.edge.memory_id for each in filed}))
        stands = {row[0]: row[1:] for row in self._run("stands_of", ns, ids, known is not None)}
        out: list[FiledEdge] = []
        for each in filed:
            held = stands.get(each.edge.memory_id)
            if held is None and known is None:
                out.append(each)
                continue
            times = spans(each.edge, held or NOBODY, known)
            out += [replace(each, edge=replace(each.edge, valid_from=start, valid_until=end)) for start, end in times]
        return out

    def named(self, namespace: str, ids: Sequence[str]) -> dict[str, str]:
        """The names of the nodes of these ids (`model.entity.entity_id`); unknown ones are left out."""
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
        """See `GraphLookup.facts`; in a fixed order, each thing once, and never an interval that holds nothing."""
        found = self._run("source", path)
        if not found:
            return NO_FACTS
        file: int = found[0][0]
        entities, edges = self._run("entity_facts_of", file), self._run("edges_of", file)
        claims, aliases = self._run("claims_of", file), self._run("aliases_of", file)
        nodes = {row[0] for row in (*entities, *claims)} | {row[2] for row in aliases}
        nodes |= {end for row in edges for end in row[1:3]}
        key = keys_of(self._connections.get(), self._queries, nodes)
        return GraphFacts(
            tuple(sorted((_fact(key[row[0]], row[1:]) for row in entities), key=repr)),
            tuple(sorted((edge(key[row[1]], key[row[2]], row[3:]) for row in edges), key=repr)),
            tuple(sorted((Claim(key[row[0]], *row[1:]) for row in claims), key=repr)),
            tuple(sorted((other, key[of]) for _, other, of in aliases)),
            tuple((memory_id, of) for memory_id, of in self._run("homes_by_key", file)),
        )

    def documents(self, namespace: str) -> list[FiledDocument]:
        rows = self._run("documents", namespace)
        return [FiledDocument(Document.model_validate_json(record), path) for record, path in rows]


def _fact(key: str, said: Sequence[Any]) -> EntityFact:
    mentioned, since, name, type_, until = said
    return EntityFact(key, name, type_, not mentioned, since, until)
