"""This process in, its limits set out.

What else could be set for a whole process is not: files are given their modes one by one, whatever the umask, and the
encoders' sessions run on their caller's thread.
"""

import resource
from functools import cache

OPEN_FILES = 4096
"""Room for 64 threads: each has a connection to four databases, with their logs, and files of the vault beside them."""


def raise_open_files() -> None:
    """From now on as many files may be open as 64 threads need. Safe to repeat."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = OPEN_FILES if hard == resource.RLIM_INFINITY else min(OPEN_FILES, hard)
    if resource.RLIM_INFINITY != soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


@cache
def multiply_in_one_thread() -> None:
    """Matrix products run in one thread from now on. Whoever has loaded NumPy calls it; the first time counts.

    One thread is enough for a product of ours, and two wait for each other where a core is busy. It is not set for a
    recall and put back after it: threads that recall side by side would put back each other's.
    """
    from threadpoolctl import threadpool_limits  # pyright: ignore[reportMissingTypeStubs]

    threadpool_limits(limits=1, user_api="blas")
