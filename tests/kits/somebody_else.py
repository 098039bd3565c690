"""A home and some work in, what the work says to a user who obeys the modes of files out: root may read everything."""

import os
import warnings
from collections.abc import Callable
from pathlib import Path

NOBODY = 65_534


def said_by_somebody_else(home: Path, work: Callable[[], str]) -> str:
    """What `work` says in a process to which the home belongs and which is not root: root may read everything."""
    reader, writer = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # the child of a process with threads starts none itself
        child = os.fork()
    if child == 0:
        os.write(writer, _without_privilege(home, work).encode())
        os._exit(0)
    os.close(writer)
    os.waitpid(child, 0)
    with open(reader, "rb") as pipe:
        return pipe.read().decode()


def _without_privilege(home: Path, work: Callable[[], str]) -> str:
    try:
        if os.geteuid() == 0:
            for path in (home, *home.rglob("*")):
                os.chown(path, NOBODY, NOBODY)
            os.setgroups([])
            os.setresgid(NOBODY, NOBODY, NOBODY)
            os.setresuid(NOBODY, NOBODY, NOBODY)
        return work()
    except BaseException as error:  # noqa: BLE001 - the parent judges whatever happened
        return f"{type(error).__name__}: {error}"
