"""Processes killed between every two steps of flush, extract, write and index: each turn's memory is there once."""

import json
import os
import random
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import observe_child
import pytest

from pellucid.app import App, open_app
from pellucid.operations.admin.health import examine_home
from pellucid.settings import load

pytestmark = pytest.mark.slow
HERE = "local/default"
STEPS = (
    *(f"{when}-{name}" for name in observe_child.AROUND for when in ("before", "after")),
    "commit-open",
    "commit-done",
    "drain-locked",
    "ledger-appended",
    "ledger-synced",
    "temp-written",
    "temps-synced",
    "placing",
    "created",
    "folders-synced",
    "entries-settled",
)
KILLS = 20
TURNS_A_ROUND = 9


class Talk:
    """A transcript that grows, and the home that observes it, one process after another."""

    def __init__(self, folder: Path, models: Path) -> None:
        self.home = folder / "home"
        self.transcript = folder / "talk.jsonl"
        self.models = models
        self.turns = 0

    def grow(self) -> None:
        """Append turns, each with a fact that stands nowhere else; its source's id is how a repeat is known."""
        with self.transcript.open("a", encoding="utf-8") as file:
            for number in range(self.turns, self.turns + TURNS_A_ROUND):
                said = f"The depot token{number}x stands on quay {number} and opens at dawn."
                file.write(json.dumps({"role": "user", "content": said, "id": f"m{number}"}) + "\n")
        self.turns += TURNS_A_ROUND

    def observe(self, die_at: str = "", lives: int = 1, after: float | None = None) -> tuple[int, bool]:
        """Send it all again from the start; the exit code, and whether the process came to its end."""
        arguments = [str(self.home), str(self.models), str(self.transcript), die_at, str(lives)]
        settings = {"PELLUCID_OBSERVE__FLUSH_TURNS": "4", "PELLUCID_OBSERVE__TOPIC_SHIFT": "0"}
        command = [sys.executable, observe_child.__file__, *arguments]
        with subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **settings},  # noqa: TID251 - a child's
        ) as child:
            assert child.stdout is not None
            assert child.stdout.readline() == "open\n"
            if after is not None:
                try:
                    child.wait(timeout=after)
                except subprocess.TimeoutExpired:
                    child.kill()
            said = child.stdout.read()
        return child.returncode, "done" in said

    def check(self) -> None:
        """After a whole run: each turn flushed once, each memory there once, nothing waiting, nothing wrong."""
        app = open_app(load(home=self.home), models=self.models)
        app.unit_of_work.take_over_edits()
        said = Counter(f"token{number}x" for number in range(self.turns))
        flushed = sum(int(str(row["turns"])) for row in app.ledger.rows() if row["kind"] == "flush")
        assert flushed == self.turns
        assert [row for row in app.ledger.rows() if row.get("eventType") == "corroborated"] == []
        assert tokens_filed(app) == said
        assert tokens_indexed(app) == said
        assert app.spool.waiting() == []
        assert examine_home(app).findings == ()
        app.close()
        assert not [name for name in self.home.glob("spool.db*") if b"token" in name.read_bytes()]


def tokens_filed(app: App) -> Counter[str]:
    found = Counter[str]()
    for file in (app.settings.home / "vault" / "facts").rglob("*.md"):
        found.update(re.findall(r"token\d+x", file.read_text("utf-8").rpartition("---\n")[2]))
    return found


def tokens_indexed(app: App) -> Counter[str]:
    held = (each.memory for each in app.index.memories(HERE) if each.memory.category != "moment")
    return Counter(token for memory in held for token in re.findall(r"token\d+x", memory.content))


@pytest.mark.requirement("STORE-1")
@pytest.mark.requirement("FLUSH-1")
def test_a_flush_killed_between_any_two_steps_is_finished_later_and_keeps_each_memory_once(
    tmp_path: Path, model_cache: Path
) -> None:
    talk, chance = Talk(tmp_path, model_cache.parent), random.Random(7)
    for number, step in enumerate(STEPS):
        talk.grow()
        code, _ = talk.observe(step, lives=1 if step.endswith("close") else chance.randint(1, 2))
        assert code == -9, f"nothing came to {step}"
        if number % 8 == 7:
            assert talk.observe() == (0, True)
            talk.check()
    assert talk.observe() == (0, True)
    talk.check()


@pytest.mark.requirement("STORE-1")
def test_nor_does_it_matter_at_which_moment_a_process_is_killed(tmp_path: Path, model_cache: Path) -> None:
    talk, chance = Talk(tmp_path, model_cache.parent), random.Random(20260101)
    killed = tries = 0
    while killed < KILLS:
        talk.grow()
        code, _ = talk.observe(after=chance.uniform(0.0, 0.6))
        killed += code == -9
        tries += 1
        assert tries < KILLS * 5, "hardly a kill fell inside a run"
    assert talk.observe() == (0, True)
    talk.check()
