"""Transcripts of unusual shape in, every turn of them out, or a count of what cannot be read."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from pellucid.capture.reader import read
from pellucid.capture.report import CaptureReport
from pellucid.capture.transcripts.blocks import call_text, output_text
from pellucid.capture.transcripts.formats.plain_text import date_at_head
from pellucid.capture.transcripts.json_values import as_instant
from pellucid.settings.sections import CaptureSettings

LONG = "word " * 60_000  # longer than what a format is detected by


def line(words: str) -> str:
    return json.dumps({"role": "user", "content": words}, ensure_ascii=False)


def conversation(words: str) -> str:
    return json.dumps({"messages": [{"role": "user", "content": words}]})


def turns_of(folder: Path, text: str) -> tuple[list[str], CaptureReport]:
    path, report = folder / "chat.jsonl", CaptureReport()
    path.write_text(text, encoding="utf-8", newline="")
    return [turn.content.strip()[-6:] for turn in read([path], CaptureSettings(), report)], report


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\x85"])
def test_a_line_separator_within_a_text_ends_no_line_of_json(separator: str, tmp_path: Path) -> None:
    found, report = turns_of(tmp_path, "\n".join([line(f"a{separator}b, one"), line("two"), line("three")]))
    assert [each[-3:] for each in found] == ["one", "two", "ree"]
    assert report.formats == {"plain-jsonl": 1}


@pytest.mark.parametrize("made", [line, conversation])
def test_lines_behind_a_first_one_longer_than_the_head_are_read(made: Callable[[str], str], tmp_path: Path) -> None:
    found, report = turns_of(tmp_path, "\r\n".join([made(f"{LONG} one"), "", made("two"), made("three")]))
    assert [each.split()[-1] for each in found] == ["one", "two", "three"]
    assert not report.malformed


def test_one_long_document_is_no_lines(tmp_path: Path) -> None:
    text = f'{{"messages": [{line(f"{LONG} one")},\n{line("two")}\n]}}\n'
    found, report = turns_of(tmp_path, text)
    assert (len(found), report.malformed) == (2, 0)


def test_what_follows_a_document_is_counted_and_not_passed_over(tmp_path: Path) -> None:
    found, report = turns_of(tmp_path, f"[{line('one')}]\n[{line('two')}]\n")
    assert found == ["one"]
    assert [each.reason for each in report.problems] == ["more follows behind the document"]


def test_what_is_nested_deeper_than_json_can_be_written_is_no_error() -> None:
    held: object = "the words"
    deep: object = []
    for _ in range(3_000):
        held, deep = {"content": held}, [deep]
    assert output_text(held) == "the words"
    assert output_text({"other": deep}) == call_text({"a": deep}).removeprefix("a: ") == "[nested too deeply]"


@pytest.mark.parametrize("said", ["0068-09-03T10:00", "9999-12-31T23:59:59Z", "0001-01-01", -6e10, 2.534e14])
def test_a_year_in_which_nothing_was_said_is_no_time(said: object) -> None:
    assert as_instant(said) is None
    assert date_at_head(f"# {str(said)[:10]}", begins=True) is None


def test_years_of_four_digits_are_times() -> None:
    assert [as_instant(f"{year}-05-01T00:00Z").year for year in (1000, 9998)] == [1000, 9998]  # type: ignore[union-attr]
