"""Paths in, the document files below them out: each once, with the root its anchors are relative to, or why not."""

import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path

from pellucid.documents.formats.suffixes import CALLED, FORMATS, format_of
from pellucid.model.wire import Wire

MOST_BYTES = 5_000_000
"""A larger file is no document that somebody reads."""
_PASSED_OVER = frozenset({"node_modules"})
_UNNAMEABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


class DocumentProblem(Wire):
    """A file that was not taken: which, why, and what to do about it."""

    path: str
    why: str
    next_step: str = ""


def named_file(name: str) -> Path | None:
    """The absolute path that a name means; None where it can mean none: nothing, a NUL in it, or an unknown
    `~user`.
    """
    try:
        return Path(name).expanduser().resolve() if name else None
    except (OSError, RuntimeError, ValueError):
        return None


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A document file; `path` is relative to `root`, with slashes."""

    root: Path
    path: str
    size: int
    mtime_ns: int

    @property
    def file(self) -> Path:
        """Its absolute path."""
        return self.root / self.path


@dataclass(slots=True)
class FoundFiles:
    """The document files found below the given paths, and what could not be read."""

    files: dict[Path, FoundFile] = field(default_factory=dict[Path, FoundFile])
    scopes: list[Path] = field(default_factory=list[Path])
    """The paths that were given, whole: of what is known below them, what is not there any more is gone."""
    unread: list[Path] = field(default_factory=list[Path])
    """Folders that could not be listed: what is known below them is not gone."""
    excluded: int = 0
    problems: list[DocumentProblem] = field(default_factory=list[DocumentProblem])
    notes: list[str] = field(default_factory=list[str])
    """Folders in which nothing was found."""

    def refuse(self, path: Path, why: str, next_step: str) -> None:
        """Record that a file is not taken, why, and what to do about it."""
        shown = os.fsencode(path).decode("utf-8", "replace")
        self.problems.append(DocumentProblem(path=shown, why=why, next_step=next_step))

    def covers(self, file: Path) -> bool:
        """Whether the search would have found this file if it existed: it is below a given path, and below no folder
        left unread."""
        return any(file.is_relative_to(each) for each in self.scopes) and not any(
            file.is_relative_to(each) for each in self.unread
        )


@dataclass(frozen=True)
class Search:
    """What to look for, what to pass over, and the files that are known as documents."""

    home: Path
    is_excluded: Callable[[Path], bool]
    """Whether settings keep a file out."""
    glob: str | None = None
    known: Mapping[Path, Path] = field(default_factory=dict[Path, Path])
    """The root of each file that is a document already."""

    @cached_property
    def roots(self) -> frozenset[Path]:
        """The roots of all known files, each once."""
        return frozenset(self.known.values())


def find_documents(paths: Iterable[Path], search: Search) -> FoundFiles:
    """The document files that `paths` name or that lie below the folders they name, sorted.

    Hidden files and folders, `node_modules`, links to folders and Pellucid's home are passed over; links to files, too,
    unless they are given by name. A path that is not there counts as gone if it is known, else as a problem.
    """
    found = FoundFiles()
    for given in paths:
        try:
            _search_path(given, given.expanduser().resolve(), search, found)
        except (OSError, RuntimeError) as error:  # a folder above it may not be entered, or links lead in a circle
            found.refuse(given, f"it cannot be reached: {error}", "check the path and its permissions")
    return found


def is_gone(file: Path) -> bool:
    """Whether no regular file stands at a path any more; False where that cannot be told (its folder may not be
    entered)."""
    try:
        return not stat.S_ISREG(os.stat(file).st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False


def _search_path(given: Path, path: Path, search: Search, found: FoundFiles) -> None:
    """Search one path: a folder, a file, or a known one that is gone; anything else is recorded as a problem.

    `given` is the path as the user wrote it, for messages.
    """
    if path.is_dir():
        found.scopes.append(path)
        _search_folder(given, path, search, found)
    elif path.exists():
        found.scopes.append(path)
        if format_of(path.name):
            _take_file(path, path.parent, search, found, named=True)
        else:
            found.refuse(given, f"it is no {CALLED}", f"known: {', '.join(sorted(FORMATS))}")
    elif any(known.is_relative_to(path) for known in search.known):
        found.scopes.append(path)
    else:
        found.refuse(given, "there is no such file or folder", "check the path")


def _search_folder(given: Path, path: Path, search: Search, found: FoundFiles) -> None:
    """Add the documents of a folder to `found`, and one note if it has none or none fits the glob.

    `given` is the folder as the user wrote it. A folder that could not be listed is no reason for a note.
    """
    unread, there, fitting = len(found.unread), 0, 0
    for file in _walk_folder(path, search.home, found):
        if not file.is_relative_to(search.home):
            there += 1
            fitting += _take_file(file, path, search, found)
    shown = os.fsencode(given).decode("utf-8", "replace")
    if there and not fitting:
        found.notes.append(f"nothing below {shown} fits the pattern {search.glob}")
    elif not there and len(found.unread) == unread:
        found.notes.append(f"{shown} holds no {CALLED} file")


def _walk_folder(root: Path, home: Path, found: FoundFiles) -> Iterator[Path]:
    """The files with a document's suffix below a folder, sorted; hidden ones, `node_modules` and Pellucid's `home` are
    left out.

    A folder that cannot be listed is refused in `found`.
    """

    def unread(error: OSError) -> None:
        """Refuse a folder that cannot be listed, and add it to `found.unread`."""
        folder = Path(error.filename)
        found.unread.append(folder)
        found.refuse(folder, f"it cannot be listed: {error.strerror}", "check its permissions")

    for folder, folders, names in os.walk(root, onerror=unread):
        here = Path(folder)
        folders[:] = sorted(
            name for name in folders if not name.startswith(".") and name not in _PASSED_OVER and here / name != home
        )
        for name in sorted(names):
            if not name.startswith(".") and format_of(name):
                yield here / name


def _take_file(file: Path, given: Path, search: Search, found: FoundFiles, *, named: bool = False) -> bool:
    """Add a file to `found`, or count it as excluded, or record why it cannot be read; a link is silently left out.

    False only if the glob or Pellucid's home rules it out. A file that is `named` need not fit the glob. `given` is its
    root, unless it or files around it are known under another.
    """
    above = [root for root in search.roots if file.is_relative_to(root)]  # the innermost: a folder's paths stay alike
    root = search.known.get(file) or max(above, key=lambda root: len(root.parts), default=given)
    path = file.relative_to(root).as_posix()
    if file.is_relative_to(search.home) or (search.glob and not named and not _fits(path, search.glob)):
        return False
    if search.is_excluded(file):
        found.excluded += 1
        return True
    try:
        stamp = os.lstat(file)
    except OSError as error:
        found.refuse(file, f"it cannot be read: {error.strerror}", "check its permissions")
        return True
    if not stat.S_ISREG(stamp.st_mode):
        if not stat.S_ISLNK(stamp.st_mode):
            found.refuse(file, "it is no file", "name files and folders")
    elif _UNNAMEABLE.search(path):
        found.refuse(file, "its name is not UTF-8, or holds a control character", "rename it")
    elif stamp.st_size > MOST_BYTES:
        found.refuse(file, f"it is larger than {MOST_BYTES // 1_000_000} MB", "split it")
    else:
        found.files[file] = FoundFile(root, path, stamp.st_size, stamp.st_mtime_ns)
    return True


def _fits(path: str, glob: str) -> bool:
    """Whether a glob matches a relative path: `*` crosses `/`, and a glob without `/` matches at any depth."""
    return fnmatchcase(path, glob) or ("/" not in glob and fnmatchcase(path.rsplit("/", 1)[-1], glob))
