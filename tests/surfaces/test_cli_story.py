"""The four-hour session on the command line: what is kept of it, its story, and the verbs."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
Run = Callable[..., "subprocess.CompletedProcess[str]"]
HERE = ("--namespace", "local/default")
"""Named, for else a session is filed under the project of its folder."""


pytestmark = pytest.mark.slow


@pytest.fixture
def run(tmp_path: Path, model_cache: Path) -> Run:
    (tmp_path / "models").symlink_to(model_cache.parent)
    environment = os.environ | {"PELLUCID_HOME": str(tmp_path), "NO_COLOR": "1"}  # noqa: TID251 - the tests' own

    def go(*words: str) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-c", "from pellucid.surfaces.cli import main; main()", *words]
        return subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, check=False
        )

    return go


def _json(done: "subprocess.CompletedProcess[str]") -> dict[str, Any]:
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.requirement("STORY-1")
def test_four_hours_of_work_leave_what_lasts_and_no_debugging(run: Run) -> None:
    taken = _json(run("import", "examples/sessions/caching-layer.jsonl", *HERE, "--mode", "extract", "--json"))
    assert taken["turnsTaken"] == 157  # a commit message and a pull request are turns beside their calls
    assert taken["compressionRatio"] > 4
    memories = [each["memory"] for each in _json(run("list", "--json"))["memories"]]
    found = {
        (memory["category"], wanted): memory
        for memory in memories
        for wanted in ("releases every Tuesday", "replica lag alarm fires", "per-tenant, not global")
        if wanted in memory["content"]
    }
    assert set(found) == {
        ("decision", "releases every Tuesday"),
        ("fact", "replica lag alarm fires"),
        ("principle", "per-tenant, not global"),
    }
    for memory in found.values():
        assert memory["confidence"] >= 0.8
        assert memory["importanceScore"] >= 0.7
    kept = " ".join(memory["content"] for memory in memories).casefold()
    assert not [word for word in ("xdist", "noscripterror", "49") if word in kept]
    assert [memory["content"] for memory in memories if "TTL is 300 seconds" in memory["content"]]

    listed = _json(run("episodes", "list", "--json"))["episodes"]
    told = "".join(run("episodes", "show", each["episode"]["id"]).stdout for each in listed)
    for part in (
        "releases every Tuesday",
        "made file docs/design/quote-cache.md",
        "cut at session_end",
        "confidence 0.95",
        "importance 0.8",
    ):
        assert part in told
    first = _json(run("episodes", "list", "releases", "--json"))["episodes"][0]
    assert any("releases every Tuesday" in member["memory"]["content"] for member in first["members"])


@pytest.mark.requirement("LIFE-1")
def test_verbs_are_said_done_and_undone_on_the_command_line(run: Run) -> None:
    kept = _json(run("remember", "The staging database lives in eu-west-1", "--json"))["memory"]["id"]
    archived = _json(run("archive", kept[-10:], "--json"))
    assert (archived["changed"], archived["memory"]["status"]) == (True, "archived")
    assert "nothing to do" in run("archive", kept).stdout
    assert "undone: archived" in run("undo", archived["opId"]).stdout
    updated = _json(run("update", kept, "The staging database lives in us-east-2", "--json"))
    assert updated["replaced"] == [kept]
    story = run("history", updated["memory"]["id"]).stdout
    assert "superseded (edited)" in story
    assert run("pin", "nothing-like-it").returncode == 3
    assert "short code" in run("archive", kept, "--reason", "it was wrong").stderr


@pytest.mark.requirement("FORGET-3")
def test_forget_shows_first_then_does_and_the_transcript_brings_nothing_back(run: Run, tmp_path: Path) -> None:
    run("import", "examples/sessions/caching-layer.jsonl", *HERE)
    found = _json(run("list", "--contains", "GC pauses", "--category", "fact", "--json"))
    target = found["memories"][0]["memory"]["id"]
    shown = run("forget", target)
    assert "would be forgotten" in shown.stdout
    assert f"pellucid forget {target} --yes" in shown.stdout
    done = _json(run("forget", target, "--yes", "--json"))
    assert done["done"]
    for name in tmp_path.glob("journal.db*"):
        name.unlink()
    run("import", "examples/sessions/caching-layer.jsonl", *HERE)
    assert _json(run("list", "--contains", "GC pauses", "--status", "any", "--json"))["total"] == 0
    assert run("forget", target, "--yes").returncode == 3
    assert "needs a filter" in run("purge", "--yes").stderr


@pytest.mark.requirement("STORY-2")
def test_the_ledger_is_exported_in_the_reference_form_and_doctor_reads_it(run: Run) -> None:
    run("import", "examples/sessions/standup-notes.txt")
    lines = [json.loads(line) for line in run("ledger", "export", "--kind", "observations").stdout.splitlines()]
    assert lines
    assert {(row["version"], row["category"]) for row in lines} == {(1, "EXTRACTION_JUDGE_VERDICT")}
    accepted = [row for row in lines if row["verdictKind"] == "accept"]
    assert all(row["resultingPrimitiveId"].startswith("mem_") for row in accepted)
    report = _json(run("doctor", "--json"))["pulse"]
    assert report["observations"]["recorded"] == len(lines)
    assert report["observations"]["byVerdict"]["accept"] == len(accepted)
    assert report["observations"]["lastObservedAt"]
    assert report["disk"]["free"] > 0
    said = run("doctor").stdout
    assert "observations recorded: accept=" in said
    assert "--kind expects one of lifecycle" in run("ledger", "export", "--kind", "nonsense").stderr
