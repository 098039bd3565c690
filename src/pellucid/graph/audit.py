"""Entities, edges and documents in, what does not fit together out: each with where it was said and what to do."""

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

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
    """Where something was said: a vault file, a heading or header key in it, the memory it became."""

    path: str
    section: str = ""
    memory_id: str = ""


class GraphProblem(Wire):
    """One inconsistency in the graph: its subject, why it matters, what to do, and where it was stated."""

    kind: ProblemKind
    subject: str
    what: str
    why: str
    next_step: str
    where: tuple[SaidAt, ...] = ()


@dataclass(frozen=True, slots=True)
class _Graph:
    """What the checks look at: the documents and open edges of a namespace, by entity key."""

    names: Mapping[str, str]
    documents: Mapping[str, Sequence[FiledDocument]]
    """Those that define an entity, by its key."""
    home: Mapping[str, str]
    """The entity of each document's file."""
    edges: Sequence[FiledEdge]
    """Open ones between entities, and from memories to them."""
    between: Sequence[FiledEdge]
    """Open ones between entities alone."""
    shared: Mapping[str, Sequence[str]]
    """Names that several things have, by key, and what these are called."""

    def name(self, key: str) -> str:
        """The display name of an entity; its key where no name is known."""
        return self.names.get(key, key)


def audit(
    entities: Sequence[Node],
    edges: Sequence[FiledEdge],
    documents: Sequence[FiledDocument],
    shared: Mapping[str, Sequence[str]],
) -> tuple[GraphProblem, ...]:
    """The problems among documents and open edges: dangling, orphan, contradictory or one-sided, sorted by kind.

    A removed document defines nothing, and names that only memories use are no problem. `shared` has, by key, the
    names that several entities carry, with what these are called: such a name leads to none of them.
    """
    graph = _graph_of(entities, edges, documents, shared)
    found = [*_dangling_targets(graph), *_orphans(graph), *_contradictions(graph), *_one_sided_replacements(graph)]
    return tuple(sorted(found, key=lambda each: (PROBLEM_KINDS.index(each.kind), each.subject, each.what)))


def _graph_of(
    entities: Sequence[Node],
    edges: Sequence[FiledEdge],
    documents: Sequence[FiledDocument],
    shared: Mapping[str, Sequence[str]],
) -> _Graph:
    """What the checks look at: documents that are not removed, and open edges but those from a node to itself.

    The arguments are those of `audit`.
    """
    present = [filed for filed in documents if filed.document.removed_at is None]
    defining: dict[str, list[FiledDocument]] = defaultdict(list)
    for filed in sorted(present, key=lambda each: (each.document.path, each.path)):
        defining[node_key(filed.document.entity)].append(filed)
    names = {node.key: node.name for node in entities} | {
        key: each[0].document.entity for key, each in defining.items()
    }
    held = sorted((each for each in open_edges(edges) if each.edge.source != each.edge.target), key=edge_order)
    between = [filed for filed in held if not any(map(IDENTITY.fullmatch, (filed.edge.source, filed.edge.target)))]
    home = {filed.path: key for key, each in defining.items() for filed in each}
    return _Graph(names, defining, home, held, between, shared)


def _dangling_targets(graph: _Graph) -> Iterable[GraphProblem]:
    """A problem for each entity that open edges join and no document defines, or whose name several things carry."""
    at: dict[str, list[FiledEdge]] = defaultdict(list)
    for filed in graph.between:
        for end in (filed.edge.source, filed.edge.target):
            if end not in graph.documents:
                at[end].append(filed)
    for key, said in at.items():
        name = graph.name(key)
        reason = f"no document defines {name}"
        mend = f"index the document of {name} (`pellucid index docs PATH`), correct the name, or add it as an alias"
        if sharing := graph.shared.get(key):
            reason = f"{' and '.join(sharing)} are called {name}"
            mend = "say which is meant, by its id, or let only one of them be called so"
        what = f"{_first_statements(graph, said)}; {reason}"
        why, where = "a question that follows these edges ends at a name without a text", _source_places(said)
        yield GraphProblem(kind="dangling", subject=name, what=what, why=why, next_step=mend, where=where)


def _first_statements(graph: _Graph, said: Sequence[FiledEdge]) -> str:
    """The first three different edges as phrases (`A depends on B`), and how many more there are."""
    phrases = dict.fromkeys(
        f"{graph.name(filed.edge.source)} {EDGE_PHRASES[filed.edge.type]} {graph.name(filed.edge.target)}"
        for filed in said
    )
    shown = list(phrases)[:3]
    return ", ".join(shown) + (f" and {len(phrases) - len(shown)} more like it" if len(phrases) > len(shown) else "")


def _orphans(graph: _Graph) -> Iterable[GraphProblem]:
    """A problem for each defined entity that no open edge joins, be it from a document or from a memory."""
    tied = {end for filed in graph.edges for end in (filed.edge.source, filed.edge.target)}
    for key, defining in graph.documents.items():
        if key not in tied:
            name = graph.name(key)
            what = f"{name} names no other document, and nothing names it"
            why = "only its own words can find it: the graph leads neither to it nor on from it"
            mend = "name what it stands upon under `## Depends on` or `## References`"
            where = tuple(SaidAt(path=filed.path) for filed in defining)
            yield GraphProblem(kind="orphan", subject=name, what=what, why=why, next_step=mend, where=where)


def _contradictions(graph: _Graph) -> Iterable[GraphProblem]:
    """Problems of what cannot all hold: an id defined twice, cycles, and dependencies on retired documents."""
    yield from _duplicate_definitions(graph)
    why = "each would be newer than the other: which one holds cannot be told"
    yield from _cycle_problems(graph, "SUPERSEDES", why)
    why = "none of them can stand first, and a change to one comes back to it"
    yield from _cycle_problems(graph, "DEPENDS_ON", why)
    yield from _retired_dependencies(graph)


def _duplicate_definitions(graph: _Graph) -> Iterable[GraphProblem]:
    """A problem for each entity that several documents define."""
    for key, defining in graph.documents.items():
        if len(defining) > 1:
            name = graph.name(key)
            paths = ", ".join(filed.document.path for filed in defining)
            what = f"{len(defining)} documents define {name}: {paths}"
            why, mend = (
                "their edges and states are mixed into one entity",
                "give each its own id, or remove all but one",
            )
            where = tuple(SaidAt(path=filed.path) for filed in defining)
            yield GraphProblem(kind="contradictory", subject=name, what=what, why=why, next_step=mend, where=where)


def _cycle_problems(graph: _Graph, kind: EdgeType, why: str) -> Iterable[GraphProblem]:
    """A problem for each cycle of open edges of one type; `why` is the reason given."""
    said = [filed for filed in graph.between if filed.edge.type == kind]
    for circle in cycles((filed.edge.source, filed.edge.target) for filed in said):
        steps = set(zip(circle, [*circle[1:], circle[0]], strict=True))
        chain = f" {EDGE_PHRASES[kind]} ".join(graph.name(key) for key in [*circle, circle[0]])
        yield GraphProblem(
            kind="contradictory",
            subject=graph.name(circle[0]),
            what=chain,
            why=why,
            next_step="correct one of these statements",
            where=_source_places(filed for filed in said if (filed.edge.source, filed.edge.target) in steps),
        )


def _retired_dependencies(graph: _Graph) -> Iterable[GraphProblem]:
    """A problem for each node in force and each one it depends on that its header retires or another supersedes."""
    ended = {key: status for key, each in graph.documents.items() if (status := _retired_status(each[0]))}
    for filed in graph.between:
        if filed.edge.type == "SUPERSEDES":
            newer = graph.name(filed.edge.source)
            ended[filed.edge.target] = f"superseded by {newer}"
    said: dict[tuple[str, str], list[FiledEdge]] = defaultdict(list)
    for filed in graph.between:
        if filed.edge.type == "DEPENDS_ON" and filed.edge.target in ended and filed.edge.source not in ended:
            said[filed.edge.source, filed.edge.target].append(filed)
    for (source, target), each in said.items():
        one, other = graph.name(source), graph.name(target)
        what, why = f"{one} depends on {other}, which is {ended[target]}", f"what {one} builds on may no longer hold"
        mend, where = f"let {one} depend on what holds now, or say that it is retired, too", _source_places(each)
        yield GraphProblem(kind="contradictory", subject=one, what=what, why=why, next_step=mend, where=where)


def _retired_status(filed: FiledDocument) -> str:
    """The status by which a document's last header retires it (`superseded`).

    Empty if it is in force or has no header.
    """
    versions = filed.document.versions
    return retirement(versions[-1].values) if versions else ""


def _one_sided_replacements(graph: _Graph) -> Iterable[GraphProblem]:
    """A problem for each SUPERSEDES edge between two documents that not both of their files state."""
    said: dict[tuple[str, str], list[FiledEdge]] = defaultdict(list)
    for filed in graph.between:
        if filed.edge.type == "SUPERSEDES" and {filed.edge.source, filed.edge.target} <= graph.documents.keys():
            said[filed.edge.source, filed.edge.target].append(filed)
    for (newer, older), each in said.items():
        sayers = {graph.home.get(filed.path) for filed in each}
        one, other = graph.name(newer), graph.name(older)
        if older not in sayers:
            what, line = f"{one} says that it supersedes {other}, and {other} does not say so", f"superseded-by: {one}"
            why, place = f"whoever reads {other} alone takes it as still in force", other
        elif newer not in sayers:
            what, line = f"{other} says that {one} supersedes it, and {one} does not say so", f"supersedes: {other}"
            why, place = f"{one} does not say what it replaces, so a reader of it cannot check", one
        else:
            continue
        mend = f"add `{line}` to the header of {place}"
        yield GraphProblem(
            kind="one-sided", subject=place, what=what, why=why, next_step=mend, where=_source_places(each)
        )


def _source_places(said: Iterable[FiledEdge]) -> tuple[SaidAt, ...]:
    """Where edges were stated, each place once."""
    places = dict.fromkeys((each.path, each.edge.section, each.edge.memory_id) for each in said)
    return tuple(SaidAt(path=path, section=section, memory_id=memory_id) for path, section, memory_id in places)


def cycles(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, ...]]:
    """For each strongly connected set of two or more nodes one shortest cycle through its least node, sorted.

    Each cycle names its first node once, and a pair of a node with itself counts for none. Without recursion; linear
    but for the search of the cycle itself.
    """
    ahead: dict[str, set[str]] = defaultdict(set)
    for source, target in pairs:
        if source != target:
            ahead[source].add(target)
    after = {node: sorted(targets) for node, targets in ahead.items()}
    found = [_shortest_cycle(min(group), group, after) for group in _strong_components(after) if len(group) > 1]
    return sorted(found)


def _strong_components(after: Mapping[str, Sequence[str]]) -> list[set[str]]:
    """The strongly connected sets of nodes (Kosaraju's algorithm); `after` has the targets of each node."""
    before: dict[str, list[str]] = defaultdict(list)
    for source, targets in after.items():
        for target in targets:
            before[target].append(source)
    seen: set[str] = set()
    order = [node for start in sorted(after) for node in _nodes_by_finish(start, after, seen)]
    done: set[str] = set()
    return [set(_nodes_by_finish(node, before, done)) for node in reversed(order) if node not in done]


def _nodes_by_finish(start: str, after: Mapping[str, Sequence[str]], seen: set[str]) -> list[str]:
    """The unseen nodes reachable from `start` in depth-first finishing order; adds them to `seen`."""
    if start in seen:
        return []
    seen.add(start)
    out: list[str] = []
    path = [(start, iter(after.get(start, ())))]
    while path:
        node, rest = path[-1]
        ahead = next((each for each in rest if each not in seen), None)
        if ahead is None:
            out.append(node)
            path.pop()
        else:
            seen.add(ahead)
            path.append((ahead, iter(after.get(ahead, ()))))
    return out


def _shortest_cycle(start: str, group: set[str], after: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """A shortest cycle from `start` through `group`, `start` named once; `(start,)` where there is none."""
    came: dict[str, str] = {start: start}
    queue = deque([start])
    while queue:
        node = queue.popleft()
        for target in after.get(node, ()):
            if target == start:
                path = [node]
                while path[-1] != start:
                    path.append(came[path[-1]])
                return tuple(reversed(path))
            if target in group and target not in came:
                came[target] = node
                queue.append(target)
    return (start,)
