"""Entities, edges and documents in, the inconsistencies among them out: each with its places and a next step."""

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from pellucid.errors import step
from pellucid.graph.neighbours import edge_order, open_edges
from pellucid.model.entity import IDENTITY, EdgeType, node_key, retirement
from pellucid.model.wire import Wire
from pellucid.store.graph_port import FiledDocument, FiledEdge, Node

ProblemKind = Literal["dangling", "orphan", "contradictory", "one-sided"]
PROBLEM_KINDS: tuple[ProblemKind, ...] = get_args(ProblemKind)

EDGE_PHRASES: dict[EdgeType, str] = {
    "DEPENDS_ON": "depends on",
    "IMPLEMENTS": "implements",
    "EXTENDS": "extends",
    "REFERENCES": "refers to",
    "SUPERSEDES": "supersedes",
    "RELATES_TO": "relates to",
    "MENTIONS": "mentions",
    "ALIAS_OF": "is another name of",
    "ABOUT": "is about",
    "DERIVED_FROM": "is derived from",
    "PART_OF": "is part of",
}
"""The verb phrase that joins the two ends of an edge in a sentence."""


class SaidAt(Wire):
    """A place where something is stated: a vault file, a heading or header key in it, the memory made of it."""

    path: str
    section: str = ""
    memory_id: str = ""


class GraphProblem(Wire):
    """One inconsistency in the graph: its subject, why it matters, what to do, and the places that state it."""

    kind: ProblemKind
    subject: str
    what: str
    why: str
    next_step: str
    where: tuple[SaidAt, ...] = ()


@dataclass(frozen=True, slots=True)
class _Graph:
    """The documents and open edges of a namespace, by entity key, as the checks read them."""

    names: Mapping[str, str]
    documents: Mapping[str, Sequence[FiledDocument]]
    """Maps an entity's key to the documents that define it."""
    home: Mapping[str, str]
    """Maps a document's vault file to the key of its entity."""
    edges: Sequence[FiledEdge]
    """Open edges between entities, and between memories and entities."""
    between: Sequence[FiledEdge]
    """Open edges between entities only."""
    shared: Mapping[str, Sequence[str]]
    """Maps the key of a name that several entities have to the names of these entities."""

    def name(self, key: str) -> str:
        """Return the display name of an entity; its key if no name is known."""
        return self.names.get(key, key)


def audit(
    entities: Sequence[Node],
    edges: Sequence[FiledEdge],
    documents: Sequence[FiledDocument],
    shared: Mapping[str, Sequence[str]],
) -> tuple[GraphProblem, ...]:
    """Return the problems among documents and open edges, sorted by kind, then subject.

    The kinds, in this order: dangling (an edge joins a name that no document defines), orphan (no edge joins a
    document's entity), contradictory (see `_contradictions`), one-sided (a supersession that not both sides state).
    Edges that have an end in time are ignored; `entities` give names to show. A removed document defines nothing, and a
    name that only memories use is not a problem. `shared` maps the key of a name that several entities have to the
    names of these entities; such a name leads to none of them.
    """
    graph = _build_graph(entities, edges, documents, shared)
    found = [*_dangling_targets(graph), *_orphans(graph), *_contradictions(graph), *_one_sided_replacements(graph)]
    return tuple(sorted(found, key=lambda each: (PROBLEM_KINDS.index(each.kind), each.subject, each.what)))


def _build_graph(
    entities: Sequence[Node],
    edges: Sequence[FiledEdge],
    documents: Sequence[FiledDocument],
    shared: Mapping[str, Sequence[str]],
) -> _Graph:
    """Gather what the checks read: documents that are not removed, and open edges between different nodes.

    The arguments are those of `audit`.
    """
    present = [filed for filed in documents if filed.document.removed_at is None]
    defining: dict[str, list[FiledDocument]] = defaultdict(list)
    for filed in sorted(present, key=lambda each: (each.document.path, each.path)):
        defining[node_key(filed.document.entity)].append(filed)
    names = {node.key: node.name for node in entities} | {
        key: each[0].document.entity for key, each in defining.items()
    }
    sorted_edges = sorted((each for each in open_edges(edges) if each.edge.source != each.edge.target), key=edge_order)
    between = [
        filed for filed in sorted_edges if not any(map(IDENTITY.fullmatch, (filed.edge.source, filed.edge.target)))
    ]
    home = {filed.path: key for key, each in defining.items() for filed in each}
    return _Graph(names, defining, home, sorted_edges, between, shared)


def _dangling_targets(graph: _Graph) -> Iterable[GraphProblem]:
    """Yield a problem for each entity that an open edge joins to another entity, and that no document defines; if
    several entities share its name, the problem names them.
    """
    edges_at: dict[str, list[FiledEdge]] = defaultdict(list)
    for filed in graph.between:
        for end in (filed.edge.source, filed.edge.target):
            if end not in graph.documents:
                edges_at[end].append(filed)
    for key, edges in edges_at.items():
        name = graph.name(key)
        reason = f"no document defines {name}"
        index = step("document.index", paths=("PATH",))
        next_step = f"index the document of {name} ({index}), correct the name, or add it as an alias"
        if entity_names := graph.shared.get(key):
            reason = f"{' and '.join(entity_names)} are called {name}"
            next_step = "say which is meant, by its id, or let only one of them be called so"
        what = f"{_first_statements(graph, edges)}; {reason}"
        why, where = "a question that follows these edges ends at a name without a text", _source_places(edges)
        yield GraphProblem(kind="dangling", subject=name, what=what, why=why, next_step=next_step, where=where)


def _first_statements(graph: _Graph, edges: Sequence[FiledEdge]) -> str:
    """Return the first three different edges as phrases (`A depends on B`), joined by commas, and the number of the
    others, if there are any: ` and 2 more like it`."""
    phrases = dict.fromkeys(
        f"{graph.name(filed.edge.source)} {EDGE_PHRASES[filed.edge.type]} {graph.name(filed.edge.target)}"
        for filed in edges
    )
    first = list(phrases)[:3]
    return ", ".join(first) + (f" and {len(phrases) - len(first)} more like it" if len(phrases) > len(first) else "")


def _orphans(graph: _Graph) -> Iterable[GraphProblem]:
    """Yield a problem for each entity that a document defines and no open edge joins to anything else."""
    joined_keys = {end for filed in graph.edges for end in (filed.edge.source, filed.edge.target)}
    for key, documents in graph.documents.items():
        if key not in joined_keys:
            name = graph.name(key)
            what = f"{name} names no other document, and nothing names it"
            why = "only its own words can find it: the graph leads neither to it nor on from it"
            next_step = "name what it stands upon under `## Depends on` or `## References`"
            where = tuple(SaidAt(path=filed.path) for filed in documents)
            yield GraphProblem(kind="orphan", subject=name, what=what, why=why, next_step=next_step, where=where)


def _contradictions(graph: _Graph) -> Iterable[GraphProblem]:
    """Yield the problems of statements that cannot all be true: duplicate ids, cycles, dependencies on retired
    documents."""
    yield from _duplicate_definitions(graph)
    why = "each would be newer than the other: which one holds cannot be told"
    yield from _cycle_problems(graph, "SUPERSEDES", why)
    why = "none of them can stand first, and a change to one comes back to it"
    yield from _cycle_problems(graph, "DEPENDS_ON", why)
    yield from _retired_dependencies(graph)


def _duplicate_definitions(graph: _Graph) -> Iterable[GraphProblem]:
    """Yield a problem for each entity that several documents define."""
    for key, documents in graph.documents.items():
        if len(documents) > 1:
            name = graph.name(key)
            paths = ", ".join(filed.document.path for filed in documents)
            what = f"{len(documents)} documents define {name}: {paths}"
            why, next_step = (
                "their edges and states are mixed into one entity",
                "give each its own id, or remove all but one",
            )
            where = tuple(SaidAt(path=filed.path) for filed in documents)
            yield GraphProblem(kind="contradictory", subject=name, what=what, why=why, next_step=next_step, where=where)


def _cycle_problems(graph: _Graph, kind: EdgeType, why: str) -> Iterable[GraphProblem]:
    """Yield a problem for a shortest cycle in each set of entities that open edges of type `kind` join in a circle (see
    `cycles`); `why` is the reason to show."""
    edges = [filed for filed in graph.between if filed.edge.type == kind]
    for cycle in cycles((filed.edge.source, filed.edge.target) for filed in edges):
        steps = set(zip(cycle, [*cycle[1:], cycle[0]], strict=True))
        chain = f" {EDGE_PHRASES[kind]} ".join(graph.name(key) for key in [*cycle, cycle[0]])
        yield GraphProblem(
            kind="contradictory",
            subject=graph.name(cycle[0]),
            what=chain,
            why=why,
            next_step="correct one of these statements",
            where=_source_places(filed for filed in edges if (filed.edge.source, filed.edge.target) in steps),
        )


def _retired_dependencies(graph: _Graph) -> Iterable[GraphProblem]:
    """Yield a problem for each open dependency of an entity in force on one that is retired.

    An entity is retired if another one supersedes it, or if the last header of its document says so; of several
    documents that define it, the first by path counts.
    """
    status_of = {key: status for key, each in graph.documents.items() if (status := _retired_status(each[0]))}
    for filed in graph.between:
        if filed.edge.type == "SUPERSEDES":
            newer = graph.name(filed.edge.source)
            status_of[filed.edge.target] = f"superseded by {newer}"
    edges_between: dict[tuple[str, str], list[FiledEdge]] = defaultdict(list)
    for filed in graph.between:
        if filed.edge.type == "DEPENDS_ON" and filed.edge.target in status_of and filed.edge.source not in status_of:
            edges_between[filed.edge.source, filed.edge.target].append(filed)
    for (source, target), edges in edges_between.items():
        name, target_name = graph.name(source), graph.name(target)
        what = f"{name} depends on {target_name}, which is {status_of[target]}"
        why = f"what {name} builds on may no longer hold"
        next_step, where = f"let {name} depend on what holds now, or say that it is retired, too", _source_places(edges)
        yield GraphProblem(kind="contradictory", subject=name, what=what, why=why, next_step=next_step, where=where)


def _retired_status(filed: FiledDocument) -> str:
    """Return how a document's last header says that it is retired, as `retirement` does (`superseded by SPEC-2`); empty
    if it is in force or has no header.
    """
    versions = filed.document.versions
    return retirement(versions[-1].values) if versions else ""


def _one_sided_replacements(graph: _Graph) -> Iterable[GraphProblem]:
    """Yield a problem for each SUPERSEDES edge between two documents that not both of their files state.

    It is the problem of the side that does not say so; if neither does (another file states it), of the older one.
    """
    edges_between: dict[tuple[str, str], list[FiledEdge]] = defaultdict(list)
    for filed in graph.between:
        if filed.edge.type == "SUPERSEDES" and {filed.edge.source, filed.edge.target} <= graph.documents.keys():
            edges_between[filed.edge.source, filed.edge.target].append(filed)
    for (newer, older), edges in edges_between.items():
        stating_keys = {graph.home.get(filed.path) for filed in edges}
        newer_name, older_name = graph.name(newer), graph.name(older)
        if older not in stating_keys:
            what = f"{newer_name} says that it supersedes {older_name}, and {older_name} does not say so"
            line = f"superseded-by: {newer_name}"
            why, silent_name = f"whoever reads {older_name} alone takes it as still in force", older_name
        elif newer not in stating_keys:
            what = f"{older_name} says that {newer_name} supersedes it, and {newer_name} does not say so"
            line = f"supersedes: {older_name}"
            why, silent_name = f"{newer_name} does not say what it replaces, so a reader of it cannot check", newer_name
        else:
            continue
        next_step = f"add `{line}` to the header of {silent_name}"
        yield GraphProblem(
            kind="one-sided", subject=silent_name, what=what, why=why, next_step=next_step, where=_source_places(edges)
        )


def _source_places(edges: Iterable[FiledEdge]) -> tuple[SaidAt, ...]:
    """Return the places where edges are stated, in the order of the edges, each place once."""
    places = dict.fromkeys((each.path, each.edge.section, each.edge.memory_id) for each in edges)
    return tuple(SaidAt(path=path, section=section, memory_id=memory_id) for path, section, memory_id in places)


def cycles(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, ...]]:
    """Return a shortest cycle through the least node of each strongly connected set of two or more nodes, sorted.

    `pairs` are edges as (source, target). Each cycle names its first node once; a pair of a node with itself is
    ignored. There is no recursion.
    """
    targets_of: dict[str, set[str]] = defaultdict(set)
    for source, target in pairs:
        if source != target:
            targets_of[source].add(target)
    sorted_targets = {node: sorted(targets) for node, targets in targets_of.items()}
    found = [
        _shortest_cycle(min(group), group, sorted_targets)
        for group in _strong_components(sorted_targets)
        if len(group) > 1
    ]
    return sorted(found)


def _strong_components(targets_of: Mapping[str, Sequence[str]]) -> list[set[str]]:
    """Return the strongly connected sets of nodes, also those of one node, by Kosaraju's algorithm."""
    sources_of: dict[str, list[str]] = defaultdict(list)
    for source, targets in targets_of.items():
        for target in targets:
            sources_of[target].append(source)
    seen: set[str] = set()
    order = [node for start in sorted(targets_of) for node in _nodes_by_finish(start, targets_of, seen)]
    done: set[str] = set()
    return [set(_nodes_by_finish(node, sources_of, done)) for node in reversed(order) if node not in done]


def _nodes_by_finish(start: str, targets_of: Mapping[str, Sequence[str]], seen: set[str]) -> list[str]:
    """Return the unseen nodes reachable from `start` in the order in which a depth-first search leaves them; add them
    to `seen`."""
    if start in seen:
        return []
    seen.add(start)
    finished: list[str] = []
    path = [(start, iter(targets_of.get(start, ())))]
    while path:
        node, rest = path[-1]
        ahead = next((each for each in rest if each not in seen), None)
        if ahead is None:
            finished.append(node)
            path.pop()
        else:
            seen.add(ahead)
            path.append((ahead, iter(targets_of.get(ahead, ()))))
    return finished


def _shortest_cycle(start: str, group: set[str], targets_of: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Return a shortest cycle from `start` through nodes of `group`, `start` named once; `(start,)` if there is no
    cycle."""
    reached_from: dict[str, str] = {start: start}
    queue = deque([start])
    while queue:
        node = queue.popleft()
        for target in targets_of.get(node, ()):
            if target == start:
                path = [node]
                while path[-1] != start:
                    path.append(reached_from[path[-1]])
                return tuple(reversed(path))
            if target in group and target not in reached_from:
                reached_from[target] = node
                queue.append(target)
    return (start,)
