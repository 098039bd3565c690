"""Files of git checkouts in, the history of each file's header out, one file at a time, with notes for the user."""

import hashlib
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
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
"""An older version of a file, its stored path and its bytes in; the entity it defined and its clean header out. Handed
in, as documents import nothing of capture, which takes secrets out."""


@dataclass(frozen=True, slots=True)
class FileCommits:
    """The times of the commits that changed a file, oldest first.

    `left` is when a commit replaced the text that is stored of the file; None if none did.
    """

    at: tuple[datetime, ...]
    left: datetime | None = None

    def end_after(self, start: datetime, now: datetime) -> datetime:
        """Return when a text that began at `start` was replaced: at `left`, if that is set, else at the first commit
        after `start`.

        Return `now` if there is no such time, or it is not after `start`, or is after `now`.
        """
        at = self.left or next((each for each in self.at if each > start), now)
        return at if start < at <= now else now


@dataclass(frozen=True, slots=True)
class Departure:
    """A file that the branch no longer contains: its commits, and the file that it was renamed to (None if deleted)."""

    changes: FileCommits
    to: Path | None


@dataclass(frozen=True, slots=True)
class HeaderHistory:
    """The states of a file's header over time, the time of its last commit (`touched`), and whether the file is as
    committed (`clean`)."""

    states: tuple[HeaderState, ...]
    touched: datetime
    clean: bool
    changes: FileCommits
    entities: tuple[str, ...] = ()
    """The entity that the file defined in each of `states`."""
    others: int = 0
    """How many headers `of_entity` left out because the file defined another entity then."""

    def of_entity(self, entity: str) -> "HeaderHistory":
        """Return the history of one entity, a copy in which `values` is None, as if the file was absent, in every state
        in which the file defined another entity.

        `others` becomes the number of these states.
        """
        key = node_key(entity)
        own = [
            each.values is None or node_key(name) == key for each, name in zip(self.states, self.entities, strict=True)
        ]
        states = tuple(
            each if is_own else replace(each, values=None) for each, is_own in zip(self.states, own, strict=True)
        )
        return replace(self, states=states, entities=(entity,) * len(states), others=own.count(False))

    def without_future_dates(self, stored_versions: Iterable[HeaderVersion], now: datetime) -> "HeaderHistory":
        """Return a copy in which no state, nor `touched`, is dated after `now`; the times in `changes` stay.

        A state's date becomes the earliest of its own, `now`, and the `valid_from` of the version in `stored_versions`
        that has its commit, if there is one.
        """
        first_stored = {each.commit: each.valid_from for each in stored_versions if each.commit}
        states = tuple(
            replace(each, at=min(each.at, now, first_stored.get(each.commit or "", now))) for each in self.states
        )
        return replace(self, states=states, touched=min(self.touched, now))

    @property
    def defined_since(self) -> datetime | None:
        """When the file last began to define its present entity: the time of the first state after the last one without
        values.

        None if every state has values (it always did), if the last one has none (it is absent), or if the file is not
        as committed (`clean`).
        """
        absent = [place for place, each in enumerate(self.states) if each.values is None]
        later = self.states[absent[-1] + 1 :] if absent else ()
        return later[0].at if later and self.clean else None


@dataclass(slots=True)
class Histories:
    """The git histories of some files, read forward in the order of `paths`."""

    paths: Mapping[Path, str]
    """Maps each file to its stored path, under which older versions are read."""
    header: HeaderOf
    notes: list[str] = field(default_factory=list[str])
    _running: dict[Path, Generator[FileHistory]] = field(default_factory=dict[Path, Generator[FileHistory]])
    _next: dict[Path, FileHistory] = field(default_factory=dict[Path, FileHistory])
    _place: dict[Path, int] = field(default_factory=dict[Path, int])
    _tops: dict[Path, Path] = field(default_factory=dict[Path, Path])
    """Maps each file that is in a checkout to the checkout's top folder."""
    _repositories: dict[Path, Repository] = field(default_factory=dict[Path, Repository])

    @classmethod
    @contextmanager
    def of(cls, paths: Mapping[Path, str], header: HeaderOf) -> "Generator[Histories]":
        """Open the histories of these files for a `with` block; ask for them in the order of `paths`.

        `paths` maps each file to its stored path; `header` returns the entity and the clean header of an old version.
        Raises InputError if there are files, but none is in a git checkout, or if git is not installed or fails.
        """
        histories = cls(paths, header)
        try:
            histories._open_repositories(list(paths))
            yield histories
        finally:
            for each in histories._running.values():
                each.close()

    def history_of_file(self, file: Path, data: bytes, stored_digest: str = "") -> HeaderHistory | None:
        """Return the history of a file whose bytes are `data` now.

        None if the file is in no checkout, if no commit contains it, or if it, or a file of the same checkout that is
        later in `paths`, was asked for before. `stored_digest` is the SHA-256 of the bytes as last stored, in
        hexadecimal, empty for a new file: if they differ from `data`, `changes.left` is when a commit replaced them.
        Raises InputError if git fails.
        """
        top = self._tops.get(file)
        if top is None:
            return None
        history = self._next.pop(top, None) or next(self._running[top], None)
        while history and self._place[top / history.path] < self._place[file]:  # nobody asked for that one
            history = next(self._running[top], None)
        if history is None:
            return None
        if top / history.path != file:
            self._next[top] = history
            return None
        states = tuple(HeaderState(each.at, each.values, each.commit) for each in history.versions)
        entities = tuple(each.entity for each in history.versions)
        replaced_digest = stored_digest if stored_digest != hashlib.sha256(data).hexdigest() else ""
        changes = _file_commits(self._repositories[top], history.texts, replaced_digest)
        return HeaderHistory(states, history.touched, _is_blob(history.blob, data), changes, entities)

    def departures(self, stored_digests: Mapping[Path, str]) -> dict[Path, Departure]:
        """Return, by file, how each of these missing files left its branch: its commits, and the file that a commit
        renamed it to (None if one deleted it).

        `stored_digests` maps the missing files to the SHA-256 (hexadecimal) of their bytes as last stored. Files
        that no commit removed or renamed are left out, and so are those of a repository that cannot be read, which is
        added to `notes`.
        """
        by_top: dict[Path, list[Path]] = {}
        for file in stored_digests:
            if top := find_checkout(file.parent):
                by_top.setdefault(top, []).append(file)
        departures: dict[Path, Departure] = {}
        for top, files in by_top.items():
            try:
                repository = open_repository(top)
                paths = [file.relative_to(top).as_posix() for file in files] if has_commits(repository) else []
                for path, each in (git_departures(repository, paths) if paths else {}).items():
                    changes = _file_commits(repository, each.texts, stored_digests[top / path])
                    departures[top / path] = Departure(changes, top / each.to if each.to else None)
            except InputError as error:
                self.notes.append(f"when files left is not known: {error}")
        return departures

    def _open_repositories(self, files: Sequence[Path]) -> None:
        """Open the git repositories of these files, and begin to read their histories.

        Notes for the user, in `notes`, say how many files are outside of any repository, and which repositories have no
        commit or are shallow clones. Raises InputError if there are files, but none is in a git checkout, or if git is
        not installed or fails.
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
        """Return the entity and the header of an old version of the file at `path`, whose bytes are `data`; None if it
        cannot be read.

        `path` is relative to `top`, the checkout's folder. The version is read under the file's present stored path.
        """
        name = self.paths[top / path]
        root = (top / path).parents[name.count("/")].name  # a stored path begins below the root that it was found in
        try:
            return self.header(read_document(name, data, root), name, data)
        except InputError:
            return None


def _file_commits(repository: Repository, texts: Sequence[TextAt], stored_digest: str) -> FileCommits:
    """Return the times at which commits changed a file, and, as `left`, when the text with the SHA-256 `stored_digest`
    (hexadecimal) was last replaced; None if it is in no version but the newest.

    `texts` are the versions of the file, oldest first. Nothing is looked up for an empty digest, and `left` is None.
    Raises InputError if git fails.
    """
    at = tuple(each.at for each in texts)
    if not stored_digest or len(texts) < 2:
        return FileCommits(at)
    with blobs(repository) as blob:
        for number in range(len(texts) - 2, -1, -1):
            name = texts[number].blob
            if name and hashlib.sha256(blob(name, MOST_BYTES)).hexdigest() == stored_digest:
                return FileCommits(at, at[number + 1])
    return FileCommits(at)


def _is_blob(name: str, data: bytes) -> bool:
    r"""Whether git would store these bytes, or the same with `\n` line ends, under this object name."""
    kind = "sha256" if len(name) == 64 else "sha1"
    texts = (data, data.replace(b"\r\n", b"\n"))
    return any(
        hashlib.new(kind, b"blob %d\0" % len(text) + text, usedforsecurity=False).hexdigest() == name for text in texts
    )
