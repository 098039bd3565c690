"""Real recalls and made-up numbers in; what the snapshot, its provenance and its sentences say of them out."""

import re
from datetime import datetime, timedelta
from typing import Any

import pytest

from kits.sentences import untrue
from kits.vault import HERE, NOON, SESSIONS, Opener, a_memory, bring_in, edit, file_memories, keep, run
from pellucid.app import App
from pellucid.clock import isoformat
from pellucid.model.memory import BOUNDARY_SCOPES, STATUSES
from pellucid.model.snapshot import LegContribution, RecallXraySnapshot, RerankDetail, ScoreDecomposition
from pellucid.operations.recall.recalling import RecallInput, build_snapshot, recall, xray_by_id, xray_new_recall
from pellucid.recall.receipt.record import pack, unpack
from pellucid.recall.state import Request
from pellucid.settings import settings_hash
from pellucid.settings.sections import RecallSettings
from pellucid.xray.provenance import is_stale, provenance
from pellucid.xray.render.formats import render
from pellucid.xray.words.numbers import ordinal
from pellucid.xray.words.sentence import legend, sentence

QUESTIONS = (
    "When do we release?",
    "One cache for all tenants?",
    "How do I roll back the quote cache?",
    "Tomás allergic",
    "May an invoice get a new number?",
    "港口",
    "How many nodes has the search cluster?",
    "the of a",
)


@pytest.fixture
def told(house: Opener) -> App:
    app = house()
    bring_in(app, SESSIONS)
    bring_in(app, SESSIONS / "onboarding-chat.json", mode="verbatim")
    keep(app, "We cut releases on Tuesdays, and Ines signs them.", pinned=True)
    return app


def explained(app: App, query: str, **given: object) -> RecallXraySnapshot:
    return xray_new_recall(app, RecallInput(query=query, namespace=HERE, **given))


def test_a_snapshot_names_its_trace_and_what_a_memory_is_sure_of_and_worth(told: App) -> None:
    snapshot = explained(told, "When do we release?")
    assert snapshot.snapshot_id == f"rec_{snapshot.trace_id}"
    filled = [(each.provenance.confidence_tier, each.provenance.importance_level) for each in snapshot.results]
    assert filled
    assert all(tier and level for tier, level in filled)


@pytest.mark.requirement("REC-1")
def test_the_terms_less_the_penalty_are_the_final_score(house: Opener) -> None:
    app = house(mmr_lambda=0.6, mmr_threshold=0.3, importance_weight=0.3)
    bring_in(app, SESSIONS)
    keep(app, "We cut releases on Tuesdays, and Ines signs them.", pinned=True)
    penalised = pinned = 0
    for query in QUESTIONS:
        for result in explained(app, query).results:
            scores = result.score_decomposition.model_dump(exclude_none=True)
            final, penalty = scores.pop("final"), scores.pop("mmr_penalty", 0.0)
            assert sum(scores.values()) - penalty == pytest.approx(final, abs=1e-9)
            assert penalty >= 0
            penalised += penalty > 0
            pinned += "pin" in scores
    assert penalised > 5
    assert pinned > 0


def test_what_the_snapshot_says_is_what_the_recall_did(told: App) -> None:
    state = run(told, "When do we release?", top_k=4, budget=600)
    snapshot = build_snapshot(told, unpack(pack(state)))
    assert snapshot.query == "When do we release?"
    assert snapshot.snapshot_id == state.request.recall_id
    assert snapshot.budget.used == len(state.context.text) <= snapshot.budget.chars == 600
    assert snapshot.context.included == state.context.included == tuple(each.memory_id for each in snapshot.results)
    assert [(rung.name, rung.considered, rung.admitted) for rung in snapshot.filters] == [
        (rung.name, rung.considered, rung.admitted) for rung in state.rungs
    ]
    assert snapshot.weights == told.settings.recall.leg_weights.model_dump(by_alias=True)
    assert snapshot.settings_hash == settings_hash(state.request.settings)
    assert snapshot.eligible
    assert snapshot.eligible.memories == len(told.index.memories(HERE))
    assert snapshot.rejected_total == int((state.pool.rejected > 0).sum())
    assert [stage.name for stage in snapshot.stages] == [stage.name for stage in state.stages]
    paths = {each.memory.id: each.path for each in told.index.memories(HERE)}
    assert all(result.path == paths[result.memory_id] for result in snapshot.results)


def test_contributions_are_the_legs_own_numbers(told: App) -> None:
    state = run(told, "When do we cut releases?")
    snapshot = build_snapshot(told, unpack(pack(state)))
    pool, weights = state.pool, told.settings.recall.leg_weights.model_dump()
    at = {f"mem_{raw.ljust(16, bytes(1)).hex()}": place for place, raw in enumerate(pool.ids)}
    for result in snapshot.results:
        for each in result.contributions:
            assert each.rank == pool.ranks[each.leg][at[result.memory_id]]
            assert each.raw_score == pool.scores[each.leg][at[result.memory_id]]
            assert each.term == pytest.approx(weights[each.leg] * 11 / (10 + each.rank))
            for index in each.matches:
                word = snapshot.query_terms[index].casefold()
                assert word[:5] in told.index.memories(HERE, [result.memory_id])[0].memory.content.casefold()
        if result.rerank:
            assert result.rerank.term == pytest.approx(weights["rerank"] * 11 / (10 + result.rerank.rank))
    ranks = [result.rerank.rank for result in snapshot.results if result.rerank]
    assert len(set(ranks)) == len(ranks)


def test_a_neighbour_without_a_nomination_is_served_by_its_episode(told: App) -> None:
    seen = {"episode": 0, "hybrid": 0}
    for query in QUESTIONS:
        for result in explained(told, query, top_k=60, budget=100_000, without=("graph",)).results:
            assert "+0.00)" not in result.why
            if result.score_decomposition.direct:
                assert result.served_by == "direct-answer"
                continue
            assert result.served_by == ("hybrid" if result.contributions else "episode")
            seen[result.served_by] += 1
            if result.served_by == "episode":
                assert result.why.startswith("Not found by itself")
                assert result.score_decomposition.expansion
    assert seen["hybrid"] > 50
    tight = told.settings.recall.model_copy(update={"pool": 2, "expand_from": 2})
    from dataclasses import replace

    narrow = replace(told, settings=told.settings.model_copy(update={"recall": tight}))
    served = [
        result.served_by for query in QUESTIONS for result in explained(narrow, query, without=("graph",)).results
    ]
    assert "episode" in served


def test_what_only_the_fallback_brought_is_a_recent_scan(told: App) -> None:
    results = explained(told, "zyzzyva", without=("vector", "expand")).results
    assert results
    assert {result.served_by for result in results} == {"recent-scan"}
    assert all("by age, as a fallback" in result.why for result in results)


def test_a_miss_names_the_first_rung_that_stopped_it_and_by_how_much(house: Opener) -> None:
    app = house(top_k_facts=1, min_fact_score=0.2)
    file_memories(
        app,
        [
            a_memory(1, "the harbour crane lifts forty tonnes"),
            a_memory(2, "a crane in the harbour"),
            a_memory(3, "the harbour crane was sold", status="retracted"),
            a_memory(4, "invoices are sent on Fridays"),
        ],
    )
    snapshot = explained(app, "harbour crane")
    missed = {int(each.memory_id[4:], 16): each for each in snapshot.rejected}
    winner = int(snapshot.results[0].memory_id[4:], 16)
    loser = 3 - winner
    assert missed[loser].rejected_by == "top-k"
    assert missed[loser].margin == pytest.approx(
        snapshot.results[0].score_decomposition.final - missed[loser].final, abs=1e-12
    )
    assert (missed[3].rejected_by, missed[3].reason, missed[3].margin) == ("status-active", "not active", None)
    assert [(each.leg, each.term) for each in missed[3].contributions] == [
        ("vector", 0.0),
        ("lexical", 0.0),
        ("passage", 0.0),
    ]
    assert missed[4].rejected_by == "score-floor"
    cosine = next(each.raw_score for each in missed[4].contributions if each.leg == "vector")
    assert missed[4].margin == pytest.approx(0.2 - cosine, abs=1e-6)
    assert snapshot.rejected_total == 3


@pytest.mark.requirement("XRAY-1")
def test_the_snapshot_is_a_function_of_the_receipt_and_follows_the_memory(told: App) -> None:
    first = explained(told, "When do we cut releases?")
    assert xray_by_id(told, HERE, first.snapshot_id) == first
    target = first.results[0]
    edit(told.settings.home, target.path, "status: active", "status: archived")
    told.unit_of_work.take_over_edits()
    later = xray_by_id(told, HERE, first.snapshot_id)
    assert later.results[0].score_decomposition == target.score_decomposition
    assert later.results[0].provenance
    assert later.results[0].provenance.stale
    (told.settings.home / "vault" / target.path).unlink()
    told.unit_of_work.take_over_edits()
    gone = xray_by_id(told, HERE, first.snapshot_id).results[0]
    assert (gone.memory_id, gone.path, gone.provenance) == (target.memory_id, "", None)


def test_the_instant_shown_is_the_instant_asked_about_to_the_millisecond(told: App) -> None:
    for _ in range(60):
        state = run(told, "releases")
        snapshot = build_snapshot(told, unpack(pack(state)))
        assert snapshot.as_of == isoformat(state.request.at)
        assert snapshot.captured_at == round(state.request.at.timestamp() * 1000)


def scores(**terms: float) -> ScoreDecomposition:
    return ScoreDecomposition(**terms, final=sum(terms.values()))


def leg(name: str, rank: int, raw: float = 0.5, matches: tuple[int, ...] = ()) -> LegContribution:
    return LegContribution(leg=name, rank=rank, raw_score=raw, score_type="x", matches=matches, term=1.0)


FIVE = dict.fromkeys(range(5), "")


def test_a_sentence_says_who_found_it_and_what_weighs_most() -> None:
    reranked = RerankDetail(backend="late-interaction", rank=3, raw_score=0.4, term=0.1)
    said = sentence(
        [leg("vector", 2, 0.714), leg("lexical", 1, 4.2, (0, 2))],
        reranked,
        scores(vector=0.9, rerank=0.1, bm25=0.3),
        FIVE,
    )
    assert said.startswith("Found 2nd by meaning (cosine 0.71) and 1st by words (2 of the question's 5 key words)")
    assert ", placed 3rd by the reranker; " in said
    assert said.endswith("; the largest term of its score is its place by meaning (0.90 of 1.30).")
    assert sentence([], None, scores(expansion=0.2), {}).startswith("Not found by itself")
    assert "reranker" not in sentence([], None, scores(expansion=0.2), {})


def test_a_sentence_names_the_words_that_matched_unless_all_did_or_none_were_kept() -> None:
    some, every = [leg("lexical", 1, 4.2, (0, 2))], [leg("lexical", 1, 4.2, (0, 1, 2))]
    words = dict(enumerate(("roll", "back", "cache")))
    said = sentence(some, None, scores(bm25=0.3), words)
    assert "1st by words (2 of the question's 3 key words: roll, cache); the" in said
    assert untrue(said, some, None, scores(bm25=0.3), words) == []
    assert untrue(said.replace("roll, cache", "back, cache"), some, None, scores(bm25=0.3), words)
    assert "(3 of the question's 3 key words)" in sentence(every, None, scores(bm25=0.3), words)
    assert "(2 of the question's 3 key words)" in sentence(some, None, scores(bm25=0.3), dict.fromkeys(range(3), ""))


def test_the_legend_says_when_a_word_counts_and_what_neighbours_are() -> None:
    told = legend([scores(bm25=0.3, expansion=0.2)])
    assert told["bm25"].startswith("its place by words; a key word counts as held where a word of its stem stands")
    assert told["expansion"].startswith(
        "what its neighbours lend it (neighbours: the memories around it in its session"
    )
    assert legend([scores(vector=0.3)]) == {"vector": "its place by meaning"}


def test_what_is_there_for_its_neighbours_is_told_so_first_and_only_then() -> None:
    found = [leg("vector", 15, 0.22)]
    said = sentence(found, None, scores(vector=0.4, expansion=0.7, passage=0.2), FIVE)
    assert said == (
        "Here mostly because of its neighbours (they make 0.80 of its 1.30): found 15th by meaning (cosine 0.22)."
    )
    assert untrue(said, found, None, scores(vector=0.4, expansion=0.7, passage=0.2), FIVE) == []
    lent = sentence(found, None, scores(vector=0.4, expansion=0.7, passage=0.2), FIVE, lender="[2]")
    assert "(they make 0.80 of its 1.30, above all [2]): found 15th" in lent
    lent = sentence(found, None, scores(vector=0.5, bm25=0.2, expansion=0.6), FIVE, lender="[3]")
    assert lent.endswith("is what its neighbours lend it (0.60 of 1.30, above all by [3]).")
    assert untrue(said, found, None, scores(vector=0.9, expansion=0.4), FIVE)
    hardly = sentence(found, None, scores(vector=0.1, expansion=0.7, passage=0.2), FIVE)
    assert hardly.startswith("Here mostly because of its neighbours, hardly for itself (they make 0.80 of its 1.00): ")
    assert untrue(
        said.replace(" (they", ", hardly for itself (they"), found, None, scores(vector=0.4, expansion=0.9), FIVE
    )
    assert sentence(found, None, scores(vector=0.5, expansion=0.5), FIVE).startswith("Here mostly")
    assert not sentence(found, None, scores(vector=0.6, expansion=0.5), FIVE).startswith("Here")


def test_the_neighbour_that_lends_most_is_named_and_is_of_the_same_session(told: App) -> None:
    sessions = {each.memory.id: each.memory.session_id for each in told.index.memories(HERE)}
    named = 0
    for query in QUESTIONS:
        results = explained(told, query).results
        for result in results:
            if lender := re.search(r"above all (?:by )?\[(\d+)\]", result.why):
                neighbour = results[int(lender[1]) - 1]
                assert neighbour.memory_id != result.memory_id
                assert sessions[neighbour.memory_id] == sessions[result.memory_id] is not None
                named += 1
    assert named


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("vector", "its place by meaning"),
        ("bm25", "its place by words"),
        ("recent", "its place by age, as a fallback"),
        ("pin", "its pin"),
        ("rerank", "its place with the reranker"),
        ("expansion", "what its neighbours lend it"),
        ("importance", "how important it is held to be"),
        ("temporal", "how lately it was written down or indexed"),
    ],
)
def test_the_term_named_last_is_the_largest(name: str, words: str) -> None:
    others = dict.fromkeys(("vector", "bm25", "rerank"), 0.3)
    assert sentence([], None, scores(**{**others, name: 0.9}), {}).endswith(
        f" {words} (0.90 of {others_sum(name):.2f})."
    )


def others_sum(name: str) -> float:
    return sum({**dict.fromkeys(("vector", "bm25", "rerank"), 0.3), name: 0.9}.values())


WHOLE: dict[str, Any] = {
    "contributions": [leg("vector", 2, 0.714), leg("lexical@2", 1, 4.2, (0, 2))],
    "reranked": RerankDetail(backend="late-interaction", rank=3, raw_score=0.4, term=0.1),
    "scores": scores(vector=0.9, rerank=0.1, sub_queries=0.3, named=0.8, asking=-0.2),
    "key_words": FIVE,
}


def test_what_a_sentence_says_is_true_of_its_terms_and_a_lie_is_found() -> None:
    said = sentence(**WHOLE)
    assert untrue(said, **WHOLE) == []
    lies = {
        "2nd by meaning": "1st by meaning",
        "cosine 0.71": "cosine 0.17",
        "3rd by the rer": "4th by the rer",
        "+0.80": "+0.90",
        "its place by meaning (": "its place by words (",
        "ending in a question": "ending in a statement",
        "in sub-question 1": "in sub-question 2",
        "0.90 of": "0.80 of",
        "Found": "Not found by itself: it stands beside a match in its session, found",
    }
    for true, false in lies.items():
        assert true in said
        assert untrue(said.replace(true, false, 1), **WHOLE), false
    assert untrue(sentence(**WHOLE), **{**WHOLE, "scores": scores(vector=0.9, rerank=1.1)})


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (1, "1st"),
        (2, "2nd"),
        (3, "3rd"),
        (4, "4th"),
        (11, "11th"),
        (12, "12th"),
        (13, "13th"),
        (20, "20th"),
        (21, "21st"),
        (22, "22nd"),
        (101, "101st"),
        (111, "111th"),
        (113, "113th"),
        (123, "123rd"),
    ],
)
def test_ordinals(number: int, said: str) -> None:
    assert ordinal(number) == said


REQUEST = Request("q", HERE, "rec_1", NOON, RecallSettings())


@pytest.mark.parametrize("status", STATUSES)
def test_provenance_says_whether_a_memory_is_safe_as_it_stands(status: str) -> None:
    shown = provenance(a_memory(1, "x", status=status), REQUEST, "hybrid")
    expected = "safe" if status == "active" else "requires-review"
    assert shown.safety == ("blocked" if status in ("forgotten", "rejected", "quarantined") else expected)
    assert shown.safe_to_use == (shown.safety == "safe") == (status == "active")
    assert shown.stale == (status in ("superseded", "archived", "forgotten", "retracted"))
    assert (f"status={status}" in shown.safety_reasons) == (status != "active")
    assert shown.corrected == (status in ("forgotten", "superseded", "disputed"))


def test_provenance_carries_origin_and_scope() -> None:
    memory = a_memory(1, "x", category="correction", scopes=("private", "team"), confidence=0.8, source="import")
    shown = provenance(memory, REQUEST, "episode")
    assert (shown.source, shown.scope, shown.retrieval_reason) == ("import", f"namespace:{HERE}", "served-by=episode")
    assert shown.user_context_scopes == ("private", "team")
    assert shown.confidence == 0.8
    assert shown.created == isoformat(NOON)
    assert shown.correction_state == "correction"
    assert shown.safety == "blocked"
    assert shown.safety_reasons == ("boundary-blocked=private",)
    granted = Request("q", HERE, "rec_1", NOON, RecallSettings(), scopes=BOUNDARY_SCOPES)
    assert provenance(memory, granted, "hybrid").safety == "safe"


def test_a_memory_is_stale_from_the_instant_its_time_ends() -> None:
    for key in ("expires_at", "invalid_at"):
        memory = a_memory(1, "x", **{key: NOON})
        assert is_stale(memory, NOON)
        assert not is_stale(memory, NOON - timedelta(milliseconds=1))
    assert not is_stale(a_memory(1, "x"), NOON)


def test_what_repeats_another_names_the_result_that_says_it(house: Opener) -> None:
    app = house()
    said = "The harbour crane lifts forty tonnes every morning"
    for number, words in ((1, said), (2, f"{said}, in the rain")):
        file_memories(app, [a_memory(number, words, session_id="one", evidence=("one:4-4",))])
    snapshot = explained(app, "what does the harbour crane lift")
    assert [(each.rejected_by, each.reason) for each in snapshot.rejected] == [("repeats", "repeats [1]")]
    assert "    repeats [1]; " in render(snapshot, "text")


def test_what_is_newer_than_another_answer_names_it_by_number_and_id_and_says_its_words(house: Opener) -> None:
    app, older, newer = house(), "The relay listens on port 7070.", "The relay listens on port 9090 for everybody."
    memories = [
        a_memory(1, older, created=NOON - timedelta(days=9), session_id="one"),
        a_memory(2, newer, created=NOON - timedelta(days=1), session_id="two"),
    ]
    file_memories(app, memories)
    query = "which port does the relay listen on"
    snapshot = explained(app, query)
    first, second = snapshot.results
    assert [first.memory_id, second.memory_id] == [memories[1].id, memories[0].id]
    assert first.newer_than == memories[0].id
    assert second.newer_than is None
    assert f"which is older and answers much the same ({first.score_decomposition.renewal:+.2f})" in first.why
    for form in ("text", "markdown", "html"):
        told = re.sub(r"<[^>]+>|[`*]", "", render(snapshot, form)).casefold()
        lines = [each[:160] for each in re.split(r"moved.above", told)[1:]]
        assert any(older.casefold() in line and memories[0].id in line for line in lines), form
    alone = explained(app, query, top_k=1)
    moved = "moved just above a memory that was itself left out"
    assert f"{moved} ({memories[0].id}), which is older and answers much the same (" in alone.results[0].why
    assert f'moved-above: "{older}" ({memories[0].id})' in render(alone, "text")
    assert f'{moved} ("{older}" ({memories[0].id})), which is older' in render(alone, "text")


@pytest.mark.parametrize(
    ("older", "made", "said"),
    [
        (
            "The relay listens on port 7070.",
            NOON - timedelta(days=9),
            "moved just above [2], which is older and answers much the same (+",
        ),
        (
            "The relay listens on port 7070.",
            NOON - timedelta(hours=5),
            "moved just above [2], which was said before it and answers much the same (+",
        ),
        (
            "Does the relay listen on port 7070?",
            NOON - timedelta(days=9),
            "moved just above [2], which was said before it and answers much the same",
        ),
    ],
)
def test_what_is_moved_up_is_called_newer_only_beside_a_statement_of_an_earlier_day(
    house: Opener, older: str, made: datetime, said: str
) -> None:
    app = house()
    memories = [
        a_memory(1, older, created=made, session_id="one"),
        a_memory(2, "The relay listens on port 9090 for everybody.", created=NOON, session_id="two"),
    ]
    file_memories(app, memories)
    snapshot = explained(app, "which port does the relay listen on", settings={"renewal_weight": 3, "asking_weight": 0})
    first = snapshot.results[0]
    assert (first.memory_id, first.newer_than) == (memories[1].id, memories[0].id)
    assert said in first.why
    assert ("newer" in first.why) == said.startswith("newer")


def test_what_a_leg_found_and_may_not_answer_is_told_with_the_reasons(house: Opener) -> None:
    app = house()
    states = {"trust_zone": "quarantine"}, {"trust_zone": "quarantine"}, {"status": "archived"}, {}
    for number, state in enumerate(states, start=1):
        file_memories(app, [a_memory(number, f"The harbour crane lifts {number} tonnes", **state)])
    snapshot = explained(app, "what does the harbour crane lift")
    leg = next(each for each in snapshot.legs if each.name == "vector")
    assert (leg.admitted, leg.open, leg.barred) == (1, 3, {"status-active": 1, "trust-zone": 2})
    why = "3 more are not allowed to answer: 1 no longer active, 2 in quarantine"
    assert f"- vector: ok, 1 found; {why}\n" in render(snapshot, "text")
    assert "shown: 1 memory. Left out: 3 turned away by filters\n" in render(snapshot, "text")
    given = recall(app, RecallInput(query="what does the harbour crane lift", namespace=HERE))
    assert all(each.barred is None for each in given.legs)


def test_what_came_short_of_top_k_has_the_terms_in_which_it_differs_from_the_last_one_in(told: App) -> None:
    snapshot = explained(told, "How do I roll back the quote cache?", top_k=3)
    whole = explained(told, "How do I roll back the quote cache?", top_k=20)
    scores = {each.memory_id: each.score_decomposition.model_dump(exclude_none=True) for each in whole.results}
    last, below = snapshot.results[-1].memory_id, [each for each in snapshot.rejected if each.rejected_by == "top-k"]
    compared = [each for each in below if each.memory_id in scores]
    assert compared
    for each in compared:
        assert each.behind
        for term, apart in each.behind.items():
            own, other = (scores[one].get(term, 0.0) for one in (each.memory_id, last))
            assert apart == pytest.approx(own - other, abs=1e-5)


def test_the_neighbours_are_the_candidates_that_no_leg_found(told: App) -> None:
    snapshot = explained(told, "How do I roll back the quote cache?", top_k=100)
    listed = (*snapshot.results, *snapshot.rejected)
    assert snapshot.neighbours >= sum(not each.contributions for each in listed) > 0


def test_a_recall_that_gave_no_answer_says_of_the_nearest_how_near_they_are_in_one_clause(told: App) -> None:
    asked = {"settings": {"abstain_at": 0.2, "abstain_from": 0}}
    snapshot = explained(told, "Which cheese do the whales of Lisbon prefer?", **asked)
    assert snapshot.abstention is not None
    assert snapshot.abstention.abstained
    near = snapshot.rejected[: len(snapshot.abstention.nearest)]
    assert tuple(each.memory_id for each in near) == snapshot.abstention.nearest
    assert {each.rejected_by for each in near} == {"abstention"}
    for each in near:
        said, _, numbers = each.reason.partition(" (")
        alone, needed = map(float, re.findall(r"^its own doubt (\S+), an answer needs less than (\S+)\)$", numbers)[0])
        assert needed == 0.2
        assert (said == "too doubtful to be an answer") == (alone >= needed)
        assert "near by" not in each.reason
        assert f"    abstention: {each.reason}; " in render(snapshot, "text")
    assert snapshot.rejected_total >= len(snapshot.rejected)
