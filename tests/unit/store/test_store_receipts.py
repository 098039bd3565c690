"""A history file in, its recalls page by page out; and which receipts retention leaves whole."""

from dataclasses import replace
from pathlib import Path

import apsw
import pytest

from pellucid.clock import SystemClock
from pellucid.store.history.citations_port import CitationRow
from pellucid.store.history.history_port import RecallRecord
from pellucid.store.history.receipts_port import RecallFilter, RecallRow, Receipts
from pellucid.store.history.telemetry_port import Outcome, RecallEvent
from pellucid.store.local.database import connect, load_queries, migrate, sql_folder
from pellucid.store.local.history.history import LocalHistory

HERE, THERE = "local/here", "local/there"


def name(number: int) -> str:
    return f"rec_{number:032x}"


def recall(
    number: int, query: str = "", served: int = 0, session: str | None = None, namespace: str = HERE, at: int = 0
) -> RecallRecord:
    rows = tuple((f"mem_{place}", "op_1") for place in range(served))
    return RecallRecord(name(number), at or number, namespace, session, b"packed", rows, query.encode())


def history_of(home: Path, *recalls: RecallRecord) -> LocalHistory:
    history = LocalHistory(home / "history.db")
    for each in recalls:
        history.record(each)
    return history


def went(agent: str | None, query_class: str, outcome: Outcome, *, degraded: bool = False) -> RecallEvent:
    return RecallEvent(agent, "mcp", query_class, "full", outcome, 1, 1, 9, 3, 1.5, degraded, {})


def ids(rows: list[RecallRow]) -> list[int]:
    return [int(row.recall_id[4:], 16) for row in rows]


def whole(history: LocalHistory, count: int) -> list[int]:
    return [number for number in range(1, count + 1) if history.receipt(name(number), HERE)]


def test_the_class_fulfils_the_port(tmp_path: Path) -> None:
    receipts: Receipts = history_of(tmp_path).receipts
    assert receipts.recalls(HERE) == []
    assert receipts.latest(HERE) is None
    assert receipts.pin(name(1), HERE, pinned=True) is None


def test_a_filter_that_little_fits_is_read_off_an_index(tmp_path: Path) -> None:
    assert history_of(tmp_path).receipts.recalls(HERE) == []
    connection = connect(tmp_path / "history.db", synchronous="NORMAL")
    connection.create_scalar_function("asks", lambda *_: True, 2)  # pyright: ignore[reportUnknownMemberType]
    sql = load_queries("pellucid.store.local", "sql/history/queries.sql")["recalls_that"]
    plan = " ".join(row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}", (None,) * 10))
    assert "COVERING INDEX recall_events_listed" in plan
    connection.close()


@pytest.mark.parametrize(
    ("query", "words", "holds"),
    [
        ("Which PORT is it?", "port", True),
        ("Which PORT is it?", "sport", False),
        ("Welcher ÄRGER?", "ärger", True),
        ("Die STRASSE", "straße", True),
        ("\uff30ort", "port", True),
        ('which port?\0[["secret"], null]', "port", True),
        ('which port?\0[["secret"], null]', "secret", False),
        ("\u212aelvin", "kelvin", True),
    ],
)
def test_words_are_found_however_they_are_written(tmp_path: Path, query: str, words: str, holds: bool) -> None:
    history = history_of(tmp_path, recall(1, query))
    assert ids(history.receipts.recalls(HERE, only=RecallFilter(contains=words))) == [1] * holds


def test_recalls_are_filtered_by_how_they_went_and_by_words_of_their_question(tmp_path: Path) -> None:
    events = {
        1: went("ada", "decision", "answered"),
        2: went("bo", "decision", "empty"),
        3: went("ada", "other", "abstained", degraded=True),
        4: went(None, "other", "answered"),
    }
    words = {1: "Größe of the crane?", 2: "the CRANE\0[[],[],null,null,[]]", 3: "tides", 4: ""}
    recalls = [replace(recall(at, words[at], session="s" if at < 3 else None), event=events[at]) for at in events]
    history = history_of(tmp_path, *recalls, recall(5, "crane, of before"))
    for only, found in (
        (RecallFilter(agent="ada"), [3, 1]),
        (RecallFilter(query_class="decision"), [2, 1]),
        (RecallFilter(outcome="answered"), [4, 1]),
        (RecallFilter(degraded=True), [3]),
        (RecallFilter(contains="crane"), [5, 2, 1]),
        (RecallFilter(contains="GRÖSSE"), [1]),
        (RecallFilter(contains="null"), []),
        (RecallFilter(agent="ada", query_class="decision", contains="crane"), [1]),
    ):
        assert ids(history.receipts.recalls(HERE, only=only)) == found
    assert ids(history.receipts.recalls(HERE, session_id="s", only=RecallFilter(contains="crane"))) == [2, 1]
    first = history.receipts.recalls(HERE, only=RecallFilter(contains="crane"), limit=1)
    assert ids(history.receipts.recalls(HERE, only=RecallFilter(contains="crane"), after=first[0])) == [2, 1]
    third = history.receipts.recalls(HERE, only=RecallFilter(degraded=True))[0]
    assert (third.agent, third.surface, third.query_class, third.outcome) == ("ada", "mcp", "other", "abstained")
    assert history.receipts.recalls(HERE, limit=1)[0].outcome is None


def test_recalls_are_listed_newest_first_with_what_is_kept_of_them(tmp_path: Path) -> None:
    history = history_of(
        tmp_path,
        recall(1, "größe?", 3, "s1"),
        recall(2),
        recall(3, "tides", 1, namespace=THERE),
        recall(4, "", 2, "s2"),
    )
    assert history.receipts.recalls(HERE) == [
        RecallRow(name(4), 4, "s2", 2, in_full=True, pinned=False, query=b""),
        RecallRow(name(2), 2, None, 0, in_full=True, pinned=False, query=b""),
        RecallRow(name(1), 1, "s1", 3, in_full=True, pinned=False, query="größe?".encode()),
    ]
    assert [row.query_kept for row in history.receipts.recalls(HERE)] == [False, False, True]
    assert ids(history.receipts.recalls(HERE, since=2)) == [4, 2]
    assert ids(history.receipts.recalls(HERE, since=5)) == []
    assert ids(history.receipts.recalls(HERE, session_id="s1")) == [1]
    assert ids(history.receipts.recalls(HERE, session_id="s1", since=2)) == []
    assert ids(history.receipts.recalls("local/none")) == []
    assert ids(history.receipts.recalls(THERE, session_id="s1")) == []


@pytest.mark.parametrize("session", [None, "s"])
def test_pages_follow_one_another_whatever_is_recorded_meanwhile(tmp_path: Path, session: str | None) -> None:
    history = history_of(tmp_path, *(recall(number, session="s", at=1 + number // 3) for number in range(1, 24)))
    seen: list[int] = []
    last: RecallRow | None = None
    while rows := history.receipts.recalls(HERE, session_id=session, after=last, limit=5):
        seen += ids(rows)
        last = rows[-1]
        history.record(recall(100 + len(seen), session="s", at=1_000))
    assert seen == list(range(23, 0, -1))


def test_the_latest_is_of_the_session_asked_for_or_of_the_namespace(tmp_path: Path) -> None:
    history = history_of(
        tmp_path, recall(1, session="s1"), recall(2, session="s2"), recall(3), recall(4, session="s1", namespace=THERE)
    )
    assert [
        found and found.recall_id
        for found in (
            history.receipts.latest(HERE),
            history.receipts.latest(HERE, "s1"),
            history.receipts.latest(HERE, "s3"),
            history.receipts.latest(THERE),
        )
    ] == [name(3), name(1), None, name(4)]


def test_a_pinned_receipt_outlives_age_and_number_until_it_is_let_go(tmp_path: Path) -> None:
    history = history_of(tmp_path, *(recall(number, "tides", 1) for number in range(1, 9)))
    for number in (2, 3):
        row = history.receipts.pin(name(number), HERE, pinned=True)
        assert row is not None
        assert (row.pinned, row.in_full, row.query) == (True, True, b"tides")
    history.receipts.pin(name(2), HERE, pinned=True)
    assert history.prune(before=4, keep=100) == 1
    assert whole(history, 8) == [2, 3, 4, 5, 6, 7, 8]
    assert history.prune(before=0, keep=2) == 3
    assert whole(history, 8) == [2, 3, 7, 8]
    assert [(row.in_full, row.pinned, row.query_kept, row.served_count) for row in history.receipts.recalls(HERE)] == [
        (True, False, True, 1),
        (True, False, True, 1),
        *[(False, False, False, 1)] * 3,
        (True, True, True, 1),
        (True, True, True, 1),
        (False, False, False, 1),
    ]
    row = history.receipts.pin(name(2), HERE, pinned=False)
    assert row is not None
    assert not row.pinned
    assert history.prune(before=4, keep=100) == 1
    assert whole(history, 8) == [3, 7, 8]
    assert history.audit(name(2), 1, HERE)


def test_what_was_seen_to_be_used_is_old_later_and_never_more_than_there_is_room_for(tmp_path: Path) -> None:
    """What somebody cited stays whatever its age; what was seen alone has a longer time, and the same caps."""
    history = history_of(tmp_path, *(recall(number, served=1) for number in range(1, 7)))
    seen = CitationRow("mem_0", "used", name(2), "s2", None, 2, source="automatic", evidence="quoted")
    for number, row in ((2, seen), (4, replace(seen, recall_id=name(4), occasion="s4"))):
        history.citations.put(HERE, f"cit_{number}", row)
    history.citations.put(HERE, "cit_1", CitationRow("mem_0", "cited", name(1), "s1", None, 1))
    assert history.prune(before=6, keep=100, cited_before=3) == 3
    assert whole(history, 6) == [1, 4, 6]
    assert history.prune(before=0, keep=1) == 1
    assert whole(history, 6) == [1, 6]


def test_another_namespace_can_neither_pin_nor_let_go(tmp_path: Path) -> None:
    history = history_of(tmp_path, recall(1), recall(2))
    assert history.receipts.pin(name(1), THERE, pinned=True) is None
    history.receipts.pin(name(2), HERE, pinned=True)
    assert history.receipts.pin(name(2), THERE, pinned=False) is None
    assert history.receipts.pin(name(9), HERE, pinned=True) is None
    assert [row.pinned for row in history.receipts.recalls(HERE)] == [True, False]
    assert history.prune(before=100, keep=100) == 1
    assert whole(history, 2) == [2]


def test_a_recall_that_another_process_still_has_to_write_can_be_pinned(tmp_path: Path) -> None:
    asking, pinning = history_of(tmp_path), history_of(tmp_path)
    assert asking.receipts.recalls(HERE) == pinning.receipts.recalls(HERE) == []
    made = replace(recall(0), recall_id=SystemClock().new_id("rec"))
    asking.later(lambda: made)
    row = pinning.receipts.pin(made.recall_id, HERE, pinned=True)
    assert row is not None
    assert (row.recall_id, row.pinned) == (made.recall_id, True)
    asking.close()
    pinning.close()


def test_a_pin_holds_no_words_that_were_forgotten(tmp_path: Path) -> None:
    history = history_of(tmp_path, recall(1, "the tides of Zanzibar"), recall(2, "tides"))
    history.receipts.pin(name(1), HERE, pinned=True)
    assert history.erase(HERE, ["zanzibar"]) == 1
    row = history.receipts.recalls(HERE)[1]
    assert (row.in_full, row.pinned, row.query_kept) == (True, True, False)
    assert not [path.name for path in tmp_path.iterdir() if b"Zanzibar" in path.read_bytes()]


def test_a_history_of_an_older_version_is_listed_and_its_receipts_can_be_pinned(tmp_path: Path) -> None:
    connection = connect(tmp_path / "history.db", synchronous="NORMAL")
    steps = sorted(each for each in sql_folder("history").iterdir() if each.name[:3] in {"001", "002"})
    script = ";".join(each.read_text() for each in sorted(steps, key=lambda each: each.name))
    connection.execute(f"BEGIN; {script}; PRAGMA user_version = 2; COMMIT").fetchall()
    for number in (1, 2):
        sql = "INSERT INTO receipts VALUES (?, ?, ?, 's', '[[\"mem_1\",null]]', x'00', 1)"
        connection.execute(sql, (name(number), number, HERE)).fetchall()
    connection.close()
    history = history_of(tmp_path, recall(3))
    assert ids(history.receipts.recalls(HERE)) == [3, 2, 1]
    history.receipts.pin(name(1), HERE, pinned=True)
    assert history.prune(before=3, keep=100) == 1
    assert whole(history, 3) == [1, 3]


def test_a_page_is_read_by_an_index_and_sorts_nothing_but_ties() -> None:
    connection = apsw.Connection(":memory:")
    migrate(connection, sql_folder("history"))
    connection.create_scalar_function("asks", lambda *_: True, 2)
    queries = load_queries("pellucid.store.local", "sql/history/queries.sql")
    for query, index in (("recalls", "receipts_used"), ("recalls_of_session", "receipts_of_session")):
        sql = queries[query]
        steps = connection.execute(f"EXPLAIN QUERY PLAN {sql}", (None,) * (10 + query.endswith("session")))
        plan = [str(step[3]) for step in steps]
        assert any(f"USING INDEX {index}" in step for step in plan), plan
        assert not any("SCAN receipts" in step or step == "USE TEMP B-TREE FOR ORDER BY" for step in plan), plan
