"""Questions that memory can and cannot answer in, how much each ranking is doubted out."""

import re
from dataclasses import replace
from math import log
from typing import Any

import numpy as np
import pytest

from kits.vault import HERE, NOON, Opener, ask, keep, run
from pellucid.model.memory import unpack_id
from pellucid.model.snapshot import AbstentionTrace
from pellucid.operations.recall.recalling import xray_new_recall
from pellucid.operations.recall.request import RecallInput
from pellucid.recall.context.abstain import doubt, judge, nearness, share_of_words_met
from pellucid.recall.receipt.record import pack, unpack
from pellucid.recall.rescore import rescore
from pellucid.recall.score.equation import Ints
from pellucid.recall.state import Plan, Pool, blank_pool, plain_columns
from pellucid.xray.words.sureness import degrees_in_words, signs_in_words

ALL: Ints = np.arange(3)
PLAN = Plan("crane ferry", frequencies=(9, 0), telling=(0, 1))


def pool(cosine: tuple[float, ...], matched: tuple[int, ...]) -> Pool:
    columns = blank_pool(np.arange(3), plain_columns(3))
    return replace(columns, cosine=np.array(cosine, np.float32), matched=np.array(matched, np.uint64))


def test_the_doubt_is_what_is_missing_of_nearness_and_words() -> None:
    known, unknown = log(1 + 10 / 10) ** 2, log(1 + 10 / 1) ** 2
    share = known / (known + unknown)
    assert share_of_words_met(pool((0, 0, 0), (1, 0, 0)), ALL, PLAN, 10) == pytest.approx(share)
    assert doubt(pool((0.25, 0.5, 0), (1, 0, 0)), ALL, PLAN, 10) == pytest.approx(1 - (2 * 0.5 + share) / 3, abs=1e-6)


def test_of_many_memories_the_three_nearest_count_for_the_nearest_of_many_is_near_by_chance() -> None:
    scored = replace(pool((0.6, 0.3, 0), (3, 3, 3)), rerank_score=np.array((0.9, np.nan, 0.3), np.float32))
    assert doubt(scored, ALL, PLAN, 10) == pytest.approx(1 - (2 * 0.6 + 3 * 0.9 + 1) / 6, abs=1e-6)
    assert doubt(scored, ALL, PLAN, 5000) == pytest.approx(1 - (2 * 0.3 + 3 * 0.6 + 1) / 6, abs=1e-6)


def test_another_rerankers_scores_say_nothing_of_nearness(house: Opener) -> None:
    app = house()
    keep(app, "the harbour crane lifts forty tonnes")
    state = run(app, "what does the crane lift?")
    foreign = replace(state, rerank_backend="cross-encoder")
    told, other = judge(state), judge(foreign)
    assert told
    assert other
    logits = replace(foreign, pool=replace(foreign.pool, rerank_score=foreign.pool.rerank_score + 40))
    assert judge(logits) == other != told


def test_words_may_be_spread_over_the_first_three() -> None:
    assert share_of_words_met(pool((0, 0, 0), (1, 0, 2)), ALL, PLAN, 10) == 1
    assert share_of_words_met(pool((0, 0, 0), (1, 0, 2)), ALL[:2], PLAN, 10) < 1


def test_without_vectors_the_words_decide_and_without_words_the_vectors() -> None:
    assert doubt(pool((0, 0, 0), (1, 2, 0)), ALL, PLAN, 10) == 0
    assert doubt(pool((0, 0.75, 0), (0, 0, 0)), ALL, replace(PLAN, telling=()), 10) == 0.25


def test_a_question_about_something_else_is_doubted_more(house: Opener) -> None:
    app = house(abstain_from=0)
    for each in ("the harbour crane lifts forty tonnes", "the ferry leaves at nine", "the lighthouse was painted"):
        keep(app, each)
    near, far = (run(app, query).abstention for query in ("what does the crane lift?", "who won the chess cup?"))
    assert near
    assert far
    assert near.score < 0.5 < far.score
    assert not near.abstained
    assert far.abstained


@pytest.mark.parametrize(
    "asked",
    [
        {"since": "2001-01-01"},
        {"review": "src/crane.py"},
        {"query": "where did the app run since 2020?"},
        {"without": ("passage",)},
        {"top_k": 5},
    ],
    ids=["by a filter", "by files", "by a day", "without a leg", "in words alone"],
)
def test_only_a_question_in_words_alone_can_be_too_far_from_every_answer(house: Opener, asked: dict[str, Any]) -> None:
    app = house(abstain_from=0)
    keep(app, "we deploy with Fly.io, never by hand, says src/crane.py")
    state = run(app, **{"query": "where does the app run?", **asked})
    assert state.abstention
    assert state.abstention.abstained == ("top_k" in asked)
    if "review" in asked:  # the memory of the file was asked for, whatever words the question has
        assert state.abstention.score == 0.4
        assert "Not sure" not in state.context.text
    else:
        assert state.abstention.score >= 0.65


@pytest.mark.requirement("REC-9")
def test_too_much_doubt_is_an_abstention_that_names_the_nearest_and_serves_nothing(house: Opener) -> None:
    app = house(abstain_at=0.6, abstain_from=0)
    crane = keep(app, "the harbour crane lifts forty tonnes").memory.id
    keep(app, "the ferry leaves at nine")
    state = run(app, "who won the chess cup?")
    assert state.abstention
    assert state.abstention.abstained
    assert state.context.included == ()
    assert "Nothing recalled: found nothing near enough.\nNearest:\n mem_" in state.context.text
    assert re.search(rf"\n {crane} 0\.\d\d: the harbour crane lifts forty tonnes\n", state.context.text)
    assert [(rung.name, rung.considered, rung.admitted) for rung in state.rungs[-2:]] == [
        ("abstention", 2, 0),
        ("budget-fit", 0, 0),
    ]
    assert ask(app, "who won the chess cup?").memories == ()
    assert crane in run(app, "what does the crane lift?").context.included


@pytest.mark.requirement("REC-9")
def test_among_a_few_memories_doubt_is_told_and_withholds_nothing(house: Opener) -> None:
    app = house()
    keep(app, "we deploy with Fly.io, never by hand")
    state = run(app, "where does the app run?")
    assert state.abstention
    assert state.abstention.score > state.abstention.threshold
    assert not state.abstention.abstained
    assert "Fly.io" in state.context.text
    assert "Not sure: this may not be known here." in state.context.text


def test_when_nothing_clears_the_floor_the_nearest_misses_are_named(house: Opener) -> None:
    app = house(min_fact_score=0.9)
    crane = keep(app, "the harbour crane lifts forty tonnes").memory.id
    keep(app, "words that may not be told", scopes=["private"])
    state = run(app, "what does the crane lift?")
    assert state.abstention
    assert state.abstention.abstained
    assert state.abstention.score == 1
    assert [unpack_id(state.pool.ids[at]) for at in state.abstention.nearest] == [crane]
    assert state.context.text.count("mem_") == 1
    assert f"Nearest:\n {crane} 0." in state.context.text


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({"tags": ["nope"]}, "no memory has the tag nope"),
        ({"categories": ["procedure"], "tags": ["nope"]}, "no memory has the tag nope and the category procedure"),
        ({"as_of": NOON.replace(year=2020)}, "nothing here is known to have held on 2020-06-01"),
        ({"as_known_at": NOON.replace(year=2020)}, "nothing here was known on 2020-06-01"),
        (
            {"as_of": NOON.replace(year=2019), "as_known_at": NOON.replace(year=2020)},
            "nothing here was known on 2020-06-01 to have held on 2019-06-01",
        ),
        ({"until": "2001-01-01"}, "nothing here is from the time asked for"),
    ],
)
def test_an_empty_recall_says_what_nothing_here_fits(house: Opener, asked: dict[str, Any], why: str) -> None:
    app = house()
    assert "Nothing recalled: nothing is remembered here yet.\n" in run(app, "what lifts?", **asked).context.text
    keep(app, "the harbour crane lifts forty tonnes")
    assert f"Nothing recalled: {why}.\n" in run(app, "what does the crane lift?", **asked).context.text


def test_a_procedure_that_was_asked_for_and_fits_the_task_is_not_doubted(house: Opener) -> None:
    app = house(min_fact_score=0.0, min_token_overlap=0.0)
    keep(app, "To ship: tag it, push the tag, watch the pipeline", category="procedure")
    plain, asked = (run(app, "which tag won the chess cup?", **given) for given in ({}, {"categories": ["procedure"]}))
    for state, doubted in ((plain, True), (asked, False)):
        found = judge(replace(state, pool=replace(state.pool, ranks={"procedural": np.array([1])})))
        assert found
        assert (found.score > 0.6) == doubted


def test_an_empty_memory_abstains_without_misses_and_a_small_budget_drops_them(house: Opener) -> None:
    app = house(abstain_at=0.1, abstain_from=0)
    assert "Nothing recalled" in run(app, "what does the crane lift?").context.text
    assert "Nearest" not in run(app, "what does the crane lift?").context.text
    keep(app, "the harbour crane lifts forty tonnes")
    assert "Nearest" in run(app, "who won the cup?").context.text
    small = run(app, "who won the cup?", budget=150).context
    assert "Nothing recalled" in small.text
    assert "Nearest" not in small.text
    assert run(app, "who won the cup?", budget=20).context.text == ""


def test_a_receipt_gives_the_same_doubt(house: Opener) -> None:
    app = house()
    for each in ("the harbour crane lifts forty tonnes", "the ferry leaves at nine"):
        keep(app, each)
    state = run(app, "what does the harbour crane lift?")
    receipt = unpack(pack(state)).state
    ranked, order = rescore(receipt)
    assert judge(replace(receipt, pool=ranked, order=order)) == state.abstention == receipt.abstention


def test_a_threshold_of_one_never_abstains_of_itself(house: Opener) -> None:
    app = house(abstain_at=1.0)
    keep(app, "the harbour crane lifts forty tonnes")
    state = run(app, "zzz qqq")
    assert state.context.included
    assert nearness(state, 0) >= 0


@pytest.mark.parametrize(("asked", "abstains"), [("Ines", False), ("Berta", True), ("Odo", True)])
def test_who_asks_about_a_name_that_few_memories_hold_is_shown_these(house: Opener, asked: str, abstains: bool) -> None:
    app = house(abstain_from=0)
    keep(app, "The pricing service belongs to Ines")
    for number in range(20):
        keep(app, f"Odo painted boat {number} of the ferry line")
    verdict = run(app, f"What does {asked} like to eat for breakfast on a cold winter morning?").abstention
    assert verdict
    assert verdict.score >= verdict.threshold
    assert verdict.abstained == abstains
    question = f"What does {asked} like to eat for breakfast on a cold winter morning?"
    trace = xray_new_recall(app, RecallInput(query=question, namespace=HERE)).abstention
    assert trace
    assert trace.shown_for == (None if abstains else "one of the first memories holds every name in the question")


def test_an_explanation_says_what_a_doubt_comes_from(house: Opener) -> None:
    app = house()
    keep(app, "the harbour crane lifts forty tonnes")
    trace = xray_new_recall(app, RecallInput(query="what does the crane lift?", namespace=HERE)).abstention
    assert trace
    assert trace.near is not None
    assert trace.met is not None
    assert trace.held is not None
    assert trace.doubt == pytest.approx(1 - (2 * trace.near + 3 * trace.met + trace.held) / 6, abs=1e-5)
    words = signs_in_words(trace, trace.measured["near"])
    assert words.startswith(
        f"{trace.doubt:.2f} = 1 − (2 × {trace.near:.4f} nearness in meaning (mean of the nearest: [1])"
        f" + 3 × {trace.met:.4f} what the reranker gives (mean of its best: [1])"
        f" + 1 × {trace.held:.4f} share of the question's words that the first of the ranking hold together ([1]), rare"
    )
    assert words.endswith(") / 6, of all that the filters let pass, shown or not")
    assert degrees_in_words(trace) == (
        "sure below 0.3, fairly sure below 0.5, not sure below 0.6, perhaps not known from 0.6 on, refused from 0.65 on"
    )


def test_the_memories_that_a_doubt_is_measured_on_are_those_whose_numbers_make_it_up(house: Opener) -> None:
    app = house()
    for words in ("the crane lifts forty tonnes", "the crane is painted red", "a crane driver eats lunch at noon"):
        keep(app, words)
    shown = xray_new_recall(app, RecallInput(query="what does the crane lift?", namespace=HERE, top_k=2))
    trace = shown.abstention
    assert trace
    assert trace.near is not None
    listed = (*shown.results, *shown.rejected)
    vector = {each.memory_id: leg.raw_score for each in listed for leg in each.contributions if leg.leg == "vector"}
    assert vector[trace.measured["near"][0]] == pytest.approx(trace.near, abs=1e-5)
    assert len(trace.measured["held"]) == 3
    assert "hold together ([1], [2] and one left out), rare" in signs_in_words(
        trace, [each.memory_id for each in shown.results]
    )


@pytest.mark.parametrize(
    ("doubt_told", "words"), [(0.4, "the most it can be where edges"), (0.6, "the least it can be"), (0.41, "")]
)
def test_of_a_bounded_doubt_the_bound_is_told(doubt_told: float, words: str) -> None:
    assert words in signs_in_words(AbstentionTrace(doubt=doubt_told, threshold=0.65, abstained=False))
