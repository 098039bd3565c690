"""Lines, boxes and names in, the elements of an SVG picture out: its head, its style, arrows, labels and legend."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from pellucid.graph.draw import utc_day
from pellucid.graph.layout import HEIGHT, Box
from pellucid.graph.lines import UNDEFINED, DrawnEdge, Labels, anchor_text, one_line
from pellucid.model.entity import EDGE_TYPES, EdgeType

Frame = tuple[float, float, float, float]
"""Left, top, width and height."""
COLOURS: dict[EdgeType, tuple[str, str]] = {
    "DEPENDS_ON": ("#c0392b", "#ff8a7a"),
    "IMPLEMENTS": ("#1f6feb", "#79b8ff"),
    "EXTENDS": ("#8250df", "#c9a6ff"),
    "REFERENCES": ("#3b434b", "#c9d1d9"),
    "SUPERSEDES": ("#b35900", "#ffb267"),
    "RELATES_TO": ("#1a7f37", "#6fdd8b"),
    "MENTIONS": ("#8c959f", "#7d8590"),
    "ALIAS_OF": ("#bf3989", "#ff9bce"),
    "ABOUT": ("#0e7490", "#67d8ef"),
    "DERIVED_FROM": ("#7a6a00", "#e3cf57"),
    "PART_OF": ("#6b4f3a", "#d2b48c"),
}
"""Maps an edge type to its colour on a light background and on a dark one."""
_ROW = 20.0
_SAMPLE = 34.0
_BEND = 14.0
_STYLE = """
.ground{fill:#fff}.ring{fill:none;stroke:#d0d7de;stroke-dasharray:2 5}
.node rect{fill:#f6f8fa;stroke:#57606a}.node text,.legend text{fill:#1f2328;font:12px system-ui,sans-serif}
.node text{text-anchor:middle;dominant-baseline:central}.center rect{fill:#ddf4ff;stroke:#0969da;stroke-width:2}
.center text{font-weight:600}.lazy rect{stroke-dasharray:4 3}.lazy text{font-style:italic}
.edge{fill:none;stroke-width:1.4}.weak{stroke-width:1;opacity:.7}.closed{stroke-dasharray:6 4}
"""
_DARK = """
.ground{fill:#0d1117}.ring{stroke:#30363d}.node rect{fill:#161b22;stroke:#8b949e}
.node text,.legend text{fill:#e6edf3}.center rect{fill:#0c2d4d;stroke:#58a6ff}
"""


@dataclass(frozen=True, slots=True)
class LegendRow:
    """One row of the legend: a sample line (`line` has its CSS classes), a sample node, or words alone."""

    words: str
    line: str = ""
    type: EdgeType | None = None
    undefined: bool = False


def legend_rows(lines: Sequence[DrawnEdge], hidden: int, *, has_undefined: bool) -> list[LegendRow]:
    """Return the rows of the legend: the edge types drawn, the meaning of dashes if an edge is closed, what an
    undefined node looks like, and the number of nodes not drawn (`hidden`, if not 0). `has_undefined`: whether a node
    is drawn that no file defines."""
    rows = [LegendRow(name, "edge", name) for name in _edge_types(lines)]
    if closed := next((line for line in lines if line.closed is not None), None):
        rows.append(LegendRow("closed: held once", "edge closed", closed.type))
    if has_undefined:
        rows.append(LegendRow(UNDEFINED, undefined=True))
    if hidden:
        rows.append(LegendRow(f"and {hidden} more {'node' if hidden == 1 else 'nodes'}, not drawn"))
    return rows


def head(
    frame: Frame, rows: Sequence[LegendRow], center: str, counts: tuple[int, int, int], *, has_links: bool = False
) -> str:
    """Return the opening `<svg>` with title, description and background; the caller closes it.

    `frame` is that of the drawing in pixels; room for `rows`, the legend, is added below, and the picture is at least
    240 wide. `center` is the name of the centre, `counts` are the numbers of nodes, lines and hops. `has_links`:
    whether marks are linked, so that the picture is a group to screen readers, not one image.
    """
    left, top, width, height = frame
    width, height = max(width, 240.0), height + _ROW * len(rows) + (12 if rows else 0)
    nodes, lines, hops = counts
    box = " ".join(map(_px, (left, top, width, height)))
    about = f"{nodes} nodes and {lines} edges within {hops} {'hop' if hops == 1 else 'hops'} of {center}."
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" width="{_px(width)}" height="{_px(height)}"'
        f' role="{"group" if has_links else "img"}" aria-labelledby="title desc">\n'
        f'<title id="title">What hangs together with {escape(center)}</title>\n<desc id="desc">{escape(about)}</desc>\n'
        f'<rect class="ground" x="{_px(left)}" y="{_px(top)}" width="{_px(width)}" height="{_px(height)}"/>'
    )


def style(lines: Sequence[DrawnEdge]) -> str:
    """Return the `<style>` element of a picture that is in no page, for the types of these lines (see `page_style`)."""
    return f"<style>{page_style(_edge_types(lines))}</style>"


def page_style(types: Sequence[EdgeType] = EDGE_TYPES) -> str:
    """Return the CSS of pictures with edges of these types, for a light and a dark background."""
    light, dark = ("\n".join(_colour_rules(name, ground) for name in types) for ground in (0, 1))
    return f"{_STYLE}{light}\n@media (prefers-color-scheme:dark){{{_DARK}{dark}}}\n"


def linked(mark: str, url: str) -> str:
    """Return an SVG element inside a link to the URL, which is escaped; the element itself if the URL is empty."""
    return f'<a href="{escape(url)}">{mark}</a>' if url else mark


def _edge_types(lines: Sequence[DrawnEdge]) -> list[EdgeType]:
    """Return the types of these lines, the strongest first."""
    used = {line.type for line in lines}
    return [name for name in EDGE_TYPES if name in used]


def _colour_rules(name: EdgeType, ground: int) -> str:
    """Return the CSS rules that colour one edge type; `ground` is 0 for a light background, 1 for a dark one."""
    kind, colour = _css_class(name), COLOURS[name][ground]
    return f".{kind}{{stroke:{colour}}}.head-{kind}{{fill:{colour}}}"


def markers(lines: Sequence[DrawnEdge]) -> str:
    """Return the `<defs>` with an arrow head for each edge type drawn."""
    heads = "".join(
        f'<marker id="head-{name}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8"'
        f' markerUnits="userSpaceOnUse" orient="auto"><path class="head-{name}" d="M0 0 10 5 0 10z"/></marker>'
        for name in map(_css_class, _edge_types(lines))
    )
    return f"<defs>{heads}</defs>"


def ring_mark(rx: float, ry: float) -> str:
    """Return the faint ellipse on which a hop's nodes are, by its radii."""
    return f'<ellipse class="ring" rx="{_px(rx)}" ry="{_px(ry)}"/>'


def arrows(lines: Sequence[DrawnEdge], boxes: Mapping[str, Box], labels: Labels) -> list[str]:
    """Return an SVG arrow for each line, from source to target; several between the same two nodes follow one another
    and are bent apart.

    `boxes` maps the keys of all nodes joined to their boxes; `labels` names the nodes in tooltips.
    """
    beside: dict[frozenset[str], list[DrawnEdge]] = defaultdict(list)
    for line in lines:
        beside[frozenset((line.near, line.far))].append(line)
    return [
        _arrow(line, boxes, labels, _BEND * (place - (len(each) - 1) / 2))
        for each in beside.values()
        for place, line in enumerate(each)
    ]


def _arrow(line: DrawnEdge, boxes: Mapping[str, Box], labels: Labels, bend: float) -> str:
    """Return a curved SVG arrow with a tooltip that states the edge in words; `bend` is its bow in pixels.

    `boxes` and `labels` are as of `arrows`. An edge between nodes at the same distance from the centre is bent by 28
    pixels more; one of confidence below 0.6 is marked weak, a closed one closed.
    """
    near, far = boxes[line.near], boxes[line.far]
    middle = _bend_point(near, far, bend if line.steps else bend + _BEND * 2)
    source, target = (near, far) if line.outward else (far, near)
    begin, end = source.border(*middle), target.border(*middle)
    kind = _css_class(line.type)
    classes = f"edge {kind}{' closed' if line.closed is not None else ''}{' weak' if line.confidence < 0.6 else ''}"
    path = f"M{_px(begin[0])} {_px(begin[1])}Q{_px(middle[0])} {_px(middle[1])} {_px(end[0])} {_px(end[1])}"
    return (
        f'<path class="{classes}" marker-end="url(#head-{kind})" d="{path}">'
        f"<title>{escape(_edge_title(line, labels))}</title></path>"
    )


def _bend_point(near: Box, far: Box, bend: float) -> tuple[float, float]:
    """Return the control point of a curve that passes `bend` pixels beside the middle between two boxes."""
    dx, dy = far.x - near.x, far.y - near.y
    length = (dx * dx + dy * dy) ** 0.5 or 1.0
    return (near.x + far.x) / 2 - dy / length * bend * 2, (near.y + far.y) / 2 + dx / length * bend * 2


def _edge_title(line: DrawnEdge, labels: Labels) -> str:
    """Return an edge in words: its ends and type, the part of the target that is meant, the sections that state it, its
    confidence, and when it was closed, as far as there are any."""
    source, target = (line.near, line.far) if line.outward else (line.far, line.near)
    anchors = "".join(f" {anchor_text(anchor)}" for anchor in line.anchors)
    sections = ", ".join(dict.fromkeys(one_line(filed.edge.section) for filed in line.statements if filed.edge.section))
    closed = f"; closed {utc_day(line.closed)}" if line.closed is not None else ""
    details = f" ({sections}, {line.confidence:.2f})" if sections else f" ({line.confidence:.2f})"
    return f"{labels.name(source)} {line.type} {labels.name(target)}{anchors}{details}{closed}"


def node_mark(key: str, box: Box, name: str, labels: Labels, *, center: bool) -> str:
    """Return a node as SVG: its frame, `name` as its text, and a tooltip with its whole name and type.

    `key` is the node's, `name` its name as already shortened, `center` whether it is the centre of the picture. A node
    that no file defines is marked so.
    """
    undefined = UNDEFINED if labels.is_undefined(key) else ""
    classes = f"node{' center' if center else ''}{' lazy' if undefined else ''}"
    about = ", ".join(each for each in (labels.name(key), labels.type(key), undefined) if each)
    return (
        f'<g class="{classes}"><title>{escape(about)}</title>'
        f'<rect x="{_px(box.x - box.width / 2)}" y="{_px(box.y - HEIGHT / 2)}" width="{_px(box.width)}"'
        f' height="{_px(HEIGHT)}" rx="6"/><text x="{_px(box.x)}" y="{_px(box.y)}">{escape(name)}</text></g>'
    )


def legend(rows: Sequence[LegendRow], frame: Frame) -> list[str]:
    """Return the legend as SVG elements, below the picture on the left; `frame` is the drawing's, as in `head`."""
    left, top, _, height = frame
    x, out = left + 16, list[str]()
    for place, row in enumerate(rows):
        y = top + height + _ROW * place + 6
        sample = ""
        if row.type:
            sample = (
                f'<path class="{row.line} {_css_class(row.type)}" marker-end="url(#head-{_css_class(row.type)})"'
                f' d="M{_px(x)} {_px(y)}H{_px(x + _SAMPLE)}"/>'
            )
        elif row.undefined:
            box = f'x="{_px(x)}" y="{_px(y - 7)}" width="{_px(_SAMPLE)}" height="14" rx="4"'
            sample = f'<g class="node lazy"><rect {box}/></g>'
        out.append(
            f'<g class="legend">{sample}<text x="{_px(x + _SAMPLE + 10)}" y="{_px(y + 4)}">{row.words}</text></g>'
        )
    return out


def _css_class(name: EdgeType) -> str:
    """Return the CSS class of an edge type: `depends-on` for `DEPENDS_ON`."""
    return name.lower().replace("_", "-")


def _px(value: float) -> str:
    """Return a coordinate with one decimal, as SVG attributes have it; `0` if it rounds to that."""
    return "0" if abs(value) < 0.05 else f"{value:.1f}"
