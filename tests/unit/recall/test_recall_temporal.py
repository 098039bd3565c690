"""Recency as a term: the newer of equals first, and not where a question is about the past."""

import math
from datetime import datetime, timedelta

import pytest

from kits.vault import NOON, Opener, a_memory, file_memories, ranking, run

SAID = "The relay hands a signal over once, and never twice"
MONTH = math.exp(-30 / 180)
"""What being thirty days old is worth."""
OLD, NEW = "mem_" + f"{1:032x}", "mem_" + f"{2:032x}"


def two(now: datetime, **given: object) -> list[object]:
    return [
        a_memory(1, SAID, created=now - timedelta(days=182), **given),
        a_memory(2, SAID, created=now - timedelta(days=30), **given),
    ]


@pytest.mark.parametrize("settings", [{}, {"renewalWeight": 0.0}], ids=["as set", "without renewal"])
@pytest.mark.requirement("TIME-6")
def test_of_equal_matches_the_newer_comes_first(house: Opener, settings: dict[str, object]) -> None:
    app = house()
    file_memories(app, two(app.clock.now()))
    state = run(app, "how often does the relay hand over a signal", settings=settings)
    assert [memory_id for memory_id, _ in ranking(state)] == [NEW, OLD]
    assert all(state.pool.terms["temporal"] > 0)


@pytest.mark.parametrize(
    ("query", "given"),
    [
        ("what was the history of the relay's signal", {}),
        ("how often does the relay hand over a signal", {"as_of": NOON}),
        ("how often does the relay hand over a signal", {"as_known_at": NOON}),
    ],
    ids=["historical", "as of", "as known at"],
)
def test_being_recent_counts_for_nothing_where_the_past_is_asked_about(
    house: Opener, query: str, given: dict[str, object]
) -> None:
    app = house()
    file_memories(app, two(NOON))
    state = run(app, query, **given)
    assert state.plan.timeless
    assert "temporal" not in state.pool.terms
    asked = run(app, query, settings={"legWeights.temporal": 0.25}, **given)
    assert len(asked.order) == 2
    assert max(asked.pool.terms["temporal"]) == pytest.approx(0.25 * MONTH, rel=0.01)


def test_a_class_of_query_may_be_given_its_own_weight(house: Opener) -> None:
    app = house(class_weights={"historical": {"temporal": 0.5}})
    file_memories(app, two(NOON))
    state = run(app, "what was the history of the relay's signal")
    assert state.plan.query_class == "historical"
    assert max(state.pool.terms["temporal"]) == pytest.approx(0.5 * MONTH, rel=0.01)
