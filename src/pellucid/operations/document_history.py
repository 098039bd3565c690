"""Files of git checkouts in, the history of each one's header out, file by file, and what is to be said about it."""

import hashlib
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from pellucid.errors import InputError
from pellucid.graph.git_history import FileHistory, header_history
from pellucid.graph.git_program import find_checkout, open_repository
from pellucid.graph.reading import read_document
from pellucid.operations.document_reading import Tally, header_values
from pellucid.operations.document_versions import Said
from pellucid.settings import Settings


@dataclass(frozen=True, slots=True)
class Told:
    """The history of a file: what its header said, when its last commit was, and whether it still is as it was."""

    said: tuple[Said, ...]
    touched: datetime
    clean: bool


@dataclass(slots=True)
class Histories:
    """The histories of files, given in the order in which they are asked for."""

    settings: Settings
    now: datetime
    notes: list[str] = field(default_factory=list[str])
    _running: dict[Path, Iterator[FileHistory]] = field(default_factory=dict[Path, Iterator[FileHistory]])
    _next: dict[Path, FileHistory] = field(default_factory=dict[Path, FileHistory])
    _place: dict[Path, int] = field(default_factory=dict[Path, int])
    _tops: dict[Path, Path] = field(default_factory=dict[Path, Path])
    """The checkout of each file that stands in one."""

    @classmethod
    @contextmanager
    def of(cls, files: Sequence[Path], settings: Settings, now: datetime) -> "Generator[Histories]":
        """The histories of these files; ask for them in this order.

        Raises:
            InputError: none of them stands in a git checkout, or git is not to be had, or refuses it.
        """
        histories = cls(settings, now)
        try:
            histories._open(files)
            yield histories
        finally:
            for each in histories._running.values():
                if isinstance(each, Generator):
                    each.close()

    def tell(self, file: Path, data: bytes) -> Told | None:
        """The history of a file that now holds these bytes; None if no commit holds it."""
        top = self._tops.get(file)
        if top is None:
            return None
        found = self._next.pop(top, None) or next(self._running[top], None)
        while found and self._place[top / found.path] < self._place[file]:  # nobody asked for that one
            found = next(self._running[top], None)
        if found is None:
            return None
        if top / found.path != file:
            self._next[top] = found
            return None
        said = tuple(Said(min(each.at, self.now), each.values, each.commit) for each in found.versions)
        return Told(said, min(found.touched, self.now), clean=_is_blob(found.blob, data))

    def _open(self, files: Sequence[Path]) -> None:
        self._place = {file: place for place, file in enumerate(files)}
        folders = {folder: find_checkout(folder) for folder in {file.parent for file in files}}
        by_top: dict[Path, list[str]] = {}
        for file in files:
            if top := folders[file.parent]:
                self._tops[file] = top
                by_top.setdefault(top, []).append(file.relative_to(top).as_posix())
        if files and not by_top:
            raise InputError(
                "none of these files stands in a git checkout", code="no_history",
                next_step="leave --history out, or load a history with --history-file",
            )  # fmt: skip
        if outside := len(files) - len(self._tops):
            self.notes.append(f"{outside} files stand in no git checkout: they have no history")
        for top, paths in by_top.items():
            repository = open_repository(top)
            if repository.shallow:
                self.notes.append(f"{top} is a shallow clone: what was before its first commit is not known")
            self._running[top] = header_history(repository, paths, self._read)

    def _read(self, path: str, data: bytes) -> dict[str, str] | None:
        try:
            return header_values(read_document(path, data), self.settings, Tally())
        except InputError:
            return None


def _is_blob(name: str, data: bytes) -> bool:
    """Whether git would store these bytes, or the same with plain line ends, under this name."""
    kind = "sha256" if len(name) == 64 else "sha1"
    texts = (data, data.replace(b"\r\n", b"\n"))
    return any(
        hashlib.new(kind, b"blob %d\0" % len(text) + text, usedforsecurity=False).hexdigest() == name for text in texts
    )
