"""What nobody should type in, a message that says what, why and what next out: no traceback, and nothing lost."""

import fcntl
import io
import os
from pathlib import Path

import pytest

from kits.cli import Cli, Said
from pellucid.surfaces.command_line import Command, commands

CRANE = "The harbour crane lifts forty tonnes."
LONG = "a" * 300
"""Longer than any file's name may be."""
NOBODY = "~nobody-here/x"
"""Below the folder of a user who does not exist."""
ALL = [pytest.param(each, id=words) for words, each in commands().items()]


@pytest.fixture(autouse=True)
def _nothing_piped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Standard input is empty, for the commands that read it."""
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO()))


def _told(said: Said) -> str:
    """What was said of a mistake, which ends with what to do next."""
    assert said.code
    assert "Traceback" not in said.err
    assert said.err.endswith(")\n") or " -h' for help." in said.err, said.err
    return said.err


def _required(command: Command) -> list[str]:
    """Words for all that a command must be given."""
    flags = [(each.flag, "x") for each in command.parameters if each.flag and each.required]
    arguments = [each for each in command.parameters if each.required and not each.flag]
    return [word for pair in flags for word in pair] + ["x"] * len(arguments)


@pytest.mark.requirement("CLI-2")
@pytest.mark.parametrize("command", ALL)
def test_no_command_takes_what_can_be_no_home(cli: Cli, command: Command) -> None:
    for home in ("", NOBODY, __file__):
        _told(cli(*command.words.split(), "--home", home, *_required(command), code=None))
    assert not list(Path.cwd().iterdir()), "an empty home is not the working folder"


@pytest.mark.requirement("CLI-2")
@pytest.mark.parametrize("command", ALL)
def test_every_command_says_what_it_misses_and_what_it_does_not_know(cli: Cli, command: Command) -> None:
    words = command.words.split()
    assert "--no-such-flag" in _told(cli(*words, *_required(command), "--no-such-flag", code=2))
    if _required(command):
        _told(cli(*words, code=2))


@pytest.mark.requirement("CLI-2")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["import", ""], "<paths> is empty"),
        (["import", "one.jsonl", ""], "<paths> is empty"),
        (["adopt", ""], "<paths> is empty"),
        (["index", "docs", ""], "<paths> is empty"),
        (["index", "docs", "--history-file", ""], "--history-file is empty"),
        (["index", "remove", ""], "<names> is empty"),
        (["projects", "move", "a/b", ""], "<folder> is empty"),
        (["observe", ""], "<file> is empty"),
        (["lab", "run", "locomo", "--data="], "--data is empty"),
        (["show", ""], "<memory_id> is empty"),
        (["sessions", "show", ""], "<session_id> is empty"),
        (["forget", ""], "<memory_ids> is empty"),
        (["remember", ""], "<content> is empty"),
        (["import", LONG], "cannot be reached: File name too long"),
        (["adopt", LONG], "cannot be reached: File name too long"),
        (["import", NOBODY], f"{NOBODY} cannot be reached"),
        (["adopt", NOBODY], f"{NOBODY} cannot be reached"),
        (["recall", "crane", "--review", NOBODY], f"{NOBODY} cannot be read"),
        (["import", f"{__file__}/below"], "does not exist"),
        (["remember", "  "], "nothing to remember"),
        (["archive", "mem_x", "--reason", "not a code!"], "a reason is a short code"),
        (["token", "create", "--name", "Bad Name", "--grant", "a/b:read"], "--name expects"),
        (["hooks", "install", "--for", "emacs"], "--for expects one of"),
        (["episodes", "list", "..."], "no word in it"),
        (["recall", "\udcff", "--top-k", "99999999999999999999"], "--top-k"),
        (["list", "--limit", "inf"], "--limit"),
        (["graph", "show", "crane", "--hops", "-1"], "--hops"),
        (["open", "rec_x", "0"], "--place expects"),
    ],
)
def test_what_can_be_no_input_is_told_with_what_to_do_next(cli: Cli, arguments: list[str], said: str) -> None:
    cli("remember", CRANE)
    assert said in _told(cli(*arguments, code=None))
    assert cli("list", "--json").json["total"] == 1


@pytest.mark.requirement("CLI-2")
@pytest.mark.parametrize("command", ["hooks event claude-code", "claim --session s-one"])
@pytest.mark.parametrize("typed", [b"{", b"[" * 100_000], ids=["broken", "deep"])
def test_a_standard_input_that_is_no_json_is_told(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, command: str, typed: bytes
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(typed)))
    assert "JSON" in _told(cli(*command.split(), code=2))


@pytest.mark.requirement("CLI-2")
@pytest.mark.skipif(os.geteuid() == 0, reason="root enters every folder")
@pytest.mark.parametrize("command", ["import", "adopt", "index docs"])
def test_a_file_in_a_folder_that_may_not_be_entered_is_told(cli: Cli, tmp_path: Path, command: str) -> None:
    (tmp_path / "locked").mkdir()
    (tmp_path / "locked" / "one.jsonl").write_text("{}")
    (tmp_path / "locked").chmod(0)
    said = cli(*command.split(), str(tmp_path / "locked" / "one.jsonl"), code=2)
    (tmp_path / "locked").chmod(0o700)
    assert "cannot be reached" in said.err + said.out


@pytest.mark.requirement("CLI-2")
def test_removing_nothing_from_the_index_does_not_remove_all(cli: Cli) -> None:
    Path("one.md").write_text("# One\n\nThe crane lifts.\n", "utf-8")
    cli("index", "docs", ".")
    cli("index", "remove", "", code=2)
    assert "one.md" in cli("index", "list").out


@pytest.mark.requirement("CLI-2")
def test_a_dashboard_whose_servers_file_cannot_be_read_says_what_to_do(cli: Cli, home: Path) -> None:
    cli("init")
    (home / "server.json").mkdir()
    with (home / "server.lock").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        said = _told(cli("dashboard", "--no-open", code=5))
    assert "server.json" in said
    assert "Is a directory" in said


@pytest.mark.requirement("CLI-2")
@pytest.mark.parametrize("told", ["[]", "{}", '{"host": 1, "port": "x", "token": null}'])
def test_a_dashboard_whose_servers_file_says_something_else_says_what_to_do(cli: Cli, home: Path, told: str) -> None:
    cli("init")
    (home / "server.json").write_text(told, "utf-8")
    with (home / "server.lock").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert str(home) in _told(cli("dashboard", "--no-open", code=5))


@pytest.mark.requirement("CLI-2")
def test_a_server_whose_file_cannot_be_written_says_so(cli: Cli, home: Path) -> None:
    cli("init")
    (home / "server.json").mkdir()
    assert "server.json: Is a directory" in _told(cli("serve", "--port", "0", code=5))
    assert (home / "server.json").is_dir(), "what is not ours stays"


@pytest.mark.requirement("CLI-2")
def test_a_dashboard_for_a_home_that_cannot_be_made_says_so(cli: Cli) -> None:
    assert "can be started" in _told(cli("dashboard", "--no-open", "--home", "/proc/none", code=5))
