"""The ledger files: numbered, in order, each row exactly once."""

import json
import os
from contextlib import suppress
from pathlib import Path

import apsw
import pytest

from kits.records import Crash, drain, operation, write
from pellucid.errors import InputError
from pellucid.store.local.failpoint import Step
from pellucid.store.local.vault.records import LocalRecords

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
    assert [row["kind"] for row in records.ledger.rows()] == ["a", "b", "c"]


def test_rows_can_be_read_before_they_are_filed(tmp_path: Path) -> None:
    records = commit_rows(tmp_path, "a")
    records.drain()
    commit_rows(tmp_path, "b")
    assert list(records.ledger.rows()) == [{"seq": 1, "kind": "a"}, {"seq": 2, "kind": "b"}]


@pytest.mark.parametrize("step", ["ledger-appended", "ledger-synced"])
def test_a_crash_after_appending_does_not_append_twice(tmp_path: Path, step: Step) -> None:
    def failpoint(now: Step) -> None:
        if now == step:
            raise Crash

    commit_rows(tmp_path, "a", "b")
    with pytest.raises(Crash):
        LocalRecords(tmp_path, failpoint=failpoint).drain()
    assert [row["seq"] for row in LocalRecords(tmp_path).ledger.rows()] == [1, 2]
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
    assert [row["kind"] for row in records.ledger.rows()] == ["a", "b", "c"]
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
    assert [(row["seq"], row["kind"]) for row in records.ledger.rows()] == [(1, "a"), (2, "b"), (3, "c")]


def broken(*lines: bytes, home: Path, kinds: str = "abcde") -> LocalRecords:
    """A store whose rows `a`, `b`, … are filed, with one of their lines replaced by these."""
    records = commit_rows(home, *kinds)
    records.drain()
    every = ledger_file(home).read_bytes().splitlines(keepends=True)
    ledger_file(home).write_bytes(b"".join((*every[:1], *lines, *every[2:])))
    return records


DAMAGED = {
    "no JSON": b"{broken",
    "empty": b"",
    "no text": b"\xff\xfe",
    "endless": b"[" * 100_000,
    "negative": b'{"seq":-2}',
    "no number": b'{"seq":"2"}',
    "a later number": b'{"seq":99,"kind":"b"}',
    "an earlier one": b'{"seq":1,"kind":"b"}',
}


@pytest.mark.parametrize("line", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_line_is_named_and_hides_none_behind_it(tmp_path: Path, line: bytes) -> None:
    records = broken(line + b"\n", home=tmp_path)
    assert [row["kind"] for row in records.ledger.rows()] == list("acde")
    state = records.ledger.state()
    assert (state.missing, state.damaged, state.altered) == (((2, 2),), (("2026-04.jsonl", 2),), ())
    assert state.problems[0] == "2026-04.jsonl: line 2 is not a ledger row"
    commit_rows(tmp_path, "f").drain()
    assert [row["kind"] for row in records.ledger.rows()] == list("acdef")
    assert records.ledger.state().missing == ((2, 2),)


def test_a_damaged_line_is_set_aside_when_it_is_given_up(tmp_path: Path) -> None:
    records = broken(b"{broken\n", home=tmp_path)
    records.commit(operation(ledger=({"kind": "loss", "missing": [[2, 2]]},)))
    records.drain()
    records.ledger.settle()
    assert not records.ledger.state(thorough=True).problems
    assert [row["seq"] for row in records.ledger.rows()] == [1, 3, 4, 5, 6]
    aside = ledger_file(tmp_path).with_suffix(".damaged")
    assert aside.read_bytes() == b"{broken\n"
    assert {path.stat().st_mode & 0o777 for path in aside.parent.iterdir()} == {0o600}
    commit_rows(tmp_path, "g").drain()
    assert not LocalRecords(tmp_path).ledger.state(thorough=True).problems


def test_what_was_changed_in_place_is_found_when_it_is_looked_for_and_not_forgotten_again(tmp_path: Path) -> None:
    records = commit_rows(tmp_path, "a", "b")
    records.drain()
    before = ledger_file(tmp_path).stat()
    data = ledger_file(tmp_path).read_bytes()
    ledger_file(tmp_path).write_bytes(data.replace(b'"b"', b'"x"'))
    os.utime(ledger_file(tmp_path), ns=(before.st_atime_ns, before.st_mtime_ns))
    assert not records.ledger.state().problems, "a bit that flips leaves size and time as they were"
    assert records.ledger.state(thorough=True).altered == ("2026-04.jsonl",)
    assert records.ledger.state().altered == ("2026-04.jsonl",)
    commit_rows(tmp_path, "c").drain()
    assert records.ledger.state().altered == ("2026-04.jsonl",)
    ledger_file(tmp_path).write_bytes(ledger_file(tmp_path).read_bytes().replace(b'"x"', b'"b"'))
    assert not records.ledger.state().problems


def test_files_that_are_as_they_were_written_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    records = filed_months(tmp_path, 40)
    records.drain()
    monkeypatch.setattr("pellucid.store.local.ledger.rows.ledger_check.survey", None)
    assert not records.ledger.state().problems
    assert not LocalRecords(tmp_path).ledger.state().problems


def test_rows_that_came_with_the_vault_are_counted_on_from(tmp_path: Path) -> None:
    commit_rows(tmp_path, "a").drain()
    with ledger_file(tmp_path).open("ab") as file:
        file.write(b'{"seq":2,"kind":"b"}\n{"seq":3,"kind":"c"}\n')
    records = commit_rows(tmp_path, "d")
    records.drain()
    assert [(row["seq"], row["kind"]) for row in records.ledger.rows()] == [(1, "a"), (2, "b"), (3, "c"), (4, "d")]
    assert not records.ledger.state(thorough=True).problems


def test_an_older_ledger_put_in_the_place_of_a_newer_one_is_missed(tmp_path: Path) -> None:
    commit_rows(tmp_path, "a").drain()
    older = ledger_file(tmp_path).read_bytes()
    commit_rows(tmp_path, "b").drain()
    ledger_file(tmp_path).write_bytes(older)
    records = commit_rows(tmp_path, "c")
    assert records.ledger.state().missing == ((2, 2),)
    records.drain()
    assert [row["seq"] for row in records.ledger.rows()] == [1, 3]
    assert records.ledger.state().missing == ((2, 2),)


@pytest.mark.parametrize("step", ["commit-open", "commit-done", "ledger-appended", "ledger-synced"])
def test_no_crash_makes_the_ledger_look_hurt(tmp_path: Path, step: Step) -> None:
    def failpoint(now: Step) -> None:
        if now == step:
            raise Crash

    commit_rows(tmp_path, "a", "b").drain()
    crashing = LocalRecords(tmp_path, failpoint=failpoint)
    with suppress(Crash):
        crashing.commit(operation(ledger=({"kind": "c"},)))
    with suppress(Crash):
        crashing.drain()
    assert not LocalRecords(tmp_path).ledger.state(thorough=True).problems
    drain(tmp_path)
    assert not LocalRecords(tmp_path).ledger.state(thorough=True).problems


@pytest.mark.parametrize("row", [{"seq": 9}, {"x": object()}, {"x": float("nan")}])
def test_a_row_that_cannot_be_kept_is_refused_with_its_whole_operation(tmp_path: Path, row: dict[str, object]) -> None:
    records = LocalRecords(tmp_path)
    with pytest.raises(InputError):
        records.commit(operation(write("a.md", b"x"), ledger=(row,)))
    assert records.operations() == []


def test_text_of_every_script_survives_the_ledger(tmp_path: Path) -> None:
    records = commit_rows(tmp_path, 'ü 漢字 "quoted"\n\u2028')
    records.drain()
    assert next(records.ledger.rows())["kind"] == 'ü 漢字 "quoted"\n\u2028'


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
    everything = list(records.ledger.rows())
    assert [row["seq"] for row in everything] == list(range(1, 403))
    assert ledger_file(tmp_path).stat().st_size > 3 * (1 << 14)
    for after in (*range(0, 400, 13), 398, 399, 400, 401, 402, 403, 1_000):
        assert list(records.ledger.rows(after)) == everything[after:]


def test_a_torn_last_line_does_not_hide_the_newest_rows(tmp_path: Path) -> None:
    records = filed_months(tmp_path, 400)
    everything = list(records.ledger.rows())
    with ledger_file(tmp_path).open("ab") as file:
        file.write(b'{"seq":9')
    assert list(records.ledger.rows(395)) == everything[395:]


def test_the_beginning_of_a_month_is_not_read_for_its_last_rows(tmp_path: Path) -> None:
    records = commit_rows(tmp_path)
    records.commit(operation(ledger=tuple({"kind": "x" * 300} for _ in range(400))))
    records.drain()
    damaged = bytearray(ledger_file(tmp_path).read_bytes())
    damaged[:10_000] = b"?" * 10_000
    ledger_file(tmp_path).write_bytes(damaged)
    assert [row["seq"] for row in records.ledger.rows(390)] == list(range(391, 401))
    assert len(list(records.ledger.rows(2))) < 398


def as_the_release_before_wrote_it(home: Path) -> None:
    """Take away from a journal what its second version added."""
    connection = apsw.Connection(str(home / "journal.db"))
    connection.execute("DROP TABLE filed; DROP TABLE vault_key; PRAGMA user_version = 1").fetchall()
    connection.close()


def test_a_journal_of_the_release_before_is_taken_over_and_its_ledger_looked_through(tmp_path: Path) -> None:
    before = LocalRecords(tmp_path)
    key = before.ledger.key()
    commit_rows(tmp_path, "a", "b").drain()
    before.close()
    as_the_release_before_wrote_it(tmp_path)
    records = LocalRecords(tmp_path)
    assert records.ledger.key() == key
    assert records.ledger.state().settled
    assert [row["kind"] for row in records.ledger.rows()] == ["a", "b"]
    records.close()
    as_the_release_before_wrote_it(tmp_path)
    lines = ledger_file(tmp_path).read_bytes().splitlines(keepends=True)
    ledger_file(tmp_path).write_bytes(lines[1])
    (tmp_path / "vault" / ".pellucid" / "key").unlink()
    records = LocalRecords(tmp_path)
    assert records.ledger.key() != key
    assert (records.ledger.state().missing, records.ledger.state().key) == (((1, 1),), "lost")


def test_an_index_that_cannot_be_read_keeps_no_new_journal_from_counting(tmp_path: Path) -> None:
    commit_rows(tmp_path, "a").drain()
    for number, data in enumerate((b"", b"this is no database " * 500)):
        for path in tmp_path.glob("*.db*"):
            path.unlink()
        (tmp_path / "index.db").write_bytes(data)
        commit_rows(tmp_path, "b").drain()
        assert [row["seq"] for row in LocalRecords(tmp_path).ledger.rows()] == list(range(1, number + 3))
