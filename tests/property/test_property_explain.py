"""Recorded recalls in, what can be said of them afterwards out: without a part, again, and beside one another."""

import random
from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest

from kits.vault import (
    HERE,
    Opener,
    Town,
    ask,
    file_memories,
    keep,
    queries,
    salad,
    salad_memories,
    take_verbatim,
)
from pellucid.app import App
from pellucid.model.memory import BOUNDARY_SCOPES, Memory, unpack_id
from pellucid.operations.admin.health import rebuild
from pellucid.operations.memory.changing import UpdateInput, Verb, VerbInput, apply_verb, update
from pellucid.operations.memory.forgetting import ForgetInput, forget
from pellucid.operations.memory.lifecycle.aging import LifecycleInput, run_lifecycle
from pellucid.operations.recall.explaining import ReplayInput, replay_recall
from pellucid.operations.recall.request import RecallInput, build_request, removable_parts
from pellucid.recall.ablate import NotComputableError, ablate
from pellucid.recall.legs.nominate import LEGS
from pellucid.recall.receipt.record import pack, unpack
from pellucid.recall.score.ladder import DIVERSIFY, FILTERS
from pellucid.recall.state import Request, State
from pellucid.settings.sections import LegWeights, RecallSettings
from pellucid.store.index_port import Filters
from pellucid.xray.replay import UNEXPLAINED

SETTINGS: dict[str, dict[str, Any]] = {
    "as they are": {},
    "diverse": {"mmr_lambda": 0.5, "mmr_threshold": 0.3},
    "newest": {"leg_weights": LegWeights(temporal=0.5)},
    "nobody beside": {"expand_from": 0},
    "few beside": {"expand_from": 3, "pool": 8},
    "strict": {"min_token_overlap": 0.3, "min_fact_score": 0.1, "top_k_facts": 3},
    "fond": {"importance_weight": 0.4, "heat_weight": 0.3, "direct_answer": False, "renewal_weight": 0.0},
    "again": {"max_iterations": 3, "sufficiency_threshold": 0.95},
    "by class": {"renewal_weight": 0.0, "class_weights": {"other": {"temporal": 0.4, "lexical": 0.3}}},
}
ASKED: dict[str, dict[str, Any]] = {
    "anybody": {},
    "in private": {"scopes": BOUNDARY_SCOPES},
    "of facts": {"filters": Filters(categories=("fact", "decision"))},
    "lately": {"filters": Filters(since=1_770_000_000_000)},
    "of a session": {"filters": Filters(session_id="harbour-talk")},
    "of other sessions": {"filters": Filters(not_session="harbour-talk")},
}


RANKING_RUNGS = (*(each.name for each in FILTERS), DIVERSIFY)
"""Those behind them depend on texts, which are not in a receipt."""


def request(app: App, query: str, settings: dict[str, Any], **given: Any) -> Request:
    """A recall that no budget cuts, as the texts' lengths are not in a receipt."""
    chosen = RecallSettings(**{"char_budget": 1_000_000, **settings})
    return replace(build_request(app, RecallInput(query=query, namespace=HERE)), settings=chosen, **given)


def told(state: State) -> dict[str, Any]:
    """All that an ablation claims, to the last bit."""
    pool = state.pool
    return {
        "ids": [unpack_id(raw) for raw in pool.ids],
        "order": state.order.tolist(),
        "final": pool.final.tobytes(),
        "penalty": pool.penalty.tobytes(),
        "rejected": [number if number <= len(FILTERS) else 0 for number in pool.rejected.tolist()],
        "soft": pool.soft.tolist(),
        "terms": {name: term.tobytes() for name, term in pool.terms.items() if term.any()},
        "rungs": [rung for rung in state.rungs if rung.name in RANKING_RUNGS],
        "legs": [(each.name, each.health, each.admitted, each.open) for each in state.legs],
        "tier": state.tier and replace(state.tier, millis=0.0),
    }


def differing(here: dict[str, Any], there: dict[str, Any]) -> list[str]:
    return [name for name in here if here[name] != there[name]]


@pytest.mark.requirement("XRAY-5")
@pytest.mark.parametrize("name", SETTINGS)
def test_an_ablation_of_a_receipt_is_the_live_recall_without_the_part_to_the_last_bit(town: Town, name: str) -> None:
    told_of = unknown = 0
    for number, asked in enumerate(ASKED.values()):
        query = town.queries[(len(name) * 31 + number * 7) % len(town.queries)]
        asked_for = request(town.app, query, SETTINGS[name], **asked)
        recorded = unpack(pack(town.app.recaller.run(asked_for))).state
        for gone in [*((part,) for part in removable_parts()), *combinations(LEGS, 2)]:
            try:
                ablated = told(ablate(recorded, gone))
            except NotComputableError:
                unknown += 1
                continue
            live = told(town.app.recaller.run(replace(asked_for, without=frozenset(gone))))
            assert not differing(ablated, live), (query, asked, gone, differing(ablated, live))
            told_of += 1
    assert told_of > 3 * unknown


@pytest.mark.requirement("XRAY-5")
def test_every_recall_replays_from_its_receipt_alone(town: Town) -> None:
    for query in town.queries[:60]:
        answer = ask(town.app, query, top_k=5, budget=900)
        again = replay_recall(town.app, ReplayInput(namespace=HERE, recall_id=answer.recall_id, live=True))
        assert again.identical
        finals = {each.memory_id: each.final for each in again.results}
        assert [finals[each.memory.id] for each in answer.memories] == [each.final for each in answer.memories]
        assert again.live
        assert again.live.identical
        assert again.live.reasons == ()
        assert again.live.difference
        assert again.live.difference.same


def said_anew(app: App, rng: random.Random) -> None:
    keep(app, salad(rng, 8), session_id=rng.choice((None, "session-1")))


def changed_by_hand(app: App, rng: random.Random) -> None:
    chosen = rng.choice(app.index.memories(HERE))
    file = app.settings.home / "vault" / chosen.path
    if rng.random() < 0.3:
        file.unlink()
    else:
        file.write_text(file.read_text("utf-8") + f"\n{salad(rng, 4)}\n", "utf-8")
    app.unit_of_work.take_over_edits()


def one_that_stands(app: App, rng: random.Random) -> Memory:
    here = [each.memory for each in app.index.memories(HERE)]
    return rng.choice([each for each in here if each.status == "active" and each.category != "moment"])


def changed_by_verb(app: App, rng: random.Random) -> None:
    verb: Verb = rng.choice(("archive", "retract", "dispute", "pin"))
    apply_verb(app, verb, VerbInput(namespace=HERE, memory_id=one_that_stands(app, rng).id))


def superseded(app: App, rng: random.Random) -> None:
    chosen = one_that_stands(app, rng).id
    update(app, UpdateInput(namespace=HERE, memory_id=chosen, content=salad(rng, 7)))


def forgotten(app: App, rng: random.Random) -> None:
    chosen = rng.choice(app.index.memories(HERE)).memory.id
    forget(app, ForgetInput(namespace=HERE, memory_ids=(chosen,)))


def talked(app: App, rng: random.Random) -> None:
    take_verbatim(app, rng, f"talk-{rng.randint(1, 2)}", rng.randint(3, 9))


def folded(app: App, rng: random.Random) -> None:
    run_lifecycle(app, LifecycleInput(namespace=HERE))


def indexed_anew(app: App, rng: random.Random) -> None:
    rebuild(app)


EDITS = (said_anew, changed_by_hand, changed_by_verb, superseded, forgotten, talked, folded, indexed_anew)


@pytest.mark.requirement("XRAY-5")
@pytest.mark.parametrize("seed", range(4))
def test_whatever_happened_since_a_recall_asked_again_is_the_same_or_says_why(house: Opener, seed: int) -> None:
    rng = random.Random(seed)
    app = house()
    file_memories(app, salad_memories(rng, 60))
    take_verbatim(app, rng, "talk-1", 20)
    asked = queries(rng, [each.memory.content for each in app.index.memories(HERE)], 6)
    recalls = [ask(app, query).recall_id for query in asked]
    named = set[str]()
    for _ in range(12):
        rng.choice(EDITS)(app, rng)
        for recall_id in recalls:
            again = replay_recall(app, ReplayInput(namespace=HERE, recall_id=recall_id, live=True))
            assert again.identical
            assert again.live
            names = {reason.name for reason in again.live.reasons}
            assert again.live.identical == (not names) or names == {"query-withheld"}
            assert UNEXPLAINED not in names
            named |= names
        recalls[rng.randrange(len(recalls))] = ask(app, rng.choice(asked)).recall_id
    assert named
