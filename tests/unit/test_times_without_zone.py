"""Times that say no zone in, from every place that takes them; UTC out, on a machine that stands in New York."""

import json
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from pellucid.capture.transcripts.json_values import as_instant
from pellucid.clock import isoformat, truncate
from pellucid.lab.datasets import eips
from pellucid.operations.browsing import ListInput
from pellucid.operations.document.rows import HistoryRow
from pellucid.operations.instants import parse_instant
from pellucid.operations.recall.kept.snapshots import parse_since
from pellucid.surfaces.cli.running import field_values
from pellucid.surfaces.dashboard.rendering import day, when
from pellucid.vault.markdown import FileIdentity, parse

SAID = "2026-04-20T22:30"
NAIVE = datetime.fromisoformat(SAID)
MEANT = NAIVE.replace(tzinfo=UTC)
NOW = MEANT + timedelta(days=40)


@pytest.fixture(autouse=True)
def in_new_york(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The clock of the machine shows New York's time."""
    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()
    assert NAIVE.astimezone(UTC) != MEANT
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    "read",
    [
        pytest.param(lambda: truncate(NAIVE), id="a program"),
        pytest.param(lambda: as_instant(SAID), id="a transcript"),
        pytest.param(lambda: parse_instant(SAID, NOW), id="--as-of"),
        pytest.param(lambda: parse_since(SAID, NOW), id="snapshots --since"),
        pytest.param(lambda: field_values(ListInput, {"since": NAIVE}, lambda: NOW)["since"], id="list --since"),
        pytest.param(lambda: ListInput(namespace="a/b", since=NAIVE).since, id="a facade's since"),
        pytest.param(
            lambda: HistoryRow.model_validate({"doc": 1, "date": SAID, "field": "status"}).date, id="a history file"
        ),
    ],
)
def test_a_time_without_zone_is_one_of_utc_wherever_it_is_read(read: Callable[[], datetime]) -> None:
    assert read() == MEANT


def test_a_header_without_zone_is_of_utc() -> None:
    text = f"---\nid: mem_{1:032x}\ncategory: fact\ncreated: {SAID}\nupdated: {SAID}:00-04:00\n---\nIt is so.\n"
    memory = parse("facts/a.md", text.encode(), FileIdentity("a/b", b"key", NOW)).memories[0][0]
    assert (memory.created, memory.updated) == (MEANT, MEANT + timedelta(hours=4))


def test_the_lab_reads_dates_without_zone_beside_dates_with_one(tmp_path: Path) -> None:
    rows = [
        {"doc": 1, "date": date, "commit": "c", "field": "status", "old": None, "new": date}
        for date in ("2026-04-20T20:00-04:00", SAID)
    ]
    (tmp_path / "status_history.jsonl").write_text("\n".join(map(json.dumps, rows)))
    assert [each.at for each in eips.changes(tmp_path)] == [MEANT, MEANT + timedelta(hours=1, minutes=30)]


def test_times_without_zone_are_written_and_shown_as_utc() -> None:
    assert isoformat(NAIVE) == "2026-04-20T22:30:00.000Z"
    assert (when(NAIVE), when(SAID), when(MEANT)) == ("2026-04-20 22:30",) * 3
    assert (day(NAIVE), day(f"{SAID}:00-04:00")) == ("2026-04-20", "2026-04-21")
