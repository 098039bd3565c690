"""The record of truth on one machine: what is acknowledged is kept, and nothing else."""

import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from kits.records import AT, NOTE, OLD, OURS, THEIRS, leftovers, note, operation, save, with_old_note, write
from pellucid.errors import ConflictError, InputError, StoreBusyError, StoreError
from pellucid.store.local.database import immediate
from pellucid.store.local.health import integrity
from pellucid.store.local.journal import open_journal
from pellucid.store.local.vault.files import Vault
from pellucid.store.local.vault.records import LocalRecords
from pellucid.store.records import (
    DrainReport,
    FileHead,
    FileWrite,
    JournalOperation,
    OperationRow,
    Records,
    content_digest,
)


def test_the_class_fulfils_the_port(tmp_path: Path) -> None:
    records: Records = LocalRecords(tmp_path)
    records.close()


def test_the_head_of_a_path_is_its_newest_waiting_bytes_else_its_file(tmp_path: Path) -> None:
    records = LocalRecords(tmp_path)
    first, second = operation(write(NOTE, OLD)), operation(write(NOTE, OURS, OLD))
    records.commit(first)
    assert records.heads([NOTE]) == [FileHead(NOTE, OLD, None, first.op_id, content_digest(OLD))]
    records.drain()
    status = note(tmp_path).stat()
    (head,) = records.heads([NOTE])
    assert (head.data, head.op_id, head.digest) == (OLD, first.op_id, content_digest(OLD))
    assert head.stamp
    assert (head.stamp.size, head.stamp.mtime_ns) == (status.st_size, status.st_mtime_ns)
    records.commit(second)
    assert records.heads([NOTE, "none.md"]) == [
        FileHead(NOTE, OURS, None, second.op_id, content_digest(OURS)),
        FileHead("none.md", None, None, None, ""),
    ]


def test_the_head_of_a_file_the_user_edited_names_no_operation(tmp_path: Path) -> None:
    records = with_old_note(tmp_path)
    save(note(tmp_path), THEIRS)
    (head,) = records.heads([NOTE])
    assert (head.data, head.op_id) == (THEIRS, None)


def test_a_write_from_an_old_text_is_refused_whole(tmp_path: Path) -> None:
    records = with_old_note(tmp_path)
    records.commit(operation(write(NOTE, OURS, OLD)))
    before = records.operations()
    with pytest.raises(ConflictError) as error:
        records.commit(operation(write("new.md", OURS), write(NOTE, THEIRS, OLD), ledger=({"kind": "x"},)))
    assert error.value.next_step
    assert records.operations() == before
    assert records.heads(["new.md"])[0].data is None
    assert list(records.ledger.rows()) == []


@pytest.mark.parametrize("base", [None, OURS])
def test_a_write_that_ignores_the_file_is_refused(tmp_path: Path, base: bytes | None) -> None:
    records = with_old_note(tmp_path)
    with pytest.raises(ConflictError):
        records.commit(operation(write(NOTE, THEIRS, base)))


def test_a_write_over_a_file_that_is_gone_is_refused(tmp_path: Path) -> None:
    records = with_old_note(tmp_path)
    note(tmp_path).unlink()
    with pytest.raises(ConflictError):
        records.commit(operation(write(NOTE, OURS, OLD)))


def test_an_operation_is_committed_once(tmp_path: Path) -> None:
    records = LocalRecords(tmp_path)
    once = operation(ledger=({"kind": "x"},))
    records.commit(once)
    with pytest.raises(ConflictError):
        records.commit(once)
    assert len(list(records.ledger.rows())) == 1


@pytest.mark.parametrize("at", ["", "yesterday", "2026-13-01T00:00:00.000Z", "../../x"])
def test_an_operation_without_an_instant_is_refused(tmp_path: Path, at: str) -> None:
    with pytest.raises(InputError):
        LocalRecords(tmp_path).commit(operation(at=at))


def test_an_operation_that_writes_a_path_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        LocalRecords(tmp_path).commit(operation(write(NOTE, OLD), write(NOTE, OURS)))


def test_a_new_journal_beside_an_old_vault_numbers_above_the_old_one(tmp_path: Path) -> None:
    old = LocalRecords(tmp_path)
    last = old.commit(JournalOperation("op_a", "ledger", AT))
    old.close()
    for file in tmp_path.glob("journal.db*"):
        file.unlink()
    assert LocalRecords(tmp_path).commit(JournalOperation("op_b", "ledger", AT)) > last


def test_operations_are_numbered_and_found_by_number_and_id(tmp_path: Path) -> None:
    records = LocalRecords(tmp_path)
    first = JournalOperation("op_a", "import", AT, (FileWrite("a.md", OLD), FileWrite("b.md", OURS)))
    seq = records.commit(first)
    assert records.commit(JournalOperation("op_b", "ledger", AT)) == seq + 1
    rows = [
        OperationRow(seq, "op_a", "import", AT, (("a.md", content_digest(OLD)), ("b.md", content_digest(OURS)))),
        OperationRow(seq + 1, "op_b", "ledger", AT, ()),
    ]
    records.drain()
    assert records.operations() == rows
    assert records.operations(after=seq) == rows[1:]
    assert records.operations(op_id="op_a") == rows[:1]
    assert records.operations(op_id="op_c") == []


def test_turns_marked_as_seen_stay_seen(tmp_path: Path) -> None:
    records = LocalRecords(tmp_path)
    records.commit(JournalOperation("op_a", "import", AT, seen=(b"1", b"2")))
    records.commit(JournalOperation("op_b", "import", AT, seen=(b"2", b"3")))
    assert LocalRecords(tmp_path).already_seen([b"0", b"1", b"2", b"3"]) == {b"1", b"2", b"3"}


def test_the_walk_is_sorted_and_leaves_out_what_is_not_a_memory(tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    paths = ["b.md", "a/z.md", "a/b/c.md", "a.md", "a/conflict-1.md"]
    others = [".hidden.md", ".obsidian/x.md", "a/x.txt", "a/x.conflict-0123abcd.md", "a/.pellucid-0.tmp", "a/x\ny.md"]
    for path in (*paths, *others):
        (vault / path).parent.mkdir(parents=True, exist_ok=True)
        (vault / path).write_bytes(path.encode())
    (vault / "link.md").symlink_to(vault / "a.md")
    (vault / "folder.md").mkdir()
    stamps = list(LocalRecords(tmp_path).walk())
    assert [stamp.path for stamp in stamps] == sorted(paths)
    assert all((vault / each.path).stat().st_mtime_ns == each.mtime_ns for each in stamps)
    assert [each.size for each in stamps] == [len(each.path) for each in stamps]
    assert LocalRecords(tmp_path).conflicts() == ["a/x.conflict-0123abcd.md"]


def test_the_walk_of_some_paths_shows_those_that_are_files(tmp_path: Path) -> None:
    records = with_old_note(tmp_path)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.md").write_bytes(OLD)
    (tmp_path / "vault/link").symlink_to(outside)
    (tmp_path / "vault/link.md").symlink_to(outside / "a.md")
    wanted = [NOTE, "none.md", f"{NOTE}/x.md", "facts", "link.md", "link/a.md"]
    assert list(records.walk(wanted)) == list(records.walk()) != []
    with pytest.raises(InputError):
        records.walk(["../outside/a.md"])


def test_an_empty_store_has_nothing_to_show(tmp_path: Path) -> None:
    records = LocalRecords(tmp_path)
    assert list(records.walk()) == []
    assert records.conflicts() == []
    assert list(records.ledger.rows()) == []
    assert records.drain() == DrainReport()


def test_everything_is_private_under_any_umask(tmp_path: Path) -> None:
    script = (
        "import os, sys; os.umask(0)\n"
        "from pathlib import Path\n"
        "sys.path.insert(0, sys.argv[2])\n"
        "from kits.records import *\n"
        "home = Path(sys.argv[1])\n"
        "records = with_old_note(home)\n"
        "records.commit(operation(write(NOTE, OURS, OLD), write('skills/new.md', OURS), ledger=({'kind': 'x'},)))\n"
        "records.drain()\n"
        "records.commit(operation(write(NOTE, THEIRS, OURS)))\n"
        "os.umask(0o77); save(note(home), b'user'); os.umask(0)\n"
        "assert records.drain().conflicts"
    )
    home = tmp_path / "home"
    subprocess.run([sys.executable, "-c", script, home, Path(__file__).parents[2]], check=True)
    modes = {path: path.stat().st_mode & 0o777 for path in (home, *home.rglob("*"))}
    assert {path.name for path in modes} >= {"journal.db", "drain.lock", "2026-04.jsonl", "displaced", "new.md"}
    assert {path: mode for path, mode in modes.items() if mode != (0o700 if path.is_dir() else 0o600)} == {}


def bytes_of_journal(home: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(home.glob("journal.db*")))


@pytest.mark.parametrize("size", [40, 3_000, 200_000])
def test_a_payload_is_erased_once_its_file_is_written(tmp_path: Path, size: int) -> None:
    canary = b"canary-" + bytes(range(65, 91))
    records = LocalRecords(tmp_path)
    records.commit(operation(write(NOTE, canary + b"." * size), ledger=({"text": canary.decode()},)))
    records.commit(operation(write("kept.md", b"other text")))
    assert canary in bytes_of_journal(tmp_path)
    records.drain()
    reader = open_journal(tmp_path / "journal.db")  # keeps SQLite from removing the log at the last close
    records.close()
    assert canary not in bytes_of_journal(tmp_path)
    assert (tmp_path / "journal.db-wal").stat().st_size == 0
    reader.close()


def test_a_large_log_is_emptied_after_a_drain(tmp_path: Path) -> None:
    records = LocalRecords(tmp_path)
    records.commit(operation(write(NOTE, b"x" * (5 << 20))))
    assert (tmp_path / "journal.db-wal").stat().st_size > 5 << 20
    records.drain()
    assert (tmp_path / "journal.db-wal").stat().st_size == 0


def test_a_reader_that_holds_the_log_does_not_block_a_drain(tmp_path: Path) -> None:
    records = LocalRecords(tmp_path)
    records.commit(operation(write(NOTE, b"x" * (5 << 20))))
    reader = open_journal(tmp_path / "journal.db")
    reader.execute("BEGIN; SELECT 1 FROM ops").fetchall()
    assert records.drain().filed == (NOTE,)
    reader.close()


def test_a_drain_does_not_wait_for_ever_for_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    vault = Vault(tmp_path / "vault")
    monkeypatch.setattr(Vault.locked.__wrapped__, "__defaults__", (0.0,))  # type: ignore[attr-defined]
    with vault.locked(), pytest.raises(StoreBusyError):
        LocalRecords(tmp_path).drain()


def test_closing_does_not_wait_for_another_process_that_drains(tmp_path: Path) -> None:
    records = with_old_note(tmp_path)
    records.commit(operation(write(NOTE, OURS, OLD)))
    records.drain()
    with Vault(tmp_path / "vault").locked():
        records.close()


def test_threads_share_a_store(tmp_path: Path) -> None:
    records = LocalRecords(tmp_path)
    errors: list[Exception] = []

    def work(name: int) -> None:
        try:
            for number in range(10):
                records.commit(operation(write(f"facts/{name}-{number}.md", OURS), ledger=({"n": number},)))
                records.drain()
        except Exception as error:  # noqa: BLE001
            errors.append(error)

    threads = [threading.Thread(target=work, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert len(list(records.walk())) == 40
    assert [row["seq"] for row in records.ledger.rows()] == list(range(1, 41))
    assert leftovers(tmp_path) == []


def test_only_one_of_two_writers_from_the_same_text_wins(tmp_path: Path) -> None:
    first, second = with_old_note(tmp_path), LocalRecords(tmp_path)
    first.commit(operation(write(NOTE, OURS, OLD)))
    with pytest.raises(ConflictError):
        second.commit(operation(write(NOTE, THEIRS, OLD)))
    assert second.heads([NOTE])[0].data == OURS


def test_another_process_that_holds_the_journal_too_long_is_reported(tmp_path: Path) -> None:
    records = LocalRecords(tmp_path)
    records._connections.get().set_busy_timeout(0)
    with immediate(open_journal(tmp_path / "journal.db")), pytest.raises(StoreBusyError):
        records.commit(operation(write(NOTE, OURS)))
    records.commit(operation(write(NOTE, OURS)))


@pytest.mark.parametrize("damage", ["'no bytes'", "NULL", "7"])
def test_a_waiting_change_whose_bytes_are_damaged_is_named_and_the_others_are_filed(
    tmp_path: Path, damage: str
) -> None:
    records = LocalRecords(tmp_path)
    records.commit(operation(write("a.md", OURS), write(NOTE, OURS)))
    with closing(apsw.Connection(str(tmp_path / "journal.db"))) as journal:
        journal.execute("PRAGMA ignore_check_constraints = ON")
        journal.execute(f"UPDATE entries SET new_bytes = {damage} WHERE path = 'a.md'")
    for _ in range(2):
        with pytest.raises(StoreError, match=r"journal.db.*damaged.*a\.md") as error:
            records.drain()
        assert 'call("home.doctor")' in error.value.next_step
        assert (tmp_path / "vault" / NOTE).read_bytes() == OURS
        assert leftovers(tmp_path) == []
    with pytest.raises(StoreError, match="damaged"):
        records.heads(["a.md"])
    ((name, _),) = integrity(tmp_path)
    assert name == "journal.db"
