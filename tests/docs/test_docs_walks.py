"""The walks of ARCHITECTURE.md: what they name exists, and is called for the first time in that order."""

import ast
import json
import re
import sys
from collections.abc import Callable, Iterator
from functools import reduce
from importlib import import_module
from inspect import unwrap
from pathlib import Path
from types import FrameType, FunctionType

import pytest

from kits.snippets import ROOT
from pellucid import Pellucid
from pellucid.surfaces.cli import app
from pellucid.table import OPERATIONS

PAGE = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
SOURCE = ROOT / "src" / "pellucid"
FILE = re.compile(r"\.(?:py|json|toml|md|db)$")
DOTTED = re.compile(r"`([a-z_]+(?:\.(?:[a-z\d_]+|[A-Z]\w*))+)`")
TURNS = (
    {"role": "user", "content": "We decided to deploy from the release branch only, never from main."},
    {"role": "assistant", "content": "Understood: deploys come from the release branch only."},
)


def walk(name: str) -> list[str]:
    """The functions that a walk names, in its order."""
    block = PAGE.partition(f"<!-- walk:{name} -->")[2].partition("<!-- walk:end -->")[0]
    return [each for each in re.findall(r"`([\w.]+)`", block) if "." in each and not FILE.search(each)]


def function(name: str) -> FunctionType:
    """What a dotted name below `pellucid` stands for: the longest part of it that is a module, then attributes."""
    parts = name.split(".")
    for end in range(len(parts) - 1, 0, -1):
        if (SOURCE / "/".join(parts[:end])).with_suffix(".py").exists():
            return unwrap(reduce(getattr, parts[end:], import_module(f"pellucid.{'.'.join(parts[:end])}")))
    raise AssertionError(f"ARCHITECTURE.md names {name}, which is in no module")


def called_first(watched: list[str], work: Callable[[], object]) -> list[str]:
    """Those of the named functions that the work calls, in the order of their first calls."""
    names = {function(name).__code__: name for name in watched}
    called: list[str] = []

    def see(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and (name := names.get(frame.f_code)) and name not in called:
            called.append(name)

    sys.setprofile(see)
    try:
        work()
    finally:
        sys.setprofile(None)
    return called


def test_every_file_that_the_architecture_names_is_there() -> None:
    there = [path.as_posix() for path in SOURCE.rglob("*") if path.suffix in (".py", ".json")]
    named = re.findall(r"`([\w/]+\.(?:py|json))`", PAGE)

    assert len(named) > 5
    assert [each for each in named if not any(path.endswith(f"/{each}") for path in there)] == []


def named_in_docstrings() -> Iterator[tuple[str, str]]:
    """The dotted names in docstrings that begin with a room, each with its file; none of a setting or an operation.

    Adapters are left out: what they call `memory` is an opened home.
    """
    rooms, others = {path.stem for path in SOURCE.iterdir()} - {"adapters"}, {each.name for each in OPERATIONS}
    for path in sorted(each for room in rooms for each in (SOURCE / room).rglob("*.py")):
        alone = (each.value for each in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(each, ast.Expr))
        for text in (each.value for each in alone if isinstance(each, ast.Constant)):
            for name in DOTTED.findall(str(text)):
                if name.split(".")[0] in rooms and name not in others and not FILE.search(name):
                    yield name, path.name


def is_here(name: str) -> bool:
    """Whether a dotted name below `pellucid` is a room, a module, or something in one."""
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        place = SOURCE.joinpath(*parts[:end])
        if place.with_suffix(".py").exists() or (place / "__init__.py").exists():
            module = import_module(f"pellucid.{'.'.join(parts[:end])}")
            return has(module, parts[end:])
    return False


def has(owner: object, names: list[str]) -> bool:
    """Whether an object has an attribute, or a field, which has the next, and so on."""
    if not names:
        return True
    if hasattr(owner, names[0]):
        return has(getattr(owner, names[0]), names[1:])
    return len(names) == 1 and names[0] in getattr(owner, "__annotations__", ())


def test_every_dotted_name_in_a_docstring_is_there() -> None:
    names = list(named_in_docstrings())

    assert len(names) > 20
    assert [each for each in names if not is_here(each[0])] == []


@pytest.fixture
def memory(tmp_path: Path) -> Pellucid:
    return Pellucid(tmp_path / "home", namespace="local/default")


@pytest.fixture
def session(tmp_path: Path) -> Path:
    path = tmp_path / "session.jsonl"
    path.write_text(
        "".join(json.dumps({**turn, "session": "s1", "ts": "2026-01-05T10:00:00Z"}) + "\n" for turn in TURNS)
    )
    return path


def test_a_turn_takes_the_walk_that_the_architecture_describes(memory: Pellucid, session: Path) -> None:
    with memory:
        assert called_first(walk("import"), lambda: memory.import_transcripts([session])) == walk("import")


def test_a_question_takes_the_walk_that_the_architecture_describes(memory: Pellucid, session: Path) -> None:
    with memory:
        memory.import_transcripts([session])
        assert called_first(walk("recall"), lambda: memory.recall("which branch do we deploy from?")) == walk("recall")


@pytest.fixture
def answered_home(memory: Pellucid, session: Path, tmp_path: Path) -> Path:
    """A home with a memory and a recall."""
    with memory:
        memory.import_transcripts([session])
        memory.recall("which branch do we deploy from?")
    return tmp_path / "home"


def test_a_command_takes_the_walk_that_the_architecture_describes(answered_home: Path) -> None:
    words = ["recall", "which branch?", "--home", str(answered_home), "--namespace", "local/default"]
    assert called_first(walk("command"), lambda: app(words, standalone_mode=False)) == walk("command")


def test_an_xray_takes_the_walk_that_the_architecture_describes(answered_home: Path) -> None:
    words = ["xray", "last", "--home", str(answered_home), "--namespace", "local/default"]
    assert called_first(walk("xray"), lambda: app(words, standalone_mode=False)) == walk("xray")


def test_a_document_takes_the_walk_that_the_architecture_describes(memory: Pellucid, tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("# Notes\n\n## Deploys\n\nWe deploy from the release branch.\n", "utf-8")
    with memory:
        indexing = walk("documents")
        assert called_first(indexing, lambda: memory.graph.index_docs(tmp_path / "notes.md")) == indexing
