"""A file that is to be gone: journaled like a write, and never at the cost of what somebody else saved."""

from pathlib import Path

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
from pellucid.errors import ConflictError, InputError
from pellucid.store.local.failpoint import Step
from pellucid.store.local.vault.records import LocalRecords
from pellucid.store.records import DrainReport, FileHead, FileRemoval

FILED = DrainReport(filed=(NOTE,))
CONFLICT = DrainReport()


def test_a_removal_waits_in_the_journal_and_is_drained(tmp_path: Path) -> None:
    records = with_old_note(tmp_path)
    removed = operation(removal(NOTE, OLD))
    seq = records.commit(removed)
    assert records.heads([NOTE]) == [FileHead(NOTE, None, None, None, "")]
    assert note(tmp_path).exists()
    assert records.drain() == FILED
    assert not note(tmp_path).exists()
    assert records.heads([NOTE]) == [FileHead(NOTE, None, None, None, "")]
    (row,) = records.operations(after=seq - 1)
    assert row.paths == ((NOTE, None),)
    assert drain(tmp_path) == DrainReport()
    assert leftovers(tmp_path) == []


def test_one_operation_may_write_some_paths_and_remove_others(tmp_path: Path) -> None:
    records = with_old_note(tmp_path)
    both = operation(write("skills/new.md", OURS), removal(NOTE, OLD))
    seq = records.commit(both)
    assert set(records.drain().filed) == {NOTE, "skills/new.md"}
    assert [stamp.path for stamp in records.walk()] == ["skills/new.md"]
    (row,) = records.operations(after=seq - 1)
    assert {path for path, _ in row.paths} == {NOTE, "skills/new.md"}


def test_an_operation_that_writes_and_removes_one_path_is_refused(tmp_path: Path) -> None:
    records = with_old_note(tmp_path)
    with pytest.raises(InputError):
        records.commit(operation(write(NOTE, OURS, OLD), removal(NOTE, OLD)))
    with pytest.raises(InputError):
        records.commit(operation(removal(NOTE, OLD), removal(NOTE, OLD)))
    with pytest.raises(InputError):
        records.commit(operation(removal("../outside.md", OLD)))


def test_a_removal_of_a_text_that_changed_or_is_gone_is_refused_whole(tmp_path: Path) -> None:
    records = with_old_note(tmp_path)
    save(note(tmp_path), THEIRS)
    with pytest.raises(ConflictError, match="changed since"):
        records.commit(operation(write("new.md", OURS), removal(NOTE, OLD)))
    assert records.heads(["new.md"])[0].data is None
    note(tmp_path).unlink()
    with pytest.raises(ConflictError, match="gone"):
        records.commit(operation(removal(NOTE, OLD)))


def test_a_link_is_never_removed(tmp_path: Path) -> None:
    records = with_old_note(tmp_path)
    note(tmp_path).unlink()
    note(tmp_path).symlink_to(tmp_path / "outside.md")
    with pytest.raises(ConflictError):
        records.commit(operation(FileRemoval(NOTE, "not-a-regular-file")))
    assert note(tmp_path).is_symlink()


def test_a_path_whose_removal_waits_may_not_be_removed_again(tmp_path: Path) -> None:
    records = with_old_note(tmp_path)
    records.commit(operation(removal(NOTE, OLD)))
    with pytest.raises(ConflictError):
        records.commit(operation(removal(NOTE, OLD)))
    with pytest.raises(ConflictError):
        records.commit(operation(write(NOTE, OURS, OLD)))


def test_a_file_the_user_deleted_first_is_as_good_as_removed(tmp_path: Path) -> None:
    with_old_note(tmp_path).commit(operation(removal(NOTE, OLD)))
    note(tmp_path).unlink()
    note(tmp_path).parent.rmdir()
    assert drain(tmp_path) == FILED


def test_a_file_the_user_changed_meanwhile_stays(tmp_path: Path) -> None:
    with_old_note(tmp_path).commit(operation(removal(NOTE, OLD)))
    save(note(tmp_path), THEIRS)
    assert drain(tmp_path) == CONFLICT
    assert note(tmp_path).read_bytes() == THEIRS
    assert conflict_texts(tmp_path) == []
    assert drain(tmp_path) == DrainReport()


def test_a_write_that_waits_and_its_removal_leave_nothing(tmp_path: Path) -> None:
    records = LocalRecords(tmp_path)
    records.commit(operation(write(NOTE, OURS)))
    records.commit(operation(removal(NOTE, OURS)))
    assert drain(tmp_path) == FILED
    assert list((tmp_path / "vault").rglob("*.md")) == []


def test_an_edit_that_waits_and_its_removal_take_the_old_file_away(tmp_path: Path) -> None:
    records = with_old_note(tmp_path)
    records.commit(operation(write(NOTE, OURS, OLD)))
    records.commit(operation(removal(NOTE, OURS)))
    assert drain(tmp_path) == FILED
    assert not note(tmp_path).exists()
    assert leftovers(tmp_path) == []


@pytest.mark.parametrize("deleted", [False, True])
def test_a_removal_that_waits_and_a_new_write_leave_the_new_text(tmp_path: Path, deleted: bool) -> None:
    records = with_old_note(tmp_path)
    records.commit(operation(removal(NOTE, OLD)))
    records.commit(operation(write(NOTE, OURS)))
    assert records.heads([NOTE])[0].data == OURS
    if deleted:
        note(tmp_path).unlink()
    assert drain(tmp_path) == FILED
    assert note(tmp_path).read_bytes() == OURS
    assert conflict_texts(tmp_path) == []


@pytest.mark.parametrize("step", ["taken-away", "parked", "folders-synced"])
def test_a_write_after_a_removal_that_a_crash_half_did_is_filed(tmp_path: Path, step: Step) -> None:
    records = with_old_note(tmp_path)
    records.commit(operation(removal(NOTE, OLD)))
    crash_at(tmp_path, step)
    records.commit(operation(write(NOTE, OURS)))
    assert drain(tmp_path) == FILED
    assert note(tmp_path).read_bytes() == OURS
    assert leftovers(tmp_path) == []
    assert conflict_texts(tmp_path) == []


@pytest.mark.parametrize("step", ["swap-named", "exchanged", "created", "temps-synced", "folders-synced"])
def test_a_removal_after_writes_that_a_crash_half_did_is_filed(tmp_path: Path, step: Step) -> None:
    records = with_old_note(tmp_path)
    records.commit(operation(write(NOTE, OURS, OLD), write("skills/new.md", OURS)))
    crash_at(tmp_path, step)
    records.commit(operation(removal(NOTE, OURS), removal("skills/new.md", OURS)))
    drain(tmp_path)
    assert list((tmp_path / "vault").rglob("*.md")) == []
    assert leftovers(tmp_path) == []


def test_a_save_just_before_the_file_is_taken_is_put_back(tmp_path: Path) -> None:
    with_old_note(tmp_path).commit(operation(removal(NOTE, OLD)))

    records = LocalRecords(tmp_path)
    digest, looks = records._vault.digest, iter(range(9))

    def digest_then_save(path: str) -> str | None:
        found = digest(path)
        if next(looks) == 1:  # the last look before the rename
            save(note(tmp_path), THEIRS)
        return found

    records._vault.digest = digest_then_save  # type: ignore[method-assign]
    assert records.drain() == CONFLICT
    assert note(tmp_path).read_bytes() == THEIRS
    assert conflict_texts(tmp_path) == []
    assert leftovers(tmp_path) == []


def test_a_save_while_the_file_is_away_stays(tmp_path: Path) -> None:
    with_old_note(tmp_path).commit(operation(removal(NOTE, OLD)))

    def failpoint(step: Step) -> None:
        if step == "taken-away":
            save(note(tmp_path), THEIRS)

    assert LocalRecords(tmp_path, failpoint=failpoint).drain() == FILED
    assert note(tmp_path).read_bytes() == THEIRS
    drain(tmp_path)
    assert leftovers(tmp_path) == []


@pytest.mark.parametrize("step", ["taken-away", "put-back", None])
def test_two_saves_around_the_moment_the_file_is_taken_are_both_kept(tmp_path: Path, step: Step | None) -> None:
    """The first is in what was taken, the second stands at the path when the first is to be put back."""
    with_old_note(tmp_path).commit(operation(removal(NOTE, OLD)))

    def failpoint(now: Step) -> None:
        if now == "taken-away":
            (swap,) = note(tmp_path).parent.glob(".pellucid-*.swap")
            swap.write_bytes(b"first save")  # as if it had come just before the rename
            save(note(tmp_path), b"second save")
        if now == step:
            raise Crash

    records = LocalRecords(tmp_path, failpoint=failpoint)
    if step:
        with pytest.raises(Crash):
            records.drain()
    else:
        records.drain()
    drain(tmp_path)
    kept = [note(tmp_path).read_bytes(), *conflict_texts(tmp_path)]
    assert sorted(kept) == [b"first save", b"second save"]
    assert step == "put-back" or kept[0] == b"second save"
    assert leftovers(tmp_path) == []


def test_a_save_that_a_crash_left_in_the_swap_file_of_a_write_gets_its_path_back(tmp_path: Path) -> None:
    """The write was exchanged, the process died, and then our own text was removed: theirs must not go with it."""
    records = with_old_note(tmp_path)
    records.commit(operation(write(NOTE, OURS, OLD)))

    def failpoint(step: Step) -> None:
        if step == "swap-named":
            save(note(tmp_path), THEIRS)
        if step == "exchanged":
            raise Crash

    with pytest.raises(Crash):
        LocalRecords(tmp_path, failpoint=failpoint).drain()
    records.commit(operation(removal(NOTE, OURS)))
    drain(tmp_path)
    assert note(tmp_path).read_bytes() == THEIRS
    assert conflict_texts(tmp_path) == []
    assert leftovers(tmp_path) == []


def test_bytes_written_in_place_into_a_removed_file_become_a_conflict_file(tmp_path: Path) -> None:
    with_old_note(tmp_path).commit(operation(removal(NOTE, OLD)))
    with note(tmp_path).open("r+b") as editor:
        assert LocalRecords(tmp_path).drain() == FILED
        editor.truncate()
        editor.write(THEIRS)
    drain(tmp_path)
    assert not note(tmp_path).exists()
    assert conflict_texts(tmp_path) == [THEIRS]


def test_a_write_over_a_removal_that_met_an_edit_waits_for_review(tmp_path: Path) -> None:
    records = with_old_note(tmp_path)
    records.commit(operation(removal(NOTE, OLD)))
    records.commit(operation(write(NOTE, OURS)))
    save(note(tmp_path), THEIRS)
    drain(tmp_path)
    assert note(tmp_path).read_bytes() == THEIRS
    assert conflict_texts(tmp_path) == [OURS_REVIEWED]


def test_a_bulk_removal_that_died_in_the_middle_is_finished_by_the_next_drain(tmp_path: Path) -> None:
    records = LocalRecords(tmp_path)
    texts = {f"facts/2026-04/note-{number}.md": f"text {number}".encode() for number in range(2_100)}
    records.commit(operation(*(write(path, data) for path, data in texts.items()), write(NOTE, OLD)))
    records.drain()
    records.commit(operation(*(removal(path, data) for path, data in texts.items())))
    crash_at(tmp_path, "entries-settled")
    left = len(list(records.walk()))
    assert 1 < left < 2_101
    assert len(drain(tmp_path).filed) == left - 1
    assert [stamp.path for stamp in records.walk()] == [NOTE]
