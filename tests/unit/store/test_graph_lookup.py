"""Exact questions about a folded graph in, whole answers out."""

from kits.graph_store import ELSEWHERE, HERE, SECRET, a_document, a_memory, claim, edge, index, mem, mention, spec, tell
from pellucid.model.entity import FOREVER, EntityState, GraphFacts, entity_id
from pellucid.store.local.index.local_index import LocalIndex

__all__ = ["index"]


def test_states_are_told_as_they_were_known_at_an_instant(index: LocalIndex) -> None:
    claims = (
        claim("spec-1", "status", "Draft", 10, 20, recorded=12),
        claim("spec-1", "status", "Final", 20, recorded=21),
    )
    tell(index, "a.md", GraphFacts((spec(1, since=10),), claims=claims))
    draft, final = {"status": "Draft"}, {"status": "Final"}
    assert index.graph.states(HERE, "spec-1") == (
        EntityState(10, 20, draft, "created", mem(1)),
        EntityState(20, FOREVER, final, "changed", mem(1)),
    )
    assert index.graph.states(HERE, "spec-1", known=21) == index.graph.states(HERE, "spec-1")
    assert index.graph.states(HERE, "spec-1", known=15) == (EntityState(10, FOREVER, draft, "created", mem(1)),)
    assert index.graph.states(HERE, "spec-1", known=11) == ()
    assert index.graph.states(ELSEWHERE, "spec-1") == ()
    assert index.graph.states(HERE, "spec-9") == index.graph.states(HERE, "spec-9", known=99) == ()


def test_what_an_edge_speaks_of_is_known_once_the_edge_is(index: LocalIndex) -> None:
    tell(
        index,
        "a.md",
        GraphFacts((spec(1, 5), mention(2, since=5)), (edge("spec-1", "spec-2", valid_from=5, recorded=30),)),
    )
    assert index.graph.states(HERE, "spec-2", known=29) == ()
    assert index.graph.states(HERE, "spec-2", known=30) == (EntityState(5, FOREVER, {}, "created"),)


def test_the_end_of_an_entity_is_known_only_from_then_on(index: LocalIndex) -> None:
    facts = GraphFacts((spec(1, 10, 50),), claims=(claim("spec-1", "a", "b", 10, 50, recorded=10),))
    tell(index, "a.md", facts)
    assert index.graph.states(HERE, "spec-1", known=49)[-1].valid_until == FOREVER
    assert index.graph.states(HERE, "spec-1", known=50)[-1].valid_until == 50


def test_edges_are_told_with_the_file_that_says_them_closed_ones_too(index: LocalIndex) -> None:
    first, second = edge("spec-1", "spec-2", valid_until=5), edge("spec-3", "spec-1", "IMPLEMENTS", by=3)
    tell(index, "b.md", GraphFacts((spec(3),), (second,)))
    tell(index, "a.md", GraphFacts((spec(1),), (first,)))
    every = [(each.path, each.edge) for each in index.graph.edges(HERE)]
    assert every == [("a.md", first), ("b.md", second)]
    assert [each.edge for each in index.graph.edges(HERE, ["spec-1"])] == [first, second]
    assert [each.edge for each in index.graph.edges(HERE, ["spec-2", "spec-2"])] == [first]
    assert [each.edge for each in index.graph.edges(HERE, types=["IMPLEMENTS"])] == [second]
    assert index.graph.edges(HERE, ["spec-2"], ["IMPLEMENTS"]) == []
    assert index.graph.edges(HERE, []) == index.graph.edges(HERE, ["nobody"]) == index.graph.edges(ELSEWHERE) == []


def test_a_node_is_found_by_name_alias_or_id(index: LocalIndex) -> None:
    tell(index, "a.md", GraphFacts((spec(1),), (edge(mem(1), "spec-1", "ABOUT"),), aliases=(("the-first", "spec-1"),)))
    for name, key in (("Spec 001", "spec-1"), ("the  First", "spec-1"), (mem(1), mem(1))):
        node = index.graph.entity(HERE, name)
        assert node is not None
        assert node.key == key
    assert index.graph.entity(HERE, "nobody") is index.graph.entity(ELSEWHERE, "SPEC-1") is None
    ids = [
        entity_id(HERE, "spec-1", SECRET),
        entity_id(HERE, mem(1), SECRET),
        entity_id(HERE, "nobody", SECRET),
        entity_id(ELSEWHERE, "spec-1", SECRET),
        entity_id(HERE, "spec-1", b"another vault's"),
    ]
    assert index.graph.named(HERE, ids) == {ids[0]: "SPEC-001", ids[1]: mem(1)}
    assert index.graph.named(ELSEWHERE, ids) == {}


def test_documents_are_told_by_root_and_path_and_go_with_their_file(index: LocalIndex) -> None:
    for number, path, root in ((1, "b.md", "/y"), (2, "a.md", "/y"), (3, "z.md", "/x")):
        document = a_document(number, root=root, path=path)
        tell(index, f"documents/{number}.md", GraphFacts(), [a_memory(number)], document=document)
    assert [each.document.path for each in index.graph.documents(HERE)] == ["z.md", "a.md", "b.md"]
    tell(index, "documents/2.md", GraphFacts(), [a_memory(2)], document=a_document(2, root="/a", path="new.md"))
    tell(index, "documents/3.md", None)
    assert [(each.document.path, each.path) for each in index.graph.documents(HERE)] == [
        ("new.md", "documents/2.md"),
        ("b.md", "documents/1.md"),
    ]
