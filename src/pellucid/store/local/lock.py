"""A lock file in, the right to write out: one process or thread at a time decides about new statements."""

import errno
import fcntl
import os
import time
from collections import deque
from collections.abc import Generator
from contextlib import contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from threading import Condition

from pellucid.deadline import LOOK_S, Deadline
from pellucid.errors import StoreBusyError
from pellucid.store.local.database import make_private_folder, os_errors_explained

_PAUSE_S = 0.02
_READ_ONLY = (errno.EROFS, errno.EACCES, errno.EPERM)


class WriteLock:
    """The right to write in a home: in one namespace, or exclusively in all of it. Shared by threads and processes.

    Threads of this process get it in the order in which they asked; other processes are polled. Not re-entrant.
    """

    def __init__(self, home: Path) -> None:
        """Prepare, without creating a file, `write.lock`, which writers of namespaces share, and a lock for each."""
        self._home = home
        self._changed = Condition()
        self._holding: list[str | None] = []
        self._waiting: deque[tuple[object, str | None]] = deque()

    @contextmanager
    def __call__(
        self, wait_s: float, namespace: str | None = None, deadline: Deadline | None = None
    ) -> Generator[bool]:
        """Hold the lock of a namespace or, without one, of the home for the block; yield whether it was acquired.

        With `wait_s` 0 it yields False if the lock is taken, or the home is read-only. With a longer wait it raises
        instead: DeadlineError at the deadline, StoreBusyError after `wait_s`, StoreError if the home is read-only.
        """
        until, deadline = time.monotonic() + wait_s, deadline or Deadline()

        def seconds_left() -> float:
            """Return the rest of `wait_s`, at least a millisecond; 0 if the caller does not wait."""
            return max(until - time.monotonic(), 0.001) if wait_s else 0.0

        home_lock = self._home / "write.lock"
        with self._wait_for_turn(namespace, wait_s, deadline) as has_turn:
            if not has_turn:
                if wait_s:
                    deadline.check()
                    raise _busy_error(home_lock, wait_s)
                yield False
                return
            with exclusive(home_lock, seconds_left(), deadline, shared=namespace is not None) as held:
                if not held or namespace is None:
                    yield held
                    return
                with exclusive(namespace_lock(self._home, namespace), seconds_left(), deadline) as alone:
                    yield alone

    @contextmanager
    def _wait_for_turn(self, namespace: str | None, wait_s: float, deadline: Deadline) -> Generator[bool]:
        """Wait until no conflicting thread of this process has the lock or asked first; yield whether that came true.

        Two threads conflict if they want the same namespace, or if one wants the whole home (None). It is False after
        `wait_s` seconds, or at the deadline; if True, this thread counts as an owner for the block.
        """
        waiter, until = (object(), namespace), time.monotonic() + wait_s
        with self._changed:
            try:
                self._waiting.append(waiter)
                # it looks again every `LOOK_S`: nobody wakes a waiting thread when its call is given up
                while not (has_turn := self._changed.wait_for(lambda: self._is_next(waiter), min(wait_s, LOOK_S))):
                    if deadline.is_over or time.monotonic() >= until:
                        break
            finally:  # whoever is interrupted while waiting must not keep others waiting for ever
                with suppress(ValueError):  # interrupted before it waited
                    self._waiting.remove(waiter)
            if has_turn:
                self._holding.append(namespace)
            self._changed.notify_all()
        try:
            yield has_turn
        finally:
            if has_turn:
                with self._changed:
                    self._holding.remove(namespace)
                    self._changed.notify_all()

    def _is_next(self, waiter: tuple[object, str | None]) -> bool:
        """Whether no owner of the lock and no earlier waiter conflicts with this waiter."""
        before = [namespace for _, namespace in list(self._waiting)[: self._waiting.index(waiter)]]
        return not any(None in (each, waiter[1]) or each == waiter[1] for each in (*self._holding, *before))


def namespace_lock(home: Path, namespace: str, purpose: str = "write") -> Path:
    """Return the path of a namespace's lock file for a purpose; it contains a digest, since a namespace has a slash."""
    return home / "locks" / f"{purpose}-{blake2b(namespace.encode(), digest_size=8).hexdigest()}.lock"


@contextmanager
def exclusive(path: Path, wait_s: float, deadline: Deadline | None = None, *, shared: bool = False) -> Generator[bool]:
    """Hold a lock file, made if missing, for the block, exclusively unless `shared`; yield whether it was acquired.

    With `wait_s` 0 it yields False if the lock is taken, or if the file may not be written (a permission, a read-only
    file system). With a longer wait it raises DeadlineError at the deadline, StoreBusyError after `wait_s`. StoreError
    if the file cannot be opened for another reason, or may not be written while waiting is allowed.
    """
    with os_errors_explained(path):
        try:
            make_private_folder(path.parent)
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        except OSError as error:
            if wait_s or error.errno not in _READ_ONLY:
                raise
            descriptor = None
    if descriptor is None:
        yield False
        return
    try:
        held = acquire_file_lock(descriptor, wait_s, deadline or Deadline(), shared=shared)
        if wait_s and not held:
            raise _busy_error(path, wait_s)
        yield held
    finally:
        os.close(descriptor)  # which also lets go of the lock


def acquire_file_lock(descriptor: int, wait_s: float, deadline: Deadline, *, shared: bool = False) -> bool:
    """Lock an open file, exclusively unless `shared`; return whether it was acquired within `wait_s` seconds.

    With `wait_s` 0 it tries once. While it waits, DeadlineError is raised at the deadline.
    """
    until, kind = time.monotonic() + wait_s, fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    while True:
        try:
            fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            if wait_s:
                deadline.check()
            if not wait_s or time.monotonic() > until:
                return False
            time.sleep(_PAUSE_S)
        else:
            return True


def _busy_error(path: Path, wait_s: float) -> StoreBusyError:
    """Make the error for a lock that was taken for all of `wait_s`."""
    return StoreBusyError(
        f"another process or thread has been writing for {wait_s:.0f} seconds ({path})",
        next_step="let it finish, then repeat",
    )
