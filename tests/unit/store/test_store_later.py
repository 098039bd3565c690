"""Rows that may wait in, when they are written and what is said of those that cannot be, out."""

import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import apsw
import pytest

from pellucid.errors import StoreBusyError, StoreError
from pellucid.store.history.history_port import RecallRecord
from pellucid.store.local.history.history import LocalHistory
from pellucid.store.local.history.later import Later

HERE = "local/here"
KILLED = """
import os, sys
from pathlib import Path
from pellucid.store.history.history_port import RecallRecord
from pellucid.store.local.history.history import LocalHistory

history = LocalHistory(Path(sys.argv[1]))
history.later(lambda: RecallRecord("rec_1", 1, "local/here", None, b"x"))
history.settle()
history.later(lambda: RecallRecord("rec_2", 2, "local/here", None, b"x"))
if sys.argv[2] == "closed":
    history.close()
os._exit(0)
"""


def recall(number: int) -> RecallRecord:
    return RecallRecord(f"rec_{number}", number, HERE, None, b"packed", (("mem_1", None),), b"crane")


def kept(path: Path) -> list[str]:
    """The recalls that another process finds."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return [name for (name,) in connection.execute("SELECT recall_id FROM receipts ORDER BY recall_id")]
    finally:
        connection.close()


def test_a_recall_that_is_to_be_written_is_there_for_whoever_reads(tmp_path: Path) -> None:
    history = LocalHistory(tmp_path / "history.db")
    history.later(lambda: recall(1))
    assert history.receipt("rec_1", HERE) == b"packedcrane"
    history.later(lambda: recall(2))
    assert history.receipts.latest(HERE) == history.receipts.find("rec_2", HERE)
    history.later(lambda: recall(3))
    assert history.erase(HERE, ["crane"]) == 3
    assert history.receipt("rec_3", HERE) == b"packed"
    history.close()


def test_it_is_written_soon_without_anybody_asking_and_many_at_once(tmp_path: Path) -> None:
    history, then = LocalHistory(tmp_path / "history.db"), list[int]()
    for number in range(100, 200):
        history.later(lambda number=number: recall(number), lambda number=number: then.append(number))
    until = time.monotonic() + 30
    while len(then) < 100 and time.monotonic() < until:
        time.sleep(0.05)
    assert kept(tmp_path / "history.db") == [f"rec_{number}" for number in range(100, 200)]
    assert then == [*range(100, 200)]
    history.close()


@pytest.fixture
def nearly_full(monkeypatch: pytest.MonkeyPatch) -> None:
    """No disk has as much room as counts as enough."""
    monkeypatch.setattr("pellucid.store.local.history.history._ROOM_BYTES", 1 << 62)


@pytest.mark.usefixtures("nearly_full")
def test_on_a_disk_that_is_nearly_full_old_receipts_are_emptied_as_elsewhere(tmp_path: Path) -> None:
    history = LocalHistory(tmp_path / "history.db")
    for number in (1, 2, 3):
        history.later(lambda number=number: recall(number), lambda: history.prune(before=0, keep=1))
        assert history.receipts.find(f"rec_{number}", HERE)
        assert history.counts() == (1, len(b"packed"))
    history.close()


@pytest.mark.usefixtures("nearly_full")
def test_a_recall_is_answered_where_old_receipts_cannot_be_emptied(tmp_path: Path) -> None:
    history = LocalHistory(tmp_path / "history.db")

    def fail() -> None:
        raise StoreBusyError("it is locked")

    history.later(lambda: recall(1), fail)
    assert kept(tmp_path / "history.db") == ["rec_1"]
    history.close()


def test_a_home_that_is_not_closed_keeps_no_thread_and_loses_nothing_where_its_process_ends(tmp_path: Path) -> None:
    history = LocalHistory(tmp_path / "history.db")
    for number in (1, 2):  # a second row, after the thread has ended, starts another
        history.later(lambda number=number: recall(number))
        until = time.monotonic() + 30
        while any(each.name == "history" for each in threading.enumerate()) and time.monotonic() < until:
            time.sleep(0.05)
        assert len(kept(tmp_path / "history.db")) == number
    script = (
        "import sys; from pathlib import Path\n"
        "from pellucid.store.history.history_port import RecallRecord\n"
        "from pellucid.store.local.history.history import LocalHistory\n"
        "LocalHistory(Path(sys.argv[1])).later(lambda: RecallRecord('rec_3', 3, 'local/here', None, b'p', (), b'q'))\n"
    )
    subprocess.run([sys.executable, "-c", script, tmp_path / "history.db"], check=True)
    assert len(kept(tmp_path / "history.db")) == 3


def test_a_recall_made_just_now_by_another_process_is_found_as_soon_as_it_is_written(tmp_path: Path) -> None:
    made, other = LocalHistory(tmp_path / "history.db"), LocalHistory(tmp_path / "history.db")
    name = f"rec_{time.time_ns() // 1_000_000:012x}{'0' * 20}"
    made.later(lambda: replace(recall(1), recall_id=name))
    assert other.receipt(name, HERE) == b"packedcrane"
    assert other.receipts.find(name, HERE)
    assert other.receipt(name, "local/other") is None
    made.close()
    other.close()


def test_a_crash_costs_what_was_not_written_yet_and_an_end_nothing(tmp_path: Path) -> None:
    for end, left in (("killed", ["rec_1"]), ("closed", ["rec_1", "rec_2"])):
        path = tmp_path / f"{end}.db"
        subprocess.run([sys.executable, "-c", KILLED, path, end], check=True, timeout=60)
        assert kept(path) == left


def test_what_cannot_be_written_waits_and_is_said_to_be_lost_only_in_the_end() -> None:
    is_locked, written, lost = True, list[int](), list[tuple[int, str]]()

    def write(rows: list[int]) -> None:
        if is_locked:
            raise StoreBusyError("it is locked")
        written.extend(rows)

    def tell(count: int, error: StoreError) -> None:
        lost.append((count, str(error)))

    later = Later[int](write, tell)
    later.add(1)
    for _ in range(2):
        try:
            later.settle()
        except StoreBusyError:
            later.add(2)
    is_locked = False
    later.settle()
    assert written == [1, 2, 2]
    is_locked = True
    later.add(3)
    later.close()
    assert lost == [(1, "it is locked")]
