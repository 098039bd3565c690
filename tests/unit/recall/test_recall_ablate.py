"""Recorded recalls in, the same recalls without a part out: whom it takes along, and what a receipt cannot tell."""

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from kits.vault import HERE, Opener, a_memory, file_memories, keep, queries, ranking, run, salad_memories
from pellucid.app import App
from pellucid.model.memory import unpack_id
from pellucid.recall.ablate import NotComputableError, ablate
from pellucid.recall.effect import effect, effects, orders
from pellucid.recall.receipt.record import pack, unpack
from pellucid.recall.rescore import rescore
from pellucid.recall.state import State


def recorded(app: App, query: str, **given: Any) -> State:
    return unpack(pack(run(app, query, **given))).state


def ids(state: State) -> set[str]:
    return {unpack_id(raw) for raw in state.pool.ids}


def health(state: State) -> dict[str, str]:
    return {leg.name: leg.health for leg in state.legs}


@pytest.fixture
def talk(house: Opener) -> App:
    """Six turns of one session and a note; a leg brings one candidate, and two turns on each side stand beside it."""
    app = house(pool=1, expand_from=1)
    turns = [a_memory(n, f"note number {n}", session_id="s", evidence=(f"s:{n}-{n}",)) for n in range(1, 7)]
    file_memories(app, [*turns, a_memory(9, "the lighthouse keeper is called Ines")])
    return app


@pytest.mark.requirement("XRAY-5")
def test_a_leg_takes_its_sole_nominees_and_those_beside_them_along(talk: App) -> None:
    full = recorded(talk, "note number 3")
    assert len(full.pool) == 5
    alone = ablate(full, ("expand", "passage"))
    assert ids(alone) == {unpack_id(full.pool.ids[2])}
    assert ids(ablate(full, ("passage",))) == ids(run(talk, "note number 3", without=("passage",)))
    nothing = ablate(full, ("vector", "lexical", "passage", "recent"))
    assert len(nothing.pool) == 0
    assert nothing.order.tolist() == []
    assert [rung.considered for rung in nothing.rungs] == [0] * len(nothing.rungs)


def test_what_is_left_out_already_changes_nothing(talk: App) -> None:
    state = recorded(talk, "note number 3", without=("vector", "boost"))
    again = ablate(state, ("vector", "boost"))
    assert ranking(again) == ranking(run(talk, "note number 3", without=("vector", "boost")))
    assert again.request.without == {"vector", "boost"}


@pytest.mark.requirement("XRAY-5")
def test_a_receipt_cannot_tell_what_the_newest_would_have_been(house: Opener) -> None:
    app = house()
    keep(app, "the harbour crane lifts forty tonnes")
    state = recorded(app, "zyzzyva")
    with pytest.raises(NotComputableError, match="newest") as refused:
        ablate(state, ("vector",))
    assert refused.value.code == "not_computable"
    assert effect(state, ("vector",)).unknown == refused.value.reason
    assert effect(state, ("vector",)).entered == ()
    assert len(ablate(state, ("vector", "recent")).pool) == 0


def test_with_the_leg_that_was_down_the_newest_go_that_stood_in_for_it(house: Opener) -> None:
    app = house(encoder=None)
    keep(app, "the harbour crane lifts forty tonnes")
    keep(app, "the ferry leaves at nine")
    state = recorded(app, "crane")
    assert health(state)["recent"] == "ok"
    without = ablate(state, ("vector",))
    live = run(app, "crane", without=("vector",))
    assert health(without) == health(live)
    assert "recent" not in health(without)
    assert ranking(without) == ranking(live)


def test_a_receipt_of_an_earlier_version_does_not_say_who_stands_beside_whom(talk: App) -> None:
    state = recorded(talk, "note number 3")
    older = replace(state, pool=replace(state.pool, place=np.zeros_like(state.pool.place)))
    with pytest.raises(NotComputableError, match="earlier version"):
        ablate(older, ("vector",))
    assert len(ablate(older, ("vector", "passage", "expand")).pool) == 1


def test_nothing_is_said_of_what_only_texts_decide(talk: App) -> None:
    without = ablate(recorded(talk, "note number 3", budget=300, top_k=2), ("boost",))
    assert without.rungs[-1].name == "score-floor"
    assert len(without.order) == 5
    assert (without.context.included, without.served) == ((), ())


def test_whom_a_leg_spared_falls_with_it(house: Opener) -> None:
    app = house(min_token_overlap=0.5)
    keep(app, "the lock of harbour/crane.py comes first")
    state = recorded(app, "ferry tide anchor", review="harbour/crane.py")
    spared, alone = ablate(state, ()), ablate(state, ("review",))
    (rung,) = (each for each in spared.rungs if each.name == "token-overlap")
    assert (rung.admitted, rung.soft_admitted) == (1, 1)
    assert len(spared.order) == 1
    assert len(alone.order) == 0
    assert np.isnan(alone.pool.rerank_score).all()


class ByLength:
    """A reranker that scores the longer text higher, and remembers nothing."""

    name = "by-length"
    is_remote = False

    def score(self, query: str, texts: Sequence[str], deadline_s: float) -> list[float]:
        return [float(len(text)) for text in texts]


@pytest.mark.requirement("XRAY-5")
def test_a_model_that_scored_only_the_best_cannot_be_asked_about_others(house: Opener) -> None:
    app = house(rerank_multiplier=1, pool=20)
    app = replace(app, recaller=replace(app.recaller, reranker=ByLength()))
    file_memories(app, salad_memories(random.Random(2), 80))
    refused = told = 0
    texts = queries(random.Random(5), [each.memory.content for each in app.index.memories(HERE)], 12)
    for query in texts:
        state = recorded(app, query)
        assert np.count_nonzero(~np.isnan(state.pool.rerank_score)) <= 12
        for parts in (("vector",), ("lexical",), ("rerank",), ("boost",), ("expand",)):
            try:
                without = ablate(state, parts)
            except NotComputableError:
                refused += 1
                assert "by-length" in (effect(state, parts).unknown or "")
                continue
            assert ranking(without) == ranking(run(app, query, without=parts))
            told += 1
    assert refused
    assert told >= 2 * len(texts)


@pytest.mark.requirement("XRAY-5")
def test_the_effect_of_a_leg_is_who_enters_leaves_and_moves(house: Opener) -> None:
    app = house(top_k_facts=4)
    file_memories(app, salad_memories(random.Random(6), 80))
    state = recorded(app, "crane ferry tide anchor")
    found = {each.parts: each for each in effects(state)}
    assert list(found) == [("vector",), ("lexical",), ("passage",)]
    for (leg,), each in found.items():
        before = [memory_id for memory_id, _ in ranking(run(app, "crane ferry tide anchor"))][:4]
        after = [memory_id for memory_id, _ in ranking(run(app, "crane ferry tide anchor", without=(leg,)))][:4]
        assert each.entered == tuple(memory_id for memory_id in after if memory_id not in before)
        assert each.left == tuple(memory_id for memory_id in before if memory_id not in after)
        assert all(before[move.before - 1] == move.memory_id == after[move.after - 1] for move in each.moved)
        assert each.tau is None or -1 <= each.tau <= 1
    assert any(each.entered or each.moved for each in found.values())
    assert effect(state, ("pin",)).tau == 1.0


def test_a_part_may_have_a_share_in_every_score_and_no_effect(house: Opener) -> None:
    app = house()
    keep(app, "the harbour crane lifts forty tonnes")
    state = recorded(app, "crane")
    found = effect(state, ("lexical",))
    assert (found.entered, found.left, found.moved, found.tau) == ((), (), (), None)


@pytest.mark.requirement("XRAY-5")
def test_an_effect_is_told_of_what_was_served_and_not_of_what_only_repeats_it(house: Opener) -> None:
    app = house()
    said = "The quote cache keeps prices for 300 seconds"
    turn = a_memory(1, said, session_id="s", evidence=("s:1-1",), category="moment")
    again = a_memory(2, f"{said}.", session_id="s", evidence=("s:1-1",))
    others = [a_memory(n, f"The quote cache of port {n} is cold", evidence=()) for n in range(3, 8)]
    file_memories(app, [turn, again, *others])
    state = run(app, "how long does the quote cache keep prices", top_k=3)
    served = [each.memory.id for each in state.served]
    assert len(state.repeats) == 1

    kept = recorded(app, "how long does the quote cache keep prices", top_k=3)
    before, _ = orders(kept, ("vector",))
    assert before[:3] == served

    for part in ("vector", "lexical", "passage", "rerank"):
        change = effect(kept, (part,))
        live = [e.memory.id for e in run(app, state.plan.text, top_k=3, without=(part,)).served]
        assert {*served} - {*change.left} | {*change.entered} == {*live}, part


def test_a_repeat_comes_back_where_what_it_repeats_is_served_no_more(talk: App) -> None:
    kept = recorded(talk, "note number 3", top_k=2)
    first, second, *_, last = (int(at) for at in rescore(kept)[1])
    repeating = replace(kept, repeats={second: first})
    before, _ = orders(repeating, ("vector",))
    assert unpack_id(kept.pool.ids[second]) not in before[:2]

    unmatched = replace(kept, repeats={first: last})
    assert unpack_id(kept.pool.ids[first]) in orders(unmatched, ("vector",))[0]
