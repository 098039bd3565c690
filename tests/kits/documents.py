"""A folder of documents and a home without an encoder in, what indexing makes of them out: real files, a hand clock."""

import os
import subprocess
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from kits.live_sessions import HERE, NOON
from kits.vault import TickingClock
from pellucid.app import App, open_app
from pellucid.model.document import Document, Section
from pellucid.operations.document.held import known_documents, read_kept
from pellucid.operations.document.indexing import IndexDocsInput, IndexDocsOutput, index_docs
from pellucid.settings import Settings
from pellucid.settings.sections import CaptureSettings

SPEC = """\
---
spec_id: SPEC-054
status: Draft
requires: 37
---

# Port of the signal plane

Why the plane moves to another language, and what must not be lost on the way.

## Depends on

- SPEC-037 §3: the dedup contract.

## Plan

The cutover takes two nights; the old plane stays warm for a week.
"""


@dataclass
class Docs:
    """A folder that is indexed into a home."""

    app: App
    folder: Path
    clock: TickingClock
    ago: float = 3600.0
    """How long before the clock's now a file says that it was written, in seconds."""
    extra: dict[str, Any] = field(default_factory=dict[str, Any])

    def write(self, path: str, text: str | bytes, at: datetime | None = None) -> Path:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        stamp = (at or self.clock.at).timestamp() - (0 if at else self.ago)
        os.utime(file, (stamp, stamp))
        return file

    def edit(self, path: str, old: str, new: str) -> None:
        text = (self.folder / path).read_text("utf-8")
        assert old in text
        self.write(path, text.replace(old, new))

    def index(self, *paths: str, **given: Any) -> IndexDocsOutput:
        chosen = tuple(self.folder / path for path in paths) or (self.folder,)
        return index_docs(self.app, IndexDocsInput(namespace=HERE, paths=chosen, **{**self.extra, **given}))

    def indexed(self, path: str, text: str | bytes, at: datetime | None = None) -> IndexDocsOutput:
        """What indexing makes of one more file."""
        self.write(path, text, at)
        return self.index()

    def edited(self, path: str, old: str, new: str) -> IndexDocsOutput:
        """What indexing makes of an edit."""
        self.edit(path, old, new)
        return self.index()

    def committed(self, git: "Git", at: str, files: dict[str, str] | None = None) -> IndexDocsOutput:
        """What indexing with the history makes of one more commit."""
        git.commit(at, files)
        return self.index(history=True)

    def known(self, path: str) -> tuple[Document, tuple[Section, ...]]:
        """A document as its vault file has it."""
        kept = read_kept(self.app, known_documents(self.app, HERE)[self.folder / path])
        assert kept is not None
        return kept.document, kept.sections

    def open(self, path: str) -> list[Section]:
        return [each for each in self.known(path)[1] if each.valid_until is None]

    def said(self) -> list[str]:
        """What the index holds of documents that stand."""
        memories = (each.memory for each in self.app.index.memories(HERE))
        return sorted(each.content for each in memories if each.category == "section" and each.status == "active")


def without_encoder(home: Path, clock: TickingClock, **capture: object) -> App:
    """A home that embeds nothing: fast, and served by words."""
    app = open_app(Settings(home=home, capture=CaptureSettings.model_validate(capture)), clock=clock)
    indexer = replace(app.indexer, embedder=None)
    return replace(app, indexer=indexer, unit_of_work=replace(app.unit_of_work, indexer=indexer))


def documents(folder: Path, home: Path) -> Docs:
    """An empty folder of documents beside a home without an encoder."""
    clock = TickingClock()
    (folder / "docs").mkdir()
    return Docs(without_encoder(home, clock), folder / "docs", clock)


@dataclass
class Git:
    """A repository in which commits are made at given times."""

    top: Path

    def __post_init__(self) -> None:
        self.run("init", "-q", "-b", "main")

    def run(self, *words: str, at: str = "2024-01-01T00:00:00Z") -> str:
        who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false"]
        dates = {"GIT_AUTHOR_DATE": "2020-01-01T00:00:00Z", "GIT_COMMITTER_DATE": at}
        environment = {"PATH": os.defpath, "HOME": str(self.top), **dates}
        done = subprocess.run(
            ["git", *who, *words], cwd=self.top, env=environment, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    def commit(self, at: str, files: dict[str, str] | None = None) -> str:
        """Write files, and commit all there is; then they say that they were written an hour before noon."""
        for name, text in (files or {}).items():
            (self.top / name).write_text(text, "utf-8")
        self.run("add", "-A")
        self.run("commit", "-q", "--allow-empty", "-m", "x", at=at)
        written = NOON.timestamp() - 3600
        for name in files or {}:  # not before: git takes a file of the same size and time for the same
            os.utime(self.top / name, (written, written))
        return self.run("rev-parse", "HEAD")
