"""Two recorded recalls in, who entered, left and moved, and what else was not the same, out."""

import random
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from kits.vault import HERE, Opener, a_memory, file_memories, ranking, run, salad_memories
from pellucid.app import App
from pellucid.recall.receipt.record import Receipt, pack, unpack
from pellucid.recall.state import Abstention, Context, State
from pellucid.settings.sections import LegWeights
from pellucid.xray.diff import RecallDiff, Shift, diff

QUERY = "crane ferry tide anchor"


def receipt(state: State) -> Receipt:
    return unpack(pack(state))


@pytest.fixture
def vault(house: Opener) -> App:
    app = house(top_k_facts=5)
    file_memories(app, salad_memories(random.Random(6), 80))
    return app


def places(state: State) -> dict[str, int]:
    return {memory_id: place for place, (memory_id, _) in enumerate(ranking(state), start=1)}


def names(found: RecallDiff, field: str) -> dict[str, tuple[object, object]]:
    return {each.name: (each.a, each.b) for each in getattr(found, field)}


@pytest.mark.requirement("XRAY-6")
def test_the_same_recall_twice_differs_in_nothing_but_its_instant(vault: App) -> None:
    found = diff(receipt(run(vault, QUERY)), receipt(run(vault, QUERY)))
    assert found.same
    assert found.query == "same"
    assert (found.entered, found.left, found.moved, found.rescored) == ((), (), (), ())
    assert (found.settings, found.weights, found.legs, found.corpus, found.plan) == ((), (), (), (), ())
    assert set(names(found, "request")) == {"at"}


def test_recalls_of_two_pasts_differ_in_the_instants_that_they_ask_about(vault: App) -> None:
    then = datetime(2020, 1, 1, tzinfo=UTC)
    found = names(diff(receipt(run(vault, QUERY)), receipt(run(vault, QUERY, as_of=then, as_known_at=then))), "request")
    assert found["asOf"] == found["asKnownAt"] == (None, "2020-01-01T00:00:00.000Z")


def test_places_are_those_that_the_context_numbers(house: Opener) -> None:
    app = house()
    said = "The harbour crane lifts forty tonnes every morning"
    for number, turn in ((1, 4), (2, 4), (3, 9)):
        words = said if number < 3 else f"{said}, says the third keeper of the lighthouse"
        file_memories(app, [a_memory(number, words, session_id="one", evidence=(f"one:{turn}-{turn}",))])
    a, b = (
        run(app, "what does the harbour crane lift"),
        run(app, "what does the harbour crane lift", without=("rerank",)),
    )
    assert a.repeats
    found = diff(receipt(a), receipt(b))
    shifts = {each.memory_id: each.place_a for each in (*found.moved, *found.rescored)}
    assert shifts == {memory_id: place for place, memory_id in enumerate(a.context.included, start=1)}


@pytest.mark.requirement("XRAY-6")
def test_who_entered_left_and_moved_is_said_with_the_term_that_did_it(vault: App) -> None:
    a, b = run(vault, QUERY), run(vault, QUERY, without=("rerank",))
    found = diff(receipt(a), receipt(b))
    before, after = [each.memory.id for each in a.served], [each.memory.id for each in b.served]
    assert [each.memory_id for each in found.entered] == [each for each in after if each not in before]
    assert [each.memory_id for each in found.left] == [each for each in before if each not in after]
    assert found.entered
    assert found.moved
    scores = dict(ranking(a)), dict(ranking(b))
    for each in (*found.entered, *found.left, *found.moved, *found.rescored):
        assert (each.place_a, each.place_b) == (places(a).get(each.memory_id), places(b).get(each.memory_id))
        assert (each.final_a, each.final_b) == tuple(held.get(each.memory_id) for held in scores)
        assert each.final_a is not None
        assert each.final_b is not None
        assert sum(each.terms.values()) == pytest.approx(each.final_b - each.final_a, abs=1e-9)
        assert each.moved_by == max(each.terms, key=lambda name: abs(each.terms[name]))
    assert {each.moved_by for each in found.entered} <= {"rerank", "rerankPassage", "direct", "renewal"}
    assert names(found, "request")["without"] == ([], ["rerank"])


def test_one_who_was_no_candidate_or_was_turned_away_has_no_place(house: Opener) -> None:
    app = house(min_token_overlap=0.5, pool=1)
    file_memories(app, [a_memory(1, "the harbour crane"), a_memory(2, "the harbour ferry")])
    found = diff(receipt(run(app, "harbour crane")), receipt(run(app, "harbour ferry", without=("vector",))))
    (entered,), (left,) = found.entered, found.left
    assert (entered.memory_id[-1], left.memory_id[-1]) == ("2", "1")
    assert (entered.place_a, entered.place_b, entered.final_a) == (None, 1, None)
    assert (left.place_a, left.place_b, left.moved_by) == (1, None, None)
    assert found.query == "another"
    loose = house(pool=5)
    both = diff(receipt(run(loose, "harbour crane")), receipt(run(app, "harbour crane zyzzyva quux nought")))
    (gone,) = (each for each in both.left if each.memory_id.endswith("1"))
    assert (gone.rejected_a, gone.rejected_b) == (None, "token-overlap")
    assert gone.final_b is not None


@pytest.mark.requirement("XRAY-6")
def test_settings_weights_legs_and_corpus_that_differ_are_named(vault: App, house: Opener) -> None:
    other = house(top_k_facts=3, leg_weights=LegWeights(vector=0.5), class_weights={"other": {"lexical": 2.0}})
    a = receipt(run(vault, QUERY, scopes=("private",), session_id="s"))
    file_memories(other, [a_memory(1, "one more crane")])
    found = diff(a, receipt(run(other, QUERY, without=("passage",))))
    settings = names(found, "settings")
    assert settings["topKFacts"] == (5, 3)
    assert settings["legWeights.vector"] == (1.0, 0.5)
    assert settings["classWeights.other.lexical"] == (None, 2.0)
    assert names(found, "weights")["lexical"] == (1.0, 2.0)
    assert names(found, "legs") == {"passage": ("ok", "off")}
    assert names(found, "corpus")["rows"] == (80, 81)
    assert set(names(found, "request")) == {"at", "scopes", "sessionId", "without"}


def test_a_difference_holds_no_word_of_a_memory_or_of_a_query(vault: App) -> None:
    found = diff(receipt(run(vault, QUERY)), receipt(run(vault, "lighthouse keeper storm")))
    wire = RecallDiff.model_validate(found.to_wire()).model_dump_json(by_alias=True)
    words = {word for each in vault.index.memories(HERE) for word in each.memory.content.split() if len(word) > 4}
    words -= set(found.to_wire())
    assert not [word for word in words if word in wire]
    assert "lighthouse" not in wire
    assert found.query == "another"


def test_a_withheld_query_is_neither_the_same_nor_another(house: Opener) -> None:
    app = house(store_query_text=False)
    file_memories(app, [a_memory(1, "the harbour crane")])
    found = diff(receipt(run(app, "crane")), receipt(run(app, "harbour")))
    assert found.query == "withheld"


def test_what_is_taken_off_for_likeness_is_a_term_below_nought(house: Opener) -> None:
    same = [a_memory(n, "the harbour crane lifts forty tonnes") for n in (1, 2)]
    plain, diverse = house(), house(mmr_lambda=0.5)
    file_memories(plain, same)
    found = diff(receipt(run(plain, "crane")), receipt(run(diverse, "crane")))
    shifts: tuple[Shift, ...] = (*found.moved, *found.rescored)
    assert {each.moved_by for each in shifts} == {"mmrPenalty"}
    assert all(each.terms["mmrPenalty"] < 0 for each in shifts)


def test_the_query_s_reading_is_compared(vault: App) -> None:
    found = diff(receipt(run(vault, "crane")), receipt(run(vault, "crane and ferry")))
    assert names(found, "plan")["words"] == (1, 3)


def test_a_recall_that_abstained_and_one_that_answered_are_not_the_same(vault: App) -> None:
    answered = receipt(run(vault, QUERY))
    doubted = replace(answered.state, abstention=Abstention(0.9, 0.5, abstained=True), context=Context())
    found = diff(answered, replace(answered, state=doubted))
    assert not found.same
    assert {each.name for each in found.answer} == {"abstained", "told"}
