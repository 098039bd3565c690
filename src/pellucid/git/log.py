"""A repository in, its commits out, newest first, with the files that each changed; and files followed through them."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from pellucid.git.program import Repository, run_git, tokens

_PLAIN_OUTPUT = ("--no-color", "--no-notes", "--no-ext-diff", "--no-textconv")
_RENAMES = ("-M", "-l1500")
_LOG = ("log", "--first-parent", "-m", "--raw", "--no-abbrev", *_RENAMES, "-z", *_PLAIN_OUTPUT)
_FILES = ("100644", "100755")
_ENTRY = re.compile(rb"\n*:(\d{6}) (\d{6}) ([0-9a-f]+) ([0-9a-f]+) ([A-Z])\d*")


@dataclass(frozen=True, slots=True)
class Version:
    """The blob of a file from a commit on; None where the file was gone."""

    commit: str
    seconds: int
    blob: str | None


@dataclass(frozen=True, slots=True)
class CommitEntry:
    """One changed file of a commit; `old` and `new` are paths, equal unless it was renamed."""

    status: str
    is_file: bool
    blob: str
    old: bytes
    new: bytes


@dataclass(slots=True)
class Trail:
    """Follows the files of today backwards through renames; commits come newest first."""

    today: dict[bytes, bytes]  # under which path a file of today stood at the commit reached
    before: dict[bytes, bytes] = field(default_factory=dict[bytes, bytes])
    """Files that came to be later than the commit reached; they may have been there before, and deleted."""
    found: dict[bytes, list[Version]] = field(default_factory=dict[bytes, list[Version]])

    def take(self, commit: str, seconds: int, entries: Iterable[CommitEntry]) -> None:
        """Follow the files one commit further back: add the versions that this commit made of them to `found`."""
        moved: dict[bytes, bytes] = {}
        for each in entries:
            self._record_deletion(commit, seconds, each)
            name = self.today.get(each.new)
            if name is None or each.status == "D":
                continue
            if each.is_file:
                self.found.setdefault(name, []).append(Version(commit, seconds, each.blob))
            if each.status == "A":
                del self.today[each.new]
                self.before[each.new] = name
            elif each.status == "R":
                del self.today[each.new]
                moved[each.old] = name
        self.today |= moved

    def _record_deletion(self, commit: str, seconds: int, entry: CommitEntry) -> None:
        """End the wait for an earlier file at the path of a file that was created later.

        A deletion becomes part of the later file's history, which goes on from there; after a rename away from the path
        it does not.
        """
        if entry.status not in "DR" or entry.old not in self.before:
            return
        name = self.before.pop(entry.old)
        if entry.status == "D":
            self.today[entry.old] = name
            self.found[name].append(Version(commit, seconds, None))


@dataclass(slots=True)
class Departures:
    """Follows files that no longer exist backwards through commits, newest first."""

    wanted: set[bytes]
    there: set[bytes] = field(default_factory=set[bytes])  # paths that the branch still holds
    went: dict[bytes, bytes] = field(default_factory=dict[bytes, bytes])
    """Paths that it holds no more, each with the path it was renamed to; empty if it was deleted."""
    found: dict[bytes, list[Version]] = field(default_factory=dict[bytes, list[Version]])

    def take(self, commit: str, seconds: int, entries: Iterable[CommitEntry]) -> None:
        """Read one commit further back: note the paths it held or took away, and versions of departed files."""
        changed = list(entries)
        for each in changed:
            if each.status != "D":
                self._note_held_path(commit, seconds, each)
        for each in changed:
            if each.status in "DR" and each.old not in self.there and each.old not in self.went:
                self.went[each.old] = each.new if each.status == "R" else b""
                if each.old in self.wanted:
                    self.found[each.old] = [Version(commit, seconds, None)]

    def _note_held_path(self, commit: str, seconds: int, entry: CommitEntry) -> None:
        """Note that a path is there today or, if a later commit took it away, that this commit held a version of it."""
        if entry.new not in self.went:
            self.there.add(entry.new)
        elif entry.new in self.wanted:
            self.found[entry.new].append(Version(commit, seconds, entry.blob))
            if entry.status in "AR":  # what was there before it is another file
                self.wanted.discard(entry.new)

    def end(self, path: bytes) -> bytes:
        """Return the path at which a departed file is today, through all its renames.

        It is empty if it was deleted, `path` if it never left.
        """
        while path in self.went:
            path = self.went[path]
        return path


def commits(repository: Repository) -> Iterator[tuple[str, int, list[CommitEntry]]]:
    """Yield (name, committer date in epoch seconds, changed files) of each commit that changed files, newest first.

    Files of all suffixes are included: a document may once have had another. Raises InputError if `git` fails.
    """
    with run_git(repository, *_LOG, "--format=%x01%H %ct", "HEAD") as (_, out):
        yield from _commits_in(tokens(out))


def _commits_in(parts: Iterator[bytes]) -> Iterator[tuple[str, int, list[CommitEntry]]]:
    """Parse the zero-separated output of `git log --raw -z`; commits without changed files are left out."""
    commit, seconds = "", 0
    entries: list[CommitEntry] = []
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
            entries.append(CommitEntry(status, found[2].decode() in _FILES, found[4].decode(), old, new))
    if entries:
        yield commit, seconds, entries
