"""A folder of a git checkout in, what its repository says out: the `git` program, run so that no repository can act.

Nothing is written and nothing is fetched. Hooks, external diffs, signatures' programs and file watchers that a
repository's configuration names are switched off for each call; names of files never reach a command line.
"""

import os
import subprocess
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from pellucid.errors import InputError

_SAFE = (
    "--no-pager", "--no-replace-objects", "--no-optional-locks", "--icase-pathspecs", "-c", "core.hooksPath=/dev/null",
    "-c", "core.fsmonitor=false", "-c", "protocol.allow=never", "-c", "log.showSignature=false",
    "-c", "core.attributesFile=/dev/null",
)  # fmt: skip
_CHUNK = 1 << 16


@dataclass(frozen=True, slots=True)
class Repository:
    """A checkout: its outermost folder, and whether its history is cut (a shallow clone)."""

    top: Path
    shallow: bool


def find_checkout(folder: Path) -> Path | None:
    """The nearest folder, this one or above it, that holds a `.git`; None if there is none."""
    return next((each for each in (folder, *folder.parents) if (each / ".git").exists()), None)


def open_repository(folder: Path) -> Repository:
    """The repository whose checkout a folder stands in.

    Raises:
        InputError: there is none, `git` is not installed, or it refuses the repository.
    """
    top = find_checkout(folder)
    if top is None:
        raise InputError(
            f"{folder} stands in no git checkout", code="no_history", next_step="leave --history out, or run `git init`"
        )
    asked = ("rev-parse", "--is-shallow-repository", "--absolute-git-dir")
    with running(top, *asked) as (_, out):
        said = os.fsdecode(out.read())
    shallow, git_dir = said.split("\n")[:2]
    own = top / ".git"
    if own.is_dir() and Path(git_dir).resolve() != own.resolve():
        raise InputError(
            f"git reads {git_dir} and not {own}", code="no_history", next_step="unset GIT_DIR, then repeat"
        )
    return Repository(top, shallow == "true")


@contextmanager
def running(top: Path, *arguments: str) -> Generator[tuple[IO[bytes], IO[bytes]]]:
    """A `git` command in a checkout: what it reads, and what it says; ended when the block is.

    Raises:
        InputError: `git` is not installed, or it failed.
    """
    command = ["git", *_SAFE, "-C", str(top), *arguments]
    with TemporaryFile() as complaints:
        try:
            process = subprocess.Popen(  # noqa: S603 - no shell, and no name of a file among the arguments
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=complaints
            )
        except FileNotFoundError as error:
            raise InputError(
                "there is no `git` program", code="no_history", next_step="install git, or leave --history out"
            ) from error
        assert process.stdin is not None
        assert process.stdout is not None
        whole = False
        try:
            with suppress(BrokenPipeError):  # it ended early: its exit code says why
                yield process.stdin, process.stdout
            whole = True
        finally:
            _end(process, whole=whole)
        if process.returncode:
            complaints.seek(0)
            said = complaints.read(2000).decode(errors="replace").strip().split("\n")[0]
            raise InputError(
                f"git {arguments[0]} failed: {said}", code="no_history", next_step=f"see `git -C {top} status`"
            )


def _end(process: "subprocess.Popen[bytes]", *, whole: bool) -> None:
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
def blobs(top: Path) -> Generator[Callable[[str, int], bytes]]:
    """A reader of blobs: an object's name and a limit in, the first bytes of it out (none where it is missing).

    Raises:
        InputError: `git` is not installed, or it failed.
    """
    with running(top, "cat-file", "--batch") as (ask, answer):

        def read(name: str, most: int) -> bytes:
            ask.write(f"{name}\n".encode())
            ask.flush()
            told = answer.readline().split()
            if len(told) != 3:
                return b""
            left = int(told[2]) + 1  # a line end follows
            data = answer.read(min(most, left - 1))
            left -= len(data)
            while left:
                left -= len(answer.read(min(left, _CHUNK)))
            return data

        yield read
