"""The page that walks one question from asking to replay in, what its commands print today out: the same.

`PELLUCID_UPDATE_DOCS=1` writes the page anew.
"""

import os
import re
import subprocess
from pathlib import Path

import pytest
from test_docs_snippets import desk

from kits.snippets import ROOT

__all__ = ["desk"]

PAGE = ROOT / "docs" / "explain.md"
UPDATE = os.environ.get("PELLUCID_UPDATE_DOCS") == "1"  # noqa: TID251 - a switch of this test, not a setting
BLOCK = re.compile(r"(?<=```console no-run real\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)
PASSING = (
    (re.compile(r"\b(rec|aud|op)_[0-9a-f]{32,36}\b"), r"\1_…"),
    (re.compile(r"\b[\d.]+ ms\b"), "… ms"),
    (re.compile(r"(?<=latency-ms: )[\d.]+"), "…"),
    (re.compile(r"(?<=captured-at: )\S+|(?<=^  at: ).+", re.MULTILINE), "…"),
    (re.compile(r"(?<=appliedSeq )\d+|(?<=corpus-statistics-changed \()[^)]*(?=\))"), "…"),
)


def untimed(text: str) -> str:
    """The text without what differs from run to run."""
    for pattern, plain in PASSING:
        text = pattern.sub(plain, text)
    return "\n".join(line.rstrip() for line in text.splitlines())


def typed(block: str) -> str:
    """A block with what its commands print."""
    out: list[str] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            done = subprocess.run(line[2:], shell=True, capture_output=True, text=True, timeout=120, check=False)
            assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
            out += [line, *([untimed(done.stdout)] if done.stdout.strip() else [])]
    return "\n".join(out) + "\n"


@pytest.mark.requirement("XRAY-3")
@pytest.mark.requirement("XRAY-5")
@pytest.mark.requirement("XRAY-6")
def test_the_page_shows_what_its_commands_print(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PELLUCID_LIFECYCLE__STALE_AFTER_DAYS", "100000")  # the page's memories grow older every day
    monkeypatch.setenv("PELLUCID_RECALL__HALF_LIFE_DAYS", "1e9")
    page = PAGE.read_text("utf-8")
    drawn = BLOCK.sub(lambda found: typed(found[0]), page)
    if UPDATE:
        PAGE.write_text(drawn, "utf-8")
    assert drawn == page
