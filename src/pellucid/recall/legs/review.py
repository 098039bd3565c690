"""A diff or a list of files in, the paths that it touches out; and the memories that mention these files."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from pellucid.errors import InputError
from pellucid.recall.legs.leg import NO_HITS, LegAnswer, empty_report, report
from pellucid.recall.state import Plan, State, World

MOST = 500
"""The most files that a review is allowed to have."""
LARGEST, LONGEST = 20_000_000, 1_000
"""The most characters of a diff, and of one path."""
NOWHERE = "/dev/null"

_COLOUR = re.compile(r"\x1b\[[0-9;]*[mK]")
_QUOTED = r'"((?:[^"\\]|\\.)*)"'
_BOTH = re.compile(rf"(?:{_QUOTED}|(\S+)) (?:{_QUOTED}|(\S+))")
_ESCAPE = re.compile(rb"\\(?:([0-7]{1,3})|(.))", re.DOTALL)
_PLAIN_ESCAPES = {b"a": b"\a", b"b": b"\b", b"t": b"\t", b"n": b"\n", b"v": b"\v", b"f": b"\f", b"r": b"\r"}
_HUNK = re.compile(r"(@@+) ((?:-\d+(?:,\d+)? )+)\+\d+(?:,(\d+))? @@+")
_MOVED = re.compile(r"(?:rename|copy) (?:from|to) (.+)")
_BINARY = re.compile(r"(?:Binary files|Files) (?=.*+(?<= differ))(.+?) and (.+) differ")
_SIDES = frozenset({"ab", "ba", "iw", "wi", "ci", "ic", "cw", "wc", "ow", "wo"})
"""The letters that git puts before the old and the new path (`a/`, `b/`, `diff.mnemonicPrefix`), in both orders."""
_STATUS = re.compile(r"[ACDMRTUXB]\d{0,3}\t(.+)|(?!  )[ MADRCTU?!]{2} (.+)")
"""Matches a line of `git diff --name-status`, or of `git status --short`."""
_PLAIN_PATH = re.compile(r'[\w./\\@+#~-]{1,1000}|"[^"]{1,1000}"')
"""Matches a path without spaces, or a path that git quotes."""


def review(state: State, plan: Plan, world: World) -> LegAnswer:  # noqa: ARG001 - every leg has one shape
    """Return the memories that mention files under review: a score of 1 for each path, ½ for each mere file name; `off`
    without such files.
    """
    if not state.request.review:
        return empty_report("review", "off", "no files are under review"), NO_HITS
    settings = state.request.settings
    hits = world.reader.mentioning(state.request.review, state.admission, settings.pool, settings.open_pool)
    return report("review", hits), hits


def review_paths(text: str) -> tuple[str, ...]:
    """Return the distinct paths in a diff, old and new, or in a list of files (each on a line), in order.

    Reads `git diff`, `git show`, `git format-patch` and `diff -u`; of lists also what `git diff --name-status` and `git
    status --short` print. Raises InputError for a text that is neither, and for more than 500 files or 20 million
    characters.
    """
    if len(text) > LARGEST:
        raise _invalid_review(f"the review has {len(text)} characters, and {LARGEST} are the most")
    lines = [line.rstrip("\r") for line in _COLOUR.sub("", text).replace("\0", "\n").split("\n")]
    found = _paths_in_diff(lines) if _is_diff(lines) else _paths_in_list(line for line in lines if line.strip())
    paths = tuple(dict.fromkeys(path for path in found if path and path != NOWHERE))
    if len(paths) > MOST:
        raise _invalid_review(f"the review has {len(paths)} files, and {MOST} are the most")
    return paths


def review_of_file(path: str, text: str) -> str:
    """Return what to review, given a file's path and text: the text if it is a diff or a list of `git status`.

    A file of which most lines could be paths may be a list of files, or itself the file that is meant (`.gitignore`):
    then its path and these lines. Any other file is meant itself: then its path. What comes out is a text that
    `review_paths` reads, as a caller over HTTP or MCP would send it.
    """
    lines = [line for line in _COLOUR.sub("", text[:LARGEST]).replace("\0", "\n").split("\n") if line.strip()]
    if _is_diff(lines) or (lines and all(map(_STATUS.fullmatch, lines))):
        return text
    listed = [line for line in lines if _STATUS.fullmatch(line) or _PLAIN_PATH.fullmatch(line.strip())]
    return "\n".join([path, *listed[: MOST - 1]]) if 2 * len(listed) > len(lines) else path


def _invalid_review(words: str) -> InputError:
    """Return the error for a review that cannot be read, with this message."""
    return InputError(words, code="invalid_review", next_step="give the diff or the files of one change, one a line")


def _is_diff(lines: Sequence[str]) -> bool:
    """Whether the lines have a `diff --` line, or a `---` line followed by a `+++` line."""
    return any(line.startswith("diff --") for line in lines) or any(
        line.startswith("--- ") and after.startswith("+++ ") for line, after in pairwise(lines)
    )


def _paths_in_list(lines: Iterable[str]) -> Iterator[str]:
    """Yield the paths in a list of files or `git status` lines; raise InputError for a line that cannot be a path."""
    listed = list(lines)
    marked = [_STATUS.fullmatch(line) for line in listed]
    for line, mark in zip(listed, marked, strict=True):
        names = re.split(r"\t| -> ", next(filter(None, mark.groups()))) if mark and all(marked) else [line.strip()]
        for name in names:
            if len(name) > LONGEST or not name.isprintable():
                raise _invalid_review("the review is neither a diff nor a list of files")
            yield _unquoted_path(name)


@dataclass(slots=True)
class _DiffReader:
    """The state of reading a diff: how many lines of the open hunk are left, and what the header of its file said."""

    old: list[int]
    """Lines left in the hunk for each old file (a merge has several)."""
    new: int = 0
    """Lines left in the hunk for the new file."""
    header: bool = False
    """Whether the lines are between a `diff --git` line and the first hunk."""
    has_sides: bool = True
    """Whether the file's paths have a side before them, such as `a/`."""
    old_path: str = ""
    """The path of the `---` line, until its `+++` line comes; else empty."""

    @property
    def in_hunk(self) -> bool:
        """Whether lines of the open hunk are still to come."""
        return self.new > 0 or any(left > 0 for left in self.old)

    def open_hunk(self, hunk: re.Match[str]) -> None:
        """Begin a hunk: set `old` and `new` to how many lines of the old files and of the new file its `@@` line (a
        match of `_HUNK`) announces, and leave the header."""
        ranges = (part.partition(",")[2] for part in hunk[2].split())
        self.old = [int(count or 1) for count in ranges]
        self.new = int(hunk[3] or 1)
        self.header = False

    def take_hunk_line(self, line: str) -> bool:
        """Subtract a line from those left in the open hunk, and return True; return False, and change nothing, if the
        line cannot be in a hunk.

        A line of a hunk begins with a mark (blank, `+` or `-`) for each old file; a line that begins with a backslash
        is a note of git, for which True is returned and nothing counted.
        """
        marks = (line or " ")[: len(self.old)].ljust(len(self.old))
        if marks[0] == "\\":
            return True
        if set(marks) - set(" +-"):
            return False
        is_removed = "-" in marks
        self.new -= not is_removed
        self.old = [left - (mark == ("-" if is_removed else " ")) for left, mark in zip(self.old, marks, strict=True)]
        return True


def _paths_in_diff(lines: Iterable[str]) -> Iterator[str]:
    """Yield the old and new paths in the headers of a diff, in order, without their sides (`a/`, `b/`) and quotes; the
    content of its hunks is skipped. One can come several times, and `/dev/null` and "" (of a header that cannot be
    split) come, too."""
    reader = _DiffReader([])
    for line in lines:
        if reader.in_hunk and reader.take_hunk_line(line):
            continue
        reader.old, reader.new = [], 0
        if hunk := _HUNK.match(line):
            reader.open_hunk(hunk)
        else:
            yield from _paths_in_header(reader, line)


def _paths_in_header(reader: _DiffReader, line: str) -> Iterator[str]:
    """Yield the paths that one line of a diff's header names (`diff --git`, `diff --cc`, `Index:`, `+++`, `rename from`
    and the like, `Binary files … differ`); nothing for another line.

    A `diff` line sets `reader.header`. The path of a `---` line is kept in `reader.old_path`, and yielded before that
    of its `+++` line.
    """
    kind, _, rest = line.partition(" ")
    if line.startswith("diff --git "):
        reader.header = True
        yield from _without_sides(reader, *_paths_of_diff_line(line.removeprefix("diff --git ")))
    elif line.startswith(("diff --cc ", "diff --combined ")):
        reader.header = True
        yield _unquoted_path(line.split(" ", 2)[2])
    elif kind == "Index:":
        yield rest.strip()
    elif kind == "---":
        reader.old_path = _unquoted_path(rest.partition("\t")[0])
    elif kind == "+++" and reader.old_path:
        yield from _without_sides(reader, reader.old_path, _unquoted_path(rest.partition("\t")[0]))
        reader.old_path = ""
    elif not reader.header and (found := _BINARY.fullmatch(line)):
        yield from _without_sides(reader, _unquoted_path(found[1]), _unquoted_path(found[2]))
    elif reader.header and (found := _MOVED.fullmatch(line)):
        yield _unquoted_path(found[1])


def _paths_of_diff_line(names: str) -> tuple[str, str]:
    """Return the two paths of a `diff --git` line, with their sides (`a/`, `b/`); `names` is the line after these
    words. Both are empty if they are unquoted, have spaces and differ."""
    if found := _BOTH.fullmatch(names):
        old = found[2] or _unquoted_path(f'"{found[1]}"')
        return old, found[4] or _unquoted_path(f'"{found[3]}"')
    old, new = names[: len(names) // 2], names[len(names) // 2 + 1 :]
    same = old[2:] == new[2:] if old[:1] + new[:1] in _SIDES else old == new
    return (old, new) if same else ("", "")


def _without_sides(reader: _DiffReader, old: str, new: str) -> tuple[str, str]:
    """Return the old and the new path, without the side (`a/`, `b/`) that git puts before each. If neither is empty or
    `/dev/null`, set `reader.has_sides` to whether they have sides; else its present value counts."""
    if NOWHERE not in (old, new) and old and new:
        reader.has_sides = old[1:2] == new[1:2] == "/" and old[0] + new[0] in _SIDES
    return _without_side(reader, old), _without_side(reader, new)


def _without_side(reader: _DiffReader, path: str) -> str:
    """Return the path without its side, if the file's paths have sides."""
    return path[2:] if reader.has_sides and path != NOWHERE and path[1:2] == "/" else path


def _unquoted_path(name: str) -> str:
    """Return a path as git quotes it (`"caf\\303\\251.txt"`), decoded; any other text as it is."""
    if len(name) < 2 or not (name.startswith('"') and name.endswith('"')):
        return name

    def unescape(escape: re.Match[bytes]) -> bytes:
        """Return the byte that an escape means: `\\303` or `\\t`."""
        return bytes([int(escape[1], 8) & 255]) if escape[1] else _PLAIN_ESCAPES.get(escape[2], escape[2])

    return _ESCAPE.sub(unescape, name[1:-1].encode("utf-8", "surrogatepass")).decode("utf-8", "replace")
