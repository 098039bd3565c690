"""Edges and a node in, the nodes within some hops of it and the edges to them out."""

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
    """The centre alone, then the node keys at each distance from it, sorted; no distance is empty."""
    edges: tuple[FiledEdge, ...]

    @property
    def distance(self) -> dict[str, int]:
        """Maps node keys to their distance from the centre, in edges."""
        return {key: hop for hop, keys in enumerate(self.hops) for key in keys}


def neighbourhood(
    center_key: str,
    edges: Sequence[FiledEdge],
    hops: int = 2,
    types: Collection[EdgeType] = (),
    direction: Direction = "both",
) -> Neighbourhood:
    """Return the nodes within `hops` edges of a node, and the edges followed to find them, in the order of
    `edge_order`.

    Edges of `types` (empty: all), open or closed, are followed from source to target (`out`), from target to source
    (`in`), or both. An edge between two nodes at the distance `hops` is not followed. A node without such edges is
    alone.
    """
    steps_from: dict[str, list[tuple[str, FiledEdge]]] = defaultdict(list)
    for filed in edges:
        edge = filed.edge
        if types and edge.type not in types:
            continue
        if direction != "in":
            steps_from[edge.source].append((edge.target, filed))
        if direction != "out":
            steps_from[edge.target].append((edge.source, filed))
    reached = {center_key}
    rings: list[tuple[str, ...]] = [(center_key,)]
    followed: dict[FiledEdge, None] = {}
    while len(rings) <= hops and rings[-1]:
        steps = [step for key in rings[-1] for step in steps_from[key]]
        followed |= dict.fromkeys(filed for _, filed in steps)
        rings.append(tuple(sorted({key for key, _ in steps} - reached)))
        reached |= set(rings[-1])
    return Neighbourhood(tuple(ring for ring in rings if ring), tuple(sorted(followed, key=edge_order)))


def open_edges(edges: Sequence[FiledEdge]) -> list[FiledEdge]:
    """Return the edges that have no end in time."""
    return [filed for filed in edges if filed.edge.valid_until == FOREVER]


def edge_order(filed: FiledEdge) -> tuple[int, str, str, int, str, str]:
    """Return the sort key of an edge: the strongest type first, then its ends, start, section and memory."""
    edge = filed.edge
    return _TYPE[edge.type], edge.source, edge.target, edge.valid_from, edge.section, edge.memory_id
