"""A write that fails changes nothing, says why, and succeeds once there is room again."""

import errno
import os
import resource
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from kits.records import NOTE, OLD, OURS, conflict_texts, leftovers, note, operation, with_old_note, write
from pellucid.errors import StoreError
from pellucid.store.history.history_port import RecallRecord
from pellucid.store.local.failpoint import Step
from pellucid.store.local.history.history import LocalHistory
from pellucid.store.local.vault.records import LocalRecords

BIG = b"x" * (1 << 20)


@contextmanager
def no_file_longer_than(size: int) -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_commit_that_does_not_fit_is_not_acknowledged(tmp_path: Path) -> None:
    records = with_old_note(tmp_path)
    before = records.operations()
    too_big = operation(write("a.md", OURS), write("b.md", BIG), ledger=({"kind": "x"},))
    with no_file_longer_than(1 << 19), pytest.raises(StoreError) as error:
        records.commit(too_big)
    assert error.value.next_step
    assert records.operations() == before
    assert records.heads([NOTE, "a.md"])[0].data == OLD
    assert list(records.ledger.rows()) == []
    records.commit(too_big)
    assert len(records.drain().filed) == 2


def test_a_drain_that_does_not_fit_keeps_what_was_acknowledged(tmp_path: Path) -> None:
    records = with_old_note(tmp_path)
    records.commit(operation(write("a.md", OURS), write(NOTE, BIG, OLD)))
    with no_file_longer_than(1 << 19), pytest.raises(StoreError, match="File too large") as error:
        records.drain()
    assert "free some space" in error.value.next_step
    assert note(tmp_path).read_bytes() == OLD
    assert leftovers(tmp_path) == []
    assert [head.data for head in records.heads(["a.md", NOTE])] == [OURS, BIG]
    assert set(records.drain().filed) == {"a.md", NOTE}
    assert note(tmp_path).read_bytes() == BIG


def test_a_recall_that_does_not_fit_makes_room_for_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pellucid.store.local.history.history._ROOM_BYTES", 1 << 62)  # the disk is nearly full
    old, history = RecallRecord("rec_1", 1, "local/here", None, b"x" * 4096), LocalHistory(tmp_path / "history.db")
    big, next_one = replace(old, recall_id="rec_2", packed=BIG), replace(old, recall_id="rec_3", packed=b"y")
    history.record(old)
    with no_file_longer_than(1 << 19):
        with pytest.raises(StoreError):
            history.later(lambda: big, lambda: history.prune(before=2, keep=0))
        assert history.counts() == (0, 0)
        history.later(lambda: next_one)
    assert history.counts() == (1, 1)
    history.close()


STEPS: list[Step] = [
    "ledger-appended",
    "temp-written",
    "temps-synced",
    "created",
    "swap-named",
    "exchanged",
    "parked",
    "folders-synced",
]


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO])
def test_a_disk_that_fails_at_any_step_of_a_drain_loses_nothing(tmp_path: Path, step: Step, code: int) -> None:
    failing = True

    def failpoint(now: Step) -> None:
        if failing and now == step:
            raise OSError(code, os.strerror(code))

    with_old_note(tmp_path)
    records = LocalRecords(tmp_path, displaced_for_s=0, failpoint=failpoint)
    records.commit(operation(write("a.md", OURS), write(NOTE, OURS, OLD), ledger=({"kind": "x"},)))
    with pytest.raises(StoreError, match=os.strerror(code)):
        records.drain()
    assert [head.data for head in records.heads(["a.md", NOTE])] == [OURS, OURS]
    failing = False
    records.drain()
    assert note(tmp_path).read_bytes() == note(tmp_path, "a.md").read_bytes() == OURS
    assert [row["seq"] for row in records.ledger.rows()] == [1]
    assert leftovers(tmp_path) == []
    assert conflict_texts(tmp_path) == []


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of one mebibyte."""
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder]
    if os.geteuid() != 0 or subprocess.run(command, capture_output=True, check=False).returncode != 0:
        pytest.skip("no right to mount a small file system here; the other tests of this file need none")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def test_a_full_disk_refuses_new_operations_and_keeps_the_old(tiny_disk: Path) -> None:
    ballast = tiny_disk / "ballast"
    ballast.write_bytes(bytes(200_000))
    records = with_old_note(tiny_disk)
    acknowledged: list[str] = []
    message = ""
    for number in range(1_000):
        try:
            records.commit(operation(write(f"facts/{number}.md", b"y" * 4_000)))
            acknowledged.append(f"facts/{number}.md")
            records.drain()
        except StoreError as error:
            message = str(error)
            break
    assert "free some space" in message
    assert [head.data for head in records.heads(acknowledged)] == [b"y" * 4_000] * len(acknowledged)
    ballast.unlink()
    records.drain()
    assert [stamp.path for stamp in records.walk()] == sorted([NOTE, *acknowledged])
    assert leftovers(tiny_disk) == []


def test_a_vault_that_may_not_be_written_is_named(tmp_path: Path) -> None:
    records = LocalRecords(tmp_path)
    records.commit(operation(write(NOTE, OURS)))
    (tmp_path / "vault").write_bytes(b"a file where the vault should be")
    with pytest.raises(StoreError, match="vault"):
        records.drain()
    (tmp_path / "vault").unlink()
    assert records.drain().filed == (NOTE,)
