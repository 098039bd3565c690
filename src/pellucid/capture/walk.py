"""Paths in, the files below them out, one by one: sorted, each once, never outside the named paths."""

import os
import stat
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path

from pellucid.capture.report import CaptureReport
from pellucid.errors import InputError
from pellucid.settings.sections import CaptureSettings

NOT_ENTERED = frozenset({"node_modules", "__pycache__", "venv", "site-packages", "vendor", "target", "dist", "build"})
"""Folders of dependencies and build output; of hidden folders only those in `ENTERED` are entered."""
ENTERED = frozenset({".claude", ".openclaw", ".remnic", ".codex", ".specstory"})


@dataclass(frozen=True, slots=True)
class WalkedFile:
    """A file to read, the folder `root` that links must not leave, and whether the caller named the file itself."""

    path: Path
    root: Path
    asked_for: bool


@dataclass(slots=True)
class FileWalk:
    """Finds the files to read. A file reached twice (by a link, by an import) is read once."""

    settings: CaptureSettings
    report: CaptureReport
    suffixes: Collection[str]  # in lower case; a file that the caller named can have any suffix
    _claimed: set[tuple[int, int]] = field(default_factory=set[tuple[int, int]])

    def files(self, paths: Iterable[Path]) -> Iterator[WalkedFile]:
        """Yield, for each path in order, the file itself, whatever its suffix, or the files below the folder that have
        one of `suffixes`.

        Files that the settings exclude, and those claimed before (`claim`), are left out and counted in the report.
        Raises InputError if a path does not exist or cannot be reached, or a folder in `paths` cannot be listed.
        """
        for given in paths:
            path, is_folder = _place(given)
            if is_folder:
                yield from self._files_below(path)
            else:
                found = WalkedFile(path, path.parent, asked_for=True)
                yield from [found] if self.claim(path) else []

    def claim(self, path: Path) -> bool:
        """Mark a file as read and return True; return False, and count it in the report, if the settings exclude it, or
        if it was marked before, be it by another name. Raises OSError if the file is gone.
        """
        if is_excluded(path, self.settings.exclude_paths):
            self.report.drop("excluded-path")
            return False
        found = path.stat()
        key = (found.st_dev, found.st_ino)
        if key in self._claimed:
            self.report.drop("already-read")
            return False
        self._claimed.add(key)
        return True

    def _files_below(self, root: Path) -> Iterator[WalkedFile]:
        """Yield the files below a folder, sorted within each folder, that have one of `suffixes`, are inside it
        (`_is_inside`) and can be claimed (`claim`).

        Folders of dependencies and most hidden ones are not searched. Raises InputError if the folder itself cannot be
        listed; one below it that cannot is counted.
        """
        for folder, inner, names in os.walk(root, onerror=partial(self._refuse_root, root)):
            inner[:] = sorted(name for name in inner if self._is_entered(name))
            for name in sorted(names):
                path = Path(folder, name)
                if path.suffix.lower() in self.suffixes and self._is_inside(path, root) and self.claim(path):
                    yield WalkedFile(path, root, asked_for=False)

    def _is_entered(self, name: str) -> bool:
        """Whether a folder of this name is searched: none in `NOT_ENTERED` is, and of hidden ones only those in
        `ENTERED` are. If it is not, that is counted in the report as `folder-not-entered`.
        """
        if name in NOT_ENTERED or (name.startswith(".") and name not in ENTERED):
            self.report.drop("folder-not-entered")
            return False
        return True

    def _is_inside(self, path: Path, root: Path) -> bool:
        """Whether the path is a regular file, and if it is a link, leads to one inside `root`. A link that does not,
        and a file that may not be looked at, are counted in the report.
        """
        try:
            if not path.is_symlink():
                return path.is_file()
        except PermissionError:
            self.report.drop("unreadable-file")
            return False
        try:
            inside = path.resolve().is_relative_to(root.resolve()) and path.is_file()
        except (OSError, RuntimeError):  # a loop of links
            inside = False
        if not inside:
            self.report.drop("link-not-followed")
        return inside

    def _refuse_root(self, root: Path, error: OSError) -> None:
        """Raise InputError if the folder that could not be listed (it is in `error`) is `root`; else count it."""
        if error.filename == str(root):
            raise InputError(
                f"{root.name} cannot be read: {error.strerror}", next_step="check the path and its permissions"
            ) from error
        self.report.drop("unreadable-folder")


def _place(given: Path) -> tuple[Path, bool]:
    """Return the absolute path of a named path, with `~` expanded, and whether it is a folder.

    Raises InputError if it does not exist or cannot be reached.
    """
    try:
        path = given.expanduser().absolute()
        return path, stat.S_ISDIR(path.stat().st_mode)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise InputError(f"{given} does not exist", next_step="check the path") from error
    except (OSError, RuntimeError, ValueError) as error:  # too long a name, a folder not to be entered, a `~nobody`
        why = error.strerror if isinstance(error, OSError) else error
        raise InputError(f"{given} cannot be reached: {why}", next_step="check the path and its permissions") from error


def is_excluded(path: Path, patterns: Iterable[str]) -> bool:
    """Whether a glob matches the absolute `path` or a folder above it, as it is written or with its links resolved.

    `*` matches across `/`; `~` is the home folder; a pattern without a leading `/` matches at any depth. Capitals and
    small letters differ. False without `patterns`.
    """
    globs = [os.path.expanduser(pattern) for pattern in patterns]  # which leaves a `~nobody` as it is
    if not globs:
        return False
    places = {place for start in (path, path.resolve()) for place in (start, *start.parents)}
    globs += [f"*/{glob}" for glob in globs if not glob.startswith("/")]
    return any(fnmatchcase(place.as_posix(), glob) for place in places for glob in globs)
