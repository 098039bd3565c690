"""Ledger rows, uses and memories in; the report of a period out, worked out from them alone."""

from datetime import datetime, timedelta
from typing import Any

from kits.vault import HERE, NOON, a_memory
from pellucid.memory.compounding import LISTED, Report, ReportSection, Use, compile_report
from pellucid.memory.ledger_rows import Row
from pellucid.model.ledger import FlushRow, FoldRow, LifecycleRow, VerdictRow
from pellucid.model.memory import Memory
from pellucid.store.history.uses_port import Times

DAY = timedelta(days=1)
SINCE = NOON - 7 * DAY
OLD = {"created": NOON - 60 * DAY, "updated": NOON - 60 * DAY}


def report(rows: list[Row], *memories: Memory, uses: tuple[Times, ...] = (), ever: tuple[Times, ...] = ()) -> Report:
    use = Use(served=uses, ever_served=(*uses, *ever))
    return compile_report((SINCE, NOON), HERE, rows, use, {each.id: each for each in memories})


def a_change(memory: Memory, event: str, at: datetime = NOON - DAY, **given: Any) -> LifecycleRow:
    known = {"event_id": f"evt_{at}", "actor": "reconcile", "namespace": HERE, "reason_code": "user_input"}
    return LifecycleRow(**{**known, "memory_id": memory.id, "event_type": event, "timestamp": at, **given})


def a_fold(memory: Memory, at: datetime, **given: Any) -> FoldRow:
    known = {"heat": 0.4, "decay": 0.2, "tier_value": 0.4, "namespace": HERE}
    return FoldRow(**{**known, "memory_id": memory.id, "at": at, **given})


def a_verdict(memory: Memory, **given: Any) -> VerdictRow:
    known = {
        "observation_id": "obs_1",
        "session_id": "a",
        "namespace": HERE,
        "observed_at": NOON - 99 * DAY,
        "decided_at": NOON - DAY,
        "category": "fact",
        "confidence": 0.9,
        "importance": 0.5,
        "verdict": "accept",
        "reason": "durable: it lasts",
        "content_hash": "00",
        "resulting_primitive_id": memory.id,
    }
    return VerdictRow(**{**known, **given})


def ids(section: ReportSection) -> list[str]:
    return [each.memory_id for each in section.entries]


def test_an_empty_period_is_an_empty_report() -> None:
    empty = report([])
    assert (empty.created, empty.changes, empty.recurred, empty.unused) == ({}, {}, ReportSection(), ReportSection())
    assert empty.compression.turns_per_memory is None


def test_what_recurred_is_what_other_sessions_said_again_inside_the_period() -> None:
    crane, ferry = a_memory(1, "crane", session_id="own"), a_memory(2, "ferry")
    rows: list[Row] = [
        a_change(crane, "corroborated", session_id="own"),
        a_change(crane, "corroborated", session_id="a"),
        a_change(ferry, "corroborated", session_id="a"),
        a_change(ferry, "corroborated", session_id="b"),
        a_change(ferry, "corroborated", session_id="c", at=SINCE - DAY),
        a_change(ferry, "corroborated", session_id="d", at=NOON),
        a_change(ferry, "corroborated", session_id="e", reason_code="assistant_output"),
    ]
    recurred = report(rows, crane, ferry).recurred
    assert [(each.memory_id, each.sessions) for each in recurred.entries] == [(ferry.id, 2), (crane.id, 1)]


def test_changes_are_listed_newest_first_and_counted_by_kind() -> None:
    crane, ferry = a_memory(1, "crane"), a_memory(2, "ferry")
    rows: list[Row] = [
        a_change(crane, "superseded", at=NOON - 3 * DAY, related_memory_ids=(ferry.id,)),
        a_change(ferry, "retracted", at=NOON - 2 * DAY),
        a_change(ferry, "created"),
        a_change(ferry, "reverified"),
    ]
    found = report(rows, crane, ferry)
    assert [(each.memory_id, each.event) for each in found.changed.entries] == [
        (ferry.id, "retracted"),
        (crane.id, "superseded"),
    ]
    assert found.changed.entries[1].related_memory_ids == (ferry.id,)
    assert found.changes == {"retracted": 1, "superseded": 1}


def test_an_import_of_old_words_is_new_in_the_week_of_the_import() -> None:
    old, said, taken_back = (
        a_memory(1, "crane", **OLD),
        a_memory(2, "ferry", created=NOON - DAY),
        a_memory(3, "x", **OLD),
    )
    rejected = a_verdict(taken_back, verdict="reject", reason="duplicate: kept already")
    retraction = a_verdict(taken_back, reason="retraction: 1 taken back")
    found = report([a_verdict(old), rejected, retraction], old, said, taken_back)
    assert found.created == {"fact": 2}


def test_going_cold_or_stale_is_crossing_the_line_in_the_period() -> None:
    memories = [a_memory(number, f"crane {number}", importance_score=number / 10, **OLD) for number in range(1, 6)]
    before, inside = SINCE - DAY, SINCE + DAY
    rows: list[Row] = [
        a_fold(memories[0], before),
        a_fold(memories[0], inside, tier="cold", decay=0.7),
        a_fold(memories[1], before, tier="cold", decay=0.7),
        a_fold(memories[1], inside, tier="cold", decay=0.72),
        a_fold(memories[2], before, tier="cold", decay=0.7),
        a_fold(memories[2], inside),
        a_fold(memories[3], inside, tier="cold", decay=0.7),
        a_fold(memories[4], inside),
        a_fold(memories[4], NOON, tier="cold", decay=0.7),
    ]
    found = report(rows, *memories)
    assert ids(found.went_cold) == ids(found.went_stale) == [memories[3].id, memories[0].id]
    assert ids(found.warmed) == [memories[2].id]


def test_a_protected_memory_is_never_called_stale() -> None:
    rule = a_memory(1, "crane", category="rule", **OLD)
    assert report([a_fold(rule, NOON - DAY, decay=0.9)], rule).went_stale.total == 0


def test_unused_is_what_was_never_served_in_a_month_and_could_have_been() -> None:
    never, served, folded = (a_memory(number, "crane", **OLD) for number in (1, 2, 3))
    others = a_memory(4, "ferry"), a_memory(5, "tide", status="archived", **OLD)
    rows: list[Row] = [a_fold(folded, SINCE - DAY, access_count=2)]
    found = report(rows, never, served, folded, *others, ever=(Times(served.id, 1, 1, 0),))
    assert ids(found.unused) == [never.id]


def test_a_part_names_the_first_and_counts_all() -> None:
    memories = [a_memory(number, f"crane {number}", **OLD) for number in range(1, 30)]
    uses = tuple(Times(each.id, 3, 1 + (each is memories[20]), 1000) for each in memories)
    served = report([], *memories, uses=uses).served
    assert (served.total, len(served.entries)) == (29, LISTED)
    assert ids(served)[:2] == [memories[20].id, memories[0].id]


def test_compression_is_turns_in_over_memories_out() -> None:
    rows: list[Row] = [
        FlushRow(
            session_id=session,
            namespace=HERE,
            at=at,
            signal="turn_count",
            turns=40,
            characters=2000,
            observations=9,
            accepted=4,
        )
        for session, at in (("a", NOON - DAY), ("a", NOON - 2 * DAY), ("b", NOON - 2 * DAY), ("c", SINCE - DAY))
    ]
    trace = report(rows).compression
    assert (trace.sessions, trace.segments, trace.turns, trace.characters) == (2, 3, 120, 6000)
    assert (trace.observations, trace.accepted, trace.turns_per_memory) == (27, 12, 10.0)
