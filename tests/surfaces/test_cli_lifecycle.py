"""`tier` and `lifecycle` command lines in; text, JSON and messages out."""

from datetime import timedelta
from pathlib import Path

import pytest

from kits.cli import Cli
from kits.vault import ELSEWHERE, TickingClock, a_memory, file_memories, keep, open_home
from pellucid.encoders.minilm.encoder import MiniLM

CRANE, FERRY = "the harbour crane lifts forty tonnes", "the ferry leaves at nine"
HOSTILE = "\x1b]0;owned\x07 the tide"
LONG_AGO = timedelta(days=3300)


@pytest.fixture
def old(tmp_path: Path, minilm: MiniLM) -> tuple[str, str]:
    """A home with a weak fact and a decision, kept long ago; their ids."""
    clock = TickingClock()
    app = open_home(tmp_path / "home", minilm, clock=clock)
    then = clock.now() - LONG_AGO
    memories = [
        a_memory(1, CRANE, confidence=0.6, importance_score=0.3, created=then, updated=then),
        a_memory(2, FERRY, category="decision", created=then, updated=then),
    ]
    file_memories(app, memories)
    app.close()
    return memories[0].id, memories[1].id


def test_a_pass_tells_what_moved_and_a_dry_run_writes_nothing(cli: Cli, old: tuple[str, str]) -> None:
    dry = cli("lifecycle", "run", "--dry-run", "--json").json
    assert (dry["dryRun"], dry["demoted"], dry["opIds"]) == (True, 1, [])
    assert "would write 2 folds" in cli("lifecycle", "run", "--dry-run").out
    assert cli("tier", "list", "--json").json["neverFolded"] == 2
    said = cli("lifecycle", "run").out
    assert "folded 2 memories of local/default; wrote 2 folds" in said
    assert f"{old[0][-10:]}  hot → cold" in said
    assert cli("lifecycle", "run", "--json").json["folds"] == 0


def test_tiers_are_listed_by_tier(cli: Cli, old: tuple[str, str]) -> None:
    assert "never folded" in cli("tier", "list").out
    cli("lifecycle", "run")
    headings, *both = cli("tier", "list").out.splitlines()
    assert headings.split() == ["ID", "TIER", "VALUE", "CATEGORY", "MEMORY"]
    assert (both[0][:15], both[1][:15]) == (f"{old[1][-10:]}  hot", f"{old[0][-10:]}  col")
    assert both[-1] == "2 of 2 memories; 1 hot, 1 cold"
    assert "decision (protected)" in both[0]
    cold = cli("tier", "list", "--tier", "cold", "--json").json
    assert [each["memoryId"] for each in cold["memories"]] == [old[0]]
    assert cli("tier", "list", "--namespace", ELSEWHERE).out == "0 of 0 memories; 0 hot, 0 cold\n"


def test_a_tier_is_explained_before_and_after_its_first_fold(cli: Cli, old: tuple[str, str]) -> None:
    new = cli("tier", "explain", old[0]).out
    assert "tier: hot (never folded, so it is hot)" in new
    assert "a pass now (`pellucid lifecycle run`) would make it cold" in new
    cli("lifecycle", "run")
    said = cli("tier", "explain", old[0][-10:]).out
    assert "tier: cold (as of the fold of " in said
    assert "why cold: its value " in said
    assert "would change it: a pin would make it hot" in said
    assert "tier value " in said
    assert "confidence +0.1440" in said
    assert "used 0 times; said again in 0 other sessions; served 0 times, which makes it no hotter" in said
    decision = cli("tier", "explain", old[1], "--json").json
    assert (decision["why"], decision["protected"], decision["tier"]) == ("protected", "decision", "hot")


def test_the_report_tells_what_aged_in_words(cli: Cli, old: tuple[str, str]) -> None:
    cli("lifecycle", "run")
    report = cli("lifecycle", "report").out
    assert "went cold: 1" in report
    assert CRANE in report
    assert "never served or used: 2" in report
    found = cli("lifecycle", "report", "--since", "2020-01-01", "--json").json
    assert found["since"] == "2020-01-01T00:00:00.000Z"
    assert found["wentCold"]["entries"][0]["content"] == CRANE


def test_words_of_a_memory_command_no_terminal(cli: Cli, tmp_path: Path, minilm: MiniLM) -> None:
    app = open_home(tmp_path / "home", minilm)
    memory_id = keep(app, HOSTILE).memory.id
    app.close()
    for words in (("tier", "list"), ("tier", "explain", memory_id), ("lifecycle", "report", "--since", "2020-01-01")):
        assert "\x1b" not in cli(*words).out
