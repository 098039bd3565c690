"""Small trees with a flaw in, the tools' complaint about it out."""

import subprocess
import sys
from pathlib import Path

import pytest

from kits.snippets import ROOT


def tool(name: str, *words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, ROOT / "tools" / name, *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A root with one sound module and no codemap."""
    room = tmp_path / "src" / "pellucid" / "recall"
    room.mkdir(parents=True)
    (room / "__init__.py").write_text('"""A query in, a context out."""\n')
    (room / "plan.py").write_text('"""A question in, a plan out: before any leg runs."""\n')
    (tmp_path / "docs").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("long.py", "x = 1\n" * 401, "long.py:1: module has 401 lines, 400 at most"),
        ("far.py", "def far():\n" + "    x = 1\n" * 50, "far.py:1: far has 51 lines, 50 at most"),
        ("wide.py", "class Wide:\n" + "".join(f"    def m{n}(self): ...\n" for n in range(14)), "14 public methods"),
        ("utils.py", "", "utils.py:1: the name says nothing"),
        ("core/plan.py", "", "plan.py:1: the name says nothing"),
    ],
)
def test_a_thing_past_its_limit_fails_the_size_check(tree: Path, name: str, text: str, complaint: str) -> None:
    path = tree / "src" / "pellucid" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    done = tool("check_sizes.py", tree)
    assert done.returncode == 1
    assert complaint in done.stdout


def test_a_room_of_more_than_a_dozen_modules_fails_the_size_check(tree: Path) -> None:
    room = tree / "src" / "pellucid" / "recall"
    for number in range(11):
        (room / f"stage_{number}.py").write_text("")
    assert tool("check_sizes.py", tree).returncode == 0
    (room / "one_more.py").write_text("")
    done = tool("check_sizes.py", tree)
    assert done.returncode == 1
    assert "src/pellucid/recall:1: room has 13 modules, 12 at most" in done.stdout


def test_things_at_their_limit_pass_the_size_check(tree: Path) -> None:
    path = tree / "src" / "pellucid" / "full.py"
    path.write_text("def full():\n" + "    x = 1\n" * 49 + "x = 1\n" * 350)
    assert tool("check_sizes.py", tree).returncode == 0


def test_the_codemap_is_stale_until_written_and_then_lists_each_module(tree: Path) -> None:
    stale = tool("codemap.py", "--check", "--root", tree)
    assert stale.returncode == 1
    assert "stale" in stale.stdout
    assert tool("codemap.py", "--root", tree).returncode == 0
    assert tool("codemap.py", "--check", "--root", tree).returncode == 0
    assert (
        (tree / "docs" / "codemap.md")
        .read_text()
        .endswith(
            "\n- [`recall/`](../src/pellucid/recall): A query in, a context out.\n"
            "  - [`plan`](../src/pellucid/recall/plan.py): A question in, a plan out: before any leg runs.\n"
        )
    )


def test_a_module_that_does_not_say_what_it_is_fails_the_codemap(tree: Path) -> None:
    (tree / "src" / "pellucid" / "recall" / "vague.py").write_text("x = 1\n")
    done = tool("codemap.py", "--root", tree)
    assert done.returncode == 1
    assert "vague.py:1: no docstring" in done.stdout


def test_a_room_without_a_place_on_the_path_fails_the_codemap(tree: Path) -> None:
    room = tree / "src" / "pellucid" / "attic"
    room.mkdir()
    (room / "__init__.py").write_text('"""Old things in, nothing out."""\n')
    done = tool("codemap.py", "--root", tree)
    assert done.returncode == 1
    assert "attic: give the room its place" in done.stdout


def test_a_stale_settings_page_fails_the_reference_check(tmp_path: Path) -> None:
    tool("docs_reference.py", "--docs", tmp_path)
    (tmp_path / "settings.md").write_text("old\n")
    done = tool("docs_reference.py", "--check", "--docs", tmp_path)
    assert done.returncode == 1
    assert "docs/settings.md is stale" in done.stdout
