"""Files of a git checkout in, the states of their headers at each commit out, on the branch that is checked out.

A change counts from the committer date of the commit that brought it to the branch; for a merged change that is the
merge (`--first-parent`). Renames are followed backwards from the files of today.
"""

import os
from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import accumulate

from pellucid.git.log import Departures, Trail, Version, commits
from pellucid.git.program import Repository, blobs, run_git

ReadHeader = Callable[[str, bytes], tuple[str, Mapping[str, str]] | None]
"""A path of today and the first bytes of a version in; the entity and header of that version out, or None."""

HEADER_BYTES = 1 << 16  # how much of an old version is read: enough for its header
_STEP = timedelta(milliseconds=1)
_LAST_SECOND = 253_402_300_799  # the end of the year 9999; a commit may name any


@dataclass(frozen=True, slots=True)
class HeaderAt:
    """The header of a file from a commit on; `values` is None if the commit removed the file.

    `entity` is the entity that the file defined.
    """

    commit: str
    at: datetime
    values: Mapping[str, str] | None
    entity: str = ""


@dataclass(frozen=True, slots=True)
class TextAt:
    """The blob of a file from a commit on; empty if the commit removed the file."""

    at: datetime
    blob: str


@dataclass(frozen=True, slots=True)
class FileHistory:
    """The header versions of a file, oldest first, neighbours unequal; `touched` and `blob` are those of its last
    commit."""

    path: str
    versions: tuple[HeaderAt, ...]
    touched: datetime
    blob: str
    texts: tuple[TextAt, ...] = ()  # its commits, oldest first


@dataclass(frozen=True, slots=True)
class FileDeparture:
    """A file that the branch no longer contains: its commits, oldest first; the last one removed it."""

    texts: tuple[TextAt, ...]
    to: str  # its path today; empty if it was deleted


def has_commits(repository: Repository) -> bool:
    """Whether the branch that is checked out has a commit; True if a commit is checked out without a branch.

    Raises InputError if `git` is not installed or fails.
    """
    with run_git(repository, "branch", "--show-current") as (_, out):
        branch = os.fsdecode(out.read()).strip()
    if not branch:
        return True  # a commit is checked out, and no branch
    name = f"refs/heads/{branch}"
    with run_git(repository, "for-each-ref", "--format=%(refname)", name) as (_, out):
        return name in os.fsdecode(out.read()).splitlines()  # others can stand below that name


def header_history(repository: Repository, paths: Iterable[str], read_header: ReadHeader) -> Generator[FileHistory]:
    """Yield the header history of each of these files (paths relative to the checkout), in their order, one at a time.

    `read_header` is called with the path and the first 64 KiB of a version, and returns the version's entity and
    header, or None to have it left out. Files that are in no commit are left out. Memory grows with the number of
    versions, not with their size. Raises InputError if `git` is not installed or fails: no commit yet, or an object is
    missing or damaged.
    """
    path_of = {_encode_path(path): path for path in paths}
    trail = Trail(dict(zip(path_of, path_of, strict=True)))
    for commit, seconds, entries in commits(repository):
        trail.take(commit, seconds, entries)
    with blobs(repository) as blob:
        for name, path in path_of.items():
            if versions := trail.found.pop(name, None):
                yield _file_history(path, versions, blob, read_header)


def _file_history(
    path: str, newest_first: list[Version], blob: Callable[[str, int], bytes], read_header: ReadHeader
) -> FileHistory:
    """Build the history of one file from its versions, at least one, newest first.

    `blob` loads the first bytes of a version by its object name, `read_header` parses its header. The `versions` of the
    result leave out a version without a readable header, and one that repeats the blob or the header before it (see
    `_append_version`); the `texts` have all. `touched` is never before the last header version.
    """
    versions: list[HeaderAt] = []
    last_blob: str | None = ""
    for each in reversed(newest_first):
        if each.blob == last_blob:
            continue
        last_blob = each.blob
        at = _instant(each.seconds)
        if each.blob is None:
            _append_version(versions, HeaderAt(each.commit, at, None))
        elif header := read_header(path, _whole_lines(blob(each.blob, HEADER_BYTES))):
            entity, values = header
            _append_version(versions, HeaderAt(each.commit, at, values, entity))
    newest = newest_first[0]
    touched = max([_instant(newest.seconds), *(each.at for each in versions[-1:])])
    return FileHistory(path, tuple(versions), touched, newest.blob or "", _texts_oldest_first(newest_first))


def _texts_oldest_first(newest_first: list[Version]) -> tuple[TextAt, ...]:
    """Return the blob of each version of a file, oldest first, empty if the version removed the file.

    A version dated before the one that precedes it gets that one's time.
    """
    seconds = accumulate((each.seconds for each in reversed(newest_first)), max)
    return tuple(
        TextAt(_instant(at), each.blob or "") for at, each in zip(seconds, reversed(newest_first), strict=True)
    )


def departures(repository: Repository, paths: Iterable[str]) -> dict[str, FileDeparture]:
    """Map each of `paths` (relative to the checkout) that the branch contained once, and not now, to its departure: the
    blobs that it had, oldest first, and its path today, empty if it was deleted.

    Raises InputError if `git` is not installed or fails.
    """
    trail = Departures({_encode_path(path) for path in paths})
    for commit, seconds, entries in commits(repository):
        trail.take(commit, seconds, entries)
    return {
        os.fsdecode(path): FileDeparture(_texts_oldest_first(versions), os.fsdecode(trail.final_path(path)))
        for path, versions in trail.found.items()
    }


def _instant(seconds: int) -> datetime:
    """Convert epoch seconds to an instant in UTC, clamped to the years 1970 to 9999."""
    return datetime.fromtimestamp(min(max(seconds, 0), _LAST_SECOND), UTC)


def _append_version(versions: list[HeaderAt], new: HeaderAt) -> None:
    """Append a header version to `versions`, in place.

    A version dated before the last is first given a time a millisecond after the last; one at the same instant as the
    last takes its place. Nothing is appended that then equals the version before it, or is a removal with nothing
    before it.
    """
    if versions and new.at < versions[-1].at:
        new = replace(new, at=versions[-1].at + _STEP)
    if versions and new.at == versions[-1].at:
        versions.pop()
    is_same = versions and (versions[-1].values, versions[-1].entity) == (new.values, new.entity)
    if not is_same and (versions or new.values is not None):
        versions.append(new)


def _whole_lines(data: bytes) -> bytes:
    """Return the data; if it has `HEADER_BYTES` (64 KiB) and so can have been cut, only up to its last line end, empty
    if it has none.
    """
    return data if len(data) < HEADER_BYTES else data[: data.rfind(b"\n") + 1]


def _encode_path(path: str) -> bytes:
    """Encode a path in UTF-8, as git stores it; surrogates of undecodable bytes become these bytes again."""
    return path.encode("utf-8", "surrogateescape")
