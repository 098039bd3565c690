"""Nothing in, a home and a working directory without any settings out."""

import os
from pathlib import Path

import pytest


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """A home and a working directory of the test's own, and no `PELLUCID_*` from outside."""
    for name in [name for name in os.environ if name.startswith("PELLUCID_")]:  # noqa: TID251 - to clear it
        monkeypatch.delenv(name)
    home, here = tmp_path / "home", tmp_path / "here"
    home.mkdir()
    here.mkdir()
    monkeypatch.chdir(here)
    return home, here
