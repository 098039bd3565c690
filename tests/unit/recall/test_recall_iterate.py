"""Questions of several parts in, what a second pass asks and what it brings up out."""

from dataclasses import replace
from functools import partial

import pytest
from pydantic import SecretStr

from kits.vault import HERE, Opener, a_memory, file_memories, ranking, run
from pellucid.app import App
from pellucid.encoders.chat.model import OpenAIChat
from pellucid.recall.query.iterate import MOST, READ, iterate, parts, reading, sufficiency
from pellucid.recall.rescore import rescore
from pellucid.recall.state import State, World
from pellucid.settings.sections import LlmSettings
from pellucid.testing import ScriptedServer, Step, answer, status

QUESTION = "Which crane lifts the harbour cargo onto the quay at night, and who grinds the rye?"
RYE = 40


@pytest.fixture
def drowned(house: Opener) -> App:
    """A question's first part stands in thirty memories, its second in one, and there are a hundred of other things."""
    app = house()
    cranes = [
        a_memory(n, f"At night crane number {n} lifts the harbour cargo onto the quay where the ferries lie.")
        for n in range(1, 31)
    ]
    rye = a_memory(RYE, "The rye goes to a mill upriver.")
    others = [a_memory(n, f"Ferry number {n} leaves when the tide turns.") for n in range(50, 150)]
    file_memories(app, [*cranes, rye, *others])
    return app


def place(state: State, number: int) -> int:
    """A memory's place in the ranking; 0 if it is in none."""
    ids = [memory_id for memory_id, _ in ranking(state)]
    wanted = f"mem_{number:032x}"
    return ids.index(wanted) + 1 if wanted in ids else 0


def passes(state: State) -> list[str]:
    return [stage.note for stage in state.stages if stage.name.startswith("iterate")]


def asking(app: App, query: str, **given: object) -> State:
    return run(app, query, settings={"maxIterations": 2, "sufficiencyThreshold": 0.8, **given})


def test_a_part_that_is_drowned_by_another_comes_up_in_a_second_pass(drowned: App) -> None:
    once, twice = run(drowned, QUESTION), asking(drowned, QUESTION)
    assert place(once, RYE) > READ
    assert 0 < place(twice, RYE) <= READ // 2
    assert [each.text for each in twice.sub_plans] == ["who grinds the rye"]
    assert {"vector@2", "lexical@2", "passage@2"} <= {leg.name for leg in twice.legs}
    assert passes(once) == []
    assert "asks 1 more" in passes(twice)[0]


@pytest.mark.requirement("REC-1")
def test_the_lists_of_a_second_pass_are_terms_of_the_same_sum(drowned: App) -> None:
    state = asking(drowned, QUESTION)
    pool, order = rescore(state)
    assert order.tolist() == state.order.tolist()
    assert pool.final.tolist() == state.pool.final.tolist()
    assert pool.terms["lexical@2"].max() == state.request.settings.leg_weights.lexical


def test_what_is_covered_is_not_asked_again(drowned: App) -> None:
    covered = asking(drowned, "Which crane lifts cargo at night, and which harbour is it in?")
    assert not covered.sub_plans
    assert passes(covered) == ["covers 1.00 of the question: enough"]
    assert not asking(drowned, QUESTION, sufficiencyThreshold=0.1).sub_plans


def test_words_that_no_memory_holds_are_not_missed(drowned: App) -> None:
    state = asking(drowned, "Which crane lifts cargo, and who paints the zyzzyva?")
    assert not state.sub_plans
    assert sufficiency_of(drowned, state)[0] == 1.0


def sufficiency_of(app: App, state: State) -> tuple[float, set[str]]:
    """The share, and the open words."""
    with app.index.reading(HERE) as reader:
        share, open_words = sufficiency(state, reading(state.plan, reader.survey(state.plan.text).terms))
    return share, {state.plan.words[i] for i in open_words}


def test_sufficiency_is_the_share_of_the_telling_words_that_the_first_hold_by_rarity(drowned: App) -> None:
    share, open_words = sufficiency_of(drowned, run(drowned, QUESTION))
    assert open_words == {"rye"}
    assert 0.6 < share < 0.8


def test_topk_does_not_decide_what_is_asked(drowned: App) -> None:
    few, many = (
        run(drowned, QUESTION, top_k=k, settings={"maxIterations": 2, "sufficiencyThreshold": 0.8}) for k in (1, 50)
    )
    assert few.sub_plans
    assert ranking(few) == ranking(many)


def test_the_same_question_is_never_asked_twice_and_passes_end(drowned: App) -> None:
    state = asking(drowned, QUESTION, maxIterations=5)
    texts = [each.text for each in state.sub_plans]
    assert len(texts) == len(set(texts))
    assert len(passes(state)) == 2
    assert "enough" in passes(state)[-1]


def parted(app: App, query: str, *still_open: str) -> list[str]:
    """The smaller questions of a query of which these words are open."""
    plan = run(app, query).plan
    with app.index.reading(HERE) as reader:
        read = reading(plan, reader.survey(plan.text).terms)
    open_words = frozenset(i for i, word in enumerate(plan.words) if word in still_open)
    return [" ".join(plan.words[i] for i in part) for part in parts(read, open_words)]


def test_who_is_named_is_asked_about_one_by_one(house: Opener) -> None:
    app = house()
    file_memories(
        app,
        [
            a_memory(1, "Ann likes the tide.", entity_ref="Ann"),
            a_memory(2, "Bob likes the mill.", entity_ref="Bob"),
            a_memory(3, "Cid bakes rye.", entity_ref="Cid"),
        ],
    )
    assert parted(app, "What do Ann and Bob both like?", "Bob") == ["What do Bob both like"]
    assert parted(app, "What do Ann, Bob and Cid like?", "Ann", "Cid") == ["What do Ann like", "What do Cid like"]
    assert parted(app, "What does Ann like, and what is the mill?", "mill") == ["Ann What is the mill"]


def test_a_question_of_one_clause_is_not_taken_apart(drowned: App) -> None:
    assert parted(drowned, "Which baker lifts the harbour cargo?", "baker") == []


@pytest.mark.parametrize(
    "query",
    [
        "Wo liegt die Mühle und wer kauft den Roggen?",
        "¿Dónde está el molino y quién compra el centeno?",
        "Who bought the rye before the mill burned?",
        "rye; mill",
        "製粉所はどこ、ライ麦は誰が買う？",
        "磨坊在哪里，然后谁买黑麦？",
    ],
)
def test_clauses_are_found_in_other_languages_and_by_marks(house: Opener, query: str) -> None:
    app = house()
    file_memories(app, [a_memory(1, query)])
    plan = run(app, query).plan
    with app.index.reading(HERE) as reader:
        read = reading(plan, reader.survey(plan.text).terms)
    assert len(list(parts(read, read.asked))) >= 2


def test_at_most_so_many_are_asked_in_a_pass(house: Opener) -> None:
    app = house()
    file_memories(
        app, [a_memory(n, f"note {word}") for n, word in enumerate(["tide", "mill", "rye", "crane", "quay"], 1)]
    )
    state = run(app, "tide, mill, rye, crane, quay")
    nothing = replace(state, order=state.order[:0])
    with app.index.reading(HERE) as reader:
        plans, note = iterate(nothing, World(reader, app.embedder))
    assert len(plans) == MOST
    assert "covers 0.00" in note
    assert f"asks {MOST} more" in note


def by_model(app: App, *steps: Step, query: str = QUESTION) -> tuple[State, ScriptedServer]:
    """A recall of two passes whose sub-questions a scripted model gives."""
    with ScriptedServer(*steps) as server:
        settings = LlmSettings(base_url=server.base_url, model="scripted", api_key=SecretStr("k"), retries=0)
        other = replace(app, recaller=replace(app.recaller, chat=partial(OpenAIChat, settings)))
        return asking(other, query, decompose="llm"), server


def test_a_model_may_say_what_is_open(drowned: App) -> None:
    asked = {"sufficient": False, "subQueries": ["who sells rye to the baker?", " ", "x" * 400]}
    state, server = by_model(drowned, answer(asked))
    assert [each.text for each in state.sub_plans] == ["who sells rye to the baker?"]
    assert 0 < place(state, RYE) <= 3
    assert QUESTION[:20] in server.requests[0].user
    assert "crane number" in server.requests[0].user
    assert passes(state) == ["by the model's word: asks 1 more"]


def test_a_model_that_finds_it_answered_ends_the_passes(drowned: App) -> None:
    state, _ = by_model(drowned, answer({"sufficient": True, "subQueries": ["rye?"]}))
    assert not state.sub_plans
    assert passes(state) == ["the model finds it answered"]


@pytest.mark.parametrize("step", [status(500), answer("no JSON"), answer({"sufficient": "perhaps"})])
def test_a_model_that_fails_is_passed_over_with_its_reason(drowned: App, step: Step) -> None:
    state, _ = by_model(drowned, step)
    assert [each.text for each in state.sub_plans] == ["who grinds the rye"]
    assert passes(state)[0].startswith("the model did not answer (")


def test_without_a_model_the_question_is_taken_apart_here_and_that_is_said(drowned: App) -> None:
    state = asking(drowned, QUESTION, decompose="llm")
    assert [each.text for each in state.sub_plans] == ["who grinds the rye"]
    assert passes(state)[0].startswith("no model is set up: ")
