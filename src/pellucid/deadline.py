"""Seconds in, the moment at which a call is given up out: looked at by whoever works, and cancelled by anybody."""

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from math import inf
from threading import Lock
from time import monotonic
from typing import TypeVar

from pellucid.errors import DeadlineError

T = TypeVar("T")
LOOK_S = 0.05
"""How soon who waits for another notices that the call was cancelled."""


class Deadline:
    """When a call is to be given up: after so many seconds, or as soon as somebody cancels it. Safe between threads."""

    def __init__(self, seconds: float = inf) -> None:
        self._until = monotonic() + seconds
        self._seconds = seconds
        self._cancelled = False

    def cancel(self) -> None:
        """Give the call up now."""
        self._cancelled = True

    @property
    def is_over(self) -> bool:
        """Whether nobody waits for an answer any more."""
        return self._cancelled or monotonic() >= self._until

    def within(self, seconds: float) -> float:
        """So many seconds, or what is left of the time if that is less; never below 0."""
        return 0.0 if self._cancelled else max(0.0, min(seconds, self._until - monotonic()))

    def check(self) -> None:
        """Go on only while there is time.

        Raises:
            DeadlineError: there is none.
        """
        if self.is_over:
            raise self.error()

    def wait(self, done: Callable[[float], bool]) -> None:
        """Wait for another, as long as there is time: `done` waits for so many seconds, and says whether it is.

        Raises:
            DeadlineError: there is no time left, and it is not done.
        """
        while not done(self.within(LOOK_S)):
            self.check()

    @contextmanager
    def holding(self, lock: Lock) -> Generator[None]:
        """Hold a lock for the block, as soon as it is to be had.

        Raises:
            DeadlineError: another held it until there was no time left.
        """
        self.wait(lambda seconds: lock.acquire(timeout=seconds))
        try:
            yield
        finally:
            lock.release()

    def error(self) -> DeadlineError:
        """The error of a call that is given up, to be raised."""
        if self._cancelled:
            return DeadlineError("the call was cancelled", next_step="what was acknowledged before is kept")
        return DeadlineError(
            f"the call was not done within {self._seconds:g} seconds",
            next_step="ask for less, or give it more time; what was acknowledged before is kept",
        )

    def over(self, items: Iterable[T]) -> Iterator[T]:
        """The items, as long as there is time for another.

        Raises:
            DeadlineError: there is none.
        """
        for each in items:
            self.check()
            yield each
