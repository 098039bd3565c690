"""Dated notes: which lines date what follows them, and that the turns of a note were said on its day."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from pellucid.capture.report import CaptureReport
from pellucid.capture.transcripts.formats import plain_text
from pellucid.capture.transcripts.formats.plain_text import date_at_head
from pellucid.capture.transcripts.source import Source
from pellucid.model.turn import Turn

MARCH_1 = datetime(2026, 3, 1, tzinfo=UTC)
MARCH_2 = datetime(2026, 3, 2, tzinfo=UTC)


def turns(tmp_path: Path, text: str) -> list[Turn]:
    path = tmp_path / "notes.txt"
    path.write_text(text, "utf-8")
    return list(plain_text.read(Source(path, CaptureReport())))


@pytest.mark.parametrize(
    "line",
    [
        "2026-03-01",
        "## 2026-03-01",
        "## 2026-03-01 Standup with Ada",
        "[2026-03-01]",
        "**2026-03-01**",
        "2026/03/01",
        "2026.3.1:",
        "- 2026-03-01: shipped",
        "2026-03-01 – Standup",
        "March 1, 2026",
        "## Mar 1st, 2026",
        "1 March 2026",
        "Sunday, March 1, 2026",
        "Sun 2026-03-01",
        "2026-03-01 (Sunday)",
        "1. March 2026",
        "01.03.2026",
        "2026年3月1日",
        "# Sunday 1 Mar 2026",
    ],
)
def test_a_date_at_the_head_dates_a_line(line: str):
    assert date_at_head(line, begins=False) == MARCH_1


def test_a_time_beside_the_date_is_read():
    assert date_at_head("## 2026-03-01 09:30", begins=False) == datetime(2026, 3, 1, 9, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    "line",
    [
        "2026-03-01 to move the cache.",
        "2026-03-01 12:00:01 ERROR: no cache",
        "2026-03-01 12:00:01 - INFO - start",
        "On 2026-03-01 we moved.",
        "2026-02-31",
        "03/01/2026",
        "2026-03-012",
        "May 2026",
        "March 1",
        "20260301",
        "1 aprıl 2024",
        "1 APRİL 2024",
        "# Auguſt 1, 2024",
        "",
    ],
)
def test_other_lines_date_nothing(line: str):
    assert date_at_head(line, begins=False) is None


def test_what_stands_below_a_date_was_said_that_day(tmp_path: Path):
    found = turns(
        tmp_path,
        "Undated.\n\n## 2026-03-01\n\nThe cache is Redis.\n\nThe queue is Kafka.\n\n"
        "## 2026-03-02\nThe cache is Valkey.\n",
    )

    assert [(turn.content, turn.at) for turn in found] == [
        ("Undated.", None),
        ("## 2026-03-01", MARCH_1),
        ("The cache is Redis.", MARCH_1),
        ("The queue is Kafka.", MARCH_1),
        ("## 2026-03-02\nThe cache is Valkey.", MARCH_2),
    ]


def test_items_of_a_diary_are_said_each_on_its_day(tmp_path: Path):
    found = turns(tmp_path, "- 2026-03-01: the cache is Redis\n  on one node\n- 2026-03-02: the cache is Valkey\n")

    assert [(turn.content, turn.at) for turn in found] == [
        ("- 2026-03-01: the cache is Redis\n  on one node", MARCH_1),
        ("- 2026-03-02: the cache is Valkey", MARCH_2),
    ]


def test_a_dialogue_below_a_date_stays_a_dialogue(tmp_path: Path):
    found = turns(
        tmp_path,
        "March 1, 2026\n\nAda: Redis it is.\nBob: Fine.\n\nMarch 2, 2026\n\nAda: Valkey.\n"
        "[2026-03-05 10:00] Bob: Hm.\n",
    )

    assert [(turn.speaker, turn.content, turn.at) for turn in found] == [
        ("Ada", "Redis it is.", MARCH_1),
        ("Bob", "Fine.", MARCH_1),
        ("Ada", "Valkey.", MARCH_2),
        ("Bob", "Hm.", datetime(2026, 3, 5, 10, tzinfo=UTC)),
    ]
