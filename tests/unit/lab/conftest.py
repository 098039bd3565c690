"""The kit of the property tests in, its fixture within reach of this room, and the shared encoder for the lab, out."""

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "property"))


@pytest.fixture
def embedded(minilm: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """Homes of the lab encode with the encoder that is loaded once."""
    monkeypatch.setattr("pellucid.app.MiniLM", lambda *_, **__: minilm)
