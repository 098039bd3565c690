"""Memories that recalls served, and what became of them, in; what is on record of it and how a session ends out."""

from pathlib import Path

import pytest

from kits.cli import Cli
from pellucid.app import open_app
from pellucid.settings import load

NOTE = "Spared the zeppelin rewrite."


@pytest.fixture
def served(cli: Cli) -> tuple[str, str, str]:
    """A recall of session s1, and the two memories that it served."""
    cli("remember", "The relay of rack 7 listens on port 9041.")
    cli("remember", "The relay of rack 8 listens on port 9042.")
    found = cli("recall", "On which port does the relay listen?", "--session", "s1", "--json").json
    first, second = (each["memory"]["id"] for each in found["memories"])
    return found["recallId"], first, second


def test_a_recall_tells_which_of_its_memories_were_cited_and_by_whom(cli: Cli, served: tuple[str, str, str]) -> None:
    recall_id, first, second = served
    cli("cite", second, "--session", "s1", "--agent", "ada", "--notes", NOTE)
    told = cli("snapshots", "show", "last").out
    assert recall_id in told
    assert "On which port does the relay listen?" in told
    assert told.index(f"[1] {first}") < told.index(f"[2] {second}") < told.index("cited in session s1")
    assert f"(said by ada): {NOTE}" in told


@pytest.mark.requirement("CITE-1")
def test_a_memory_is_cited_once_in_each_way_and_session(cli: Cli, served: tuple[str, str, str]) -> None:
    recall_id, first, _ = served
    once = cli("cite", first, "--recall-id", recall_id, "--session", "s1", "--notes", NOTE, "--json").json
    assert once == {"recallId": recall_id, "memoryId": first, "kind": "cited", "isNew": True}
    assert not cli("cite", first, "--session", "s1", "--json").json["isNew"]
    assert cli("cite", first, "--session", "s1", "--kind", "saved_rework", "--json").json["isNew"]
    assert cli("cite", first, "--session", "s2", "--recall-id", recall_id, "--json").json["isNew"]


def test_only_what_a_recall_of_this_namespace_served_can_be_cited(cli: Cli, served: tuple[str, str, str]) -> None:
    recall_id, first, _ = served
    other = cli("remember", "The crane lifts forty tonnes.", "--json").json["memory"]["id"]
    assert "served" in cli("cite", other, "--recall-id", recall_id, code=3).err
    assert "no recall of session s9 served" in cli("cite", first, "--session", "s9", code=3).err
    assert "no recall rec_0 served" in cli("cite", first, "--recall-id", "rec_0", code=3).err
    assert "no memory" in cli("cite", first, "--recall-id", recall_id, "--namespace", "team/x", code=3).err
    assert "--kind expects" in cli("cite", first, "--kind", "liked", code=2).err


def test_what_was_worked_with_is_used_and_what_was_dismissed_is_not(
    cli: Cli, served: tuple[str, str, str], tmp_path: Path
) -> None:
    _, first, second = served
    cli("cite", first, "--session", "s1", "--kind", "used")
    cli("cite", second, "--session", "s1", "--kind", "dismissed")
    app = open_app(load(home=tmp_path / "home"))
    assert [each.memory_id for each in app.uses.uses("local/default")] == [first]
    app.close()


def test_a_recall_that_was_cited_stays_in_full(cli: Cli, served: tuple[str, str, str], tmp_path: Path) -> None:
    recall_id, first, _ = served
    later = cli("recall", "On which port?", "--json").json["recallId"]
    cli("cite", first, "--session", "s1")
    app = open_app(load(home=tmp_path / "home"))
    assert app.history.prune(1 << 60, 0) == 1
    app.close()
    assert cli("replay", recall_id)
    assert "pruned" in cli("replay", later, code=3).err


def test_a_session_ends_with_what_became_of_what_it_was_served(cli: Cli, served: tuple[str, str, str]) -> None:
    recall_id, first, second = served
    cli("cite", first, "--session", "s1", "--kind", "saved_rework", "--notes", NOTE)
    found = cli("wrap", "--session", "s1", "--json").json
    assert (found["recalls"], found["served"], found["counts"]) == (1, 2, {"saved_rework": 1})
    (cited,) = found["citations"]
    assert (cited["memoryId"], cited["kind"], cited["recallId"]) == (first, "saved_rework", recall_id)
    assert (cited["notes"], cited["source"], cited["occasion"]) == (NOTE, "explicit", "s1")
    assert found["uncited"] == [second]
    told = cli("checkpoint", "--session", "s1").out
    assert "1 recall served 2 memories: 1 saved_rework" in told
    assert f"saved_rework: {first}" in told
    assert NOTE in told
    assert f"not cited: {second}" in told


@pytest.mark.requirement("CITE-2")
def test_what_is_opened_copied_or_reworded_after_its_recall_is_cited_by_itself(
    cli: Cli, served: tuple[str, str, str], tmp_path: Path
) -> None:
    recall_id, first, second = served
    opened = cli("open", recall_id).out.strip()
    assert Path(opened).is_relative_to(tmp_path / "home" / "vault")
    assert first in Path(opened).read_text("utf-8")
    words = cli("copy", "last", "2").out
    assert words == f"{cli('show', second, '--json').json['memory']['content']}\n"
    assert "there is no place 3" in cli("open", "last", "3", code=3).err
    cli("update", second, "That relay listens on port 9050.", "--session", "s1")
    cli("show", first, "--session", "s1")
    found = cli("wrap", "--session", "s1", "--json").json
    assert (found["counts"], found["automatic"]) == ({}, {"used": 2, "rewrote": 1})
    seen = [(each["memoryId"], each["kind"], each["evidence"]) for each in found["citations"]]
    assert seen == [(first, "used", "opened"), (second, "used", "copied"), (second, "rewrote", "rewrote")]
    told = cli("checkpoint", "--session", "s1").out
    assert "1 recall served 2 memories: 2 used, 1 rewrote as was seen" in told
    assert f"used: {first} (seen: opened)" in told
    assert "citation: used in session s1 on " in cli("show", first).out
    assert "rewrote in session s1 on " in cli("history", second).out


def test_what_no_recall_of_the_occasion_served_is_only_used(cli: Cli, served: tuple[str, str, str]) -> None:
    _, first, second = served
    cli("show", first)
    cli("update", second, "That relay listens on port 9050.", "--session", "s2")
    for session in ("s1", "s2"):
        assert cli("wrap", "--session", session, "--json").json["citations"] == []


def test_a_recall_as_a_whole_is_said_to_be_good_or_bad_with_a_comment(cli: Cli, served: tuple[str, str, str]) -> None:
    recall_id, *_ = served
    assert cli("feedback", "last", "good", "--comment", NOTE, "--json").json == {
        "recallId": recall_id,
        "verdict": "good",
        "isNew": True,
    }
    assert "(that was said before)" in cli("feedback", recall_id, "good").out
    assert "--verdict expects" in cli("feedback", "last", "fine", code=2).err
    told = cli("wrap", "--session", "s1").out
    assert f"good: {recall_id} (said)\n    {NOTE}" in told
    assert "no recall" in cli("feedback", "rec_0", "bad", code=3).err


def test_a_checkpoint_keeps_what_waits_of_the_session_and_only_of_it(cli: Cli, tmp_path: Path) -> None:
    turns = tmp_path / "turns.jsonl"
    turns.write_text(
        '{"role": "user", "content": "By the way, the archive moves to Basel.", "session": "s1"}\n'
        '{"role": "user", "content": "By the way, the office moves to Bern.", "session": "s2"}\n'
    )
    cli("observe", str(turns))
    found = cli("checkpoint", "--session", "s1", "--json").json
    assert [each["sessionId"] for each in found["flushes"]] == ["s1"]
    assert "waiting in local/default: s2" in cli("observe", "--status").out


@pytest.mark.requirement("CITE-1")
def test_the_words_of_a_note_are_forgotten_with_what_they_tell_of(
    cli: Cli, served: tuple[str, str, str], tmp_path: Path
) -> None:
    kept = cli("remember", "The zeppelin hangar stands in Friedrichshafen.", "--json").json["memory"]["id"]
    _, first, _ = served
    cli("cite", first, "--session", "s1", "--notes", NOTE)
    assert NOTE.encode() in _bytes(tmp_path / "home")
    cli("forget", kept, "--yes")
    assert b"zeppelin" not in _bytes(tmp_path / "home").lower()
    assert "citations" in cli("checkpoint", "--session", "s1", "--json").out


def test_words_that_are_no_secret_stay_in_a_note_and_secrets_do_not(cli: Cli, served: tuple[str, str, str]) -> None:
    _, first, _ = served
    cli("cite", first, "--session", "s1", "--notes", "the token ghp_" + "a1B2" * 9 + " was no use")
    told = cli("checkpoint", "--session", "s1").out
    assert "was no use" in told
    assert "a1B2" not in told


def _bytes(home: Path) -> bytes:
    return b"".join(path.read_bytes() for path in home.glob("history.db*"))


def test_a_memory_says_which_recalls_served_it_and_what_came_of_each(cli: Cli, served: tuple[str, str, str]) -> None:
    recall_id, first, second = served
    later = cli("recall", "Which port has rack 7?", "--json").json["recallId"]
    cli("cite", first, "--recall-id", recall_id, "--session", "s1", "--kind", "used", "--notes", NOTE)
    told = cli("recalls", first, "--json").json
    assert [each["recall"]["recallId"] for each in told["recalls"]] == [later, recall_id]
    assert (told["total"], told["cameOfIt"]) == (2, {"used": 1})
    newest, oldest = told["recalls"]
    assert newest["citations"] == []
    assert oldest["recall"]["query"] == "On which port does the relay listen?"
    assert [(each["kind"], each["notes"]) for each in oldest["citations"]] == [("used", NOTE)]
    places = [each["memory"]["id"] for each in cli("recall", "Which port has rack 7?", "--json").json["memories"]]
    assert cli("recalls", second, "--limit", "1", "--json").json["recalls"][0]["place"] == places.index(second) + 1
    page = cli("recalls", first, "--limit", "1", "--json").json
    behind = cli("recalls", first, "--limit", "1", "--after", page["next"], "--json").json
    assert behind["recalls"][0]["recall"]["recallId"] != page["recalls"][0]["recall"]["recallId"]
    never = cli("remember", "The crane lifts forty tonnes.", "--json").json["memory"]["id"]
    assert "in 0 recalls: nothing was cited of it" in cli("recalls", never).out
    assert "no memory" in cli("recalls", first, "--namespace", "team/x", code=3).err
