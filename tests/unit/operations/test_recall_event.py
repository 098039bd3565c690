"""Recalls in, how each went out: what was cited of it by whom; of one that failed its words, and what went wrong."""

from dataclasses import replace
from pathlib import Path

import apsw
import pytest

from pellucid.app import App
from pellucid.clock import epoch_ms
from pellucid.deadline import Deadline
from pellucid.errors import DeadlineError, NotFoundError
from pellucid.operations.memory.citing import CiteInput, cite
from pellucid.operations.memory.forgetting import ForgetInput, forget
from pellucid.operations.memory.remembering import RememberInput, remember
from pellucid.operations.recall.kept.event import EventInput, event
from pellucid.operations.recall.kept.snapshots import ListedRecall, SnapshotsInput, list_snapshots
from pellucid.operations.recall.recalling import RecallInput, recall, xray_by_id
from pellucid.store.local.database import connect, execute
from pellucid.store.local.history.history import LocalHistory

HERE = "local/default"
QUESTION = "how much does the zeppelin lift?"
LATER = 2**53


@pytest.fixture
def kept(whole: App) -> App:
    """A home with two memories."""
    for content in ("the zeppelin lifts forty tonnes", "the harbour crane lifts ten tonnes"):
        remember(whole, RememberInput(content=content, namespace=HERE))
    return whole


def failed(app: App, query: str = QUESTION, session: str | None = None) -> ListedRecall:
    """A recall that has no time left."""
    late = replace(app, deadline=Deadline(0.0))
    with pytest.raises(DeadlineError):
        recall(late, RecallInput(query=query, namespace=HERE, agent="ada", session_id=session))
    return list_snapshots(app, SnapshotsInput(namespace=HERE)).recalls[0]


def test_a_recall_tells_what_was_cited_of_it_by_whom_and_for_which_place(kept: App) -> None:
    given = recall(kept, RecallInput(query=QUESTION, namespace=HERE, session_id="s1"))
    first, second = (each.memory.id for each in given.memories)
    other = recall(kept, RecallInput(query=QUESTION, namespace=HERE, session_id="s2")).recall_id
    for memory, by, kind in ((second, "ada", "used"), (second, None, "saved_rework"), (first, "bo", "dismissed")):
        made = CiteInput(namespace=HERE, memory_id=memory, recall_id=given.recall_id, agent=by, kind=kind, notes="so")
        cite(kept, made.model_copy(update={"session_id": "s1"}))
    cite(kept, CiteInput(namespace=HERE, memory_id=first, recall_id=other, session_id="s2"))
    told = event(kept, EventInput(namespace=HERE, recall_id=given.recall_id))
    assert [(each.place, each.memory_id) for each in told.memories] == [(1, first), (2, second)]
    assert [[(one.kind, one.agent, one.notes) for one in each.citations] for each in told.memories] == [
        [("dismissed", "bo", "so")],
        [("used", "ada", "so"), ("saved_rework", None, "so")],
    ]
    assert (told.recall.outcome, told.failure, set(told.words)) == ("answered", None, {first, second})
    with pytest.raises(NotFoundError):
        event(kept, EventInput(namespace="other/place", recall_id=given.recall_id))


def test_a_recall_that_failed_is_listed_with_its_words_and_tells_what_went_wrong(kept: App) -> None:
    row = failed(kept, session="s1")
    assert (row.outcome, row.query, row.agent, row.served, row.in_full) == ("failed", QUESTION, "ada", 0, False)
    for only in ({"outcome": "failed"}, {"session_id": "s1"}, {"contains": "ZEPPELIN"}, {"degraded": True}):
        found = list_snapshots(kept, SnapshotsInput.model_validate({"namespace": HERE, **only})).recalls
        assert [each.recall_id for each in found] == [row.recall_id], only
    told = event(kept, EventInput(namespace=HERE, recall_id=row.recall_id))
    assert told.failure
    assert (told.failure.code, "its time was over" in told.failure.text) == ("deadline_over", True)
    assert told.failure.place.startswith("DeadlineError in ")
    assert "doctor" in told.failure.next_step
    with pytest.raises(NotFoundError, match="failed") as refused:
        xray_by_id(kept, HERE, row.recall_id)
    assert f'call("recall.event", recall_id="{row.recall_id}")' in refused.value.next_step


def test_what_nobody_foresaw_is_told_by_its_kind_and_place_and_none_of_its_words(
    kept: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise RuntimeError("secret words of a memory")

    monkeypatch.setattr("pellucid.operations.recall.recalling.draft", fails)
    with pytest.raises(RuntimeError):
        recall(kept, RecallInput(query=QUESTION, namespace=HERE))
    told = event(kept, EventInput(namespace=HERE, recall_id="last"))
    assert told.failure
    assert (told.failure.code, told.failure.place.startswith("RuntimeError in ")) == ("unexpected", True)
    assert "secret" not in told.model_dump_json()


def test_the_words_of_a_failed_recall_are_withheld_and_erased_as_of_any(kept: App) -> None:
    told_nothing = kept.settings.recall.model_copy(update={"store_query_text": False})
    withheld = replace(kept, settings=kept.settings.model_copy(update={"recall": told_nothing}))
    assert failed(withheld).query is None
    assert failed(kept).query == QUESTION
    memory = recall(kept, RecallInput(query=QUESTION, namespace=HERE)).memories[0].memory.id
    forget(kept, ForgetInput(namespace=HERE, memory_ids=(memory,), preview=False))
    left = list_snapshots(kept, SnapshotsInput(namespace=HERE, outcome="failed")).recalls
    assert [each.query for each in left] == [None, None]


def test_words_of_a_failed_recall_go_with_age_and_the_rest_with_its_event(kept: App) -> None:
    row = failed(kept)
    kept.history.prune(epoch_ms(row.at) - 1, LATER)
    assert list_snapshots(kept, SnapshotsInput(namespace=HERE)).recalls[0].query == QUESTION
    kept.history.prune(epoch_ms(row.at) + 1, LATER)
    assert list_snapshots(kept, SnapshotsInput(namespace=HERE)).recalls[0].query is None
    kept.history.trim(LATER, LATER)
    assert list_snapshots(kept, SnapshotsInput(namespace=HERE)).recalls == ()
    left = connect(kept.settings.home / "history.db", synchronous="NORMAL")
    assert execute(left, "SELECT (SELECT count(*) FROM failures), (SELECT count(*) FROM queries)") == [(0, 0)]
    left.close()


def test_recalls_that_failed_before_their_failures_were_kept_are_listed_too(kept: App, tmp_path: Path) -> None:
    row = failed(kept)
    old = tmp_path / "old.db"
    history = LocalHistory(old)
    history.counts()
    history.close()
    connection = apsw.Connection(str(old))
    connection.execute("DROP TABLE failures; DROP TRIGGER failure_gone; DROP INDEX recall_events_listed")
    connection.execute("CREATE INDEX recall_events_of_namespace ON recall_events(namespace, at)")
    connection.execute(f"ATTACH '{kept.settings.home / 'history.db'}' AS now")
    connection.execute("INSERT INTO recall_events SELECT * FROM now.recall_events; PRAGMA user_version = 8")
    connection.close()
    history = LocalHistory(old)
    (found,) = history.receipts.recalls(HERE)
    assert (found.recall_id, found.outcome, found.in_full) == (row.recall_id, "failed", False)
    went = history.telemetry.event(row.recall_id, HERE)
    assert went
    assert went.failure is None
    history.close()
