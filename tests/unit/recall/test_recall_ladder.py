"""Memories in every state in, the rung that stops each of them out."""

from datetime import timedelta
from typing import Any

import pytest

from kits.vault import ELSEWHERE, NOON, Opener, a_memory, file_memories, run
from pellucid.app import App
from pellucid.model.memory import BOUNDARY_SCOPES, STATUSES, unpack_id
from pellucid.recall.score.ladder import FILTERS, RUNGS
from pellucid.recall.state import State

AN_HOUR = timedelta(hours=1)
FLOORS = {"min_token_overlap": 0.0, "min_fact_score": -1.0}


def stopped_by(state: State, number: int) -> str | None:
    """The rung that stopped memory `number`; None if it passed all of them."""
    at = [unpack_id(raw) for raw in state.pool.ids].index(f"mem_{number:032x}")
    verdict = int(state.pool.rejected[at])
    return RUNGS[verdict - 1] if verdict else None


def one(app: App, query: str = "harbour crane", asked: dict[str, Any] | None = None, **given: Any) -> str | None:
    """What stops a memory of the harbour crane in this state."""
    file_memories(app, [a_memory(1, "the harbour crane lifts forty tonnes", **given)])
    state = run(app, query, **(asked or {}))
    verdict = stopped_by(state, 1)
    assert bool(state.served) == (verdict is None)
    return verdict


def test_the_rungs_stand_in_their_documented_order() -> None:
    assert RUNGS == (
        "namespace-scope",
        "status-active",
        "valid-at",
        "trust-zone",
        "boundary-scope",
        "caller-filter",
        "time-window",
        "token-overlap",
        "score-floor",
        "mmr-diversify",
        "repeats",
        "top-k",
        "asked-edges",
        "tells-nothing",
        "said-already",
        "budget-fit",
    )
    assert all(each.reason for each in FILTERS)


@pytest.mark.requirement("REC-6")
@pytest.mark.parametrize("status", STATUSES)
def test_only_an_active_memory_passes(house: Opener, status: str) -> None:
    assert one(house(), status=status) == (None if status == "active" else "status-active")


@pytest.mark.requirement("REC-6")
@pytest.mark.parametrize(
    ("window", "verdict"),
    [
        ({"valid_at": NOON}, None),
        ({"valid_at": NOON + AN_HOUR}, "valid-at"),
        ({"invalid_at": NOON - AN_HOUR}, "valid-at"),
        ({"invalid_at": NOON + AN_HOUR}, None),
        ({"expires_at": NOON - AN_HOUR}, "valid-at"),
        ({"expires_at": NOON + AN_HOUR}, None),
        ({"expires_at": NOON + AN_HOUR, "invalid_at": NOON - AN_HOUR}, "valid-at"),
        ({"expires_at": NOON - AN_HOUR, "invalid_at": NOON + AN_HOUR}, "valid-at"),
        ({"valid_at": NOON - AN_HOUR, "invalid_at": NOON}, "valid-at"),
    ],
)
def test_a_memory_passes_inside_its_window_only(house: Opener, window: dict[str, Any], verdict: str | None) -> None:
    assert one(house(), **window) == verdict


@pytest.mark.requirement("REC-6")
def test_the_window_is_closed_at_its_start_and_open_at_its_end(house: Opener) -> None:
    """Asked at the very millisecond: it is valid from then, and invalid from then."""
    app = house()
    state = run(app, "x")
    at = state.request.at + timedelta(milliseconds=50)
    file_memories(app, [a_memory(1, "harbour crane one", valid_at=at), a_memory(2, "harbour crane two", invalid_at=at)])
    from dataclasses import replace

    def at_instant(shift: int) -> list[str]:
        request = replace(state.request, query="harbour crane", at=at + timedelta(milliseconds=shift))
        return sorted(each.memory.content[-3:] for each in app.recaller.run(request).served)

    assert at_instant(-1) == ["two"]
    assert at_instant(0) == ["one"]


@pytest.mark.requirement("REC-6")
@pytest.mark.parametrize(("zone", "verdict"), [("quarantine", "trust-zone"), ("working", None), ("trusted", None)])
def test_what_is_quarantined_does_not_pass(house: Opener, zone: str, verdict: str | None) -> None:
    assert one(house(), trust_zone=zone) == verdict


@pytest.mark.requirement("REC-6")
@pytest.mark.parametrize(
    ("carried", "named", "verdict"),
    [
        ((), (), None),
        (BOUNDARY_SCOPES[:1], (), "boundary-scope"),
        (BOUNDARY_SCOPES[1:2], (), "boundary-scope"),
        (BOUNDARY_SCOPES[2:], (), "boundary-scope"),
        (BOUNDARY_SCOPES[:1], BOUNDARY_SCOPES[:1], None),
        (BOUNDARY_SCOPES[:1], BOUNDARY_SCOPES[1:], "boundary-scope"),
        (BOUNDARY_SCOPES, BOUNDARY_SCOPES[:2], "boundary-scope"),
        (BOUNDARY_SCOPES, BOUNDARY_SCOPES, None),
        (("team-a",), (), None),
        ((), BOUNDARY_SCOPES, None),
    ],
)
def test_every_boundary_scope_a_memory_carries_must_be_named(
    house: Opener, carried: tuple[str, ...], named: tuple[str, ...], verdict: str | None
) -> None:
    assert one(house(), scopes=carried, asked={"scopes": named}) == verdict


def test_a_share_of_the_querys_words_may_be_asked_for(house: Opener) -> None:
    app = house(**FLOORS | {"min_token_overlap": 0.5})
    assert one(app, "harbour crane zyzzyva xylograph") is None
    assert stopped_by(run(app, "harbour zyzzyva xylograph"), 1) == "token-overlap"


@pytest.mark.requirement("REC-9")
def test_a_cosine_floor_turns_away_what_is_far_and_says_so(house: Opener) -> None:
    app = house(**FLOORS | {"min_fact_score": 0.5})
    assert one(app, "the harbour crane") is None
    state = run(app, "quarterly tax return of the bakery")
    assert stopped_by(state, 1) == "score-floor"
    assert "Nothing recalled" in state.context.text
    assert not state.context.included


def test_a_floor_cannot_be_asked_of_what_has_no_vector(house: Opener) -> None:
    assert one(house(encoder=None, **FLOORS | {"min_fact_score": 0.9})) is None


def test_the_first_rung_that_fails_is_the_one_named(house: Opener) -> None:
    app = house()
    assert one(app, status="archived", trust_zone="quarantine", scopes=BOUNDARY_SCOPES) == "status-active"


@pytest.mark.requirement("REC-3")
def test_each_rung_counts_what_came_and_what_passed(house: Opener) -> None:
    app = house(top_k_facts=2)
    text = "harbour crane number"
    file_memories(
        app,
        [
            a_memory(1, f"{text} one"),
            a_memory(2, f"{text} two"),
            a_memory(3, f"{text} three"),
            a_memory(4, f"{text} four", status="retracted"),
            a_memory(5, f"{text} five", invalid_at=NOON - AN_HOUR),
            a_memory(6, f"{text} six", trust_zone="quarantine"),
            a_memory(7, f"{text} seven", scopes=("private",)),
            a_memory(8, f"{text} eight", namespace=ELSEWHERE),
        ],
    )
    state = run(app, "harbour crane number", budget=170)
    assert [(rung.name, rung.considered, rung.admitted) for rung in state.rungs] == [
        ("namespace-scope", 7, 7),
        ("status-active", 7, 6),
        ("valid-at", 6, 5),
        ("trust-zone", 5, 4),
        ("boundary-scope", 4, 3),
        ("caller-filter", 3, 3),
        ("time-window", 3, 3),
        ("token-overlap", 3, 3),
        ("score-floor", 3, 3),
        ("repeats", 3, 3),
        ("top-k", 3, 2),
        ("budget-fit", 2, 1),
    ]
    assert all(rung.soft_admitted == 0 for rung in state.rungs)


@pytest.mark.requirement("REC-6")
def test_what_is_kept_to_a_scope_takes_no_place_from_what_may_answer_and_lends_it_no_word(house: Opener) -> None:
    app = house(pool=10)
    private = [
        a_memory(
            n, f"rotate the deploy key, step {n}", scopes=("private",), session_id="s", evidence=(f"s:{2 * n}-{2 * n}",)
        )
        for n in range(1, 41)
    ]
    beside = a_memory(90, "board minutes", session_id="s", evidence=("s:3-3",))
    public = a_memory(91, "somebody should rotate the key of the deploy host now and then, perhaps in spring")
    file_memories(app, [*private, beside, public])
    state = run(app, "rotate the deploy key")
    assert public.id in {each.memory.id for each in state.served}
    assert all(not each.memory.scopes for each in state.served)
    lent = {leg: ranks for leg, ranks in state.pool.ranks.items() if leg == "passage"}
    at = next(i for i, raw in enumerate(state.pool.ids) if unpack_id(raw) == beside.id)
    assert lent["passage"][at] == 0
    granted = run(app, "rotate the deploy key", scopes=("private",))
    at = next(i for i, raw in enumerate(granted.pool.ids) if unpack_id(raw) == beside.id)
    assert granted.pool.ranks["passage"][at] > 0


@pytest.mark.parametrize(("likeness", "lowered"), [(0.3, [1]), (1.0, [])])
def test_being_put_lower_for_likeness_is_a_rung_where_it_acts(
    house: Opener, likeness: float, lowered: list[int]
) -> None:
    app, said = house(mmr_lambda=0.6, mmr_threshold=likeness), "The harbour crane lifts forty tonnes"
    file_memories(app, [a_memory(1, f"{said} at dawn"), a_memory(2, f"{said} at dusk")])
    rungs = [each for each in run(app, "what does the harbour crane lift").rungs if each.name == "mmr-diversify"]
    assert [each.soft_admitted for each in rungs] == lowered
    assert all(each.considered == each.admitted == 2 for each in rungs)
