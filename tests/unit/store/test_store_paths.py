"""What may be a path in the vault, and that none leads out of it."""

from pathlib import Path

import pytest

from kits.records import NOTE, OLD, OURS, note, operation, with_old_note, write
from pellucid.errors import ConflictError, InputError
from pellucid.store.local.vault import paths
from pellucid.store.local.vault.records import LocalRecords

HOSTILE = [
    "",
    "/etc/passwd.md",
    "../out.md",
    "facts/../../out.md",
    "facts/..",
    "facts/./a.md",
    "facts//a.md",
    "facts/a.md/",
    "a\x00.md",
    "facts\\a.md",
    "a\nb.md",
    "a\x1b[31m.md",
    "a\x85.md",
    "a\u2028.md",
    "a\udcff.md",
    ".hidden.md",
    ".pellucid/ledger/2026-04.md",
    "facts/.git/a.md",
]
UNFIT_FOR_A_NEW_FILE = [
    "facts/a.txt",
    "facts/a",
    "facts/a.conflict-0123abcd.md",
    "facts/cafe\u0301.md",
    "facts/a:b.md",
    "facts/a?.md",
    "facts/con.md",
    "COM1/a.md",
    "facts /a.md",
    "facts./a.md",
    f"facts/{'a' * 200}.md",
    "/".join(["a" * 100] * 11) + "/a.md",
]


@pytest.mark.parametrize("path", HOSTILE)
def test_a_hostile_path_is_refused_in_reading_and_writing(tmp_path: Path, path: str) -> None:
    records = LocalRecords(tmp_path / "home")
    with pytest.raises(InputError):
        records.commit(operation(write(path, OURS)))
    with pytest.raises(InputError):
        records.commit(operation(write(path, OURS, OLD)))
    with pytest.raises(InputError):
        records.heads([path])
    assert records.operations() == []


@pytest.mark.parametrize("path", UNFIT_FOR_A_NEW_FILE)
def test_a_name_that_some_file_system_cannot_keep_is_refused_for_a_new_file(tmp_path: Path, path: str) -> None:
    with pytest.raises(InputError) as error:
        LocalRecords(tmp_path).commit(operation(write(path, OURS)))
    assert error.value.code == "invalid_path"


@pytest.mark.parametrize("path", ["a.md", NOTE, "facts/2026-04/äöü 漢字.md", "facts/a b.c-d.md"])
def test_an_ordinary_path_is_taken(tmp_path: Path, path: str) -> None:
    records = LocalRecords(tmp_path)
    records.commit(operation(write(path, OURS)))
    assert records.drain().filed == (path,)
    assert note(tmp_path, path).read_bytes() == OURS


def test_a_file_the_user_named_may_be_updated_whatever_its_name(tmp_path: Path) -> None:
    path = "facts/what: why?.md"
    note(tmp_path, path).parent.mkdir(parents=True)
    note(tmp_path, path).write_bytes(OLD)
    records = LocalRecords(tmp_path)
    records.commit(operation(write(path, OURS, OLD)))
    assert records.drain().filed == (path,)


def test_a_folder_that_is_a_link_leads_nowhere(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_bytes(OLD)
    home = tmp_path / "home"
    (home / "vault").mkdir(parents=True)
    (home / "vault/facts").symlink_to(outside)
    records = LocalRecords(home)
    assert records.heads(["facts/secret.md"])[0].data is None
    assert list(records.walk()) == []
    for base in (None, OLD):
        with pytest.raises(InputError):
            records.commit(operation(write("facts/secret.md", OURS, base)))
    assert (outside / "secret.md").read_bytes() == OLD


def test_a_file_that_is_a_link_is_not_read(tmp_path: Path) -> None:
    records = with_old_note(tmp_path)
    (tmp_path / "secret").write_bytes(b"secret")
    note(tmp_path, "facts/link.md").symlink_to(tmp_path / "secret")
    assert records.heads(["facts/link.md"])[0].data is None
    assert [stamp.path for stamp in records.walk()] == [NOTE]
    with pytest.raises(ConflictError):
        records.commit(operation(write("facts/link.md", OURS)))


@pytest.mark.parametrize("twin", ["facts/2026-04/NOTE.md", "Facts/2026-04/other.md"])
def test_a_new_path_that_differs_in_case_only_is_a_conflict(tmp_path: Path, twin: str) -> None:
    records = with_old_note(tmp_path)
    with pytest.raises(ConflictError):
        records.commit(operation(write(twin, OURS)))


def test_a_new_path_that_collides_with_a_waiting_one_is_a_conflict(tmp_path: Path) -> None:
    records = LocalRecords(tmp_path)
    records.commit(operation(write(NOTE, OLD)))
    with pytest.raises(ConflictError):
        records.commit(operation(write(NOTE.replace("note", "Note"), OURS)))
    with pytest.raises(ConflictError):
        records.commit(operation(write("a.md", OURS), write("A.md", OURS)))


def test_composed_and_decomposed_names_are_twins() -> None:
    assert paths.folded("cafe\u0301.md") == paths.folded("Café.md")
    assert paths.folded("STRASSE.md") == paths.folded("straße.md")


def test_conflict_names_fit_into_a_file_name() -> None:
    names = paths.conflict_names("ü" * 127 + ".md", "ab" * 32)
    assert all(len(name.encode()) <= 255 and paths.CONFLICT.fullmatch(name) for name in names)
