"""Everything a reader might copy in, a run of it out."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kits.snippets import EXAMPLES, PAGES, ROOT, Snippet, snippets


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory holding only the repository's examples, a home of its own, and `pellucid` on the path."""
    (tmp_path / "desk").mkdir()
    (tmp_path / "desk" / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path / "desk")
    monkeypatch.setenv("PELLUCID_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    return tmp_path / "desk"


def run(snippet: Snippet, names: dict[str, object]) -> None:
    if snippet.kind == "python":
        exec(compile(snippet.text, snippet.where, "exec"), names)
        return
    done = subprocess.run(snippet.text, shell=True, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, f"{snippet.where}: $ {snippet.text}\n{done.stdout}{done.stderr}"


@pytest.mark.parametrize("page", [page for page in PAGES if any(snippets(page))], ids=lambda page: page.name)
def test_every_snippet_of_a_page_runs(page: Path, desk: Path) -> None:
    names: dict[str, object] = {"__name__": "__main__"}
    for snippet in snippets(page):
        run(snippet, names)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_every_example_runs(example: Path, desk: Path) -> None:
    done = subprocess.run([sys.executable, example], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"


def test_the_runner_sees_python_and_console_lines_and_leaves_no_run_out(tmp_path: Path) -> None:
    fence = "```"
    page = tmp_path / "page.md"
    page.write_text(
        f"{fence}python\nx = 1\n{fence}\n{fence}python no-run\nboom\n{fence}\n"
        f"{fence}console\n$ pellucid a \\\n  b\noutput\n$ ls\n{fence}\n{fence}json\n1\n{fence}\n"
    )
    assert [(s.kind, s.text.split()) for s in snippets(page)] == [
        ("python", ["x", "=", "1"]),
        ("shell", ["pellucid", "a", "b"]),
    ]


def test_the_runner_fails_on_a_command_that_fails(desk: Path) -> None:
    with pytest.raises(AssertionError, match=r"page\.md:1"):
        run(Snippet("shell", f"{sys.executable} -c 'raise SystemExit(3)'", "page.md:1"), {})
