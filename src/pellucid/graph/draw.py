"""A neighbourhood in, text for a terminal out: hop by hop, type by type, who says each edge and where."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import groupby

from pellucid.clock import EPOCH
from pellucid.graph.lines import LAZY, DrawnEdge, Labels, lines_of, on_a_line, part
from pellucid.graph.neighbours import Neighbourhood
from pellucid.store.graph_port import FiledEdge, Node

_MOST_PLACES = 3


@dataclass(frozen=True, slots=True)
class _Signs:
    shaft: str = "─"
    right: str = "→"
    left: str = "←"
    section: str = "§"


_PLAIN = _Signs("-", "->", "<-", "section ")


def text(
    around: Neighbourhood, nodes: Sequence[Node], places: Mapping[str, str] | None = None, *, ascii_only: bool = False
) -> str:
    """The neighbourhood as lines, without a final newline.

    `SPEC-054 ─DEPENDS_ON→ SPEC-037 §3  (Depends on, specs/SPEC-054.md:30-34, 0.95)`: the node nearer to the centre
    stands first. `places` says where a memory's words stand, by its id; without it the vault file is named. With
    `ascii_only` our own signs are plain; names stay as they are.
    """
    drawing = _Drawing(Labels.of(nodes), places or {}, _PLAIN if ascii_only else _Signs())
    center = around.hops[0][0]
    kind = drawing.labels.type(center)
    head = drawing.labels.name(center) + (f"  {kind}" if kind else "") + drawing.marked(center)
    lines = [head]
    for hop, of_hop in groupby(lines_of(around), key=lambda line: line.hop):
        lines += ["", f"{hop} {'hop' if hop == 1 else 'hops'} away"]
        for _, of_type in groupby(of_hop, key=lambda line: line.type):
            ordered = sorted(of_type, key=lambda line: (not line.steps, not line.outward))
            lines += [f"  {drawing.line(each)}" for each in ordered]
    return "\n".join(lines if len(lines) > 1 else [*lines, "no edges"])


@dataclass(frozen=True, slots=True)
class _Drawing:
    labels: Labels
    places: Mapping[str, str]
    signs: _Signs

    def line(self, line: DrawnEdge) -> str:
        """One edge in a line: its ends and type, who says it and where, and since when it no longer holds."""
        signs = self.signs
        arrow = f"{signs.shaft}{line.type}{signs.right}" if line.outward else f"{signs.left}{line.type}{signs.shaft}"
        near, far = self.labels.name(line.near), self.labels.name(line.far)
        anchors = ", ".join(part(anchor, signs.section) for anchor in line.anchors)
        meant = f" {anchors}" if anchors else ""
        ends = (near, f"{far}{meant}") if line.outward else (f"{near}{meant}", far)
        said = [self.saying(filed) for filed in line.said[:_MOST_PLACES]]
        more = [f"and {len(line.said) - _MOST_PLACES} more"] if len(line.said) > _MOST_PLACES else []
        closed = f"  closed {day(line.closed)}" if line.closed is not None else ""
        return f"{ends[0]} {arrow} {ends[1]}{self.marked(line.far)}  ({'; '.join([*said, *more])}){closed}"

    def saying(self, filed: FiledEdge) -> str:
        edge = filed.edge
        where = on_a_line(self.places.get(edge.memory_id, filed.path))
        return ", ".join(each for each in (on_a_line(edge.section), where, f"{edge.confidence:.2f}") if each)

    def marked(self, key: str) -> str:
        return f" [{LAZY}]" if self.labels.lazy(key) else ""


def day(at: int) -> str:
    """The UTC day of an instant in epoch milliseconds."""
    return f"{EPOCH + timedelta(milliseconds=at):%Y-%m-%d}"
