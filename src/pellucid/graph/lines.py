"""Edges in, the lines of a drawing out: those between the same two nodes of one type as one, with all who say it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pellucid.graph.neighbours import Neighbourhood
from pellucid.language.hidden import UNSHOWN
from pellucid.model.entity import FOREVER, IDENTITY, EdgeType
from pellucid.store.graph_port import FiledEdge, Node

UNDEFINED = "not defined"
"""The mark of a node that files name and none defines."""
_UNSEEN = re.compile(
    f"[\x00-\x1f{UNSHOWN}\ufdd0-\ufdef\ufff9-\uffff"
    + "".join(f"{chr(plane << 16 | 0xFFFE)}{chr(plane << 16 | 0xFFFF)}" for plane in range(1, 17))
    + "]"
)
"""What breaks a line, cannot be seen, or may not stand in XML."""


@dataclass(frozen=True, slots=True)
class DrawnEdge:
    """One line of a drawing: all edges of one type between the same two nodes."""

    near: str
    """The end that is nearer to the centre; of two as near, the source."""
    far: str
    outward: bool
    """Whether `near` is the source."""
    hop: int
    """How far away `far` is."""
    steps: bool
    """Whether `far` is one further than `near`, and not as near."""
    type: EdgeType
    anchors: tuple[str, ...]
    confidence: float
    """The highest of those who say it."""
    said: tuple[FiledEdge, ...]
    closed: int | None
    """When the last who said it stopped, in epoch milliseconds; None while one still does."""


def drawn_edges(around: Neighbourhood) -> list[DrawnEdge]:
    """A line for all edges of one type between the same two nodes in one direction, nearest to the centre first."""
    distance = around.distance
    grouped: dict[tuple[str, str, EdgeType], list[FiledEdge]] = {}
    for filed in around.edges:
        grouped.setdefault((filed.edge.source, filed.edge.target, filed.edge.type), []).append(filed)
    lines = [_drawn_edge(source, target, kind, said, distance) for (source, target, kind), said in grouped.items()]
    return sorted(lines, key=lambda line: line.hop)


def _drawn_edge(
    source: str, target: str, kind: EdgeType, said: Sequence[FiledEdge], distance: Mapping[str, int]
) -> DrawnEdge:
    """The line for the edges of one type between two nodes; `distance` is that of each node from the centre."""
    outward = distance[source] <= distance[target]
    near, far = (source, target) if outward else (target, source)
    until = max(filed.edge.valid_until for filed in said)
    anchors = tuple(dict.fromkeys(filed.edge.anchor for filed in said if filed.edge.anchor))
    confidence = max(filed.edge.confidence for filed in said)
    hop, steps = max(distance[far], 1), distance[near] < distance[far]
    closed = None if until == FOREVER else until
    return DrawnEdge(near, far, outward, hop, steps, kind, anchors, confidence, tuple(said), closed)


@dataclass(frozen=True, slots=True)
class Labels:
    """What the nodes of a drawing are called, by node key."""

    nodes: Mapping[str, Node]

    @classmethod
    def of(cls, nodes: Sequence[Node]) -> "Labels":
        """The labels of these nodes; a node that is not among them is called by its key."""
        return cls({node.key: node for node in nodes})

    def name(self, key: str) -> str:
        """The name of a node on one line, without characters that cannot be shown.

        Its key where nothing is left or known.
        """
        node = self.nodes.get(key)
        return one_line(node.name if node and node.name else key) or key

    def type(self, key: str) -> str:
        """The type of a node (`Decision`), empty where it is not known."""
        node = self.nodes.get(key)
        return one_line(node.type) if node else ""

    def is_undefined(self, key: str) -> bool:
        """Whether files name the node and none defines it; never so for memories and episodes."""
        node = self.nodes.get(key)
        return not (node and node.defined) and not IDENTITY.fullmatch(key)


def one_line(text: str) -> str:
    """A text on one line, without control characters, direction marks and what XML cannot hold."""
    return " ".join(_UNSEEN.sub(" ", text).split())


def anchor_text(anchor: str, sign: str = "§") -> str:
    """An anchor for readers: `§3` for a number such as `3` or `A.2`, `#dedup-contract` for a name.

    `sign` replaces `§`.
    """
    shown = one_line(anchor)
    return f"{sign}{shown}" if re.fullmatch(r"[0-9A-Za-z]{1,2}(\.[0-9A-Za-z]+)*|\d+", shown) else f"#{shown}"
