"""The recovery table, and every order in which an editor may come between the steps of a drain."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import get_args

import pytest

from kits.records import (
    NOTE,
    OLD,
    OURS,
    OURS_REVIEWED,
    THEIRS,
    Crash,
    conflict_texts,
    crash_at,
    drain,
    leftovers,
    note,
    operation,
    removal,
    save,
    with_old_note,
    write,
)
from pellucid.errors import StoreError
from pellucid.store.local.failpoint import Step
from pellucid.store.local.vault.records import LocalRecords
from pellucid.store.records import DrainReport

FILED = DrainReport(filed=(NOTE,))


def test_a_new_file_is_created(tmp_path: Path) -> None:
    LocalRecords(tmp_path).commit(operation(write(NOTE, OURS)))
    assert drain(tmp_path) == FILED
    assert note(tmp_path).read_bytes() == OURS


def test_a_file_that_still_is_the_base_is_replaced(tmp_path: Path) -> None:
    with_old_note(tmp_path).commit(operation(write(NOTE, OURS, OLD)))
    assert drain(tmp_path) == FILED
    assert note(tmp_path).read_bytes() == OURS
    assert leftovers(tmp_path) == []


def test_a_file_that_is_already_the_new_one_is_filed_without_being_touched(tmp_path: Path) -> None:
    with_old_note(tmp_path).commit(operation(write(NOTE, OURS, OLD)))
    save(note(tmp_path), OURS)
    inode = note(tmp_path).stat().st_ino
    assert drain(tmp_path) == FILED
    assert note(tmp_path).stat().st_ino == inode


def test_a_file_the_user_deleted_is_not_written_again(tmp_path: Path) -> None:
    with_old_note(tmp_path).commit(operation(write(NOTE, OURS, OLD)))
    note(tmp_path).unlink()
    assert drain(tmp_path) == DrainReport(deleted=(NOTE,))
    assert not note(tmp_path).exists()
    assert drain(tmp_path) == DrainReport()


def test_a_folder_the_user_deleted_is_not_made_again(tmp_path: Path) -> None:
    with_old_note(tmp_path).commit(operation(write(NOTE, OURS, OLD)))
    note(tmp_path).unlink()
    note(tmp_path).parent.rmdir()
    assert drain(tmp_path) == DrainReport(deleted=(NOTE,))
    assert not note(tmp_path).parent.exists()


def assert_conflict(home: Path, report: DrainReport) -> None:
    assert report.filed == ()
    assert len(report.conflicts) == 1
    assert (home / "vault" / report.conflicts[0]).read_bytes() == OURS_REVIEWED
    assert LocalRecords(home).conflicts() == list(report.conflicts)
    assert drain(home) == DrainReport()


def test_a_file_the_user_changed_keeps_its_path_and_ours_waits_for_review(tmp_path: Path) -> None:
    with_old_note(tmp_path).commit(operation(write(NOTE, OURS, OLD)))
    save(note(tmp_path), THEIRS)
    report = drain(tmp_path)
    assert note(tmp_path).read_bytes() == THEIRS
    assert_conflict(tmp_path, report)


def test_a_file_the_user_made_where_ours_was_to_come_keeps_its_path(tmp_path: Path) -> None:
    LocalRecords(tmp_path).commit(operation(write(NOTE, OURS)))
    save(note(tmp_path), THEIRS)
    report = drain(tmp_path)
    assert note(tmp_path).read_bytes() == THEIRS
    assert_conflict(tmp_path, report)


def test_a_link_at_the_path_is_neither_followed_nor_replaced(tmp_path: Path) -> None:
    with_old_note(tmp_path).commit(operation(write(NOTE, OURS, OLD)))
    outside = tmp_path / "outside.md"
    outside.write_bytes(OLD)
    note(tmp_path).unlink()
    note(tmp_path).symlink_to(outside)
    report = drain(tmp_path)
    assert note(tmp_path).is_symlink()
    assert outside.read_bytes() == OLD
    assert_conflict(tmp_path, report)


def test_a_folder_at_the_path_is_left_alone(tmp_path: Path) -> None:
    LocalRecords(tmp_path).commit(operation(write(NOTE, OURS)))
    note(tmp_path).mkdir(parents=True)
    assert_conflict(tmp_path, drain(tmp_path))
    assert note(tmp_path).is_dir()


def test_several_waiting_writes_become_one(tmp_path: Path) -> None:
    records = with_old_note(tmp_path)
    records.commit(operation(write(NOTE, b"one", OLD)))
    records.commit(operation(write(NOTE, b"two", b"one")))
    records.commit(operation(write(NOTE, OURS, b"two")))
    assert drain(tmp_path) == FILED
    assert note(tmp_path).read_bytes() == OURS


def test_a_waiting_write_that_a_crash_let_into_the_file_is_not_taken_for_the_users(tmp_path: Path) -> None:
    records = with_old_note(tmp_path)
    records.commit(operation(write(NOTE, b"one", OLD)))
    crash_at(tmp_path, "folders-synced")
    assert note(tmp_path).read_bytes() == b"one"
    records.commit(operation(write(NOTE, OURS, b"one")))
    assert drain(tmp_path) == FILED
    assert note(tmp_path).read_bytes() == OURS


def test_draining_again_changes_nothing(tmp_path: Path) -> None:
    with_old_note(tmp_path).commit(operation(write(NOTE, OURS, OLD)))
    assert drain(tmp_path) == FILED
    stamp = note(tmp_path).stat()
    assert drain(tmp_path) == DrainReport()
    assert note(tmp_path).stat() == stamp


DRAIN_STEPS = [
    step
    for step in get_args(Step)
    if step not in {"commit-open", "commit-done", "put-back", "conflict-kept"}
    and "scrubbed" not in step
    and step != "remains-erased"
]


@pytest.mark.parametrize("step", DRAIN_STEPS)
def test_a_drain_that_died_at_any_step_is_finished_by_the_next(tmp_path: Path, step: Step) -> None:
    records = LocalRecords(tmp_path)
    gone = "facts/2026-04/gone.md"
    records.commit(operation(write(NOTE, OLD), write("facts/2026-04/first.md", OLD), write(gone, THEIRS)))
    records.drain()
    records.commit(operation(write("facts/2026-04/first.md", OURS, OLD)))
    LocalRecords(tmp_path, displaced_for_s=0).drain()
    (tmp_path / "vault/.pellucid/displaced").mkdir(exist_ok=True)
    changes = write(NOTE, OURS, OLD), write("facts/2026-04/new.md", OURS), removal(gone, THEIRS)
    records.commit(operation(*changes, ledger=({"kind": "x"},)))
    crash(tmp_path, step)
    drain(tmp_path)
    assert not note(tmp_path, gone).exists()
    assert note(tmp_path).read_bytes() == OURS
    assert note(tmp_path, "facts/2026-04/new.md").read_bytes() == OURS
    assert list(LocalRecords(tmp_path).ledger.rows()) == [{"seq": 1, "kind": "x"}]
    assert leftovers(tmp_path) == []
    assert conflict_texts(tmp_path) == []


def crash(home: Path, step: Step) -> None:
    def failpoint(now: Step) -> None:
        if now == step:
            raise Crash

    with pytest.raises(Crash):
        LocalRecords(home, displaced_for_s=0, failpoint=failpoint).drain()


@pytest.mark.parametrize("step", ["swap-named", "exchanged", "put-back", "parked", "conflict-kept"])
def test_a_drain_that_died_while_the_user_saved_keeps_both_texts(tmp_path: Path, step: Step) -> None:
    with_old_note(tmp_path).commit(operation(write(NOTE, OURS, OLD)))
    saves = iter([THEIRS])

    def failpoint(now: Step) -> None:
        if now == "swap-named":
            save(note(tmp_path), next(saves))
        if now == step:
            raise Crash

    with pytest.raises(Crash):
        LocalRecords(tmp_path, failpoint=failpoint).drain()
    drain(tmp_path)
    assert note(tmp_path).read_bytes() == THEIRS
    assert conflict_texts(tmp_path) == [OURS_REVIEWED]
    assert leftovers(tmp_path) == []


def drain_with_editor(home: Path, edits: dict[Step, Callable[[], object]]) -> DrainReport:
    """Drain while an editor acts once at each of these steps."""
    todo = dict(edits)

    def failpoint(step: Step) -> None:
        if step in todo:
            todo.pop(step)()

    report = LocalRecords(home, failpoint=failpoint).drain()
    assert todo == {}
    return report


def test_a_save_just_before_the_exchange_is_put_back(tmp_path: Path) -> None:
    with_old_note(tmp_path).commit(operation(write(NOTE, OURS, OLD)))
    report = drain_with_editor(tmp_path, {"swap-named": lambda: save(note(tmp_path), THEIRS)})
    assert note(tmp_path).read_bytes() == THEIRS
    assert_conflict(tmp_path, report)


def test_a_second_save_before_the_first_is_put_back_stays_the_newest(tmp_path: Path) -> None:
    with_old_note(tmp_path).commit(operation(write(NOTE, OURS, OLD)))
    report = drain_with_editor(
        tmp_path,
        {
            "swap-named": lambda: save(note(tmp_path), b"first save"),
            "exchanged": lambda: save(note(tmp_path), b"second save"),
        },
    )
    assert note(tmp_path).read_bytes() == b"second save"
    assert conflict_texts(tmp_path) == sorted([OURS_REVIEWED, b"first save"])
    assert len(report.conflicts) == 2


def test_an_editor_that_saves_at_every_step_loses_no_version(tmp_path: Path) -> None:
    with_old_note(tmp_path).commit(operation(write(NOTE, OURS, OLD)))
    versions: list[bytes] = []

    def failpoint(step: Step) -> None:
        if step in {"swap-named", "exchanged", "put-back"}:
            versions.append(f"save {len(versions)}".encode())
            save(note(tmp_path), versions[-1])

    LocalRecords(tmp_path, failpoint=failpoint).drain()
    drain(tmp_path)
    kept = {note(tmp_path).read_bytes(), *conflict_texts(tmp_path)}
    assert versions[-1] in kept
    assert OURS_REVIEWED in kept
    assert leftovers(tmp_path) == []


def test_a_file_deleted_just_before_the_exchange_stays_deleted(tmp_path: Path) -> None:
    with_old_note(tmp_path).commit(operation(write(NOTE, OURS, OLD)))
    report = drain_with_editor(tmp_path, {"swap-named": lambda: note(tmp_path).unlink()})
    assert report == DrainReport(deleted=(NOTE,))
    assert not note(tmp_path).exists()


def test_a_save_followed_by_a_deletion_during_the_drain_loses_no_text(tmp_path: Path) -> None:
    with_old_note(tmp_path).commit(operation(write(NOTE, OURS, OLD)))
    drain_with_editor(
        tmp_path,
        {"swap-named": lambda: save(note(tmp_path), THEIRS), "exchanged": lambda: note(tmp_path).unlink()},
    )
    assert note(tmp_path).read_bytes() == THEIRS
    assert conflict_texts(tmp_path) == [OURS_REVIEWED]


def test_a_file_that_appears_while_ours_is_being_created_keeps_its_path(tmp_path: Path) -> None:
    LocalRecords(tmp_path).commit(operation(write(NOTE, OURS)))
    report = drain_with_editor(tmp_path, {"temps-synced": lambda: save(note(tmp_path), THEIRS)})
    assert note(tmp_path).read_bytes() == THEIRS
    assert_conflict(tmp_path, report)


def test_bytes_written_in_place_into_a_replaced_file_become_a_conflict_file(tmp_path: Path) -> None:
    with_old_note(tmp_path).commit(operation(write(NOTE, OURS, OLD)))
    with note(tmp_path).open("r+b") as editor:
        assert LocalRecords(tmp_path).drain() == FILED
        editor.truncate()
        editor.write(THEIRS)
    report = drain(tmp_path)
    assert note(tmp_path).read_bytes() == OURS
    assert conflict_texts(tmp_path) == [THEIRS]
    assert len(report.conflicts) == 1
    assert leftovers(tmp_path) == []


def test_a_replaced_file_is_kept_for_a_while(tmp_path: Path) -> None:
    records = with_old_note(tmp_path)
    records.commit(operation(write(NOTE, OURS, OLD)))
    records.drain()
    records.drain()
    records.close()
    (parked,) = (tmp_path / "vault/.pellucid/displaced").iterdir()
    assert parked.read_bytes() == OLD


def test_user_bytes_left_by_a_dead_process_survive_the_loss_of_the_journal(tmp_path: Path) -> None:
    with_old_note(tmp_path).commit(operation(write(NOTE, OURS, OLD)))

    def failpoint(step: Step) -> None:
        if step == "swap-named":
            save(note(tmp_path), THEIRS)
        if step == "exchanged":
            raise Crash

    with pytest.raises(Crash):
        LocalRecords(tmp_path, failpoint=failpoint).drain()
    for path in tmp_path.glob("journal.db*"):
        path.unlink()
    LocalRecords(tmp_path).commit(operation(write("facts/2026-04/other.md", OLD)))
    drain(tmp_path)
    assert conflict_texts(tmp_path) == [THEIRS]


def test_one_path_out_of_reach_does_not_keep_the_others_waiting(tmp_path: Path) -> None:
    records = LocalRecords(tmp_path)
    records.commit(operation(write(NOTE, OURS), write("skills/other.md", OURS)))
    outside = tmp_path / "outside"
    outside.mkdir()
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault/facts").symlink_to(outside)
    with pytest.raises(StoreError, match=r"1 waiting path.*facts/2026-04/note\.md"):
        records.drain()
    assert note(tmp_path, "skills/other.md").read_bytes() == OURS
    assert list(outside.iterdir()) == []
    assert records.heads([NOTE])[0].data == OURS
    (tmp_path / "vault/facts").unlink()
    assert records.drain() == FILED


def test_a_text_in_conflict_twice_is_kept_once(tmp_path: Path) -> None:
    with_old_note(tmp_path).commit(operation(write(NOTE, OURS, OLD)))
    save(note(tmp_path), THEIRS)
    crash_at(tmp_path, "conflict-kept")
    drain(tmp_path)
    assert conflict_texts(tmp_path) == [OURS_REVIEWED]


def test_a_conflict_name_taken_by_another_text_is_not_overwritten(tmp_path: Path) -> None:
    records = with_old_note(tmp_path)
    records.commit(operation(write(NOTE, OURS, OLD)))
    save(note(tmp_path), THEIRS)
    (name,) = records.drain().conflicts
    (tmp_path / "vault" / name).write_bytes(b"reviewed by the user")
    records.commit(operation(write(NOTE, OURS, THEIRS)))
    save(note(tmp_path), OLD)
    records.drain()
    assert conflict_texts(tmp_path) == sorted([b"reviewed by the user", OURS_REVIEWED])


def test_only_names_of_our_own_making_are_swept(tmp_path: Path) -> None:
    records = with_old_note(tmp_path)
    kept = [note(tmp_path).with_name(name) for name in (".pellucid-notes.tmp", ".other.tmp", "x.tmp")]
    ours = note(tmp_path).with_name(".pellucid-0123456789abcdef.tmp")
    for path in (*kept, ours):
        path.write_bytes(b"x")
    records.commit(operation(write(NOTE, OURS, OLD)))
    records.drain()
    assert all(path.exists() for path in kept)
    assert not ours.exists()


def test_a_bulk_of_several_batches_is_filed(tmp_path: Path) -> None:
    records = LocalRecords(tmp_path)
    writes = [write(f"facts/2026-04/note-{number}.md", str(number).encode()) for number in range(2_100)]
    records.commit(operation(*writes))
    assert len(records.drain().filed) == 2_100
    assert [head.data for head in records.heads(each.path for each in writes)] == [each.data for each in writes]
    assert os.listdir(tmp_path / "vault/facts") == ["2026-04"]
