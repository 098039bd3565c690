"""`pellucid adopt` in; a preview that says how to go on, or what was kept, or what is wrong with the flags, out."""

from pathlib import Path

import pytest

from kits.cli import Cli

EXAMPLES = Path(__file__).parents[2] / "examples" / "memories"


@pytest.mark.requirement("CLI-1")
def test_without_yes_it_shows_what_it_would_do_and_how_to_go_on(cli: Cli) -> None:
    out = cli("adopt", str(EXAMPLES)).out
    assert "would adopt" in out
    assert "repeat with --yes to keep them" in out
    assert "said twice" not in out
    assert cli("list", "--json").out.count("mem_") == 0
    assert cli("adopt", str(EXAMPLES), "--preview").out == out


def test_with_yes_it_keeps_them_and_a_repetition_says_that_they_are_known(cli: Cli) -> None:
    out = cli("adopt", str(EXAMPLES / "project"), "--yes", "--samples", "1").out
    assert "adopted 11 memories into local/default" in out
    assert "… and 10 more" in out
    again = cli("adopt", str(EXAMPLES / "project")).out
    assert "left out 11: known already" in again
    assert "there is nothing to keep" in again


@pytest.mark.requirement("CLI-1")
def test_the_answer_is_one_json_document(cli: Cli) -> None:
    said = cli("adopt", str(EXAMPLES), "--json").json
    assert said["written"] is False
    assert said["read"] == said["new"] == sum(said["categories"].values())
    assert said["skipped"]["forgotten"] == 1
    assert len(said["samples"]) == 5


def test_a_named_format_reads_what_would_not_be_recognised(cli: Cli, tmp_path: Path) -> None:
    diary = tmp_path / "diary.md"
    diary.write_text("The harbour crane was painted blue in the spring of 2019.\n")
    out = cli("adopt", str(diary), "--format", "memory-md", "--yes").out
    assert "adopted 1 memory" in out


def test_nothing_in_a_file_reaches_the_terminal_as_a_command(cli: Cli, tmp_path: Path) -> None:
    odd = tmp_path / "CLAUDE.md"
    odd.write_text("- The crane \x1b[31mis red\x1b[0m and \u202eturned\u202c around today\n")
    out = cli("adopt", str(odd)).out
    assert "\x1b" not in out
    assert "\u202e" not in out
