"""Files of a git checkout in, what their headers said at each commit out: the branch that is checked out, in its order.

A change counts from the committer date of the commit that brought it to the branch; what came by a merge counts from
the merge (`--first-parent`). Renames are followed backwards from the files there are now.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import accumulate

from pellucid.git.log import Departures, Trail, Version, commits
from pellucid.git.program import Repository, blobs, running

ReadHeader = Callable[[str, bytes], tuple[str, Mapping[str, str]] | None]
"""A path of today and the first bytes of a version in, what it defines and the values of its header out; or None."""

HEADER_BYTES = 1 << 16
"""How much of an old version is read: its header stands in there."""
_STEP = timedelta(milliseconds=1)
_LAST_SECOND = 253_402_300_799
"""The end of the year 9999; a commit may name any."""


@dataclass(frozen=True, slots=True)
class HeaderAt:
    """What a header said from a commit on; `values` is None where the file was gone.

    `entity` is what the file defined then, as the reader says.
    """

    commit: str
    at: datetime
    values: Mapping[str, str] | None
    entity: str = ""


@dataclass(frozen=True, slots=True)
class TextAt:
    """Which blob a file was from a commit on; none where the file was gone."""

    at: datetime
    blob: str


@dataclass(frozen=True, slots=True)
class FileHistory:
    """The headers of one file, oldest first, neighbours unequal; `touched` and `blob` are those of its last commit."""

    path: str
    versions: tuple[HeaderAt, ...]
    touched: datetime
    blob: str
    texts: tuple[TextAt, ...] = ()
    """Its commits, oldest first."""


@dataclass(frozen=True, slots=True)
class Departure:
    """A file that the branch holds no more: its commits, oldest first, the last of them without it; its name now."""

    texts: tuple[TextAt, ...]
    to: str
    """Where it stands today; empty if it was deleted."""


def has_commits(repository: Repository) -> bool:
    """Whether the branch that is checked out holds a commit.

    Raises:
        InputError: `git` is not installed, or it failed: the repository is damaged.
    """
    with running(repository, "branch", "--show-current") as (_, out):
        branch = os.fsdecode(out.read()).strip()
    if not branch:
        return True  # a commit is checked out, and no branch
    with running(repository, "for-each-ref", f"refs/heads/{branch}") as (_, out):
        return bool(out.read().strip())


def header_history(repository: Repository, paths: Iterable[str], read: ReadHeader) -> Iterator[FileHistory]:
    """The history of the headers of these files (paths below the checkout's outermost folder), one file at a time.

    Files that no commit holds are left out. Memory grows with the number of versions, not with their size.

    Raises:
        InputError: `git` is not installed, or it failed: there is no commit yet, or an object is missing or damaged.
    """
    wanted = {_bytes(path): path for path in paths}
    trail = Trail(dict(zip(wanted, wanted, strict=True)))
    for commit, seconds, entries in commits(repository):
        trail.take(commit, seconds, entries)
    with blobs(repository) as blob:
        for name, path in wanted.items():
            if versions := trail.found.pop(name, None):
                yield _file_history(path, versions, blob, read)


def _file_history(
    path: str, newest_first: list[Version], blob: Callable[[str, int], bytes], read: ReadHeader
) -> FileHistory:
    versions: list[HeaderAt] = []
    last: str | None = ""
    for each in reversed(newest_first):
        if each.blob == last:
            continue
        last = each.blob
        at = _instant(each.seconds)
        if each.blob is None:
            _append_version(versions, HeaderAt(each.commit, at, None))
        elif said := read(path, _whole_lines(blob(each.blob, HEADER_BYTES))):
            _append_version(versions, HeaderAt(each.commit, at, said[1], said[0]))
    newest = newest_first[0]
    touched = max([_instant(newest.seconds), *(each.at for each in versions[-1:])])
    return FileHistory(path, tuple(versions), touched, newest.blob or "", _texts_oldest_first(newest_first))


def _texts_oldest_first(newest_first: list[Version]) -> tuple[TextAt, ...]:
    """The commits of a file, oldest first; a clock that went back does not turn their order."""
    seconds = accumulate((each.seconds for each in reversed(newest_first)), max)
    return tuple(
        TextAt(_instant(at), each.blob or "") for at, each in zip(seconds, reversed(newest_first), strict=True)
    )


def departures(repository: Repository, paths: Iterable[str]) -> dict[str, Departure]:
    """Of these paths those that the branch held and holds no more, each with its commits and where it went.

    Raises:
        InputError: `git` is not installed, or it failed: there is no commit yet, or the repository is damaged.
    """
    trail = Departures({_bytes(path) for path in paths})
    for commit, seconds, entries in commits(repository):
        trail.take(commit, seconds, entries)
    return {
        os.fsdecode(path): Departure(_texts_oldest_first(found), os.fsdecode(trail.end(path)))
        for path, found in trail.found.items()
    }


def _instant(seconds: int) -> datetime:
    return datetime.fromtimestamp(min(max(seconds, 0), _LAST_SECOND), UTC)


def _append_version(versions: list[HeaderAt], new: HeaderAt) -> None:
    """Put a version last. Of two in one second the later holds; a clock that went back does not turn the order."""
    if versions and new.at < versions[-1].at:
        new = replace(new, at=versions[-1].at + _STEP)
    if versions and new.at == versions[-1].at:
        versions.pop()
    same = versions and (versions[-1].values, versions[-1].entity) == (new.values, new.entity)
    if not same and (versions or new.values is not None):
        versions.append(new)


def _whole_lines(data: bytes) -> bytes:
    """The data without a line that was cut."""
    return data if len(data) < HEADER_BYTES else data[: data.rfind(b"\n") + 1]


def _bytes(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")
