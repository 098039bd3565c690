"""A memory, and the instant that was asked about, in; how stale it is, and what every format says of it, out."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from kits.rendering import holding
from pellucid.clock import uuid7
from pellucid.model.memory import Memory
from pellucid.model.snapshot import Staleness
from pellucid.xray.provenance import staleness
from pellucid.xray.render.formats import RENDERERS, Format, render

MADE = datetime(2026, 1, 1, tzinfo=UTC)


def _memory(**given: Any) -> Memory:
    fields: dict[str, Any] = {
        "id": "mem_" + "1" * 32,
        "category": "fact",
        "namespace": "local/default",
        "created": MADE,
        "updated": MADE,
        "source": "manual",
        "content": "The cache holds thumbnails for a day.",
    }
    return Memory.model_validate(fields | given)


def _days(count: float) -> datetime:
    return MADE + timedelta(days=count)


def test_age_counts_from_the_last_verification_and_else_from_when_it_began_to_hold() -> None:
    assert staleness(_memory(), _days(30.9)).age_days == 30
    assert staleness(_memory(valid_at=_days(-10)), _days(30)).age_days == 40
    verified = staleness(_memory(last_verified_at=_days(25)), _days(30))
    assert (verified.age_days, verified.last_verified_at) == (5, "2026-01-26T00:00:00.000Z")
    assert staleness(_memory(valid_at=_days(28), last_verified_at=_days(25)), _days(30)).age_days == 2


def test_what_was_asked_of_the_past_does_not_change_by_a_later_verification() -> None:
    before = staleness(_memory(), _days(200))
    after = staleness(_memory(last_verified_at=_days(300)), _days(200))
    assert (before.age_days, before.due) == (after.age_days, after.due) == (200, True)


def test_what_was_not_known_yet_is_not_told() -> None:
    verified = staleness(_memory(last_verified_at=_days(20)), _days(40), known_by=_days(19))
    assert (verified.last_verified_at, verified.age_days) == (None, 40)
    assert staleness(_memory(last_verified_at=_days(20)), _days(40), known_by=_days(20)).age_days == 20
    successor = uuid7(_days(30), 1).hex
    old = _memory(status="superseded", superseded_by=f"mem_{successor}", invalid_at=_days(30))
    assert [staleness(old, _days(10), known_by=at).superseded for at in (None, _days(30), _days(29))] == [
        True,
        True,
        False,
    ]
    section = _memory(category="section", status="superseded", invalid_at=_days(30))
    assert [staleness(section, _days(10), known_by=_days(day)).superseded for day in (30, 29)] == [True, False]


def test_nothing_is_younger_than_today() -> None:
    assert staleness(_memory(), _days(-5)).age_days == 0


def test_it_is_due_once_it_is_older_than_the_setting_or_superseded() -> None:
    assert not staleness(_memory(), _days(180)).due
    assert staleness(_memory(), _days(180.1)).due
    assert staleness(_memory(), _days(8), after_days=7).due
    replaced = staleness(_memory(status="superseded", superseded_by="mem_" + "2" * 32), _days(1))
    assert (replaced.superseded, replaced.due) == (True, True)


@pytest.mark.parametrize("category", ["moment", "section"])
def test_the_words_of_a_session_or_a_document_do_not_age_but_are_superseded(category: str) -> None:
    assert not staleness(_memory(category=category), _days(4000)).due
    assert staleness(_memory(category=category, status="superseded"), _days(4000)).due


DUE = Staleness(last_verified_at="2025-01-01T00:00:00.000Z", age_days=212, superseded=True, due=True)


@pytest.mark.parametrize("form", sorted(RENDERERS))
def test_only_what_is_due_has_a_line_of_its_own_and_json_always_says_it(form: Format) -> None:
    fresh = render(holding(staleness=DUE.model_copy(update={"due": False})), form)
    assert ("taleness" in fresh) == (form == "json")
    stale = render(holding(staleness=DUE), form)
    assert ('"ageDays": 212' if form == "json" else "212 days old") in stale


def test_the_line_says_superseded_and_when_it_was_verified_if_ever() -> None:
    line = "    staleness: superseded since, last verified 2025-01-01T00:00:00.000Z, 212 days old"
    assert line in render(holding(staleness=DUE), "text").splitlines()
    never = holding(staleness=Staleness(age_days=1, superseded=False, due=True))
    assert "    staleness: never verified, 1 day old" in render(never, "text", verbose=True).splitlines()
    assert "staleness" not in render(never, "text")


def test_the_line_stands_between_provenance_and_the_rungs() -> None:
    text = render(holding(staleness=DUE, admitted_by=("status-active",)), "text", verbose=True)
    assert text.index("path: ") < text.index("staleness: ") < text.index("admitted-by: ")


def test_a_graph_path_says_its_edges_in_their_own_direction_after_their_confidences() -> None:
    shown = render(
        holding(
            graph_path=("SPEC-054", "SPEC-037", "SPEC-020"),
            graph_edge_confidences=(0.95, 0.5),
            graph_edges=("SPEC-054 DEPENDS_ON SPEC-037", "SPEC-020 MENTIONS SPEC-037"),
        ),
        "text",
    )
    at = shown.index("    graph-path: SPEC-054 -> SPEC-037 -> SPEC-020")
    assert shown[at:].splitlines()[1:3] == [
        "    edge-confidences: 0.95, 0.50",
        "    graph-edges: SPEC-054 DEPENDS_ON SPEC-037, SPEC-020 MENTIONS SPEC-037",
    ]
