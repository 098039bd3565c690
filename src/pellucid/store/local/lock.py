"""A lock file in, the right to write out: one process at a time decides what is new."""

import errno
import fcntl
import os
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from pellucid.errors import StoreBusyError
from pellucid.store.local.database import explained, make_private_folder

_PAUSE_S = 0.02
_READ_ONLY = (errno.EROFS, errno.EACCES, errno.EPERM)


@contextmanager
def exclusive(path: Path, wait_s: float) -> Generator[bool]:
    """Hold the lock for the block; False if `wait_s` is 0 and another process or thread holds it, or none may write.

    Raises:
        StoreBusyError: it was held for all of a longer `wait_s`.
        StoreError: it may not be written, and `wait_s` is longer.
    """
    with explained(path):
        make_private_folder(path.parent)
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        except OSError as error:
            if wait_s or error.errno not in _READ_ONLY:
                raise
            descriptor = None
    if descriptor is None:
        yield False
        return
    try:
        yield _acquire(descriptor, path, wait_s)
    finally:
        os.close(descriptor)  # which also lets go of the lock


def _acquire(descriptor: int, path: Path, wait_s: float) -> bool:
    deadline = time.monotonic() + wait_s
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if wait_s == 0:
                return False
            if time.monotonic() > deadline:
                raise StoreBusyError(
                    f"another process has been writing for {wait_s:.0f} seconds ({path})",
                    next_step="let it finish, then repeat",
                ) from None
            time.sleep(_PAUSE_S)
        else:
            return True
