"""Threads and processes that want to write in, turns out: a namespace at a time, or the whole home alone."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Event, Thread

import pytest

from pellucid.errors import StoreBusyError
from pellucid.store.local.lock import WriteLock

PLENTY_S = 30.0
HOLDER = """
import sys
from pathlib import Path
from pellucid.store.local.lock import WriteLock
with WriteLock(Path(sys.argv[1]))(0.0, sys.argv[2] or None) as alone:
    print(alone, flush=True)
    sys.stdin.readline()
"""


@pytest.fixture
def lock(tmp_path: Path) -> WriteLock:
    return WriteLock(tmp_path)


@contextmanager
def another_process(home: Path, namespace: str = "") -> Iterator[None]:
    """The lock, held by somebody else for the block."""
    command = [sys.executable, "-c", HOLDER, str(home), namespace]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "True\n"
        yield
        child.communicate("\n", timeout=60)


def is_free(lock: WriteLock, namespace: str | None) -> bool:
    with lock(0.0, namespace) as alone:
        return alone


def test_who_writes_in_one_namespace_keeps_nobody_from_another(lock: WriteLock) -> None:
    with lock(0.0, "load/a") as alone:
        assert alone
        assert is_free(lock, "load/b")
        assert not is_free(lock, "load/a")
        assert not is_free(lock, None)
    assert is_free(lock, None)


def test_who_has_the_whole_home_is_alone(lock: WriteLock) -> None:
    with lock(0.0):
        assert not is_free(lock, "load/a")
        assert not is_free(lock, None)


@pytest.mark.parametrize(("held", "a_is_free", "b_is_free"), [("load/a", False, True), ("", False, False)])
def test_another_process_has_the_same_rights(
    lock: WriteLock, tmp_path: Path, held: str, *, a_is_free: bool, b_is_free: bool
) -> None:
    with another_process(tmp_path, held):
        assert (is_free(lock, "load/a"), is_free(lock, "load/b"), is_free(lock, None)) == (a_is_free, b_is_free, False)
    assert is_free(lock, None)


def test_who_waits_too_long_is_told(lock: WriteLock) -> None:
    with lock(0.0, "load/a"), pytest.raises(StoreBusyError, match="has been writing"), lock(0.01, "load/a"):
        pass
    assert is_free(lock, "load/a"), "who gave up is not waited for"


def test_who_asks_for_the_whole_home_is_not_overtaken_by_writers_that_came_later(lock: WriteLock) -> None:
    order: list[str] = []

    def write(namespace: str | None) -> None:
        with lock(PLENTY_S, namespace):
            order.append(namespace or "whole")

    with ExitStack() as held:
        held.enter_context(lock(0.0, "load/a"))
        threads = list[Thread]()
        for number, namespace in enumerate([None, "load/b", "load/a"], 1):
            threads.append(Thread(target=write, args=(namespace,)))
            threads[-1].start()
            while len(lock._waiting) < number:
                Event().wait(0.001)
        assert order == []
    for each in threads:
        each.join()
    assert order[0] == "whole"
    assert sorted(order) == ["load/a", "load/b", "whole"]


class _Interrupted(WriteLock):
    """A lock whose next waiter is interrupted, as by Ctrl-C, when it looks whether it is its turn."""

    interrupts = True

    def _is_next(self, waiter: tuple[object, str | None]) -> bool:
        if self.interrupts:
            self.interrupts = False
            raise KeyboardInterrupt
        return super()._is_next(waiter)


def test_who_is_interrupted_while_waiting_keeps_nobody_waiting(tmp_path: Path) -> None:
    lock = _Interrupted(tmp_path)
    with pytest.raises(KeyboardInterrupt), lock(PLENTY_S, "load/a"):
        pass
    assert is_free(lock, "load/a")
