"""Files of a git checkout in, what their headers said at each commit out: the branch that is checked out, in its order.

A change counts from the committer date of the commit that brought it to the branch; what came by a merge counts from
the merge (`--first-parent`). Renames are followed backwards from the files there are now.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from pathlib import Path

from pellucid.graph.formats import FORMATS
from pellucid.graph.git_program import Repository, blobs, running, tokens

ReadHeader = Callable[[str, bytes], tuple[str, Mapping[str, str]] | None]
"""A path of today and the first bytes of a version in, what it defines and the values of its header out; or None."""

HEADER_BYTES = 1 << 16
"""How much of an old version is read: its header stands in there."""
_PATTERNS = tuple(f"*{suffix}" for suffix in FORMATS)
_LOG = (
    "log", "--first-parent", "-m", "--raw", "--no-abbrev", "-M", "-l1500", "-z", "--no-color", "--no-notes",
    "--no-ext-diff", "--no-textconv", "--format=%x01%H %ct", "HEAD", "--",
)  # fmt: skip
_FILES = ("100644", "100755")
_STEP = timedelta(milliseconds=1)
_LAST_SECOND = 253_402_300_799
"""The end of the year 9999; a commit may name any."""
_ENTRY = re.compile(rb"\n*:(\d{6}) (\d{6}) ([0-9a-f]+) ([0-9a-f]+) ([A-Z])\d*")


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


@dataclass(frozen=True, slots=True)
class _Version:
    commit: str
    seconds: int
    blob: str | None


@dataclass(frozen=True, slots=True)
class _Entry:
    """One changed file of a commit; `old` and `new` are paths, equal unless it was renamed."""

    status: str
    is_file: bool
    blob: str
    old: bytes
    new: bytes


@dataclass(slots=True)
class _Trail:
    """Follows files backwards through commits, newest first."""

    today: dict[bytes, bytes]
    """Under which path a file of today stood at the commit reached."""
    before: dict[bytes, bytes] = field(default_factory=dict[bytes, bytes])
    """Files that came to be later than the commit reached; they may have been there before, and deleted."""
    found: dict[bytes, list[_Version]] = field(default_factory=dict[bytes, list[_Version]])

    def take(self, commit: str, seconds: int, entries: Iterable[_Entry]) -> None:
        """One commit."""
        moved: dict[bytes, bytes] = {}
        for each in entries:
            self._deleted(commit, seconds, each)
            name = self.today.get(each.new)
            if name is None or each.status == "D":
                continue
            if each.is_file:
                self.found.setdefault(name, []).append(_Version(commit, seconds, each.blob))
            if each.status == "A":
                del self.today[each.new]
                self.before[each.new] = name
            elif each.status == "R":
                del self.today[each.new]
                moved[each.old] = name
        self.today |= moved

    def _deleted(self, commit: str, seconds: int, entry: _Entry) -> None:
        """What was there before it came to be: if it was deleted, this is its past; if it moved away, another's."""
        if entry.status not in "DR" or entry.old not in self.before:
            return
        name = self.before.pop(entry.old)
        if entry.status == "D":
            self.today[entry.old] = name
            self.found[name].append(_Version(commit, seconds, None))


@dataclass(slots=True)
class _Departures:
    """Follows files that went backwards through commits, newest first."""

    wanted: set[bytes]
    there: set[bytes] = field(default_factory=set[bytes])
    """Paths that the branch still holds."""
    went: dict[bytes, bytes] = field(default_factory=dict[bytes, bytes])
    """Paths that it holds no more, each with the path it was renamed to; empty if it was deleted."""
    found: dict[bytes, list[_Version]] = field(default_factory=dict[bytes, list[_Version]])

    def take(self, commit: str, seconds: int, entries: Iterable[_Entry]) -> None:
        """One commit."""
        changed = list(entries)
        for each in changed:
            if each.status != "D":
                self._stood(commit, seconds, each)
        for each in changed:
            if each.status in "DR" and each.old not in self.there and each.old not in self.went:
                self.went[each.old] = each.new if each.status == "R" else b""
                if each.old in self.wanted:
                    self.found[each.old] = [_Version(commit, seconds, None)]

    def _stood(self, commit: str, seconds: int, entry: _Entry) -> None:
        """A path that the commit holds."""
        if entry.new not in self.went:
            self.there.add(entry.new)
        elif entry.new in self.wanted:
            self.found[entry.new].append(_Version(commit, seconds, entry.blob))
            if entry.status in "AR":  # what was there before it is another file
                self.wanted.discard(entry.new)

    def end(self, path: bytes) -> bytes:
        """Where a file that went stands today; each step of the way is later than the one before."""
        while path in self.went:
            path = self.went[path]
        return path


def has_commits(repository: Repository) -> bool:
    """Whether the branch that is checked out holds a commit.

    Raises:
        InputError: `git` is not installed, or it failed: the repository is damaged.
    """
    with running(repository.top, "branch", "--show-current") as (_, out):
        branch = os.fsdecode(out.read()).strip()
    if not branch:
        return True  # a commit is checked out, and no branch
    with running(repository.top, "for-each-ref", f"refs/heads/{branch}") as (_, out):
        return bool(out.read().strip())


def header_history(repository: Repository, paths: Iterable[str], read: ReadHeader) -> Iterator[FileHistory]:
    """The history of the headers of these files (paths below the checkout's outermost folder), one file at a time.

    Files that no commit holds are left out. Memory grows with the number of versions, not with their size.

    Raises:
        InputError: `git` is not installed, or it failed: there is no commit yet, or the repository is damaged.
    """
    wanted = {_bytes(path): path for path in paths}
    found = _versions(repository.top, wanted)
    with blobs(repository.top) as blob:
        for name, path in wanted.items():
            if versions := found.pop(name, None):
                yield _history(path, versions, blob, read)


def _versions(top: Path, wanted: Iterable[bytes]) -> dict[bytes, list[_Version]]:
    trail = _Trail({path: path for path in wanted})
    with running(top, *_LOG, *_PATTERNS) as (_, out):
        for commit, seconds, entries in _commits(tokens(out)):
            trail.take(commit, seconds, entries)
    return trail.found


def _commits(parts: Iterator[bytes]) -> Iterator[tuple[str, int, list[_Entry]]]:
    commit, seconds = "", 0
    entries: list[_Entry] = []
    for part in parts:
        if part.startswith(b"\x01"):
            if entries:
                yield commit, seconds, entries
            name, at = part[1:].split()
            commit, seconds, entries = name.decode(), int(at), []
        elif found := _ENTRY.match(part):
            old = next(parts, b"")
            status = found[5].decode()
            new = next(parts, b"") if status in "RC" else old
            entries.append(_Entry(status, found[2].decode() in _FILES, found[4].decode(), old, new))
    if entries:
        yield commit, seconds, entries


def _history(
    path: str, newest_first: list[_Version], blob: Callable[[str, int], bytes], read: ReadHeader
) -> FileHistory:
    versions: list[HeaderAt] = []
    last: str | None = ""
    for each in reversed(newest_first):
        if each.blob == last:
            continue
        last = each.blob
        at = _instant(each.seconds)
        if each.blob is None:
            _append(versions, HeaderAt(each.commit, at, None))
        elif said := read(path, _whole_lines(blob(each.blob, HEADER_BYTES))):
            _append(versions, HeaderAt(each.commit, at, said[1], said[0]))
    newest = newest_first[0]
    touched = max([_instant(newest.seconds), *(each.at for each in versions[-1:])])
    return FileHistory(path, tuple(versions), touched, newest.blob or "", _texts(newest_first))


def _texts(newest_first: list[_Version]) -> tuple[TextAt, ...]:
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
    trail = _Departures({_bytes(path) for path in paths})
    with running(repository.top, *_LOG, *_PATTERNS) as (_, out):
        for commit, seconds, entries in _commits(tokens(out)):
            trail.take(commit, seconds, entries)
    return {
        os.fsdecode(path): Departure(_texts(found), os.fsdecode(trail.end(path))) for path, found in trail.found.items()
    }


def _instant(seconds: int) -> datetime:
    return datetime.fromtimestamp(min(max(seconds, 0), _LAST_SECOND), UTC)


def _append(versions: list[HeaderAt], new: HeaderAt) -> None:
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
