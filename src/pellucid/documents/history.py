"""Files of git checkouts in, the history of each one's header out, file by file, and what is to be said about it."""

import hashlib
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from pathlib import Path

from pellucid.documents.files import MOST_BYTES
from pellucid.documents.reading import ReadDocument, Values, read_document
from pellucid.documents.versions import Said
from pellucid.errors import InputError
from pellucid.git.history import FileHistory, TextAt, departures, has_commits, header_history
from pellucid.git.program import Repository, blobs, find_checkout, open_repository
from pellucid.model.document import HeaderVersion
from pellucid.model.entity import node_key

HeaderOf = Callable[[ReadDocument, str, bytes], tuple[str, Values]]
"""An older version as it was read, its stored path and its bytes in; what it defined and its clean header out."""


@dataclass(frozen=True, slots=True)
class FileCommits:
    """When commits changed a file, oldest first; and when the text that is kept of it was left, where one holds it."""

    at: tuple[datetime, ...]
    left: datetime | None = None

    def after(self, begun: datetime, now: datetime) -> datetime:
        """When what began then, and is no more, was left: never before it began, nor later than now.

        It is now where no commit tells: all of them are older.
        """
        at = self.left or next((each for each in self.at if each > begun), now)
        return at if begun < at <= now else now


@dataclass(frozen=True, slots=True)
class Gone:
    """A file that the branch holds no more: when it was changed and when it went, and which file it is today."""

    changes: FileCommits
    to: Path | None


@dataclass(frozen=True, slots=True)
class HeaderHistory:
    """The history of a file: what its header said, when its last commit was, and whether it still is as it was."""

    said: tuple[Said, ...]
    touched: datetime
    clean: bool
    changes: FileCommits
    entities: tuple[str, ...] = ()
    """What the file defined then, one for each that `said` holds."""
    others: int = 0
    """Of the headers, how many were left out: they are of something else that the file defined."""

    def of(self, entity: str) -> "HeaderHistory":
        """The history of this one entity: while the file defined another thing, this one was not there."""
        key = node_key(entity)
        own = [
            each.values is None or node_key(name) == key for each, name in zip(self.said, self.entities, strict=True)
        ]
        said = tuple(
            each if is_own else replace(each, values=None) for each, is_own in zip(self.said, own, strict=True)
        )
        return replace(self, said=said, entities=(entity,) * len(said), others=own.count(False))

    def dated(self, old: Iterable[HeaderVersion], now: datetime) -> "HeaderHistory":
        """The same without dates to come: a commit that bears one counts from when it was first read."""
        first = {each.commit: each.valid_from for each in old if each.commit}
        said = tuple(replace(each, at=min(each.at, now, first.get(each.commit or "", now))) for each in self.said)
        return replace(self, said=said, touched=min(self.touched, now))

    @property
    def defined(self) -> datetime | None:
        """Since when the file has defined what it does; None if it always did."""
        absent = [place for place, each in enumerate(self.said) if each.values is None]
        later = self.said[absent[-1] + 1 :] if absent else ()
        return later[0].at if later and self.clean else None


@dataclass(slots=True)
class Histories:
    """The histories of files, given in the order in which they are asked for."""

    paths: Mapping[Path, str]
    """The files, and what each is called in what is stored: an old version is read under that name."""
    header: HeaderOf
    notes: list[str] = field(default_factory=list[str])
    _running: dict[Path, Iterator[FileHistory]] = field(default_factory=dict[Path, Iterator[FileHistory]])
    _next: dict[Path, FileHistory] = field(default_factory=dict[Path, FileHistory])
    _place: dict[Path, int] = field(default_factory=dict[Path, int])
    _tops: dict[Path, Path] = field(default_factory=dict[Path, Path])
    """The checkout of each file that stands in one."""
    _repositories: dict[Path, Repository] = field(default_factory=dict[Path, Repository])

    @classmethod
    @contextmanager
    def of(cls, paths: Mapping[Path, str], header: HeaderOf) -> "Generator[Histories]":
        """The histories of these files; ask for them in this order.

        Raises:
            InputError: none of them stands in a git checkout, or git is not to be had, or refuses it.
        """
        histories = cls(paths, header)
        try:
            histories._open_repositories(list(paths))
            yield histories
        finally:
            for each in histories._running.values():
                if isinstance(each, Generator):
                    each.close()

    def of_file(self, file: Path, data: bytes, kept: str = "") -> HeaderHistory | None:
        """The history of a file that now holds these bytes; None if no commit holds it, or a later one was asked for.

        Files are asked for in the order of `paths`: what git tells is read once, forward.
        `kept` is the digest of the text that is kept of it.
        """
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
        said = tuple(Said(each.at, each.values, each.commit) for each in found.versions)
        entities = tuple(each.entity for each in found.versions)
        other = kept if kept != hashlib.sha256(data).hexdigest() else ""
        changes = _commits_of(self._repositories[top], found.texts, other)
        return HeaderHistory(said, found.touched, _is_blob(found.blob, data), changes, entities)

    def gone(self, kept: Mapping[Path, str]) -> dict[Path, Gone]:
        """When and whereto files that are not there now were taken away, of those that a commit took away.

        `kept` has the digest of the text that is kept of each. A repository that cannot be read is noted.
        """
        by_top: dict[Path, list[Path]] = {}
        for file in kept:
            if top := find_checkout(file.parent):
                by_top.setdefault(top, []).append(file)
        out: dict[Path, Gone] = {}
        for top, files in by_top.items():
            try:
                repository = open_repository(top)
                paths = [_path(file, top) for file in files] if has_commits(repository) else []
                for path, each in (departures(repository, paths) if paths else {}).items():
                    changes = _commits_of(repository, each.texts, kept[top / path])
                    out[top / path] = Gone(changes, top / each.to if each.to else None)
            except InputError as error:
                self.notes.append(f"when files left is not known: {error}")
        return out

    def _open_repositories(self, files: Sequence[Path]) -> None:
        """Open the git repositories that these files stand in; what has no history there is noted.

        InputError where no file stands in one.
        """
        self._place = {file: place for place, file in enumerate(files)}
        folders = {folder: find_checkout(folder) for folder in {file.parent for file in files}}
        by_top: dict[Path, list[str]] = {}
        for file in files:
            if top := folders[file.parent]:
                self._tops[file] = top
                by_top.setdefault(top, []).append(_path(file, top))
        if files and not by_top:
            raise InputError(
                "none of these files stands in a git checkout",
                code="no_history",
                next_step="leave the git history out, or load one from a file of rows",
            )
        if outside := len(files) - len(self._tops):
            self.notes.append(f"{outside} files stand in no git checkout: they have no history")
        for top, paths in by_top.items():
            repository = open_repository(top)
            if not has_commits(repository):
                self.notes.append(f"{top} holds no commit yet: its files have no history")
                self._tops = {file: each for file, each in self._tops.items() if each != top}
                continue
            if repository.shallow:
                self.notes.append(f"{top} is a shallow clone: what was before its first commit is not known")
            self._repositories[top] = repository
            self._running[top] = header_history(repository, paths, partial(self._read_header, top))

    def _read_header(self, top: Path, path: str, data: bytes) -> tuple[str, dict[str, str]] | None:
        """The entity and header that an old version of a file stated; None where it could not be read."""
        name = self.paths[top / path]
        root = (top / path).parents[name.count("/")].name
        try:
            return self.header(read_document(name, data, root), name, data)
        except InputError:
            return None


def _commits_of(repository: Repository, texts: Sequence[TextAt], kept: str) -> FileCommits:
    """When a file was changed, and when a commit left the text of the digest `kept`, the newest such change."""
    at = tuple(each.at for each in texts)
    if not kept or len(texts) < 2:
        return FileCommits(at)
    with blobs(repository) as blob:
        for place in range(len(texts) - 2, -1, -1):
            name = texts[place].blob
            if name and hashlib.sha256(blob(name, MOST_BYTES)).hexdigest() == kept:
                return FileCommits(at, at[place + 1])
    return FileCommits(at)


def _path(file: Path, top: Path) -> str:
    return file.relative_to(top).as_posix()


def _is_blob(name: str, data: bytes) -> bool:
    """Whether git would store these bytes, or the same with plain line ends, under this name."""
    kind = "sha256" if len(name) == 64 else "sha1"
    texts = (data, data.replace(b"\r\n", b"\n"))
    return any(
        hashlib.new(kind, b"blob %d\0" % len(text) + text, usedforsecurity=False).hexdigest() == name for text in texts
    )
