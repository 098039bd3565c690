"""What edges a query asks for: which types, in which direction, how far."""

import pytest

from pellucid.recall.query.edges import DEPENDENCY, AskedEdges, asked_edges, text_beside_edges


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


VERBS = {
    "depend": (DEPENDENCY, ("required", "needed", "depended on"), "requires", "require"),
    "supersede": (("SUPERSEDES",), ("superseded", "replaced", "obsoleted"), "supersedes", "supersede"),
    "implement": (("IMPLEMENTS",), ("implemented",), "implements", "implement"),
    "extend": (("EXTENDS",), ("extended", "amended"), "extends", "extend"),
    "refer": (("REFERENCES", "MENTIONS"), ("referenced", "cited", "mentioned"), "references", "reference"),
}
OF_IT = (
    "what is {done} by SPEC-7",
    "What's {done} by SPEC-7?",
    "which documents are {done} by SPEC-7",
    "which of the specs were also {done} by SPEC-7",
    "everything {done} by SPEC-7",
    "{done} by SPEC-7",
)
TO_IT = (
    "what is SPEC-7 {done} by",
    "what SPEC-7 is {done} by",
    "which document was SPEC-7 {done} by in 2024?",
    "SPEC-7 is {done} by what?",
    "SPEC-7 {done} by",
    "by what is SPEC-7 {done}",
    "by which spec was SPEC-7 {done}?",
)


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(("questions", "out"), [(OF_IT, True), (TO_IT, False)], ids=["by it", "it is"])
def test_a_passive_asks_for_the_one_that_is_not_named(verb: str, questions: tuple[str, ...], *, out: bool) -> None:
    types, participles, _, _ = VERBS[verb]
    for done in participles:
        for question in questions:
            asked = asked_edges(question.format(done=done))
            assert (asked and asked.types, asked and asked.out) == (types, out), question.format(done=done)


@pytest.mark.parametrize("verb", VERBS)
def test_an_active_verb_asks_for_what_stands_on_the_side_of_the_question_word(verb: str) -> None:
    types, _, does, do = VERBS[verb]
    asked = {
        f"what {does} SPEC-7": False,
        f"which of the older specs {does} SPEC-7?": False,
        f"what does SPEC-7 {do}": True,
        f"which documents does SPEC-7 {do}?": True,
        f"SPEC-7 {does} what": True,
    }
    for question, out in asked.items():
        found = asked_edges(question)
        assert (found and found.types, found and found.out) == (types, out), question


@pytest.mark.parametrize(
    ("query", "types", "out"),
    [
        ("Was wird von SPEC-7 benötigt?", DEPENDENCY, True),
        ("Wovon wird SPEC-7 benötigt?", DEPENDENCY, False),
        ("Was wurde durch SPEC-7 ersetzt?", ("SUPERSEDES",), True),
        ("Wodurch wurde SPEC-7 ersetzt?", ("SUPERSEDES",), False),
        ("Welche Dokumente werden von SPEC-7 erwähnt?", ("REFERENCES", "MENTIONS"), True),
        ("Von welchen Dokumenten wird SPEC-7 erwähnt?", ("REFERENCES", "MENTIONS"), False),
        ("¿Qué es requerido por SPEC-7?", DEPENDENCY, True),
        ("¿Por qué documentos es requerido SPEC-7?", DEPENDENCY, False),
        ("¿Qué documentos fueron reemplazados por SPEC-7?", ("SUPERSEDES",), True),
        ("¿Por qué fue reemplazado SPEC-7?", ("SUPERSEDES",), False),
        ("Qu'est-ce qui est requis par SPEC-7 ?", DEPENDENCY, True),
        ("Par quels documents est requis SPEC-7 ?", DEPENDENCY, False),
        ("Quels documents sont remplacés par SPEC-7 ?", ("SUPERSEDES",), True),
        ("Par quoi SPEC-7 est-il remplacé ?", ("SUPERSEDES",), False),
        ("SPEC-7に依存されているものは何ですか", DEPENDENCY, True),
        ("SPEC-7は何に依存されていますか", DEPENDENCY, False),
        ("SPEC-7によって置き換えられたのは何ですか", ("SUPERSEDES",), True),
        ("SPEC-7はどの文書によって置き換えられましたか", ("SUPERSEDES",), False),
        ("哪些文档被 SPEC-7 依赖？", DEPENDENCY, True),
        ("SPEC-7 被哪些文档依赖？", DEPENDENCY, False),
        ("什么被SPEC-7取代了？", ("SUPERSEDES",), True),
        ("SPEC-7被什么取代了？", ("SUPERSEDES",), False),
    ],
)
def test_other_languages_tell_who_acts_in_a_passive_too(query: str, types: tuple[str, ...], *, out: bool) -> None:
    asked = asked_edges(query)
    assert (asked and asked.types, asked and asked.out) == (types, out)


@pytest.mark.parametrize(
    ("query", "out"),
    [
        ("what is based on SPEC-7", False),
        ("what is SPEC-7 based on", True),
        ("what replaced the old relay", False),
        ("which relay does the harbour spec supersede", True),
    ],
)
def test_a_thing_may_go_by_a_title_or_stand_at_the_end(query: str, *, out: bool) -> None:
    asked = asked_edges(query)
    assert asked is not None
    assert asked.out == out


@pytest.mark.parametrize(
    "words", ["what is required ", "which ", "by ", "was von ", "qui est ", "被", "spec required "]
)
def test_no_repetition_of_words_is_taken_for_a_question(words: str) -> None:
    assert asked_edges(words * 500) is None


@pytest.mark.parametrize(
    ("query", "beside"),
    [
        ("Which modules depend on SPEC-3 billing costs", "costs"),
        ("What is required by SPEC-3 for billing", "billing"),
        ("What is built on SPEC-3?", "?"),
    ],
)
def test_what_stands_beside_edges_begins_behind_the_name_and_not_within_it(query: str, beside: str) -> None:
    assert text_beside_edges(query, ["SPEC-3"]) == beside
