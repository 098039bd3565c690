"""A few memories and weights in; what each leg's place, a pin, importance and age are worth out."""

import math
from datetime import timedelta

import numpy as np
import pytest

from kits.vault import NOON, Opener, a_memory, file_memories, keep, run
from pellucid.app import App
from pellucid.model.memory import unpack_id
from pellucid.recall.state import State
from pellucid.settings.sections import LegWeights


def term(state: State, name: str) -> dict[int, float]:
    """A term by the number of the memory."""
    return {
        int(unpack_id(raw)[4:], 16): value
        for raw, value in zip(state.pool.ids, state.pool.terms[name].tolist(), strict=True)
    }


def three(app: App) -> App:
    """Three memories of one crane: the second is pinned and important, the third the newest."""
    file_memories(
        app,
        [
            a_memory(1, "the harbour crane lifts forty tonnes", created=NOON - timedelta(days=30)),
            a_memory(2, "a crane", created=NOON - timedelta(days=60), pinned=True, importance_score=0.9),
            a_memory(3, "the tide and the crane", created=NOON - timedelta(days=1)),
        ],
    )
    return app


def test_a_leg_is_worth_its_weight_at_first_place_and_less_below(house: Opener) -> None:
    state = run(three(house(leg_weights=LegWeights(vector=2.0, lexical=0.5), rrf_k=4)), "harbour crane")
    for name, weight in (("vector", 2.0), ("lexical", 0.5)):
        assert sorted(term(state, name).values(), reverse=True) == pytest.approx(
            [weight, weight * 5 / 6, weight * 5 / 7]
        )
        ranks = state.pool.ranks[name]
        assert np.argsort(ranks).tolist() == np.argsort(-state.pool.terms[name]).tolist()


def test_a_pin_and_importance_are_worth_their_weights(house: Opener) -> None:
    state = run(three(house(pin_weight=0.3, importance_weight=0.2)), "crane")
    assert term(state, "pin") == {1: 0.0, 2: 0.3, 3: 0.0}
    assert term(state, "importance") == pytest.approx({1: 0.1, 2: 0.18, 3: 0.1})
    bare = run(three(house(house().settings.home / "other", pin_weight=0.0, importance_weight=0.0)), "crane")
    assert not {"pin", "importance"} & bare.pool.terms.keys()
    assert (
        "pin"
        not in run(
            three(house(house().settings.home / "third", pin_weight=0.3)), "crane", without=("boost",)
        ).pool.terms
    )


def test_age_is_worth_less_by_the_day_whatever_else_was_found(house: Opener) -> None:
    app = house(leg_weights=LegWeights(temporal=1.0), half_life_days=30.0)
    at = three(app).clock.now()
    state = run(app, "crane")
    days = {number: (at - NOON).days + age for number, age in ((1, 30), (2, 60), (3, 1))}
    assert term(state, "temporal") == pytest.approx({n: math.exp(-age / 30) for n, age in days.items()})
    assert "temporal" not in run(app, "crane", without=("temporal",)).pool.terms
    assert "temporal" not in {leg.name for leg in state.legs}


def test_what_somebody_is_told_of_themselves_counts_as_about_them(house: Opener) -> None:
    app = house()
    keep(app, "Priya (to Tomás): You report to Farid, and I run the ingestion squad", category="relationship")
    keep(app, "Priya: I report to Farid, and I run the ingestion squad", category="relationship")
    state = run(app, "Who is Tomás's manager?")
    named = {unpack_id(state.pool.ids[at]): paid for at, paid in enumerate(state.pool.terms["named"].tolist())}
    paid = {each.memory.content[:6]: named[each.memory.id] for each in state.served}
    assert paid == {"Priya ": 0.8, "Priya:": 0.0}


def test_a_name_that_the_graph_has_paid_for_is_not_paid_for_again(house: Opener) -> None:
    app = house()
    keep(app, "The quote cache was painted green", entity_ref="quote cache")
    keep(app, "To roll back the quote cache: stop the worker, restore the snapshot, start it.", category="procedure")
    keep(app, "Releases are cut every second Tuesday")
    question = "How do I roll back the quote cache?"
    state = run(app, question)
    assert state.served[0].memory.content.startswith("To roll back")
    assert state.pool.terms["graph"].max() == 1.0
    assert "named" not in state.pool.terms
    assert run(app, question, without=("graph",)).pool.terms["named"].max() == 0.8
    heavier = run(app, question, settings={"namedWeight": 1.5}).pool.terms
    assert (heavier["graph"] + heavier["named"]).max() == 1.5
