"""What edges a query asks for: which types, in which direction, how far."""

import pytest

from pellucid.recall.query_edges import DEPENDENCY, AskedEdges, asked_edges


@pytest.mark.parametrize(
    "query",
    [
        "What does SPEC-054 depend on?",
        "SPEC-054 dependencies port plan TypeScript",
        "which documents does SPEC-054 depend on",
        "what are the things that SPEC-054 depends on",
        "upstream contracts of SPEC-054",
        "What does SPEC-054 require?",
        "prerequisites for SPEC-054",
        "Wovon hängt SPEC-054 ab?",
        "¿De qué depende SPEC-054?",
        "De quoi dépend SPEC-054 ?",
        "SPEC-054は何に依存していますか",
    ],
)
def test_dependencies_are_followed_from_the_named_thing_as_far_as_they_lead(query: str) -> None:
    assert asked_edges(query) == AskedEdges(DEPENDENCY, out=True, transitive=True)


@pytest.mark.parametrize(
    "query",
    [
        "what depends on SPEC-034",
        "which specs depend on EIP-20?",
        "what requires EIP-165?",
        "what breaks if we change SPEC-034",
        "dependents of SPEC-034",
        "services that rely on Redis",
        "blast radius of SPEC-034",
        "Was hängt von SPEC-034 ab?",
    ],
)
def test_dependents_are_followed_to_the_named_thing(query: str) -> None:
    assert asked_edges(query) == AskedEdges(DEPENDENCY, out=False, transitive=True)


@pytest.mark.parametrize(
    ("query", "types", "out"),
    [
        ("What replaced SPEC-012?", ("SUPERSEDES",), False),
        ("SPEC-012 superseded by", ("SUPERSEDES",), False),
        ("what does SPEC-012 supersede", ("SUPERSEDES",), True),
        ("what implements ADR-3", ("IMPLEMENTS",), False),
        ("what does ADR-3 implement", ("IMPLEMENTS",), True),
        ("what extends SPEC-7", ("EXTENDS",), False),
        ("which specs mention SPEC-7", ("REFERENCES", "MENTIONS"), False),
        ("what does SPEC-7 reference", ("REFERENCES", "MENTIONS"), True),
    ],
)
def test_other_edges_are_followed_one_step(query: str, types: tuple[str, ...], *, out: bool) -> None:
    assert asked_edges(query) == AskedEdges(types, out=out)  # type: ignore[arg-type]


@pytest.mark.parametrize("query", ["What should I cook?", "How does the relay deduplicate?", "SPEC-054", "hello"])
def test_other_questions_ask_for_no_edges(query: str) -> None:
    assert asked_edges(query) is None


def test_a_very_long_query_is_read_in_no_time_and_only_at_its_beginning() -> None:
    assert asked_edges("which " * 20_000 + "depends on SPEC-1") is None
