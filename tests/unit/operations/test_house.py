"""Homes with drift, copies, links and files nobody may read in; what doctor finds and says of them out."""

import os
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import apsw
import pytest

from kits.somebody_else import said_by_somebody_else
from kits.vault import ELSEWHERE, HERE, Opener, ask, contents, edit, keep, open_home
from pellucid.app import App
from pellucid.encoders.minilm.encoder import MiniLM
from pellucid.errors import InputError, StoreBusyError
from pellucid.operations.admin.health import (
    DoctorOutput,
    check_databases,
    examine_home,
    rebuild,
    set_damaged_index_aside,
)
from pellucid.store.local.vault.files import Vault
from pellucid.store.local.vault.records import LocalRecords
from pellucid.surfaces.present import everyday as present

CRANE, FERRY = "the harbour crane lifts forty tonnes", "the ferry leaves at nine"


@pytest.fixture
def app(house: Opener) -> App:
    return house()


def vault(app: App) -> Path:
    return app.settings.home / "vault"


def found(report: DoctorOutput) -> list[tuple[str, str]]:
    return [(finding.check, finding.subject) for finding in report.findings]


def in_index(app: App, sql: str, *values: str) -> None:
    """Change the index behind everybody's back."""
    with closing(apsw.Connection(str(app.settings.home / "index.db"))) as index:
        index.execute(sql, values)


def test_a_sound_home_is_healthy_and_has_nothing_to_note(house: Opener) -> None:
    app = house()
    keep(app, CRANE)
    keep(house(namespace=ELSEWHERE), FERRY)
    report = examine_home(app)
    assert (report.healthy, report.findings, report.notes) == (True, (), ())
    assert (report.files, report.memories) == (2, 2)


def test_a_memory_that_the_index_lost_is_found_by_its_namespace(house: Opener) -> None:
    app = house()
    lost = keep(house(namespace=ELSEWHERE), CRANE).memory.id
    keep(app, FERRY)
    in_index(app, "DELETE FROM features WHERE row = (SELECT row FROM memories WHERE id = ?)", lost)
    in_index(app, "DELETE FROM memories WHERE id = ?", lost)
    report = examine_home(app)
    assert found(report) == [("index", ELSEWHERE)]
    assert lost in report.findings[0].problem
    assert report.findings[0].next_step == 'run `call("home.rebuild")`'
    rebuild(app)
    assert examine_home(app).healthy


def test_a_memory_that_no_file_holds_is_found(app: App) -> None:
    strange = keep(app, CRANE)
    keep(app, FERRY)
    (vault(app) / strange.path).unlink()
    in_index(app, "DELETE FROM files WHERE path = ?", strange.path)
    report = examine_home(app)
    assert found(report) == [("index", HERE)]
    assert "stand in no file" in report.findings[0].problem
    assert strange.memory.id in report.findings[0].problem


def test_words_of_the_index_that_are_not_those_of_the_file_are_found(app: App) -> None:
    memory_id = keep(app, CRANE).memory.id
    in_index(app, "UPDATE memories SET record = replace(record, 'forty', 'sixty')")
    report = examine_home(app)
    assert found(report) == [("index", HERE)]
    assert memory_id in report.findings[0].problem
    rebuild(app)
    assert examine_home(app).healthy


def test_an_id_in_two_files_is_found_and_the_copy_is_not_missing(app: App) -> None:
    kept = keep(app, CRANE)
    (vault(app) / "facts" / "copy.md").write_bytes((vault(app) / kept.path).read_bytes())
    app.unit_of_work.take_over_edits()
    assert found(examine_home(app)) == [("id", kept.memory.id)]


def test_an_edit_that_keeps_size_and_time_is_found_and_a_rebuild_takes_it(app: App) -> None:
    path = keep(app, CRANE).path
    before = (vault(app) / path).stat()
    edit(app.settings.home, path, "forty", "sixty")
    os.utime(vault(app) / path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert app.indexer.drift().paths == ()
    report = examine_home(app)
    assert found(report) == [("drift", path)]
    assert report.findings[0].next_step == 'run `call("home.rebuild")`'
    rebuild(app)
    assert examine_home(app).healthy
    assert contents(ask(app, "crane")) == [CRANE.replace("forty", "sixty")]


def test_what_was_added_edited_and_moved_is_a_note_and_no_finding(app: App) -> None:
    edited, moved = keep(app, CRANE).path, vault(app) / keep(app, FERRY).path
    edit(app.settings.home, edited, "forty", "fifty-one")
    moved.rename(moved.with_name("moved.md"))
    report = examine_home(app)
    assert report.healthy
    assert [note.split(":")[0] for note in report.notes] == [
        f"1 {kind} outside Pellucid" for kind in ("added", "edited", "deleted")
    ]


def test_a_hand_written_file_agrees_with_its_row(app: App) -> None:
    keep(app, FERRY)
    (vault(app) / "facts" / "mine.md").write_text(CRANE, "utf-8")
    os.utime(vault(app) / "facts" / "mine.md", ns=(1, 1_780_000_000_123_456_789))
    app.unit_of_work.take_over_edits()
    assert examine_home(app).healthy


def test_links_special_files_and_names_no_path_can_hold_are_noted(app: App) -> None:
    path = keep(app, CRANE).path
    folder = vault(app) / "facts"
    (folder / "link.md").symlink_to(vault(app) / path)
    (folder / "dangling.md").symlink_to("nowhere")
    (folder / "linked").symlink_to(vault(app))
    os.mkfifo(folder / "pipe.md")
    (folder / "back\\slash.md").write_text(FERRY)
    Path(os.fsdecode(os.fsencode(folder) + b"/\xff.md")).write_text(FERRY)
    (folder / "bell\x07").mkdir()
    (folder / ".obsidian").mkdir()
    (folder / "picture\\1.png").write_bytes(b"")
    report = examine_home(app)
    assert report.healthy
    assert report.notes == (
        "3 passed over in the vault (link): facts/dangling.md, facts/link.md, facts/linked",
        "1 passed over in the vault (special file): facts/pipe.md",
        "3 passed over in the vault (unusable name): facts/back\\slash.md, facts/bell\\x07, facts/\\udcff.md",
    )
    assert report.to_wire()


def test_of_many_names_the_first_few_are_said(app: App) -> None:
    keep(app, CRANE)
    for number in range(9):
        (vault(app) / f"link{number}.md").symlink_to("nowhere")
    note = examine_home(app).notes[0]
    assert note.startswith("9 passed over")
    assert note.endswith("link4.md …")


class _Simple(LocalRecords):
    """Records on a file system that cannot exchange files."""

    def replaces_atomically(self) -> bool:
        return False


def test_a_file_system_without_exchange_is_noted(app: App) -> None:
    keep(app, CRANE)
    records = _Simple(app.settings.home)
    report = examine_home(replace(app, records=records, indexer=replace(app.indexer, records=records)))
    records.close()
    assert report.healthy
    assert ["cannot exchange" in note for note in report.notes] == [True]


def test_a_rebuild_names_no_operation_that_was_never_committed(app: App) -> None:
    edited = keep(app, CRANE).path
    edit(app.settings.home, edited, "forty", "fifty")
    (vault(app) / "facts" / "mine.md").write_text(FERRY, "utf-8")
    rebuild(app)
    named = {each.op_id for each in app.index.memories(HERE)}
    assert named <= {row.op_id for row in app.records.operations()}
    assert examine_home(app).healthy


def test_findings_come_last_each_with_its_next_step(app: App) -> None:
    keep(app, CRANE)
    (vault(app) / "facts" / "bad.md").write_bytes(b"---\na: [\n---\n")
    (vault(app) / "facts" / "worse.md").write_bytes(b"\xff\xfe")
    report = examine_home(app)
    lines = present.doctor_text(report).splitlines()
    assert lines[-3] == "2 problems:"
    assert all(line.startswith("PROBLEM   file: facts/") for line in lines[-2:])
    assert all(line.endswith(f"→ {each.next_step}") for line, each in zip(lines[-2:], report.findings, strict=True))


def test_a_locked_database_is_not_a_damaged_one(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(app, CRANE)
    home = app.settings.home
    app.close()
    monkeypatch.setattr("pellucid.store.local.database.BUSY_TIMEOUT_MS", 1)
    with closing(apsw.Connection(str(home / "index.db"))) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreBusyError):
            set_damaged_index_aside(home)
    assert (home / "index.db").exists()
    assert check_databases(home) is None


def test_a_file_nobody_may_read_is_a_finding_and_the_others_are_compared(reachable: Path, minilm: MiniLM) -> None:
    app = open_home(reachable, minilm)
    locked, open_ = keep(app, CRANE).path, keep(app, FERRY).path
    app.close()
    (vault(app) / locked).chmod(0)

    def look() -> str:
        report = examine_home(open_home(reachable, minilm))
        return repr([(each.check, each.subject, each.next_step) for each in report.findings])

    assert said_by_somebody_else(reachable, look) == repr(
        [("file", locked, "let yourself read it, or move it out of the vault")]
    )
    assert open_


def test_the_one_file_that_may_not_be_read_says_so_and_the_others_are_read(reachable: Path) -> None:
    for name in ("locked.md", "open.md"):
        (reachable / name).write_text(CRANE, "utf-8")
    (reachable / "locked.md").chmod(0)
    (reachable / "no entry").mkdir(mode=0)

    def read() -> str:
        said: list[str] = []
        for path in ("locked.md", "no entry/x.md", "nothing.md", "open.md"):
            try:
                said.append(str(getattr(Vault(reachable).read(path), "data", None)))
            except InputError as error:
                said.append(f"{error.code} {error.message}")
        return "\n".join(said)

    assert said_by_somebody_else(reachable, read).splitlines() == [
        "unreadable_file locked.md cannot be read: Permission denied",
        "unreadable_file no entry/x.md cannot be read: Permission denied",
        "None",
        str(CRANE.encode()),
    ]
    (reachable / "no entry").chmod(0o700)


def test_a_folder_that_may_not_be_listed_is_named_and_its_files_do_not_look_deleted(reachable: Path) -> None:
    (reachable / "vault" / "no entry").mkdir(parents=True, mode=0o700)
    (reachable / "vault" / "no entry").chmod(0)

    def walk() -> str:
        return str(list(LocalRecords(reachable).walk()))

    assert said_by_somebody_else(reachable, walk) == (
        f"StoreError: {reachable / 'vault' / 'no entry'} cannot be listed: Permission denied"
        " (let yourself read it, or move it away)"
    )
    (reachable / "vault" / "no entry").chmod(0o700)
