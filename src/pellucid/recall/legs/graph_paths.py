"""Ways through the graph to memories in, a few numbers for a receipt out, and back."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from pellucid.model.entity import EDGE_TYPES
from pellucid.model.memory import unpack_id
from pellucid.recall.state import GraphPath, Way
from pellucid.store.graph_port import GraphReader


def paths_of(ways: Mapping[str, Way], ids: Iterable[str], reader: GraphReader) -> dict[str, GraphPath]:
    """Map those of the memories' `ids` that are in `ways` to their paths, in entity ids and edge types; empty if there
    are none. `ways` maps ids of memories that the graph leg reached to its steps: (node, edge to it, whether in the
    edge's direction), from the start on (whose edge is -1), in numbers of the graph that `reader` reads."""
    wanted = {memory_id: ways[memory_id] for memory_id in ids if memory_id in ways}
    if not wanted:
        return {}
    nodes = np.array(sorted({node for way in wanted.values() for node, _, _ in way}), dtype=np.int64)
    named = dict(zip(nodes.tolist(), reader.identities(nodes), strict=True))
    numbers = np.array(sorted({edge for way in wanted.values() for _, edge, _ in way[1:]}), dtype=np.int64)
    edges = dict(zip(numbers.tolist(), reader.edges(numbers), strict=True))
    return {
        memory_id: GraphPath(
            nodes=tuple(named[node] for node, _, _ in way),
            types=tuple(edges[edge].type for _, edge, _ in way[1:]),
            forward=tuple(forward for _, _, forward in way[1:]),
            confidences=tuple(edges[edge].confidence for _, edge, _ in way[1:]),
        )
        for memory_id, way in wanted.items()
    }


def pack_paths(paths: Mapping[str, GraphPath], ids: Iterable[bytes]) -> list[Any]:
    """Return the paths as JSON-ready lists: all nodes once, then a row for each memory, with its position in `ids`.

    Empty if there are no paths. Paths of memories that are not in `ids` (of 16 bytes each) are left out; confidences
    are rounded to four decimals.
    """
    if not paths:
        return []
    position = {unpack_id(raw): at for at, raw in enumerate(ids)}
    nodes = list(dict.fromkeys(node for path in paths.values() for node in path.nodes))
    node_number = {node: at for at, node in enumerate(nodes)}
    rows = [
        [
            position[memory_id],
            [node_number[node] for node in path.nodes],
            [EDGE_TYPES.index(each) for each in path.types],
            [int(each) for each in path.forward],
            [round(each, 4) for each in path.confidences],
        ]
        for memory_id, path in paths.items()
        if memory_id in position
    ]
    return [nodes, rows]


def unpack_paths(packed: list[Any] | None, ids: list[bytes]) -> dict[str, GraphPath]:
    """Undo `pack_paths`, given the same `ids`: map memory ids to paths. Empty if no paths were recorded (None or an
    empty list), as in old receipts.
    """
    if not packed:
        return {}
    nodes: list[str] = packed[0]
    rows: list[tuple[int, list[int], list[int], list[int], list[float]]] = packed[1]
    return {
        unpack_id(ids[place]): GraphPath(
            tuple(nodes[each] for each in through),
            tuple(EDGE_TYPES[each] for each in types),
            tuple(bool(each) for each in forward),
            tuple(confidences),
        )
        for place, through, types, forward, confidences in rows
    }
