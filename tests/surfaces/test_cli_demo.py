"""What `make demo` shows: sessions in, a handful of memories, an answer, and why."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.requirement("CLI-3")
def test_the_demo_shows_the_main_job_from_end_to_end_and_leaves_nothing_behind(
    tmp_path: Path, model_cache: Path
) -> None:
    (tmp_path / "models").symlink_to(model_cache.parent)
    environment = os.environ | {  # noqa: TID251 - the tests' own
        "PELLUCID_HOME": str(tmp_path),
        "PIP_NO_INDEX": "1",
        "HF_HUB_OFFLINE": "1",
    }
    command = [sys.executable, "-c", "from pellucid.surfaces.cli import main; main()", "demo"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    order = ["kept ", "new turns of", "<pellucid-recall id=", "replica lag alarm fires", "=== Recall X-ray ==="]
    places = [done.stdout.find(each) for each in order]
    assert -1 not in places
    assert places == sorted(places)
    assert [each.name for each in tmp_path.iterdir()] == ["models"]


def test_without_the_examples_the_demo_says_where_they_are(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "from pellucid.surfaces.cli import main; main()", "demo"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 3
    assert "make demo" in done.stderr
