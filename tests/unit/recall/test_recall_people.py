"""A question and whom it names in, what is looked for without their names out."""

import pytest

from kits.vault import Opener, a_memory, file_memories, run
from pellucid.recall.query.plan import spans_of_people, without_spans


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("Who is Tomás's manager?", "Who is manager?"),
        ("What did Jean-Luc buy for Ana?", "What did buy for ?"),
        ("Is the analyst here?", "Is the analyst here?"),
        ("What does SPEC-3 say of Project Manager?", "What does SPEC-3 say of Project Manager?"),
    ],
)
def test_names_of_people_are_cut_out_with_their_genitive_and_no_other_names(text: str, rest: str) -> None:
    named = ("Tomás", "Ana", "Jean-Luc", "SPEC-3", "Project Manager")
    assert without_spans(text, spans_of_people(text, named)) == rest


def test_a_name_is_neither_searched_nor_asked_by_meaning_but_counts_once(house: Opener) -> None:
    app = house()
    said = ["Ana: I paint the quay on Mondays", "Bo: The crane lifts forty tonnes", "Ana: Rain again today"]
    file_memories(app, [a_memory(at, each, category="moment") for at, each in enumerate(said)])
    plan = run(app, "What does Ana paint?").plan
    assert [plan.words[at] for at in sorted(plan.people)] == ["Ana"]
    assert "Ana" not in [plan.words[at] for at in plan.searched]
    assert plan.encoding is not None
    assert plan.vector is not None
    assert (plan.vector != plan.encoding.vector).any()


@pytest.mark.parametrize("query", ["Ana", "Who is Ana?"])
def test_who_is_asked_about_alone_is_searched_for_by_name(house: Opener, query: str) -> None:
    app = house()
    file_memories(app, [a_memory(1, "Ana: I paint the quay on Mondays", category="moment")])
    plan = run(app, query).plan
    assert not plan.people
    assert "Ana" in [plan.words[at] for at in plan.searched]


def test_without_an_encoder_a_name_is_a_word_as_any(house: Opener) -> None:
    app = house(encoder=None)
    file_memories(app, [a_memory(1, "Ana: I paint the quay on Mondays", category="moment")])
    plan = run(app, "What does Ana paint?").plan
    assert not plan.people


def test_the_turn_behind_who_only_asks_counts_as_about_them(house: Opener) -> None:
    app = house()
    said = ["Ana: Who leads the harbour team?", "Bo: You report to Farid", "Bo: The crane is green"]
    turns = [
        a_memory(at, each, category="moment").model_copy(update={"session_id": "one", "evidence": (f"one:{at}-{at}",)})
        for at, each in enumerate(said, 1)
    ]
    file_memories(app, turns)
    state = run(app, "Who is Ana's manager?")
    named = state.pool.terms["named"]
    paid = {each.memory.content for each, at in zip(state.served, state.kept, strict=True) if named[at] > 0}
    assert paid == {"Bo: You report to Farid"}
