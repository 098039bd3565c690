"""A folder and bytes in, whole private files out: what several processes may fill at once."""

import fcntl
import hashlib
import os
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

_CHUNK = 1 << 20


def open_folder(folder: Path) -> None:
    """Make the folder and what is missing above it, readable by their owner only."""
    for missing in reversed([place for place in (folder, *folder.parents) if not place.exists()]):
        missing.mkdir(mode=0o700, exist_ok=True)


@contextmanager
def locked(folder: Path) -> Generator[None]:
    """Hold the folder's lock; another process (or thread) that wants it waits. The kernel frees it if we die."""
    open_folder(folder)
    handle = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def chunks(path: Path) -> Iterator[bytes]:
    """The bytes of a file, a megabyte at a time."""
    with path.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            yield chunk


def digest(path: Path) -> str | None:
    """The SHA-256 of a file in hex; None if there is no such file."""
    total = hashlib.sha256()
    try:
        for chunk in chunks(path):
            total.update(chunk)
    except FileNotFoundError:
        return None
    return total.hexdigest()


def checked(path: Path, expected: str) -> bytes | None:
    """The bytes of a small file if their SHA-256 is `expected`; None if it is another, or there is no such file."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    return data if hashlib.sha256(data).hexdigest() == expected else None


def place(path: Path, data: Iterable[bytes], expected: str | None = None) -> str:
    """Write a file whole or not at all, and only if its SHA-256 is `expected`; call with the folder locked.

    Returns:
        the SHA-256 of what was read. If it is not `expected`, nothing was placed.
    """
    total = hashlib.sha256()
    part = path.with_name(f".{path.name}.part")
    part.unlink(missing_ok=True)
    try:
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as stream:
            for chunk in data:
                total.update(chunk)
                stream.write(chunk)
            stream.flush()
            os.fsync(stream.fileno())
        if expected in {None, total.hexdigest()}:
            part.replace(path)
            _sync_folder(path.parent)
    finally:
        part.unlink(missing_ok=True)
    return total.hexdigest()


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
