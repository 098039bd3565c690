"""A name in, what it hangs together with and who says so out; or everything of a graph that does not fit together."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Annotated, Self, cast

from pydantic import BeforeValidator, Field, PrivateAttr

from pellucid.app import App
from pellucid.clock import EPOCH, epoch_ms
from pellucid.errors import InputError, UnhealthyError, field_name
from pellucid.graph import audit as audits
from pellucid.graph import draw, svg
from pellucid.graph.neighbours import Direction, Neighbourhood, neighbourhood
from pellucid.model.entity import EDGE_TYPES, FOREVER, EdgeType
from pellucid.model.wire import Instant, Wire
from pellucid.operations.graph.states import (
    TEXT_NODE_TYPES,
    EntityNamed,
    StateView,
    find_known_entity,
    source_location,
    state_at,
)
from pellucid.operations.instants import AsKnownAt, AsOf, datetime_of_ms, past_instants
from pellucid.operations.operation import Argument, Flag, Operation, Surfaces, problems_error
from pellucid.store.graph_port import FiledEdge, Node

_WORDS = 120
"""Characters of a memory that stand for it."""
NODES = 200
"""Things at one distance that are looked around at most: the first by key; what is left out is counted."""


def parse_edge_types(given: object) -> object:
    """Normalise a list or tuple of edge type names (any case, dashes, spaces or underscores) to a tuple such as
    `("DEPENDS_ON",)`; any other value is returned as is, to be refused later.

    Args:
        given: `["depends-on", "Relates to", "MENTIONS"]`.

    Raises:
        InputError: there is no such type.
    """
    return tuple(map(_parse_edge_type, cast("Iterable[object]", given))) if isinstance(given, list | tuple) else given


def _parse_edge_type(given: object) -> object:
    """Normalise an edge type, such as `depends on` to `DEPENDS_ON` (InputError for an unknown one); a value that is no
    text is returned as is."""
    if not isinstance(given, str):
        return given
    spelt = "_".join(given.upper().replace("-", " ").replace("_", " ").split())
    if spelt not in EDGE_TYPES:
        raise InputError(
            f'{field_name("types")} expects one of {", ".join(EDGE_TYPES)}; got "{given}"', code="invalid_type"
        )
    return spelt


class GraphShowInput(Wire):
    """Which thing, how far around it, along which edges, and at which instant."""

    namespace: str
    name: Annotated[str, Argument("A thing, an alias of it, or a memory or document by its id or path.")]
    hops: Annotated[int, Flag("How many edges away to look, 1 to 6.")] = Field(default=2, ge=1, le=6)
    types: Annotated[
        tuple[EdgeType, ...],
        BeforeValidator(parse_edge_types),
        Flag("Only edges of this type (DEPENDS_ON)."),
    ] = ()
    direction: Annotated[Direction, Flag("out, in or both.")] = "both"
    closed: Annotated[bool, Flag("Also edges that hold no more.")] = False
    """Those that held earlier, or that nobody says any more."""
    as_of: AsOf = None
    as_known_at: AsKnownAt = None


class NodeView(Wire):
    """A thing, a memory or an episode, and how many edges it is away."""

    key: str
    name: str
    type: str
    hops: int
    defined: bool = False
    words: str = ""
    """Of a memory, how it begins."""


class EdgeView(Wire):
    """An edge between two things by name, and who says so."""

    source: str
    target: str
    type: EdgeType
    confidence: float
    hops: int
    """How far its nearer end is away."""
    section: str = ""
    """The heading, or the header key, that it was read from."""
    anchor: str = ""
    """The part of the target that is meant: `3` of `SPEC-037 §3`."""
    memory_id: str
    said_in: str
    """Where that stands: `path:lines` of a document, or the memory's file."""
    valid_from: Instant
    valid_until: Instant | None = None


class GraphShowOutput(Wire):
    """A thing, what is true of it at the instant, and what hangs together with it within some hops."""

    entity: EntityNamed
    state: StateView | None = None
    known_from: Instant | None = None
    """Where the instant lies before all that is known of it: since when something is."""
    nodes: tuple[NodeView, ...]
    """By distance, then key; the thing itself first."""
    edges: tuple[EdgeView, ...]
    hops: int
    left_out: int = 0
    """Things at the last distance but one and nearer whose own edges were not looked at, because there are too many."""
    as_of: Instant | None = None
    as_known_at: Instant | None = None
    _around: Neighbourhood = PrivateAttr()
    _places: Mapping[str, str] = PrivateAttr()
    _drawn: tuple[Node, ...] = PrivateAttr()

    def drawn_from(self, around: Neighbourhood, nodes: tuple[Node, ...], places: Mapping[str, str]) -> Self:
        """Attach what `text` and `svg` draw, which is not part of the output: `places` maps memory ids to source
        locations.

        Args:
            around: the thing, ring by ring.
            nodes: all things in it.
            places: where the words stand that the edges were read from, by memory.
        """
        self._around, self._drawn, self._places = around, nodes, places
        return self

    def text(self, *, ascii_only: bool = False) -> str:
        """Render the neighbourhood as text, hop by hop; `ascii_only` draws without other characters."""
        return draw.text(self._around, self._drawn, self._places, ascii_only=ascii_only)

    def svg(self, link: Callable[[Node], str] | None = None) -> str:
        """Render the neighbourhood as an SVG document; with `link`, to be put into a page, with memories' first words.

        Args:
            link: returns the URL that a node leads to; "": nowhere.
        """
        if link is None:
            return svg.svg(self._around, self._drawn)
        words = {each.key: each.words for each in self.nodes}
        return svg.svg(self._around, [replace(each, name=words[each.key] or each.name) for each in self._drawn], link)


class GraphAuditOutput(Wire):
    """What does not fit together in a graph, and how large the graph is."""

    problems: tuple[audits.GraphProblem, ...]
    entities: int
    edges: int
    """Those that hold now."""
    documents: int


def show_entity(app: App, request: GraphShowInput) -> GraphShowOutput:
    """Show an entity, its state at an instant (none for documents and memories), and its neighbourhood with the source
    of each edge. Errors as of `find_known_entity`."""
    now = app.clock.now()
    past = past_instants(request.as_of, request.as_known_at, now)
    at = past.at or now
    entity = find_known_entity(app, request.namespace, request.name, past.known)
    near, left_out = _neighbourhood_at(app, request, entity.key, epoch_ms(at), past.known_ms)
    nodes = tuple(_node(app, request.namespace, key) for keys in near.hops for key in keys)
    places = _source_locations(app, request.namespace, near)
    said = entity.type in TEXT_NODE_TYPES
    state, begun = (None, None) if said else state_at(app, request.namespace, entity.key, at, past.known)
    output = GraphShowOutput(
        entity=entity,
        state=state,
        known_from=begun,
        nodes=_node_views(near, nodes, _first_words(app, request.namespace, nodes)),
        edges=_edge_views(near, {each.key: each.name for each in nodes}, places),
        hops=request.hops,
        left_out=left_out,
        as_of=past.at,
        as_known_at=past.known,
    )
    return output.drawn_from(near, nodes, places)


def audit_graph(app: App, namespace: str) -> GraphAuditOutput:
    """Find dangling names, orphans, contradictions and one-sided statements among the edges that hold now."""
    documents = app.graph.documents(namespace)
    entities, edges = app.graph.entities(namespace), app.graph.edges(namespace)
    found = audits.audit(entities, edges, documents, app.graph.shared(namespace))
    return GraphAuditOutput(
        problems=found,
        entities=len(entities),
        edges=sum(filed.edge.valid_until == FOREVER for filed in edges),
        documents=sum(filed.document.removed_at is None for filed in documents),
    )


def _neighbourhood_at(
    app: App, request: GraphShowInput, key: str, at: int, known: int | None
) -> tuple[Neighbourhood, int]:
    """Collect the neighbourhood of a node at `at`, as known at `known` (epoch milliseconds, None: now), hop by hop.
    Also return how many nodes were not expanded because a hop reached more than `NODES`."""
    edges: dict[FiledEdge, None] = {}
    frontier, seen, left_out = [key], {key}, 0
    for _ in range(request.hops):
        found = app.graph.edges(request.namespace, frontier, request.types, known)
        held = [filed for filed in found if _is_in_force(filed, at, known, closed=request.closed)]
        edges |= dict.fromkeys(held)
        reached = sorted(_neighbours(held, set(frontier), request.direction) - seen)
        seen |= set(reached)
        left_out += max(len(reached) - NODES, 0)
        frontier = reached[:NODES]
        if not frontier:
            break
    return neighbourhood(key, list(edges), request.hops, request.types, request.direction), left_out


def _is_in_force(filed: FiledEdge, at: int, known: int | None, *, closed: bool) -> bool:
    """Whether an edge holds at `at`, as known at `known` (None: now); with `closed`, also if it ended before."""
    edge = filed.edge
    written = known is None or edge.recorded <= known
    return written and edge.valid_from <= at and (closed or at < edge.valid_until)


def _neighbours(edges: Iterable[FiledEdge], frontier: set[str], direction: Direction) -> set[str]:
    """Return the keys of nodes at the other ends of edges out of the frontier, into it, or both, as the direction
    says."""
    out = {filed.edge.target for filed in edges if direction != "in" and filed.edge.source in frontier}
    return out | {filed.edge.source for filed in edges if direction != "out" and filed.edge.target in frontier}


def _node(app: App, namespace: str, key: str) -> Node:
    """Return the node of a key; if the graph has none, a bare one: an Episode if the key begins with `ep_`, else a
    Thing."""
    return app.graph.entity(namespace, key) or Node(-1, key, key, "Episode" if key.startswith("ep_") else "Thing")


def _first_words(app: App, namespace: str, nodes: Iterable[Node]) -> dict[str, str]:
    """Return the first words of those nodes that are memories and still exist, by key."""
    memories = app.index.memories(namespace, [each.key for each in nodes if each.type == "Memory"])
    return {each.memory.id: " ".join(each.memory.content.split())[:_WORDS] for each in memories}


def _node_views(near: Neighbourhood, nodes: Iterable[Node], words: Mapping[str, str]) -> tuple[NodeView, ...]:
    """Convert nodes into their output form; `words` are the first words of memories, by key."""
    distance = near.distance
    return tuple(
        NodeView(
            key=node.key,
            name=node.name,
            type=node.type,
            hops=distance.get(node.key, 0),
            defined=node.defined,
            words=words.get(node.key, ""),
        )
        for node in nodes
    )


def _source_locations(app: App, namespace: str, near: Neighbourhood) -> dict[str, str]:
    """Return where the text of each edge's memory is written, by memory id; memories that are gone are left out."""
    sayers = list(dict.fromkeys(filed.edge.memory_id for filed in near.edges))
    return {each.memory.id: source_location(each) for each in app.index.memories(namespace, sayers)}


def _edge_views(near: Neighbourhood, names: Mapping[str, str], places: Mapping[str, str]) -> tuple[EdgeView, ...]:
    """Show the edges, the nearest first; `names` maps keys to names, `places` memory ids to source locations."""
    distance = near.distance
    found = sorted(near.edges, key=lambda filed: _hops_to(filed, distance))
    return tuple(_edge_view(filed, names, _hops_to(filed, distance), places) for filed in found)


def _hops_to(filed: FiledEdge, distance: Mapping[str, int]) -> int:
    """Return the distance of the edge's nearer end."""
    return min(distance[end] for end in (filed.edge.source, filed.edge.target) if end in distance)


def _edge_view(filed: FiledEdge, names: Mapping[str, str], hops: int, places: Mapping[str, str]) -> EdgeView:
    """Convert an edge into its output form; what `names` or `places` lack stands as its key, or as the path of its
    file."""
    edge = filed.edge
    return EdgeView(
        source=names.get(edge.source, edge.source),
        target=names.get(edge.target, edge.target),
        type=edge.type,
        confidence=edge.confidence,
        hops=hops,
        section=edge.section,
        anchor=edge.anchor,
        memory_id=edge.memory_id,
        said_in=places.get(edge.memory_id, filed.path),
        valid_from=datetime_of_ms(edge.valid_from) or EPOCH,
        valid_until=None if edge.valid_until >= FOREVER else datetime_of_ms(edge.valid_until),
    )


class GraphAuditInput(Wire):
    """Of which namespace."""

    namespace: str


def _failure_of(output: GraphAuditOutput) -> UnhealthyError | None:
    """Return the error that says how many problems the audit found; None if there were none."""
    return problems_error(len(output.problems))


GRAPH_SHOW = Operation(
    "graph.show",
    "Show a thing: what is true of it, and what it relates to. Each with who says so.",
    GraphShowInput,
    GraphShowOutput,
    lambda call, asked: show_entity(call.app, asked),
    "read",
    Surfaces("graph show", http=("GET /v1/graph/{name}",), mcp="memory_search:graph"),
)
GRAPH_AUDIT = Operation(
    "graph.audit",
    "Check what does not fit together in the graph.\n\n"
    "Dangling names, orphans, contradictions, one-sided supersessions.\n",
    GraphAuditInput,
    GraphAuditOutput,
    lambda call, asked: audit_graph(call.app, asked.namespace),
    "read",
    Surfaces("graph audit", http=("GET /v1/graph",)),
    failure=_failure_of,
)
