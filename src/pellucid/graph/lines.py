"""Edges in, the lines of a drawing out: one for all edges of a type between two nodes, with their statements."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pellucid.graph.neighbours import Neighbourhood
from pellucid.language.hidden import UNSHOWN
from pellucid.model.entity import FOREVER, IDENTITY, EdgeType
from pellucid.store.graph_port import FiledEdge, Node

UNDEFINED = "not defined"
"""The mark of a node that files name but do not define."""
_UNSEEN = re.compile(
    f"[\x00-\x1f{UNSHOWN}\ufdd0-\ufdef\ufff9-\uffff"
    + "".join(f"{chr(plane << 16 | 0xFFFE)}{chr(plane << 16 | 0xFFFF)}" for plane in range(1, 17))
    + "]"
)
"""Characters that break a line, cannot be seen, or are not allowed in XML."""


@dataclass(frozen=True, slots=True)
class DrawnEdge:
    """One line of a drawing: all edges of one type between the same two nodes."""

    near: str
    """The end that is nearer to the centre; the source if both are equally near."""
    far: str
    outward: bool
    """Whether `near` is the source."""
    hop: int
    """The distance of `far` from the centre, at least 1."""
    steps: bool
    """Whether `far` is further from the centre than `near`, rather than equally far."""
    type: EdgeType
    anchors: tuple[str, ...]
    confidence: float
    """The highest confidence of the statements."""
    statements: tuple[FiledEdge, ...]
    closed: int | None
    """When the last of the statements ended, in epoch milliseconds; None while one is open."""


def drawn_edges(around: Neighbourhood) -> list[DrawnEdge]:
    """Return the lines of a drawing: one for all edges of a type between the same two nodes in one direction, sorted by
    the distance of the farther end from the centre.
    """
    distance = around.distance
    grouped: dict[tuple[str, str, EdgeType], list[FiledEdge]] = {}
    for filed in around.edges:
        grouped.setdefault((filed.edge.source, filed.edge.target, filed.edge.type), []).append(filed)
    lines = [_drawn_edge(source, target, kind, edges, distance) for (source, target, kind), edges in grouped.items()]
    return sorted(lines, key=lambda line: line.hop)


def _drawn_edge(
    source: str, target: str, kind: EdgeType, edges: Sequence[FiledEdge], distance: Mapping[str, int]
) -> DrawnEdge:
    """Make the line for the edges of one type between two nodes; `distance` maps nodes to their distance from the
    centre."""
    outward = distance[source] <= distance[target]
    near, far = (source, target) if outward else (target, source)
    until = max(filed.edge.valid_until for filed in edges)
    anchors = tuple(dict.fromkeys(filed.edge.anchor for filed in edges if filed.edge.anchor))
    confidence = max(filed.edge.confidence for filed in edges)
    hop, steps = max(distance[far], 1), distance[near] < distance[far]
    closed = None if until == FOREVER else until
    return DrawnEdge(near, far, outward, hop, steps, kind, anchors, confidence, tuple(edges), closed)


@dataclass(frozen=True, slots=True)
class Labels:
    """The names and types to show for the nodes of a drawing."""

    nodes: Mapping[str, Node]

    @classmethod
    def of(cls, nodes: Sequence[Node]) -> "Labels":
        """Make the labels of these nodes; any other node is called by its key."""
        return cls({node.key: node for node in nodes})

    def name(self, key: str) -> str:
        """Return the name of a node on one line, without characters that cannot be shown; its key if no name is known,
        or nothing is left of it."""
        node = self.nodes.get(key)
        return one_line(node.name if node and node.name else key) or key

    def type(self, key: str) -> str:
        """Return the type of a node (`Decision`); empty if it is not known."""
        node = self.nodes.get(key)
        return one_line(node.type) if node else ""

    def is_undefined(self, key: str) -> bool:
        """Whether no file defines the node with this key, as far as the labels' `nodes` tell; False for memories and
        episodes."""
        node = self.nodes.get(key)
        return not (node and node.defined) and not IDENTITY.fullmatch(key)


def one_line(text: str) -> str:
    """Return a text on one line, without control characters, direction marks and characters that XML forbids."""
    return " ".join(_UNSEEN.sub(" ", text).split())


def anchor_text(anchor: str, sign: str = "§") -> str:
    """Return an anchor for readers: `§3` for a number, `#dedup-contract` for a name.

    A number is of digits, or begins with one or two letters or digits that only dotted parts follow (`3`, `A.2`).
    `sign` is used in place of `§`.
    """
    shown = one_line(anchor)
    return f"{sign}{shown}" if re.fullmatch(r"[0-9A-Za-z]{1,2}(\.[0-9A-Za-z]+)*|\d+", shown) else f"#{shown}"
