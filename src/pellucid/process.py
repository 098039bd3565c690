"""Nothing in, limits of the whole process set: open files, and threads of NumPy. Nothing else is process-wide."""

import resource
from functools import cache

OPEN_FILES = 4096
"""Enough for 64 threads: each has a connection to four databases, with their logs, and files of the vault."""


def raise_open_files() -> None:
    """Raise the soft limit of open files of this process to 4096, or to the hard limit if that is lower. Do nothing if
    the soft limit is as high already, or unlimited.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = OPEN_FILES if hard == resource.RLIM_INFINITY else min(OPEN_FILES, hard)
    if resource.RLIM_INFINITY != soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


@cache
def multiply_in_one_thread() -> None:
    """Limit NumPy's matrix products to one thread from now on. Call this after NumPy was loaded; further calls do
    nothing.

    Our products are too small for more threads. The limit is never taken back: concurrent recalls would interfere.
    """
    from threadpoolctl import threadpool_limits  # pyright: ignore[reportMissingTypeStubs]

    threadpool_limits(limits=1, user_api="blas")
