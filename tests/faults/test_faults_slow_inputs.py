"""Hostile texts: nothing that is read costs more than its length, whichever pattern or function reads it."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from growth_child import AT_MARKS, REACH, UNITS

from kits.adversarial import ROOT
from pellucid.app import open_app
from pellucid.observe.prose import LONGEST_SENTENCE
from pellucid.operations.document.indexing import IndexDocsInput, index_docs
from pellucid.operations.safe_input import LONGEST_CONTENT
from pellucid.recall.query.limits import MAX_CHARACTERS
from pellucid.settings import load

CHILD = Path(__file__).with_name("growth_child.py")
CALLS_A_FILE = 6_000


def read_all(what: str) -> str:
    """The last thing that a process with an allowance of CPU seconds for each text was reading; `done` if none is left.

    A limit of the process, not of the clock: the square of the length takes a hundred times as much.
    """
    found = subprocess.run([sys.executable, str(CHILD), what], stdout=subprocess.PIPE, text=True, check=False)
    return found.stdout.strip().rpartition("\n")[2] + (f" (exit {found.returncode})" if found.returncode else "")


@pytest.mark.slow
@pytest.mark.parametrize("what", ["patterns", "redact", "remember", "query", "documents", "small", "extract"])
def test_hostile_text_costs_no_more_than_its_length(what: str):
    assert read_all(what) == "done"


def test_every_place_that_is_spared_is_there_and_every_limit_is_that_of_the_code():
    for place in (*REACH, *AT_MARKS):
        assert (ROOT / place).exists() or list(ROOT.glob(f"{place}*")), place
    assert REACH["observe/language.py"] >= LONGEST_SENTENCE
    assert REACH["recall/query"] >= MAX_CHARACTERS
    assert LONGEST_CONTENT <= 20_000
    assert len(UNITS) > 60


def test_all_patterns_of_the_package_are_found_those_of_the_languages_among_them():
    command = "from kits.adversarial import patterns; print(*(each.place.partition(':')[0] for each in patterns()))"
    found = subprocess.run(
        [sys.executable, "-c", command], cwd=CHILD.parents[1], stdout=subprocess.PIPE, text=True, check=True
    ).stdout.split()

    assert len(found) > 800
    assert {
        "observe/language.py",
        "capture/secrets/forms.py",
        "documents/formats/inline.py",
        "memory/trust/injection.py",
    } < set(found)


def calls_of(work: Callable[[], Any]) -> int:
    """How many functions, of Python and C, a piece of work calls."""
    count = 0

    def counted(_frame: object, event: str, _given: object) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


def test_looking_through_many_tiny_files_is_little_work_for_each(tmp_path: Path, model_cache: Path):
    counts: dict[int, int] = {}
    with_home = load(home=tmp_path / "home", namespace="local/tiny")
    app = open_app(with_home, models=model_cache.parent)
    for files in (50, 100, 400):
        folder = tmp_path / str(files)
        folder.mkdir()
        for number in range(files):
            (folder / f"note-{number}.md").write_text(f"# Note {number}\n\nText {number}.\n")
        request = IndexDocsInput(namespace="local/tiny", paths=(folder,), dry_run=True)
        counts[files] = calls_of(lambda request=request: index_docs(app, request))
    app.close()

    assert (counts[400] - counts[100]) / 300 < CALLS_A_FILE
    assert counts[400] < 4.4 * counts[100]
