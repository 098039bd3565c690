"""Receipts and the queries beside them: kept, counted, and erased to the last byte."""

import re
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from pellucid.errors import StoreBusyError
from pellucid.store.history.history_port import History, RecallRecord
from pellucid.store.history.uses_port import Times
from pellucid.store.local.database import connect, migrate, sql_folder
from pellucid.store.local.history import history as history_module
from pellucid.store.local.history.history import LocalHistory

HERE, THERE = "local/here", "local/there"
SECRET = b"zanzibar"


def recall(
    number: int, query: str = "", served: tuple[str, ...] = (), session: str | None = None, namespace: str = HERE
) -> RecallRecord:
    rows = tuple((memory_id, f"op_{number}") for memory_id in served)
    return RecallRecord(f"rec_{number:032x}", number, namespace, session, b"packed %d" % number, rows, query.encode())


def history_of(home: Path, *recalls: RecallRecord) -> LocalHistory:
    history = LocalHistory(home / "history.db")
    for each in recalls:
        history.record(each)
    return history


def receipts(history: LocalHistory, count: int, namespace: str = HERE) -> list[bytes | None]:
    return [history.receipt(f"rec_{number:032x}", namespace) for number in range(1, count + 1)]


def files_with(home: Path, words: bytes = SECRET) -> set[str]:
    return {path.name for path in home.iterdir() if words in path.read_bytes()}


def test_the_class_fulfils_the_port(tmp_path: Path) -> None:
    history: History = history_of(tmp_path)
    history.close()


def test_a_receipt_comes_back_with_its_query_behind_it(tmp_path: Path) -> None:
    history = history_of(tmp_path, recall(1, "where is it?"), recall(2))
    assert receipts(history, 2) == [b"packed 1where is it?", b"packed 2"]
    assert receipts(history, 2, THERE) == [None, None]
    assert history.counts() == (2, len(b"packed 1packed 2"))


def test_a_query_that_holds_a_word_is_taken_out_and_its_receipt_stays(tmp_path: Path) -> None:
    history = history_of(
        tmp_path,
        recall(1, "the tides of Zanzibar", ("m",)),
        recall(2, "who lifts crates?", ("m",)),
        recall(3, "ＺＡＮＺＩＢＡＲ's ferry"),
        recall(4, "zanzibar", namespace=THERE),
    )
    assert files_with(tmp_path) == {"history.db-wal"}
    assert history.erase(HERE, ["Zanzibar"]) == 2
    assert receipts(history, 3) == [b"packed 1", b"packed 2who lifts crates?", b"packed 3"]
    assert history.receipt(f"rec_{4:032x}", THERE) == b"packed 4zanzibar"
    assert history.audit(f"rec_{1:032x}", 1, HERE)
    assert history.erase(HERE, ["zanzibar"]) == 0
    assert history.erase(THERE, ["zanzibar"]) == 1
    assert files_with(tmp_path) == set()


@pytest.mark.parametrize(
    ("word", "query", "held"),
    [
        ("art", "when does it start?", False),
        ("art", "Is this art?", True),
        ("ai", "はAIですか", True),
        ("deploy", "who deploys on Friday?", True),
        ("straße", "welche STRASSE?", True),
        ("café", "which cafe\u0301?", True),
        ("東京", "いつ東京都に行く?", True),
        ("marie curie", "was it Marie Curie?", True),
        ("c++", "c++ or c", True),
        ("", "anything", False),
        (" ", "any thing", False),
    ],
)
def test_a_word_is_found_in_every_spelling(tmp_path: Path, word: str, query: str, held: bool) -> None:
    assert history_of(tmp_path, recall(1, query)).erase(HERE, [word]) == held


def test_a_query_that_is_no_text_can_be_searched(tmp_path: Path) -> None:
    history = history_of(tmp_path)
    history.record(RecallRecord("rec_1", 1, HERE, None, b"x", (), b"\xed\xa0\x80 zanzibar"))
    assert history.erase(HERE, ["zanzibar"]) == 1


def test_no_page_keeps_a_copy_of_an_erased_query(tmp_path: Path) -> None:
    """Ids in no order: rows were moved between pages, and the copies left there must go, too."""
    numbers = [number * 7919 % 10_007 for number in range(1, 3_001)]
    history = history_of(
        tmp_path,
        *(recall(number, ("zanzibar " if number % 3 else "harbour ") * (number % 40 + 1)) for number in numbers),
    )
    history.prune(before=0, keep=2_500)
    reader = LocalHistory(tmp_path / "history.db")  # keeps SQLite from removing the log at the last close
    assert reader.counts()[0] == 2_500
    assert history.erase(HERE, ["zanzibar"]) > 1_000
    assert files_with(tmp_path) == set()
    assert (tmp_path / "history.db-wal").stat().st_size == 0
    assert files_with(tmp_path, b"harbour") == {"history.db"}
    history.close()
    assert files_with(tmp_path) == set()
    assert sum(b"harbour" in (receipt or b"") for receipt in receipts(reader, 10_007)) > 500
    reader.close()


def old_history(home: Path) -> None:
    """A database of the first version, whose receipts hold their queries inside."""
    connection = connect(home / "history.db", synchronous="NORMAL")
    script = next(each for each in sql_folder("history").iterdir() if each.name == "001_init.sql").read_text()
    connection.execute(f"BEGIN; {script}; PRAGMA user_version = 1; COMMIT").fetchall()
    sql = "INSERT INTO receipts VALUES (?, ?, ?, NULL, '[]', ?)"
    for number in range(1, 301):
        namespace = THERE if number % 10 == 0 else HERE
        packed = b"zanzibar" * number if namespace == HERE else b"harbour"
        connection.execute(sql, (f"rec_{number * 7919 % 10_007:032x}", number, namespace, packed)).fetchall()
    connection.close()


def test_a_receipt_of_an_older_version_is_readable_and_erased_whole(tmp_path: Path) -> None:
    old_history(tmp_path)
    history = history_of(tmp_path, recall(20_000, "tides"))
    assert history.counts()[0] == 301
    assert files_with(tmp_path) != set()
    assert history.erase(HERE, ["anything"]) == 270
    assert history.counts()[0] == 31
    assert history.receipt(f"rec_{20_000:032x}", HERE) == b"packed 20000tides"
    assert files_with(tmp_path) == set()
    assert files_with(tmp_path, b"harbour") == {"history.db"}
    assert history.erase(HERE, ["anything"]) == 0


def test_an_erasure_that_died_before_the_file_was_written_anew_is_made_good(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old_history(tmp_path)
    history = history_of(tmp_path)

    class Died(BaseException):
        pass

    def die(*_: object) -> None:
        raise Died

    with monkeypatch.context() as patch:
        patch.setattr(history_module, "erase_remains", die)
        with pytest.raises(Died):
            history.erase(HERE, ["zanzibar"])
    again = history_of(tmp_path)
    again.erase(HERE, ["zanzibar"])
    assert files_with(tmp_path) == set()


def test_a_reader_in_another_process_is_waited_for_and_then_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history_module, "_READERS_S", 0.05)
    history = history_of(tmp_path, recall(1, "zanzibar"))
    script = (
        "import sys; from pathlib import Path; from pellucid.store.local.database import connect\n"
        "c = connect(Path(sys.argv[1]), synchronous='NORMAL'); c.execute('BEGIN; SELECT * FROM queries').fetchall()\n"
        "print('reading', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", script, tmp_path / "history.db"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as reader:
        assert reader.stdout
        reader.stdout.readline()
        with pytest.raises(StoreBusyError) as error:
            history.erase(HERE, ["zanzibar"])
        assert "repeat" in error.value.next_step
        reader.communicate(b"")
    history.erase(HERE, ["zanzibar"])
    assert files_with(tmp_path) == set()


@pytest.mark.requirement("STORE-6")
def test_recalls_of_another_process_during_an_erasure_are_kept(tmp_path: Path) -> None:
    history = history_of(tmp_path, *(recall(number, "zanzibar") for number in range(1, 50)))
    script = (
        "import sys; from pathlib import Path\n"
        "from pellucid.store.history.history_port import RecallRecord\n"
        "from pellucid.store.local.history.history import LocalHistory\n"
        "history = LocalHistory(Path(sys.argv[1])); print('ready', flush=True)\n"
        "for n in range(100, 200):\n"
        "    history.record(RecallRecord(f'rec_{n:032x}', n, 'local/here', None, b'p', (), b'tides'))\n"
    )
    with subprocess.Popen([sys.executable, "-c", script, tmp_path / "history.db"], stdout=subprocess.PIPE) as writer:
        assert writer.stdout
        writer.stdout.readline()
        for _ in range(20):  # no more: SQLite is not fair, and who erases without end may keep the writer out
            history.erase(HERE, ["zanzibar"])
    assert writer.returncode == 0
    assert {history.receipt(f"rec_{number:032x}", HERE) for number in range(100, 200)} == {b"ptides"}
    assert files_with(tmp_path) == set()


def test_a_pruned_recall_loses_its_query(tmp_path: Path) -> None:
    history = history_of(tmp_path, *(recall(number, "zanzibar") for number in range(1, 5)))
    assert history.prune(before=2, keep=2) == 2
    rows = apsw.Connection(str(tmp_path / "history.db")).execute("SELECT count(*) FROM queries").fetchall()
    assert rows == [(2,)]


def test_the_exposure_of_a_memory_is_counted_by_recall_session_and_time(tmp_path: Path) -> None:
    history = history_of(
        tmp_path,
        recall(10, served=("a", "b"), session="s1"),
        recall(20, served=("a",), session="s1"),
        recall(30, served=("a", "c"), session="s2"),
        recall(40, served=("c",)),
        recall(50, served=("a",), session="s3", namespace=THERE),
        recall(60),
    )
    assert history.uses.exposure(HERE) == [Times("a", 3, 2, 30), Times("b", 1, 1, 10), Times("c", 2, 1, 40)]
    assert history.uses.exposure(HERE, since=30) == [Times("a", 1, 1, 30), Times("c", 2, 1, 40)]
    assert history.uses.exposure(THERE) == [Times("a", 1, 1, 50)]
    assert history.uses.exposure("local/none") == []
    history.prune(before=1_000, keep=0)
    assert history.uses.exposure(HERE)[0] == Times("a", 3, 2, 30)


def test_a_use_is_counted_once_in_each_way_on_each_occasion(tmp_path: Path) -> None:
    uses = history_of(tmp_path).uses
    for at, occasion in ((10, "2026-04-20"), (20, "2026-04-20"), (30, "s1")):
        uses.note(HERE, ["a", "a"], "opened", occasion, at)
    uses.note(HERE, ["a", "b"], "verified", "s1", 40)
    uses.note(THERE, ["a"], "opened", "s1", 50)
    assert uses.uses(HERE) == [Times("a", 3, 2, 40), Times("b", 1, 1, 40)]
    assert uses.uses(HERE, since=35) == [Times("a", 1, 1, 40), Times("b", 1, 1, 40)]
    assert uses.uses(THERE) == [Times("a", 1, 1, 50)]
    assert uses.exposure(HERE) == []


def test_every_statement_of_history_fits_its_schema() -> None:
    from pellucid.store.local.database import load_queries

    connection = apsw.Connection(":memory:")
    migrate(connection, sql_folder("history"))
    connection.create_scalar_function("asks", lambda _query, _words: True, 2)
    for sql in load_queries("pellucid.store.local", "sql/history/queries.sql").values():
        numbered = [int(each) for each in re.findall(r"\?(\d+)", sql)]
        connection.execute(sql, (None,) * (max(numbered) if numbered else sql.count("?")), explain=1)
