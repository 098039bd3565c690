"""A path that others may have put anything at in, the file open to be read out."""

import os
from pathlib import Path
from typing import BinaryIO


def open_to_read(path: Path | str, *, follow: bool = True) -> BinaryIO:
    """A file, open to be read; a pipe is not waited for, nor is a link followed unless `follow`.

    It may still be no plain file: `os.fstat` tells.

    Raises:
        OSError: it cannot be opened, or is a folder, of which nothing stays open.
    """
    further = os.O_NONBLOCK | (0 if follow else os.O_NOFOLLOW)
    return open(path, "rb", opener=lambda name, flags: os.open(name, flags | further))
