"""Databases with flipped bits, strange bytes and broken pages in; doctor names each, and a rebuild mends the index."""

import json
import random
import shutil
import stat
import sys
from pathlib import Path

import apsw
import pytest

from kits.vault import SESSIONS, TickingClock, ask, bring_in, contents, file_memories, keep, open_home, salad_memories
from pellucid.app import App
from pellucid.encoders.minilm.encoder import MiniLM
from pellucid.model.memory import Memory
from pellucid.operations.admin.health import check_databases, examine_home, rebuild, set_damaged_index_aside
from pellucid.surfaces.cli import main

QUESTIONS = ("when do we cut releases?", "who leads the data platform team?", "harbour crane", "größe hafen", "港口")
FLIPS = 36
DATABASES = ("index.db", "journal.db", "history.db")


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory, minilm: MiniLM) -> Path:
    """A closed home of some eighty memories: copied, never opened again."""
    home = tmp_path_factory.mktemp("sound")
    app = open_home(home, minilm)
    file_memories(app, salad_memories(random.Random(4), 60))
    bring_in(app, SESSIONS)
    keep(app, "the harbour crane lifts forty tonnes")
    answers(app)
    app.close()
    return home


def answers(app: App) -> list[list[str]]:
    return [contents(ask(app, question)) for question in QUESTIONS]


def kept(app: App) -> list[tuple[Memory, str]]:
    return [(each.memory, each.path) for each in app.index.memories("local/default")]


def opened(home: Path, encoder: MiniLM) -> App:
    """A home with a clock that stands where no recall of the sound home stood."""
    clock = TickingClock()
    clock.rng.seed(99)
    return open_home(home, encoder, clock=clock)


def copy_of(sound: Path, home: Path) -> Path:
    return Path(shutil.copytree(sound, home))


def flip(path: Path, at: int, bit: int) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 1 << bit
    path.write_bytes(data)


def offsets(path: Path) -> list[tuple[int, int]]:
    """Seeded places of a file and the bit to flip there: a third in its header, where a bit says the most."""
    chance, size = random.Random(20260101), path.stat().st_size
    places = [chance.randrange(100) for _ in range(FLIPS // 3)]
    places += [chance.randrange(size) for _ in range(FLIPS - len(places))]
    return [(at, chance.randrange(8)) for at in places]


def test_a_flipped_bit_of_the_index_is_harmless_or_found_and_a_rebuild_mends_it(
    sound: Path, tmp_path: Path, minilm: MiniLM
) -> None:
    app = opened(copy_of(sound, tmp_path / "before"), minilm)
    expected, memories = answers(app), kept(app)
    app.close()
    detected = 0
    for number, (at, bit) in enumerate(offsets(sound / "index.db")):
        home = copy_of(sound, tmp_path / str(number))
        flip(home / "index.db", at, bit)
        moved = set_damaged_index_aside(home)
        assert (moved is not None) == (not (home / "index.db").exists())
        app = opened(home, minilm)
        report = examine_home(app)
        if moved is None and report.healthy:
            assert all(answers(app)), f"byte {at}, bit {bit}: no answer, and nothing found"
        detected += moved is not None or not report.healthy
        rebuild(app, moved)
        assert examine_home(app).healthy, f"byte {at}, bit {bit}"
        now = answers(app)  # a vector is not made anew: what is too small to be found may part two neighbours
        assert list(map(set, now)) == list(map(set, expected)), f"byte {at}, bit {bit}"
        assert kept(app) == memories, f"byte {at}, bit {bit}"
        app.close()
    assert FLIPS / 4 < detected < FLIPS, "the flips are of both kinds"


def test_a_flipped_bit_of_the_journal_or_the_history_never_stops_doctor_without_a_word(
    sound: Path, tmp_path: Path, minilm: MiniLM
) -> None:
    for name in ("journal.db", "history.db"):
        for number, (at, bit) in enumerate(offsets(sound / name)[::2]):
            home = copy_of(sound, tmp_path / f"{number}-{name}")
            flip(home / name, at, bit)
            report = check_databases(home)
            if report is None:
                app = opened(home, minilm)
                examine_home(app)
                assert all(answers(app))
                app.close()
            else:
                assert [finding.subject for finding in report.findings] == [name], f"byte {at}, bit {bit}"


@pytest.fixture
def home(sound: Path, tmp_path: Path, minilm: MiniLM, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of the test's own, where the command line finds it."""
    home = copy_of(sound, tmp_path / "home")
    monkeypatch.setenv("PELLUCID_HOME", str(home))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("pellucid.app.MiniLM", lambda *_, **__: minilm)
    return home


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    """The exit code of a command."""
    monkeypatch.setattr(sys, "argv", ["pellucid", *arguments])
    with pytest.raises(SystemExit) as left:
        main()
    return int(left.value.code or 0)


def spoil(path: Path, how: str) -> None:
    """Put something else in place of a database, or break each page but the first."""
    if how == "strange":
        path.write_bytes(b"this is no database " * 500)
        return
    data = bytearray(path.read_bytes())
    for page in range(4096, len(data), 4096):
        data[page : page + 64] = bytes(64)
    path.write_bytes(data)


@pytest.mark.parametrize("how", ["strange", "pages"])
@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("index.db", "run `pellucid rebuild`"),
        ("history.db", "only explanations of past recalls are lost"),
        ("journal.db", "lost is what had not reached the vault yet"),
    ],
)
def test_a_damaged_database_is_a_finding_with_its_own_next_step(
    home: Path, name: str, says: str, how: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    spoil(home / name, how)
    assert run(monkeypatch, "doctor", "--json") == 7
    (finding,) = json.loads(capsys.readouterr().out)["findings"]
    assert (finding["check"], finding["subject"]) == ("database", name)
    assert says in finding["nextStep"]
    assert "pellucid doctor" not in finding["problem"]


def test_every_damaged_database_is_named_at_once(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in DATABASES:
        spoil(home / name, "strange")
    report = check_databases(home)
    assert report is not None
    assert {finding.subject for finding in report.findings} == set(DATABASES)


@pytest.mark.parametrize("how", ["strange", "pages"])
def test_a_rebuild_moves_a_damaged_index_aside_and_starts_empty(
    home: Path, how: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    spoil(home / "index.db", how)
    spoilt = (home / "index.db").read_bytes()
    assert run(monkeypatch, "rebuild") == 0
    (aside,) = (path for path in home.glob("index.db.damaged-*") if path.suffix not in {".db-wal", ".db-shm"})
    assert aside.name in capsys.readouterr().out
    assert aside.read_bytes() == spoilt
    assert stat.S_IMODE(aside.stat().st_mode) == 0o600
    assert run(monkeypatch, "doctor") == 0
    assert run(monkeypatch, "rebuild") == 0
    assert len(list(home.glob("index.db.damaged-*"))) == 1, "a sound index stays where it is"


@pytest.mark.parametrize("name", ["history.db", "journal.db"])
def test_with_the_damaged_database_moved_away_the_home_is_sound_again(
    home: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    spoil(home / name, "strange")
    for path in home.glob(f"{name}*"):
        path.rename(home / f"moved-{path.name}")
    assert run(monkeypatch, "doctor") == 0


_UNINDEXED = "DROP INDEX memories_doubted; DROP INDEX memories_aging;"
"""SQLite keeps what an index reads from being spoilt so."""


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("UPDATE meta SET value = '9795258800123' WHERE key = 'appliedSeq'", "never had"),
        ("UPDATE meta SET value = '17x' WHERE key = 'appliedSeq'", "no number"),
        (f"{_UNINDEXED} UPDATE memories SET record = '{{'", "spoilt"),
        ("UPDATE memories SET session_id = CAST(x'ff' AS TEXT)", "not UTF-8"),
        ("UPDATE memories SET ns = 77", "spoilt"),
        ("UPDATE memories SET importance = 'much'", "spoilt"),
        ("DELETE FROM features", "spoilt"),
        ("UPDATE features SET vec = zeroblob(767)", "spoilt"),
        ("UPDATE features SET vec = CAST(x'007e' || zeroblob(766) AS BLOB)", "spoilt"),
        ("UPDATE features SET codes = x'00'", "spoilt"),
        ("UPDATE features SET length = length + 1", "spoilt"),
        ("DROP TABLE segments", "a table is missing"),
        ("PRAGMA user_version = 0", "never set up"),
        ("PRAGMA user_version = 99", "schema version 99"),
    ],
)
def test_damage_that_no_page_shows_is_found(home: Path, sql: str, why: str) -> None:
    index = apsw.Connection(str(home / "index.db"))
    index.execute(sql)
    index.close()
    report = check_databases(home)
    assert report is not None
    assert [finding.subject for finding in report.findings] == ["index.db"]
    assert why in report.findings[0].problem
