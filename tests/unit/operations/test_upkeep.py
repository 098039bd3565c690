"""A home that is left alone in, what it needs done by itself out: each job when its time has come, and not before."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from kits.live_sessions import HERE, Home, turn
from pellucid.app import App
from pellucid.deadline import Deadline
from pellucid.encoders.minilm.encoder import MiniLM
from pellucid.errors import DeadlineError, StoreError
from pellucid.operations.memory.citing import CiteInput, cite
from pellucid.operations.memory.lifecycle.aging import due_passes
from pellucid.operations.memory.remembering import RememberInput, remember
from pellucid.operations.recall.recalling import recall
from pellucid.operations.recall.request import RecallInput
from pellucid.operations.remains import has_unfinished_erasure
from pellucid.operations.session.observing import ObserveInput, observe_turns
from pellucid.operations.telemetry.stats import StatsInput, stats
from pellucid.operations.upkeep import AT_OPENING, IN_THE_BACKGROUND, Job, JobOutcome, Upkeep, run_opening_jobs
from pellucid.settings.sections import HistorySettings

ELSEWHERE = "load/other"


@pytest.fixture
def live(tmp_path: Path, minilm: MiniLM) -> Iterator[Home]:
    home = Home(tmp_path / "home", minilm)
    yield home
    for app in home.opened:
        app.close()


@pytest.fixture
def app(live: Home) -> App:
    return live.open()


def edited(app: App) -> None:
    made = remember(app, RememberInput(content="the crane lifts forty tonnes", namespace=HERE))
    file = app.settings.home / "vault" / made.path
    file.write_text(file.read_text("utf-8").replace("forty", "fifty"), "utf-8")


def said(app: App) -> list[str]:
    return [each.memory.content for each in app.index.memories(HERE)]


def by_job(done: list[JobOutcome]) -> dict[str, int]:
    assert [each.problem for each in done if each.problem] == []
    return {each.job: each.count for each in done}


def test_an_opening_takes_over_edits_and_ends_erasures(app: App) -> None:
    edited(app)
    (app.settings.home / "erasing").touch()
    assert run_opening_jobs(app, take_over_edits=False).count == 0
    assert not has_unfinished_erasure(app)
    assert said(app) == ["the crane lifts forty tonnes"]
    assert run_opening_jobs(app) == JobOutcome("edits", 1)
    assert said(app) == ["the crane lifts fifty tonnes"]


def test_edits_are_taken_over_in_the_background_and_encoded_before(app: App) -> None:
    edited(app)
    assert by_job(Upkeep(app, IN_THE_BACKGROUND).run_due(app.clock.now()))["edits"] == 1
    assert said(app) == ["the crane lifts fifty tonnes"]
    assert not app.indexer.drift().paths


def test_a_job_is_due_at_once_and_then_after_its_time(app: App) -> None:
    upkeep, now = Upkeep(app, AT_OPENING), app.clock.now()
    assert upkeep.due(now) == ["erasures", "edits"]
    assert [each.job for each in upkeep.run_due(now)] == ["erasures", "edits"]
    assert upkeep.due(now + timedelta(seconds=59)) == []
    assert upkeep.run_due(now + timedelta(seconds=59)) == []
    assert upkeep.due(now + timedelta(seconds=60)) == ["erasures", "edits"]


def test_silent_sessions_of_every_namespace_are_flushed(live: Home, app: App) -> None:
    for namespace in (HERE, ELSEWHERE):
        said_there = turn("The depot stands on the north quay since May.", session="s1")
        observe_turns(app, ObserveInput(namespace=namespace, turns=(said_there,)))
    upkeep = Upkeep(app, IN_THE_BACKGROUND)
    assert by_job(upkeep.run_due(app.clock.now()))["turns"] == 0
    live.later(minutes=31)
    assert by_job(upkeep.run_due(app.clock.now()))["turns"] == 2
    assert app.spool.waiting() == []


def test_receipts_beyond_the_cap_are_emptied(app: App) -> None:
    few = replace(app, settings=app.settings.model_copy(update={"history": HistorySettings(receipts=2)}))
    for _ in range(5):
        recall(few, RecallInput(query="crane", namespace=HERE))
    assert by_job(Upkeep(few, IN_THE_BACKGROUND).run_due(app.clock.now()))["receipts"] == 3
    assert app.history.counts()[0] == 2


def test_events_and_citations_go_when_their_time_has_come_and_the_sums_of_their_days_stay(live: Home, app: App) -> None:
    remember(app, RememberInput(content="the crane lifts forty tonnes", namespace=HERE))
    answer = recall(app, RecallInput(query="what does the crane lift?", namespace=HERE, session_id="s1"))
    said_so = CiteInput(namespace=HERE, memory_id=answer.memories[0].memory.id, notes="zanzibar", session_id="s1")
    cite(app, said_so)
    before = stats(app, StatsInput(namespace=HERE, panel="hit-rate"))
    upkeep = Upkeep(app, IN_THE_BACKGROUND)
    live.later(minutes=399 * 24 * 60)
    assert by_job(upkeep.run_due(app.clock.now()))["receipts"] == 0
    live.later(minutes=2 * 24 * 60)
    assert by_job(upkeep.run_due(app.clock.now()))["receipts"] == 3
    assert app.citations.on(HERE, "s1") == []
    assert b"zanzibar" not in (app.settings.home / "history.db").read_bytes()
    assert stats(app, StatsInput(namespace=HERE, panel="hit-rate")) == before
    assert app.history.counts()[0] == 0, "no citation holds the receipt any more"


def test_receipts_that_take_too_much_room_and_events_that_are_too_many_go_oldest_first(app: App) -> None:
    remember(app, RememberInput(content="the crane lifts forty tonnes", namespace=HERE))
    made = [recall(app, RecallInput(query=f"crane {number}", namespace=HERE)).recall_id for number in range(9)]
    app.receipts.pin(made[0], HERE, pinned=True)
    room = app.history.counts()[1] // 3
    emptied = app.history.prune(0, 100, room)
    kept = [each.recall_id for each in app.receipts.recalls(HERE) if each.in_full]
    assert kept == [*made[emptied + 1 :][::-1], made[0]]
    assert 4 < emptied < 8
    before = stats(app, StatsInput(namespace=HERE, panel="agents"))
    assert app.history.trim(0, 4) == 5
    assert app.history.trim(0, 4) == 0
    assert stats(app, StatsInput(namespace=HERE, panel="agents")) == before


def test_due_passes_run_in_every_namespace_and_only_a_report_is_left_to_its_reader(live: Home, app: App) -> None:
    for namespace in (HERE, ELSEWHERE):
        remember(app, RememberInput(content="the crane lifts forty tonnes", namespace=namespace))
    upkeep = Upkeep(app, IN_THE_BACKGROUND)
    assert by_job(upkeep.run_due(app.clock.now()))["passes"] == 0
    live.later(minutes=8 * 24 * 60)
    assert by_job(upkeep.run_due(app.clock.now()))["passes"] == 4
    for namespace in (HERE, ELSEWHERE):
        assert [each.name for each in due_passes(app, namespace, app.clock.now())] == ["report"]
    live.later(minutes=61)
    assert by_job(upkeep.run_due(app.clock.now()))["passes"] == 0


def test_a_job_that_fails_says_so_and_the_others_are_done(app: App) -> None:
    def fail(_app: App) -> JobOutcome:
        raise StoreError("the disk is on fire")

    failing = Job("failing", timedelta(minutes=1), fail)
    done = Upkeep(app, (failing, *AT_OPENING)).run_due(app.clock.now())
    assert [(each.job, str(each.problem or "")) for each in done] == [
        ("failing", "the disk is on fire"),
        ("erasures", ""),
        ("edits", ""),
    ]


def test_a_server_that_is_told_to_stop_begins_no_further_job(app: App) -> None:
    stopping = Deadline()
    stopping.cancel()
    with pytest.raises(DeadlineError):
        Upkeep(replace(app, deadline=stopping), IN_THE_BACKGROUND).run_due(app.clock.now())
