"""Live recalls over made-up and example memories in, what must hold of every one of them out."""

import random
import re
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kits.vault import (
    ELSEWHERE,
    HERE,
    Opener,
    Town,
    a_memory,
    ask,
    bare_receipt,
    drop_index,
    file_memories,
    may_answer,
    open_home,
    queries,
    ranking,
    run,
    salad_memories,
    take_verbatim,
)
from pellucid.encoders.minilm.encoder import MiniLM
from pellucid.errors import NotFoundError
from pellucid.lab.datasets import locomo
from pellucid.language.words import words
from pellucid.model.memory import BOUNDARY_SCOPES, unpack_id
from pellucid.model.snapshot import RecallXraySnapshot, ScoreDecomposition
from pellucid.operations.browsing import ShowInput, show_memory
from pellucid.operations.recall.auditing import AuditInput, audit
from pellucid.operations.recall.recalling import RecallInput, xray_by_id, xray_new_recall
from pellucid.operations.session.intake import Intake
from pellucid.recall.receipt.record import pack, unpack
from pellucid.recall.rescore import rescore
from pellucid.recall.score.ladder import RUNGS, SAID_ALREADY, TELLS_NOTHING
from pellucid.recall.state import State
from pellucid.xray.render.formats import RENDERERS, render

SCORE_TERMS = sorted(set(ScoreDecomposition.model_fields) - {"final", "mmr_penalty"})


def snapshots(town: Town, count: int) -> list[RecallXraySnapshot]:
    return [xray_new_recall(town.app, RecallInput(query=query, namespace=HERE)) for query in town.queries[:count]]


def everything(state: State) -> list[tuple[str, float, int]]:
    """Every candidate with its exact score and verdict."""
    pool = state.pool
    triples = zip(pool.ids, pool.final.tolist(), pool.rejected.tolist(), strict=True)
    return [(unpack_id(raw), final, rejected) for raw, final, rejected in triples]


def test_the_town_is_large_and_mixed_enough_to_mean_something(town: Town) -> None:
    memories = town.memories.values()
    assert len(memories) >= 300
    assert len({memory.status for memory in memories}) >= 4
    assert {memory.category for memory in memories} >= {"moment", "decision", "fact"}
    states = [run(town.app, query) for query in town.queries]
    assert sum(bool(state.order.size) for state in states) > 150
    assert sum("expansion" in state.pool.terms for state in states) > 150
    assert {int(number) for state in states for number in np.unique(state.pool.rejected)} >= {
        0,
        2,
        3,
        4,
        5,
        1 + RUNGS.index("top-k"),
    }


def test_every_result_was_admitted_and_its_audit_entry_leads_to_an_operation(town: Town) -> None:
    for snapshot in snapshots(town, 40):
        for place, result in enumerate(snapshot.results, start=1):
            named = {*result.admitted_by, *((result.rejected_by,) if result.rejected_by else ())}
            assert named == {rung.name for rung in snapshot.filters}  # softly, where the graph led to it
            assert result.rejected_by is None or result.score_decomposition.graph
            assert result.audit_entry_id
            found = audit(town.app, AuditInput(namespace=HERE, entry=result.audit_entry_id))
            assert (found.recall_id, found.place, found.memory_id) == (snapshot.snapshot_id, place, result.memory_id)
            assert found.path == town.app.index.memories(HERE, [result.memory_id])[0].path
            assert found.operation
            assert found.operation["kind"] == "import"


@pytest.mark.requirement("REC-1")
def test_the_terms_shown_sum_to_the_score_shown(town: Town) -> None:
    shown = 0
    for snapshot in snapshots(town, 60):
        for result in snapshot.results:
            scores = result.score_decomposition
            terms = sum(getattr(scores, name) or 0.0 for name in SCORE_TERMS)
            assert terms - (scores.mmr_penalty or 0.0) == pytest.approx(scores.final, abs=1e-9)
            by_leg = {each.leg: each.term for each in result.contributions}
            assert by_leg.get("lexical", 0.0) == (scores.bm25 or 0.0)
            assert by_leg.get("vector", 0.0) == (scores.vector or 0.0)
            shown += 1
    assert shown > 200


@pytest.mark.requirement("REC-3")
def test_the_rungs_chain_from_the_whole_pool_to_the_context(town: Town) -> None:
    for query in town.queries[:40]:
        state = run(town.app, query, budget=1_500, settings={"abstainAt": 1})
        assert state.rungs[0].considered == len(set(state.pool.ids.tolist())) == len(state.pool)
        for above, below in zip(state.rungs, state.rungs[1:], strict=False):
            assert above.admitted == below.considered
        assert state.rungs[-1].admitted == len(state.context.included)
        for rung in state.rungs:
            assert int((state.pool.rejected == 1 + RUNGS.index(rung.name)).sum()) == rung.considered - rung.admitted
            assert bool(rung.reason) == (rung.admitted < rung.considered or rung.soft_admitted > 0)


@pytest.mark.requirement("REC-2")
def test_top_k_and_the_budget_only_cut(town: Town) -> None:
    for query in town.queries[:40]:
        state = run(town.app, query, top_k=20, budget=1_000_000)
        twenty = [each.memory.id for each in state.served]
        five = run(town.app, query, top_k=5, budget=1_000_000)
        assert [each.memory.id for each in five.served] == twenty[:5]
        tight = run(town.app, query, top_k=20, budget=900)
        assert [each.memory.id for each in tight.served] == twenty
        assert list(tight.context.included) == [each for each in twenty if each in tight.context.included]
        assert ranking(tight) == ranking(five) == ranking(state)


@pytest.mark.requirement("REC-8")
def test_the_same_recall_gives_the_same_answer_however_many_came_between(town: Town) -> None:
    first = [everything(run(town.app, query)) for query in town.queries[:40]]
    for query in town.queries[40:60]:
        ask(town.app, query)
    assert [everything(run(town.app, query)) for query in town.queries[:40]] == first


@pytest.mark.requirement("REC-6")
def test_only_what_may_answer_answers(town: Town) -> None:
    for scopes in ((), BOUNDARY_SCOPES[:1], BOUNDARY_SCOPES):
        for query in town.queries[:70]:
            for served in run(town.app, query, top_k=100, scopes=scopes).served:
                assert may_answer(served.memory, scopes), served.memory
                assert served.memory.namespace == HERE


@pytest.mark.requirement("REC-6")
def test_no_context_holds_a_word_that_only_what_may_not_answer_says(town: Town) -> None:
    says = [(may_answer(memory), set(words(memory.content))) for memory in town.memories.values()]
    heard = {word for may, said in says if may for word in said}
    ours = {"session", "turns", "other", "episodes", "memories", "data", "instructions", "pellucid", "recall"}
    silenced = {word for may, said in says if not may for word in said if word.isalpha()} - heard - ours
    assert len(silenced) > 20
    for query in town.queries[:70]:
        text = run(town.app, query, top_k=5).context.text.partition("\n")[2]
        shown = set(words(re.sub(r"\n (made|changed|mentioned) .*", "", text)))  # files of turns that nobody kept
        assert not silenced & shown, query


@pytest.mark.requirement("REC-4")
def test_no_stage_after_the_ladder_brings_a_candidate(town: Town) -> None:
    for query in town.queries[:40]:
        state = run(town.app, query, top_k=1000, budget=1_000_000, settings={"abstainAt": 1})
        climbed = {unpack_id(raw) for raw in state.pool.ids[(state.pool.rejected == 0)]}
        assert state.rungs[8].name == "score-floor"
        spared = sum(
            each.considered - each.admitted for each in state.rungs if each.name in (TELLS_NOTHING, SAID_ALREADY)
        )
        assert state.rungs[8].admitted == len(climbed) + len(state.repeats) + spared
        assert {each.memory.id for each in state.served} >= climbed  # the context spares some of these, see above
        assert climbed == set(state.context.included)


@pytest.mark.requirement("REC-7")
def test_the_context_fits_its_budget_and_splits_nothing(town: Town) -> None:
    rng = random.Random(11)
    for query in town.queries[:40]:
        budget = rng.choice((1, 60, 130, 200, 400, 800, 3_000))
        context = run(town.app, query, budget=budget).context
        assert len(context.text) == context.length <= budget
        shown = " ".join(context.text.split())
        in_part = {each.memory_id for each in context.cuts}
        for memory_id in {*context.included} - in_part:
            assert " ".join(town.memories[memory_id].content.split()) in shown
        unfit = (each for each in context.omitted if each.rung == "budget-fit")
        assert all(f" of {budget} characters" in each.reason for each in unfit)


@pytest.mark.requirement("XRAY-1")
def test_a_snapshot_read_later_is_the_bytes_rendered_at_once(town: Town, minilm: MiniLM) -> None:
    taken = snapshots(town, 20)
    pages = {(each.snapshot_id, form): render(each, form) for each in taken for form in RENDERERS}
    town.app.history.settle()  # ids of a clock that stands still are too old to be waited for
    other = open_home(town.app.settings.home, minilm)
    try:
        for (recall_id, form), page in pages.items():
            assert render(xray_by_id(other, HERE, recall_id), form) == page
    finally:
        other.close()


@pytest.mark.parametrize("settings", [{}, {"mmr_lambda": 0.5, "mmr_threshold": 0.3}, {"importance_weight": 0.4}])
@pytest.mark.parametrize("without", [(), ("expand",), ("rerank",), ("boost",), ("vector",), ("lexical", "diversify")])
def test_a_receipt_rescored_is_the_live_ranking_to_the_last_bit(
    town: Town, settings: dict[str, float], without: tuple[str, ...]
) -> None:
    recall = town.app.settings.recall.model_copy(update=settings)
    app = replace(town.app, settings=town.app.settings.model_copy(update={"recall": recall}))
    for query in town.queries[:12]:
        state = run(app, query, without=without, top_k=7, budget=1_200)
        packed = unpack(pack(state)).state
        pool, order = rescore(packed)
        assert pool.final.tobytes() == state.pool.final.tobytes()
        assert pool.penalty.tobytes() == state.pool.penalty.tobytes()
        assert order.tolist() == state.order.tolist()
        assert pool.rejected.tolist() == state.pool.rejected.tolist()
        for name, term in state.pool.terms.items():
            assert pool.terms.get(name, np.zeros(len(pool))).tobytes() == term.tobytes(), name
        assert packed.rungs == state.rungs
        assert packed.legs == state.legs
        assert packed.corpus == state.corpus
        assert replace(packed.context, text=state.context.text) == state.context


@pytest.mark.requirement("STORE-4")
def test_an_index_deleted_and_rebuilt_gives_the_same_answers(town: Town, tmp_path: Path, minilm: MiniLM) -> None:
    home = tmp_path / "home"
    shutil.copytree(town.app.settings.home, home)
    before = [everything(run(town.app, query)) for query in town.queries]
    drop_index(home)
    app = open_home(home, minilm, clock=town.app.clock)
    try:
        app.unit_of_work.take_over_edits()
        after = [everything(run(app, query)) for query in town.queries]
    finally:
        app.close()
    assert after == before
    assert any(before)


@pytest.mark.requirement("STORE-7")
def test_writes_elsewhere_neither_reorder_nor_rescore(house: Opener) -> None:
    rng = random.Random(17)
    here = house()
    file_memories(here, salad_memories(rng, 60))
    asked = queries(rng, [each.memory.content for each in here.index.memories(HERE)], 30)
    before = [everything(run(here, query)) for query in asked]
    elsewhere = house(namespace=ELSEWHERE)
    file_memories(elsewhere, [a_memory(n, text, namespace=ELSEWHERE) for n, text in enumerate(asked, start=1)])
    file_memories(elsewhere, salad_memories(rng, 60, ELSEWHERE))
    take_verbatim(elsewhere, rng, "session-1", 30)
    assert [everything(run(here, query)) for query in asked] == before
    assert all(each.memory.namespace == ELSEWHERE for query in asked for each in run(elsewhere, query).served)


@pytest.mark.requirement("STORE-7")
def test_foreign_ids_are_unknown(town: Town) -> None:
    answer = ask(town.app, "when do we cut releases?")
    entry = answer.memories[0].audit_entry_id
    foreign = town.app.index.memories(ELSEWHERE)[0]
    with pytest.raises(NotFoundError):
        xray_by_id(town.app, ELSEWHERE, answer.recall_id)
    with pytest.raises(NotFoundError):
        audit(town.app, AuditInput(namespace=ELSEWHERE, entry=entry))
    for name in (foreign.memory.id, foreign.memory.id[-10:], foreign.path):
        with pytest.raises(NotFoundError):
            show_memory(town.app, ShowInput(namespace=HERE, memory_id=name))
    assert audit(town.app, AuditInput(namespace=HERE, entry=entry)).memory_id == answer.memories[0].memory.id
    assert show_memory(town.app, ShowInput(namespace=ELSEWHERE, memory_id=foreign.memory.id)).memory == foreign.memory


@pytest.mark.requirement("XRAY-7")
def test_a_receipt_holds_no_word_of_a_memory(town: Town) -> None:
    answer = ask(town.app, "when do we cut releases?")
    packed = town.app.history.receipt(answer.recall_id, HERE)
    assert packed
    plain = bare_receipt(packed)
    assert b"releases" in plain, "the query's own words are there, so a memory's words would be seen"
    assert len(answer.memories) > 5
    for each in answer.memories:
        told = re.findall(r"\w{4,} \w{4,}", each.memory.content)
        assert not [pair for pair in told if pair.encode() in plain]
        assert each.path.encode() not in plain


def test_no_question_is_too_odd_to_answer(town: Town) -> None:
    odd = (
        "\0",
        "a\0b",
        "🚢",
        "👩‍🔧 why",
        "港口",
        "ท่าเรือ",
        "\ud83d broken",
        "?" * 50,
        "the of a",
        "ﷺ",
        "İstanbul ß ǅ",
        "e\u0301" * 40,
        "\u202eevil",
        "x" * 10_000,
        "词" * 10_000,
        "a " * 9_999,
        "'; DROP TABLE memories; --",
        '"',
        "*",
        "NEAR(a b)",
        "\t\n ok",
        "𞤀𞤣𞤤𞤢𞤥",
        "1 " * 500,
        "{}",
        "%s",
        "\\u0000",
    )
    for query in odd:
        if not query.strip("\0 \t\n"):
            continue
        snapshot = xray_new_recall(town.app, RecallInput(query=query, namespace=HERE))
        assert snapshot.plan
        needless = snapshot.plan.depth == "no_recall"
        assert needless == (not re.search(r"[^\W_]", query) or query.strip() == "ok")
        assert [each.health for each in snapshot.legs if each.name == "vector"] == ["off" if needless else "ok"]
        for form in RENDERERS:
            render(snapshot, form).encode()


def test_recalls_over_a_labelled_conversation_hold_the_same_promises(labelled: Path, house: Opener) -> None:
    group = min(locomo.load(labelled / "locomo").groups, key=lambda group: len(group.records))
    app = house()
    Intake(app, HERE, "verbatim").take(
        replace(record.turn, fingerprint=b"%d" % i) for i, record in enumerate(group.records)
    )
    for question in group.questions[:40]:
        asked = {"top_k": 20, "budget": 1_000_000, "settings": {"abstainAt": 1}}
        snapshot = xray_new_recall(app, RecallInput(query=question.text, namespace=HERE, **asked))
        assert snapshot.filters[-1].admitted == len(snapshot.results)
        for result in snapshot.results:
            scores = result.score_decomposition
            terms = sum(getattr(scores, name) or 0.0 for name in SCORE_TERMS)
            assert terms - (scores.mmr_penalty or 0.0) == pytest.approx(scores.final, abs=1e-9)
            assert result.audit_entry_id
            assert audit(app, AuditInput(namespace=HERE, entry=result.audit_entry_id)).operation
        for above, below in zip(snapshot.filters, snapshot.filters[1:], strict=False):
            assert above.admitted == below.considered
        five = run(app, question.text, **asked | {"top_k": 5})
        told = five.context.included
        assert sorted(told) == sorted(result.memory_id for result in snapshot.results[: len(told)])
