"""Rows that may wait in, one transaction for all of a quarter of a second out: what is written after an answer.

Whoever adds a row goes on at once; whoever is to read settles first. What could not be written is tried again, and is
said to be lost only where that fails in the end.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Event, Lock, Thread, main_thread
from time import sleep, time
from typing import Any, Generic, TypeVar

from pellucid.errors import StoreError

_GATHERS_S = 0.25
"""How long a row waits at most for others, in seconds: what a crash may cost."""
_AGAIN_S = 2.0
"""How long after a failure it is tried again."""
_IDLE_S = 1.0
"""How long its thread waits for more, before it ends and lets go of what it holds open."""
Row = TypeVar("Row")
_ON_ITS_WAY_S, _LOOKS_EVERY_S = 1.0, 0.02
"""How long after it was made a recall may still be with the process that made it, and how often it is looked for."""
_MOST = 64
"""Rows that wait at most: who adds one more writes them."""


class Later(Generic[Row]):
    """Writes rows soon, in the order in which they came."""

    def __init__(self, write: Callable[[Sequence[Row]], None], lost: Callable[[int, StoreError], None]) -> None:
        """Nothing is started before the first row.

        Args:
            write: keeps all of some rows, or none; raises a StoreError.
            lost: told how many rows were given up in the end, and why.
        """
        self._write, self._lost = write, lost
        self._rows: list[tuple[Row, Callable[[], object] | None]] = []
        self._writing, self._starting = Lock(), Lock()
        self._come, self._stop = Event(), Event()
        self._thread: Thread | None = None

    def add(self, row: Row, then: Callable[[], object] | None = None) -> None:
        """Have a row written soon, and `then` be called.

        Raises:
            StoreError: too many wait, and cannot be written.
        """
        if len(self._rows) >= _MOST:
            self.settle()
        self._rows.append((row, then))
        with self._starting:
            if (
                self._thread is None
            ):  # no daemon: a process that ends without closing its home waits for what is to be written
                self._thread = Thread(target=self._run, name="history")
                self._thread.start()
        self._come.set()

    def settle(self) -> None:
        """Have everything written that waits.

        Raises:
            StoreError: it cannot be written; it goes on waiting.
        """
        if not self._rows and not self._writing.locked():
            return
        with self._writing:
            rows = self._rows[:]
            if rows:
                self._write([row for row, _ in rows])
                del self._rows[: len(rows)]
        for then in (then for _, then in rows if then):
            with suppress(StoreError):  # the rows are kept
                then()

    def close(self) -> None:
        """Write what waits, or say that it is lost."""
        self._stop.set()
        self._come.set()
        if thread := self._thread:
            thread.join()
        try:
            self.settle()
        except StoreError as error:
            self._give_up(error)

    def _give_up(self, error: StoreError) -> None:
        self._lost(len(self._rows), error)
        self._rows.clear()

    def _run(self) -> None:
        wait = _GATHERS_S
        while self._is_needed() and not self._stop.wait(wait):
            self._come.clear()
            try:
                self.settle()
                wait = _GATHERS_S
            except StoreError as error:
                if not main_thread().is_alive():
                    self._give_up(error)
                self._come.set()
                wait = _AGAIN_S

    def _is_needed(self) -> bool:
        """Whether a row comes within a while; else this thread is no more, and who adds a row starts another."""
        come = self._come.wait(_IDLE_S)
        with self._starting:
            if not come and not self._rows:
                self._thread = None
            return self._thread is not None


def found_soon(recall_id: str, look: Callable[[], list[tuple[Any, ...]]]) -> list[tuple[Any, ...]]:
    """What is found of a recall; of one that was made just now, perhaps by another process, as soon as it is there."""
    while not (found := look()) and _is_on_its_way(recall_id):
        sleep(_LOOKS_EVERY_S)
    return found


def _is_on_its_way(recall_id: str) -> bool:
    """Whether a recall's id, which begins with its time, is of this second."""
    try:
        return 0 <= time() - int(recall_id[4:16], 16) / 1000 < _ON_ITS_WAY_S
    except ValueError:
        return False
