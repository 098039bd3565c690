"""The entry point of the command line, run in this process; the kit of the property tests, within reach."""

import os
import sys
from pathlib import Path

import pytest

from kits.cli import Cli, Said
from pellucid.encoders.minilm.encoder import MiniLM
from pellucid.surfaces.cli import main


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The home of the command line."""
    return tmp_path / "home"


@pytest.fixture
def cli(
    tmp_path: Path, minilm: MiniLM, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> Cli:
    """Runs the entry point in this process, around the encoder that is loaded once, in a home of the test's own."""
    for name in [name for name in os.environ if name.startswith("PELLUCID_")]:  # noqa: TID251 - to clear it
        monkeypatch.delenv(name)
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("PELLUCID_HOME", str(tmp_path / "home"))
    monkeypatch.setattr("pellucid.app.MiniLM", lambda *_, **__: minilm)

    def run(*arguments: str, code: int | None = 0) -> Said:
        monkeypatch.setattr(sys, "argv", ["pellucid", *arguments])
        try:
            main()
            left = 0
        except SystemExit as exit_:
            left = exit_.code
        out, err = capsysbinary.readouterr()
        assert isinstance(left, int | None)
        said = Said(left or 0, out.decode(), err.decode())
        assert code is None or said.code == code, said
        return said

    return run
