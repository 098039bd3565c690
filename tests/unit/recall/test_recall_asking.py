"""What a caller asks for in, which memories may answer out; what cannot be asked is refused before anything runs."""

from datetime import timedelta
from typing import Any

import pytest

from kits.vault import HERE, NOON, Opener, a_memory, ask, contents, file_memories, run
from pellucid.app import App
from pellucid.errors import InputError
from pellucid.operations.recall.request import RecallInput, build_request
from pellucid.recall.receipt.record import pack, unpack

CRANE = "the harbour crane lifts forty tonnes"


@pytest.fixture
def cranes(house: Opener) -> App:
    """Four memories of one crane that differ in everything a caller can filter by."""
    app = house()
    file_memories(
        app,
        [
            a_memory(
                1,
                f"{CRANE} in spring",
                tags=("Harbour", "crane"),
                category="decision",
                agent="ada",
                session_id="one",
                created=NOON - timedelta(days=30),
            ),
            a_memory(
                2,
                f"{CRANE} in summer",
                tags=("harbour",),
                agent="bo",
                session_id="two",
                created=NOON - timedelta(days=20),
            ),
            a_memory(3, f"{CRANE} in autumn", tags=("crane",), created=NOON - timedelta(days=10)),
            a_memory(4, f"{CRANE} in winter", category="preference", created=NOON - timedelta(days=1)),
        ],
    )
    return app


@pytest.mark.parametrize(
    ("asked", "seasons"),
    [
        ({}, {"spring", "summer", "autumn", "winter"}),
        ({"tags": ("harbour",)}, {"spring", "summer"}),
        ({"tags": ("harbour", "CRANE")}, {"spring"}),
        ({"categories": ("decision", "preference")}, {"spring", "winter"}),
        ({"by_agent": "ada"}, {"spring"}),
        ({"in_session": "two"}, {"summer"}),
        ({"since": NOON - timedelta(days=20)}, {"summer", "autumn", "winter"}),
        ({"until": NOON - timedelta(days=20)}, {"spring"}),
        ({"since": NOON - timedelta(days=25), "until": NOON - timedelta(days=5)}, {"summer", "autumn"}),
        ({"tags": ("crane",), "since": NOON - timedelta(days=15)}, {"autumn"}),
        ({"tags": ("  HARBOUR ",)}, {"spring", "summer"}),
        ({"tags": ("nobody has this",)}, set()),
        ({"not_in_session": "one"}, {"summer", "autumn", "winter"}),
        ({"not_in_session": "tw"}, {"spring", "summer", "autumn", "winter"}),
        ({"not_memories": (f"mem_{3:032x}", f"mem_{4:032x}")}, {"spring", "summer"}),
        ({"not_memories": (f"mem_{1:032x}",), "not_in_session": "two", "tags": ("crane",)}, {"autumn"}),
    ],
)
def test_a_filter_keeps_out_all_else(cranes: App, asked: dict[str, Any], seasons: set[str]) -> None:
    answer = ask(cranes, "harbour crane", **asked)
    assert {content.rsplit(" ", 1)[1] for content in contents(answer)} == seasons
    state = run(cranes, "harbour crane", **asked)
    rung = next(rung for rung in state.rungs if rung.name == "caller-filter")
    assert rung.admitted == len(seasons)
    assert bool(rung.reason) == (rung.admitted < rung.considered)


def test_a_filter_limits_the_legs_so_that_a_small_pool_is_not_filled_with_others(house: Opener) -> None:
    app = house(pool=2)
    others = [a_memory(n, f"{CRANE} {n}") for n in range(1, 9)]
    file_memories(app, [*others, a_memory(9, "a crane of the harbour, perhaps", tags=("rare",))])
    assert contents(ask(app, CRANE, tags=("rare",))) == ["a crane of the harbour, perhaps"]


def test_a_session_is_left_out_with_those_below_it(house: Opener) -> None:
    app = house()
    file_memories(
        app,
        [
            a_memory(1, f"{CRANE} in spring", session_id="one"),
            a_memory(2, f"{CRANE} in summer", session_id="one/agent-7"),
            a_memory(3, f"{CRANE} in autumn", session_id="one_/agent-7"),
        ],
    )
    assert contents(ask(app, CRANE, not_in_session="one")) == [f"{CRANE} in autumn"]


def test_what_is_left_out_says_nothing_of_where_an_answer_is_so_a_recall_may_abstain(house: Opener) -> None:
    app = house()
    file_memories(app, [a_memory(n, f"{CRANE} {n}") for n in range(1, 120)])
    unknown = "which pasta sauce won the village contest?"
    assert ask(app, unknown).abstained
    assert ask(app, unknown, not_memories=(f"mem_{1:032x}",), not_in_session="two").abstained
    assert not ask(app, unknown, categories=("fact",)).abstained


def test_a_receipt_remembers_what_was_left_out(cranes: App) -> None:
    state = run(cranes, "harbour crane", not_in_session="one", not_memories=(f"mem_{3:032x}",))
    kept = unpack(pack(state)).state.request.filters
    assert (kept.not_session, kept.not_ids) == ("one", (f"mem_{3:032x}",))


def test_settings_can_differ_for_one_call_alone(cranes: App) -> None:
    asked = RecallInput(
        query="crane",
        namespace=HERE,
        top_k=2,
        settings={"maxIterations": 3, "legWeights.vector": 0.5, "mmr_lambda": 0.3},
    )
    request = build_request(cranes, asked)
    assert (request.settings.max_iterations, request.settings.leg_weights.vector) == (3, 0.5)
    assert (request.settings.mmr_lambda, request.settings.top_k_facts) == (0.3, 2)
    assert request.settings.leg_weights.lexical == cranes.settings.recall.leg_weights.lexical
    assert request.chosen == {"top_k_facts", "max_iterations", "leg_weights", "leg_weights.vector", "mmr_lambda"}
    assert build_request(cranes, RecallInput(query="crane", namespace=HERE)).settings == cranes.settings.recall


@pytest.mark.parametrize(
    ("asked", "said", "next_step"),
    [
        ({"settings": {"maxIteration": 2}}, "no recall setting is called 'maxIteration'", "maxIterations"),
        ({"settings": {"legWeights.vektor": 2}}, "no recall setting is called 'legWeights.vektor'", "legWeights"),
        ({"settings": {"mmrLambda": "much"}}, "settings mmrLambda", ""),
        ({"settings": {"legWeights.vector": -1}}, "settings legWeights.vector", ""),
        ({"settings": {"gate.vector": 1}}, "no recall setting is called 'gate.vector'", ""),
        ({"settings": {"legWeights": 5, "legWeights.vector": 1}}, "settings legWeights", ""),
        ({"settings": {"pinWeight": float("inf")}}, "settings pinWeight", ""),
        ({"settings": {"legWeights.vector": float("nan")}}, "settings legWeights.vector", ""),
        ({"settings": {"rrfK": 10**23}}, "settings rrfK", ""),
        ({"settings": {"classWeights": {"no such": {}}}}, "settings classWeights", ""),
        ({"top_k": 0}, "top_k expects a whole number from 1 to 1000; got 0", ""),
        ({"budget": -5}, "budget expects a positive integer; got -5", "1 to"),
        ({"without": ("vektor",)}, "without expects some of vector", ""),
        ({"since": NOON, "until": NOON - timedelta(days=1)}, "since is not before until", "exchange"),
    ],
)
def test_what_cannot_be_asked_is_said_before_anything_is_recalled(
    cranes: App, asked: dict[str, Any], said: str, next_step: str
) -> None:
    with pytest.raises(InputError) as caught:
        ask(cranes, "crane", **asked)
    assert said in caught.value.message
    assert next_step in (caught.value.next_step or "")
    assert cranes.history.counts()[0] == 0


def test_a_secret_in_a_filter_is_not_kept(cranes: App) -> None:
    request = build_request(cranes, RecallInput(query="crane", namespace=HERE, tags=("ghp_" + "a1B2" * 9,)))
    assert "ghp_" not in request.filters.tags[0]
