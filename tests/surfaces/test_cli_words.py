"""What the commands print in; whether a person can read it out: groups, summaries, headings, words beside ids."""

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator

import pytest
import typer.main

from kits.cli import Cli
from pellucid.capture.own_output import without_own_output
from pellucid.capture.report import CaptureReport
from pellucid.surfaces.cli import app
from pellucid.surfaces.cli.root import headings

ROOT = typer.main.get_command(app)
OLD, NEW, OTHER = "The relay uses port 8080", "The relay uses port 9090", "The ferry leaves at nine from the north pier"
LONG = "The harbour crane lifts forty tonnes of containers " * 6
SUMMARY_AT_MOST = 60


def commands(group: object = ROOT, name: str = "pellucid") -> Iterator[tuple[str, str]]:
    """Every command below a group with its summary."""
    for word, command in getattr(group, "commands", {}).items():
        yield f"{name} {word}", command.get_short_help_str(1000)
        yield from commands(command, f"{name} {word}")


ALL = list(commands())


@pytest.fixture
def relay(cli: Cli) -> dict[str, str]:
    """The ids of a replaced value, of the one that replaced it, and of another memory."""
    ids = {words: cli("remember", words, "--json").json["memory"]["id"] for words in (OLD, NEW, OTHER)}
    assert ids[OLD] != ids[NEW]
    return ids


def recalled(cli: Cli, *asked: str) -> str:
    """The id of a recall."""
    return cli("recall", *asked, "--json").json["recallId"]


@pytest.mark.requirement("CLI-1")
@pytest.mark.parametrize(("name", "summary"), ALL, ids=[name for name, _ in ALL])
def test_every_command_says_what_it_does_in_sixty_characters(name: str, summary: str) -> None:
    assert 10 <= len(summary) <= SUMMARY_AT_MOST, name
    assert not summary.endswith(("...", "…"))


def test_help_shows_every_command_once_under_a_heading_and_cuts_no_summary(cli: Cli) -> None:
    shown = cli("--help").out
    named = [name for names in headings().values() for name in names]
    assert sorted(named) == sorted(getattr(ROOT, "commands", {}))
    assert "Other:" not in shown
    assert [line[:-1] for line in shown.splitlines() if line[:-1] in headings()] == list(headings())
    assert "..." not in shown.split("\n\n", 1)[1]
    for name, summary in ALL:
        if name.count(" ") == 1:
            assert shown.count(f"  {name.split()[1]} ") == 1
            assert summary in shown


def test_a_list_has_headings_over_its_columns_and_a_line_a_memory(cli: Cli) -> None:
    cli("remember", LONG)
    cli("remember", "We deploy\non Fridays", "--category", "decision")
    headings, *rows, count = cli("list").out.splitlines()
    assert headings == "ID          DATE        CATEGORY  IMPORTANCE  MEMORY"
    at = headings.index("MEMORY")
    assert [row[at:] for row in rows] == ["We deploy on Fridays", LONG[:99].rstrip() + "…"]
    assert {len(row.split("  ")[0]) for row in rows} == {10}
    assert count == "2 of 2 memories"
    assert cli("list", "--category", "rule").out == "0 of 0 memories\n", "nothing is headed by nothing"


def test_on_a_terminal_a_row_is_as_wide_as_the_terminal(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    cli("remember", LONG)
    cli("remember", "大" * 60)
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 72, 0, 0))
    program = [sys.executable, "-c", "from pellucid.surfaces.cli import main; main()", "list"]
    variables = {**os.environ}  # noqa: TID251 - a library may have told C of a COLUMNS that Python does not know
    subprocess.run(program, stdout=theirs, check=True, env=variables)
    os.close(theirs)
    shown = os.read(ours, 10_000).decode().splitlines()
    os.close(ours)
    assert [len(line) for line in shown if "harbour" in line] == [72]
    wide = next(line for line in shown if "大" in line)
    assert 70 <= len(wide) + wide.count("大") <= 72
    assert wide.endswith("…")


def test_where_an_id_stands_its_words_stand_beside_it(cli: Cli, relay: dict[str, str]) -> None:
    first = recalled(cli, "which port does the relay use?")
    second = recalled(cli, "relay port", "--top-k", "1")
    entry = cli("xray", "--id", first, "--json").json["snapshot"]["results"][0]["auditEntryId"]
    cli("update", relay[OTHER], "The ferry leaves at ten")
    told = [
        cli(*words.split()).out
        for words in (
            f"replay {first}",
            f"diff {first} {second}",
            f"ablate {first}",
            f"audit {entry}",
            f"show {relay[NEW]}",
            f"history {relay[OTHER]}",
            f"pin {relay[NEW]}",
            f"archive {relay[NEW]}",
            f"undo {relay[NEW]}",
            f"reverify {relay[NEW]}",
            f"forget {relay[OTHER]}",
            f"trust explain {relay[NEW]}",
        )
    ]
    rejected = cli("xray", "--id", first).out.partition("--- rejected ---")[2]
    for said in (*told, rejected):
        for words, memory_id in relay.items():
            assert memory_id[-10:] not in said or words[:24] in said, said


def test_json_and_a_context_get_no_words_beside_their_ids(cli: Cli, relay: dict[str, str]) -> None:
    first = recalled(cli, "which port does the relay use?")
    assert OLD not in str(cli("replay", first, "--json").json)
    assert "“" not in cli("recall", "which port does the relay use?").out


def test_what_is_in_quarantine_or_of_a_scope_is_not_told_beside_its_id(cli: Cli, relay: dict[str, str]) -> None:
    scoped = cli("remember", "The relay's spare port is 7070", "--scope", "ops", "--json").json["memory"]["id"]
    cli("trust", "quarantine", relay[NEW])
    first = recalled(cli, "which spare port does the relay use?", "--scope", "ops")
    rejected = cli("xray", "--id", first).out.partition("--- rejected ---")[2]
    assert (
        f"- 1 in quarantine, whose words are not told here; trust list shows them, to be let in: {relay[NEW]}"
        in rejected
    )
    assert NEW not in rejected
    assert scoped[-10:] in cli("replay", first).out


def test_what_stands_beside_an_id_is_not_taken_in_again_from_a_tools_output(cli: Cli, relay: dict[str, str]) -> None:
    first = recalled(cli, "which port does the relay use?")
    second = recalled(cli, "relay port", "--top-k", "1")
    for words in (
        "list",
        "tier list",
        "snapshots list",
        f"replay {first}",
        f"diff {first} {second}",
        f"ablate {first}",
        f"pin {relay[NEW]}",
        f"undo {relay[NEW]}",
        f"xray --id {first}",
        f"forget {relay[OTHER]}",
    ):
        left = without_own_output(cli(*words.split()).out, CaptureReport())
        assert "relay" not in left, words
        assert "ferry" not in left, words
