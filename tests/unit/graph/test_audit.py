"""Documents and edges in, what does not fit together out."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from random import Random
from types import MappingProxyType

import pytest

from pellucid.graph.audit import GraphProblem, SaidAt, audit, cycles
from pellucid.model.document import Document, HeaderVersion
from pellucid.model.entity import EDGE_TYPES, FOREVER, Edge, EdgeType
from pellucid.store.graph_port import FiledDocument, FiledEdge, Node

START = datetime(2026, 1, 1, tzinfo=UTC)
MEMORY = "mem_" + "1" * 32


def document(key: str, status: str = "Final", path: str = "", **fields: object) -> FiledDocument:
    version = HeaderVersion(id=MEMORY, valid_from=START, values={"Status": status})
    made = Document.model_validate(
        {
            "id": "doc_" + "2" * 32,
            "namespace": "local/default",
            "created": START,
            "updated": START,
            "path": path or f"specs/{key}.md",
            "root": "/docs",
            "format": "markdown",
            "digest": "0",
            "title": key,
            "entity": key.upper(),
            "versions": (version,),
        }
        | fields
    )
    return FiledDocument(made, f"documents/{path or key}.md")


def edge(
    source: str, kind: EdgeType, target: str, said_by: str = "", section: str = "Depends on", **ends: int
) -> FiledEdge:
    return FiledEdge(Edge(source, target, kind, MEMORY, section, 0.95, **ends), f"documents/{said_by or source}.md")


def found(
    edges: list[FiledEdge], *documents: FiledDocument, shared: Mapping[str, tuple[str, ...]] = MappingProxyType({})
) -> list[GraphProblem]:
    keys = sorted({end for filed in edges for end in (filed.edge.source, filed.edge.target)})
    nodes = [Node(number, key, key.upper(), "") for number, key in enumerate(keys) if not key.startswith("mem_")]
    return list(audit(nodes, edges, documents, shared))


def kinds(problems: list[GraphProblem]) -> list[tuple[str, str]]:
    return [(problem.kind, problem.subject) for problem in problems]


def test_what_fits_together_is_no_problem() -> None:
    edges = [
        edge("spec-2", "DEPENDS_ON", "spec-1"),
        edge("spec-3", "SUPERSEDES", "spec-4"),
        edge("spec-3", "SUPERSEDES", "spec-4", said_by="spec-4", section="superseded-by"),
    ]
    assert found(edges, *(document(f"spec-{number}") for number in range(1, 5))) == []


def test_a_target_that_nobody_defines_dangles_once_with_all_who_say_it() -> None:
    edges = [edge("spec-1", "DEPENDS_ON", "spec-9"), edge("spec-2", "MENTIONS", "spec-9", section="Plan")]
    (problem,) = found(edges, document("spec-1"), document("spec-2"))
    assert (problem.kind, problem.subject) == ("dangling", "SPEC-9")
    assert problem.what == "SPEC-1 depends on SPEC-9, SPEC-2 mentions SPEC-9; no document defines SPEC-9"
    assert problem.where == (
        SaidAt(path="documents/spec-1.md", section="Depends on", memory_id=MEMORY),
        SaidAt(path="documents/spec-2.md", section="Plan", memory_id=MEMORY),
    )
    assert problem.why
    assert 'call("document.index"' in problem.next_step


def test_a_name_that_two_documents_state_leads_to_neither_and_both_are_named() -> None:
    edges = [edge("spec-3", "DEPENDS_ON", "spec-2"), edge("spec-1", "DEPENDS_ON", "the-bell")]
    (problem,) = found(
        edges, *(document(f"spec-{number}") for number in (1, 2, 3)), shared={"the-bell": ("SPEC-2", "SPEC-3")}
    )
    assert (problem.kind, problem.subject) == ("dangling", "THE-BELL")
    assert problem.what == "SPEC-1 depends on THE-BELL; SPEC-2 and SPEC-3 are called THE-BELL"
    assert "by its id" in problem.next_step


def test_every_type_of_edge_is_said_in_words() -> None:
    for kind in EDGE_TYPES:
        (problem,) = found([edge("spec-1", kind, "spec-9")], document("spec-1"))
        assert not re.search("[A-Z]+_[A-Z]+", problem.what)


def test_a_problem_travels_as_it_is() -> None:
    (problem,) = found([], document("spec-1"))
    assert problem == GraphProblem.model_validate(problem.to_wire())
    assert problem.to_wire()["where"] == [{"path": "documents/spec-1.md", "section": "", "memoryId": ""}]
    assert list(problem.to_wire()) == ["kind", "subject", "what", "why", "nextStep", "where"]


def test_what_only_memories_name_is_owed_no_document() -> None:
    edges = [edge(MEMORY, "ABOUT", "pump-house"), edge(MEMORY, "MENTIONS", "spec-1")]
    assert found(edges, document("spec-1")) == []


def test_a_document_without_any_edge_is_an_orphan_and_closed_edges_do_not_count() -> None:
    edges = [edge("spec-1", "DEPENDS_ON", "spec-2", valid_until=5), edge("spec-3", "DEPENDS_ON", "spec-2")]
    assert kinds(found(edges, *(document(f"spec-{number}") for number in (1, 2, 3)))) == [("orphan", "SPEC-1")]


def test_a_removed_document_defines_nothing() -> None:
    gone = document("spec-2", removed_at=START + timedelta(days=1))
    assert kinds(found([edge("spec-1", "DEPENDS_ON", "spec-2")], document("spec-1"), gone)) == [("dangling", "SPEC-2")]


def test_two_that_supersede_each_other_contradict() -> None:
    edges = [edge("spec-1", "SUPERSEDES", "spec-2"), edge("spec-2", "SUPERSEDES", "spec-1")]
    problems = [each for each in found(edges, document("spec-1"), document("spec-2")) if each.kind == "contradictory"]
    assert [problem.what for problem in problems] == ["SPEC-1 supersedes SPEC-2 supersedes SPEC-1"]
    assert len(problems[0].where) == 2


def test_a_circle_of_dependencies_is_shown_whole() -> None:
    edges = [edge(f"spec-{one}", "DEPENDS_ON", f"spec-{other}") for one, other in ((1, 2), (2, 3), (3, 1), (3, 4))]
    (problem,) = found(edges, *(document(f"spec-{number}") for number in range(1, 5)))
    assert (problem.kind, problem.what) == (
        "contradictory",
        "SPEC-1 depends on SPEC-2 depends on SPEC-3 depends on SPEC-1",
    )


@pytest.mark.parametrize(
    "status", ["Withdrawn", "superseded by SPEC-7", "Deprecated (2026)", "Removed", "Ｒｅｔｉｒｅｄ"]
)
def test_standing_upon_what_no_longer_holds_is_a_contradiction(status: str) -> None:
    (problem,) = found([edge("spec-1", "DEPENDS_ON", "spec-2")], document("spec-1"), document("spec-2", status))
    assert (problem.kind, problem.subject) == ("contradictory", "SPEC-1")
    assert status.partition(" ")[0].casefold() in problem.what
    assert "2026" not in problem.what
    assert (
        found([edge("spec-1", "DEPENDS_ON", "spec-2")], document("spec-1", "Withdrawn"), document("spec-2", status))
        == []
    )


def test_standing_upon_what_was_superseded_is_a_contradiction() -> None:
    edges = [
        edge("spec-1", "DEPENDS_ON", "spec-2"),
        edge("spec-3", "SUPERSEDES", "spec-2"),
        edge("spec-3", "SUPERSEDES", "spec-2", said_by="spec-2", section="superseded-by"),
    ]
    (problem,) = found(edges, *(document(f"spec-{number}") for number in (1, 2, 3)))
    assert problem.what == "SPEC-1 depends on SPEC-2, which is superseded by SPEC-3"


def test_two_documents_of_one_id_contradict() -> None:
    problems = found(
        [edge("spec-1", "DEPENDS_ON", "spec-2")],
        document("spec-1"),
        document("spec-2"),
        document("spec-2", path="copy.md"),
    )
    assert [problem.what for problem in problems] == ["2 documents define SPEC-2: copy.md, specs/spec-2.md"]


@pytest.mark.parametrize(
    ("said_by", "silent", "line"),
    [("spec-2", "SPEC-1", "superseded-by: SPEC-2"), ("spec-1", "SPEC-2", "supersedes: SPEC-1")],
)
def test_a_supersession_that_one_side_keeps_to_itself_is_one_sided(said_by: str, silent: str, line: str) -> None:
    (problem,) = found([edge("spec-2", "SUPERSEDES", "spec-1", said_by)], document("spec-1"), document("spec-2"))
    assert (problem.kind, problem.subject) == ("one-sided", silent)
    assert line in problem.next_step
    assert problem.where[0].path == f"documents/{said_by}.md"


def test_circles_are_found_as_by_trying_every_way() -> None:
    random = Random(11)
    for _ in range(200):
        nodes = "abcdef"
        pairs = {(random.choice(nodes), random.choice(nodes)) for _ in range(random.randrange(12))}
        ways = {node: {target for source, target in pairs if source == node} for node in nodes}
        for _ in nodes:
            ways = {node: targets.union(*(ways[target] for target in targets)) for node, targets in ways.items()}
        groups = {frozenset(other for other in nodes if other in ways[node] and node in ways[other]) for node in nodes}
        expected = sorted(min(group) for group in groups if len(group) > 1)
        circles = cycles(pairs)
        assert [circle[0] for circle in circles] == expected
        assert all(set(zip(circle, [*circle[1:], circle[0]], strict=True)) <= pairs for circle in circles)


def test_a_long_chain_and_a_long_circle_need_no_deep_stack() -> None:
    chain = [(f"n{number:05}", f"n{number + 1:05}") for number in range(5_000)]
    assert cycles(chain) == []
    assert len(cycles([*chain, ("n05000", "n00000")])[0]) == 5_001
    assert FOREVER > 5_000
