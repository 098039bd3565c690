"""A folder and bytes in, whole private files out: several processes can fill the folder at once."""

import fcntl
import hashlib
import os
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

_CHUNK = 1 << 20


def make_private_folder(folder: Path) -> None:
    """Make a folder and its missing parents, readable by their owner only; folders that are there stay as they are."""
    for missing in reversed([each for each in (folder, *folder.parents) if not each.exists()]):
        missing.mkdir(mode=0o700, exist_ok=True)


@contextmanager
def hold_lock(folder: Path) -> Generator[None]:
    """Hold the folder's lock (an exclusive `flock` of its file `.lock`) for the block, waiting, however long, for any
    other process or thread that holds it. The folder is made if it is missing. If this process dies, the kernel frees
    the lock.
    """
    make_private_folder(folder)
    handle = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def read_chunks(path: Path) -> Iterator[bytes]:
    """Yield the bytes of a file, a mebibyte at a time; OSError at the first if the file cannot be opened."""
    with path.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            yield chunk


def file_digest(path: Path) -> str | None:
    """Return the SHA-256 of a file in hex; None if the file is missing. OSError if it cannot be read."""
    total = hashlib.sha256()
    try:
        for chunk in read_chunks(path):
            total.update(chunk)
    except FileNotFoundError:
        return None
    return total.hexdigest()


def read_verified(path: Path, expected: str) -> bytes | None:
    """Return the bytes of a small file; None if the file is missing or its SHA-256 (in hex) differs from `expected`.
    OSError if it cannot be read.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    return data if hashlib.sha256(data).hexdigest() == expected else None


def place_file(path: Path, data: Iterable[bytes], expected: str | None = None) -> str:
    """Write a file whole or not at all, in place of an old one, and return the SHA-256 of `data` in hex; call with the
    folder's lock held. The file is readable by its owner only.

    If the SHA-256 is not `expected`, nothing is written and nothing is raised: compare what is returned. None expects
    any. OSError if the file cannot be written.
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
    """Flush the names of the files in a folder to the disk."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
