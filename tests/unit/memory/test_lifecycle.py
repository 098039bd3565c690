"""Memories and their use in; heat, decay and tier out, with the shares that make them."""

import math
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kits.vault import HERE, NOON, a_memory
from pellucid.memory.ledger_rows import recurrences, typed
from pellucid.memory.lifecycle import (
    DECAY,
    HEAT,
    PROTECTED,
    TIER,
    Aged,
    Signs,
    age_memory,
    ages,
    days_until_cold,
    kept_since,
    moved,
    proposal,
    protection,
    signs_of,
    stale,
    uses_until_hot,
)
from pellucid.model.ledger import FoldRow, LifecycleRow
from pellucid.model.memory import CATEGORIES, Memory
from pellucid.settings.sections import LifecycleSettings
from pellucid.store.history.uses_port import Times

SETTINGS = LifecycleSettings()
NEVER = Signs()
PAGE = (Path(__file__).parents[3] / "docs" / "lifecycle.md").read_text("utf-8")
DAY = timedelta(days=1)
UNPROTECTED = sorted(set(CATEGORIES) - PROTECTED)

unit = st.floats(0, 1).map(lambda x: round(x, 3))
settings = st.builds(LifecycleSettings, demote_at=unit, promote_at=unit, demote_after_days=st.floats(0, 60))


@st.composite
def a_kept_memory(draw: st.DrawFn, **given: Any) -> Memory:
    created = NOON - draw(st.integers(0, 800)) * DAY
    known = {
        "category": draw(st.sampled_from(CATEGORIES)),
        "confidence": draw(unit),
        "importance_score": draw(unit),
        "created": created,
        "updated": created + draw(st.integers(0, 100)) * DAY,
        "status": draw(st.sampled_from(["active", "active", "disputed"])),
        "pinned": draw(st.booleans()),
        "asserted_by": draw(st.sampled_from(["axiom", "user", "inferred"])),
        "supersedes": draw(st.sampled_from([(), ("mem_" + "1" * 32,)])),
    }
    return a_memory(1, "the crane", **{**known, **given})


@st.composite
def some_signs(draw: st.DrawFn) -> Signs:
    used, recurred = draw(st.integers(0, 60)), draw(st.integers(0, 9))
    last = NOON - draw(st.floats(0, 500)) * DAY
    return Signs(
        used,
        draw(st.integers(0, used)),
        last if used else None,
        recurred,
        last if recurred else None,
        draw(st.floats(-2, 2)),
        draw(st.integers(0, 60)),
        last,
    )


def aged(memory: Memory, signs: Signs = NEVER, now: datetime = NOON, before: FoldRow | None = None) -> Aged:
    return age_memory(memory, signs, before, now, SETTINGS)


def row(**given: Any) -> FoldRow:
    known = {"memory_id": "mem_" + "0" * 31 + "1", "namespace": HERE, "at": NOON, "heat": 0, "decay": 0}
    return FoldRow(**{**known, "tier_value": 0, **given})


def fading(**given: Any) -> Memory:
    """A plain fact of middling worth."""
    return a_memory(1, "the crane", **{"category": "fact", "confidence": 0.8, "importance_score": 0.5, **given})


@given(a_kept_memory(), some_signs(), settings)
def test_every_value_is_bounded_and_is_the_sum_of_its_named_shares(
    memory: Memory, signs: Signs, chosen: LifecycleSettings
) -> None:
    found = age_memory(memory, signs, None, NOON, chosen)
    worths = (found.heat, found.row.heat), (found.decay, found.row.decay), (found.tier_value, found.row.tier_value)
    for worth, written in worths:
        assert worth.value == written
        assert 0 <= worth.value <= 1
        assert worth.value == pytest.approx(math.fsum(share for _, share in worth.shares), abs=1e-9)
        assert len(dict(worth.shares)) == len(worth.shares)
    assert age_memory(memory, signs, None, NOON, chosen) == found


@given(a_kept_memory(), some_signs(), st.integers(0, 20), st.integers(0, 5), st.floats(0, 400))
def test_more_use_and_later_use_never_cool_a_memory(
    memory: Memory, signs: Signs, uses: int, recurred: int, days: float
) -> None:
    last = max((at for at in (signs.last_used, signs.last_recurred) if at), default=NOON - 500 * DAY)
    later = min(NOON, last + days * DAY)
    more = replace(
        signs, used=signs.used + uses, recurred=signs.recurred + recurred, last_used=later, last_recurred=later
    )
    less, used = aged(memory, signs), aged(memory, more)
    assert used.row.heat >= less.row.heat
    assert used.row.tier_value >= less.row.tier_value
    assert used.row.decay <= less.row.decay
    assert not (less.row.tier == "hot" and used.row.tier == "cold")


@given(a_kept_memory(), some_signs(), st.integers(1, 1000), st.floats(0, 400))
def test_being_served_however_often_warms_nothing(memory: Memory, signs: Signs, times: int, days: float) -> None:
    seen = replace(signs, served=signs.served + times, last_served=NOON)
    less, more = (aged(memory, each, NOON + days * DAY) for each in (signs, seen))
    assert (more.heat, more.decay, more.tier_value, more.why) == (less.heat, less.decay, less.tier_value, less.why)
    assert more.row.reinforcement_count == less.row.reinforcement_count
    assert more.row.access_count == seen.served


@given(a_kept_memory(), some_signs(), st.floats(0, 400))
def test_time_without_use_never_warms_a_memory(memory: Memory, signs: Signs, days: float) -> None:
    today, then = aged(memory, signs), aged(memory, signs, NOON + days * DAY)
    assert then.row.heat <= today.row.heat
    assert then.row.tier_value <= today.row.tier_value
    assert then.row.decay >= today.row.decay


@given(a_kept_memory(), some_signs(), settings, st.sampled_from(["hot", "cold"]))
def test_a_tier_never_flaps_under_constant_input_whatever_the_thresholds(
    memory: Memory, signs: Signs, chosen: LifecycleSettings, tier: str
) -> None:
    first = age_memory(memory, signs, row(tier=tier), NOON, chosen).row
    again = age_memory(memory, signs, first, NOON, chosen).row
    assert again == first
    assert not moved(again, first)


@given(a_kept_memory(), some_signs(), settings, st.floats(0, 900))
def test_protected_memories_are_never_cold_nor_stale_nor_proposed_for_the_archive(
    memory: Memory, signs: Signs, chosen: LifecycleSettings, days: float
) -> None:
    found = age_memory(memory, signs, row(tier="cold"), NOON + days * DAY, chosen)
    if protection(memory):
        assert (found.row.tier, found.why) == ("hot", "protected")
        assert not stale(memory, found.row.decay)
        assert proposal(memory, found, signs, NOON + days * DAY) is None


@pytest.mark.parametrize(
    ("given", "why"),
    [
        *(({"category": category}, category) for category in sorted(PROTECTED)),
        ({"pinned": True}, "pinned"),
        ({"asserted_by": "axiom"}, "axiom"),
        *(({"category": category}, None) for category in UNPROTECTED),
    ],
)
def test_what_a_person_decided_pinned_or_laid_down_is_protected_and_nothing_else(
    given: dict[str, Any], why: str | None
) -> None:
    assert protection(fading(**given)) == why


def test_a_fact_goes_cold_only_after_the_first_two_weeks_and_at_or_below_the_threshold() -> None:
    doubtful = fading(confidence=0.4, importance_score=0.0, source="extraction")
    for days, tier, why in ((0, "hot", "above_demote"), (10, "hot", "young"), (14, "cold", "at_or_below_demote")):
        chosen = LifecycleSettings(demote_at=0.28)
        found = age_memory(doubtful, Signs(), None, NOON + days * DAY, chosen)
        assert (found.row.tier, found.why) == (tier, why), (days, found.row.tier_value)


def test_between_the_thresholds_a_memory_stays_where_it_is() -> None:
    memory, signs = fading(), Signs(used=1, sessions=1, last_used=NOON - 30 * DAY)
    now = NOON + 30 * DAY
    worth = age_memory(memory, signs, None, now, SETTINGS).row.tier_value
    assert SETTINGS.demote_at < worth < SETTINGS.promote_at
    assert age_memory(memory, signs, row(tier="hot"), now, SETTINGS).why == "above_demote"
    cold = age_memory(memory, signs, row(tier="cold"), now, SETTINGS)
    assert (cold.row.tier, cold.why) == ("cold", "between")


def test_a_cold_memory_that_is_used_again_becomes_hot() -> None:
    memory, later = fading(), NOON + 200 * DAY
    cold = age_memory(memory, Signs(), None, later, SETTINGS)
    assert cold.row.tier == "cold"
    needed = uses_until_hot(memory, Signs(), later, SETTINGS)
    assert needed is not None
    for uses, tier in ((needed - 1, "cold"), (needed, "hot")):
        signs = Signs(used=uses, sessions=1, last_used=later if uses else None)
        assert age_memory(memory, signs, cold.row, later, SETTINGS).row.tier == tier


def test_what_no_use_can_warm_is_said_to_be_so() -> None:
    hopeless = fading(confidence=0.0, importance_score=0.0, status="disputed")
    assert uses_until_hot(hopeless, Signs(), NOON, SETTINGS) is None


@given(a_kept_memory(), some_signs())
def test_the_day_a_memory_is_said_to_go_cold_is_the_first_day_it_does(memory: Memory, signs: Signs) -> None:
    days = days_until_cold(memory, signs, NOON, SETTINGS)
    if days is None:
        assert aged(memory, signs, NOON + 3650 * DAY).row.tier == "hot"
        return
    assert aged(memory, signs, NOON + days * DAY).row.tier == "cold"
    assert days == 0 or aged(memory, signs, NOON + (days - 1) * DAY).row.tier == "hot"


def test_an_import_of_old_words_begins_to_age_on_the_day_of_the_import() -> None:
    old = fading(created=NOON - 900 * DAY, updated=NOON)
    assert kept_since(old) == NOON
    assert aged(old) == aged(fading())


def test_the_clock_of_another_machine_may_be_ahead() -> None:
    assert aged(fading(created=NOON + DAY, updated=NOON + DAY)).row.model_dump(exclude={"at"}) == aged(
        fading()
    ).row.model_dump(exclude={"at"})


def test_a_lost_history_takes_no_use_back() -> None:
    memory = fading()
    before = row(
        access_count=7, last_accessed=NOON - 3 * DAY, use_count=2, last_used=NOON - 9 * DAY, reinforcement_count=4
    )
    signs = signs_of(memory, None, None, None, before)
    assert (signs.served, signs.last_served) == (7, NOON - 3 * DAY)
    assert (signs.used, signs.last_used) == (2, NOON - 9 * DAY)
    assert aged(memory, signs, before=before).row.reinforcement_count == 4
    newer = Times(memory.id, 1, 1, int((NOON - DAY).timestamp() * 1000))
    again = signs_of(memory, newer, newer, None, before)
    assert (again.served, again.last_served, again.used, again.last_used) == (7, NOON - DAY, 2, NOON - DAY)


def test_a_fold_from_when_being_served_was_use_leaves_only_exposure() -> None:
    memory, before = fading(), row(access_count=7, last_accessed=NOON - 3 * DAY, reinforcement_count=4)
    signs = signs_of(memory, None, None, None, before)
    assert (signs.used, signs.last_used, signs.served) == (0, None, 7)
    now = aged(memory, signs, before=before).row
    assert (now.use_count, now.access_count, now.reinforcement_count) == (0, 7, 0)
    assert moved(now, before)


def corroborated(session: str | None, source: str = "user_input", **given: Any) -> dict[str, object]:
    made = LifecycleRow(
        event_id="evt_1",
        memory_id=fading().id,
        namespace=HERE,
        event_type="corroborated",
        timestamp=NOON,
        actor="reconcile",
        reason_code=source,
        session_id=session,
        **given,
    )
    return made.to_wire()


def test_reinforcement_counts_the_other_sessions_it_was_said_in_and_those_it_was_used_in() -> None:
    memory = fading(session_id="own")
    told = [corroborated(session) for session in ("own", "a", "a", "b")]
    again = recurrences(typed(told, HERE))[memory.id]
    signs = signs_of(
        memory, Times(memory.id, 9, 3, int(NOON.timestamp() * 1000)), Times(memory.id, 50, 40, 0), again, None
    )
    assert (signs.recurred, signs.sessions) == (2, 3)
    assert aged(memory, signs).row.reinforcement_count == 5


def test_what_an_agent_or_a_tool_says_again_reinforces_nothing() -> None:
    told = [
        corroborated("a", source) for source in ("assistant_output", "tool_output", "web_content", "subagent_trace")
    ]
    assert recurrences(typed(told, HERE)) == {}


def test_rows_of_another_namespace_kind_or_shape_say_nothing() -> None:
    told = corroborated("a")
    rows = [{"seq": 1, **told}, told | {"namespace": "other/place"}, told | {"timestamp": "noon"}, {"kind": "new"}]
    assert [each.to_wire() for each in typed(rows, HERE)] == [told]
    assert list(typed(rows, HERE, ("fold",))) == []


@pytest.mark.requirement("LIFE-2")
def test_a_fold_is_written_again_only_when_it_moved() -> None:
    held = row(heat=0.5, decay=0.2, tier_value=0.5)
    assert moved(held, None)
    assert not moved(held.model_copy(update={"heat": 0.5499, "decay": 0.2499, "tier_value": 0.4501}), held)
    for change in (
        {"heat": 0.55},
        {"decay": 0.25},
        {"tier_value": 0.45},
        {"tier": "cold"},
        {"access_count": 1},
        {"reinforcement_count": 1},
    ):
        assert moved(held.model_copy(update=change), held), change


def test_what_is_over_ages_no_more() -> None:
    assert ages(fading(), NOON)
    assert ages(fading(status="disputed", expires_at=NOON + DAY), NOON)
    for over in (
        {"status": "superseded"},
        {"status": "archived"},
        {"status": "pending_review"},
        {"expires_at": NOON},
        {"invalid_at": NOON - DAY},
    ):
        assert not ages(fading(**over), NOON), over


def test_a_speculation_nobody_used_for_a_month_is_proposed_for_the_archive() -> None:
    guess, used = fading(confidence=0.3), Signs(used=1, sessions=1, last_used=NOON)
    served = Signs(served=1, last_served=NOON)
    for days, signs, said in (
        (29, Signs(), None),
        (30, Signs(), "speculative"),
        (30, used, None),
        (30, served, None),
    ):
        now = NOON + days * DAY
        assert proposal(guess, aged(guess, signs, now), signs, now) == said
    disliked = Signs(feedback=-1)
    worst = fading(confidence=0.0, importance_score=0.0)
    now = NOON + 400 * DAY
    assert proposal(worst, aged(worst, disliked, now), disliked, now) == "decayed"


def test_the_worked_example_of_the_page_is_what_the_fold_says() -> None:
    kept = datetime(2026, 1, 1, tzinfo=UTC)
    memory = fading(confidence=0.9, source="extraction", created=kept, updated=kept)
    used = Signs(5, 3, kept + 20 * DAY, 1, kept + 12 * DAY)
    found = {day: aged(memory, used if day else NEVER, kept + day * DAY) for day in (0, 50, 150)}
    for day, each in found.items():
        row = each.row
        line = f"| {day} | {row.heat:.4f} | {row.decay:.4f} | {row.tier_value:.4f} | {row.tier} |"
        assert f"{line} {row.reinforcement_count} |" in PAGE
    sums = " ".join(f"{name} {share:+.4f}" for name, share in found[50].tier_value.shares)
    assert f"tier value {found[50].tier_value.value:.4f} = {sums}" in PAGE
    assert f"{days_until_cold(memory, used, kept + 50 * DAY, SETTINGS)} more days without a use" in PAGE
    again = replace(used, used=6, last_used=kept + 150 * DAY)
    warm = aged(memory, again, kept + 150 * DAY, found[150].row).row
    assert f"brings it to {warm.tier_value:.4f}, and it is {warm.tier} again" in PAGE
    assert uses_until_hot(memory, used, kept + 150 * DAY, SETTINGS) == 1


def test_the_formulas_of_the_page_have_the_weights_of_the_code() -> None:
    said = " ".join(PAGE.split())
    for name, weight in HEAT.items():
        assert f"{weight:.2f}".lstrip("0") + f" {name}" in said.partition("decay =")[0]
    for name, weight in TIER.items():
        assert f"{weight:.2f}".lstrip("0") + f" {name}" in said.partition("tier value =")[2]
    for weight in DECAY.values():
        assert f"{weight:.2f}".lstrip("0") in said.partition("decay =")[2].partition("tier value =")[0]
