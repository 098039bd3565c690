"""Turns that arrive, wait, survive whoever dies, and leave nothing behind."""

import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import apsw
import pytest
from spool_child import SPACE, turn

from pellucid.model.turn import Turn
from pellucid.store.local.health import integrity
from pellucid.store.local.spool import LocalSpool
from pellucid.store.spool_port import SpooledTurn, Waiting

CANARY = "the canary sings in the harbour"


@pytest.fixture
def spool(tmp_path: Path) -> LocalSpool:
    return LocalSpool(tmp_path / "spool.db")


def child(path: Path, session: str, count: int) -> subprocess.Popen[str]:
    script = Path(__file__).with_name("spool_child.py")
    return subprocess.Popen(
        [sys.executable, str(script), str(path), session, str(count)], stdout=subprocess.PIPE, text=True
    )


def bytes_of(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.glob("spool.db*")) if not path.name.endswith("-shm"))


def test_a_turn_comes_out_as_it_went_in(spool: LocalSpool) -> None:
    whole = Turn(
        "s",
        7,
        "tool",
        "größe\n港口 \x00 \u2028",
        at=datetime(2026, 6, 1, 12, 0, 0, 123456, UTC),
        speaker="Ada",
        tool="grep",
        agent="scout",
        key="uuid-1",
        fingerprint=b"a",
    )
    bare = Turn("s", 8, "user", "", fingerprint=b"b")
    sent = [SpooledTurn(whole, 5), SpooledTurn(bare, 6)]
    assert spool.append(SPACE, sent) == 2
    assert spool.held(SPACE, "s") == sent


def test_turns_come_out_in_the_order_of_the_session(spool: LocalSpool) -> None:
    for ordinal in (2, 1, 10, 3):
        spool.append(SPACE, [turn("s", ordinal)])
    assert [each.turn.ordinal for each in spool.held(SPACE, "s")] == [1, 2, 3, 10]


def test_a_turn_that_waits_already_is_left_out(spool: LocalSpool) -> None:
    assert spool.append(SPACE, [turn("s", 1), turn("s", 1)]) == 1
    assert spool.append(SPACE, [turn("s", 1, "other words, same key"), turn("s", 2)]) == 1
    assert [each.turn.content for each in spool.held(SPACE, "s")] == ["s says 1", "s says 2"]


def test_the_next_number_never_goes_back(spool: LocalSpool) -> None:
    assert spool.next_ordinal(SPACE, "s") == 1
    spool.append(SPACE, [turn("s", 4), turn("s", 2)])
    assert spool.next_ordinal(SPACE, "s") == 5
    spool.drop([turn("s", 4).key, turn("s", 2).key])
    assert spool.held(SPACE, "s") == []
    spool.append(SPACE, [turn("s", 1)])
    assert spool.next_ordinal(SPACE, "s") == 5
    assert spool.next_ordinal("other/place", "s") == spool.next_ordinal(SPACE, "t") == 1


def test_waiting_tells_the_backlog_of_each_session(spool: LocalSpool) -> None:
    spool.append(SPACE, [turn("late", 5), turn("late", 9)])
    spool.append("other/place", [turn("early", 1)])
    assert spool.failed(SPACE, "late", "the endpoint said 429") == 1
    assert spool.failed(SPACE, "late", "it did not answer") == 2
    late = Waiting(SPACE, "late", 2, 1_005, 1_009, 2, "it did not answer")
    assert spool.waiting() == [Waiting("other/place", "early", 1, 1_001, 1_001, 0, ""), late]
    assert spool.waiting(SPACE) == [late]
    assert spool.waiting("no/body") == []


def test_turns_that_were_kept_end_the_count_of_failures(spool: LocalSpool) -> None:
    spool.append(SPACE, [turn("s", 1), turn("s", 2)])
    spool.failed(SPACE, "s", "no answer")
    assert spool.drop([turn("s", 1).key, b"never spooled"]) == 1
    assert [(each.turns, each.attempts, each.problem) for each in spool.waiting()] == [(1, 0, "")]
    assert spool.failed(SPACE, "s", "no answer") == 1


def test_no_byte_of_a_dropped_turn_stays(spool: LocalSpool, tmp_path: Path) -> None:
    spool.append(SPACE, [turn("s", n, f"{CANARY} {n} {'x' * (n * 37 % 9_000)}") for n in range(1, 300)])
    spool.append(SPACE, [turn("s", 300, "this one stays")])
    assert CANARY.encode() in bytes_of(tmp_path)
    assert spool.drop([turn("s", n).key for n in range(1, 300)]) == 299
    found = bytes_of(tmp_path)
    assert CANARY.encode() not in found
    assert b"this one stays" in found


def test_what_a_reader_kept_from_being_erased_is_erased_by_closing(tmp_path: Path) -> None:
    spool = LocalSpool(tmp_path / "spool.db")
    spool.append(SPACE, [turn("s", 1, CANARY)])
    with closing(apsw.Connection(str(tmp_path / "spool.db"))) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM turns").fetchall()
        assert spool.drop([turn("s", 1).key]) == 1
        assert CANARY.encode() in bytes_of(tmp_path)
    spool.close()
    assert CANARY.encode() not in bytes_of(tmp_path)


def test_a_spool_that_was_never_used_leaves_no_file(spool: LocalSpool, tmp_path: Path) -> None:
    spool.close()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.requirement("STORE-5")
def test_only_its_owner_may_read_the_spool(spool: LocalSpool, tmp_path: Path) -> None:
    spool.append(SPACE, [turn("s", 1)])
    assert {path.stat().st_mode & 0o777 for path in tmp_path.iterdir()} == {0o600}


@pytest.mark.requirement("STORE-6")
def test_two_processes_spool_the_same_session_at_once_and_each_turn_waits_once(tmp_path: Path) -> None:
    path = tmp_path / "spool.db"
    pair = [child(path, "s", 60) for _ in range(2)]
    said = [process.communicate()[0].split("\n") for process in pair]
    assert [process.returncode for process in pair] == [0, 0]
    new = sum(int(line.split()[1]) for lines in said for line in lines if line)
    spool = LocalSpool(path)
    assert [each.turn.ordinal for each in spool.held(SPACE, "s")] == list(range(1, 61))
    assert new == 60
    spool.close()


@pytest.mark.requirement("STORE-1")
@pytest.mark.parametrize("told", [1, 7, 25])
def test_a_process_killed_at_any_moment_loses_no_turn_it_acknowledged(tmp_path: Path, told: int) -> None:
    path = tmp_path / "spool.db"
    process = child(path, "s", 100_000)
    assert process.stdout
    acknowledged = [int(process.stdout.readline().split()[0]) for _ in range(told)]
    process.kill()
    rest, _ = process.communicate()
    acknowledged += [int(line.split()[0]) for line in rest.splitlines() if line.endswith((" 0", " 1"))]
    spool = LocalSpool(path)
    held = [each.turn.ordinal for each in spool.held(SPACE, "s")]
    assert held == list(range(1, len(held) + 1))
    assert len(acknowledged) <= len(held) <= len(acknowledged) + 1
    assert spool.next_ordinal(SPACE, "s") == len(held) + 1
    spool.close()


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("UPDATE turns SET turn = 'no json'", "the turn at place 1 is spoilt"),
        ("UPDATE turns SET session_id = 'another'", "the turn at place 1 is spoilt"),
        ("UPDATE turns SET turn = CAST(x'ff' AS TEXT)", "a text in table turns is not UTF-8"),
        ("DROP TABLE sessions", "a table is missing, or has other columns"),
    ],
)
def test_a_damaged_spool_is_named(spool: LocalSpool, tmp_path: Path, sql: str, why: str) -> None:
    spool.append(SPACE, [turn("s", 1)])
    spool.close()
    assert list(integrity(tmp_path)) == []
    with closing(apsw.Connection(str(tmp_path / "spool.db"))) as connection:
        connection.execute(sql)
    assert list(integrity(tmp_path)) == [("spool.db", why)]
