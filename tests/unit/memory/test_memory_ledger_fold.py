"""A ledger that grows, breaks and is mended in, an index that follows it out; and episodes, with their files."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kits.vault import HERE, NOON, Opener, ask, contents, drop_index, edit, keep
from pellucid.app import App
from pellucid.clock import isoformat
from pellucid.memory.indexer import LEDGER
from pellucid.model.ledger import FlushRow, FoldRow, TombstoneRow
from pellucid.model.memory import Episode, Moment
from pellucid.model.wire import Wire
from pellucid.operations.admin.health import check_databases, examine_home, rebuild
from pellucid.operations.settling import accept_loss
from pellucid.store.records import FileWrite, JournalOperation
from pellucid.vault.markdown import episode_path, render_episode

CRANE = "the harbour crane lifts forty tonnes"
KEY = b"k" * 16


def fold_row(number: int, heat: float) -> FoldRow:
    return FoldRow(memory_id=f"mem_{number:032x}", namespace=HERE, at=NOON, heat=heat, decay=0.1, tier_value=0.4)


def tombstone(*keys: bytes) -> TombstoneRow:
    return TombstoneRow(memory_id=f"mem_{9:032x}", namespace=HERE, at=NOON, keys=tuple(key.hex() for key in keys))


def commit(app: App, *rows: Wire | dict[str, object], writes: tuple[FileWrite, ...] = ()) -> None:
    said = tuple(row.to_wire() if isinstance(row, Wire) else row for row in rows)
    app.records.commit(JournalOperation(app.clock.new_id("op"), "ledger", isoformat(NOON), writes, said))


def heats(app: App) -> dict[int, float]:
    return {int(memory_id[4:], 16): row.heat for memory_id, row in app.lookup.folds(HERE).items()}


def ledger_file(app: App) -> Path:
    return app.settings.home / "vault" / ".pellucid" / "ledger" / f"{NOON:%Y-%m}.jsonl"


def test_folds_and_tombstones_are_in_the_index_and_other_rows_are_passed_over(app: App) -> None:
    flushed = FlushRow(session_id="s", namespace=HERE, at=NOON, signal="session_end", turns=3)
    commit(app, fold_row(1, 0.5), flushed, tombstone(KEY), fold_row(1, 0.75), {"kind": "of another day"})
    folded = app.indexer.catch_up()
    assert (folded.memories, folded.unreadable) == (0, ())
    assert heats(app) == {1: 0.75}
    assert app.lookup.folds(HERE)[f"mem_{1:032x}"] == fold_row(1, 0.75)
    assert app.lookup.tombstones([KEY, b"other"]) == {KEY}
    assert app.index.state().ledger_seq == 5
    assert examine_home(app).healthy


def test_the_ledger_is_read_on_from_where_the_index_stands(app: App) -> None:
    asked: list[int] = []

    class Listening:
        def rows(self, after: int = 0) -> Any:
            asked.append(after)
            return app.ledger.rows(after=after)

        def state(self, *, thorough: bool = False) -> Any:
            return app.ledger.state(thorough=thorough)

        def settle(self) -> None:
            app.ledger.settle()

    indexer = replace(app.indexer, ledger=Listening())
    commit(app, fold_row(1, 0.5), fold_row(2, 0.5))
    indexer.catch_up()
    commit(app, fold_row(2, 0.25))
    indexer.catch_up()
    indexer.catch_up()
    assert asked == [0, 2, 3]
    assert heats(app) == {1: 0.5, 2: 0.25}


def test_rows_that_came_with_the_vault_alone_are_folded(app: App) -> None:
    commit(app, fold_row(1, 0.5))
    app.indexer.catch_up()
    with ledger_file(app).open("a", encoding="utf-8") as file:
        file.write('{"seq":2,' + fold_row(2, 0.5).model_dump_json(by_alias=True)[1:] + "\n")
    app.indexer.catch_up()
    assert heats(app) == {1: 0.5, 2: 0.5}


@pytest.mark.requirement("STORE-4")
@pytest.mark.parametrize("how", ["rebuilt", "deleted", "deleted, then rebuilt"])
def test_a_new_index_has_the_folds_and_tombstones_again(house: Opener, tmp_path: Path, how: str) -> None:
    app = house()
    keep(app, CRANE)
    commit(app, fold_row(1, 0.5), tombstone(KEY), fold_row(1, 0.25))
    app.indexer.catch_up()
    before = app.index.state()
    if how.startswith("deleted"):
        app.index.close()
        drop_index(tmp_path)
        app = house()
    if how.endswith("rebuilt"):
        rebuild(app)
    else:
        app.unit_of_work.take_over_edits()
    assert heats(app) == {1: 0.25}
    assert app.lookup.tombstones([KEY]) == {KEY}
    assert app.index.state().ledger_seq == before.ledger_seq


def test_a_rebuild_keeps_what_the_ledger_lost_until_that_is_accepted(app: App) -> None:
    commit(app, fold_row(1, 0.5), fold_row(2, 0.5), tombstone(KEY))
    app.indexer.catch_up()
    first = ledger_file(app).read_text("utf-8").splitlines()[0]
    ledger_file(app).write_text(f"{first}\n", "utf-8")
    assert rebuild(app).unreadable == ("rows of the ledger are missing: 2-3",)
    assert heats(app) == {1: 0.5, 2: 0.5}
    assert app.lookup.tombstones([KEY]) == {KEY}
    assert accept_loss(app).saved == 1
    assert rebuild(app).unreadable == ()
    assert heats(app) == {1: 0.5}, "a fold is made anew by the next pass"
    assert app.lookup.tombstones([KEY]) == {KEY}


def test_a_damaged_line_stops_no_reading_and_is_read_once_it_is_mended(app: App) -> None:
    commit(app, fold_row(1, 0.5), fold_row(2, 0.25), fold_row(3, 0.5))
    app.records.drain()
    sound = ledger_file(app).read_bytes()
    lines = sound.splitlines(keepends=True)
    ledger_file(app).write_bytes(lines[0] + b"{torn\n" + lines[2])
    commit(app, fold_row(4, 0.5), tombstone(KEY))
    folded = app.indexer.catch_up()
    assert [(subject, "line 2" in why) for subject, why in folded.unreadable] == [(LEDGER, True), (LEDGER, False)]
    assert heats(app) == {1: 0.5, 3: 0.5, 4: 0.5}
    assert app.lookup.tombstones([KEY]) == {KEY}
    keep(app, CRANE)
    assert contents(ask(app, "crane")) == [CRANE]
    assert app.index.state().ledger_gaps == ((2, 2),)
    assert app.indexer.catch_up().unreadable, "each time, until it is mended"
    assert rebuild(app).unreadable
    assert heats(app) == {1: 0.5, 3: 0.5, 4: 0.5}
    ledger_file(app).write_bytes(ledger_file(app).read_bytes().replace(b"{torn\n", lines[1]))
    assert app.indexer.catch_up().unreadable == ()
    assert heats(app) == {1: 0.5, 2: 0.25, 3: 0.5, 4: 0.5}
    assert app.ledger.state(thorough=True).settled


def test_what_a_mended_line_says_does_not_undo_what_came_after_it(app: App) -> None:
    commit(app, fold_row(1, 0.25), fold_row(1, 0.5))
    app.records.drain()
    lines = ledger_file(app).read_bytes().splitlines(keepends=True)
    ledger_file(app).write_bytes(b"?\n" + lines[1])
    app.indexer.catch_up()
    ledger_file(app).write_bytes(b"".join(lines))
    app.indexer.catch_up()
    assert heats(app) == {1: 0.5}


@pytest.mark.parametrize(
    "row",
    [
        {"kind": "fold", "memoryId": "mem_1"},
        {**fold_row(1, 0.5).to_wire(), "heat": 7},
        {**tombstone(KEY).to_wire(), "keys": ["no hex"]},
        {**tombstone(KEY).to_wire(), "unknown": 1},
    ],
    ids=["values missing", "out of range", "no key", "unknown value"],
)
def test_a_row_that_says_nonsense_is_named_and_the_others_are_folded(app: App, row: dict[str, object]) -> None:
    commit(app, fold_row(1, 0.25), row, fold_row(2, 0.5))
    folded = app.indexer.catch_up()
    why = f"row 2 of the ledger is no {row['kind']} that can be read"
    assert folded.unreadable == ((LEDGER, why),)
    assert heats(app) == {1: 0.25, 2: 0.5}
    assert app.indexer.catch_up().unreadable == ()


def test_a_ledger_lost_with_its_journal_is_missed_by_the_index_and_its_numbers_are_not_given_again(
    house: Opener, tmp_path: Path
) -> None:
    app = house()
    commit(app, fold_row(1, 0.5), tombstone(KEY))
    app.indexer.catch_up()
    ledger_file(app).unlink()
    app.close()
    (tmp_path / "journal.db").unlink()
    again = house()
    commit(again, fold_row(1, 0.25))
    again.indexer.catch_up()
    assert check_databases(tmp_path) is None
    assert again.ledger.state().missing == ((1, 2),)
    assert [row["seq"] for row in again.ledger.rows()] == [3]
    assert again.lookup.tombstones([KEY]) == {KEY}


def test_an_index_that_claims_ledger_rows_nobody_wrote_is_damaged(app: App, tmp_path: Path) -> None:
    commit(app, fold_row(1, 0.5))
    app.indexer.catch_up()
    app.index.apply((), replace(app.index.state(), ledger_seq=9))
    app.close()
    found = check_databases(tmp_path)
    assert found
    assert [(finding.subject, finding.problem) for finding in found.findings] == [
        ("index.db", "it claims operations that the journal never had")
    ]


def an_episode(**given: Any) -> Episode:
    known = {
        "id": f"ep_{1:032x}",
        "namespace": HERE,
        "created": NOON,
        "updated": NOON,
        "session_id": "s",
        "topic": "The caching layer",
        "turns": "1-4",
        "members": (f"mem_{1:032x}",),
        "signal": "topic_shift",
        "artifacts": ("makes file src/cache.py",),
    }
    return Episode(**{**known, **given})


def file_episode(app: App, episode: Episode, *moments: Moment) -> str:
    path = episode_path(episode)
    commit(app, writes=(FileWrite(path, render_episode(episode, moments)),))
    app.indexer.catch_up()
    return path


def test_an_episode_without_moments_is_in_the_index_and_goes_with_its_file(app: App) -> None:
    path = file_episode(app, an_episode())
    [found] = app.lookup.episodes(HERE)
    assert (found.episode, found.path) == (an_episode(), path)
    assert found.op_id == app.records.operations()[-1].op_id
    edit(app.settings.home, path, "The caching layer", "The cache")
    app.unit_of_work.take_over_edits()
    assert [each.episode.topic for each in app.lookup.episodes(HERE)] == ["The cache"]
    rebuild(app)
    assert [each.episode.topic for each in app.lookup.episodes(HERE)] == ["The cache"]
    (app.settings.home / "vault" / path).unlink()
    app.unit_of_work.take_over_edits()
    assert app.lookup.episodes(HERE) == []


def test_an_episode_is_in_the_index_beside_its_moments(app: App) -> None:
    moment = Moment(id=f"mem_{7:032x}", turn=1, role="user", content=CRANE)
    file_episode(app, an_episode(), moment)
    assert [each.memory.content for each in app.index.memories(HERE)] == [CRANE]
    assert [each.episode.id for each in app.lookup.episodes(HERE)] == [an_episode().id]


def test_an_episode_file_that_cannot_be_read_is_no_episode(app: App) -> None:
    path = file_episode(app, an_episode())
    edit(app.settings.home, path, "signal: topic_shift", "signal: a whim")
    _, folded = app.unit_of_work.take_over_edits()
    assert [subject for subject, _ in folded.unreadable] == [path]
    assert app.lookup.episodes(HERE) == []
