"""This process in, its limits set out: in one place, wherever a home is opened.

What else could be set for a whole process is not: files are given their modes one by one, whatever the umask, and the
encoders' sessions run on their caller's thread.
"""

import resource

from threadpoolctl import threadpool_limits  # pyright: ignore[reportMissingTypeStubs]

OPEN_FILES = 4096
"""Room for 64 threads: each has a connection to four databases, with their logs, and files of the vault beside them."""


def set_limits() -> None:
    """Matrix products run in one thread from now on, and files may be open as many as 64 threads need. Safe to repeat.

    One thread is enough for a product of ours, and two wait for each other where a core is busy. It is not set for a
    recall and put back after it: threads that recall side by side would put back each other's.
    """
    threadpool_limits(limits=1, user_api="blas")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = OPEN_FILES if hard == resource.RLIM_INFINITY else min(OPEN_FILES, hard)
    if resource.RLIM_INFINITY != soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
