"""Earlier recalls on the command line: explained, listed, exported, kept."""

import json
import re
import stat
from pathlib import Path

import pytest

from kits.cli import Cli
from pellucid.model.snapshot import RecallXraySnapshot
from pellucid.store.local.history.history import LocalHistory

CRANE = "the harbour crane lifts forty tonnes"
NOBODY = "rec_" + "0" * 32


def asked(cli: Cli, query: str, *flags: str) -> str:
    return cli("recall", query, "--json", *flags).json["recallId"]


@pytest.fixture
def port(cli: Cli) -> Cli:
    """The command line over a home with one memory."""
    cli("remember", CRANE)
    return cli


@pytest.mark.requirement("XRAY-1")
@pytest.mark.parametrize("form", ["text", "markdown", "json", "html"])
def test_explain_is_the_xray_of_the_last_recall_of_a_session(port: Cli, form: str) -> None:
    first, second = asked(port, "crane?", "--session", "s1"), asked(port, "what lifts?")
    of_session = port("explain", "--session", "s1", "--format", form).out
    assert of_session == port("xray", "--id", first, "--format", form).out
    assert port("explain", "--format", form.upper()).out == port("xray", second, "--format", form).out
    assert port("explain", "--json").json["snapshot"]["snapshotId"] == second


def test_an_explanation_is_written_to_a_page_of_the_owners_alone(port: Cli, tmp_path: Path) -> None:
    asked(port, "crane?")
    target = tmp_path / "why.html"
    said = port("explain", "--format", "html", "--out", str(target))
    assert said.out == ""
    assert str(target) in said.err
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    page = target.read_text("utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert page.endswith("</html>")


def test_nothing_to_explain_is_exit_code_3_with_a_next_step(port: Cli) -> None:
    assert "`pellucid recall` asks" in port("explain", code=3).err
    asked(port, "crane?", "--session", "s1")
    assert "session s2" in port("explain", "--session", "s2", code=3).err
    assert "nothing was recalled" in port("explain", "--namespace", "other/place", code=3).err


@pytest.mark.requirement("CLI-1")
def test_recalls_are_listed_as_text_and_as_json(port: Cli) -> None:
    first = asked(port, "crane?\x1b[2J", "--session", "s1")
    second = asked(port, "what lifts? " + "x" * 200)
    headings, *lines = port("snapshots", "list").out.splitlines()
    assert headings.split() == ["AT", "RECALL", "SERVED", "KEPT", "CAME", "TO", "QUESTION"]
    assert len(lines) == 3
    assert second in lines[0]
    assert lines[0].endswith("x…")
    assert "[s1]" in lines[1]
    assert "\x1b" not in lines[1]
    assert lines[2] == "2 recalls"
    shown = port("snapshots", "list", "--session", "s1", "--since", "1h", "--json").json
    assert [(each["recallId"], each["served"], each["inFull"]) for each in shown["recalls"]] == [(first, 1, True)]
    assert port("snapshots", "list", "--limit", "1").out.endswith("1 recall, and older ones\n")
    assert port("snapshots", "list", "--since", "0m").out == "0 recalls\n"
    assert port("snapshots", "list", "--namespace", "other/place").out == "0 recalls\n"


def test_an_export_is_json_lines_on_the_terminal_and_the_same_in_a_file(port: Cli, tmp_path: Path) -> None:
    ids = [asked(port, query) for query in ("crane?", "größe\u202e")]
    printed = port("snapshots", "export", "--since", "7d").out
    read = [RecallXraySnapshot.model_validate(json.loads(line)["snapshot"]) for line in printed.splitlines()]
    assert [each.snapshot_id for each in read] == ids[::-1]
    target = tmp_path / "recalls.jsonl"
    said = port("snapshots", "export", "--out", str(target))
    assert (said.out, str(target) in said.err) == ("", True)
    assert target.read_text("utf-8") == printed
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert port("snapshots", "export", "--namespace", "other/place").out == ""


@pytest.mark.parametrize(
    "words",
    [
        ["explain"],
        ["xray", "last"],
        ["snapshots", "export"],
        ["ledger", "export", "--kind", "verdict"],
        ["ledger", "export", "--kind", "lifecycle"],
    ],
    ids=" ".join,
)
def test_a_dash_is_standard_output_and_the_home_is_refused(port: Cli, tmp_path: Path, words: list[str]) -> None:
    asked(port, "crane?")
    assert port(*words, "--out", "-").out == port(*words).out
    assert not Path("-").exists()
    journal = (tmp_path / "home" / "journal.db").read_bytes()
    said = port(*words, "--out", str(tmp_path / "home" / "journal.db"), code=2)
    assert "lies in Pellucid's home" in said.err
    assert (tmp_path / "home" / "journal.db").read_bytes() == journal


def test_a_pinned_recall_outlives_retention_and_an_export_says_what_it_left_out(port: Cli, tmp_path: Path) -> None:
    first, second = asked(port, "crane?"), asked(port, "what lifts?")
    assert port("snapshots", "pin", first).out == f"pinned: {first} stays in full\n  crane?\n"
    history = LocalHistory(tmp_path / "home" / "history.db")
    history.prune(2**53, 100)
    history.close()
    rows = [re.split(" {2,}", line) for line in port("snapshots", "list").out.splitlines()[1:3]]
    assert [kept for _, _, _, kept, *_ in rows] == ["results", "pinned"]
    exported = port("snapshots", "export")
    assert json.loads(exported.out)["snapshot"]["snapshotId"] == first
    assert "left out 1 recall of which" in exported.err
    assert "only its results are kept" in port("explain", code=3).err
    assert "only its results were left" in port("snapshots", "pin", second).out
    assert port("snapshots", "pin", first, "--off", "--json").json["pinned"] is False
    assert "let go" in port("snapshots", "pin", first, "--off").out


def test_a_recall_id_among_other_words_is_a_question(port: Cli) -> None:
    asked_about = port("xray", "what", "is", NOBODY, "--json").json["snapshot"]
    assert asked_about["query"] == f"what is {NOBODY}"


def test_an_explanation_tells_a_result_to_its_end_and_what_was_left_out_in_a_line(cli: Cli) -> None:
    events = "On staging two thousand events with slowed-down labels gave no duplicate, three claims were released"
    cli("remember", f"{events} after errors of the mail server and sent on retry: the double mails are fixed")
    cli("remember", f"{events} after errors of the queue and nobody has looked into them: the queue is unwatched")
    out = cli("xray", "are the double mails fixed on staging?", "--top-k", "1").out
    assert "sent on retry: the double mails are fixed\n" in out
    assert "unwatched" not in out
