"""A home in a temporary folder, wired whole, with the real encoder."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from kits.calendar import NEW_YEAR, Calendar
from kits.documents import Docs, documents
from kits.intake import LINES
from pellucid.app import App, open_app
from pellucid.settings import load

HERE = "local/default"


@pytest.fixture
def reachable() -> Iterator[Path]:
    """A folder for a home whose way does not lead through a folder of ours alone."""
    with TemporaryDirectory() as folder:
        yield Path(folder)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def whole(home: Path, model_cache: Path) -> Iterator[App]:
    """An app over a fresh home; closed at the end."""
    app = open_app(load(home=home), models=model_cache.parent)
    yield app
    app.close()


@pytest.fixture
def app(home: Path, model_cache: Path) -> Iterator[App]:
    """The same at the new year; the test says what day it is."""
    Calendar.at = NEW_YEAR
    app = open_app(load(home=home), models=model_cache.parent, clock=Calendar())
    yield app
    app.close()


@pytest.fixture
def docs(tmp_path: Path, home: Path) -> Iterator[Docs]:
    """A home without an encoder around an empty folder of documents."""
    kit = documents(tmp_path, home)
    yield kit
    kit.app.close()


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    """A session in which something is decided."""
    path = tmp_path / "session.jsonl"
    path.write_text(LINES, "utf-8")
    return path


@pytest.fixture
def at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder of the test's own, where programs keep their transcripts."""
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    (tmp_path / "user").mkdir()
    return tmp_path / "user"
