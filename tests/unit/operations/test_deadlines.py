"""Calls with little time in, an error that says so out: nothing half is left, and repeating goes on."""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from pydantic import SecretStr

from kits.intake import DECIDED, FACT, HERE, held
from pellucid.app import App
from pellucid.deadline import Deadline
from pellucid.encoders.chat.model import OpenAIChat
from pellucid.encoders.minilm.encoder import MiniLM
from pellucid.errors import DeadlineError
from pellucid.operations.memory.remembering import REMEMBER
from pellucid.operations.operation import Call
from pellucid.operations.recall.recalling import RECALL
from pellucid.operations.session.importing import IMPORT
from pellucid.settings import load
from pellucid.settings.sections import LlmSettings, ObserveSettings
from pellucid.store.local.database import execute
from pellucid.store.local.index.local_index import LocalIndex
from pellucid.store.local.lock import exclusive
from pellucid.store.records import FileWrite
from pellucid.testing import ScriptedServer, Step, answer

FOR_EVER = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"
FIRST, TURNS = 560, 600
HANGING = Step(delay_s=600)


def remembered(app: App) -> None:
    REMEMBER(Call.over(app), content="the harbour crane lifts forty tonnes")


def test_a_recall_whose_time_is_over_says_so_and_leaves_no_receipt(whole: App) -> None:
    remembered(whole)
    with pytest.raises(DeadlineError, match="not done within 0 seconds"):
        RECALL(Call.over(whole, Deadline(0)), query="harbour crane")
    assert whole.history.counts() == (0, 0)
    assert RECALL(Call.over(whole, Deadline(600)), query="harbour crane").memories


def test_a_recall_that_is_cancelled_says_so(whole: App) -> None:
    remembered(whole)
    cancelled = Deadline()
    cancelled.cancel()
    with pytest.raises(DeadlineError, match="cancelled"):
        RECALL(Call.over(whole, cancelled), query="harbour crane")
    assert whole.history.counts() == (0, 0)


def test_a_query_that_is_under_way_is_interrupted_and_the_next_one_is_not(whole: App) -> None:
    remembered(whole)
    assert isinstance(whole.index, LocalIndex)
    with pytest.raises(DeadlineError), whole.index.reading(HERE, Deadline(0.05)):
        execute(whole.index._connections.get(), FOR_EVER)
    with whole.index.reading(HERE) as reader:
        assert reader.survey("crane").terms[0].frequency == 1


def test_a_model_that_does_not_answer_is_waited_for_no_longer_than_the_call_may_take(whole: App) -> None:
    remembered(whole)
    with ScriptedServer(HANGING, HANGING) as server:
        settings = LlmSettings(base_url=server.base_url, model="scripted", api_key=SecretStr("k"), timeout_s=600)
        asking = replace(whole, recaller=replace(whole.recaller, chat=partial(OpenAIChat, settings)))
        with pytest.raises(DeadlineError):
            RECALL(Call.over(asking, Deadline(0.2)), query="harbour crane", settings={"gate": "llm"})
        assert len(server.requests) == 1
    assert whole.history.counts() == (0, 0)


@pytest.mark.parametrize("held", [None, HERE, "other/place"])
def test_the_right_to_write_is_waited_for_no_longer_than_the_call_may_take(whole: App, held: str | None) -> None:
    with whole.unit_of_work.exclusive(1, held):
        if held == "other/place":
            remembered(whole)
            return
        with pytest.raises(DeadlineError, match="not done within"):
            REMEMBER(Call.over(whole, Deadline(0.1)), content="the ferry leaves at nine")
    assert not whole.records.operations()
    remembered(whole)


def test_another_threads_fold_is_waited_for_no_longer_than_the_call_may_take(whole: App) -> None:
    with whole.indexer._one_at_a_time, pytest.raises(DeadlineError, match="not done within"):
        REMEMBER(Call.over(whole, Deadline(0.1)), content="the ferry leaves at nine")
    assert not whole.records.operations()
    remembered(whole)


def test_what_is_acknowledged_becomes_searchable_even_if_the_calls_time_is_over_by_then(whole: App) -> None:
    over = Deadline()
    over.cancel()
    ferry = FileWrite("facts/2026-04-20/ferry.md", b"---\ncategory: fact\n---\nthe ferry leaves at nine\n")
    work = replace(whole.unit_of_work, deadline=over)
    with ThreadPoolExecutor(1) as threads:
        with whole.indexer._one_at_a_time:
            committing = threads.submit(work.commit, "remember", [ferry])
            while whole.records.heads([ferry.path])[0].data is None:
                assert not committing.done()
        assert committing.result().folded.memories == 1
    assert [each.memory.content for each in whole.index.memories(HERE)] == ["the ferry leaves at nine"]


def test_who_waits_for_another_process_may_be_cancelled(whole: App) -> None:
    cancelled = Deadline()
    with exclusive(whole.settings.home / "write.lock", 1), ThreadPoolExecutor(1) as threads:
        waiting = threads.submit(REMEMBER, Call.over(whole, cancelled), content="the ferry leaves at nine")
        cancelled.cancel()
        with pytest.raises(DeadlineError, match="cancelled"):
            waiting.result()


def test_a_model_that_is_loading_is_waited_for_no_longer_than_the_call_may_take(model_cache: Path) -> None:
    model, over = MiniLM(model_cache), Deadline()
    over.cancel()
    with pytest.raises(DeadlineError, match="cancelled"):
        model.encode_query("harbour crane", over)
    assert model.encode_query("harbour crane").vector.shape == (384,), "it went on loading"


@pytest.fixture
def transcripts(tmp_path: Path) -> Path:
    """A folder of two files: more than a batch, and some more."""
    for name, numbers in (("a", range(FIRST)), ("b", range(FIRST, TURNS))):
        said = (f"We chose quay {number} for the depot token{number}x." for number in numbers)
        rows = (json.dumps({"role": "user", "content": each, "session": name}) + "\n" for each in said)
        (tmp_path / f"{name}.jsonl").write_text("".join(rows), "utf-8")
    return tmp_path


class UntilSomethingIsKept(Deadline):
    """Cancelled as soon as one operation was acknowledged."""

    def __init__(self, app: App) -> None:
        super().__init__()
        self._app = app

    def check(self) -> None:
        if self._app.records.operations():
            self.cancel()
        super().check()


def test_an_import_that_is_cancelled_keeps_whole_batches_and_goes_on_when_it_is_repeated(
    whole: App, transcripts: Path
) -> None:
    with pytest.raises(DeadlineError, match="cancelled"):
        IMPORT(Call.over(whole, UntilSomethingIsKept(whole)), paths=(transcripts,), mode="verbatim")
    kept = len(whole.index.memories(HERE))
    assert 0 < kept < TURNS
    assert not whole.indexer.drift().paths
    again = IMPORT(Call.over(whole), paths=(transcripts,), mode="verbatim")
    assert again.turns_taken == TURNS - kept
    assert len(whole.index.memories(HERE)) == TURNS


@pytest.mark.slow
def test_an_import_keeps_what_was_extracted_before_its_model_took_too_long(whole: App, tmp_path: Path) -> None:
    path = tmp_path / "two.jsonl"
    said = (("s1", DECIDED), ("s2", "We use Postgres 16 for the ledger."))
    rows = [json.dumps({"session": session, "role": "user", "content": words}) + "\n" for session, words in said]
    path.write_text("".join(rows), "utf-8")
    with ScriptedServer(answer({"facts": [FACT]}), HANGING) as server:
        llm = LlmSettings(base_url=server.base_url, model="scripted", api_key=SecretStr("k"), timeout_s=600)
        changed = {"llm": llm, "observe": ObserveSettings(extractor="llm")}
        app = replace(whole, settings=load(home=whole.settings.home).model_copy(update=changed))
        with pytest.raises(DeadlineError):
            IMPORT(Call.over(app, Deadline(5)), paths=(path,), mode="extract")
    assert list(held(whole)) == [FACT["content"]]
