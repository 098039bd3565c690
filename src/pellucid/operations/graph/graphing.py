"""A name in, the thing's neighbourhood in the graph with sources out; or the problems of a whole graph."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Annotated, Self, cast

from pydantic import BeforeValidator, Field, PrivateAttr

from pellucid.app import App
from pellucid.clock import EPOCH, epoch_ms
from pellucid.errors import InputError, field_name
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
from pellucid.operations.operation import Argument, Flag, Operation, Surfaces, Text, in_home, problems_error
from pellucid.store.graph_port import FiledEdge, Node

_WORDS = 120
"""Characters of a memory's first words."""
NODES = 200
"""The maximum number of things at one distance whose edges are followed: the first by key; the others are counted."""


class GraphAuditInput(Wire):
    """The namespace whose graph is checked."""

    namespace: str


def parse_edge_types(value: object) -> object:
    """Normalise a list or tuple of edge type names (any case, dashes, spaces or underscores), such as `["depends-on"]`,
    to a tuple such as `("DEPENDS_ON",)`; return any other value unchanged, to be refused later.

    Raises:
        InputError: a name is not that of an edge type.
    """
    return tuple(map(_parse_edge_type, cast("Iterable[object]", value))) if isinstance(value, list | tuple) else value


def _parse_edge_type(value: object) -> object:
    """Normalise an edge type, such as `depends on` to `DEPENDS_ON`; return a value that is not a text unchanged.
    InputError for an unknown type."""
    if not isinstance(value, str):
        return value
    name = "_".join(value.upper().replace("-", " ").replace("_", " ").split())
    if name not in EDGE_TYPES:
        raise InputError(
            f'{field_name("types")} expects one of {", ".join(EDGE_TYPES)}; got "{value}"', code="invalid_type"
        )
    return name


class GraphShowInput(Wire):
    """A thing, how far to look around it, along which edges, and at which instant."""

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
    """Whether to show also edges that ended, or that no file states any more."""
    as_of: AsOf = None
    as_known_at: AsKnownAt = None


class NodeView(Wire):
    """A thing, a memory or an episode, and its distance in edges."""

    key: str
    name: str
    type: str
    hops: int
    defined: bool = False
    words: str = ""
    """The first words of a memory; "" for other nodes."""


class EdgeView(Wire):
    """An edge between two things by name, and the memory that states it."""

    source: str
    target: str
    type: EdgeType
    confidence: float
    hops: int
    """The distance of its nearer end."""
    section: str = ""
    """The heading, or the header key, that it was read from."""
    anchor: str = ""
    """The part of the target that is meant: `3` of `SPEC-037 §3`."""
    memory_id: str
    said_in: str
    """The location of the memory's text: `path:lines` of a document, or the memory's file."""
    valid_from: Instant
    valid_until: Instant | None = None


class GraphShowOutput(Wire):
    """A thing, its state at the instant, and its neighbourhood within some hops."""

    entity: EntityNamed
    state: StateView | None = None
    known_from: Instant | None = None
    """The beginning of the thing's first state, if the instant lies before it."""
    nodes: tuple[NodeView, ...]
    """By distance, then key; the thing itself first."""
    edges: tuple[EdgeView, ...]
    hops: int
    left_out: int = 0
    """The number of things whose own edges were not followed, because there are too many at their distance."""
    as_of: Instant | None = None
    as_known_at: Instant | None = None
    _around: Neighbourhood = PrivateAttr()
    _places: Mapping[str, str] = PrivateAttr()
    _drawn: tuple[Node, ...] = PrivateAttr()

    def drawn_from(self, around: Neighbourhood, nodes: tuple[Node, ...], places: Mapping[str, str]) -> Self:
        """Store the neighbourhood, its nodes and a map from memory ids to source locations, which `text` and `svg` draw
        and which are not part of the output; return this output. Without this call, these two raise AttributeError."""
        self._around, self._drawn, self._places = around, nodes, places
        return self

    def text(self, *, ascii_only: bool = False) -> str:
        """Render the neighbourhood as text, hop by hop; with `ascii_only`, lines are drawn in ASCII characters."""
        return draw.text(self._around, self._drawn, self._places, ascii_only=ascii_only)

    def svg(self, link: Callable[[Node], str] | None = None) -> str:
        """Render the neighbourhood as an SVG document; with `link`, as SVG within a page, with the first words of
        memories. `link` returns the URL that a node leads to, "" for no link."""
        if link is None:
            return svg.svg(self._around, self._drawn)
        words = {each.key: each.words for each in self.nodes}
        return svg.svg(self._around, [replace(each, name=words[each.key] or each.name) for each in self._drawn], link)


class GraphAuditOutput(Wire):
    """The problems of a graph, and its size."""

    problems: tuple[audits.GraphProblem, ...]
    entities: int
    edges: int
    """The number of edges in force now."""
    documents: int


def show_entity(app: App, request: GraphShowInput) -> GraphShowOutput:
    """Show an entity, its state at an instant (None for memories and episodes), and its neighbourhood with the source
    of each edge. NotFoundError if nothing has the name, or nothing was known of it at `as_known_at`; InputError if
    several have it, and for an instant in the future."""
    now = app.clock.now()
    past = past_instants(request.as_of, request.as_known_at, now)
    at = past.at or now
    entity = find_known_entity(app, request.namespace, request.name, past.known)
    near, left_out = _neighbourhood_at(app, request, entity.key, epoch_ms(at), past.known_ms)
    nodes = tuple(_node(app, request.namespace, key) for keys in near.hops for key in keys)
    places = _source_locations(app, request.namespace, near)
    is_text = entity.type in TEXT_NODE_TYPES
    state, known_from = (None, None) if is_text else state_at(app, request.namespace, entity.key, at, past.known)
    output = GraphShowOutput(
        entity=entity,
        state=state,
        known_from=known_from,
        nodes=_node_views(near, nodes, _first_words(app, request.namespace, nodes)),
        edges=_edge_views(near, {each.key: each.name for each in nodes}, places),
        hops=request.hops,
        left_out=left_out,
        as_of=past.at,
        as_known_at=past.known,
    )
    return output.drawn_from(near, nodes, places)


def audit_graph(app: App, request: GraphAuditInput) -> GraphAuditOutput:
    """Find what does not fit together among the edges without an end: names that no document defines (dangling),
    documents without any edge (orphans), contradictions, and supersessions that only one side states; in this order.
    Return each with its places, and the graph's size."""
    documents = app.graph.documents(request.namespace)
    entities, edges = app.graph.entities(request.namespace), app.graph.edges(request.namespace)
    found = audits.audit(entities, edges, documents, app.graph.shared(request.namespace))
    return GraphAuditOutput(
        problems=found,
        entities=len(entities),
        edges=sum(filed.edge.valid_until == FOREVER for filed in edges),
        documents=sum(filed.document.removed_at is None for filed in documents),
    )


def _neighbourhood_at(
    app: App, request: GraphShowInput, key: str, at: int, known_at: int | None
) -> tuple[Neighbourhood, int]:
    """Collect, hop by hop, the neighbourhood of a node at the instant `at` as known at `known_at` (None: now), both in
    epoch milliseconds. Also return the number of nodes whose edges were not followed: those beyond the first 200
    (`NODES`), by key, that a hop reached."""
    edges: dict[FiledEdge, None] = {}
    frontier, seen, left_out = [key], {key}, 0
    for _ in range(request.hops):
        found = app.graph.edges(request.namespace, frontier, request.types, known_at)
        in_force = [filed for filed in found if _is_in_force(filed, at, known_at, with_closed=request.closed)]
        edges |= dict.fromkeys(in_force)
        reached = sorted(_neighbours(in_force, set(frontier), request.direction) - seen)
        seen |= set(reached)
        left_out += max(len(reached) - NODES, 0)
        frontier = reached[:NODES]
        if not frontier:
            break
    return neighbourhood(key, list(edges), request.hops, request.types, request.direction), left_out


def _is_in_force(filed: FiledEdge, at: int, known_at: int | None, *, with_closed: bool) -> bool:
    """Whether an edge had begun and not ended at the instant `at`, and was recorded by `known_at` (None: ever), both in
    epoch milliseconds; with `with_closed`, also if it had ended by `at`.
    """
    edge = filed.edge
    was_recorded = known_at is None or edge.recorded <= known_at
    return was_recorded and edge.valid_from <= at and (with_closed or at < edge.valid_until)


def _neighbours(edges: Iterable[FiledEdge], frontier: set[str], direction: Direction) -> set[str]:
    """Return the keys of the nodes at the other ends of those edges that lead out of the frontier (`direction` "out"),
    into the frontier ("in"), or do either ("both"); nodes of the frontier itself can be among them.
    """
    out = {filed.edge.target for filed in edges if direction != "in" and filed.edge.source in frontier}
    return out | {filed.edge.source for filed in edges if direction != "out" and filed.edge.target in frontier}


def _node(app: App, namespace: str, key: str) -> Node:
    """Return the node with this key; if the graph has none, a new node named by the key: an Episode if the key begins
    with `ep_`, else a Thing."""
    return app.graph.entity(namespace, key) or Node(-1, key, key, "Episode" if key.startswith("ep_") else "Thing")


def _first_words(app: App, namespace: str, nodes: Iterable[Node]) -> dict[str, str]:
    """Return a map from keys to the first 120 characters, on one line, of those nodes that are memories and still
    exist."""
    memories = app.index.memories(namespace, [each.key for each in nodes if each.type == "Memory"])
    return {each.memory.id: " ".join(each.memory.content.split())[:_WORDS] for each in memories}


def _node_views(near: Neighbourhood, nodes: Iterable[Node], words: Mapping[str, str]) -> tuple[NodeView, ...]:
    """Convert nodes into their output form, in the same order; `near` gives their distances, `words` maps the keys of
    memories to first words.
    """
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
    """Return a map from the ids of the memories that state the edges to the locations of their texts; memories that are
    gone are left out."""
    memory_ids = list(dict.fromkeys(filed.edge.memory_id for filed in near.edges))
    return {each.memory.id: source_location(each) for each in app.index.memories(namespace, memory_ids)}


def _edge_views(near: Neighbourhood, names: Mapping[str, str], places: Mapping[str, str]) -> tuple[EdgeView, ...]:
    """Convert the edges of the neighbourhood `near` into their output form, the nearest first; `names` maps keys to
    names, `places` memory ids to source locations."""
    distance = near.distance
    found = sorted(near.edges, key=lambda filed: _hops_to(filed, distance))
    return tuple(_edge_view(filed, names, _hops_to(filed, distance), places) for filed in found)


def _hops_to(filed: FiledEdge, distance: Mapping[str, int]) -> int:
    """Return the distance in hops of the edge's nearer end; `distance` maps keys to distances."""
    return min(distance[end] for end in (filed.edge.source, filed.edge.target) if end in distance)


def _edge_view(filed: FiledEdge, names: Mapping[str, str], hops: int, places: Mapping[str, str]) -> EdgeView:
    """Convert an edge into its output form; `hops` is the distance of its nearer end. An end that `names` (by key)
    lacks is named by its key; if `places` (by memory id) lacks the memory, the location is the path of the edge's
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


GRAPH_SHOW = Operation(
    "graph.show",
    "Show a thing: what is true of it, and what it relates to. Each with who says so.",
    GraphShowInput,
    GraphShowOutput,
    in_home(show_entity),
    "read",
    Surfaces("graph show", http=("GET /v1/graph/{name}",), mcp="memory_search:graph"),
    text=Text("graph.entity_text"),
)
GRAPH_AUDIT = Operation(
    "graph.audit",
    "Check what does not fit together in the graph.\n\n"
    "Dangling names, orphans, contradictions, one-sided supersessions.\n",
    GraphAuditInput,
    GraphAuditOutput,
    in_home(audit_graph),
    "read",
    Surfaces("graph audit", http=("GET /v1/graph",)),
    text=Text("graph.graph_audit_text"),
    failure=lambda output: problems_error(len(output.problems)),
)
