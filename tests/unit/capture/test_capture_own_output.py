"""What Pellucid prints does not come back, whoever pastes it; what somebody says about it does."""

from pathlib import Path

import pytest

from pellucid.capture.guard import Guard
from pellucid.capture.report import CaptureReport
from pellucid.model.turn import Role, Turn
from pellucid.settings.sections import CaptureSettings

MEMORY, OTHER = f"mem_{'0a1b' * 8}", f"mem_{'2c3d' * 8}"
RECALL, OPERATION, EPISODE, AUDIT = f"rec_{'1' * 32}", f"op_{'2' * 32}", f"ep_{'3' * 32}", f"aud_{'1' * 32}01"
PATH = "facts/2026-11/the-cache-is-redis-0a1b0a1b0a.md"
GOLDENS = Path(__file__).parents[2] / "golden" / "xray"

PRINTED = {
    "the footer of a recall": f"why: pellucid xray --id {RECALL}",
    "what was not verified": "1 of these was not verified for 90 days: `pellucid reverify 0a1b0a1b0a`",
    "what was superseded": f"1 of these was superseded since: {MEMORY}",
    "list": "0a1b0a1b0a  2026-11-22  fact            high      The cache is Redis\n1 of 1 memories",
    "list beside passages": "0a1b0a1b0a  2026-11-22  fact            high      The cache is Redis\n1 of 1 memories"
    "\n1,205 passages of what was said stand behind them: --category moment",
    "show": f"path: {PATH}\nid: {MEMORY}\ncategory: fact\noperation: {OPERATION}\n\nThe cache is Redis",
    "history": f"{MEMORY}  active, user, trusted  [2026-11-22T15:48:46.457Z – now]\n  The cache is Redis"
    f"\n  evidence: none: said by hand\n  2026-11-22T15:48:46.458Z  created (remembered)  {OPERATION}",
    "why": f"memory: {MEMORY}  {PATH}\n  The cache is Redis\nquestion: cache\nverdict: hit\nlegs:\n  vector: 1st",
    "xray": f"=== Recall X-ray ===\nquery: cache\nrecall: {RECALL}\n\n--- legs ---\n- vector: ok, 2 admitted\n\n"
    f"--- results ---\n[1] The cache is Redis\n    why: Found 1st.\n    audit-entry: {AUDIT}\n\n"
    f"--- rejected ---\n- Redis was slow\n    top-k: weaker; final=0.5; {OTHER}\n"
    "(13 more not shown: 3 in quarantine, 10 weaker)\n\n"
    "--- stages ---\nplan 282.2 ms, legs 16.7 ms",
    "an earlier xray": f"=== Recall X-ray ===\nquery: cache\nsnapshot-id: {RECALL}\n\n--- rejected ---\n"
    f"- Redis was slow\n    top-k: weaker; final=0.5; {OTHER}\n(55 weaker ones not shown)",
    "the nearest": f"not known: nothing here is near enough to be an answer\nnearest: {MEMORY}  The cache is Redis",
    "replay": f"{RECALL}: identical to what was served; 2 of 9 ranked\n   1  The cache is Redis  0a1b0a1b0a  1.2\n"
    "  10  Redis was slow  2c3d2c3d2c  0.5",
    "diff": f"a: {RECALL}\nb: {RECALL}\nquery: same\nentered:\n  The cache is Redis  0a1b0a1b0a\n    #2 → #1; score",
    "ablate": f"{RECALL}: without one part, then another\nwithout vector: 1 enter\n  + The cache is Redis  0a1b0a1b0a",
    "remembered": f"remembered: {MEMORY}\n  {PATH}\n  replaces {OTHER}",
    "archived": f"archived: {MEMORY}\n  {PATH}\n  back: pellucid undo {OPERATION}",
    "audit": f"recall: {RECALL} (result 1)\nmemory: {MEMORY}\npath: {PATH}\noperation kind: remember",
    "forget": f"  {MEMORY}  fact, asked: The cache is Redis",
    "episodes": f"{EPISODE}  2026-11-22 10:00    3  The cache is Redis\n1 of 1 episodes",
    "snapshots": f"2026-11-22 15:48:47  {RECALL}   2 served  in full  the cache",
    "tier list": "0a1b0a1b0a  hot  never folded  fact  The cache is Redis\n1 of 1 memories; 1 hot, 0 cold",
    "tier explain": f"{MEMORY}  fact  The cache is Redis\ntier: hot (never folded)\nheat 0.6107 = confidence +0.2375",
    "quoted": f"> {MEMORY}  active, user, trusted  [2026-11-22 – now]\n>   The cache is Redis",
}


def passed(role: Role, text: str, report: CaptureReport | None = None) -> list[str]:
    guard = Guard(CaptureSettings(), report or CaptureReport())
    return [kept.content for kept in guard.admit(Turn("s", 1, role, text))]


@pytest.mark.parametrize("golden", ["full.txt", "live.txt", "minimal.txt"])
def test_no_line_of_a_whole_xray_is_kept(golden: str) -> None:
    assert passed("assistant", (GOLDENS / golden).read_text("utf-8").rstrip("\n")) == []


def test_nothing_of_what_a_recall_says_of_itself_is_kept() -> None:
    told = (
        "answer: not sure: this may not be known here (doubt 0.61)\nshown: 2 memories. Left out: 1 repeat, 9 weaker\n"
        f"why: pellucid xray --id {RECALL}"
    )
    assert passed("assistant", told) == []
    unknown = f"not known: nothing here could be an answer (doubt 1.00)\nwhy: pellucid xray --id {RECALL}"
    assert passed("assistant", unknown) == []
    assert passed("assistant", "answer: we are sure of it") == ["answer: we are sure of it"]


@pytest.mark.parametrize("role", ["user", "assistant", "tool"])
@pytest.mark.parametrize("name", PRINTED)
def test_what_a_command_printed_is_dropped_and_counted(name: str, role: Role):
    report = CaptureReport()

    kept = passed(role, PRINTED[name], report)

    assert not any("Redis" in words or "pellucid" in words for words in kept)
    assert report.dropped["own-recall"] + report.stripped["own-recall"] >= 1


@pytest.mark.parametrize("name", PRINTED.keys() - {"show", "audit"})
def test_what_stands_around_a_pasted_output_is_kept(name: str):
    (kept,) = passed("user", f"Look what it says:\n{PRINTED[name]}\n\nWe use Valkey now.")

    assert kept.startswith("Look what it says:")
    assert kept.endswith("We use Valkey now.")
    assert "Redis" not in kept


@pytest.mark.parametrize("head", [f"path: {PATH}\nid: {MEMORY}", f"---\nid: {MEMORY}\ntrustZone: trusted\n---"])
def test_the_words_of_a_memory_reach_to_the_end(head: str):
    (kept,) = passed("user", f"Look:\n{head}\n\nThe cache is Redis.\n\nThe queue is Kafka.")

    assert kept.startswith("Look:")
    assert "Redis" not in kept
    assert "Kafka" not in kept


@pytest.mark.parametrize(
    "output",
    [
        f'{{"stdout": "[1] The cache is Redis\\nwhy: pellucid xray --id {RECALL}"}}',
        f'{{"memories": [{{"id": "{MEMORY}", "content": "The cache is Redis", "trustZone": "trusted"}}]}}',
        f"---\nid: {MEMORY}\ntrustZone: trusted\n---\n\nThe cache is Redis\n\nand it stays.",
        f"# Recall X-ray\n\n| Snapshot id | `{RECALL}` |\n\n### 1. The cache is Redis",
        f'<h1>Recall X-ray</h1><th scope="row">Snapshot id</th><td><code dir="auto">{RECALL}</code></td><h3>Redis</h3>',
        f'{{"a": "{RECALL}", "words": {{"{MEMORY}": "The cache is Redis"}}}}',
    ],
)
def test_our_json_and_our_files_are_dropped_whole_from_a_tools_output(output: str):
    assert passed("tool", output) == []


@pytest.mark.parametrize("role", ["user", "assistant", "tool"])
@pytest.mark.parametrize(
    "text",
    [
        f"{MEMORY} is wrong, we use Valkey.",
        "2 of 3 memories were wrong",
        f"Forget {MEMORY} and {OTHER}, please.",
        f"- {MEMORY} says Redis: that was last year",
        f"Why did {RECALL} leave out the cache?",
        "memory: we should use less of it\npath: src/cache.py",
        "0a1b0a1b0a  is the commit",
        "3 of 4 tests pass\nwhy: the cache is cold",
        "Run `pellucid xray --id ...` to see why.",
    ],
)
def test_words_about_our_output_are_kept(role: Role, text: str):
    assert passed(role, text) == [text]
