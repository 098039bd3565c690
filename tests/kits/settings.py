"""A folder and some text in, its `pellucid.toml` out."""

from pathlib import Path


def toml(folder: Path, text: str) -> None:
    (folder / "pellucid.toml").write_text(text, "utf-8")
