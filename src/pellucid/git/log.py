"""A repository in, its commits with the files that each changed out, newest first; and files followed through them."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from pellucid.git.program import Repository, run_git, tokens

_PLAIN_OUTPUT = ("--no-color", "--no-notes", "--no-ext-diff", "--no-textconv")
_RENAMES = ("-M", "-l1500")
"""Renames are sought among at most 1,500 files of a commit."""
_LOG = ("log", "--first-parent", "-m", "--raw", "--no-abbrev", *_RENAMES, "-z", *_PLAIN_OUTPUT)
_FILES = ("100644", "100755")
"""The modes of plain files; links and submodules have others."""
_ENTRY = re.compile(rb"\n*:(\d{6}) (\d{6}) ([0-9a-f]+) ([0-9a-f]+) ([A-Z])\d*")


@dataclass(frozen=True, slots=True)
class Version:
    """The blob of a file from a commit on; None if the commit removed the file."""

    commit: str
    seconds: int
    blob: str | None


@dataclass(frozen=True, slots=True)
class CommitEntry:
    """One changed file of a commit; `old` and `new` are paths, equal unless the file was renamed."""

    status: str
    is_file: bool
    blob: str
    old: bytes
    new: bytes


@dataclass(slots=True)
class Trail:
    """Follows the files of today backwards through renames; commits come newest first."""

    today: dict[bytes, bytes]  # maps a path at the commit reached to the path today
    before: dict[bytes, bytes] = field(default_factory=dict[bytes, bytes])
    """Maps paths of files that later commits created to paths today; earlier files can have been deleted there."""
    found: dict[bytes, list[Version]] = field(default_factory=dict[bytes, list[Version]])
    """Maps a path today to the versions of its file, newest first."""

    def take(self, commit: str, seconds: int, entries: Iterable[CommitEntry]) -> None:
        """Follow the files one commit further back: add the versions that this commit made to `found`, and note in
        `today` what each file was called before it; the path of one that it created goes from `today` to `before`.

        `seconds` is the commit's date (Unix time), `entries` are the files that it changed. Commits must be given
        newest first.
        """
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
        """If the entry deletes a file at a path where a later commit created a file that is followed, treat the deleted
        file as an earlier part of that file's history: add a removal to `found`, and follow the path again (it goes
        from `before` to `today`).

        If it renames a file away from such a path instead, the path is only taken out of `before`. Do nothing for any
        other entry.
        """
        if entry.status not in "DR" or entry.old not in self.before:
            return
        name = self.before.pop(entry.old)
        if entry.status == "D":
            self.today[entry.old] = name
            self.found.setdefault(name, []).append(Version(commit, seconds, None))


@dataclass(slots=True)
class Departures:
    """Follows files that the branch no longer contains backwards through commits, newest first."""

    wanted: set[bytes]
    present: set[bytes] = field(default_factory=set[bytes])  # paths that the branch contains today
    new_path_of: dict[bytes, bytes] = field(default_factory=dict[bytes, bytes])
    """Maps paths that the branch no longer contains to the path each was renamed to; empty if it was deleted."""
    found: dict[bytes, list[Version]] = field(default_factory=dict[bytes, list[Version]])

    def take(self, commit: str, seconds: int, entries: Iterable[CommitEntry]) -> None:
        """Read one commit further back: note in `present` each path that the branch still contains, in `new_path_of`
        where each departed one went (a new path, or b"": deleted), and add the versions of those in `wanted` to
        `found`.

        `seconds` is the commit's date (Unix time), `entries` are the files that it changed. Commits must be given
        newest first.
        """
        changed = list(entries)
        for each in changed:
            if each.status != "D":
                self._note_path(commit, seconds, each)
        for each in changed:
            if each.status in "DR" and each.old not in self.present and each.old not in self.new_path_of:
                self.new_path_of[each.old] = each.new if each.status == "R" else b""
                if each.old in self.wanted:
                    self.found[each.old] = [Version(commit, seconds, None)]

    def _note_path(self, commit: str, seconds: int, entry: CommitEntry) -> None:
        """Note in `present` that the path of a changed file is one of today, unless a later commit removed it. If one
        did, and the path is in `wanted`, add this commit's version (of a plain file) to `found`; if the commit created
        the file or renamed it to this path, take the path out of `wanted`.
        """
        if entry.new not in self.new_path_of:
            self.present.add(entry.new)
        elif entry.new in self.wanted:
            if entry.is_file:
                self.found[entry.new].append(Version(commit, seconds, entry.blob))
            if entry.status in "AR":  # what was there before it is another file
                self.wanted.discard(entry.new)

    def final_path(self, path: bytes) -> bytes:
        """Return the path of a departed file today, after all its renames.

        Empty if the file was deleted; `path` if it never departed.
        """
        while path in self.new_path_of:
            path = self.new_path_of[path]
        return path


def commits(repository: Repository) -> Iterator[tuple[str, int, list[CommitEntry]]]:
    """Yield (hash, committer date in epoch seconds, changed files) of each commit that changed files, newest first.

    Of a merge, the first parent alone is followed. Files of all suffixes are included, because a document can have had
    another suffix. Raises InputError if `git` fails.
    """
    with run_git(repository, *_LOG, "--format=%x01%H %ct", "HEAD") as (_, out):
        yield from _parse_log(tokens(out))


def _parse_log(parts: Iterator[bytes]) -> Iterator[tuple[str, int, list[CommitEntry]]]:
    """Yield (hash, committer date in epoch seconds, changed files) of each commit in the parts between zero bytes of
    `git log --raw -z --format="%x01%H %ct"`; commits without changed files are left out.
    """
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
