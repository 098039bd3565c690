"""Statements in, which of them answers by itself out, and what kept the others from it."""

import pytest

from kits.vault import Opener, a_memory, file_memories, keep, run
from pellucid.app import App
from pellucid.recall.state import Tier

QUESTION = "which database do we use for billing"
ANSWER = "For billing we use the database Postgres"


def kept(app: App, content: str, **given: object) -> str:
    return keep(app, content, **{"category": "decision", "importance": 0.8, **given}).memory.id


def tier(app: App, query: str = QUESTION) -> Tier:
    found = run(app, query).tier
    assert found
    return found


def test_a_settled_statement_of_the_users_comes_first_and_says_so(house: Opener) -> None:
    app = house()
    for n in range(6):
        keep(app, f"the database for billing was moved {n} times, which we do regret")
    answer = kept(app, ANSWER)
    state = run(app, QUESTION)
    assert state.tier
    assert (state.tier.tier, state.served[0].memory.id) == ("direct-answer", answer)
    assert state.pool.terms["direct"].max() > 0
    assert "direct" not in run(app, QUESTION, without=("direct",)).pool.terms


@pytest.mark.parametrize(
    ("content", "given", "gate"),
    [
        (ANSWER, {"category": "fact"}, "ineligible-taxonomy-bucket"),
        ("Which database do we use for billing?", {}, "only-asks"),
        (f"{ANSWER}", {"entity_ref": "Bob"}, "direct-answer"),
        ("For billing we have a person", {}, "below-token-overlap-floor"),
    ],
)
def test_the_gate_that_decided_is_named(house: Opener, content: str, given: dict[str, object], gate: str) -> None:
    app = house()
    kept(app, content, **given)
    found = tier(app)
    assert gate in (found.reason, found.tier)


def test_of_two_that_say_as_much_none_answers_directly(house: Opener) -> None:
    app = house()
    kept(app, ANSWER)
    kept(app, "For billing we use the database Oracle, too")
    assert tier(app).reason == "ambiguous"


def test_a_statement_that_cannot_answer_directly_keeps_another_from_it_if_it_says_as_much(house: Opener) -> None:
    app = house()
    kept(app, ANSWER)
    assert tier(app).tier == "direct-answer"
    keep(app, "The database we use for billing will be Oracle from May on")
    assert tier(app).reason == "ambiguous"


def test_the_turn_a_statement_was_read_from_is_no_rival_of_it(house: Opener) -> None:
    app = house()
    said = {"session_id": "s", "evidence": ("s:4-4",), "source_class": "user_input"}
    file_memories(
        app,
        [
            a_memory(1, ANSWER, category="decision", importance_score=0.8, asserted_by="user", **said),
            a_memory(2, f"{ANSWER}, as ever", category="moment", **said),
            a_memory(3, "Which database do we use for billing?", category="moment"),
        ],
    )
    assert tier(app).tier == "direct-answer"


def test_what_is_about_another_does_not_answer_for_the_one_who_is_named(house: Opener) -> None:
    app = house()
    kept(app, "prefers green tea in the morning", entity_ref="Bob", category="preference")
    kept(app, "lives in Rome", entity_ref="Ann", category="fact")
    assert tier(app, "what tea does Ann prefer in the morning").reason == "entity-ref-mismatch"
    assert tier(app, "what tea does Bob prefer in the morning").tier == "direct-answer"


@pytest.mark.parametrize("query", ["who is it", "postgres"])
def test_one_telling_word_is_not_enough(house: Opener, query: str) -> None:
    app = house()
    kept(app, "We decided not to use Postgres")
    assert tier(app, query).tier == "hybrid"


def test_where_nothing_passes_there_are_no_candidates(house: Opener) -> None:
    assert tier(house()).reason == "no-candidates"
