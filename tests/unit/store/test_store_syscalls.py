"""Renames that neither replace nor unlink, with and without the kernel's help."""

import errno
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kits.records import NOTE, OLD, OURS, drain, leftovers, note, operation, with_old_note, write
from pellucid.store.local.vault import paths, syscalls


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[int]:
    (tmp_path / "a.md").write_bytes(b"a")
    (tmp_path / "b.md").write_bytes(b"b")
    descriptor = os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY)
    yield descriptor
    os.close(descriptor)


def by_link(folder: int, source: str, target: str) -> None:
    syscalls.create_by_link(folder, source, folder, target)


@pytest.mark.parametrize("create", [syscalls.create, by_link])
def test_creating_never_replaces(tmp_path: Path, folder: int, create: Callable[[int, str, str], None]) -> None:
    with pytest.raises(FileExistsError):
        create(folder, "a.md", "b.md")
    assert (tmp_path / "a.md").read_bytes() + (tmp_path / "b.md").read_bytes() == b"ab"
    create(folder, "a.md", "c.md")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b.md", "c.md"]


@pytest.mark.parametrize("exchange", [syscalls.exchange, syscalls.exchange_by_link])
def test_exchanging_keeps_both_files(tmp_path: Path, folder: int, exchange: Callable[[int, str, str], None]) -> None:
    swap = paths.swap_name("b.md")
    (tmp_path / "a.md").rename(tmp_path / swap)
    exchange(folder, swap, "b.md")
    assert (tmp_path / "b.md").read_bytes() == b"a"
    assert (tmp_path / swap).read_bytes() == b"b"
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("exchange", [syscalls.exchange, syscalls.exchange_by_link])
def test_exchanging_with_nothing_changes_nothing(
    tmp_path: Path, folder: int, exchange: Callable[[int, str, str], None]
) -> None:
    with pytest.raises(FileNotFoundError):
        exchange(folder, paths.swap_name("c.md"), "c.md")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.md", "b.md"]


def test_the_probe_leaves_nothing_behind(tmp_path: Path, folder: int) -> None:
    assert syscalls.exchange_is_atomic(folder) in {True, False}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.md", "b.md"]


def test_a_file_system_without_the_rename_still_files_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    records = with_old_note(tmp_path)
    assert records.replaces_atomically()

    def unsupported(*_: object) -> None:
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))

    monkeypatch.setattr(syscalls, "_rename", unsupported)
    assert not records.replaces_atomically()
    records.commit(operation(write(NOTE, OURS, OLD), write("new.md", OURS)))
    assert set(drain(tmp_path).filed) == {NOTE, "new.md"}
    assert note(tmp_path).read_bytes() == note(tmp_path, "new.md").read_bytes() == OURS
    assert leftovers(tmp_path) == []


def test_the_file_system_can_be_synced(folder: int) -> None:
    assert syscalls.sync_file_system(folder) in {True, False}
