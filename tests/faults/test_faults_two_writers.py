"""Processes that write at the same time: what both would find new is kept once, and neither loses anything."""

import subprocess
import sys
from pathlib import Path

import pytest
from test_faults_import_kill import CHILD, grow, tokens

from pellucid.app import open_app
from pellucid.settings import load

REMEMBER = """
import sys
from pathlib import Path
from pellucid.app import open_app
from pellucid.operations.memory.remembering import RememberInput, remember
from pellucid.settings import load
app = open_app(load(home=sys.argv[1]), models=Path(sys.argv[2]))
for words in ("the crane lifts forty tonnes", "only " + sys.argv[3]):
    remember(app, RememberInput(content=words, namespace="local/default"))
app.close()
"""


def all_succeed(commands: list[list[str]]) -> None:
    children = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for command in commands]
    assert [child.wait(timeout=120) for child in children] == [0] * len(commands)


@pytest.mark.slow
@pytest.mark.requirement("STORE-6")
def test_two_imports_of_one_transcript_at_once_keep_every_turn_once(tmp_path: Path, model_cache: Path) -> None:
    home, models, transcript = tmp_path / "home", model_cache.parent, tmp_path / "talk.jsonl"
    grow(transcript, range(300))
    all_succeed([[sys.executable, str(CHILD), str(home), str(models), str(transcript), "verbatim"]] * 2)
    app = open_app(load(home=home), models=models)
    app.unit_of_work.take_over_edits()
    assert set(tokens(app).values()) == {1}
    assert len(app.index.memories("local/default")) == 300
    app.close()


@pytest.mark.slow
@pytest.mark.requirement("STORE-6")
def test_four_agents_that_remember_the_same_words_keep_them_once(tmp_path: Path, model_cache: Path) -> None:
    home, models = tmp_path / "home", model_cache.parent
    all_succeed([[sys.executable, "-c", REMEMBER, str(home), str(models), str(number)] for number in range(4)])
    app = open_app(load(home=home), models=models)
    app.unit_of_work.take_over_edits()
    said = sorted(each.memory.content for each in app.index.memories("local/default"))
    assert said == ["only 0", "only 1", "only 2", "only 3", "the crane lifts forty tonnes"]
    app.close()
