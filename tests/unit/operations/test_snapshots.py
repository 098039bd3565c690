"""Recalls that were made in, what can still be said of them out."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from pellucid.app import App
from pellucid.errors import InputError, NotFoundError
from pellucid.model.snapshot import RecallXraySnapshot
from pellucid.operations.memory.lifecycle.aging import LifecycleInput, run_lifecycle
from pellucid.operations.memory.remembering import RememberInput, remember
from pellucid.operations.recall.kept.snapshots import (
    ExplainInput,
    ExportInput,
    PinSnapshotInput,
    SnapshotsInput,
    explain_last,
    export_snapshots,
    list_snapshots,
    parse_since,
    pin_snapshot,
)
from pellucid.operations.recall.recalling import RecallInput, recall, xray_by_id

HERE, THERE = "local/default", "other/place"
NOW = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)
LATER = 2**53


def asked(app: App, query: str, session: str | None = None, namespace: str = HERE) -> str:
    return recall(app, RecallInput(query=query, namespace=namespace, session_id=session)).recall_id


@pytest.fixture
def kept(whole: App) -> App:
    """A home with one memory."""
    remember(whole, RememberInput(content="the harbour crane lifts forty tonnes", namespace=HERE))
    return whole


def test_recalls_are_listed_newest_first_each_with_its_session_words_and_what_is_kept(kept: App) -> None:
    first, second = asked(kept, "crane?", "s1"), asked(kept, "größe?")
    listed = list_snapshots(kept, SnapshotsInput(namespace=HERE))
    assert not listed.more
    assert [(each.recall_id, each.session_id, each.query, each.served, each.in_full) for each in listed.recalls] == [
        (second, None, "größe?", 1, True),
        (first, "s1", "crane?", 1, True),
    ]
    ask = SnapshotsInput(namespace=HERE, limit=1)
    assert [each.recall_id for each in list_snapshots(kept, ask).recalls] == [second]
    assert list_snapshots(kept, ask).more
    of_session = list_snapshots(kept, SnapshotsInput(namespace=HERE, session_id="s1"))
    assert [each.recall_id for each in of_session.recalls] == [first]
    since = listed.recalls[0].at + timedelta(milliseconds=1)
    assert list_snapshots(kept, SnapshotsInput(namespace=HERE, since=since)).recalls == ()
    assert len(list_snapshots(kept, SnapshotsInput(namespace=HERE, since=listed.recalls[1].at)).recalls) == 2
    assert list_snapshots(kept, SnapshotsInput(namespace=THERE)).recalls == ()


def test_recalls_are_found_by_agent_class_outcome_and_words_page_by_page(kept: App) -> None:
    def listed(**given: object) -> list[str]:
        return [each.recall_id for each in list_snapshots(kept, SnapshotsInput(namespace=HERE, **given)).recalls]

    ada = recall(kept, RecallInput(query="why does the Crane lift?", namespace=HERE, agent="ada")).recall_id
    thanks, crane = asked(kept, "thanks!"), asked(kept, "what does the crane lift now?")
    assert listed(by_agent="ada") == [ada]
    assert listed(outcome="gated") == [thanks]
    assert listed(contains="CRANE lift") == [crane, ada]
    assert listed(degraded=True) == []
    rows = list_snapshots(kept, SnapshotsInput(namespace=HERE)).recalls
    assert {(each.agent, each.surface, each.outcome, each.degraded) for each in rows} == {
        ("ada", "python", "answered", False),
        (None, "python", "answered", False),
        (None, "python", "gated", False),
    }
    for kind in {each.query_class for each in rows}:
        assert listed(query_class=kind) == [each.recall_id for each in rows if each.query_class == kind]
    first = list_snapshots(kept, SnapshotsInput(namespace=HERE, contains="crane", limit=1))
    assert listed(contains="crane", limit=1, after=first.next) == [ada]
    with pytest.raises(InputError):
        listed(contains="tide", limit=1, after=first.next)


def test_the_last_recall_is_explained_of_a_session_or_of_the_namespace(kept: App) -> None:
    first, second = asked(kept, "crane?", "s1"), asked(kept, "what lifts?")
    assert explain_last(kept, ExplainInput(namespace=HERE)) == xray_by_id(kept, HERE, second)
    assert explain_last(kept, ExplainInput(namespace=HERE, session_id="s1")) == xray_by_id(kept, HERE, first)
    for request in (ExplainInput(namespace=THERE), ExplainInput(namespace=HERE, session_id="s2")):
        with pytest.raises(NotFoundError, match="nothing was recalled") as error:
            explain_last(kept, request)
        assert error.value.next_step


def test_a_session_is_found_by_the_name_it_was_given_even_if_that_held_a_secret(kept: App) -> None:
    session = "password=hunter2-swordfish"
    recall_id = asked(kept, "crane?", session)
    (listed,) = list_snapshots(kept, SnapshotsInput(namespace=HERE, session_id=session)).recalls
    assert "swordfish" not in str(listed.session_id)
    assert explain_last(kept, ExplainInput(namespace=HERE, session_id=session)).snapshot_id == recall_id


def test_a_recall_of_which_only_the_results_are_kept_is_listed_and_said_to_be_too_old(kept: App) -> None:
    recall_id = asked(kept, "crane?", "s1")
    kept.history.prune(LATER, 100)
    (listed,) = list_snapshots(kept, SnapshotsInput(namespace=HERE)).recalls
    assert (listed.in_full, listed.pinned, listed.query, listed.served) == (False, False, None, 1)
    with pytest.raises(NotFoundError, match="only its results are kept") as error:
        explain_last(kept, ExplainInput(namespace=HERE))
    assert f"aud_{recall_id[4:]}01" in error.value.message


def test_a_pinned_recall_can_still_be_explained_when_the_others_are_too_old(kept: App) -> None:
    first, second = asked(kept, "crane?"), asked(kept, "what lifts?")
    before = xray_by_id(kept, HERE, first)
    assert pin_snapshot(kept, PinSnapshotInput(namespace=HERE, recall_id=first)).pinned
    kept.history.prune(LATER, 100)
    assert xray_by_id(kept, HERE, first) == before
    with pytest.raises(NotFoundError):
        xray_by_id(kept, HERE, second)
    late = pin_snapshot(kept, PinSnapshotInput(namespace=HERE, recall_id=second))
    assert (late.pinned, late.in_full) == (True, False)
    assert not pin_snapshot(kept, PinSnapshotInput(namespace=HERE, recall_id=first, pinned=False)).pinned
    kept.history.prune(LATER, 100)
    assert not any(each.in_full for each in list_snapshots(kept, SnapshotsInput(namespace=HERE)).recalls)


def test_a_foreign_or_unknown_recall_cannot_be_pinned(kept: App) -> None:
    recall_id = asked(kept, "crane?")
    for request in (
        PinSnapshotInput(namespace=THERE, recall_id=recall_id),
        PinSnapshotInput(namespace=HERE, recall_id="rec_" + "0" * 32),
        PinSnapshotInput(namespace=HERE, recall_id="rubbish"),
    ):
        with pytest.raises(NotFoundError) as error:
            pin_snapshot(kept, request)
        assert error.value.next_step


@pytest.mark.requirement("XRAY-1")
def test_an_export_is_one_snapshot_a_line_and_the_same_bytes_again(kept: App) -> None:
    remember(kept, RememberInput(content="line\u2028break", namespace=HERE))
    ids = [asked(kept, query) for query in ("crane?", "a\nb\u2028c \u202e", "größe 大きさ")]
    lines = list(export_snapshots(kept, ExportInput(namespace=HERE)))
    assert list(export_snapshots(kept, ExportInput(namespace=HERE))) == lines
    assert all(len(line.splitlines()) == 1 for line in lines)
    read = [json.loads(line) for line in lines]
    assert all(set(each) == {"snapshotFound", "snapshot"} for each in read)
    snapshots = [RecallXraySnapshot.model_validate(each["snapshot"]) for each in read]
    assert snapshots == [xray_by_id(kept, HERE, recall_id) for recall_id in reversed(ids)]
    assert list(export_snapshots(kept, ExportInput(namespace=THERE))) == []


def test_an_export_goes_past_its_first_page_and_keeps_to_its_session(kept: App) -> None:
    ids = [asked(kept, "crane?", f"s{number % 2}") for number in range(203)]
    snapshots = [
        json.loads(line)["snapshot"]["snapshotId"] for line in export_snapshots(kept, ExportInput(namespace=HERE))
    ]
    assert snapshots == ids[::-1]
    odd = export_snapshots(kept, ExportInput(namespace=HERE, session_id="s1"))
    assert [json.loads(line)["snapshot"]["snapshotId"] for line in odd] == ids[1::2][::-1]


def test_an_export_makes_its_lines_as_they_are_asked_for_and_names_what_it_left_out(kept: App) -> None:
    ids = [asked(kept, f"crane {number}?") for number in range(4)]
    pin_snapshot(kept, PinSnapshotInput(namespace=HERE, recall_id=ids[1]))
    left_out: list[str] = []
    lines = export_snapshots(replace(kept, report=left_out.append), ExportInput(namespace=HERE))
    assert ids[3] in next(lines)
    kept.history.prune(LATER, 100)
    assert [json.loads(line)["snapshot"]["snapshotId"] for line in lines] == [ids[1]]
    assert left_out == [ids[2], ids[0]]
    assert len(list(export_snapshots(kept, ExportInput(namespace=HERE)))) == 1


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("2026-04-20", datetime(2026, 4, 20, tzinfo=UTC)),
        (" 2026-04-20T17:30 ", datetime(2026, 4, 20, 17, 30, tzinfo=UTC)),
        ("2026-04-20T17:30:00Z", datetime(2026, 4, 20, 17, 30, tzinfo=UTC)),
        ("2026-04-20T17:30+02:00", datetime(2026, 4, 20, 15, 30, tzinfo=UTC)),
        ("7d", NOW - timedelta(days=7)),
        ("12h", NOW - timedelta(hours=12)),
        ("30m", NOW - timedelta(minutes=30)),
        ("2 w", NOW - timedelta(weeks=2)),
        ("0d", NOW),
    ],
)
def test_a_time_is_a_date_or_how_long_ago(text: str, at: datetime) -> None:
    assert parse_since(text, NOW) == at


@pytest.mark.parametrize(
    "text", ["", "yesterday", "7", "-7d", "7 years", "999999999w", "2026-13-01", "0001-01-01T00:00+14:00", "٧d"]
)
def test_what_is_no_time_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(InputError, match=r"^since expects") as error:
        parse_since(text, NOW)
    assert error.value.code == "invalid_since"
    assert "7d" in error.value.next_step


def test_a_lifecycle_pass_empties_receipts_whose_time_has_come_and_spares_what_is_pinned(kept: App) -> None:
    old, pinned = asked(kept, "crane"), asked(kept, "forty tonnes")
    pin_snapshot(kept, PinSnapshotInput(namespace=HERE, recall_id=pinned, pinned=True))
    at = kept.clock.now() + timedelta(days=40)

    class Later:
        new_id = staticmethod(kept.clock.new_id)
        now = staticmethod(lambda: at)

    later = replace(kept, clock=Later())
    run_lifecycle(later, LifecycleInput(namespace=HERE, dry_run=True))
    assert kept.history.receipt(old, HERE)
    run_lifecycle(later, LifecycleInput(namespace=HERE))
    assert kept.history.receipt(old, HERE) is None
    assert kept.history.receipt(pinned, HERE)
