"""What a newcomer types at first, and mistypes: answers say what is so, and the commands in them work as printed."""

import json
import re
import shlex
from pathlib import Path

import pytest

from kits.cli import Cli

DECIDED = "We decided to deploy the shop every Tuesday, after the nightly build is green."
_COMMAND = re.compile(r"pellucid ((?:xray|undo) .+)")


def _session(folder: Path, said: str = DECIDED) -> Path:
    folder.mkdir(exist_ok=True)
    turn = {"role": "user", "content": said, "session": "s1", "cwd": str(folder)}
    (folder / "s1.jsonl").write_text(json.dumps(turn) + "\n")
    return folder


def _again(cli: Cli, told: str) -> str:
    """What the command that an answer ends with says."""
    (found,) = _COMMAND.findall(told)
    return cli(*shlex.split(found)).out


def test_printed_commands_carry_the_home_and_the_namespace_that_were_typed(cli: Cli, tmp_path: Path) -> None:
    home = tmp_path / "another home"
    here = ("--home", str(home), "--namespace", "local/shop")
    typed = f"--home {shlex.quote(str(home))} --namespace local/shop"
    told = cli("import", str(_session(tmp_path / "sessions")), *here).out
    found = cli("recall", "when do we deploy?", *here).out
    assert found.splitlines()[-1].endswith(typed)
    assert "Tuesday" in _again(cli, found)
    assert "undone: import of" in _again(cli, told)
    assert f"`pellucid list {typed}` shows ids" in cli("show", "mem_1", *here, code=3).err


def test_where_nothing_was_typed_commands_stay_short(cli: Cli, tmp_path: Path) -> None:
    cli("import", str(_session(tmp_path / "sessions")), "--namespace", "local/default")
    last = cli("recall", "when do we deploy?").out.splitlines()[-1]
    assert re.fullmatch(r"why: pellucid xray --id rec_[0-9a-f]{32}", last)


def test_the_way_back_of_an_import_names_the_project_it_went_to(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "shop" / ".git").mkdir(parents=True)
    told = cli("import", str(_session(tmp_path / "shop"))).out
    assert re.search(r"^back: pellucid undo op_[0-9a-f]{32} --namespace local/shop$", told, re.MULTILINE)
    assert "undone: import of" in _again(cli, told)


def test_a_folder_without_transcripts_says_so_and_what_to_do(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "work" / "notes.txt").write_text("Always run the migration twice.\n")
    done = cli("import", ".", code=3)
    assert done.out.startswith("nothing was taken in: there is no transcript; found 1 text that is no chat")
    assert "to read a text as notes, name it" in done.out
    assert done.err == "pellucid: no transcript was found\n"
    assert cli("list", "--json").json["total"] == 0
    assert "read as notes, and not as a user's words to an agent: " in cli("import", "notes.txt").out
    kept = cli("list", "--json").json["memories"]
    said = {(each["memory"]["sourceClass"], each["memory"]["assertedBy"]) for each in kept}
    assert said == {("system_memory", "inferred")}


@pytest.mark.parametrize("command", [("recall", "deploy"), ("list",), ("brief",)])
def test_a_namespace_that_never_was_is_said_to_be_none(cli: Cli, tmp_path: Path, command: tuple[str, ...]) -> None:
    cli("import", str(_session(tmp_path / "sessions")), "--namespace", "local/tidegate")
    told = cli(*command, "--namespace", "local/tidgate").out
    assert "nothing was ever kept in local/tidgate; did you mean local/tidegate?" in told
    assert "no such namespace" not in cli(*command, "--namespace", "local/tidegate").out


def test_nobody_is_sure_of_an_answer_of_which_nothing_is_shown(cli: Cli, tmp_path: Path) -> None:
    cli("import", str(_session(tmp_path / "sessions")), "--namespace", "local/default")
    told = cli("recall", "when do we deploy the shop?", "--budget", "10").out
    assert "Nothing fits the budget" in told
    assert "sure" not in told
    assert "sure" not in cli("xray", "--id", "last").out


def test_a_setting_that_is_none_names_those_there_are(cli: Cli) -> None:
    assert "known: topKFacts, pool, " in cli("recall", "x", "--set", "foo=1", code=2).err
    assert "did you mean legWeights.lexical?" in cli("recall", "x", "--set", "legWeights.lexicl=1", code=2).err
    assert "known: legWeights.vector, " in cli("recall", "x", "--set", "legWeights.foo=1", code=2).err


def test_what_does_not_answer_is_marked_in_a_list(cli: Cli) -> None:
    kept = cli("remember", "The staging database is read only on Fridays", "--json").json["memory"]["id"]
    assert "[in quarantine]" not in cli("list").out
    cli("trust", "quarantine", kept)
    assert "[in quarantine] The staging database" in cli("list").out
