"""Files that say things of the graph in, one after another; the rows that follow from all of them out."""

import random
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import apsw
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kits.graph_store import (
    EARLY,
    ELSEWHERE,
    HERE,
    NOW,
    SECRET,
    a_document,
    a_memory,
    around,
    claim,
    edge,
    index,
    mem,
    mention,
    rows,
    spec,
    tell,
)
from pellucid.clock import epoch_ms
from pellucid.model.entity import FOREVER, NO_FACTS, EntityFact, EntityState, GraphFacts, entity_id
from pellucid.model.ledger import LifecycleRow
from pellucid.store.index_changes import IndexRecord, IndexState, LedgerChange, PathChange
from pellucid.store.local.graph.writer import preferred_number
from pellucid.store.local.index.local_index import LocalIndex

__all__ = ["index"]

TABLES = ("nodes", "states", "sources", "documents", "entity_facts", "edges", "claims", "aliases", "homes")


def emptied(tmp_path: Path) -> bool:
    return all(rows(tmp_path, table) == [] for table in TABLES)


def test_a_file_that_names_nothing_leaves_no_row_of_the_graph(index: LocalIndex, tmp_path: Path) -> None:
    tell(index, "a.md", NO_FACTS)
    assert emptied(tmp_path)
    assert rows(tmp_path, "graph_segments") == []


def test_what_a_file_says_is_found_as_it_says_it(index: LocalIndex) -> None:
    facts = GraphFacts(
        entities=(spec(1), mention(2, since=5)),
        edges=(edge("spec-1", "spec-2", section="Depends on", confidence=0.95, anchor="3", recorded=9),),
        claims=(claim("spec-1", "status", "Draft", 0, 10),),
        aliases=(("the-first", "spec-1"),),
        homes=((mem(1), "spec-1"),),
    )
    tell(index, "a.md", facts, [a_memory(1)], document=a_document())
    assert index.graph.facts("a.md") == facts
    assert [(each.path, each.document) for each in index.graph.documents(HERE)] == [("a.md", a_document())]
    assert index.graph.documents(ELSEWHERE) == []
    assert index.graph.facts("b.md") == NO_FACTS


def test_a_file_replaces_all_that_it_said(index: LocalIndex, tmp_path: Path) -> None:
    first = GraphFacts((spec(1), mention(2)), (edge("spec-1", "spec-2"),), (claim("spec-1", "status", "Draft"),))
    then = GraphFacts((spec(1), mention(3)), (edge("spec-1", "spec-3"),))
    tell(index, "a.md", first)
    tell(index, "a.md", then)
    assert index.graph.facts("a.md") == then
    assert [node.key for node in index.graph.entities(HERE)] == ["spec-1", "spec-3"]
    assert around(index, "SPEC-1") == [("spec-1", True, "DEPENDS_ON", "spec-3")]
    tell(index, "a.md", NO_FACTS)
    assert emptied(tmp_path)


def test_what_nobody_speaks_of_any_more_goes_and_what_others_speak_of_stays(index: LocalIndex, tmp_path: Path) -> None:
    tell(index, "a.md", GraphFacts((spec(1, type="Ordinance"), mention(2)), (edge("spec-1", "spec-2"),)))
    tell(index, "b.md", GraphFacts((mention(2, name="Spec Two"),)))
    tell(index, "a.md", None)
    assert [(node.key, node.name, node.type, node.defined) for node in index.graph.entities(HERE)] == [
        ("spec-2", "Spec Two", "Specification", False)
    ]
    assert "Ordinance" not in {name for name, _ in rows(tmp_path, "entity_types")}
    tell(index, "b.md", None)
    assert emptied(tmp_path)


def test_the_target_of_an_edge_is_a_node_by_the_look_of_its_key(index: LocalIndex) -> None:
    targets = ["spec-2", "adr-18", "the cache", mem(9), f"ep_{8:032x}"]
    tell(index, "a.md", GraphFacts((spec(1),), tuple(edge("spec-1", target) for target in targets)))
    found = {node.key: (node.name, node.type, node.defined) for node in index.graph.entities(HERE)}
    assert found == {
        "spec-1": ("SPEC-001", "Specification", True),
        "spec-2": ("SPEC-2", "Specification", False),
        "adr-18": ("ADR-18", "Decision", False),
        "the cache": ("the cache", "Thing", False),
    }
    memory = index.graph.entity(HERE, mem(9))
    assert memory is not None
    assert (memory.key, memory.type, memory.defined) == (mem(9), "Memory", False)
    assert index.graph.states(HERE, mem(9)) == ()


def test_a_memory_that_is_there_is_defined_though_nothing_it_says_is_of_the_graph(index: LocalIndex) -> None:
    tell(index, "new.md", GraphFacts((), (edge(mem(2), mem(1), "SUPERSEDES", by=2),)), [a_memory(2)])
    assert index.graph.entity(HERE, mem(1)).defined is False  # type: ignore[union-attr]
    tell(index, "old.md", NO_FACTS, [a_memory(1)])
    assert index.graph.entity(HERE, mem(1)).defined is True  # type: ignore[union-attr]


def test_the_file_that_defines_an_entity_names_it_and_else_the_first_that_speaks_of_it(index: LocalIndex) -> None:
    tell(index, "b.md", GraphFacts((mention(1, since=20, name="Spec One"),)))
    tell(index, "a.md", GraphFacts((mention(1, since=30, name="spec 1"),)))
    assert [(each.name, each.type) for each in index.graph.entities(HERE)] == [("Spec One", "Specification")]
    tell(index, "c.md", GraphFacts((spec(1, since=40, type="Standard"),)))
    (node,) = index.graph.entities(HERE)
    assert (node.name, node.type, node.defined) == ("SPEC-001", "Standard", True)
    assert [each.key for each in index.graph.entities(HERE, ["Standard"])] == ["spec-1"]
    assert index.graph.entities(HERE, ["Person"]) == []
    tell(index, "c.md", None)
    assert [(each.name, each.type) for each in index.graph.entities(HERE)] == [("Spec One", "Specification")]


def test_an_entity_has_one_chain_of_states_from_all_files(index: LocalIndex) -> None:
    tell(index, "a.md", GraphFacts((spec(1, since=10),), claims=(claim("spec-1", "status", "Draft", 10, 20),)))
    tell(index, "b.md", GraphFacts((mention(1, since=5),), claims=(claim("spec-1", "owner", "Ada", 15),)))
    assert index.graph.states(HERE, "spec-1") == (
        EntityState(5, 10, {}, "created"),
        EntityState(10, 15, {"status": "Draft"}, "changed", mem(1)),
        EntityState(15, 20, {"owner": "Ada", "status": "Draft"}, "changed", mem(1)),
        EntityState(20, FOREVER, {"owner": "Ada"}, "changed"),
    )
    assert len(index.graph.claims(HERE, "spec-1")) == 2
    tell(index, "a.md", None)
    assert index.graph.states(HERE, "spec-1") == (
        EntityState(5, 15, {}, "created"),
        EntityState(15, FOREVER, {"owner": "Ada"}, "changed", mem(1)),
    )


def test_a_chain_ends_when_nobody_speaks_of_the_entity_any_longer(index: LocalIndex) -> None:
    tell(index, "a.md", GraphFacts((spec(1, 10, 50),)))
    assert index.graph.states(HERE, "spec-1") == (EntityState(10, 50, {}, "created"),)
    tell(index, "b.md", GraphFacts((mention(1, since=20),)))
    assert index.graph.states(HERE, "spec-1") == (EntityState(10, FOREVER, {}, "created"),)


def test_an_entity_that_edges_alone_speak_of_begins_with_the_first(index: LocalIndex) -> None:
    edges = (edge("spec-1", "spec-2", valid_from=30), edge("spec-1", "spec-2", valid_from=20, valid_until=25))
    tell(index, "a.md", GraphFacts((spec(1),), edges))
    assert index.graph.states(HERE, "spec-2") == (EntityState(20, FOREVER, {}, "created"),)


def test_an_interval_that_holds_nothing_is_passed_over(index: LocalIndex) -> None:
    facts = GraphFacts(
        (spec(1),),
        (edge("spec-1", "spec-2", valid_from=5, valid_until=5), edge("spec-1", "spec-3", valid_from=5, valid_until=4)),
        (claim("spec-1", "status", "Draft", 7, 7),),
    )
    tell(index, "a.md", facts)
    assert index.graph.facts("a.md") == GraphFacts((spec(1),))


def test_what_a_memory_says_that_another_file_holds_is_left_out(index: LocalIndex) -> None:
    said = GraphFacts(
        (spec(1),), (edge(mem(1), "spec-1", "ABOUT"),), (claim("spec-1", "a", "b"),), homes=((mem(1), mem(1)),)
    )
    tell(index, "a.md", said, [a_memory(1)])
    assert tell(index, "b.md", said, [a_memory(1)]) == {mem(1): "a.md"}
    assert index.graph.facts("b.md") == GraphFacts((spec(1),))
    assert index.graph.facts("a.md") == said


def test_a_file_that_moves_to_another_namespace_takes_its_facts_along(index: LocalIndex, tmp_path: Path) -> None:
    facts = GraphFacts((spec(1), mention(2)), (edge("spec-1", "spec-2"),))
    tell(index, "a.md", facts, [a_memory(1)])
    tell(index, "a.md", facts, [a_memory(1, namespace=ELSEWHERE)])
    assert index.graph.entities(HERE) == []
    assert [node.key for node in index.graph.entities(ELSEWHERE)] == ["spec-1", "spec-2"]
    assert len(rows(tmp_path, "nodes")) == 2
    assert index.graph.facts("a.md") == facts


def test_two_nodes_of_one_number_are_two_nodes(index: LocalIndex, tmp_path: Path) -> None:
    tell(index, "z.md", GraphFacts((spec(9),)))
    number = preferred_number(HERE, "spec-2")
    with closing(apsw.Connection(str(tmp_path / "index.db"))) as connection:
        connection.execute(f"""
            BEGIN; PRAGMA defer_foreign_keys = 1; UPDATE nodes SET node = {number}; UPDATE states SET node = {number};
            UPDATE entity_facts SET node = {number}; COMMIT""")
    tell(index, "a.md", GraphFacts((spec(1), spec(2), spec(3)), (edge("spec-1", "spec-2"), edge("spec-3", "spec-1"))))
    assert around(index, "spec-1") == [
        ("spec-1", False, "DEPENDS_ON", "spec-3"),
        ("spec-1", True, "DEPENDS_ON", "spec-2"),
    ]
    place = {node.key: node.number - number for node in index.graph.entities(HERE)}
    assert (place["spec-9"], place["spec-2"]) == (0, 1)
    ids = [entity_id(HERE, f"spec-{number}", SECRET) for number in (1, 2, 3, 4)]
    assert index.graph.named(HERE, ids) == {ids[0]: "SPEC-001", ids[1]: "SPEC-002", ids[2]: "SPEC-003"}


def _some_facts(rng: random.Random, path: int) -> GraphFacts:
    """What a made-up file says of five specifications."""
    others = [rng.randrange(5) for _ in range(rng.randrange(4))]
    facts = [mention(n, since=rng.randrange(9), name=f"spec {n}") for n in set(others)]
    if rng.random() < 0.5:
        facts = [each for each in facts if each.key != f"spec-{path}"]
        facts.append(spec(path, rng.randrange(9), rng.choice([FOREVER, 20]), type=rng.choice(["Document", "Law"])))
    edges = {edge(f"spec-{path}", f"spec-{n}", by=path, valid_from=rng.randrange(9), anchor=str(n)) for n in others}
    claims = {claim(f"spec-{n}", "status", rng.choice("ab"), rng.randrange(9), memory_id=mem(path)) for n in others}
    aliases = {(rng.choice(["one", "other"]), f"spec-{n}") for n in others[:1]}
    homes = ((mem(path), f"spec-{path}"),) if others else ()
    return GraphFacts(tuple(facts), tuple(edges), tuple(claims), tuple(aliases), homes)


def _fold(index: LocalIndex, path: int, facts: GraphFacts | None) -> None:
    tell(index, f"{path}.md", facts, [a_memory(path)])


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_the_graph_is_the_same_whatever_was_said_before_and_in_which_order(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    rng = random.Random(seed)
    final = {path: _some_facts(rng, path) if rng.random() < 0.7 else None for path in range(5)}
    changes: list[tuple[int, GraphFacts | None]] = [
        (path, _some_facts(rng, path) if rng.random() < 0.7 else None) for path in range(5) for _ in range(2)
    ]
    rng.shuffle(changes)
    last = [*final.items()]
    rng.shuffle(last)
    long, short = tmp_path_factory.mktemp("long"), tmp_path_factory.mktemp("short")
    worn, fresh = LocalIndex(long / "index.db"), LocalIndex(short / "index.db")
    for path, facts in [*changes, *last]:
        _fold(worn, path, facts)
        assert [state for each in worn.graph.entities(HERE) if not (state := worn.graph.states(HERE, each.key))] == []
    records = {path: (IndexRecord(a_memory(path), 0, b"x" * 16, None),) for path in final}
    together = [
        PathChange(f"{path}.md", "d", 1, 1, "op_1", records[path], facts=facts)
        for path, facts in final.items()
        if facts is not None
    ]
    fresh.apply(together, IndexState(1, "", ""))
    assert rows(long, "nodes") == rows(short, "nodes")
    assert rows(long, "states") == rows(short, "states")
    assert rows(long, "entity_types") == rows(short, "entity_types")
    assert index_sees(worn) == index_sees(fresh)
    worn.close()
    fresh.close()


def index_sees(index: LocalIndex) -> list[object]:
    """What both ports say of the graph; order and numbers included."""
    with index.reading(HERE) as reader:
        nodes = reader.graph.find([f"spec-{n}" for n in range(5)] + ["one", "other"])
        steps = reader.graph.around(np.array([node.number for node in nodes], dtype=np.int64), NOW, 0.0)
        edges = reader.graph.edges(steps.edge)
        here, there = steps.here.tolist(), steps.there.tolist()
    return [nodes, here, there, steps.forward.tolist(), steps.edge.tolist(), edges, index.graph.edges(HERE)]


def test_entity_facts_of_one_name_and_instant_stand_once(index: LocalIndex) -> None:
    twice = (mention(1, since=3), EntityFact("spec-1", "spec 1", "Specification", since=3, until=9))
    tell(index, "a.md", GraphFacts(twice))
    assert len(index.graph.facts("a.md").entities) == 1


def test_no_byte_of_what_a_file_said_stays_when_it_is_gone(index: LocalIndex, tmp_path: Path) -> None:
    words = [
        "Zanzibar",
        "zanzibar-key",
        "Ordinance-Q",
        "Vermilion",
        "Chartreuse",
        "Kayak",
        "Staircase",
        "Ottilie",
        "/cellar",
        "Parchment",
        "spyglass.md",
    ]
    facts = GraphFacts(
        (EntityFact("zanzibar-key", "Zanzibar", "Ordinance-Q", defines=True),),
        (edge("zanzibar-key", "vermilion", section="Chartreuse"), edge("zanzibar-key", "spec-1", anchor="Kayak")),
        (claim("zanzibar-key", "Staircase", "Ottilie"), claim("zanzibar-key", "mood", "Vermilion")),
        (("spyglass.md", "zanzibar-key"),),
        ((mem(1), "zanzibar-key"),),
    )
    sections = [a_memory(1, category="section", content="Zanzibar: Parchment › Chartreuse")]
    document = a_document(title="Parchment", root="/cellar")
    tell(index, "b.md", GraphFacts((mention(1),)))
    tell(index, "a.md", facts, sections, document=document)
    around(index, "zanzibar-key")
    index.scrub()
    there = (tmp_path / "index.db").read_bytes()
    assert [word for word in words if word.encode() not in there] == []
    tell(index, "a.md", None)
    index.scrub()
    left = b"".join(path.read_bytes() for path in tmp_path.glob("index.db*"))
    assert [word for word in words if word.casefold().encode() in left.lower()] == []
    assert mem(1).encode() not in left
    assert [node.key for node in index.graph.entities(HERE)] == ["spec-1"]


def test_a_claim_that_holds_again_gives_way_to_one_that_began_later(index: LocalIndex) -> None:
    """Of two memories the older is retracted and restored: the newer goes on to say what is so."""
    start = epoch_ms(EARLY)
    older, newer = a_memory(1, created=EARLY), a_memory(2, created=EARLY)
    says = (claim("crane", "lifts", "forty", start), claim("crane", "lifts", "fifty", start + 20, memory_id=mem(2)))
    tell(index, "a.md", GraphFacts((EntityFact("crane", "Crane", since=start),), claims=says), [older, newer])
    rows = [
        LifecycleRow(
            event_id=f"evt_{number}",
            memory_id=mem(1),
            namespace=HERE,
            event_type="archived",
            actor="user",
            timestamp=EARLY + timedelta(milliseconds=at),
            before={"status": before},
        )
        for number, (at, before) in enumerate([(10, "active"), (30, "archived")], start=1)
    ]
    index.apply([], IndexState(1, "", "", 2), [LedgerChange(number, row) for number, row in enumerate(rows, 1)])
    found = [(each.valid_from - start, each.props) for each in index.graph.states(HERE, "crane")]
    assert found == [(0, {"lifts": "forty"}), (10, {}), (20, {"lifts": "fifty"})]
    pieces = [(each.value, each.valid_from - start) for each in index.graph.claims(HERE, "crane")]
    assert pieces == [("forty", 0), ("fifty", 20)]
