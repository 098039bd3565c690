"""Hostile and half-known arguments in; output that commands no terminal, errors a script can read, updates out."""

import json
import os
from pathlib import Path

import pytest

from kits.cli import Cli, Said
from kits.vault import Opener, edit, keep
from pellucid.app import App

CRANE = "the harbour crane lifts forty tonnes"
HOSTILE = "\x1b]0;owned\x07\x1b[2J\u202e\x9b31m"
"""Sets a title, clears the screen, turns the writing round, and colours it."""


def unseen(said: Said) -> set[str]:
    """The characters of an answer that a terminal would obey, or that nobody would see."""
    return {char for char in said.out + said.err if not char.isprintable() and char != "\n"}


def refused(said: Said) -> dict[str, str]:
    """The error a script reads."""
    assert said.out == ""
    return json.loads(said.err.splitlines()[-1])


@pytest.mark.parametrize("as_json", [(), ("--json",)])
def test_nothing_remembered_reaches_the_terminal_as_a_command(cli: Cli, as_json: tuple[str, ...]) -> None:
    flags = ("--tag", HOSTILE, "--entity", HOSTILE, "--session", HOSTILE, "--agent", HOSTILE)
    said = [cli("remember", f"{CRANE} {HOSTILE}", *flags, *as_json)]
    kept = cli("list", "--json").json["memories"][0]["memory"]
    assert kept["content"] == f"{CRANE} {HOSTILE}", "the document is equal when parsed"
    said += [
        cli(*words, *as_json)
        for words in (["list"], ["show", kept["id"]], ["recall", "crane"], ["xray", "crane"], ["doctor"], ["init"])
    ]
    said.append(cli("show", HOSTILE, *as_json, code=3))
    said.append(cli("recall", "crane", "--without", HOSTILE, *as_json, code=2))
    said.append(cli("import", f"no{HOSTILE}/such", *as_json, code=2))
    assert [unseen(each) for each in said] == [set()] * len(said)


def test_the_name_of_a_transcript_reaches_nobody_as_a_command_nor_as_a_line(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "a\x1b[31m\nwrote 9 memories.jsonl"
    path.write_text('{"role": "user", "content": "We decided to sell the tug."}\nnot json\n', "utf-8")
    said = cli("import", str(path))
    assert unseen(said) == set()
    assert r"a\x1b[31m\nwrote 9 memories.jsonl:2" in said.out
    assert not any(line.startswith("wrote 9") for line in said.out.splitlines())


def test_show_keeps_the_lines_of_a_memory_and_no_field_can_add_one(cli: Cli) -> None:
    steps = "To ship:\n1. tag it\n\tgit tag\n2. push it"
    memory_id = cli("remember", steps, "--session", "s\npinned: true", "--json").json["memory"]["id"]
    said = cli("show", memory_id).out
    assert said.endswith("\n\nTo ship:\n1. tag it\n    git tag\n2. push it\n")
    assert r"sessionId: s\npinned: true" in said
    assert "pinned: False" in said


@pytest.mark.requirement("CLI-2")
@pytest.mark.parametrize("flag", ["--tag", "--entity", "--session", "--agent", "--scope"])
def test_bytes_that_are_no_text_are_replaced_wherever_they_come_in(cli: Cli, flag: str) -> None:
    cli("remember", "caf\udcff cr\udce8me", flag, "s\udcff")
    kept = json.dumps(cli("list", "--json").json, ensure_ascii=False)
    assert "caf\ufffd cr\ufffdme" in kept
    assert "s\ufffd" in kept


@pytest.mark.requirement("CLI-2")
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["recall", "--session", "s\udcff", "hi\udcff"], 0),
        (["recall", "hi", "--agent", "\udcff"], 0),
        (["xray", "hi\udcff", "--scope", "\udcff"], 0),
        (["list", "--contains", "\udcff"], 0),
        (["list", "--tag", "\udcff"], 0),
        (["show", "\udcff"], 3),
        (["audit", "\udcff"], 3),
        (["xray", "--id", "\udcff"], 3),
        (["recall", "hi", "--namespace", "\udcff"], 2),
        (["import", "no\udcff"], 2),
        (["init", "--home", "no\udcff"], 2),
        (["list", "--category", "\udcff"], 2),
    ],
)
def test_bytes_that_are_no_text_are_no_crash(cli: Cli, arguments: list[str], code: int) -> None:
    said = cli(*arguments, code=code)
    assert "Traceback" not in said.err
    assert not [path for path in Path().iterdir() if path.name.startswith("no")], "no folder of another name"


def test_a_file_whose_name_is_no_text_can_be_imported(cli: Cli, tmp_path: Path) -> None:
    path = os.fsdecode(os.fsencode(tmp_path) + b"/talk-\xff.jsonl")
    Path(path).write_text('{"role": "user", "content": "We decided to sell the tug boat."}\n', "utf-8")
    assert cli("import", path, "--mode", "verbatim", "--json").json["turnsTaken"] == 1
    assert cli("list", "--json").json["memories"][0]["memory"]["sessionId"].startswith("talk--")


@pytest.mark.requirement("CLI-2")
def test_a_word_that_names_such_a_file_is_an_error_that_says_so(cli: Cli) -> None:
    with open(b"\xff", "w"):
        pass
    assert cli("remember", "\udcff", code=2).err.startswith("pellucid: a name or a text is not UTF-8")
    assert refused(cli("remember", "\udcff", "--json", code=2))["code"] == "invalid_text"


def test_what_changed_outside_is_said_in_numbers_that_name_nobodys_memories(cli: Cli, home: Path) -> None:
    paths = [cli("remember", text, "--namespace", "other/place", "--json").json["path"] for text in (CRANE, "ferry")]
    edit(home, paths[0], "forty", "fifty")
    (home / "vault" / paths[1]).unlink()
    (home / "vault" / "facts" / "quay-note.md").write_text("---\nconfidence: nine\n---\nquay", "utf-8")
    said = cli("list").err
    assert said.splitlines() == [
        "pellucid: 3 files changed outside Pellucid and taken over",
        "pellucid: 1 file could not be read and left out; `pellucid doctor` names them",
    ]
    assert cli("list").err == ""


@pytest.mark.requirement("CLI-2")
@pytest.mark.parametrize(
    ("arguments", "code", "exit_code"),
    [
        (["recall", "  "], "missing_query", 2),
        (["recall", "x", "--budget", "no"], "invalid_budget", 2),
        (["list", "--namespace", "nowhere"], "invalid_namespace", 2),
        (["show", "mem_0"], "not_found", 3),
        (["remember", "x", "--category", "moment"], "invalid_request", 2),
        (["replay", "rec_0"], "not_found", 3),
        (["models", "burn"], "invalid_action", 2),
    ],
)
def test_with_json_an_error_is_one_json_line_on_standard_error(
    cli: Cli, arguments: list[str], code: str, exit_code: int
) -> None:
    said = cli(*arguments, "--json", code=exit_code)
    error = refused(said)
    assert (error["error"], error["code"]) == (code, code)
    assert error.keys() == {"error", "code", "message", "nextStep"}
    plain = cli(*arguments, code=exit_code).err
    assert plain.startswith(f"pellucid: {error['message']}")
    assert error["nextStep"] in plain


def test_the_word_json_after_the_flags_is_a_word(cli: Cli) -> None:
    assert cli("show", "--", "--json", code=3).err.startswith("pellucid: no memory --json")


def test_a_pin_and_tags_for_what_is_known_already_are_kept(cli: Cli, home: Path) -> None:
    first = cli("remember", CRANE, "--tag", "port", "--json").json
    assert (first["created"], first["updated"]) == (True, False)
    file = home / "vault" / first["path"]
    file.write_text(file.read_text("utf-8").replace("pinned: false", "pinned: false # for now\nmine: stays"), "utf-8")
    again = cli("remember", CRANE.upper(), "--tag", "heavy", "--tag", "port", "--pin", "--json").json
    assert (again["created"], again["updated"]) == (False, True)
    assert again["memory"]["id"] == first["memory"]["id"]
    assert again["memory"]["tags"] == ["port", "heavy"]
    assert again["memory"]["pinned"] is True
    assert again["memory"]["updated"] > first["memory"]["updated"]
    assert "mine: stays" in file.read_text("utf-8")
    assert file.read_text("utf-8").endswith(f"\n{CRANE}\n")
    shown = cli("show", first["memory"]["id"], "--json").json
    assert (shown["memory"], shown["opId"]) == (again["memory"], again["opId"])
    assert cli("doctor", "--json").json["healthy"] is True


def test_nothing_new_about_what_is_known_already_changes_nothing(cli: Cli, home: Path) -> None:
    first = cli("remember", CRANE, "--tag", "port", "--pin", "--json").json
    before = (home / "vault" / first["path"]).read_bytes()
    again = cli("remember", CRANE, "--tag", "port", "--pin", "--json").json
    assert (again["created"], again["updated"], again["opId"]) == (False, False, first["opId"])
    assert cli("remember", CRANE).out.startswith("known already: mem_")
    assert (home / "vault" / first["path"]).read_bytes() == before
    assert cli("remember", CRANE, "--tag", "new").out.startswith("known already, and updated: mem_")


def test_a_tag_that_an_editor_added_meanwhile_is_not_lost(app: App, tmp_path: Path) -> None:
    path = keep(app, CRANE, tags=("port",)).path
    edit(tmp_path, path, '["port"]', '["port", "by hand"]')
    again = keep(app, CRANE, tags=("heavy",))
    assert again.updated
    assert again.memory.tags == ("port", "by hand", "heavy")


def test_what_was_deleted_meanwhile_is_remembered_anew(app: App, tmp_path: Path) -> None:
    (tmp_path / "vault" / keep(app, CRANE).path).unlink()
    again = keep(app, CRANE, pinned=True)
    assert (again.created, again.updated) == (True, False)
    assert (tmp_path / "vault" / again.path).is_file()


@pytest.mark.requirement("CAP-2")
def test_every_secret_of_what_is_remembered_is_counted(house: Opener) -> None:
    secret = "gh" + "p_" + "a1B2" * 9
    given = {"tags": (secret, "port"), "entity_ref": secret, "session_id": secret, "agent": secret, "scopes": (secret,)}
    kept = keep(house(), f"the token {secret} is the crane's", **given)
    assert kept.redactions == {"github-token": 6}
    assert kept.memory.tags == ("[redacted:github-token]", "port")
    assert secret not in kept.model_dump_json()
    assert keep(house(), f"the token {secret} is the crane's", entity_ref=secret).redactions == {"github-token": 2}


def test_recall_and_xray_ask_the_same_of_the_same_flags(cli: Cli) -> None:
    for text in (CRANE, "the ferry leaves at nine", "the crane rests at night"):
        cli("remember", text)
    flags = ("--top-k", "2", "--without", "vector", "--budget", "900", "--session", "s", "--scope", "private")
    answered = [each["memory"]["id"] for each in cli("recall", "crane", *flags, "--json").json["memories"]]
    snapshot = cli("xray", "crane", *flags, "--json").json["snapshot"]
    assert [each["memoryId"] for each in snapshot["results"]] == answered
    assert len(answered) == 2
