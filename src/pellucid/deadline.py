"""Seconds in, a time limit out that long work checks and that any thread may cancel."""

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from math import inf
from threading import Lock
from time import monotonic
from typing import TypeVar

from pellucid.errors import DeadlineError

T = TypeVar("T")
LOOK_S = 0.05
"""Seconds within which a waiting thread notices that its call was cancelled."""


class Deadline:
    """The end of a call's time: some seconds after its creation, or as soon as it is cancelled. Thread-safe."""

    def __init__(self, seconds: float = inf) -> None:
        """Let the call's time end `seconds` from now; by default never, unless it is cancelled."""
        self._until = monotonic() + seconds
        self._seconds = seconds
        self._cancelled = False

    def cancel(self) -> None:
        """End the call's time now, from any thread: whoever next checks it raises `DeadlineError`."""
        self._cancelled = True

    @property
    def is_over(self) -> bool:
        """Whether the time has passed or the call was cancelled."""
        return self._cancelled or monotonic() >= self._until

    def within(self, seconds: float) -> float:
        """Return the smaller of `seconds` and the seconds left; 0 if the time is over or the call was cancelled."""
        return 0.0 if self._cancelled else max(0.0, min(seconds, self._until - monotonic()))

    def check(self) -> None:
        """Raise `DeadlineError` if the time has passed or the call was cancelled."""
        if self.is_over:
            raise self.error()

    def wait(self, done: Callable[[float], bool]) -> None:
        """Call `done(seconds)` again and again until it returns True, at least once; `DeadlineError` if the time is
        over before that, or the call is cancelled.

        `done` may block for the seconds it is given, 0.05 at most, and returns whether what it waits for has happened.
        """
        while not done(self.within(LOOK_S)):
            self.check()

    @contextmanager
    def holding(self, lock: Lock) -> Generator[None]:
        """Hold the lock for a `with` block, waiting until it is free; `DeadlineError` if the time is over before.

        A lock that is free at once is taken even if the time is over.
        """
        self.wait(lambda seconds: lock.acquire(timeout=seconds))
        try:
            yield
        finally:
            lock.release()

    def error(self) -> DeadlineError:
        """Return a new error that says why the call ends: it was cancelled, else took longer than its seconds. It is
        not raised, and made even if the time is not over.
        """
        if self._cancelled:
            return DeadlineError("the call was cancelled", next_step="what was acknowledged before is kept")
        return DeadlineError(
            f"the call was not done within {self._seconds:g} seconds",
            next_step="ask for less, or give it more time; what was acknowledged before is kept",
        )

    def over(self, items: Iterable[T]) -> Iterator[T]:
        """Yield the items one by one; `DeadlineError`, raised before an item is yielded, if the time is over or the
        call was cancelled.
        """
        for each in items:
            self.check()
            yield each
