"""A folder of a git checkout in, what git says of its repository out; git runs so that no repository can act.

A repository's configuration (remotes to fetch from, hooks, filters, watchers, pagers, files to include) is never in
force. Each call runs in a *view*, a folder of our own with a configuration of our own and links to the repository's
objects and refs; its environment is made from nothing. So no missing object is fetched, and nothing is written to the
repository.
"""

import os
import re
import subprocess
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO

from pellucid.errors import InputError
from pellucid.git.checkout import small_file_text

ENVIRONMENT = {
    "PATH": os.defpath,
    "LC_ALL": "C",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_ALLOW_PROTOCOL": "none",  # not the name of a protocol: every transport is refused, whatever is configured
    "GIT_NO_LAZY_FETCH": "1",  # known from git 2.45 on, and to some older ones
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
}
"""The environment of each `git`, besides the paths of its view."""
_VIEW = "[core]\n\trepositoryFormatVersion = {version}\n\tbare = true\n"
_EXTENSIONS = {"objectformat": ("sha1", "sha256"), "refstorage": ("files", "reftable")}
_HEAD = re.compile(r"(?:ref:\s*refs/\S+|[0-9a-f]{40,64})\s*")
_CHUNK = 1 << 16
_WITHOUT = "leave the git history out"


@dataclass(frozen=True, slots=True)
class Repository:
    """A checkout: its top folder, its repository's folders, and whether its history is cut (a shallow clone)."""

    top: Path
    shallow: bool
    own: Path  # contains what belongs to this checkout alone: its HEAD
    shared: Path  # contains the objects and the branches
    object_format: str = "sha1"
    ref_storage: str = "files"


def find_checkout(folder: Path) -> Path | None:
    """Return the nearest folder, this one or one above it, that contains a `.git`; None if there is none."""
    return next((each for each in (folder, *folder.parents) if (each / ".git").exists()), None)


def open_repository(folder: Path) -> Repository:
    """Return the repository whose checkout a folder is in; raise InputError if there is none, or it cannot be read: no
    valid HEAD, no objects, a format of objects or refs that is not known here, or a configuration that `git` is needed
    for and cannot read, also because it is not installed.
    """
    top = find_checkout(folder)
    if top is None:
        raise InputError(
            f"{folder} stands in no git checkout", code="no_history", next_step=f"{_WITHOUT}, or run `git init`"
        )
    own, shared = _repository_folders(top)
    if not _HEAD.fullmatch(small_file_text(own / "HEAD")) or not os.path.isdir(shared / "objects"):
        raise _unreadable_error(top, f"{own} is no git repository, or a damaged one")
    formats = {name: known[0] for name, known in _EXTENSIONS.items()} | _extensions(top, shared)
    for name, known in _EXTENSIONS.items():
        if formats[name] not in known:
            raise _unreadable_error(top, f"its extensions.{name} is {formats[name]!r}, which is not known here")
    return Repository(top, (shared / "shallow").is_file(), own, shared, formats["objectformat"], formats["refstorage"])


def _repository_folders(top: Path) -> tuple[Path, Path]:
    """Return the folder of the repository for this checkout, and the one shared by all its worktrees (often the same).

    Raises InputError if `.git` is a file that leads to no folder.
    """
    link = top / ".git"
    if link.is_dir():
        return link.resolve(), link.resolve()
    marker, target = small_file_text(link).partition("gitdir:")[1:]
    own = Path(os.path.realpath(top / target.strip()))  # `Path.resolve` raises where links lead in a circle
    if not marker or not os.path.isdir(own):
        raise _unreadable_error(top, f"{link} leads to no repository")
    return own, Path(os.path.realpath(own / small_file_text(own / "commondir").strip()))


def _extensions(top: Path, shared: Path) -> dict[str, str]:
    """Return the `extensions.*` settings of the repository folder `shared`, such as {"objectformat": "sha256"}, values
    in lower case; no other setting is read.

    Empty if there is no configuration. `top` is the checkout, for messages. Raises InputError if `git` is not
    installed, or cannot read the configuration.
    """
    config = shared / "config"
    if not config.is_file():
        return {}
    arguments = ("config", "--file", str(config), "--no-includes", "-z", "--get-regexp", "^extensions\\.")
    with TemporaryDirectory() as empty, _git_process(top, Path(empty), arguments, shared, (0, 1)) as (_, out):
        pairs = (os.fsdecode(each).partition("\n") for each in tokens(out))
        return {key.removeprefix("extensions."): value.lower() for key, _, value in pairs}


@contextmanager
def run_git(repository: Repository, *arguments: str) -> Generator[tuple[IO[bytes], IO[bytes]]]:
    """Run `git` on a repository, without its configuration, for a `with` block; yield its input and output streams.

    Raises InputError if `git` is not installed or, after the block, if it ended with an error; it is killed if the
    block raises. A BrokenPipeError of the block ends only the block.
    """
    with _bare_view(repository) as view, _git_process(repository.top, view, arguments, repository.shared) as streams:
        yield streams


@contextmanager
def _bare_view(repository: Repository) -> Generator[Path]:
    """Create, for a `with` block, a bare repository that links to the objects and refs of another; yield its folder.

    The configuration of the other one is not in it. The folder is deleted after the block.
    """
    with TemporaryDirectory() as name:
        view = Path(name)
        extensions = {"objectFormat": repository.object_format, "refStorage": repository.ref_storage}
        unusual = {key: value for key, value in extensions.items() if value not in ("sha1", "files")}
        text = _VIEW.format(version=int(bool(unusual)))
        if unusual:
            text += "[extensions]\n" + "".join(f"\t{key} = {value}\n" for key, value in unusual.items())
        (view / "config").write_text(text, "ascii")
        (view / "HEAD").write_bytes(os.fsencode(small_file_text(repository.own / "HEAD")))
        for folder in ("objects", "refs", "reftable"):
            if folder != "reftable" or repository.ref_storage == folder:
                (view / folder).symlink_to(repository.shared / folder)
        for file in ("packed-refs", "shallow"):
            if (repository.shared / file).is_file():
                (view / file).symlink_to(repository.shared / file)
        yield view


@contextmanager
def _git_process(
    top: Path, view: Path, arguments: tuple[str, ...], shared: Path, ok_codes: tuple[int, ...] = (0,)
) -> Generator[tuple[IO[bytes], IO[bytes]]]:
    """Run `git` in the folder `view` for a `with` block; yield its input and output streams.

    Raises InputError if `git` is not installed, or ends with an exit code that is not in `ok_codes`; it is killed if
    the block raises. A BrokenPipeError of the block ends only the block: the exit code says why. `top` and `shared` are
    for the message alone.
    """
    command = [_git_program(), "--no-pager", "--icase-pathspecs", *arguments]
    environment = {**ENVIRONMENT, "GIT_DIR": str(view), "HOME": str(view), "XDG_CONFIG_HOME": str(view)}
    with TemporaryFile() as complaints:
        process = subprocess.Popen(  # noqa: S603 - no shell; a user's path only where an option asks for one
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=complaints, cwd=view, env=environment
        )
        assert process.stdin is not None
        assert process.stdout is not None
        is_done = False
        try:
            with suppress(BrokenPipeError):  # it ended early: its exit code says why
                yield process.stdin, process.stdout
            is_done = True
        finally:
            _end_process(process, is_done=is_done)
        if process.returncode not in ok_codes:
            complaints.seek(0)
            error_text = complaints.read(2000).decode(errors="replace").replace(str(view), str(top / ".git"))
            raise _unreadable_error(top, f"git {arguments[0]} failed: {_complaint_line(error_text)}", shared)


def _git_program() -> str:
    """Return the path of `git` on the search path, ignoring relative entries; raise InputError if there is none."""
    for folder in os.get_exec_path():
        program = os.path.join(folder, "git")
        if os.path.isabs(folder) and os.path.isfile(program) and os.access(program, os.X_OK):
            return program
    raise InputError("there is no `git` program", code="no_history", next_step=f"install git, or {_WITHOUT}")


def _complaint_line(error_text: str) -> str:
    """Return the first line of git's error output that begins with `fatal:`, else its first line."""
    lines = error_text.strip().split("\n")
    return next((line for line in lines if line.startswith("fatal:")), lines[0])


def _unreadable_error(top: Path, why: str, shared: Path | None = None) -> InputError:
    """Make the error for a repository that cannot be read because of `why`.

    It names a partial clone as the cause if the folder `shared` is given and has a `.promisor` pack.
    """
    if shared and any((shared / "objects" / "pack").glob("*.promisor")):
        return InputError(
            f"the history of {top} is not all there: it is a partial clone, and nothing is fetched ({why})",
            code="no_history",
            next_step=f"clone it again without --filter, or {_WITHOUT}",
        )
    return InputError(
        f"the history of {top} cannot be read: {why}", code="no_history", next_step=f"clone it again, or {_WITHOUT}"
    )


def _end_process(process: "subprocess.Popen[bytes]", *, is_done: bool) -> None:
    """Close the streams of a process and wait for it.

    It is killed first unless the block that read it has ended well (`is_done`).
    """
    if not is_done:
        process.kill()
    for stream in (process.stdin, process.stdout):
        with suppress(BrokenPipeError):
            if stream is not None:
                stream.close()
    process.wait()


def tokens(stream: IO[bytes]) -> Iterator[bytes]:
    """Yield the parts of a stream between zero bytes.

    The part after the last zero byte is left out if it is empty.
    """
    left = b""
    while chunk := stream.read(_CHUNK):
        *whole, left = (left + chunk).split(b"\0")
        yield from whole
    if left:
        yield left


@contextmanager
def blobs(repository: Repository) -> Generator[Callable[[str, int], bytes]]:
    """Yield, for a `with` block, a function that returns the first bytes of a blob, given its object name and the
    greatest number of bytes.

    The function raises InputError if the object is missing or damaged; so does the `with` block if `git` is not
    installed or ends with an error.
    """
    with run_git(repository, "cat-file", "--batch") as (ask, answer):

        def read(name: str, max_bytes: int) -> bytes:
            """Return the first `max_bytes` bytes of a blob, all of a shorter one; the rest is read and thrown away.
            InputError if the object is missing or damaged.
            """
            ask.write(f"{name}\n".encode())
            ask.flush()
            header = answer.readline().split()
            size = int(header[2]) if len(header) == 3 else -1
            data = answer.read(min(max_bytes, size)) if size > 0 else b""
            left = size + 1 - len(data)  # a line end follows
            while left and (more := answer.read(min(left, _CHUNK))):
                left -= len(more)
            if size < 0 or left:
                raise _unreadable_error(repository.top, f"object {name} is missing or damaged", repository.shared)
            return data

        yield read
