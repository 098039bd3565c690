"""Nothing in, an empty repository out."""

from pathlib import Path

import pytest

from kits.git import Git


@pytest.fixture
def git(tmp_path: Path) -> Git:
    (tmp_path / "r").mkdir()
    return Git(tmp_path / "r")
