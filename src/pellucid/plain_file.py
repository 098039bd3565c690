"""A path that others may have put anything at in, what the file there says out."""

import os
import stat
from pathlib import Path
from typing import BinaryIO


def open_to_read(path: Path | str, *, follow: bool = True) -> BinaryIO:
    """Open a file for reading without waiting if it is a pipe; a symbolic link is followed only with `follow`.

    The result may be a device or a pipe: `os.fstat` tells.

    Raises:
        OSError: it cannot be opened, or is a folder or an unfollowed link.
    """
    further = os.O_NONBLOCK | (0 if follow else os.O_NOFOLLOW)
    return open(path, "rb", opener=lambda name, flags: os.open(name, flags | further))


def read_plain_file(path: Path, most: int, *, follow: bool = True) -> bytes | None:
    """The first `most` bytes of a regular file, fewer if it is shorter; None if it is a device or pipe.

    Raises `OSError` as `open_to_read` does, so for a file that is missing, too.
    """
    with open_to_read(path, follow=follow) as file:
        return file.read(most) if stat.S_ISREG(os.fstat(file.fileno()).st_mode) else None
