"""Homes whose memories are used, left alone and said again in; folds on the ledger, tiers and reports out."""

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from kits.vault import ELSEWHERE, HERE, NOON, Opener, TickingClock, a_memory, ask, drop_index, file_memories, keep
from pellucid.app import App
from pellucid.errors import InputError, NotFoundError
from pellucid.memory.compounding import Report
from pellucid.model.ledger import FlushRow, FoldRow, LifecycleRow, PassRow, VerdictRow
from pellucid.operations.admin.health import rebuild
from pellucid.operations.browsing import ListInput, ShowInput, list_memories, show_memory
from pellucid.operations.memory.changing import UpdateInput, update
from pellucid.operations.memory.lifecycle import aging
from pellucid.operations.memory.lifecycle.aging import LifecycleInput, LifecycleOutput, due_passes, run_lifecycle
from pellucid.operations.memory.lifecycle.reporting import ReportInput, weekly_report
from pellucid.operations.memory.lifecycle.tiers import TierListInput, explain_tier, list_tiers
from pellucid.operations.memory.reverifying import ReverifyInput, reverify
from pellucid.operations.memory.storytelling import history_of_memory
from pellucid.operations.recall.request import RecallInput
from pellucid.operations.recall.why import WhyInput, why
from pellucid.operations.using import note_use

CRANE, FERRY, TIDE = "the harbour crane lifts forty tonnes", "the ferry leaves at nine", "the tide turns at noon"
WEAK = {"confidence": 0.6, "importance": 0.3}


@pytest.fixture
def app(house: Opener) -> App:
    return house()


def later(app: App, days: float) -> None:
    """Let time pass."""
    assert isinstance(app.clock, TickingClock)
    app.clock.at += timedelta(days=days)


def run(app: App, namespace: str = HERE, **given: Any) -> LifecycleOutput:
    return run_lifecycle(app, LifecycleInput(namespace=namespace, **given))


def written(app: App, kind: str) -> list[dict[str, object]]:
    return [row for row in app.ledger.rows() if row["kind"] == kind]


def on_the_ledger(app: App, *rows: Any) -> None:
    app.unit_of_work.commit("ledger", [], ledger=[row.to_wire() for row in rows])


def said_again(app: App, memory_id: str, session: str, source: str = "user_input") -> LifecycleRow:
    return LifecycleRow(
        event_id=app.clock.new_id("evt"),
        memory_id=memory_id,
        namespace=HERE,
        event_type="corroborated",
        timestamp=app.clock.now(),
        actor="reconcile",
        reason_code=source,
        session_id=session,
    )


def use(app: App, memory_id: str, days: int = 2) -> None:
    """Look at a memory on so many days."""
    for day in range(days):
        later(app, 1 if day else 0)
        show_memory(app, ShowInput(namespace=HERE, memory_id=memory_id))


def test_every_way_of_taking_a_memory_up_is_a_use_and_being_served_or_listed_is_none(app: App) -> None:
    memory = keep(app, CRANE).memory
    ask(app, "crane")
    list_memories(app, ListInput(namespace=HERE))
    explain_tier(app, ShowInput(namespace=HERE, memory_id=memory.id))
    assert app.uses.uses(HERE) == []
    for way in (
        lambda: show_memory(app, ShowInput(namespace=HERE, memory_id=memory.id[-10:])),
        lambda: history_of_memory(app, HERE, memory.id),
        lambda: why(
            app, WhyInput(namespace=HERE, memory=memory.id, question=RecallInput(query="crane", namespace=HERE))
        ),
        lambda: reverify(app, ReverifyInput(namespace=HERE, memory_ids=(memory.id,))),
    ):
        later(app, 1)
        before = explain_tier(app, ShowInput(namespace=HERE, memory_id=memory.id)).used
        way()
        now = explain_tier(app, ShowInput(namespace=HERE, memory_id=memory.id))
        assert (now.used, now.last_used is not None) == (before + 1, True)
    new = update(app, UpdateInput(namespace=HERE, memory_id=memory.id, content=FERRY)).memory
    assert [each.times for each in app.uses.uses(HERE) if each.memory_id == new.id] == [1]
    assert explain_tier(app, ShowInput(namespace=HERE, memory_id=memory.id)).served == 1


def test_looking_at_a_memory_all_day_is_one_use_of_it(app: App) -> None:
    memory = keep(app, CRANE).memory
    for _ in range(5):
        show_memory(app, ShowInput(namespace=HERE, memory_id=memory.id))
    assert explain_tier(app, ShowInput(namespace=HERE, memory_id=memory.id)).used == 1
    note_use(app, HERE, [memory.id], "opened", "a session")
    assert explain_tier(app, ShowInput(namespace=HERE, memory_id=memory.id)).used == 2


def test_the_first_pass_folds_every_memory_and_the_next_only_says_that_it_ran(app: App) -> None:
    kept = {keep(app, text).memory.id for text in (CRANE, FERRY)}
    first = run(app)
    assert (first.memories, first.folds, first.hot, first.cold) == (2, 2, 2, 0)
    assert app.lookup.folds(HERE).keys() == kept
    folds = written(app, "fold")
    again = run(app)
    assert (again.folds, again.changes) == (0, ())
    assert written(app, "fold") == folds
    assert [row["name"] for row in written(app, "pass")] == ["lifecycle", "lifecycle"]
    assert app.records.operations(op_id=again.op_ids[0])[0].kind == "lifecycle"


def test_a_dry_run_says_the_same_and_writes_nothing(app: App) -> None:
    keep(app, CRANE, **WEAK)
    later(app, 200)
    before = list(app.ledger.rows())
    dry = run(app, dry_run=True)
    assert list(app.ledger.rows()) == before
    real = run(app)
    assert dry.model_copy(update={"dry_run": False, "op_ids": real.op_ids}) == real
    assert (real.demoted, dry.op_ids) == (1, ())


@pytest.mark.requirement("REC-8")
def test_being_served_changes_no_tier_and_a_use_does_with_the_next_pass(app: App) -> None:
    memory = keep(app, CRANE, **WEAK).memory
    later(app, 200)
    run(app)
    cold = app.lookup.folds(HERE)[memory.id]
    assert (cold.tier, cold.access_count) == ("cold", 0)
    for session in ("a", "b", "b", None):
        assert ask(app, "crane", session_id=session).memories
    assert app.lookup.folds(HERE)[memory.id] == cold
    run(app)
    offered = app.lookup.folds(HERE)[memory.id]
    assert (offered.tier, offered.access_count, offered.use_count, offered.reinforcement_count) == ("cold", 4, 0, 0)
    assert (offered.heat, offered.decay, offered.tier_value) == (cold.heat, cold.decay, cold.tier_value)
    use(app, memory.id, 4)
    assert app.lookup.folds(HERE)[memory.id] == offered
    outcome = run(app)
    hot = app.lookup.folds(HERE)[memory.id]
    assert (hot.tier, hot.access_count, hot.use_count, hot.reinforcement_count) == ("hot", 4, 4, 4)
    assert [(each.memory_id, each.before, each.after) for each in outcome.changes] == [(memory.id, "cold", "hot")]


def test_a_cold_memory_is_still_recalled_and_nothing_protected_goes_cold(app: App) -> None:
    fact = keep(app, CRANE, **WEAK).memory
    safe = [
        keep(app, FERRY, category="decision", **WEAK).memory.id,
        keep(app, TIDE, pinned=True, **WEAK).memory.id,
    ]
    later(app, 900)
    outcome = run(app)
    assert (outcome.cold, outcome.protected) == (1, 2)
    folds = app.lookup.folds(HERE)
    assert [folds[each].tier for each in (fact.id, *safe)] == ["cold", "hot", "hot"]
    assert fact.id in [each.memory.id for each in ask(app, "crane tonnes").memories]


def test_being_said_again_in_other_sessions_reinforces_and_by_a_tool_does_not(app: App) -> None:
    memory = keep(app, CRANE, session_id="own").memory
    told = [said_again(app, memory.id, session) for session in ("own", "a", "b", "b")]
    on_the_ledger(app, *told, said_again(app, memory.id, "c", "tool_output"))
    run(app)
    assert app.lookup.folds(HERE)[memory.id].reinforcement_count == 2


def test_folds_stand_in_the_ledger_so_an_index_made_anew_has_them_too(house: Opener, tmp_path: Path) -> None:
    app = house()
    keep(app, CRANE)
    run(app)
    held = app.lookup.folds(HERE)
    app.close()
    drop_index(tmp_path)
    again = house()
    rebuild(again)
    assert held
    assert again.lookup.folds(HERE) == held
    assert run(again).folds == 0


def test_a_pass_touches_its_own_namespace_alone(app: App) -> None:
    keep(app, CRANE)
    other = keep(app, FERRY, namespace=ELSEWHERE).memory
    run(app, ELSEWHERE)
    assert app.lookup.folds(HERE) == {}
    assert app.lookup.folds(ELSEWHERE).keys() == {other.id}


def test_what_is_over_is_not_folded(app: App) -> None:
    states = ({"status": "superseded"}, {"status": "retracted"}, {"expires_at": NOON - timedelta(days=1)})
    file_memories(app, [a_memory(number, f"{CRANE} {number}", **state) for number, state in enumerate(states, 1)])
    assert run(app).memories == 0


def test_many_folds_are_acknowledged_a_batch_at_a_time(house: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aging, "ROWS_A_COMMIT", 3)
    app = house()
    file_memories(app, [a_memory(number, f"{CRANE} {number}") for number in range(1, 8)])
    outcome = run(app)
    assert (outcome.folds, len(outcome.op_ids)) == (7, 4)
    assert len(app.lookup.folds(HERE)) == 7
    assert len(written(app, "pass")) == 1


def test_a_guess_that_nobody_used_is_proposed_for_the_archive_and_left_alone(app: App) -> None:
    guess = keep(app, CRANE, confidence=0.2).memory
    later(app, 31)
    outcome = run(app)
    assert [(each.memory_id, each.reason) for each in outcome.proposed] == [(guess.id, "speculative")]
    assert app.index.memories(HERE, [guess.id])[0].memory.status == "active"


def test_tiers_are_listed_as_folded_the_most_valued_first(app: App) -> None:
    weak, strong = keep(app, CRANE, **WEAK).memory.id, keep(app, FERRY, importance=0.9).memory.id
    later(app, 300)
    run(app)
    fresh = keep(app, TIDE).memory.id
    listed = list_tiers(app, TierListInput(namespace=HERE))
    assert [each.memory_id for each in listed.memories] == [strong, weak, fresh]
    assert (listed.hot, listed.cold, listed.never_folded, listed.total) == (2, 1, 1, 3)
    assert [each.tier_value is None for each in listed.memories] == [False, False, True]
    cold = list_tiers(app, TierListInput(namespace=HERE, tier="cold"))
    assert ([each.memory_id for each in cold.memories], cold.total) == ([weak], 1)
    assert len(list_tiers(app, TierListInput(namespace=HERE, tier="hot", limit=1)).memories) == 1


def test_a_tier_is_explained_by_shares_that_sum_and_by_what_would_change_it(app: App) -> None:
    memory = keep(app, CRANE, **WEAK).memory
    new = explain_tier(app, ShowInput(namespace=HERE, memory_id=memory.id[-10:]))
    assert (new.tier, new.folded_at, new.tier_now) == ("hot", None, "hot")
    assert new.days_until_cold is not None
    assert f"{new.days_until_cold} days without a use" in new.would_change[0]
    later(app, new.days_until_cold)
    stands = explain_tier(app, ShowInput(namespace=HERE, memory_id=memory.id))
    assert (stands.tier, stands.tier_now) == ("hot", "cold")
    run(app)
    cold = explain_tier(app, ShowInput(namespace=HERE, memory_id=memory.id))
    assert (cold.tier, cold.why) == ("cold", "at_or_below_demote")
    assert cold.folded_at is not None
    for worth in (cold.tier_value, cold.heat, cold.decay):
        assert worth.value == pytest.approx(sum(each.value for each in worth.contributions), abs=1e-9)
    assert cold.uses_until_hot is not None
    use(app, memory.id, cold.uses_until_hot)
    run(app)
    assert explain_tier(app, ShowInput(namespace=HERE, memory_id=memory.id)).tier == "hot"


def test_what_is_protected_or_over_is_explained_as_such(app: App) -> None:
    principle = explain_tier(app, ShowInput(namespace=HERE, memory_id=keep(app, FERRY, category="principle").memory.id))
    assert (principle.why, principle.protected, principle.days_until_cold) == ("protected", "principle", None)
    assert "principle" in principle.reason
    file_memories(app, [a_memory(1, TIDE, status="superseded")])
    over = explain_tier(app, ShowInput(namespace=HERE, memory_id="mem_" + "0" * 31 + "1"))
    assert (over.aging, over.would_change) == (False, ())
    with pytest.raises(NotFoundError):
        explain_tier(app, ShowInput(namespace=ELSEWHERE, memory_id=over.memory_id))


def overdue(app: App, namespace: str, now: datetime) -> list[str]:
    return [str(each) for each in due_passes(app, namespace, now)]


def test_passes_are_due_after_their_days_and_overdue_after_twice_as_long(app: App) -> None:
    assert overdue(app, HERE, app.clock.now() + timedelta(days=99)) == []
    keep(app, CRANE)
    assert overdue(app, HERE, app.clock.now()) == []
    run(app)
    due = overdue(app, HERE, app.clock.now() + timedelta(days=1.5))
    assert [line.partition(":")[0] for line in due] == ["lifecycle is due"]
    assert '`call("lifecycle.run")`' in due[0]
    late = overdue(app, HERE, app.clock.now() + timedelta(days=8))
    assert [line.partition(":")[0] for line in late] == [
        "lifecycle is overdue",
        "consolidate is due",
        "report is due",
    ]
    assert "never ran" in late[1]
    weekly_report(app, ReportInput(namespace=HERE))
    assert len(overdue(app, HERE, app.clock.now() + timedelta(days=6.9))) == 1


def test_the_report_tells_what_recurred_was_served_changed_and_aged(app: App) -> None:
    crane, ferry = keep(app, CRANE, session_id="own").memory, keep(app, FERRY, **WEAK).memory
    run(app)
    later(app, 200)
    tide = keep(app, TIDE, category="decision").memory
    on_the_ledger(app, *(said_again(app, crane.id, each) for each in ("own", "a", "b")), replaced(app, ferry.id))
    on_the_ledger(app, *extracted(app, tide.id))
    for session in ("a", "b"):
        ask(app, "crane", session_id=session, top_k=1)
    show_memory(app, ShowInput(namespace=HERE, memory_id=crane.id))
    run(app)
    report = weekly_report(app, ReportInput(namespace=HERE))
    assert (ids(report, "recurred"), report.recurred.entries[0].sessions) == ([crane.id], 2)
    served = report.served.entries[0]
    assert (served.memory_id, served.times, served.sessions, served.content) == (crane.id, 2, 2, CRANE)
    assert (served.used, ids(report, "used")) == (1, [crane.id])
    assert (ids(report, "changed"), report.changes) == ([ferry.id], {"superseded": 1})
    assert ids(report, "went_cold") == [ferry.id]
    assert ids(report, "unused") == [ferry.id]
    assert report.created == {"decision": 1}
    assert (report.compression.turns, report.compression.turns_per_memory) == (40, 20.0)
    assert [row["name"] for row in written(app, "pass")][-1] == "report"


def ids(report: Report, part: str) -> list[str]:
    return [each.memory_id for each in getattr(report, part).entries]


def replaced(app: App, memory_id: str) -> LifecycleRow:
    return said_again(app, memory_id, "a").model_copy(update={"event_type": "superseded", "session_id": None})


def extracted(app: App, memory_id: str) -> tuple[VerdictRow, FlushRow]:
    now = app.clock.now()
    verdict = VerdictRow(
        observation_id="obs_1",
        session_id="a",
        namespace=HERE,
        observed_at=now,
        decided_at=now,
        category="decision",
        confidence=0.9,
        importance=0.7,
        verdict="accept",
        reason="durable: it lasts",
        content_hash="00",
        resulting_primitive_id=memory_id,
    )
    flush = FlushRow(
        session_id="a",
        namespace=HERE,
        at=now,
        signal="session_end",
        turns=40,
        characters=900,
        observations=3,
        accepted=2,
    )
    return verdict, flush


def test_the_ledger_keeps_no_word_of_a_report_and_what_is_gone_is_named_by_its_id(app: App) -> None:
    gone = "mem_" + "9" * 32
    keep(app, CRANE)
    on_the_ledger(app, replaced(app, gone))
    report = weekly_report(app, ReportInput(namespace=HERE))
    assert [(each.memory_id, each.content) for each in report.changed.entries] == [(gone, None)]
    assert all("crane" not in str(row) for row in app.ledger.rows())
    with pytest.raises(InputError, match="future"):
        weekly_report(app, ReportInput(namespace=HERE, since=app.clock.now() + timedelta(days=1)))


def test_a_memory_that_went_cold_and_came_back_within_the_period_did_neither(app: App) -> None:
    memory = keep(app, CRANE).memory
    for tier in ("cold", "hot"):
        fold = FoldRow(memory_id=memory.id, namespace=HERE, at=app.clock.now(), heat=0.5, decay=0.1, tier_value=0.5)
        on_the_ledger(app, fold.model_copy(update={"tier": tier}))
    report = weekly_report(app, ReportInput(namespace=HERE))
    assert (report.went_cold.total, report.warmed.total) == (0, 0)


def test_a_pass_row_says_when_it_began_and_ended_and_counts_no_more(app: App) -> None:
    keep(app, CRANE)
    run(app)
    row = PassRow.model_validate({key: value for key, value in written(app, "pass")[0].items() if key != "seq"})
    assert row.started < row.finished
    assert row.counts == {"memories": 1, "folds": 1, "demoted": 0, "promoted": 0, "stale": 0, "proposals": 0}


def test_two_passes_at_once_write_each_fold_once(house: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aging, "ROWS_A_COMMIT", 8)
    one, other = house(), house()
    file_memories(one, [a_memory(number, f"{CRANE} {number}") for number in range(1, 41)])
    with ThreadPoolExecutor(2) as pool:
        outcomes = list(pool.map(run, (one, other)))
    assert len(written(one, "fold")) == sum(each.folds for each in outcomes) == 40
    assert len(written(one, "pass")) == 2
