"""Raw flags in, checked options or one clear refusal out."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from pellucid.errors import InputError, StoreError
from pellucid.xray.options import BUDGET_AT_MOST, XrayOptions, parse, recall_named, write_out

HOME = Path("/no/home")


def refusal(**given: object) -> InputError:
    with pytest.raises(InputError) as caught:
        parse(given.pop("query", "q"), **given)
    assert caught.value.next_step
    assert caught.value.message.isprintable()
    return caught.value


def test_a_query_alone_is_text_with_everything_else_left_open() -> None:
    assert parse("  cache ttl ") == XrayOptions("cache ttl", format="text", budget=None, namespace=None, out=None)


@pytest.mark.parametrize("query", ["", "  \n", None, 7, ["a"]])
def test_a_missing_query_is_refused(query: object) -> None:
    error = refusal(query=query)
    assert (error.code, error.message) == ("missing_query", "xray: <query> is required and must be non-empty")


@pytest.mark.parametrize(
    ("given", "form"), [("json", "json"), (" MarkDown ", "markdown"), ("TEXT", "text"), ("Html", "html")]
)
def test_a_format_is_trimmed_and_read_in_any_case(given: str, form: str) -> None:
    assert parse("q", format=given).format == form


@pytest.mark.parametrize(
    ("given", "got"),
    [
        ("xml", '"xml"'),
        ("", '""'),
        (5, "number"),
        (True, "boolean"),
        ([], "array"),
        ({}, "object"),
        ("\x1b[", r'"\u001b["'),
    ],
)
def test_an_unknown_format_is_refused_with_the_ones_there_are(given: object, got: str) -> None:
    error = refusal(format=given)
    assert error.code == "invalid_format"
    assert error.message == f"--format expects one of json, text, markdown, html; got {got}"


@pytest.mark.parametrize(
    ("given", "budget"), [(1, 1), ("8192", 8192), (" +7 ", 7), (100.0, 100), (BUDGET_AT_MOST, BUDGET_AT_MOST)]
)
def test_a_budget_is_a_positive_whole_number_or_its_digits(given: object, budget: int) -> None:
    assert parse("q", budget=given).budget == budget


@pytest.mark.parametrize(
    ("given", "got"),
    [
        ("abc", '"abc"'), ("", '""'), ("0", '"0"'), ("-5", '"-5"'), ("1.5", '"1.5"'), ("1_000", '"1_000"'),
        ("１２", '"１２"'), ("inf", '"inf"'), ("nan", '"nan"'), (0, "0"), (-5, "-5"), (1.5, "1.5"),
        (float("inf"), "Infinity"), (float("nan"), "NaN"), (True, "true"), ([1], "array"), ({}, "object"),
        (2**53, "9007199254740992"), ("9" * 5000, '"' + "9" * 79 + "…"),
    ],
)  # fmt: skip
def test_any_other_budget_is_refused_with_what_was_given(given: object, got: str) -> None:
    error = refusal(budget=given)
    assert (error.code, error.message) == ("invalid_budget", f"--budget expects a positive integer; got {got}")


def test_a_namespace_is_tenant_and_project() -> None:
    assert parse("q", namespace=" studio/atlas ").namespace == "studio/atlas"


@pytest.mark.parametrize("given", ["studio", "Studio/Atlas", "../x", "a/b/c", "a/b\nc", "a/b c", "\x1b[31m/x"])
def test_any_other_namespace_is_refused(given: str) -> None:
    error = refusal(namespace=given)
    assert error.code == "invalid_namespace"
    assert error.message.startswith('--namespace expects tenant/project; got "')


@pytest.mark.parametrize("blank", ["", "  ", "\t\n", None])
def test_a_blank_namespace_or_out_is_the_same_as_none(blank: str | None) -> None:
    assert parse("q", namespace=blank, out=blank) == XrayOptions("q")


@pytest.mark.parametrize("flag", ["namespace", "out"])
def test_a_number_where_a_text_belongs_is_refused(flag: str) -> None:
    error = refusal(**{flag: 5})
    assert (error.code, error.message) == (f"invalid_{flag}", f"--{flag} expects text; got number")


def test_out_is_a_path_with_its_tilde_expanded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert parse("q", out=" ~/x.md ").out == tmp_path / "x.md"
    assert parse("q", out=Path("~/x.md")).out == tmp_path / "x.md"
    assert parse("q", out="plain/x.md").out == Path("plain/x.md")


@pytest.mark.parametrize("given", ["~no-such-user-here/x", "a\0b"])
def test_an_out_that_names_no_path_is_refused(given: str) -> None:
    assert refusal(out=given).code == "invalid_out"


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


def test_a_recall_is_named_by_its_id_alone() -> None:
    known = "rec_" + "0a" * 16
    assert recall_named([known]) == known
    for words in ([], [known, "x"], ["rec_1"], [known.upper()], [f"{known}\n"], [f"{known} "]):
        assert recall_named(words) is None
