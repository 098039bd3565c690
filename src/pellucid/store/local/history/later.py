"""Rows that can wait in, one transaction for all of a quarter of a second out: what is written after an answer.

Adding a row does not wait; reading first writes the queue. A failed write is tried again; rows are reported as lost
only if the last attempt fails.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Event, Lock, Thread, main_thread
from time import sleep, time
from typing import Any, Generic, TypeVar

from pellucid.errors import StoreError

_GATHERS_S = 0.25  # how long a row waits at most for others, in seconds: what a crash may cost
_AGAIN_S = 2.0  # how long after a failure it is tried again
_IDLE_S = 1.0
"""How long the thread waits for more rows before it ends and closes its connection."""
Row = TypeVar("Row")
_ON_ITS_WAY_S, _LOOKS_EVERY_S = 1.0, 0.02
"""How long after its making a recall can still be unwritten in its process, and how often it is looked for."""
_MOST = 64  # rows that wait at most: who adds one more writes them


class Later(Generic[Row]):
    """Writes queued rows in the background, in the order in which they were added."""

    def __init__(self, write: Callable[[Sequence[Row]], None], lost: Callable[[int, StoreError], None]) -> None:
        """Prepare, without a thread: `write` stores all of some rows or raises StoreError; `lost` is called with the
        number of rows given up, and why.
        """
        self._write, self._lost = write, lost
        self._rows: list[tuple[Row, Callable[[], object] | None]] = []
        self._writing, self._starting = Lock(), Lock()
        self._added, self._stop = Event(), Event()
        self._thread: Thread | None = None

    def add(self, row: Row, then: Callable[[], object] | None = None) -> None:
        """Queue a row to be written within a quarter of a second, after which `then` is called.

        The thread is started if it does not run. With 64 rows waiting they are written first; StoreError is raised, and
        the row not queued, if that fails.
        """
        if len(self._rows) >= _MOST:
            self.settle()
        self._rows.append((row, then))
        with self._starting:
            if self._thread is None:
                # no daemon: a process that ends without closing its home waits for what is to be written
                self._thread = Thread(target=self._run, name="history")
                self._thread.start()
        self._added.set()

    def settle(self) -> None:
        """Write all queued rows now, then call the function that belongs to each.

        Waits for another thread that is writing. Raises StoreError if writing fails: the rows stay queued. What a
        function raises as StoreError is ignored.
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
        """Stop the thread, wait for its end, and write the queued rows; those that cannot be written are reported as
        lost.
        """
        self._stop.set()
        self._added.set()
        if thread := self._thread:
            thread.join()
        try:
            self.settle()
        except StoreError as error:
            self._give_up(error)

    def _give_up(self, error: StoreError) -> None:
        """Call the `lost` function of this object with the number of queued rows and the error, and drop these rows."""
        self._lost(len(self._rows), error)
        self._rows.clear()

    def _run(self) -> None:
        """Run the thread: write the queue every quarter of a second, until no row comes for a second or `close`.

        A failed write is tried again after two seconds; if the main thread has ended, the rows are reported as lost
        instead.
        """
        wait = _GATHERS_S
        while self._is_needed() and not self._stop.wait(wait):
            self._added.clear()
            try:
                self.settle()
                wait = _GATHERS_S
            except StoreError as error:
                if not main_thread().is_alive():
                    self._give_up(error)
                self._added.set()
                wait = _AGAIN_S

    def _is_needed(self) -> bool:
        """Wait up to a second for a row to be added; return whether one was, or one is queued.

        If not, the thread is to end: it is forgotten, so that `add` starts another.
        """
        added = self._added.wait(_IDLE_S)
        with self._starting:
            if not added and not self._rows:
                self._thread = None
            return self._thread is not None


def wait_for_rows(recall_id: str, query: Callable[[], list[tuple[Any, ...]]]) -> list[tuple[Any, ...]]:
    """Return the rows that `query` finds of a recall, which another process can still have to write; empty if none.

    While `query` finds none and the id, which begins with the time of the recall, is less than a second old, it is
    called again every 0.02 seconds.
    """
    while not (found := query()) and _is_recent(recall_id):
        sleep(_LOOKS_EVERY_S)
    return found


def _is_recent(recall_id: str) -> bool:
    """Whether a recall's id, which begins with its time, is less than a second old; False for a malformed one."""
    try:
        return 0 <= time() - int(recall_id[4:16], 16) / 1000 < _ON_ITS_WAY_S
    except ValueError:
        return False
