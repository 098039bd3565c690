"""The case tables and how to run them: through `observe` alone, or as a session through a home."""

import json
import tomllib
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from kits.extraction import THURSDAY, accepted, said, segment
from pellucid.app import App
from pellucid.capture.reader import read
from pellucid.capture.report import CaptureReport
from pellucid.model.memory import STATUSES
from pellucid.model.observation import MemoryObservation
from pellucid.model.turn import Turn
from pellucid.operations.browsing import ListInput, list_memories
from pellucid.operations.session.importing import ImportInput, import_transcripts
from pellucid.settings.sections import CaptureSettings

CASES = Path(__file__).parents[1] / "unit" / "observe" / "cases"
DAY, MINUTE = timedelta(days=1), timedelta(minutes=1)
_MADE_UP = {"{key}": "ghp_" + "q7Zr2LmX9vKc4TbN8wYd3HsF6jPaG1eUoR5i", "{card}": "4111 1111 1111 " + "1111"}


def rows(name: str) -> list[Any]:
    """The rows of a table, made-up credentials put in."""
    text = (CASES / f"{name}.toml").read_text(encoding="utf-8")
    for mark, value in _MADE_UP.items():
        text = text.replace(mark, value)
    return tomllib.loads(text)["rows"]


def kept_of(content: str) -> list[MemoryObservation]:
    """What is kept of one turn of a user, without any capture before."""
    return accepted(segment(said(content)))


def kept_through_capture(content: str, folder: Path) -> list[MemoryObservation]:
    """The same, read from a transcript file: redaction included."""
    path = _transcript([said(content)], folder)
    return accepted(segment(*read([path], CaptureSettings(), CaptureReport())))


def spoken(lines: Sequence[str], apart: timedelta) -> list[Turn]:
    """One user's turns, so far apart."""
    return [said(line, at + 1, at=THURSDAY + at * apart) for at, line in enumerate(lines)]


def run_session(turns: Sequence[Turn], app: App, namespace: str, folder: Path) -> list[tuple[str, str]]:
    """Import the turns as one transcript: (content, status) of every memory of the namespace, the oldest first."""
    import_transcripts(app, ImportInput(mode="extract", paths=(_transcript(turns, folder),), namespace=namespace))
    found = [
        memory
        for status in STATUSES
        for memory in list_memories(app, ListInput(namespace=namespace, status=status, limit=100)).memories
    ]
    return [(each.memory.content, each.memory.status) for each in sorted(found, key=lambda each: each.memory.id)]


def fits(active: Sequence[str], expected: Sequence[str]) -> bool:
    """Whether there are as many memories as expected, each expected word group in one of its own."""
    left = list(active)
    for words in sorted(expected, key=len, reverse=True):
        found = next((content for content in left if words in content), None)
        if found is None:
            return False
        left.remove(found)
    return not left


def _transcript(turns: Sequence[Turn], folder: Path) -> Path:
    path = folder / "session.jsonl"
    lines = [{"role": turn.role, "content": turn.content, "ts": str(turn.at), "session": "s"} for turn in turns]
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    return path
