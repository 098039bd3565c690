"""Links and pipes in the place of databases in, a refusal out, and what they lead to left alone."""

import os
from pathlib import Path

import pytest

from pellucid.errors import StoreError
from pellucid.store.local.database import connect
from pellucid.store.local.health import integrity
from pellucid.store.local.lock import exclusive


def test_a_linked_database_is_refused_and_its_target_keeps_mode_and_bytes(tmp_path: Path) -> None:
    target = tmp_path / "elsewhere.txt"
    target.write_bytes(b"")
    target.chmod(0o644)
    (tmp_path / "journal.db").symlink_to(target)
    for readonly in (False, True):
        with pytest.raises(StoreError, match="not a file of its own") as caught:
            connect(tmp_path / "journal.db", synchronous="FULL", readonly=readonly)
        assert caught.value.next_step
    assert (target.stat().st_mode & 0o777, target.read_bytes()) == (0o644, b"")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["elsewhere.txt", "journal.db"]


def test_a_link_that_leads_nowhere_makes_no_file_there(tmp_path: Path) -> None:
    (tmp_path / "index.db").symlink_to(tmp_path / "nowhere.db")
    with pytest.raises(StoreError, match="not a file of its own"):
        connect(tmp_path / "index.db", synchronous="NORMAL")
    assert not (tmp_path / "nowhere.db").exists()


def test_a_pipe_in_the_place_of_a_database_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "spool.db")
    with pytest.raises(StoreError, match="not a file of its own"):
        connect(tmp_path / "spool.db", synchronous="FULL")


def test_the_check_of_a_home_does_not_open_a_link(tmp_path: Path) -> None:
    connect(tmp_path / "real.db", synchronous="FULL").close()
    (tmp_path / "real.db").write_bytes(b"not a database, and not ours" * 50)
    (tmp_path / "history.db").symlink_to(tmp_path / "real.db")
    with pytest.raises(StoreError, match="not a file of its own"):
        list(integrity(tmp_path))


def test_a_linked_lock_is_refused_and_makes_no_file_where_it_leads(tmp_path: Path) -> None:
    (tmp_path / "write.lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StoreError), exclusive(tmp_path / "write.lock", 0.0):
        pass
    assert not (tmp_path / "elsewhere").exists()
