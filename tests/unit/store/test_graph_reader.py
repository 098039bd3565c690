"""A folded graph in; nodes by name, the edges around them at an instant, and the rows that answer for them out."""

import random
from dataclasses import replace
from datetime import timedelta
from threading import Thread

import numpy as np
import pytest

from kits.graph_store import (
    AT,
    EARLY,
    ELSEWHERE,
    HERE,
    NOW,
    a_document,
    a_memory,
    around,
    edge,
    index,
    mem,
    mention,
    spec,
    tell,
)
from pellucid.model.document import HeaderVersion
from pellucid.model.entity import EDGE_TYPES, FOREVER, Edge, GraphFacts
from pellucid.store.graph_port import Steps
from pellucid.store.index_port import Admission, IndexReader
from pellucid.store.local.index.local_index import LocalIndex

__all__ = ["index"]


def found(index: LocalIndex, *names: str) -> list[str]:
    with index.reading(HERE) as reader:
        return [node.key for node in reader.graph.find(names)]


def numbers(reader: IndexReader, *names: str) -> np.ndarray:
    return np.array([node.number for node in reader.graph.find(names)], dtype=np.int64)


def test_nodes_are_found_by_any_way_to_write_their_name_in_order_and_once(index: LocalIndex) -> None:
    tell(index, "a.md", GraphFacts((spec(1), spec(54), mention(2)), (edge(mem(1), "spec-1", "ABOUT"),)))
    assert found(index, "Spec #54", "spec 001", "SPEC-054", "nothing", "", mem(1), f" {mem(1)} ") == [
        "spec-54",
        "spec-1",
        mem(1),
    ]
    assert found(index) == []
    with index.reading(ELSEWHERE) as reader:
        assert reader.graph.find(["SPEC-1"]) == []
    with index.reading("no/where") as reader:
        assert reader.graph.find(["SPEC-1"]) == []
        assert len(reader.graph.around(np.array([1, 2]), NOW, 0.0).here) == 0
        assert len(reader.graph.homes(np.array([1, 2])).rows) == 0


def test_another_name_leads_to_its_entity_unless_a_file_defines_it_or_two_claim_it(index: LocalIndex) -> None:
    tell(index, "a.md", GraphFacts((spec(1),), aliases=(("the-first", "spec-1"), ("spec-2", "spec-1"))))
    assert found(index, "The  First") == ["spec-1"]
    assert found(index, "spec 2") == ["spec-1"]
    tell(index, "b.md", GraphFacts((mention(2),)))
    assert found(index, "spec 2", "the first") == ["spec-1"]
    tell(index, "b.md", GraphFacts((spec(2),)))
    assert found(index, "spec 2") == ["spec-2"]
    tell(index, "c.md", GraphFacts((spec(3),), aliases=(("the-first", "spec-3"),)))
    assert found(index, "the first") == []
    tell(index, "c.md", None)
    assert found(index, "the first") == ["spec-1"]


def test_edges_to_another_name_of_an_entity_are_edges_to_the_entity(index: LocalIndex) -> None:
    tell(index, "a.md", GraphFacts((spec(1),), aliases=(("the-first", "spec-1"),), homes=((mem(1), "spec-1"),)))
    tell(index, "b.md", GraphFacts((spec(2),), (edge("spec-2", "the-first", by=2),)), [a_memory(2)])
    step = ("spec-1", False, "DEPENDS_ON", "spec-2")
    assert around(index, "spec-1") == [step]
    assert around(index, "the first") == [step]
    with index.reading(HERE) as reader:
        steps = reader.graph.around(numbers(reader, "spec-1"), NOW, 0.0)
        assert reader.graph.edges(steps.edge) == [edge("spec-2", "spec-1", by=2)]
    assert [each.edge.target for each in index.graph.edges(HERE, ["spec-1"])] == ["spec-1"]
    assert [each.edge.target for each in index.graph.edges(HERE, ["the-first"])] == ["spec-1"]
    assert index.graph.facts("b.md").edges == (edge("spec-2", "the-first", by=2),)
    tell(index, "c.md", GraphFacts((mention(7), spec(8)), aliases=(("the-first", "spec-8"),)))  # of two: of neither
    assert around(index, "spec-1") == []
    assert around(index, "spec-2") == [("spec-2", True, "DEPENDS_ON", "the-first")]


@pytest.mark.parametrize(
    ("admission", "kept"),
    [
        (Admission(10), "open closing"),
        (Admission(20), "open"),
        (Admission(9), ""),
        (Admission(10, known=5), "open closing"),
        (Admission(10, known=4), "closing"),
        (Admission(25, known=15), "open closing"),  # that it would end was not yet written down
        (Admission(25, known=20), "open"),
        (Admission(15, past=True), "open closing"),
    ],
)
def test_only_edges_that_hold_at_the_instant_and_are_known_are_walked(
    index: LocalIndex, admission: Admission, kept: str
) -> None:
    edges = (
        edge("spec-1", "open", by=7, valid_from=10, recorded=5),
        edge("spec-1", "closing", by=8, valid_from=10, valid_until=20, recorded=3),
    )
    tell(index, "a.md", GraphFacts((spec(1),), edges))  # no row is of memory 7 or 8: nothing is known against them
    assert sorted(kept.split()) == sorted(step[3] for step in around(index, "spec-1", admission=admission))


def test_edges_below_the_floor_are_not_walked(index: LocalIndex) -> None:
    edges = [edge("spec-1", f"spec-{n}", confidence=n / 10) for n in range(2, 11)]
    tell(index, "a.md", GraphFacts((spec(1),), tuple(edges)))
    assert len(around(index, "spec-1", floor=0.2)) == 9
    assert len(around(index, "spec-1", floor=0.5)) == 6
    assert len(around(index, "spec-1", floor=1.0)) == 1


@pytest.mark.parametrize(
    "given",
    [
        {"status": "archived"},
        {"status": "retracted"},
        {"trust_zone": "quarantine"},
        {"scopes": ("private",)},
        {"invalid_at": EARLY.replace(year=2002)},
    ],
)
def test_what_a_memory_says_that_may_not_answer_is_not_walked(index: LocalIndex, given: dict[str, object]) -> None:
    tell(index, "a.md", GraphFacts((), (edge(mem(1), "spec-1", "ABOUT"),)), [a_memory(1, **given)])
    assert around(index, "spec-1") == []
    tell(index, "a.md", GraphFacts((), (edge(mem(1), "spec-1", "ABOUT"),)), [a_memory(1)])
    assert around(index, "spec-1") == [("spec-1", False, "ABOUT", mem(1))]
    granted = replace(NOW, granted=1 << 1)
    tell(index, "a.md", GraphFacts((), (edge(mem(1), "spec-1", "ABOUT"),)), [a_memory(1, scopes=("private",))])
    assert around(index, "spec-1", admission=granted) == [("spec-1", False, "ABOUT", mem(1))]
    only = replace(NOW, only=np.zeros(0, dtype=np.int64), since=AT)
    tell(index, "a.md", GraphFacts((), (edge(mem(1), "spec-1", "ABOUT"),)), [a_memory(1)])
    assert len(around(index, "spec-1", admission=only)) == 1, "filters limit what may answer, not the way to it"


def plain(edges: list[Edge], keys: set[str], admission: Admission, floor: float) -> list[tuple[str, bool, str, str]]:
    out = []
    for each in edges:
        until = FOREVER if admission.known is not None and each.valid_until > admission.known else each.valid_until
        known = admission.known is None or each.recorded <= admission.known
        if each.valid_from <= admission.at < until and each.confidence >= floor and known:
            out += [(each.source, True, each.type, each.target)] if each.source in keys else []
            out += [(each.target, False, each.type, each.source)] if each.target in keys else []
    return sorted(out)


@pytest.mark.parametrize("seed", range(4))
def test_the_edges_around_some_nodes_are_those_that_plain_python_finds(index: LocalIndex, seed: int) -> None:
    """Over several blocks and rewritten files; and in the same order, whatever the order of the nodes."""
    rng = random.Random(seed)
    held: dict[int, list[Edge]] = {}
    for _ in range(150):
        path = rng.randrange(100)
        held[path] = [
            edge(
                f"spec-{path}",
                f"spec-{other}",
                rng.choice(EDGE_TYPES[:7]),
                by=path,
                confidence=rng.choice([0.1, 0.5]),
                valid_from=rng.randrange(20),
                valid_until=rng.choice([20, 30, FOREVER]),
                recorded=rng.randrange(40),
            )
            for other in rng.choices(range(100), k=rng.randrange(5))
            if other != path
        ]
        tell(index, f"{path}.md", GraphFacts((spec(path),), tuple(held[path])), [a_memory(1000 + path)])
        if rng.random() < 0.1:
            around(index, "spec-1")  # warm in between
    every = [each for edges in held.values() for each in dict.fromkeys(edges)]
    for at, known in ((5, None), (25, None), (25, 22), (35, 10)):
        names = [f"spec-{n}" for n in rng.choices(range(100), k=12)]
        admission = Admission(at, known=known, past=True)
        assert around(index, *names, admission=admission, floor=0.3) == plain(every, set(names), admission, 0.3)
    with index.reading(HERE) as reader:
        nodes = numbers(reader, *(f"spec-{n}" for n in range(0, 100, 3)))
        steps = reader.graph.around(nodes, NOW, 0.0)
        mixed = reader.graph.around(np.r_[nodes[::-1], nodes], NOW, 0.0)
        from_them, to_them = (reader.graph.around(nodes, NOW, 0.0, out=out) for out in (True, False))
        quiet = reader.graph.around(nodes, NOW, 0.0, max_edges=2)
    order = np.lexsort((steps.edge, steps.type, steps.there, steps.forward, steps.here))
    assert order.tolist() == list(range(len(steps.here)))
    assert from_them.edge.tolist() == steps.edge[steps.forward].tolist()
    assert to_them.edge.tolist() == steps.edge[~steps.forward].tolist()
    assert set(quiet.here.tolist()) < set(steps.here.tolist())
    for name in Steps.__slots__:
        assert getattr(steps, name).tolist() == getattr(mixed, name).tolist()


def test_rows_that_answer_for_nodes_are_sections_of_documents_and_memories_themselves(index: LocalIndex) -> None:
    sections = [
        a_memory(1, category="section", content="SPEC-1: Title 1 › Ground › Depends on\n\nSPEC-2 › and more"),
        a_memory(2, category="section", content="SPEC-1: Title 1\n\nstatus: Draft"),
        a_memory(3, category="section", content="SPEC-1: Title 1 › Ground\n\ntext"),
    ]
    said = GraphFacts((spec(1),), homes=tuple((each.id, "spec-1") for each in sections))
    tell(index, "a.md", said, sections, document=a_document(title="Title 1"))
    tell(
        index,
        "b.md",
        GraphFacts((), (edge(mem(4), mem(5), "SUPERSEDES", by=4),), homes=((mem(4), mem(4)),)),
        [a_memory(4)],
    )
    tell(index, "c.md", GraphFacts(), [a_memory(5)])
    with index.reading(HERE) as reader:
        nodes = numbers(reader, "spec-1", mem(4), mem(5))
        homes = reader.graph.homes(nodes[::-1])
        by_row = [each.memory.id for each in reader.memories(homes.rows)]
        key = {node.number: node.key for node in reader.graph.nodes(nodes)}
        assert {(key[node], by) for node, by in zip(homes.nodes.tolist(), by_row, strict=True)} == {
            ("spec-1", mem(1)),
            ("spec-1", mem(2)),
            ("spec-1", mem(3)),
            (mem(4), mem(4)),
            (mem(5), mem(5)),
        }
        assert homes.nodes.tolist() == sorted(homes.nodes.tolist())
        headings = dict(zip(by_row, reader.graph.headings(homes.rows), strict=True))
    assert headings == {mem(1): "Depends on", mem(2): "", mem(3): "Ground", mem(4): "", mem(5): ""}


def test_a_title_with_the_sign_of_a_trail_is_no_heading(index: LocalIndex) -> None:
    title = "From a › to b"
    sections = [
        a_memory(1, category="section", content=f"SPEC-1: {title}\n\nstatus: Draft"),
        a_memory(2, category="section", content=f"SPEC-1: {title} › Why\n\ntext"),
    ]
    said = GraphFacts((spec(1),), homes=tuple((each.id, "spec-1") for each in sections))
    tell(index, "a.md", said, sections, document=a_document(title=title))
    with index.reading(HERE) as reader:
        homes = reader.graph.homes(numbers(reader, "spec-1"))
        assert sorted(reader.graph.headings(homes.rows)) == ["", "Why"]


def test_a_section_that_is_older_than_its_documents_title_keeps_its_heading(index: LocalIndex) -> None:
    later = EARLY + timedelta(days=1)
    sections = [
        a_memory(1, category="section", content="SPEC-1: Old title › Ground › Why\n\ntext", valid_at=EARLY),
        a_memory(2, category="section", content="SPEC-1: New title › Ground\n\ntext", valid_at=later),
        a_memory(3, category="section", content="SPEC-1: Old title\n\ntext", valid_at=EARLY),
    ]
    versions = [
        HeaderVersion(id=mem(number), valid_from=at, values={"title": title})
        for number, at, title in ((8, EARLY, "Old title"), (9, later, "New title"))
    ]
    said = GraphFacts((spec(1),), homes=tuple((each.id, "spec-1") for each in sections))
    tell(index, "a.md", said, sections, document=a_document(title="New title", versions=versions))
    with index.reading(HERE) as reader:
        homes = reader.graph.homes(numbers(reader, "spec-1"))
        by_row = [each.memory.id for each in reader.memories(homes.rows)]
        headings = dict(zip(by_row, reader.graph.headings(homes.rows), strict=True))
    assert headings == {mem(1): "Why", mem(2): "Ground", mem(3): ""}


def test_a_write_elsewhere_in_the_graph_is_seen_by_the_next_reading_and_not_by_an_open_one(index: LocalIndex) -> None:
    tell(index, "a.md", GraphFacts((spec(1),), (edge("spec-1", "spec-2"),)))
    with index.reading(HERE) as reader:
        nodes = numbers(reader, "spec-1")
        writer = Thread(target=tell, args=(index, "b.md", GraphFacts((spec(3),), (edge("spec-3", "spec-1", by=3),))))
        writer.start()
        writer.join()
        assert len(reader.graph.around(nodes, NOW, 0.0).here) == 1
    assert len(around(index, "spec-1")) == 2
    tell(index, "b.md", None)
    assert len(around(index, "spec-1")) == 1


def test_only_what_changed_is_read_again(index: LocalIndex) -> None:
    for number in range(130):
        tell(index, f"{number}.md", GraphFacts((spec(number),), (edge(f"spec-{number}", "spec-0x"),)))
    around(index, "spec-1")
    (warm,) = index._warm.held.values()
    held = warm.graph._blocks
    tell(index, "129.md", GraphFacts((spec(129),)))
    around(index, "spec-1")
    fresh = warm.graph._blocks
    assert [fresh[seg] is held[seg] for seg in sorted(held)] == [True, True, False]
    tell(index, "plain.md", GraphFacts())
    view = warm.graph._view
    around(index, "spec-1")
    assert warm.graph._view is view, "what says nothing of the graph changes none of it"


def test_threads_share_one_graph(index: LocalIndex) -> None:
    tell(index, "a.md", GraphFacts((spec(1),), tuple(edge("spec-1", f"spec-{n}") for n in range(2, 40))))
    seen: list[int] = []

    def walk() -> None:
        seen.extend(len(around(index, "spec-1")) for _ in range(20))

    threads = [Thread(target=walk) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [38] * 80
