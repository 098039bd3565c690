"""A folder of a git checkout in, what its repository says out: the `git` program, run so that no repository can act.

What a repository's configuration names (remotes to fetch from, hooks, filters, watchers, pagers, files to include) is
not switched off key by key: that configuration is never in force. Each call runs in a *view*, a folder of our own with
a configuration of our own, links to the repository's objects and refs, and nothing else; the environment is made from
nothing. So there is no remote that a missing object could be asked of, and nothing is written to the repository.
"""

import os
import re
import stat
import subprocess
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO

from pellucid.errors import InputError
from pellucid.plain_file import open_to_read

ENVIRONMENT = {
    "PATH": os.defpath,
    "LC_ALL": "C",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_ALLOW_PROTOCOL": "none",  # no protocol is called so: every transport is refused, whatever is configured
    "GIT_NO_LAZY_FETCH": "1",  # known from git 2.45 on, and to some older ones
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
}
"""All that a `git` is told beside its view."""
_VIEW = "[core]\n\trepositoryFormatVersion = {version}\n\tbare = true\n"
_EXTENSIONS = {"objectformat": ("sha1", "sha256"), "refstorage": ("files", "reftable")}
_HEAD = re.compile(r"(?:ref:\s*refs/\S+|[0-9a-f]{40,64})\s*")
_SMALL = 1 << 16
_CHUNK = 1 << 16
_WITHOUT = "leave the git history out"


@dataclass(frozen=True, slots=True)
class Repository:
    """A checkout: its outermost folder, where its repository lies, and whether its history is cut (a shallow clone)."""

    top: Path
    shallow: bool
    own: Path
    """Holds what is this checkout's alone: its HEAD."""
    shared: Path
    """Holds the objects and the branches."""
    object_format: str = "sha1"
    ref_storage: str = "files"


def find_checkout(folder: Path) -> Path | None:
    """The nearest folder, this one or above it, that holds a `.git`; None if there is none."""
    return next((each for each in (folder, *folder.parents) if (each / ".git").exists()), None)


def open_repository(folder: Path) -> Repository:
    """The repository whose checkout a folder stands in. Nothing but its folders and its format is looked at.

    Raises:
        InputError: there is none, `git` is not installed, or the repository cannot be read.
    """
    top = find_checkout(folder)
    if top is None:
        raise InputError(
            f"{folder} stands in no git checkout", code="no_history", next_step=f"{_WITHOUT}, or run `git init`"
        )
    own, shared = _repository_folders(top)
    if not _HEAD.fullmatch(_small_file_text(own / "HEAD")) or not (shared / "objects").is_dir():
        raise _unreadable_error(top, f"{own} is no git repository, or a damaged one")
    said = _extensions(top, shared)
    for name, known in _EXTENSIONS.items():
        if said.get(name, known[0]) not in known:
            raise _unreadable_error(top, f"its extensions.{name} is {said[name]!r}, which is not known here")
    return Repository(
        top,
        (shared / "shallow").is_file(),
        own,
        shared,
        said.get("objectformat", "sha1"),
        said.get("refstorage", "files"),
    )


def _repository_folders(top: Path) -> tuple[Path, Path]:
    """The repository's folder for this checkout, and the one that it shares with others (of `git worktree`)."""
    link = top / ".git"
    if link.is_dir():
        return link.resolve(), link.resolve()
    named, target = _small_file_text(link).partition("gitdir:")[1:]
    own = (top / target.strip()).resolve()
    if not named or not own.is_dir():
        raise _unreadable_error(top, f"{link} leads to no repository")
    shared = (own / _small_file_text(own / "commondir").strip()).resolve() if (own / "commondir").exists() else own
    return own, shared


def _small_file_text(path: Path) -> str:
    """What a small file says; nothing if there is none, or it is no plain file: a pipe would be waited for."""
    try:
        with open_to_read(path) as file:
            plain = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
            return os.fsdecode(file.read(_SMALL)) if plain else ""
    except (OSError, ValueError):
        return ""


def _extensions(top: Path, shared: Path) -> dict[str, str]:
    """How the repository says that its objects are named and its refs are stored; nothing else of it is read."""
    config = shared / "config"
    if not config.is_file():
        return {}
    asked = ("config", "--file", str(config), "--no-includes", "-z", "--get-regexp", "^extensions\\.")
    with TemporaryDirectory() as empty, _git_process(top, Path(empty), asked, shared, fine=(0, 1)) as (_, out):
        pairs = (os.fsdecode(each).partition("\n") for each in tokens(out))
        return {key.removeprefix("extensions."): value.lower() for key, _, value in pairs}


@contextmanager
def running(repository: Repository, *arguments: str) -> Generator[tuple[IO[bytes], IO[bytes]]]:
    """A `git` command over a repository: what it reads, and what it says; ended when the block is.

    It knows no checkout and none of the repository's configuration.

    Raises:
        InputError: `git` is not installed, or it failed.
    """
    with _bare_view(repository) as view, _git_process(repository.top, view, arguments, repository.shared) as streams:
        yield streams


@contextmanager
def _bare_view(repository: Repository) -> Generator[Path]:
    """A repository of our own with the objects and refs of another one: no configuration, hook or attribute of it."""
    with TemporaryDirectory() as name:
        view = Path(name)
        extensions = {"objectFormat": repository.object_format, "refStorage": repository.ref_storage}
        unusual = {key: value for key, value in extensions.items() if value not in ("sha1", "files")}
        text = _VIEW.format(version=int(bool(unusual)))
        if unusual:
            text += "[extensions]\n" + "".join(f"\t{key} = {value}\n" for key, value in unusual.items())
        (view / "config").write_text(text, "ascii")
        (view / "HEAD").write_bytes(os.fsencode(_small_file_text(repository.own / "HEAD")))
        for folder in ("objects", "refs", "reftable"):
            if folder != "reftable" or repository.ref_storage == folder:
                (view / folder).symlink_to(repository.shared / folder)
        for file in ("packed-refs", "shallow"):
            if (repository.shared / file).is_file():
                (view / file).symlink_to(repository.shared / file)
        yield view


@contextmanager
def _git_process(
    top: Path, view: Path, arguments: tuple[str, ...], shared: Path, fine: tuple[int, ...] = (0,)
) -> Generator[tuple[IO[bytes], IO[bytes]]]:
    """A `git` in a view: what it reads, and what it says."""
    command = [_git_program(), "--no-pager", "--icase-pathspecs", *arguments]
    environment = {**ENVIRONMENT, "GIT_DIR": str(view), "HOME": str(view), "XDG_CONFIG_HOME": str(view)}
    with TemporaryFile() as complaints:
        process = subprocess.Popen(  # noqa: S603 - no shell; a user's path only where an option asks for one
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=complaints, cwd=view, env=environment
        )
        assert process.stdin is not None
        assert process.stdout is not None
        whole = False
        try:
            with suppress(BrokenPipeError):  # it ended early: its exit code says why
                yield process.stdin, process.stdout
            whole = True
        finally:
            _end_process(process, whole=whole)
        if process.returncode not in fine:
            complaints.seek(0)
            said = complaints.read(2000).decode(errors="replace").replace(str(view), str(top / ".git"))
            raise _unreadable_error(top, f"git {arguments[0]} failed: {_complaint_line(said)}", shared)


def _git_program() -> str:
    """The `git` of the search path; a relative entry of it would find a program of the working directory.

    Raises:
        InputError: there is none.
    """
    for folder in os.get_exec_path():
        program = os.path.join(folder, "git")
        if os.path.isabs(folder) and os.path.isfile(program) and os.access(program, os.X_OK):
            return program
    raise InputError("there is no `git` program", code="no_history", next_step=f"install git, or {_WITHOUT}")


def _complaint_line(said: str) -> str:
    """The line of git's complaints that says why it ended."""
    lines = said.strip().split("\n")
    return next((line for line in lines if line.startswith("fatal:")), lines[0])


def _unreadable_error(top: Path, why: str, shared: Path | None = None) -> InputError:
    """The error for a repository that cannot be read; of a partial clone it says what was left behind."""
    if shared and any((shared / "objects" / "pack").glob("*.promisor")):
        return InputError(
            f"the history of {top} is not all there: it is a partial clone, and nothing is fetched ({why})",
            code="no_history",
            next_step=f"clone it again without --filter, or {_WITHOUT}",
        )
    return InputError(
        f"the history of {top} cannot be read: {why}", code="no_history", next_step=f"clone it again, or {_WITHOUT}"
    )


def _end_process(process: "subprocess.Popen[bytes]", *, whole: bool) -> None:
    """Let go of a process; what somebody did not read to its end is ended early."""
    if not whole:
        process.kill()
    for stream in (process.stdin, process.stdout):
        with suppress(BrokenPipeError):
            if stream is not None:
                stream.close()
    process.wait()


def tokens(stream: IO[bytes]) -> Iterator[bytes]:
    """The parts of a stream between zero bytes."""
    left = b""
    while chunk := stream.read(_CHUNK):
        *whole, left = (left + chunk).split(b"\0")
        yield from whole
    if left:
        yield left


@contextmanager
def blobs(repository: Repository) -> Generator[Callable[[str, int], bytes]]:
    """A reader of blobs: an object's name and a limit in, the first bytes of it out.

    Raises:
        InputError: `git` is not installed, or it failed; the reader, if the repository does not hold the object.
    """
    with running(repository, "cat-file", "--batch") as (ask, answer):

        def read(name: str, most: int) -> bytes:
            ask.write(f"{name}\n".encode())
            ask.flush()
            told = answer.readline().split()
            size = int(told[2]) if len(told) == 3 else -1
            data = answer.read(min(most, size)) if size > 0 else b""
            left = size + 1 - len(data)  # a line end follows
            while left and (more := answer.read(min(left, _CHUNK))):
                left -= len(more)
            if size < 0 or left:
                raise _unreadable_error(repository.top, f"object {name} is missing or damaged", repository.shared)
            return data

        yield read
