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
from pellucid.operations.graph.states import SAID, EntityNamed, StateView, known_then, said_in, state_at
from pellucid.operations.instants import AsKnownAt, AsOf, of_ms, past_of
from pellucid.operations.operation import Argument, Flag, Operation, Surfaces
from pellucid.store.graph_port import FiledEdge, Node
from pellucid.xray.words.numbers import counted

_WORDS = 120
"""Characters of a memory that stand for it."""
NODES = 200
"""Things at one distance that are looked around at most: the first by key; what is left out is counted."""


def edge_types(given: object) -> object:
    """The edge types that somebody named, in any case, with dashes, spaces or underscores; what is no text stays.

    Args:
        given: `["depends-on", "Relates to", "MENTIONS"]`.

    Raises:
        InputError: there is no such type.
    """
    return tuple(map(_edge_type, cast("Iterable[object]", given))) if isinstance(given, list | tuple) else given


def _edge_type(given: object) -> object:
    """An edge type in the graph's own spelling, as `DEPENDS_ON` of `depends on`; what is no text stays as it is."""
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
        BeforeValidator(edge_types),
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
        """The same, ready to be drawn; what it is drawn from is no part of the answer.

        Args:
            around: the thing, ring by ring.
            nodes: all things in it.
            places: where the words stand that the edges were read from, by memory.
        """
        self._around, self._drawn, self._places = around, nodes, places
        return self

    def text(self, *, ascii_only: bool = False) -> str:
        """The neighbourhood as lines, hop by hop; with `ascii_only`, without signs that a terminal may not have."""
        return draw.text(self._around, self._drawn, self._places, ascii_only=ascii_only)

    def svg(self, link: Callable[[Node], str] | None = None) -> str:
        """The neighbourhood as one SVG document; with `link`, as a part of a page, memories by their first words.

        Args:
            link: where a node leads to; empty: nowhere.
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


def show(app: App, request: GraphShowInput) -> GraphShowOutput:
    """What a thing is, what is true of it, and what hangs together with it at an instant, with who says so.

    Raises:
        NotFoundError: nothing of that name is known here, or was not yet at `as_known_at`; names the nearest.
        InputError: the name fits several memories, or an instant lies in the future.
    """
    now = app.clock.now()
    past = past_of(request.as_of, request.as_known_at, now)
    at = past.at or now
    entity = known_then(app, request.namespace, request.name, past.known)
    near, left_out = _neighbourhood_at(app, request, entity.key, epoch_ms(at), past.known_ms)
    nodes = tuple(_node(app, request.namespace, key) for keys in near.hops for key in keys)
    places = _memory_places(app, request.namespace, near)
    said = entity.type in SAID
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


def audit(app: App, namespace: str) -> GraphAuditOutput:
    """What is dangling, orphan, contradictory or said from one side alone, among what holds now."""
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
    """The neighbourhood of a node at `at`, asked for ring by ring, and how many nodes were not looked around."""
    edges: dict[FiledEdge, None] = {}
    frontier, seen, left_out = [key], {key}, 0
    for _ in range(request.hops):
        found = app.graph.edges(request.namespace, frontier, request.types, known)
        held = [filed for filed in found if _is_in_force(filed, at, known, closed=request.closed)]
        edges |= dict.fromkeys(held)
        reached = sorted(_reached(held, set(frontier), request.direction) - seen)
        seen |= set(reached)
        left_out += max(len(reached) - NODES, 0)
        frontier = reached[:NODES]
        if not frontier:
            break
    return neighbourhood(key, list(edges), request.hops, request.types, request.direction), left_out


def _is_in_force(filed: FiledEdge, at: int, known: int | None, *, closed: bool) -> bool:
    edge = filed.edge
    written = known is None or edge.recorded <= known
    return written and edge.valid_from <= at and (closed or at < edge.valid_until)


def _reached(edges: Iterable[FiledEdge], frontier: set[str], direction: Direction) -> set[str]:
    out = {filed.edge.target for filed in edges if direction != "in" and filed.edge.source in frontier}
    return out | {filed.edge.source for filed in edges if direction != "out" and filed.edge.target in frontier}


def _node(app: App, namespace: str, key: str) -> Node:
    """The node of a key; a bare one where nothing says more of it, as of an episode."""
    return app.graph.entity(namespace, key) or Node(-1, key, key, "Episode" if key.startswith("ep_") else "Thing")


def _first_words(app: App, namespace: str, nodes: Iterable[Node]) -> dict[str, str]:
    """How those of these nodes that are memories begin."""
    memories = app.index.memories(namespace, [each.key for each in nodes if each.type == "Memory"])
    return {each.memory.id: " ".join(each.memory.content.split())[:_WORDS] for each in memories}


def _node_views(near: Neighbourhood, nodes: Iterable[Node], words: Mapping[str, str]) -> tuple[NodeView, ...]:
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


def _memory_places(app: App, namespace: str, near: Neighbourhood) -> dict[str, str]:
    """Where the words stand that the edges were read from, by memory."""
    sayers = list(dict.fromkeys(filed.edge.memory_id for filed in near.edges))
    return {each.memory.id: said_in(each) for each in app.index.memories(namespace, sayers)}


def _edge_views(near: Neighbourhood, names: Mapping[str, str], places: Mapping[str, str]) -> tuple[EdgeView, ...]:
    distance = near.distance
    found = sorted(near.edges, key=lambda filed: _nearer(filed, distance))
    return tuple(_edge_view(filed, names, _nearer(filed, distance), places) for filed in found)


def _nearer(filed: FiledEdge, distance: Mapping[str, int]) -> int:
    return min(distance[end] for end in (filed.edge.source, filed.edge.target) if end in distance)


def _edge_view(filed: FiledEdge, names: Mapping[str, str], hops: int, places: Mapping[str, str]) -> EdgeView:
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
        valid_from=of_ms(edge.valid_from) or EPOCH,
        valid_until=None if edge.valid_until >= FOREVER else of_ms(edge.valid_until),
    )


class GraphAuditInput(Wire):
    """Of which namespace."""

    namespace: str


def _failure_of(outcome: GraphAuditOutput) -> UnhealthyError | None:
    if not outcome.problems:
        return None
    return UnhealthyError(
        counted(len(outcome.problems), "problem", "problems"), next_step="each line above says what to do"
    )


GRAPH_SHOW = Operation(
    "graph.show",
    "Show a thing: what is true of it, and what it relates to. Each with who says so.",
    GraphShowInput,
    GraphShowOutput,
    lambda call, asked: show(call.app, asked),
    "read",
    Surfaces("graph show", http=("GET /v1/graph/{name}",), mcp="memory_search:graph"),
)
GRAPH_AUDIT = Operation(
    "graph.audit",
    """Check what does not fit together in the graph.

Dangling names, orphans, contradictions, one-sided supersessions.
""",
    GraphAuditInput,
    GraphAuditOutput,
    lambda call, asked: audit(call.app, asked.namespace),
    "read",
    Surfaces("graph audit", http=("GET /v1/graph",)),
    failure=_failure_of,
)
