"""Why a memory is in a context, and what loses one: a test for each kind of loss, over a real home."""

import pytest

from kits.vault import BOUNDARY_SCOPES, ELSEWHERE, Opener, a_memory, ask, file_memories, keep, run
from kits.why import CRANE, as_version_2, change_of, cranes, found, order, recalled, told
from pellucid.errors import InputError, NotFoundError
from pellucid.model.memory import unpack_id
from pellucid.operations.recall.why import WhyInput, explain_memory, why
from pellucid.recall.receipt.record import pack, unpack
from pellucid.settings.sections import LegWeights
from pellucid.xray.why.sentence import sentences


@pytest.mark.requirement("XRAY-3")
def test_a_hit_says_its_place_its_legs_its_score_and_how_far_it_is_from_leaving(house: Opener) -> None:
    app = house(top_k_facts=5)
    cranes(app)
    state = run(app, CRANE)
    third = unpack_id(state.pool.ids[state.order[2]])
    finding = found(app, third, CRANE)
    assert (finding.verdict, finding.place, finding.context_place, finding.ranked) == ("hit", 3, 3, len(state.order))
    assert finding.change is None
    final = state.pool.final[state.order]
    assert finding.margin
    assert (finding.margin.unit, finding.margin.spare) == ("score", float(final[2] - final[5]))
    assert finding.scores
    assert finding.scores.final == float(final[2])
    assert {each.leg: each.rank for each in finding.legs if each.nominated} == {
        name: int(ranks[state.order[2]]) for name, ranks in state.pool.ranks.items() if ranks[state.order[2]]
    }
    assert told(app, third, CRANE).sentence.startswith("It is in the context, at place 3: found ")


def test_a_hit_of_all_that_there_is_has_places_to_spare(house: Opener) -> None:
    app = house()
    ids = cranes(app, 4)
    finding = found(app, ids[0], CRANE)
    assert finding.margin
    assert (finding.margin.unit, finding.margin.spare) == ("places", 20 - (finding.place or 0))


@pytest.mark.requirement("XRAY-3", "XRAY-4")
def test_what_was_outranked_has_its_place_and_topk_of_that_place_admits_it(house: Opener) -> None:
    app = house(top_k_facts=12)
    cranes(app)
    ranked = order(app, CRANE, top_k=20)
    late, last_in = ranked[15], ranked[11]
    finding = found(app, late, CRANE)
    assert (finding.stage, finding.place) == ("top-k", 16)
    state = run(app, CRANE)
    final = {unpack_id(state.pool.ids[at]): float(state.pool.final[at]) for at in state.order}
    assert finding.margin
    assert (finding.margin.unit, finding.margin.missing) == ("score", final[last_in] - final[late])
    change = change_of(finding, "top-k")
    assert (change.setting, change.to, change.apply, change.smallest) == ("topKFacts", "16", "top_k=16", True)
    assert recalled(app, late, CRANE, top_k=16)
    assert not recalled(app, late, CRANE, top_k=15)
    assert "take no place" not in sentences(finding)
    fewer = finding.model_copy(update={"change": change.model_copy(update={"to": "14"})})
    assert sentences(fewer).endswith("Raising top-k to 14 admits it (repeats before it take no place) (verified).")


@pytest.mark.requirement("XRAY-3", "XRAY-4")
def test_what_had_no_room_has_its_missing_characters_and_the_smallest_budget(house: Opener) -> None:
    app = house(char_budget=400)
    cranes(app)
    ranked = order(app, CRANE, budget=16_000)
    out = next(each for each in ranked if each not in order(app, CRANE))
    finding = found(app, out, CRANE)
    assert finding.stage == "budget-fit"
    change = change_of(finding, "budget")
    enough = int(change.to)
    assert finding.margin
    assert (finding.margin.unit, finding.margin.missing) == ("characters", enough - 400)
    assert recalled(app, out, CRANE, budget=enough)
    assert not recalled(app, out, CRANE, budget=enough - 1)


@pytest.mark.requirement("XRAY-3", "XRAY-4")
def test_every_boundary_scope_that_is_missing_is_named_at_once(house: Opener) -> None:
    app = house()
    kept = cranes(app, 6, scopes=(*BOUNDARY_SCOPES[:2], "team-a"))[-1]
    finding = found(app, kept, CRANE, scopes=BOUNDARY_SCOPES[1:2])
    assert (finding.stage, finding.reason) == (
        "boundary-scope",
        f"it is marked {BOUNDARY_SCOPES[0]}, which the caller did not name",
    )
    change = change_of(finding, "scope")
    assert change.apply == f"scopes={BOUNDARY_SCOPES[:1]!r}"
    assert recalled(app, kept, CRANE, scopes=BOUNDARY_SCOPES[:2])
    both = change_of(found(app, kept, CRANE), "scope")
    assert both.to == ", ".join(BOUNDARY_SCOPES[:2])


@pytest.mark.requirement("XRAY-3", "XRAY-4")
def test_the_one_filter_of_the_caller_that_it_does_not_fit_is_lifted(house: Opener) -> None:
    app = house()
    kept = cranes(app, 6, tags=("quay",), category="decision")[-1]
    finding = found(app, kept, CRANE, tags=("quay",), categories=("fact",))
    assert (finding.stage, finding.open_arm) == ("caller-filter", True)
    assert change_of(finding, "filter").apply == "leave out categories"
    assert recalled(app, kept, CRANE, tags=("quay",))
    neither = found(app, kept, CRANE, tags=("ship",), categories=("fact",))
    assert (neither.stage, neither.change) == ("caller-filter", None)


@pytest.mark.requirement("XRAY-3", "XRAY-4")
def test_what_no_leg_nominated_has_its_exact_place_and_the_smallest_pool(house: Opener) -> None:
    app = house(pool=5, score_propagation_alpha=0.0, enable_reranking=False)
    cranes(app)
    deep = run(app, CRANE, settings={"pool": 20})
    ranked = {
        name: {unpack_id(raw): int(r) for raw, r in zip(deep.pool.ids, ranks, strict=True)}
        for name, ranks in deep.pool.ranks.items()
    }
    nominated = {unpack_id(raw) for raw in run(app, CRANE).pool.ids}
    lost = min(set(ranked["vector"]) - nominated, key=lambda each: min(r[each] for r in ranked.values() if r[each]))
    finding = found(app, lost, CRANE)
    assert finding.stage == "not-nominated"
    assert {each.leg: each.rank for each in finding.legs} == {
        name: ranks[lost] or None for name, ranks in ranked.items()
    }
    vector = next(each for each in finding.legs if each.leg == "vector")
    assert vector.raw_score is not None
    assert vector.last_score is not None
    assert vector.raw_score <= vector.last_score
    change = change_of(finding, "pool")
    assert change.smallest
    enough = int(change.to)
    assert recalled(app, lost, CRANE, settings={"pool": enough})
    assert not recalled(app, lost, CRANE, settings={"pool": enough - 1})


@pytest.mark.requirement("XRAY-3", "XRAY-4")
@pytest.mark.parametrize(
    ("floor", "rung", "unit"),
    [
        ("min_token_overlap", "token-overlap", "share of the query's words"),
        ("min_fact_score", "score-floor", "cosine"),
    ],
)
def test_a_floor_that_stopped_it_has_a_margin_and_is_lowered_just_enough(
    house: Opener, floor: str, rung: str, unit: str
) -> None:
    app = house(**{floor: 0.9})
    kept = keep(app, "A crane on the quay lifts timber").memory.id
    finding = found(app, kept, CRANE)
    assert (finding.stage, finding.margin and finding.margin.unit) == (rung, unit)
    change = change_of(finding, "floor")
    assert change.smallest
    assert finding.margin
    assert finding.margin.missing is not None
    assert 0.9 - float(change.to) == pytest.approx(finding.margin.missing, abs=2e-4)
    assert recalled(app, kept, CRANE, settings={change.setting: float(change.to)})
    assert not recalled(app, kept, CRANE, settings={change.setting: round(float(change.to) + 1e-4, 4)})


@pytest.mark.requirement("XRAY-3", "XRAY-4")
def test_a_leg_that_was_left_out_is_the_one_switched_on(house: Opener) -> None:
    app = house()
    kept = keep(app, "Our vessel departs at dawn").memory.id
    query = "ship leaves early"
    assert recalled(app, kept, query)
    finding = found(app, kept, query, without=("vector", "recent"))
    assert (finding.stage, finding.degraded) == ("leg-off", ())
    assert change_of(finding, "leg").apply in ("leave out without=('vector',)", "leave out without=('recent',)")


@pytest.mark.requirement("XRAY-3", "XRAY-4")
def test_a_leg_of_no_weight_is_the_one_switched_on_with_its_usual_weight(house: Opener) -> None:
    app = house(leg_weights=LegWeights(vector=0.0, recent=0.0))
    kept = keep(app, "Our vessel departs at dawn").memory.id
    query = "ship leaves early"
    assert not recalled(app, kept, query)
    finding = found(app, kept, query)
    change = change_of(finding, "leg")
    assert (change.setting, change.was, change.to) == ("legWeights.vector", "0", "1")
    assert sentences(finding).endswith("Switching legWeights.vector on admits it (verified).")
    assert recalled(app, kept, query, settings={change.setting: float(change.to)})


@pytest.mark.requirement("XRAY-3")
def test_a_leg_that_is_down_is_never_taken_for_one_that_found_nothing(house: Opener) -> None:
    app = house(encoder=None, pool=3, top_k_facts=1)
    kept = keep(app, "Our vessel departs at dawn").memory.id
    for day in ("Monday", "Tuesday", "Friday"):
        keep(app, f"The bakery is closed on {day}")
    finding = found(app, kept, "ship leaves early")
    assert (finding.stage, finding.degraded) == ("leg-degraded", ("vector",))
    vector = next(each for each in finding.legs if each.leg == "vector")
    assert (vector.health, vector.rank) == ("degraded", None)
    assert (vector.unranked or "").startswith("the leg is down: ")
    assert finding.change
    assert (finding.change.kind, finding.change.verified) == ("repair", False)
    assert "is not known" in told(app, kept, "ship leaves early").sentence
    lexical = next(each for each in finding.legs if each.leg == "lexical")
    assert lexical.unranked == "it holds none of the words that were searched for"


@pytest.mark.requirement("XRAY-3")
def test_a_memory_that_was_never_encoded_is_told_from_one_that_is_far(house: Opener) -> None:
    app = house()
    cranes(app, 6)
    app.close()
    bare = house(encoder=None)
    kept = keep(bare, "Our vessel departs at dawn").memory.id
    bare.close()
    finding = found(house(), kept, "which crane lifts timber")
    assert finding.stage == "leg-degraded"
    assert finding.reason
    assert "it has no vector" in finding.reason


@pytest.mark.requirement("XRAY-4")
def test_no_single_change_is_an_answer_and_says_how_far_the_first_one_gets(house: Opener) -> None:
    app = house(pool=3, top_k_facts=2, score_propagation_alpha=0.0)
    cranes(app)
    kept = keep(app, "The bakery opens at six").memory.id
    said = told(app, kept, CRANE)
    assert said.finding
    assert (said.finding.stage, said.finding.change) == ("not-nominated", None)
    assert said.finding.tried[0].kind == "pool"
    assert "No single change that was tried admits it: with pool " in said.sentence
    assert "where top-k is 2" in said.finding.tried[0].result


@pytest.mark.requirement("XRAY-4")
def test_where_nothing_could_be_tried_it_says_so_and_not_that_something_was_tried(house: Opener) -> None:
    """A section that gives way to its document is within every limit, and is not pinned as other memories are."""
    app, of_gate = house(), "SPEC-1: The harbour gate"
    texts = (f"{of_gate} › Sill\nThe sill of the harbour gate is deep.", f"{of_gate} › Licence\nMIT, all of it.")
    sections = [a_memory(n, text, category="section", session_id="gate") for n, text in enumerate(texts, start=1)]
    file_memories(app, sections)
    said = told(app, sections[1].id, "how deep is the sill of the harbour gate")
    assert said.finding
    assert (said.finding.stage, said.finding.change, said.finding.recalls) == ("repeats", None, 1)
    assert [each.ran for each in said.finding.tried] == [False]
    assert said.sentence.endswith(". No single change that could be tried admits it.")


@pytest.mark.requirement("XRAY-3")
def test_a_recorded_recall_is_explained_as_it_was_and_tried_as_it_is(house: Opener) -> None:
    app = house()
    cranes(app)
    then = ask(app, CRANE, top_k=5)
    late = order(app, CRANE, top_k=20)[7]

    def of_record() -> object:
        output = why(app, WhyInput(namespace=app.settings.namespace, memory=late, recall_id=then.recall_id))
        assert output.recall_id == then.recall_id
        assert output.finding
        return output.finding

    finding = found(app, late, CRANE, top_k=5)
    assert of_record() == finding
    assert change_of(finding, "top-k").to == "8"
    file_memories(app, [a_memory(99, "The crane lifts the cargo, which cargo the crane lifts")])
    moved = why(app, WhyInput(namespace=app.settings.namespace, memory=late, recall_id=then.recall_id)).finding
    assert moved
    assert (moved.stage, moved.place) == ("top-k", 8)
    assert int(change_of(moved, "top-k").to) == order(app, CRANE, top_k=30).index(late) + 1


def test_of_a_recall_whose_words_were_not_kept_the_receipt_alone_speaks(house: Opener) -> None:
    app = house(store_query_text=False)
    ids = cranes(app)
    then = ask(app, CRANE, top_k=5)
    asked = WhyInput(namespace=app.settings.namespace, memory=ids[0], recall_id=then.recall_id)
    kept = [each.memory.id for each in then.memories]
    outputs = {each: why(app, asked.model_copy(update={"memory": each})) for each in (kept[0], ids[-1])}
    assert outputs[kept[0]].finding
    assert (outputs[kept[0]].query, outputs[kept[0]].finding.context_place) == ("", 1)  # type: ignore[union-attr]
    assert all(each.finding and each.finding.recalls == 0 for each in outputs.values())


def test_what_only_bore_witness_is_not_said_to_stand_beside_a_match(house: Opener) -> None:
    app = house(store_query_text=False)
    kept = cranes(app, 6, status="archived")[-1]
    then = ask(app, CRANE)
    said = why(app, WhyInput(namespace=app.settings.namespace, memory=kept, recall_id=then.recall_id))
    assert said.finding
    assert (said.finding.stage, said.finding.open_arm) == ("status-active", True)
    assert said.sentence.startswith("It was seen as evidence only, but status-active turned it away: ")


@pytest.mark.requirement("XRAY-3")
def test_of_a_leg_that_an_older_recall_did_not_have_no_place_is_told(house: Opener) -> None:
    app = house()
    ids = cranes(app)
    state = run(app, CRANE)
    best = state.served[0].memory.id
    old = unpack(as_version_2(pack(state)))
    for each in (best, ids[-1]):
        said = explain_memory(app, old.state.request, each, old)
        assert said.finding
        asked = {leg.leg for leg in said.finding.legs if leg.rank or leg.nominated}
        assert asked <= {"vector", "lexical"}
        assert "by the words around it" not in said.sentence
    assert "by the words around it" in explain_memory(app, state.request, best).sentence


@pytest.mark.requirement("XRAY-3")
def test_of_a_leg_that_is_not_asked_today_the_recorded_place_is_told(house: Opener) -> None:
    app = house()
    kept = keep(app, "Our vessel departs at dawn").memory.id
    app.close()
    blind = house(encoder=None)
    then = ask(blind, "ship leaves early")
    blind.close()
    here = house()
    said = why(here, WhyInput(namespace=here.settings.namespace, memory=kept, recall_id=then.recall_id))
    assert "found 1st by age" in said.sentence


@pytest.mark.requirement("XRAY-3")
def test_what_is_of_another_namespace_is_as_unknown_as_what_never_was(house: Opener) -> None:
    app = house()
    ids = cranes(app, 3)
    file_memories(app, [a_memory(77, "The secret crane of the other place", namespace=ELSEWHERE)])
    foreign, never = f"mem_{77:032x}", f"mem_{78:032x}"
    said = []
    for each in (foreign, never):
        with pytest.raises(NotFoundError) as refused:
            told(app, each, CRANE)
        said.append(str(refused.value).replace(each, "ID"))
    assert said[0] == said[1]
    assert told(app, "secret crane of the other place", CRANE).matched == "meaning"
    with pytest.raises(NotFoundError, match="no recall"):
        why(app, WhyInput(namespace=ELSEWHERE, memory=foreign, recall_id=ask(app, CRANE).recall_id))
    assert ids[0] in told(app, ids[0], CRANE).model_dump_json()


def test_a_memory_is_named_by_id_beginning_words_or_meaning(house: Opener) -> None:
    app = house()
    kept = keep(app, "Our vessel departs at dawn").memory
    keep(app, "The bakery opens at six")
    keep(app, "The bakery is closed on Monday")
    for text, matched in (
        (kept.id, "id"),
        (kept.id[:30], "prefix"),
        (kept.id[4:24], "prefix"),
        (kept.id[-10:], "prefix"),
        ("our VESSEL departs, at dawn!", "content"),
        ("vessel departs", "words"),
        ("our ship leaves at dawn", "meaning"),
    ):
        output = told(app, text, "when do we sail")
        assert (output.matched, output.memory_id) == (matched, kept.id), text
    several = told(app, "the bakery", "when do we sail")
    assert (several.finding, several.total, len(several.candidates)) == (None, 2, 2)
    assert several.sentence == "2 memories fit: name one of them by its id."
    for each in several.candidates:
        assert each.why == told(app, each.memory_id, "when do we sail").sentence
    with pytest.raises(NotFoundError):
        told(app, "mem_0123", "when do we sail")
    with pytest.raises(InputError, match="required"):
        told(app, "  ", "when do we sail")


def test_a_question_or_a_recall_is_required_and_not_both(house: Opener) -> None:
    app = house()
    with pytest.raises(InputError, match="not both"):
        why(app, WhyInput(namespace="local/default", memory=keep(app, "The crane is blue").memory.id))


@pytest.mark.requirement("XRAY-4")
def test_nothing_at_all_is_written(house: Opener) -> None:
    app = house()
    ids = cranes(app, 6, status="archived")
    quarantined = keep(app, "The crane is blue").memory.id
    keep(app, "The crane is red")
    before = {path: path.read_bytes() for path in (app.settings.home / "vault").rglob("*") if path.is_file()}
    operations = app.records.operations()
    for each in (ids[0], ids[-1], quarantined):
        told(app, each, CRANE, top_k=1)
    assert {path: path.read_bytes() for path in before} == before
    assert {path for path in (app.settings.home / "vault").rglob("*") if path.is_file()} == set(before)
    assert app.records.operations() == operations
    assert app.receipts.recalls(app.settings.namespace, limit=9) == []


def test_without_an_encoder_the_nearest_by_words_is_one_of_several(house: Opener) -> None:
    app = house(encoder=None)
    for content in ("the harbour crane is green and tall", "the crane was moved", "a ferry runs on Sundays"):
        keep(app, content)
    out = told(app, "harbour cranes, green", "crane")
    assert out.finding is None
    assert out.total == len(out.candidates) == 2
