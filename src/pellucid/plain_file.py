"""A path at which anything can be in, its first bytes out: no pipe is waited for, links are followed on demand."""

import os
import stat
from pathlib import Path
from typing import BinaryIO


def open_to_read(path: Path | str, *, follow: bool = True) -> BinaryIO:
    """Open a file for reading, without blocking on a pipe; a symbolic link is followed only with `follow`.

    The opened file can be a device or a pipe; `os.fstat` says which.

    Raises:
        OSError: the path cannot be opened, is a folder, or is a symbolic link and `follow` is false.
    """
    further = os.O_NONBLOCK | (0 if follow else os.O_NOFOLLOW)
    return open(path, "rb", opener=lambda name, flags: os.open(name, flags | further))


def read_plain_file(path: Path, max_bytes: int, *, follow: bool = True) -> bytes | None:
    """Return the first `max_bytes` bytes of a regular file, fewer if the file is shorter; None for a device or pipe.

    A symbolic link is followed only with `follow`. Raises `OSError` if the file is missing, and in the other cases of
    `open_to_read`.
    """
    with open_to_read(path, follow=follow) as file:
        return file.read(max_bytes) if stat.S_ISREG(os.fstat(file.fileno()).st_mode) else None
