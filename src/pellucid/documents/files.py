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
    """A file that was not read or stored: its path, why, and what to do about it."""

    path: str
    why: str
    next_step: str = ""


def named_file(name: str) -> Path | None:
    """Return the absolute path that a name means, with `~` expanded and links followed; it need not exist.

    None if the name is empty, contains a NUL, begins with an unknown `~user`, or leads through a circle of links.
    """
    try:
        return Path(name).expanduser().resolve() if name else None
    except (OSError, RuntimeError, ValueError):
        return None


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A document file; `path` is relative to the folder `root`, with slashes."""

    root: Path
    path: str
    size: int
    mtime_ns: int

    @property
    def file(self) -> Path:
        """The absolute path of the file."""
        return self.root / self.path


@dataclass(slots=True)
class FoundFiles:
    """The result of a search: the document files below some paths, and the problems met."""

    files: dict[Path, FoundFile] = field(default_factory=dict[Path, FoundFile])
    scopes: list[Path] = field(default_factory=list[Path])
    """The paths that were searched: a document whose file is missing below one of them is gone."""
    unread: list[Path] = field(default_factory=list[Path])
    """Folders that could not be listed: documents below them do not count as gone."""
    excluded: int = 0
    """How many files the settings keep out."""
    problems: list[DocumentProblem] = field(default_factory=list[DocumentProblem])
    notes: list[str] = field(default_factory=list[str])
    """Messages about folders in which no document was found."""

    def add_problem(self, path: Path, why: str, next_step: str) -> None:
        """Append a file or folder that cannot be taken to `problems`, with why and what to do about it; bytes of the
        path that are not UTF-8 become U+FFFD.
        """
        printable_path = os.fsencode(path).decode("utf-8", "replace")
        self.problems.append(DocumentProblem(path=printable_path, why=why, next_step=next_step))

    def covers(self, file: Path) -> bool:
        """Whether the search looked where this file would be, so that it is gone if it was not found: at or below a
        path in `scopes`, and not below a folder in `unread`.
        """
        return any(file.is_relative_to(each) for each in self.scopes) and not any(
            file.is_relative_to(each) for each in self.unread
        )


@dataclass(frozen=True)
class Search:
    """What a search for documents looks for and leaves out, and which files are stored as documents already."""

    home: Path
    is_excluded: Callable[[Path], bool]
    """Whether the settings keep a file out; handed in, as documents import nothing of capture, whose rule it is."""
    glob: str | None = None
    stored_roots: Mapping[Path, Path] = field(default_factory=dict[Path, Path])
    """Maps each file that is stored as a document already to its root folder."""

    @cached_property
    def roots(self) -> frozenset[Path]:
        """The root folders of all stored documents, each once."""
        return frozenset(self.stored_roots.values())


def find_documents(paths: Iterable[Path], search: Search) -> FoundFiles:
    """Find the document files that `paths` name, and those below the folders that `paths` name; the result's `files`
    maps each absolute path to what was found.

    Below a folder, hidden files and folders, `node_modules`, links and files that the glob does not fit are left out; a
    path in `paths` may be any of these. Pellucid's home is always left out. What the settings exclude is counted. To
    `scopes` is added each path that exists, or at or below which a stored document was (it is gone then); to `problems`
    any other missing path, what cannot be reached or listed, a named file of no known format, and a file larger than
    `MOST_BYTES` or with a name that cannot be stored; to `notes` a message about each folder without a document.
    """
    result = FoundFiles()
    for written_path in paths:
        try:
            _search_path(written_path, written_path.expanduser().resolve(), search, result)
        except (OSError, RuntimeError) as error:  # a folder above it may not be entered, or links lead in a circle
            result.add_problem(written_path, f"it cannot be reached: {error}", "check the path and its permissions")
    return result


def is_gone(file: Path) -> bool:
    """Whether there is no regular file at a path, or at the end of a link; False if that cannot be told, for want of
    permission or another error.
    """
    try:
        return not stat.S_ISREG(os.stat(file).st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False


def _search_path(written_path: Path, path: Path, search: Search, result: FoundFiles) -> None:
    """Add to `result` what is at one absolute path: a folder's documents or a file, with the path in `scopes`. Of a
    missing path at or below which a stored document was, only the path is added to `scopes`.

    Any other missing path becomes a problem; so does a file of no known format, which is in `scopes` nevertheless.
    `written_path` is the path as the user wrote it, for messages.
    """
    if path.is_dir():
        result.scopes.append(path)
        _search_folder(written_path, path, search, result)
    elif path.exists():
        result.scopes.append(path)
        if format_of(path.name):
            _add_file(path, path.parent, search, result, is_named=True)
        else:
            result.add_problem(written_path, f"it is no {CALLED}", f"known: {', '.join(sorted(FORMATS))}")
    elif any(file.is_relative_to(path) for file in search.stored_roots):
        result.scopes.append(path)
    else:
        result.add_problem(written_path, "there is no such file or folder", "check the path")


def _search_folder(written_path: Path, path: Path, search: Search, result: FoundFiles) -> None:
    """Add the documents of the folder `path` to `result`, and a note if it has none or none fits the glob.

    `written_path` is the folder as the user wrote it. If a folder below it could not be listed, there is no note that
    it has none.
    """
    unread, seen_count, fitting_count = len(result.unread), 0, 0
    for file in _walk_folder(path, search.home, result):
        if not file.is_relative_to(search.home):
            seen_count += 1
            fitting_count += _add_file(file, path, search, result)
    printable_path = os.fsencode(written_path).decode("utf-8", "replace")
    if seen_count and not fitting_count:
        result.notes.append(f"nothing below {printable_path} fits the pattern {search.glob}")
    elif not seen_count and len(result.unread) == unread:
        result.notes.append(f"{printable_path} holds no {CALLED} file")


def _walk_folder(root: Path, home: Path, result: FoundFiles) -> Iterator[Path]:
    """Yield the files below the folder `root` that have a document's suffix, sorted within each folder.

    Hidden files and folders, `node_modules` and the folder `home` are left out. A folder that cannot be listed is added
    to the `problems` and to `unread` of `result`.
    """

    def record_unread(error: OSError) -> None:
        """Add the folder that could not be listed (it is in `error`) to the problems and to `unread` of `result`."""
        folder = Path(error.filename)
        result.unread.append(folder)
        result.add_problem(folder, f"it cannot be listed: {error.strerror}", "check its permissions")

    for folder, folders, names in os.walk(root, onerror=record_unread):
        here = Path(folder)
        folders[:] = sorted(
            name for name in folders if not name.startswith(".") and name not in _PASSED_OVER and here / name != home
        )
        for name in sorted(names):
            if not name.startswith(".") and format_of(name):
                yield here / name


def _add_file(file: Path, default_root: Path, search: Search, result: FoundFiles, *, is_named: bool = False) -> bool:
    """Add a file to the result's `files`, or count it as excluded, or add a problem; a link is silently left out.

    Return False, and do nothing, only if the glob or Pellucid's home rules the file out. The glob does not apply to a
    file that the user named (`is_named`). The file's root, from which its path is told, is its stored one, else the
    innermost root of other stored documents above it, else `default_root`.
    """
    outer_roots = [
        root for root in search.roots if file.is_relative_to(root)
    ]  # the innermost: a folder's paths stay alike
    root = search.stored_roots.get(file) or max(outer_roots, key=lambda root: len(root.parts), default=default_root)
    path = file.relative_to(root).as_posix()
    if file.is_relative_to(search.home) or (search.glob and not is_named and not _fits(path, search.glob)):
        return False
    if search.is_excluded(file):
        result.excluded += 1
        return True
    try:
        stamp = os.lstat(file)
    except OSError as error:
        result.add_problem(file, f"it cannot be read: {error.strerror}", "check its permissions")
        return True
    if not stat.S_ISREG(stamp.st_mode):
        if not stat.S_ISLNK(stamp.st_mode):
            result.add_problem(file, "it is no file", "name files and folders")
    elif _UNNAMEABLE.search(path):
        result.add_problem(file, "its name is not UTF-8, or holds a control character", "rename it")
    elif stamp.st_size > MOST_BYTES:
        result.add_problem(file, f"it is larger than {MOST_BYTES // 1_000_000} MB", "split it")
    else:
        result.files[file] = FoundFile(root, path, stamp.st_size, stamp.st_mtime_ns)
    return True


def _fits(path: str, glob: str) -> bool:
    """Whether a glob matches a relative path; capitals and small letters differ.

    `*` also matches `/`, and a glob without `/` is matched with the file's name alone as well.
    """
    return fnmatchcase(path, glob) or ("/" not in glob and fnmatchcase(path.rsplit("/", 1)[-1], glob))
