"""Imports killed at seeded moments, edits in between: nothing is lost, nothing is there twice, doctor finds nothing."""

import json
import random
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from pellucid.app import App, open_app
from pellucid.operations.admin.health import examine_home
from pellucid.settings import load

CHILD = Path(__file__).with_name("import_child.py")
ROUNDS = 60
TURNS_A_ROUND = 24


def grow(transcript: Path, numbers: range) -> None:
    """Append turns, each with a token that stands nowhere else."""
    with transcript.open("a", encoding="utf-8") as file:
        for number in numbers:
            said = f"The depot token{number}x stands on quay {number} and opens at dawn."
            file.write(json.dumps({"role": "user", "content": said, "session": f"s{number // 50}"}) + "\n")


def import_and_kill(home: Path, models: Path, transcript: Path, after: float) -> bool:
    """Run an import and kill it `after` seconds beyond the moment it opened the home; True if it had finished."""
    command = [sys.executable, str(CHILD), str(home), str(models), str(transcript), "verbatim"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "open\n"
        try:
            child.wait(timeout=after)
        except subprocess.TimeoutExpired:
            child.kill()
        return "done" in child.stdout.read()


def tokens(app: App) -> Counter[str]:
    """How often each turn stands in the vault as a block (headings repeat the first one)."""
    found = Counter[str]()
    for file in (app.settings.home / "vault").rglob("*.md"):
        found.update(re.findall(r"^The depot (token\d+x)", file.read_text("utf-8"), re.MULTILINE))
    return found


@pytest.mark.requirement("STORE-1")
@pytest.mark.slow
def test_a_killed_import_goes_on_where_it_was_and_keeps_every_turn_exactly_once(
    tmp_path: Path, model_cache: Path
) -> None:
    home, models, transcript = tmp_path / "home", model_cache.parent, tmp_path / "talk.jsonl"
    chance = random.Random(20260101)
    finished = 0
    for number in range(ROUNDS):
        grow(transcript, range(number * TURNS_A_ROUND, (number + 1) * TURNS_A_ROUND))
        finished += import_and_kill(home, models, transcript, chance.uniform(0.0, 0.8))
        if number % 10 == 9:
            check_home(home, models, chance)
    assert finished < ROUNDS, "no kill fell inside an import"
    assert import_and_kill(home, models, transcript, 120.0)
    app = open_app(load(home=home), models=models)
    app.unit_of_work.take_over_edits()
    said = {f"token{number}x" for number in range(ROUNDS * TURNS_A_ROUND)}
    assert tokens(app) == Counter(said)
    assert len(app.index.memories("local/default")) == len(said)
    app.close()


def check_home(home: Path, models: Path, chance: random.Random) -> None:
    """After a kill: open, be sound, hold nothing twice; then edit a file as a person would."""
    app = open_app(load(home=home), models=models)
    app.unit_of_work.take_over_edits()
    report = examine_home(app)
    assert report.findings == ()
    assert report.notes == ()
    kept = tokens(app)
    assert set(kept.values()) <= {1}
    indexed = " ".join(each.memory.content for each in app.index.memories("local/default"))
    assert set(re.findall(r"token\d+x", indexed)) == set(kept)
    file = chance.choice(sorted((home / "vault" / "episodes").rglob("*.md")))
    file.write_text(file.read_text("utf-8").replace("at dawn", "at noon", 1), "utf-8")
    app.close()
