"""A home that may only be read in; what it still answers, and what is said of the rest, out.

Root ignores the modes of files, so these commands run in a process of their own, without root's capabilities.
"""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

PELLUCID = str(Path(sys.executable).with_name("pellucid"))
WITHOUT = ("setpriv", "--bounding-set=-all", "--inh-caps=-all") if os.getuid() == 0 else ()
CRANE, QUESTION = "The crane lifts forty tons", "what does the crane lift?"

pytestmark = pytest.mark.skipif(
    bool(WITHOUT) and not shutil.which("setpriv"), reason="root obeys no modes, and there is no setpriv to make it"
)


def frozen(home: Path, *, thaw: bool = False) -> None:
    for each in (home, *home.rglob("*")):
        if not each.is_symlink():
            each.chmod((0o700 if thaw else 0o500) if each.is_dir() else (0o600 if thaw else 0o400))


def contents(home: Path) -> dict[str, tuple[int, bytes]]:
    return {str(each): (each.stat().st_mode, each.read_bytes()) for each in home.rglob("*") if each.is_file()}


def started(home: Path, *words: str, code: int = 0) -> "subprocess.CompletedProcess[str]":
    environment = {"PATH": os.defpath, "PELLUCID_HOME": str(home), "HOME": str(home.parent)}
    done = subprocess.run(
        [*WITHOUT, PELLUCID, *words], env=environment, cwd=home.parent, capture_output=True, text=True, check=False
    )
    assert done.returncode == code, done
    return done


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory, model_cache: Path) -> Iterator[Path]:
    """A home with a memory and a recall of it, that nobody may write any more."""
    home = tmp_path_factory.mktemp("read-only") / "home"
    home.mkdir()
    (home / "models").symlink_to(model_cache.parent)
    started(home, "remember", CRANE)
    started(home, "recall", QUESTION)
    frozen(home)
    yield home
    frozen(home, thaw=True)


@pytest.fixture(scope="module")
def memory(kept: Path) -> str:
    return json.loads(started(kept, "list", "--json").stdout)["memories"][0]["memory"]["id"]


@pytest.fixture
def home(kept: Path, tmp_path: Path) -> Iterator[Path]:
    """A copy of it that may be written, to be frozen by the test."""
    home = shutil.copytree(kept, tmp_path / "home", symlinks=True)
    frozen(home, thaw=True)
    yield home
    frozen(home, thaw=True)


@pytest.mark.parametrize(
    "words",
    [
        ("list",),
        ("show", "MEMORY"),
        ("history", "MEMORY"),
        ("recall", QUESTION),
        ("xray", "last"),
        ("xray", QUESTION),
        ("explain",),
        ("why", "crane", "--recall", "last"),
        ("why", "crane", "--query", "what lifts?"),
        ("replay", "last", "--live"),
        ("snapshots", "list"),
        ("ledger", "export", "--kind", "lifecycle"),
        ("doctor",),
    ],
    ids=" ".join,
)
def test_what_only_reads_answers_and_says_what_is_not_kept(kept: Path, memory: str, words: tuple[str, ...]) -> None:
    before = contents(kept)
    done = started(kept, *(memory if word == "MEMORY" else word for word in words))
    assert done.stdout
    said, *next_steps = done.stderr.splitlines()
    assert all(each.startswith("pellucid: why one memory is here or not: pellucid why ") for each in next_steps)
    what = "may only be read: recalls are not kept, and changes of the vault are not taken over"
    assert said == f"pellucid: {kept} {what}"
    assert contents(kept) == before
    if words[0] == "recall":
        assert CRANE in done.stdout
        assert f"cannot be explained later: {kept / 'history.db'}: it may not be written" in done.stdout
        assert "why: pellucid xray" not in done.stdout


@pytest.mark.parametrize("words", [("remember", "The crane is green"), ("rebuild",)], ids=" ".join)
def test_what_writes_is_refused_with_its_reason(kept: Path, words: tuple[str, ...]) -> None:
    before = contents(kept)
    assert "Permission denied (check the disk, and the owner and mode" in started(kept, *words, code=5).stderr
    assert contents(kept) == before


def test_a_log_that_a_killed_writer_left_is_read_too(home: Path) -> None:
    said = "The quay is closed on Sundays"
    script = f"import os; from pellucid import Pellucid; Pellucid({str(home)!r}).remember({said!r}); os._exit(0)"
    subprocess.run([sys.executable, "-c", script], check=True, cwd=home.parent)
    assert (home / "index.db-wal").stat().st_size
    frozen(home)
    assert said in started(home, "list").stdout


def test_an_older_home_that_cannot_be_brought_up_to_date_is_said(home: Path) -> None:
    with closing(sqlite3.connect(home / "history.db")) as database:
        database.execute("PRAGMA user_version = 0")
        database.commit()
    frozen(home)
    assert "may not be written to bring it to" in started(home, "snapshots", "list", code=5).stderr
