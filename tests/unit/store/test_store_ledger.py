"""The ledger files: numbered, in order, each row exactly once."""

import json
from pathlib import Path

import pytest
from record_kit import Crash, drain, operation, write

from pellucid.errors import InputError, StoreError
from pellucid.store.local.failpoint import Step
from pellucid.store.local.records import LocalRecords

MAY = "2026-05-02T08:00:00.000Z"


def ledger_file(home: Path, month: str = "2026-04") -> Path:
    return home / f"vault/.pellucid/ledger/{month}.jsonl"


def commit_rows(home: Path, *kinds: str, **options: str) -> LocalRecords:
    records = LocalRecords(home)
    for kind in kinds:
        records.commit(operation(ledger=({"kind": kind},), **options))
    return records


def test_rows_are_numbered_and_filed_by_month(tmp_path: Path) -> None:
    records = commit_rows(tmp_path, "a")
    commit_rows(tmp_path, "b", at=MAY)
    commit_rows(tmp_path, "c")
    records.drain()
    assert ledger_file(tmp_path).read_text() == '{"seq":1,"kind":"a"}\n{"seq":3,"kind":"c"}\n'
    assert ledger_file(tmp_path, "2026-05").read_text() == '{"seq":2,"kind":"b"}\n'
    assert [row["kind"] for row in records.ledger()] == ["a", "b", "c"]


def test_rows_can_be_read_before_they_are_filed(tmp_path: Path) -> None:
    records = commit_rows(tmp_path, "a")
    records.drain()
    commit_rows(tmp_path, "b")
    assert list(records.ledger()) == [{"seq": 1, "kind": "a"}, {"seq": 2, "kind": "b"}]


@pytest.mark.parametrize("step", ["ledger-appended", "ledger-synced"])
def test_a_crash_after_appending_does_not_append_twice(tmp_path: Path, step: Step) -> None:
    def failpoint(now: Step) -> None:
        if now == step:
            raise Crash

    commit_rows(tmp_path, "a", "b")
    with pytest.raises(Crash):
        LocalRecords(tmp_path, failpoint=failpoint).drain()
    assert [row["seq"] for row in LocalRecords(tmp_path).ledger()] == [1, 2]
    drain(tmp_path)
    assert ledger_file(tmp_path).read_text().count("\n") == 2


@pytest.mark.parametrize("kept", range(1, 22))
def test_a_torn_last_line_is_mended_wherever_it_was_cut(tmp_path: Path, kept: int) -> None:
    def failpoint(now: Step) -> None:
        if now == "ledger-appended":
            raise Crash

    commit_rows(tmp_path, "a").drain()
    whole = len(ledger_file(tmp_path).read_bytes())
    commit_rows(tmp_path, "b", "c")
    with pytest.raises(Crash):
        LocalRecords(tmp_path, failpoint=failpoint).drain()
    with ledger_file(tmp_path).open("r+b") as file:
        file.truncate(whole + kept)
    records = LocalRecords(tmp_path)
    assert [row["kind"] for row in records.ledger()] == ["a", "b", "c"]
    records.drain()
    assert [json.loads(line)["seq"] for line in ledger_file(tmp_path).read_text().splitlines()] == [1, 2, 3]


def test_a_last_line_of_zeros_is_cut(tmp_path: Path) -> None:
    commit_rows(tmp_path, "a").drain()
    with ledger_file(tmp_path).open("ab") as file:
        file.write(bytes(100))
    commit_rows(tmp_path, "b").drain()
    assert [json.loads(line)["seq"] for line in ledger_file(tmp_path).read_text().splitlines()] == [1, 2]


def test_a_file_longer_than_the_window_read_from_its_end_is_continued(tmp_path: Path) -> None:
    records = LocalRecords(tmp_path)
    records.commit(operation(ledger=({"kind": "x" * 40_000}, {"kind": "y" * 40_000})))
    records.drain()
    with ledger_file(tmp_path).open("ab") as file:
        file.write(b"torn" * 10_000)
    commit_rows(tmp_path, "z").drain()
    assert [json.loads(line)["seq"] for line in ledger_file(tmp_path).read_text().splitlines()] == [1, 2, 3]


def test_a_new_journal_goes_on_counting_where_the_files_ended(tmp_path: Path) -> None:
    commit_rows(tmp_path, "a", "b").drain()
    for path in tmp_path.glob("journal.db*"):
        path.unlink()
    records = commit_rows(tmp_path, "c")
    records.drain()
    assert [(row["seq"], row["kind"]) for row in records.ledger()] == [(1, "a"), (2, "b"), (3, "c")]


def test_a_damaged_line_is_named(tmp_path: Path) -> None:
    records = commit_rows(tmp_path, "a")
    records.drain()
    with ledger_file(tmp_path).open("ab") as file:
        file.write(b"{broken\n")
    with pytest.raises(StoreError, match="line 2"):
        list(records.ledger())


@pytest.mark.parametrize("row", [{"seq": 9}, {"x": object()}, {"x": float("nan")}])
def test_a_row_that_cannot_be_kept_is_refused_with_its_whole_operation(tmp_path: Path, row: dict[str, object]) -> None:
    records = LocalRecords(tmp_path)
    with pytest.raises(InputError):
        records.commit(operation(write("a.md", b"x"), ledger=(row,)))
    assert records.operations() == []


def test_text_of_every_script_survives_the_ledger(tmp_path: Path) -> None:
    records = commit_rows(tmp_path, 'ü 漢字 "quoted"\n\u2028')
    records.drain()
    assert next(records.ledger())["kind"] == 'ü 漢字 "quoted"\n\u2028'


def filed_months(home: Path, rows: int) -> LocalRecords:
    """Rows that change their month again and again, a good part of them long; the last few still wait."""
    records = LocalRecords(home)
    for start in range(0, rows, 10):
        kinds = tuple({"kind": f"{number}" * (number % 300)} for number in range(start, start + 10))
        records.commit(operation(ledger=kinds, at=("2026-04-20T00:00:00.000Z", MAY)[start // 10 % 2]))
    records.drain()
    commit_rows(home, "waits", "too")
    return records


def test_the_rows_after_a_number_are_read_from_the_end_of_each_month(tmp_path: Path) -> None:
    records = filed_months(tmp_path, 400)
    everything = list(records.ledger())
    assert [row["seq"] for row in everything] == list(range(1, 403))
    assert ledger_file(tmp_path).stat().st_size > 3 * (1 << 14)
    for after in (*range(0, 400, 13), 398, 399, 400, 401, 402, 403, 1_000):
        assert list(records.ledger(after)) == everything[after:]


def test_a_torn_last_line_does_not_hide_the_newest_rows(tmp_path: Path) -> None:
    records = filed_months(tmp_path, 400)
    everything = list(records.ledger())
    with ledger_file(tmp_path).open("ab") as file:
        file.write(b'{"seq":9')
    assert list(records.ledger(395)) == everything[395:]


def test_the_beginning_of_a_month_is_not_read_for_its_last_rows(tmp_path: Path) -> None:
    records = commit_rows(tmp_path)
    records.commit(operation(ledger=tuple({"kind": "x" * 300} for _ in range(400))))
    records.drain()
    damaged = bytearray(ledger_file(tmp_path).read_bytes())
    damaged[:10_000] = b"?" * 10_000
    ledger_file(tmp_path).write_bytes(damaged)
    assert [row["seq"] for row in records.ledger(390)] == list(range(391, 401))
    with pytest.raises(StoreError):
        list(records.ledger(2))


def test_a_damaged_line_near_the_end_is_named_by_its_number_in_the_file(tmp_path: Path) -> None:
    records = commit_rows(tmp_path)
    records.commit(operation(ledger=tuple({"kind": "x" * 300} for _ in range(400))))
    records.drain()
    with ledger_file(tmp_path).open("ab") as file:
        file.write(b"{broken\n")
    with pytest.raises(StoreError, match="line 401"):
        list(records.ledger(399))
