"""Edges around a thing in, text and pictures of them out."""

import re
from random import Random
from xml.etree import ElementTree as ET

import pytest

from pellucid.graph.draw import text
from pellucid.graph.layout import HEIGHT, label_width, place_nodes
from pellucid.graph.neighbours import Direction, neighbourhood, open_edges
from pellucid.graph.svg import svg
from pellucid.model.entity import FOREVER, Edge, EdgeType
from pellucid.store.graph_port import FiledEdge, Node

MEMORY = "mem_" + "1" * 32
CLOSED = 1_774_000_000_000


def edge(
    source: str, kind: EdgeType, target: str, section: str = "Depends on", until: int = FOREVER, anchor: str = ""
) -> FiledEdge:
    return FiledEdge(Edge(source, target, kind, MEMORY, section, 0.95, 0, until, 0, anchor), f"documents/{source}.md")


EDGES = [
    edge("spec-54", "DEPENDS_ON", "spec-37", anchor="3"),
    edge("spec-54", "REFERENCES", "spec-44", "References"),
    edge("spec-60", "EXTENDS", "spec-54", "Extends"),
    edge("spec-37", "IMPLEMENTS", "adr-18", "Implements"),
    edge("spec-54", "DEPENDS_ON", "spec-2", until=CLOSED),
    edge("spec-44", "DEPENDS_ON", "spec-37"),
    edge("adr-18", "REFERENCES", "adr-1", "References"),
]
NODES = [
    Node(number, key, key.upper(), "Specification", key != "adr-18")
    for number, key in enumerate(("spec-54", "spec-37", "spec-44", "spec-60", "adr-18", "spec-2", "adr-1"))
]


def test_a_neighbourhood_holds_who_is_near_and_by_which_edges() -> None:
    around = neighbourhood("spec-54", EDGES, 2)
    assert around.hops == (("spec-54",), ("spec-2", "spec-37", "spec-44", "spec-60"), ("adr-18",))
    assert around.distance["adr-18"] == 2
    assert len(around.edges) == 6
    assert neighbourhood("spec-54", EDGES, 3).hops[3] == ("adr-1",)
    assert neighbourhood("nobody", EDGES, 2).hops == (("nobody",),)


@pytest.mark.parametrize(
    ("direction", "types", "near"),
    [
        ("out", (), ("spec-2", "spec-37", "spec-44")),
        ("in", (), ("spec-60",)),
        ("both", ("DEPENDS_ON",), ("spec-2", "spec-37")),
        ("in", ("DEPENDS_ON",), ()),
    ],
)
def test_a_direction_and_types_limit_it(
    direction: Direction, types: tuple[EdgeType, ...], near: tuple[str, ...]
) -> None:
    around = neighbourhood("spec-54", EDGES, 1, types, direction)
    assert around.hops[1:] == ((near,) if near else ())


def test_closed_edges_are_left_out() -> None:
    held = [filed.edge for filed in open_edges(EDGES)]
    assert [edge.target for edge in held if edge.source == "spec-54"] == ["spec-37", "spec-44"]
    assert len(held) == len(EDGES) - 1


def test_the_text_names_direction_part_place_and_confidence() -> None:
    shown = text(neighbourhood("spec-54", EDGES, 2), NODES, {MEMORY: "specs/SPEC-054.md:30-34"})
    assert shown.splitlines() == [
        "SPEC-54  Specification",
        "",
        "1 hop away",
        "  SPEC-54 ─DEPENDS_ON→ SPEC-2  (Depends on, specs/SPEC-054.md:30-34, 0.95)  closed 2026-03-20",
        "  SPEC-54 ─DEPENDS_ON→ SPEC-37 §3  (Depends on, specs/SPEC-054.md:30-34, 0.95)",
        "  SPEC-44 ─DEPENDS_ON→ SPEC-37  (Depends on, specs/SPEC-054.md:30-34, 0.95)",
        "  SPEC-54 ←EXTENDS─ SPEC-60  (Extends, specs/SPEC-054.md:30-34, 0.95)",
        "  SPEC-54 ─REFERENCES→ SPEC-44  (References, specs/SPEC-054.md:30-34, 0.95)",
        "",
        "2 hops away",
        "  SPEC-37 ─IMPLEMENTS→ ADR-18 [not defined]  (Implements, specs/SPEC-054.md:30-34, 0.95)",
    ]
    assert text(neighbourhood("x", []), []) == "x [not defined]\nno edges"


def test_plain_signs_are_ascii() -> None:
    shown = text(neighbourhood("spec-54", EDGES, 2), NODES, ascii_only=True)
    assert shown.isascii()
    assert "SPEC-54 -DEPENDS_ON-> SPEC-37 section 3  (Depends on, documents/spec-54.md, 0.95)" in shown
    assert "SPEC-54 <-EXTENDS- SPEC-60" in shown


def test_several_who_say_the_same_share_a_line() -> None:
    said = [edge("a", "DEPENDS_ON", "b", f"Part {number}") for number in range(5)]
    lines = text(neighbourhood("a", said), []).splitlines()
    assert lines[-1].count("Part") == 3
    assert lines[-1].endswith("; and 2 more)")


def test_nothing_in_a_name_breaks_a_line() -> None:
    nodes = [Node(0, "a", "A\n\x1b[2J\u202eB", "T\r", True)]
    shown = text(neighbourhood("a", [edge("a", "MENTIONS", "b", "S\n\x00x")]), nodes)
    assert len(shown.splitlines()) == 4
    assert not re.search(r"[\x00-\x09\x0b-\x1f\u202e]", shown)


def picture(count: int, seed: int = 1) -> str:
    random = Random(seed)
    edges = list(EDGES)
    for number in range(count - 6):
        near = random.choice(["spec-37", "spec-44", "spec-54", "spec-60"])
        edges.append(edge(near, "MENTIONS", f"a-document-with-a-longer-name-{number}"[random.randrange(20) :], "Plan"))
    return svg(neighbourhood("spec-54", edges, 2), NODES)


def test_the_picture_is_whole_and_the_same_every_time() -> None:
    drawn = picture(20)
    assert drawn == picture(20)
    root = ET.fromstring(drawn)
    assert {element.tag.rpartition("}")[2] for element in root.iter()} == {
        "svg",
        "title",
        "desc",
        "rect",
        "style",
        "defs",
        "marker",
        "path",
        "ellipse",
        "g",
        "text",
    }
    assert root.get("role") == "img"
    assert "prefers-color-scheme:dark" in drawn
    assert "http" not in drawn.replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert "SPEC-54 DEPENDS_ON SPEC-37 §3 (Depends on, 0.95)" in drawn
    assert "closed: held once" in drawn
    assert "not defined" in drawn


def test_texts_of_others_are_escaped_wherever_they_stand() -> None:
    evil = "\"'><script>alert(1)</script>&\x00\x0b\ud800"
    nodes = [Node(0, evil, evil, evil, True)]
    drawn = svg(neighbourhood(evil, [edge(evil, "MENTIONS", "b<", evil, anchor="<a")]), nodes)
    root = ET.fromstring(drawn.encode())
    assert not [element for element in root.iter() if element.tag.endswith("script")]
    assert "<script" not in drawn
    assert all(evil[:6] not in value for element in root.iter() for value in element.attrib.values())


@pytest.mark.parametrize("count", [7, 15, 25, 40])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_no_two_labels_overlap(count: int, seed: int) -> None:
    root = ET.fromstring(picture(count, seed))
    space = "{http://www.w3.org/2000/svg}"
    boxes = [
        tuple(float(rect.get(name, "")) for name in ("x", "y", "width", "height"))
        for group in root.iter(f"{space}g")
        if "node" in str(group.get("class")) and group.find(f"{space}text") is not None
        for rect in group.iter(f"{space}rect")
    ]
    assert len(boxes) > 6
    left, top, width, height = (float(each) for each in str(root.get("viewBox")).split())
    for place, (x, y, wide, high) in enumerate(boxes):
        assert left <= x
        assert x + wide <= left + width
        assert top <= y
        assert y + high <= top + height
        for x2, y2, wide2, high2 in boxes[place + 1 :]:
            assert x + wide <= x2 or x2 + wide2 <= x or y + high <= y2 or y2 + high2 <= y


def test_a_crowd_is_cut_to_the_nearest_and_says_so() -> None:
    edges = [edge("a", "MENTIONS", f"b-{number:03}") for number in range(100)]
    drawn = svg(neighbourhood("a", edges), [])
    assert "and 41 more nodes, not drawn" in drawn
    assert drawn.count('class="node') == 60 + 1  # and the sample in the legend


def test_a_mention_beside_a_stronger_edge_is_not_drawn() -> None:
    edges = [edge("a", "MENTIONS", "b"), edge("b", "DEPENDS_ON", "a"), edge("a", "MENTIONS", "c")]
    drawn = svg(neighbourhood("a", edges), [])
    assert "b DEPENDS_ON a" in drawn
    assert "a MENTIONS c" in drawn
    assert "a MENTIONS b" not in drawn


def test_an_edge_that_was_closed_when_time_began_is_drawn_as_closed() -> None:
    around = neighbourhood("a", [edge("a", "DEPENDS_ON", "b", until=0)])
    assert "closed: held once" in svg(around, [])
    assert "closed 1970-01-01" in svg(around, [])


def test_a_lone_node_is_drawn() -> None:
    assert ">A</text>" in svg(neighbourhood("a", []), [Node(0, "a", "A", "Thing", True)])


def test_a_line_ends_at_the_edge_of_a_label() -> None:
    boxes = place_nodes(
        [["a"], ["b", "c"]], {"b": "a", "c": "a"}, {"a": 40.0, "b": 60.0, "c": label_width("日本語 text")}
    ).boxes
    x, y = boxes["b"].border(0, 0)
    assert abs(x - boxes["b"].x) <= 30.01
    assert abs(y - boxes["b"].y) <= HEIGHT / 2 + 0.01
    assert boxes["a"].border(boxes["a"].x, boxes["a"].y) == (0.0, 0.0)
