"""Edges and a node in, who is within some hops of it out, and by which edges."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from pellucid.model.entity import EDGE_TYPES, FOREVER, EdgeType
from pellucid.store.graph_port import FiledEdge

Direction = Literal["out", "in", "both"]
_TYPE = {name: place for place, name in enumerate(EDGE_TYPES)}


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """The node keys around a centre by distance, and the edges that join them."""

    hops: tuple[tuple[str, ...], ...]
    """At 0 the centre alone, then those at each distance, in the order of their keys; no empty distance."""
    edges: tuple[FiledEdge, ...]

    @property
    def distance(self) -> dict[str, int]:
        """By node key how many edges it is away from the centre."""
        return {key: hop for hop, keys in enumerate(self.hops) for key in keys}


def neighbourhood(
    center_key: str,
    edges: Sequence[FiledEdge],
    hops: int = 2,
    types: Collection[EdgeType] = (),
    direction: Direction = "both",
) -> Neighbourhood:
    """The nodes within `hops` edges of a node, along edges of `types` (empty: all) in one direction, or in both.

    `out` goes from source to target. Its edges are those with an end nearer than `hops`, followed from that end. A node
    without edges stands alone.
    """
    ways: dict[str, list[tuple[str, FiledEdge]]] = defaultdict(list)
    for filed in edges:
        edge = filed.edge
        if types and edge.type not in types:
            continue
        if direction != "in":
            ways[edge.source].append((edge.target, filed))
        if direction != "out":
            ways[edge.target].append((edge.source, filed))
    reached = {center_key}
    rings: list[tuple[str, ...]] = [(center_key,)]
    taken: dict[FiledEdge, None] = {}
    while len(rings) <= hops and rings[-1]:
        steps = [step for key in rings[-1] for step in ways[key]]
        taken |= dict.fromkeys(filed for _, filed in steps)
        rings.append(tuple(sorted({key for key, _ in steps} - reached)))
        reached |= set(rings[-1])
    return Neighbourhood(tuple(ring for ring in rings if ring), tuple(sorted(taken, key=edge_order)))


def open_edges(edges: Sequence[FiledEdge]) -> list[FiledEdge]:
    """The edges that have no end in time."""
    return [filed for filed in edges if filed.edge.valid_until == FOREVER]


def edge_order(filed: FiledEdge) -> tuple[int, str, str, int, str, str]:
    """The sort key of an edge: the strongest type first, then its ends, when it began, its section and memory."""
    edge = filed.edge
    return _TYPE[edge.type], edge.source, edge.target, edge.valid_from, edge.section, edge.memory_id
