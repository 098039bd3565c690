"""A neighbourhood in, one SVG picture out: rings around the centre, arrows by type, a legend; nothing is fetched.

The picture has no script and no font of its own. Texts of others are escaped, and are the content of elements, never of
attributes. The same neighbourhood gives the same bytes.
"""

from collections.abc import Callable, Sequence

from pellucid.graph import svg_marks as marks
from pellucid.graph.layout import label_width, place_nodes
from pellucid.graph.lines import DrawnEdge, Labels, drawn_edges
from pellucid.graph.neighbours import Neighbourhood
from pellucid.model.entity import EDGE_TYPES
from pellucid.store.graph_port import Node

_MOST = 60
"""The most nodes that a picture shows: the nearest and, of equally near ones, those with the most confident edges."""
_LONGEST = 28
_MARGIN = 24.0


def svg(around: Neighbourhood, nodes: Sequence[Node], link: Callable[[Node], str] | None = None) -> str:
    """Draw a neighbourhood as a whole SVG document, without a final newline.

    It shows at most 60 nodes (the legend counts the others), under names of at most 28 characters. `nodes` give names
    and types. With `link`, draw an element for a page that has `svg_marks.page_style`: `link` returns the URL for each
    of `nodes` that is drawn but the centre, empty for a node that should not be a link.
    """
    labels = Labels.of(nodes)
    shown, hidden = _drawable_part(around)
    lines = _lines_to_draw(drawn_edges(shown))
    names = {key: _shortened(labels.name(key)) for ring in shown.hops for key in ring}
    layout = place_nodes(shown.hops, _parents(lines), {key: label_width(name) for key, name in names.items()})
    rows = marks.legend_rows(lines, hidden, has_undefined=any(labels.is_undefined(key) for key in names))
    left, top, width, height = layout.frame
    frame: marks.Frame = (left - _MARGIN, top - _MARGIN, width + 2 * _MARGIN, height + 2 * _MARGIN)
    counts = len(names), len(lines), len(around.hops) - 1
    body = [
        marks.head(frame, rows, labels.name(around.hops[0][0]), counts, has_links=bool(link)),
        *([] if link else [marks.style(lines)]),
        marks.markers(lines),
        *(marks.ring_mark(rx, ry) for rx, ry in layout.rings),
        *marks.arrows(lines[::-1], layout.boxes, labels),
    ]
    for hop, ring in enumerate(shown.hops):
        for key in ring:
            url = link(labels.nodes[key]) if link and hop and key in labels.nodes else ""
            body.append(marks.linked(marks.node_mark(key, layout.boxes[key], names[key], labels, center=not hop), url))
    return "\n".join([*body, *marks.legend(rows, frame), "</svg>"])


def _lines_to_draw(lines: Sequence[DrawnEdge]) -> list[DrawnEdge]:
    """Return the lines without mentions between two nodes that a line of another type joins, sorted by type in the
    order of `EDGE_TYPES`.
    """
    joined = {frozenset((line.near, line.far)) for line in lines if line.type != "MENTIONS"}
    drawn = [line for line in lines if line.type != "MENTIONS" or frozenset((line.near, line.far)) not in joined]
    return sorted(drawn, key=lambda line: EDGE_TYPES.index(line.type))


def _drawable_part(around: Neighbourhood) -> tuple[Neighbourhood, int]:
    """Return the part of the neighbourhood that a picture shows, and the number of nodes that are left out.

    It has at most 60 nodes, the nearest and of equally near ones those with the most confident edge, and of these only
    those that nodes of the part connect to the centre.
    """
    best_confidence: dict[str, float] = {}
    for filed in around.edges:
        for end in (filed.edge.source, filed.edge.target):
            best_confidence[end] = max(best_confidence.get(end, 0.0), filed.edge.confidence)
    ranked = sorted((hop, -best_confidence.get(key, 0.0), key) for hop, ring in enumerate(around.hops) for key in ring)
    shown_keys = _connected_nodes(around, {key for _, _, key in ranked[:_MOST]})
    rings = tuple(ring for ring in (tuple(key for key in ring if key in shown_keys) for ring in around.hops) if ring)
    edges = tuple(filed for filed in around.edges if {filed.edge.source, filed.edge.target} <= shown_keys)
    return Neighbourhood(rings, edges), len(ranked) - len(shown_keys)


def _connected_nodes(around: Neighbourhood, candidates: set[str]) -> set[str]:
    """Return the nodes of `candidates` that other such nodes connect to the centre, and the centre."""
    connected = set(around.hops[0])
    for ring in around.hops[1:]:
        ends = [(filed.edge.source, filed.edge.target) for filed in around.edges]
        reached = {far for pair in ends for near, far in (pair, pair[::-1]) if near in connected}
        connected |= candidates & reached & set(ring)
    return connected


def _parents(lines: Sequence[DrawnEdge]) -> dict[str, str]:
    """Map each node to the node one step nearer to the centre that it is drawn beside: the one that its most confident
    line leads to.
    """
    best: dict[str, tuple[float, str]] = {}
    for line in lines:
        if line.steps:
            found = (-line.confidence, line.near)
            best[line.far] = min(best.get(line.far, found), found)
    return {key: near for key, (_, near) in best.items()}


def _shortened(name: str) -> str:
    """Return a name of at most 28 characters, a longer one cut and with an ellipsis."""
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1].rstrip()}…"
