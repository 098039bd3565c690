"""Paths and text in, a whole file or one clear refusal out."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from pellucid.errors import InputError, StoreError
from pellucid.surfaces.cli.out_file import out_file, write_out

HOME = Path("/no/home")


@pytest.mark.parametrize("blank", ["", "  ", "\t\n", "-", None])
def test_no_file_and_a_dash_are_the_terminal(blank: str | None) -> None:
    assert out_file(blank) is None


def test_out_is_a_path_with_its_tilde_expanded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert out_file(" ~/x.md ") == tmp_path / "x.md"
    assert out_file("plain/x.md") == Path("plain/x.md")


@pytest.mark.parametrize("given", ["~no-such-user-here/x", "a\0b"])
def test_an_out_that_names_no_path_is_refused(given: str) -> None:
    with pytest.raises(InputError) as caught:
        out_file(given)
    assert caught.value.code == "invalid_out"
    assert caught.value.next_step
    assert caught.value.message.isprintable()


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_written_file_holds_the_text_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "x.md"
    path.write_text("old and longer than the new one")
    path.chmod(0o644)
    write_out(path, "neu: größer", HOME)
    assert path.read_bytes() == "neu: größer".encode()
    assert mode(path) == 0o600
    assert os.listdir(tmp_path) == ["x.md"]


def test_a_reader_of_the_old_file_keeps_the_whole_old_one(tmp_path: Path) -> None:
    path = tmp_path / "x.md"
    path.write_text("old")
    with path.open() as reader:
        write_out(path, "new", HOME)
        assert reader.read() == "old"


def test_a_link_is_followed_and_stays_a_link(tmp_path: Path) -> None:
    real, link = tmp_path / "real.md", tmp_path / "link.md"
    link.symlink_to(real)
    write_out(link, "new", HOME)
    assert link.is_symlink()
    assert real.read_text() == "new"


def test_a_folder_a_pipe_or_a_link_in_a_circle_is_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    for name in ("folder", "pipe", "circle"):
        with pytest.raises(InputError, match="not a regular file") as caught:
            write_out(tmp_path / name, "x", HOME)
        assert caught.value.code == "invalid_out"
    assert sorted(os.listdir(tmp_path)) == ["circle", "folder", "pipe"]


@pytest.mark.parametrize(
    "way", ["home/vault/facts/a.md", "home/journal.db", "home/new.txt", "link/index.db", "work/file", "work/../home/x"]
)
def test_nothing_in_the_home_is_written_whichever_way_leads_there(tmp_path: Path, way: str) -> None:
    home = tmp_path / "home"
    (home / "vault" / "facts").mkdir(parents=True)
    (tmp_path / "work").mkdir()
    for name in ("vault/facts/a.md", "journal.db", "index.db"):
        (home / name).write_text("precious")
    (tmp_path / "link").symlink_to(home)
    (tmp_path / "work" / "file").symlink_to(home / "journal.db")
    before = sorted(home.rglob("*"))
    for own in (home, tmp_path / "link"):
        with pytest.raises(InputError, match="lies in Pellucid's home") as caught:
            write_out(tmp_path / way, "x", own)
        assert caught.value.code == "invalid_out"
    assert sorted(home.rglob("*")) == before
    assert {each.read_text() for each in before if each.is_file()} == {"precious"}


def test_a_failure_says_what_and_the_next_step_and_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file or directory") as caught:
        write_out(tmp_path / "no" / "x\x1b.md", "x", HOME)
    assert caught.value.message.isprintable()
    assert "exists" in caught.value.next_step
    long = tmp_path / ("n" * 300)
    with pytest.raises(InputError, match="too long"):
        write_out(long, "x", HOME)
    assert os.listdir(tmp_path) == []


def test_a_text_in_pieces_is_written_as_they_come_and_one_that_breaks_off_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    write_out(path, (f"{number}\n" for number in range(3)), HOME)
    assert path.read_text() == "0\n1\n2\n"

    def broken() -> Iterator[str]:
        yield "new\n"
        raise StoreError("the disk failed")

    with pytest.raises(StoreError):
        write_out(path, broken(), HOME)
    assert path.read_text() == "0\n1\n2\n"
    assert os.listdir(tmp_path) == ["x.jsonl"]
