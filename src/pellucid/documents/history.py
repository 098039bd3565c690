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
from pellucid.documents.versions import HeaderState
from pellucid.errors import InputError
from pellucid.git.history import FileHistory, TextAt, has_commits, header_history
from pellucid.git.history import departures as git_departures
from pellucid.git.program import Repository, blobs, find_checkout, open_repository
from pellucid.model.document import HeaderVersion
from pellucid.model.entity import node_key

HeaderOf = Callable[[ReadDocument, str, bytes], tuple[str, Values]]
"""An older version as it was read, its stored path and its bytes in; what it defined and its clean header out."""


@dataclass(frozen=True, slots=True)
class FileCommits:
    """When commits changed a file, oldest first; `left` is when the stored text of it was replaced, if a commit did."""

    at: tuple[datetime, ...]
    left: datetime | None = None

    def end_after(self, begun: datetime, now: datetime) -> datetime:
        """When a text that began at `begun` and is gone by `now` was replaced: at `left`, else at the first commit
        after `begun`.

        `now` where that is not between the two.
        """
        at = self.left or next((each for each in self.at if each > begun), now)
        return at if begun < at <= now else now


@dataclass(frozen=True, slots=True)
class Departure:
    """A file that the branch no longer holds: when it was changed and removed, and what it was renamed to."""

    changes: FileCommits
    to: Path | None


@dataclass(frozen=True, slots=True)
class HeaderHistory:
    """What a file's header said over time, its last commit, and whether the file is as committed (`clean`)."""

    said: tuple[HeaderState, ...]
    touched: datetime
    clean: bool
    changes: FileCommits
    entities: tuple[str, ...] = ()
    """The entity that the file defined, for each of `said`."""
    others: int = 0
    """How many headers `of_entity` left out, as the file defined another entity then."""

    def of_entity(self, entity: str) -> "HeaderHistory":
        """The history of one entity: `values` is None while the file defined another one, and `others` counts those."""
        key = node_key(entity)
        own = [
            each.values is None or node_key(name) == key for each, name in zip(self.said, self.entities, strict=True)
        ]
        said = tuple(
            each if is_own else replace(each, values=None) for each, is_own in zip(self.said, own, strict=True)
        )
        return replace(self, said=said, entities=(entity,) * len(said), others=own.count(False))

    def without_future_dates(self, old: Iterable[HeaderVersion], now: datetime) -> "HeaderHistory":
        """The same with no date after `now`: a commit with such a date counts from when it was first read.

        `old` are the stored header versions.
        """
        first = {each.commit: each.valid_from for each in old if each.commit}
        said = tuple(replace(each, at=min(each.at, now, first.get(each.commit or "", now))) for each in self.said)
        return replace(self, said=said, touched=min(self.touched, now))

    @property
    def defined_since(self) -> datetime | None:
        """When the file began to define what it does; None if it always did, or the file is not as committed, or was
        absent last."""
        absent = [place for place, each in enumerate(self.said) if each.values is None]
        later = self.said[absent[-1] + 1 :] if absent else ()
        return later[0].at if later and self.clean else None


@dataclass(slots=True)
class Histories:
    """The git histories of files, read in the order of `paths`."""

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
        """The history of a file that now holds `data`; None if it stands in no checkout, no commit holds it, or a later
        file was asked for.

        `kept` is the digest of its stored text. What git tells is read once, forward: ask in the order of `paths`.
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
        said = tuple(HeaderState(each.at, each.values, each.commit) for each in found.versions)
        entities = tuple(each.entity for each in found.versions)
        other = kept if kept != hashlib.sha256(data).hexdigest() else ""
        changes = _commits_of(self._repositories[top], found.texts, other)
        return HeaderHistory(said, found.touched, _is_blob(found.blob, data), changes, entities)

    def departures(self, kept: Mapping[Path, str]) -> dict[Path, Departure]:
        """The departure of each of these missing files that a commit removed, by file; others are not in it.

        `kept` has the digest of each file's stored text. A repository that cannot be read is noted.
        """
        by_top: dict[Path, list[Path]] = {}
        for file in kept:
            if top := find_checkout(file.parent):
                by_top.setdefault(top, []).append(file)
        out: dict[Path, Departure] = {}
        for top, files in by_top.items():
            try:
                repository = open_repository(top)
                paths = [file.relative_to(top).as_posix() for file in files] if has_commits(repository) else []
                for path, each in (git_departures(repository, paths) if paths else {}).items():
                    changes = _commits_of(repository, each.texts, kept[top / path])
                    out[top / path] = Departure(changes, top / each.to if each.to else None)
            except InputError as error:
                self.notes.append(f"when files left is not known: {error}")
        return out

    def _open_repositories(self, files: Sequence[Path]) -> None:
        """Open the git repositories of these files; files outside of any, and repositories without a commit, are noted.

        A shallow clone is noted, too.

        Raises:
            InputError: no file is in a git checkout.
        """
        self._place = {file: place for place, file in enumerate(files)}
        folders = {folder: find_checkout(folder) for folder in {file.parent for file in files}}
        by_top: dict[Path, list[str]] = {}
        for file in files:
            if top := folders[file.parent]:
                self._tops[file] = top
                by_top.setdefault(top, []).append(file.relative_to(top).as_posix())
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
        """The entity and header in an old version of a file; None where it could not be read."""
        name = self.paths[top / path]
        root = (top / path).parents[name.count("/")].name
        try:
            return self.header(read_document(name, data, root), name, data)
        except InputError:
            return None


def _commits_of(repository: Repository, texts: Sequence[TextAt], kept: str) -> FileCommits:
    """When commits changed a file (`texts`), and when the text of digest `kept` was last replaced, if a commit did
    that.

    With an empty `kept` nothing was replaced.
    """
    at = tuple(each.at for each in texts)
    if not kept or len(texts) < 2:
        return FileCommits(at)
    with blobs(repository) as blob:
        for place in range(len(texts) - 2, -1, -1):
            name = texts[place].blob
            if name and hashlib.sha256(blob(name, MOST_BYTES)).hexdigest() == kept:
                return FileCommits(at, at[place + 1])
    return FileCommits(at)


def _is_blob(name: str, data: bytes) -> bool:
    """Whether git would store these bytes, or the same with plain line ends, under this object name."""
    kind = "sha256" if len(name) == 64 else "sha1"
    texts = (data, data.replace(b"\r\n", b"\n"))
    return any(
        hashlib.new(kind, b"blob %d\0" % len(text) + text, usedforsecurity=False).hexdigest() == name for text in texts
    )
