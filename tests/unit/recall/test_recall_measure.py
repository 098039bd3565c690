"""Candidates in, which of the question's words each is said to contain out: never a word that it does not have."""

from kits.vault import HERE, Opener, keep, run
from pellucid.model.memory import unpack_id
from pellucid.operations.recall.recalling import xray_new_recall
from pellucid.operations.recall.request import RecallInput

QUESTION = "What does Ines own?"
"""Its `Ines` has the same stem as `in`."""


def test_a_word_with_the_stem_of_a_function_word_is_contained_where_it_stands_alone(house: Opener) -> None:
    app = house()
    keep(app, "The pricing service, which Ines owns")
    keep(app, "A crane stands in the harbour")
    state = run(app, QUESTION)
    at = state.plan.words.index("Ines")
    assert state.plan.stems[at] == "in"
    contents = {each.memory.id: each.memory.content for each in state.served}
    assert len(contents) == len(state.pool) == 2
    holds = ["Ines" in contents[unpack_id(raw)] for raw in state.pool.ids]
    assert [bool(int(bits) >> at & 1) for bits in state.pool.matched] == holds


def test_a_plural_matches_its_singular_though_that_is_a_function_word_of_another_language(house: Opener) -> None:
    app = house()
    keep(app, "Ada bought a red hat in Porto")
    state = run(app, "Which hats does Ada have?")
    at = state.plan.words.index("hats")
    assert [int(bits) >> at & 1 for bits in state.pool.matched] == [1]


def test_an_explanation_counts_no_key_word_that_only_shares_its_stem_with_a_function_word(house: Opener) -> None:
    app = house()
    keep(app, "The pricing service, which Ines owns")
    keep(app, "A crane stands in the harbour")
    shown = xray_new_recall(app, RecallInput(query=QUESTION, namespace=HERE))
    whys = " ".join(each.why for each in shown.results)
    assert "(0 of the question's 1 key word, but words of the same stem)" in whys
