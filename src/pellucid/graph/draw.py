"""A neighbourhood in, text for a terminal out: hop by hop, type by type, with the source of each edge."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import groupby

from pellucid.clock import EPOCH
from pellucid.graph.lines import UNDEFINED, DrawnEdge, Labels, anchor_text, drawn_edges, one_line
from pellucid.graph.neighbours import Neighbourhood
from pellucid.store.graph_port import FiledEdge, Node

_MOST_PLACES = 3


@dataclass(frozen=True, slots=True)
class _Signs:
    """The characters that arrows and section marks are drawn with."""

    shaft: str = "─"
    right: str = "→"
    left: str = "←"
    section: str = "§"


_PLAIN = _Signs("-", "->", "<-", "section ")


def text(
    around: Neighbourhood, nodes: Sequence[Node], places: Mapping[str, str] | None = None, *, ascii_only: bool = False
) -> str:
    """Draw a neighbourhood as lines of text, without a final newline; `no edges` if the centre has none.

    `SPEC-054 ─DEPENDS_ON→ SPEC-037 §3 (Depends on, specs/SPEC-054.md:30-34, 0.95)`: the node nearer to the centre is
    first. `nodes` give names and types. `places` maps memory ids to the places of their texts; for one that it lacks
    the vault file is named. `ascii_only` is about arrows and section signs; names stay as they are.
    """
    drawing = _TextDrawing(Labels.of(nodes), places or {}, _PLAIN if ascii_only else _Signs())
    center = around.hops[0][0]
    kind = drawing.labels.type(center)
    first_line = drawing.labels.name(center) + (f"  {kind}" if kind else "") + drawing.undefined_mark(center)
    lines = [first_line]
    for hop, of_hop in groupby(drawn_edges(around), key=lambda line: line.hop):
        lines += ["", f"{hop} {'hop' if hop == 1 else 'hops'} away"]
        for _, of_type in groupby(of_hop, key=lambda line: line.type):
            ordered = sorted(of_type, key=lambda line: (not line.steps, not line.outward))
            lines += [f"  {drawing.line(each)}" for each in ordered]
    return "\n".join(lines if len(lines) > 1 else [*lines, "no edges"])


@dataclass(frozen=True, slots=True)
class _TextDrawing:
    """Formats the lines of one drawing."""

    labels: Labels
    places: Mapping[str, str]
    signs: _Signs

    def line(self, line: DrawnEdge) -> str:
        """Return one edge as a line: its ends and type, the sources of its first three statements and the number of the
        others, and the UTC day on which it was closed, if it was.
        """
        signs = self.signs
        arrow = f"{signs.shaft}{line.type}{signs.right}" if line.outward else f"{signs.left}{line.type}{signs.shaft}"
        near, far = self.labels.name(line.near), self.labels.name(line.far)
        anchors = ", ".join(anchor_text(anchor, signs.section) for anchor in line.anchors)
        suffix = f" {anchors}" if anchors else ""
        ends = (near, f"{far}{suffix}") if line.outward else (f"{near}{suffix}", far)
        sources = [self.statement_source(filed) for filed in line.statements[:_MOST_PLACES]]
        more = [f"and {len(line.statements) - _MOST_PLACES} more"] if len(line.statements) > _MOST_PLACES else []
        closed = f"  closed {utc_day(line.closed)}" if line.closed is not None else ""
        return f"{ends[0]} {arrow} {ends[1]}{self.undefined_mark(line.far)}  ({'; '.join([*sources, *more])}){closed}"

    def statement_source(self, filed: FiledEdge) -> str:
        """Return the source of an edge and its confidence, `Depends on, specs/SPEC-054.md:30-34, 0.95`: its section, if
        it has one, and the place of its memory, or its vault file if no place is known."""
        edge = filed.edge
        where = one_line(self.places.get(edge.memory_id, filed.path))
        return ", ".join(each for each in (one_line(edge.section), where, f"{edge.confidence:.2f}") if each)

    def undefined_mark(self, key: str) -> str:
        """Return ` [not defined]` for a node that no file defines, else an empty text."""
        return f" [{UNDEFINED}]" if self.labels.is_undefined(key) else ""


def utc_day(at: int) -> str:
    """Return the UTC day of an instant in epoch milliseconds, as `2026-04-20`."""
    return f"{EPOCH + timedelta(milliseconds=at):%Y-%m-%d}"
