"""A receipt, and the same question asked again in a home that changed, in; every reason to differ, named, out."""

import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from kits.vault import HERE, NOON, Opener, a_memory, ask, edit, file_memories, keep, run, take_verbatim
from kits.why import as_version_2
from pellucid.app import App
from pellucid.errors import NotFoundError
from pellucid.operations.memory.changing import VerbInput, apply_verb
from pellucid.operations.memory.forgetting import ForgetInput, forget
from pellucid.operations.memory.lifecycle.aging import LifecycleInput, run_lifecycle
from pellucid.operations.recall.explaining import LiveOutput, ReplayInput, replay_recall
from pellucid.recall.legs.leg import empty_report
from pellucid.recall.receipt.record import pack, unpack
from pellucid.xray.replay import UNEXPLAINED, Since, compare_with_live, replay_receipt

CRANE, FERRY, TIDE = (f"mem_{n:032x}" for n in (1, 2, 3))


@pytest.fixture
def port(house: Opener) -> App:
    app = house()
    texts = ("the harbour crane lifts forty tonnes", "the ferry leaves the harbour at nine", "the tide turns at noon")
    file_memories(app, [a_memory(n, text) for n, text in enumerate(texts, start=1)])
    return app


def live(app: App, recall_id: str) -> LiveOutput:
    found = replay_recall(app, ReplayInput(namespace=HERE, recall_id=recall_id, live=True))
    assert found.identical
    assert found.live
    return found.live


def named(app: App, recall_id: str) -> dict[str, tuple[str, tuple[str, ...]]]:
    return {each.name: (each.detail, each.memory_ids) for each in live(app, recall_id).reasons}


@pytest.mark.requirement("XRAY-5")
def test_a_replay_is_the_order_and_the_scores_that_were_served(port: App) -> None:
    state = run(port, "harbour crane", top_k=2)
    again = replay_receipt(unpack(pack(state)))
    assert again.identical
    assert again.served == 2
    assert [each.memory_id for each in again.ranking[:2]] == [each.memory.id for each in state.served]
    assert [each.final for each in again.ranking] == state.pool.final[state.order].tolist()
    assert [each.place for each in again.ranking] == [1, 2, 3]


def test_a_receipt_that_was_tampered_with_is_seen(port: App) -> None:
    receipt = unpack(pack(run(port, "harbour crane", top_k=2)))
    pool = receipt.state.pool
    turned = {name: np.where(ranks > 0, len(pool) + 1 - ranks, 0) for name, ranks in pool.ranks.items()}
    other = replace(pool, ranks=turned, rerank_score=-pool.rerank_score, passage_score=-pool.passage_score)
    assert not replay_receipt(replace(receipt, state=replace(receipt.state, pool=other))).identical


@pytest.mark.requirement("XRAY-5")
def test_asked_again_of_the_same_memory_it_is_identical_and_leaves_no_receipt(port: App) -> None:
    recall_id = ask(port, "harbour crane").recall_id
    kept = port.history.counts()
    again = live(port, recall_id)
    assert (again.identical, again.reasons) == (True, ())
    assert again.difference
    assert again.difference.same
    assert port.history.counts() == kept


@pytest.mark.requirement("XRAY-5")
def test_what_was_added_changed_and_forgotten_is_named(port: App) -> None:
    recall_id = ask(port, "harbour crane").recall_id
    new = [a_memory(n, f"a new harbour crane, number {n}") for n in range(11, 14)]
    file_memories(port, new)
    found = named(port, recall_id)
    assert found["added"][0] == "3"
    assert set(found["added"][1]) == {each.id for each in new}
    assert found["corpus-statistics-changed"] == ("+3", ())
    assert "changed" not in found
    forget(port, ForgetInput(namespace=HERE, memory_ids=(FERRY,)))
    assert named(port, recall_id)["forgotten"] == ("1", (FERRY,))
    apply_verb(port, "pin", VerbInput(namespace=HERE, memory_id=CRANE))
    assert named(port, recall_id)["changed"] == ("1", (CRANE,))


def test_what_is_true_only_since_then_was_no_answer_then(port: App) -> None:
    recall_id = ask(port, "harbour crane").recall_id
    keep(port, "there is a new harbour crane")
    assert live(port, recall_id).identical


def test_a_file_that_somebody_deleted_is_named(port: App) -> None:
    recall_id = ask(port, "harbour crane").recall_id
    (path,) = (each.path for each in port.index.memories(HERE) if each.memory.id == FERRY)
    (port.settings.home / "vault" / path).unlink()
    port.unit_of_work.take_over_edits()
    found = named(port, recall_id)
    assert found["removed"] == ("1", (FERRY,))
    assert "forgotten" not in found


def test_another_text_of_a_memory_nobody_found_is_named_too(house: Opener) -> None:
    """It changes the mean length, and by that every score by words."""
    app = house(pool=1, open_pool=0)
    file_memories(
        app, [a_memory(1, "the harbour crane"), a_memory(2, "the tide turns at noon"), a_memory(3, "a crane")]
    )
    recall_id = ask(app, "harbour crane").recall_id
    (path,) = (each.path for each in app.index.memories(HERE) if each.memory.id == TIDE.replace("3", "2"))
    edit(app.settings.home, path, "the tide turns at noon", "the tide turns at noon and again and again " * 9)
    app.unit_of_work.take_over_edits()
    again = live(app, recall_id)
    assert again.identical or "changed" in {each.name for each in again.reasons}


def test_a_lifecycle_fold_is_named_with_whom_it_warmed(port: App) -> None:
    recall_id = ask(port, "harbour crane").recall_id
    run_lifecycle(port, LifecycleInput(namespace=HERE))
    detail, concerned = named(port, recall_id)["lifecycle-fold"]
    assert int(detail) == len(concerned) > 0


def test_a_leg_that_is_down_or_back_is_named(port: App, house: Opener) -> None:
    recall_id = ask(port, "harbour crane").recall_id
    blind = house(encoder=None)
    found = named(replace(port, recaller=replace(port.recaller, embedder=blind.recaller.embedder)), recall_id)
    assert found["leg-health-changed"][0].startswith("vector: ok → degraded; recent: not asked → ok")
    assert "model-changed" not in found


@pytest.mark.requirement("XRAY-5")
def test_a_query_that_was_not_kept_cannot_be_asked_again(house: Opener) -> None:
    app = house(store_query_text=False)
    keep(app, "the harbour crane lifts forty tonnes")
    again = live(app, ask(app, "harbour crane").recall_id)
    assert again.identical is None
    assert [str(each) for each in again.reasons] == ["query-withheld (its words were not kept, or were erased)"]
    assert again.difference is None


def test_other_numbers_of_the_same_words_are_another_model_s(port: App) -> None:
    receipt, state = unpack(pack(run(port, "harbour crane"))), run(port, "harbour crane")
    pool = state.pool
    other = replace(state, pool=replace(pool, cosine=pool.cosine * np.float32(0.9), final=pool.final + 1))
    (reason,) = compare_with_live(receipt, other)
    assert (reason.name, reason.count, set(reason.memory_ids)) == ("model-changed", 3, {CRANE, FERRY, TIDE})
    (reranked,) = compare_with_live(
        receipt, replace(state, pool=replace(pool, final=pool.final + 1), rerank_backend="by-length")
    )
    assert str(reranked) == "reranker-changed (by: late-interaction → by-length)"


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"plan": "minimal"}, "plan-changed (depth: full → minimal)"),
        ({"stage": "failed: EncoderError: no answer"}, "stage-health-changed (rerank: ok → failed)"),
        ({}, f"{UNEXPLAINED} (please report this)"),
    ],
)
def test_every_other_cause_has_a_name_of_its_own(port: App, changed: dict[str, Any], said: str) -> None:
    receipt, state = unpack(pack(run(port, "harbour crane"))), run(port, "harbour crane")
    other = replace(state, pool=replace(state.pool, final=state.pool.final + 1))
    if depth := changed.get("plan"):
        other = replace(other, plan=replace(other.plan, depth=depth))
    if note := changed.get("stage"):
        stages = tuple(
            each.model_copy(update={"note": note}) if each.name == "rerank" else each for each in other.stages
        )
        other = replace(other, stages=stages)
    assert [str(each) for each in compare_with_live(receipt, other, Since())] == [said]


def test_a_leg_nobody_knew_then_is_named(port: App) -> None:
    receipt, state = unpack(pack(run(port, "harbour crane"))), run(port, "harbour crane")
    pool = replace(state.pool, final=state.pool.final + 1)
    other = replace(state, pool=pool, legs=(*state.legs, empty_report("sonar", "ok")))
    assert [str(each) for each in compare_with_live(receipt, other)] == ["leg-health-changed (sonar: not asked → ok)"]


def test_a_turn_that_joined_a_session_is_named(house: Opener) -> None:
    app = house()
    take_verbatim(app, random.Random(1), "talk", 12)
    recall_id = ask(app, "crane ferry").recall_id
    take_verbatim(app, random.Random(2), "talk", 4)
    again = live(app, recall_id)
    assert again.identical or {"added", "changed"} & {each.name for each in again.reasons}


@pytest.mark.requirement("STORE-7")
def test_a_recall_of_another_place_is_unknown_and_a_pruned_one_says_so(port: App) -> None:
    recall_id = ask(port, "harbour crane").recall_id
    with pytest.raises(NotFoundError, match="no recall"):
        replay_recall(port, ReplayInput(namespace="other/place", recall_id=recall_id))
    with pytest.raises(NotFoundError, match="no recall"):
        replay_recall(port, ReplayInput(namespace=HERE, recall_id="rec_" + "0" * 32))
    port.history.prune(int(NOON.timestamp() * 2000), 100)
    with pytest.raises(NotFoundError, match="pruned"):
        replay_recall(port, ReplayInput(namespace=HERE, recall_id=recall_id))


@pytest.mark.requirement("XRAY-5")
def test_what_an_older_receipt_does_not_record_is_not_said_to_have_changed(port: App) -> None:
    texts = ("does the harbour crane lift forty tonnes?", "We decided to paint the harbour crane red.")
    file_memories(port, [a_memory(n, text) for n, text in enumerate(texts, start=11)])
    run_lifecycle(port, LifecycleInput(namespace=HERE))
    state = run(port, "harbour crane")
    old = unpack(as_version_2(pack(state)))
    assert old.state.plan.words == state.plan.words
    reasons = {each.name: each for each in compare_with_live(old, state)}
    assert not {"changed", "lifecycle-fold", "model-changed", UNEXPLAINED} & set(reasons)
    assert reasons["not-recorded"].detail == "asks, heat"
    pinned = replace(state, pool=replace(state.pool, pinned=~state.pool.pinned))
    assert "changed" in {each.name for each in compare_with_live(old, pinned)}
    assert compare_with_live(unpack(pack(state)), state) == []
