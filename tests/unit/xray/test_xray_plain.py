"""Recalls and made-up snapshots in, how plainly an explanation tells them out: one name a thing, nothing said twice."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kits.pages import listed, parsed
from kits.rendering import empty, holding
from kits.vault import HERE, NOON, Opener, a_memory, file_memories, run
from kits.why import CRANE, cranes, order, told
from pellucid.model.memory import unpack_id
from pellucid.model.snapshot import (
    AbstentionTrace,
    ContextTrace,
    EpisodeTrace,
    FilterTrace,
    LegHealth,
    OmittedMemory,
    Provenance,
    QueryRead,
    RejectedCandidate,
    StageTrace,
    Staleness,
    TierExplain,
)
from pellucid.operations.document.indexing import IndexDocsInput, index_docs
from pellucid.operations.recall.recalling import build_snapshot, xray_by_id, xray_new_recall
from pellucid.operations.recall.request import RecallInput, removable_parts, spell_parts
from pellucid.recall.receipt.record import pack, unpack
from pellucid.recall.rescore import rescore
from pellucid.xray.render.formats import Format, render
from pellucid.xray.render.terms import SCORE_KEYS, term_name
from pellucid.xray.words.failures import failure_in_words
from pellucid.xray.words.rungs import repeat_in_words

SPEC = "---\nid: SPEC-{number}\ntitle: {title}\nstatus: Final\n{more}---\n\n## Abstract\n\n{text}\n"
_SECTION: dict[str, Any] = {"category": "section", "session_id": "doc-1"}


def tier(reason: str) -> TierExplain:
    return TierExplain(tier="hybrid", tier_reason=reason, candidates_considered=2, latency_ms=0.1)


def test_every_term_that_a_text_shows_is_a_name_that_without_takes() -> None:
    shown = {term_name(each) for each in SCORE_KEYS} - {"final", "subQueries"}
    assert set(spell_parts(tuple(shown))) <= set(removable_parts())
    assert {"rerankPassage", "tierPrior", "reinforcement", "lexical"} <= shown & set(removable_parts())


def test_without_takes_either_spelling_and_the_names_of_the_json_form() -> None:
    spelled = RecallInput(
        query="q", namespace=HERE, without=("rerank_passage", "bm25", "reinforcementBoost", "tierPrior")
    )
    assert spelled.without == ("rerankPassage", "lexical", "reinforcement", "tierPrior")
    assert spell_parts(("luck", "tier_prior")) == ("luck", "tierPrior")


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
def test_what_failed_is_told_in_the_head_without_the_name_of_a_class(form: str) -> None:
    snapshot = empty(
        legs=(LegHealth(name="graph", health="degraded", reason="no such table", admitted=0, open=0),),
        stages=(StageTrace(name="rerank", ms=1.0, note="failed: EncoderError: cross-encoder: the model is gone"),),
    )
    drawn = render(snapshot, form)  # pyright: ignore[reportArgumentType]
    assert "EncoderError" not in drawn
    head = drawn.partition({"text": "--- legs", "markdown": "## Legs", "html": "<main>"}[form])[0]
    assert "graph: no such table; rerank failed, and was left out: cross-encoder: the model is gone" in head


def test_the_class_of_a_fault_that_is_not_ours_is_kept() -> None:
    assert failure_in_words("failed: KeyError: 'x'") == "KeyError: 'x'"
    assert failure_in_words("failed: re: matched") == "re: matched"


def test_a_direct_answer_that_was_not_in_question_is_left_out_of_the_text() -> None:
    for reason in ("no-candidates", "ineligible-taxonomy-bucket", "below-importance-floor"):
        for form in ("text", "markdown"):
            assert "irect answer" not in render(empty(tier_explain=tier(reason)), form)
    told = "an answer by itself: no decision, rule or preference here holds enough of the question's words"
    assert told in render(empty(tier_explain=tier("below-token-overlap-floor")), "text")
    assert "no decision, rule or preference" in render(
        empty(tier_explain=tier("ineligible-taxonomy-bucket")), "text", verbose=True
    )


def test_those_not_shown_of_one_reason_are_told_without_a_sum() -> None:
    rungs = (FilterTrace(name="top-k", considered=60, admitted=5),)
    assert "(55 weaker ones not listed)" in render(empty(filters=rungs, rejected_total=55), "text")
    rungs = (FilterTrace(name="trust-zone", considered=3, admitted=2),)
    assert "(1 in quarantine not listed)" in render(empty(filters=rungs, rejected_total=1), "text")


def test_a_page_folds_legs_that_were_idle_and_what_found_no_room() -> None:
    legs = (
        LegHealth(name="vector", health="ok", admitted=2, open=0),
        LegHealth(name="graph", health="off", reason="the query names nothing", admitted=0, open=0),
    )
    omitted = (
        OmittedMemory(memory_id="mem_1", reason="needs 2234 of 2000 characters, and no passage of it fits"),
        OmittedMemory(memory_id="mem_2", reason="a pass left it out"),
    )
    drawn = render(empty(legs=legs, context=ContextTrace(omitted=omitted)), "html")
    assert [each["Leg"] for each in listed(parsed(drawn), "legs")] == ["vector", "graph"]
    assert "<details><summary>1 leg with nothing to look for</summary>" in drawn
    folded = drawn.partition("<summary>1 without room in the budget</summary>")[2]
    assert "with it the context is 234 characters too long" in folded
    assert "mem_2" not in folded


@pytest.mark.parametrize(("count", "folds"), [(10, False), (11, True)])
def test_a_page_folds_many_that_the_context_left_out_for_another_reason_than_room(count: int, folds: bool) -> None:
    omitted = tuple(OmittedMemory(memory_id=f"mem_{at}", reason="no edge leads to it") for at in range(count))
    drawn = render(empty(context=ContextTrace(omitted=omitted)), "html")
    assert (f"<summary>{count} for another reason than room</summary>" in drawn) == folds
    assert f"mem_{count - 1}" in drawn


def test_a_retired_section_is_told_once_and_no_twin_says_that_it_is_safe() -> None:
    retired = Provenance(
        source="document",
        scope="namespace:a/b",
        retrieval_reason="served-by=hybrid",
        confidence=0.9,
        stale=True,
        corrected=False,
        correction_state="none",
        safe_to_use=False,
        safety="requires-review",
        safety_reasons=("document=superseded by SPEC-034", "stale=true"),
    )
    due = Staleness(age_days=0, superseded=True, retired="superseded by SPEC-034", due=True)
    drawn = render(holding(provenance=retired, staleness=due), "text", verbose=True)
    assert "    safety: requires-review: its document is superseded by SPEC-034\n" in drawn
    assert drawn.count("superseded by SPEC-034") == 1
    for twin in ("stale=", "safe=", "retrieval-reason", "staleness: "):
        assert twin not in drawn


def test_a_question_of_no_class_that_is_searched_in_full_has_no_reading() -> None:
    plain = QueryRead(query_class="other", depth="full", reason="asks something")
    assert "read-as" not in render(empty(plan=plain), "text", verbose=True)
    dated = plain.model_copy(update={"period": "last week"})
    assert "read-as: about last week\n" in render(empty(plan=dated), "text")
    said = dated.model_copy(update={"dates_what_was_said": True, "depth": "minimal"})
    assert "read-as: searched in minimal (asks something); about what was said last week\n" in render(
        empty(plan=said), "text"
    )


def test_what_did_not_fit_says_by_how_much_and_why_says_what_room_was_left(house: Opener) -> None:
    app = house(char_budget=400, top_k_facts=20)
    ids = cranes(app)
    snapshot = xray_new_recall(app, RecallInput(query=CRANE, namespace=HERE))
    lost = [each for each in snapshot.rejected if each.rejected_by == "budget-fit"]
    assert lost
    assert all(each.margin and each.margin > 0 for each in lost)
    assert f"budget-fit: with it the context is {lost[0].margin:.0f} characters too long; final=" in render(
        snapshot, "text"
    )
    missed = next(each for each in ids if each not in order(app, CRANE))
    answer = told(app, missed, CRANE)
    left = snapshot.budget.chars - snapshot.budget.used
    assert f"but did not fit: {left} of 400 characters were left. Raising the budget to" in answer.sentence


def test_a_result_is_told_with_the_end_of_its_passage_and_what_was_turned_away_by_its_beginning(house: Opener) -> None:
    app, rope = house(top_k_facts=1), "with a rope of hemp, " * 8
    first, second = (a_memory(n, f"The crane {n} lifts timber {rope}and never steel") for n in (1, 2))
    file_memories(app, [first, second])
    shown = xray_new_recall(app, RecallInput(query="which crane 1 lifts timber", namespace=HERE))
    (result,), (away,) = shown.results, shown.rejected
    whole = {each.id: each.content for each in (first, second)}
    assert shown.words[result.memory_id] == whole[result.memory_id]
    assert shown.words[away.memory_id].endswith("…")
    assert len(shown.words[away.memory_id]) <= 160


def test_a_repeat_of_what_was_left_out_is_counted_and_not_listed(house: Opener) -> None:
    app = house()
    cranes(app, 6)
    receipt = unpack(pack(run(app, CRANE, top_k=1)))
    pool, ranking = rescore(receipt.state)
    better, worse = [at for at in ranking.tolist() if pool.rejected[at]][:2]
    repeating = replace(receipt, state=replace(receipt.state, repeats={worse: better}))
    snapshot = build_snapshot(app, repeating, turned_away=1_000)
    named = {each.memory_id for each in snapshot.rejected}
    assert unpack_id(pool.ids[better]) in named
    assert unpack_id(pool.ids[worse]) not in named
    assert snapshot.rejected_total == len(named) + 1


def test_an_edge_that_is_asked_for_begins_the_sentence(house: Opener, tmp_path: Path) -> None:
    app = house(tmp_path / "home")
    folder = tmp_path / "specs"
    folder.mkdir()
    texts = {
        1: SPEC.format(number=1, title="The gate", more="requires: 2\n", text="Boats wait before the gate for water."),
        2: SPEC.format(number=2, title="Tide tables", more="", text="Tables say when the water is highest."),
    }
    for number, text in texts.items():
        (folder / f"spec-{number}.md").write_text(text, "utf-8")
        os.utime(folder / f"spec-{number}.md", (NOON.timestamp() - 3600,) * 2)
    index_docs(app, IndexDocsInput(namespace=HERE, paths=(folder,)))
    snapshot = xray_new_recall(app, RecallInput(query="what does SPEC-1 require", namespace=HERE))
    assert snapshot.results[0].why.startswith("SPEC-1 depends on SPEC-2, as the question asks: found ")
    assert "the largest term of its score is its place along the graph (" in snapshot.results[0].why


def test_a_hit_says_once_how_it_was_found(house: Opener) -> None:
    app = house()
    (kept, *_) = cranes(app, 3)
    answer = told(app, kept, CRANE)
    assert answer.sentence.lower().count("by meaning") == 1
    assert answer.sentence.startswith("It is in the context, at place ")
    assert ": found " in answer.sentence


def test_a_licence_that_gives_way_to_its_document_is_said_to_be_one_and_not_a_repeat(house: Opener) -> None:
    app = house()
    file_memories(
        app,
        [
            a_memory(1, "SPEC-1: The harbour gate › Sill\nThe sill of the harbour gate is deep.", **_SECTION),
            a_memory(2, "SPEC-1: The harbour gate › Licence\nMIT, all of it.", **_SECTION),
        ],
    )
    asked = RecallInput(query="how deep is the sill of the harbour gate", namespace=HERE)
    now = xray_new_recall(app, asked)
    (licence,) = (each for each in now.rejected if each.rejected_by == "repeats")
    title = "holds nothing of what is asked but its document's title, and gives way to [1] of that document"
    assert (licence.memory_id, licence.reason) == (f"mem_{2:032x}", title)
    assert xray_by_id(app, HERE, now.snapshot_id).rejected == now.rejected


def test_a_repeat_that_scores_higher_is_told_why_the_lower_one_is_kept() -> None:
    assert repeat_in_words("[2]", shown=True) == "repeats [2]"
    told = repeat_in_words("[2]", shown=True, above=True)
    assert told.startswith("repeats [2], which is kept though it scores lower")


def test_what_top_k_cut_says_where_it_falls_behind_and_what_speaks_for_it() -> None:
    apart = {"rerank": -0.5392, "vector": -0.2245, "expansion": 0.7600}
    lost = RejectedCandidate(
        memory_id="mem_9", rejected_by="top-k", reason="beyond topK", margin=0.0071, behind=apart, final=0.5
    )
    said = "score 0.0071 below the last one within top-k: rerank -0.5392, vector -0.2245; ahead in expansion +0.7600"
    shown = empty(rejected=(lost,), rejected_total=1)
    assert f"{said}; the rest -0.0034; final=0.5000" in render(shown, "text")
    assert f"{said}; the rest -0.0034" in render(shown, "markdown")


def test_candidates_that_no_leg_found_are_counted_beside_the_legs() -> None:
    leg = LegHealth(name="vector", health="ok", admitted=3, open=0)
    assert "\n- neighbours: 2 more, beside these in their session or document\n" in render(
        empty(legs=(leg,), neighbours=2), "text"
    )
    assert "| neighbours |" in render(empty(legs=(leg,), neighbours=2), "markdown")
    assert "neighbours:" not in render(empty(legs=(leg,)), "text")


def test_what_came_short_is_compared_with_a_result_by_its_number_or_with_one_that_was_left_out() -> None:
    lost = RejectedCandidate(
        memory_id="mem_9", rejected_by="top-k", reason="beyond topK", margin=0.5, behind={"vector": -0.5}, final=0.5
    )
    shown = holding(memory_id="mem_1").model_copy(update={"rejected": (lost,), "rejected_total": 1})
    within = "score 0.5000 below the last one within top-k"
    for last, named in (("mem_1", " ([1])"), ("mem_7", " (which was itself left out)"), (None, "")):
        told_of = render(shown.model_copy(update={"last_kept": last}), "text")
        assert f"{within}{named}: vector -0.5000; final=" in told_of


@pytest.mark.parametrize("form", ["text", "markdown", "html", "json"])
def test_a_term_in_which_only_what_was_left_out_differs_is_told_of_in_every_form(form: Format) -> None:
    lost = RejectedCandidate(
        memory_id="mem_9",
        rejected_by="top-k",
        reason="beyond topK",
        margin=1.0,
        behind={"named": -0.8, "asking": -0.2},
        final=0.5,
    )
    shown = holding(scores={"vector": 1.0}).model_copy(update={"rejected": (lost,), "rejected_total": 1})
    whole = render(shown, form)
    assert "whom it is by or about" in whole or form == "json"
    assert "that it ends in a question" in whole or form == "json"


def test_of_what_was_left_out_it_is_said_that_the_doubt_is_measured_on_it() -> None:
    trace = AbstentionTrace(doubt=0.4, threshold=1.0, abstained=False, near=0.6, measured={"near": ("mem_1", "mem_9")})
    lost = RejectedCandidate(memory_id="mem_9", rejected_by="repeats", reason="repeats [1]", final=0.5)
    shown = holding(memory_id="mem_1").model_copy(update={"rejected": (lost,), "abstention": trace})
    assert "(mean of the nearest: [1] and one left out)" in render(shown, "text")
    assert "    repeats [1]; the doubt is measured on it, too; final=0.5000" in render(shown, "text")


def test_the_other_episodes_that_a_context_ends_with_are_told_with_the_reason() -> None:
    episodes = tuple(EpisodeTrace(episode_id=f"ep_{at}", score=0.5, matches=at) for at in (0, 2))
    said = (
        "the topics of 2 other episodes: 1 whose memories were found, but were weaker and 1 whose topic alone is near"
    )
    shown = holding().model_copy(update={"context": ContextTrace(included=("mem_1",), episodes=episodes)})
    assert f"(the context ends with {said} the question)" in render(shown, "text")
    assert "other episodes" not in render(holding(), "text")
