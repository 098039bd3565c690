"""A neighbourhood in, one SVG picture out: rings around the centre, arrows by type, a legend; nothing is fetched.

No script and no font of its own; every text of others is escaped and stands in the content of an element, never in an
attribute. The same neighbourhood gives the same bytes.
"""

from collections.abc import Callable, Sequence

from pellucid.graph import svg_marks as marks
from pellucid.graph.layout import layout_of, width_of
from pellucid.graph.lines import DrawnEdge, Labels, drawn_edges
from pellucid.graph.neighbours import Neighbourhood
from pellucid.model.entity import EDGE_TYPES
from pellucid.store.graph_port import Node

_MOST = 60
"""Nodes that a picture shows at most: the nearest, and of those as near the ones tied most strongly."""
_LONGEST = 28
_MARGIN = 24.0


def svg(around: Neighbourhood, nodes: Sequence[Node], link: Callable[[Node], str] | None = None) -> str:
    """The neighbourhood as a whole SVG document, without a final newline.

    With `link`, an element for a page that has `svg_marks.page_style`: each node leads to the URL that `link` gives it,
    or nowhere where that is empty.
    """
    labels = Labels.of(nodes)
    shown, hidden = _drawable_part(around)
    lines = _lines_to_draw(drawn_edges(shown))
    names = {key: _shortened(labels.name(key)) for ring in shown.hops for key in ring}
    layout = layout_of(shown.hops, _parents(lines), {key: width_of(name) for key, name in names.items()})
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
    """The lines without mentions between two nodes that a stronger line joins, the strongest types first."""
    tied = {frozenset((line.near, line.far)) for line in lines if line.type != "MENTIONS"}
    told = [line for line in lines if line.type != "MENTIONS" or frozenset((line.near, line.far)) not in tied]
    return sorted(told, key=lambda line: EDGE_TYPES.index(line.type))


def _drawable_part(around: Neighbourhood) -> tuple[Neighbourhood, int]:
    """The part of the neighbourhood that a picture can show, and how many nodes were left out.

    It has the 60 nearest and strongest nodes at most, without those that the centre then no longer leads to.
    """
    best: dict[str, float] = {}
    for filed in around.edges:
        for end in (filed.edge.source, filed.edge.target):
            best[end] = max(best.get(end, 0.0), filed.edge.confidence)
    ranked = sorted((hop, -best.get(key, 0.0), key) for hop, ring in enumerate(around.hops) for key in ring)
    kept = _connected_nodes(around, {key for _, _, key in ranked[:_MOST]})
    rings = tuple(ring for ring in (tuple(key for key in ring if key in kept) for ring in around.hops) if ring)
    edges = tuple(filed for filed in around.edges if {filed.edge.source, filed.edge.target} <= kept)
    return Neighbourhood(rings, edges), len(ranked) - len(kept)


def _connected_nodes(around: Neighbourhood, kept: set[str]) -> set[str]:
    """The `kept` nodes that are connected to the centre by kept nodes alone."""
    out = set(around.hops[0])
    for ring in around.hops[1:]:
        ends = [(filed.edge.source, filed.edge.target) for filed in around.edges]
        reached = {far for pair in ends for near, far in (pair, pair[::-1]) if near in out}
        out |= kept & reached & set(ring)
    return out


def _parents(lines: Sequence[DrawnEdge]) -> dict[str, str]:
    """By node the nearer node it is drawn beside: that of its line of highest confidence."""
    best: dict[str, tuple[float, str]] = {}
    for line in lines:
        if line.steps:
            found = (-line.confidence, line.near)
            best[line.far] = min(best.get(line.far, found), found)
    return {key: near for key, (_, near) in best.items()}


def _shortened(name: str) -> str:
    """A name of at most `_LONGEST` characters, cut with an ellipsis."""
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1].rstrip()}…"
