"""Recalls asked in every way, and going in every way: each leaves exactly one event, which says how it went."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import apsw
import pytest

from kits.cli import Cli
from kits.hooked import tell
from kits.mcp import call, standing
from kits.serving import served
from pellucid import Pellucid
from pellucid.app import App, open_app
from pellucid.deadline import Deadline
from pellucid.encoders.minilm.encoder import MiniLM
from pellucid.errors import DeadlineError, EncoderError, InputError
from pellucid.operations.memory.remembering import REMEMBER
from pellucid.operations.operation import Call
from pellucid.operations.recall.recalling import RECALL, RecallInput, recall
from pellucid.settings import Settings, load
from pellucid.store.local.database import execute

CRANE = "The harbour crane lifts forty tonnes, and its brakes are checked every Monday."
QUERY = "how much can the harbour crane lift?"
Rows = list[dict[str, Any]]


def events(home: Path) -> Rows:
    """Every event of a home, the oldest first."""
    if not (home / "history.db").exists():
        return []
    connection = apsw.Connection(str(home / "history.db"), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        names = [row[1] for row in execute(connection, "PRAGMA table_info(recall_events)")]
        return [
            dict(zip(names, row, strict=True))
            for row in execute(connection, "SELECT * FROM recall_events ORDER BY recall_id")
        ]
    finally:
        connection.close()


def events_of(app: App) -> Rows:
    """Every event of an open home, those that are still to be written among them."""
    app.history.settle()
    return events(app.settings.home)


def by_command(cli: Cli, _: Path) -> None:
    cli("recall", QUERY, "--session", "s1", "--agent", "claude")


def by_explaining_command(cli: Cli, _: Path) -> None:
    cli("xray", QUERY, "--session", "s1", "--agent", "claude")


def by_request(_: Cli, home: Path) -> None:
    with served(load(home=home)) as server:
        assert server.post("/v1/recall", {"query": QUERY, "sessionId": "s1", "agent": "claude"}).status == 200


def by_tool(_: Cli, home: Path) -> None:
    with standing(home) as calls:
        call(calls, "memory_recall", query=QUERY, sessionId="s1", agent="claude")


def by_hook(_: Cli, home: Path) -> None:
    app = open_app(load(home=home))
    assert tell(app, "UserPromptSubmit", prompt=QUERY).memory_ids
    app.close()


def by_python(_: Cli, home: Path) -> None:
    with Pellucid(home) as memory:
        memory.recall(QUERY, session_id="s1", agent="claude")


@pytest.mark.parametrize(
    ("ask", "surface"),
    [
        (by_command, "cli"),
        (by_explaining_command, "cli"),
        (by_request, "http"),
        (by_tool, "mcp"),
        (by_hook, "hook"),
        (by_python, "python"),
    ],
)
def test_a_recall_leaves_one_event_wherever_it_is_asked(
    cli: Cli, tmp_path: Path, ask: Callable[[Cli, Path], None], surface: str
) -> None:
    cli("remember", CRANE, "--namespace", "local/default")
    ask(cli, tmp_path / "home")
    (found,) = events(tmp_path / "home")
    assert (found["surface"], found["outcome"], found["selected"]) == (surface, "answered", 1)
    assert (found["session_id"] is None, found["agent"] is None) == (False, False)
    assert found["millis"] > 0


def test_an_event_weighs_the_context_that_was_handed_out(cli: Cli, tmp_path: Path) -> None:
    cli("remember", CRANE)
    told = cli("recall", QUERY, "--json").json
    cli("xray", QUERY)
    given, explained = events(tmp_path / "home")
    assert given["recall_id"] == told["recallId"]
    assert given["payload_bytes"] == len(told["context"].encode())
    assert given["payload_tokens"] == -(-len(told["context"]) // 4)
    assert (explained["payload_bytes"], explained["payload_tokens"]) == (0, 0)


class Refusing(MiniLM):
    """An encoder that gives nothing."""

    def encode_query(self, text: str, deadline: Deadline | None = None) -> Any:
        raise EncoderError("the model could not be loaded")


@pytest.fixture
def app(tmp_path: Path, minilm: MiniLM, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr("pellucid.app.MiniLM", lambda *_, **__: minilm)
    opened = open_app(Settings(home=tmp_path / "home"))
    REMEMBER(Call.over(opened), content=CRANE)
    yield opened
    opened.close()


def asked(app: App, query: str = QUERY, deadline: Deadline | None = None, **fields: Any) -> None:
    with suppress(Exception):
        RECALL(Call.over(app, deadline), query=query, **fields)


def cut_off(app: App) -> App:
    """The app, its index without a table that every search reads."""
    connection = apsw.Connection(str(app.settings.home / "index.db"))
    execute(connection, "DROP TABLE memories")
    connection.close()
    return app


@pytest.mark.parametrize(
    ("ask", "outcome", "degraded"),
    [
        (asked, "answered", 0),
        (lambda app: asked(app, categories=("rule",)), "abstained", 0),
        (lambda app: asked(app, budget=30), "empty", 0),
        (lambda app: asked(app, "thanks!"), "gated", 0),
        (lambda app: asked(app, "which sauce won the pasta contest?", settings={"abstainAt": 0.1}), "abstained", 0),
        (lambda app: asked(app, deadline=Deadline(0)), "failed", 1),
        (lambda app: asked(cut_off(app)), "failed", 1),
        (
            lambda app: asked(replace(app, recaller=replace(app.recaller, embedder=Refusing(app.settings.home)))),
            "answered",
            1,
        ),
    ],
    ids=["answered", "filtered", "empty", "gated", "abstained", "too late", "broken", "no encoder"],
)
def test_a_recall_leaves_one_event_however_it_goes(
    app: App, ask: Callable[[App], None], outcome: str, degraded: int
) -> None:
    ask(app)
    (found,) = events_of(app)
    assert (found["outcome"], found["degraded"]) == (outcome, degraded)
    assert (found["selected"] > 0) == (outcome == "answered")


def test_of_a_recall_that_failed_nothing_but_its_event_is_kept(app: App) -> None:
    asked(app, deadline=Deadline(0))
    connection = apsw.Connection(str(app.settings.home / "history.db"))
    kept = [execute(connection, f"SELECT count(*) FROM {name}")[0][0] for name in ("receipts", "queries")]
    connection.close()
    assert kept == [0, 0]


def test_a_question_that_is_refused_is_no_recall(app: App) -> None:
    with pytest.raises(InputError):
        RECALL(Call.over(app), query="  ")
    with pytest.raises(InputError):
        RECALL(Call.over(app), query=QUERY, without=("nonsense",))
    assert events_of(app) == []


def test_a_recall_of_further_namespaces_is_one_event_for_each_that_was_asked(app: App) -> None:
    there = replace(app, settings=app.settings.naming("local/persona"))
    REMEMBER(Call.over(there), content="Ann likes to hear of cranes in the morning")
    found = recall(app, RecallInput(query=QUERY, namespace="local/default", also=("local/persona", "local/none")))
    told = events_of(app)
    assert [each["namespace"] for each in told] == ["local/default", "local/persona"]
    assert told[0]["recall_id"] == found.recall_id


def test_where_no_history_can_be_kept_the_answer_comes_all_the_same(app: App) -> None:
    connection = apsw.Connection(str(app.settings.home / "history.db"))
    execute(connection, "PRAGMA user_version = 999")
    connection.close()
    found = recall(app, RecallInput(query=QUERY, namespace="local/default"))
    assert found.memories
    assert "schema version 999" in (found.receipt_problem or "")
    with pytest.raises(DeadlineError):
        RECALL(Call.over(app, Deadline(0)), query=QUERY)


@pytest.mark.parametrize(
    ("place", "told", "kept"),
    [
        ({}, None, 1),
        ({"names": ("memory.example.org",)}, None, 0),
        ({"names": ("memory.example.org",)}, True, 1),
        ({}, False, 0),
    ],
    ids=["one's own", "others'", "others', told to", "one's own, told not to"],
)
def test_a_server_that_others_can_reach_keeps_no_words_of_questions(
    app: App, place: dict[str, Any], told: bool | None, kept: int
) -> None:
    given = {} if told is None else {"recall": {"store_query_text": told}}
    with served(Settings(home=app.settings.home, **given), **place) as server:
        assert server.post("/v1/recall?namespace=local/default", {"query": QUERY}).json["memories"]
    connection = apsw.Connection(str(app.settings.home / "history.db"))
    words = execute(connection, "SELECT count(*) FROM queries")[0][0]
    connection.close()
    assert (words, len(events_of(app))) == (kept, 1)
