"""What was forgotten is in no byte and no name of the home; whatever else there was is there still."""

import subprocess
import sys
from pathlib import Path
from typing import get_args

import apsw
import pytest

from kits.erasing import EDITED, SECRET, SLUG, TEXT, found, home_with_secrets, others, removals, secret
from kits.records import (
    NOTE,
    OLD,
    OURS,
    OURS_REVIEWED,
    THEIRS,
    Crash,
    conflict_texts,
    note,
    operation,
    removal,
    save,
    write,
)
from pellucid.errors import StoreBusyError
from pellucid.store.local.failpoint import Step
from pellucid.store.local.journal import open_journal
from pellucid.store.local.vault import records as records_module
from pellucid.store.local.vault.paths import path_key
from pellucid.store.local.vault.records import LocalRecords
from pellucid.store.records import Eraser, Ledger, content_digest

BOTH = (SECRET, EDITED)


def test_the_class_fulfils_the_ports(tmp_path: Path) -> None:
    records = LocalRecords(tmp_path)
    eraser: Eraser = records
    ledger: Ledger = records.ledger
    assert set(eraser.scrub([]).values()) == {0}
    assert list(ledger.rows(after=7)) == []


def test_a_scrub_leaves_no_byte_of_a_removed_path(tmp_path: Path) -> None:
    records = home_with_secrets(tmp_path)
    assert found(tmp_path) == {"name", "file", "conflict", "displaced", "log"}
    records.commit(operation(*removals(tmp_path)))
    kept = others(tmp_path)
    records.drain()
    assert found(tmp_path) >= {"name", "conflict", "displaced", "log"}
    assert records.scrub(BOTH) == {"displaced": 3, "leftovers": 0, "conflicts": 1, "names": 6}
    assert found(tmp_path) == set()
    assert others(tmp_path) == kept | {"vault/skills/other.md": OURS}
    assert conflict_texts(tmp_path) == [OURS_REVIEWED]
    reader = open_journal(tmp_path / "journal.db")  # keeps SQLite from removing the log at the last close
    records.close()
    assert found(tmp_path) == set()
    assert (tmp_path / "journal.db-wal").stat().st_size == 0
    reader.close()


def test_a_scrub_may_be_repeated(tmp_path: Path) -> None:
    records = home_with_secrets(tmp_path)
    records.commit(operation(*removals(tmp_path)))
    records.drain()
    records.scrub(BOTH)
    before = records.operations()
    assert set(records.scrub(BOTH).values()) == {0}
    known = {path for row in before for path, _ in row.paths if path.startswith("forgotten/")}
    assert set(records.scrub(known).values()) == {0}  # who lost the paths has only these names
    assert records.operations() == before


def test_the_operations_of_a_scrubbed_path_stay_under_another_name(tmp_path: Path) -> None:
    records = home_with_secrets(tmp_path)
    before = records.operations()
    seq = records.commit(operation(*removals(tmp_path)))
    records.drain()
    records.scrub(BOTH)
    after = records.operations()
    assert [row.op_id for row in after[:-1]] == [row.op_id for row in before]
    assert [len(row.paths) for row in after] == [3, 2, 1, 1, 1, 2]
    (last,) = records.operations(after=seq - 1)
    assert all(path.startswith("forgotten/") and digest is None for path, digest in last.paths)
    assert {head.data for head in records.heads([path for path, _ in last.paths])} == {None}
    assert list(records.walk([path for path, _ in last.paths])) == []
    assert records.heads([NOTE])[0].data == THEIRS


def test_the_pseudonyms_of_two_homes_differ(tmp_path: Path) -> None:
    names: list[set[str]] = []
    for home in (tmp_path / "a", tmp_path / "b"):
        records = home_with_secrets(home)
        records.commit(operation(*removals(home)))
        records.drain()
        records.scrub(BOTH)
        names.append({path for row in records.operations() for path, _ in row.paths if "forgotten" in path})
    assert len(names[0]) == len(names[1]) == 2
    assert not names[0] & names[1]


def test_a_path_that_was_written_anew_keeps_its_name_and_loses_its_past(tmp_path: Path) -> None:
    records = home_with_secrets(tmp_path)
    rewrite = operation(write(NOTE, OURS, THEIRS))
    records.commit(rewrite)
    records.drain()
    assert THEIRS in {path.read_bytes() for path in (tmp_path / "vault/.pellucid/displaced").iterdir()}
    records.scrub([NOTE])
    assert conflict_texts(tmp_path) != []  # that of the secret
    assert OURS_REVIEWED not in conflict_texts(tmp_path)
    assert THEIRS not in {path.read_bytes() for path in (tmp_path / "vault/.pellucid/displaced").iterdir()}
    (head,) = records.heads([NOTE])
    assert (head.data, head.op_id) == (OURS, rewrite.op_id)
    digests = {digest for row in records.operations() for path, digest in row.paths if path == NOTE}
    assert digests == {None, content_digest(OURS)}


def test_an_earlier_name_of_the_same_bytes_goes_too(tmp_path: Path) -> None:
    """The user renamed the file: its old name, made of its words, stands in the journal still."""
    records = LocalRecords(tmp_path)
    records.commit(operation(write(SECRET, secret("1")), write("skills/other.md", OLD)))
    records.drain()
    new = "facts/2026-04/renamed.md"
    note(tmp_path, SECRET).rename(note(tmp_path, new))
    records.commit(operation(removal(new, secret("1"))))
    records.drain()
    records.scrub([new])
    assert found(tmp_path) == set()
    assert records.operations()[0].paths[1][0] == "skills/other.md"


def test_a_copy_the_user_made_stays_and_keeps_its_name(tmp_path: Path) -> None:
    records = LocalRecords(tmp_path)
    records.commit(operation(write(NOTE, OLD), write("copies/note.md", OLD)))
    records.drain()
    records.commit(operation(removal(NOTE, OLD)))
    records.drain()
    records.scrub([NOTE])
    assert records.operations()[0].paths[1] == ("copies/note.md", content_digest(OLD))
    assert note(tmp_path, "copies/note.md").read_bytes() == OLD


def test_a_displaced_text_whose_path_nobody_remembers_is_known_by_its_bytes(tmp_path: Path) -> None:
    records = home_with_secrets(tmp_path)
    stray = tmp_path / "vault/displaced.conflict-0123abcd.md"
    stray.write_bytes(secret("by hand"))
    other = tmp_path / "vault/displaced.conflict-89abcdef.md"
    other.write_bytes(b"somebody else's")
    records.commit(operation(*removals(tmp_path)))
    records.drain()
    records.scrub(BOTH)
    assert found(tmp_path) == set()
    assert other.exists()


def test_what_dead_processes_left_beside_a_path_goes(tmp_path: Path) -> None:
    records = home_with_secrets(tmp_path)
    records.commit(operation(*removals(tmp_path)))
    records.drain()
    folder = note(tmp_path, SECRET).parent
    names = [".pellucid-0123456789abcdef.tmp", f".pellucid-{path_key(SECRET)}-0123456789abcdef.swap"]
    other = folder / f".pellucid-{path_key(NOTE)}-0123456789abcdef.swap"
    for path in (*(folder / name for name in names), other):
        path.write_bytes(TEXT if path != other else b"the user's")
    assert records.scrub(BOTH)["leftovers"] == 2
    assert found(tmp_path) == set()
    assert other.exists()


def test_a_scrub_refuses_a_path_for_which_something_waits(tmp_path: Path) -> None:
    records = home_with_secrets(tmp_path)
    records.commit(operation(*removals(tmp_path)))
    with pytest.raises(StoreBusyError, match="waits"):
        records.scrub(BOTH)
    assert note(tmp_path, SECRET).exists()


def test_an_index_behind_the_removal_still_learns_of_the_path_until_the_scrub(tmp_path: Path) -> None:
    records = home_with_secrets(tmp_path)
    seq = records.commit(operation(*removals(tmp_path)))
    records.drain()
    (row,) = records.operations(after=seq - 1)
    assert {path for path, _ in row.paths} == set(BOTH)


def test_a_reader_in_another_process_is_waited_for_and_then_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records_module, "_READERS_S", 0.05)
    records = home_with_secrets(tmp_path)
    records.commit(operation(*removals(tmp_path)))
    records.drain()
    script = (
        "import sys; from pathlib import Path; from pellucid.store.local.journal import open_journal\n"
        "c = open_journal(Path(sys.argv[1])); c.execute('BEGIN; SELECT * FROM entries').fetchall()\n"
        "print('reading', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", script, tmp_path / "journal.db"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as reader:
        assert reader.stdout
        reader.stdout.readline()
        with pytest.raises(StoreBusyError) as error:
            records.scrub(BOTH)
        assert "repeat" in error.value.next_step
        reader.communicate(b"")
    records.scrub(BOTH)
    assert found(tmp_path) == set()


def test_a_path_may_be_used_again_after_its_scrub(tmp_path: Path) -> None:
    records = home_with_secrets(tmp_path)
    records.commit(operation(*removals(tmp_path)))
    records.drain()
    records.scrub(BOTH)
    records.commit(operation(write(SECRET, OURS)))
    records.drain()
    assert records.heads([SECRET])[0].data == OURS


def test_every_freed_cell_and_page_of_the_journal_is_overwritten(tmp_path: Path) -> None:
    """Long and short payloads, many rows that were moved between pages: no copy stays in a gap."""
    records = LocalRecords(tmp_path)
    paths = [f"facts/2026-04/{SLUG.decode()}-{number * 7919 % 1009:04}.md" for number in range(400)]
    for start in range(0, 400, 40):
        some = paths[start : start + 40]
        records.commit(operation(*(write(path, TEXT * (1 + 97 * i % 700)) for i, path in enumerate(some))))
        records.commit(operation(*(write(f"skills/{start}-{i}.md", b"x" * 60 * i) for i in range(20))))
        records.drain()
    heads = {head.path: head.data or b"" for head in records.heads(paths)}
    assert found(tmp_path) >= {"log", "name", "file"}
    records.commit(operation(*(removal(path, data) for path, data in heads.items())))
    records.drain()
    records.scrub(paths)
    assert found(tmp_path) == set()
    assert len(list(records.walk())) == 200
    journal = apsw.Connection(str(tmp_path / "journal.db"))
    assert journal.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    journal.close()


def drain_and_scrub(records: LocalRecords) -> None:
    records.drain()
    records.scrub(BOTH)


NOT_MET = {"put-back", "conflict-kept", "commit-open", "commit-done", "ledger-appended", "ledger-synced"}


@pytest.mark.parametrize("step", [step for step in get_args(Step) if step not in NOT_MET])
def test_a_crash_at_any_step_is_made_good_by_draining_and_scrubbing_again(tmp_path: Path, step: Step) -> None:
    records = home_with_secrets(tmp_path)
    records.commit(operation(*removals(tmp_path), write("facts/2026-04/new.md", OURS)))
    kept = others(tmp_path) | {"vault/skills/other.md": OURS, "vault/facts/2026-04/new.md": OURS}

    def failpoint(now: Step) -> None:
        if now == step:
            raise Crash

    dying = LocalRecords(tmp_path, displaced_for_s=60, failpoint=failpoint)
    with pytest.raises(Crash):
        drain_and_scrub(dying)
    drain_and_scrub(LocalRecords(tmp_path))
    assert found(tmp_path) == set()
    assert others(tmp_path) == kept


def test_an_edit_saved_before_the_removal_was_filed_is_not_scrubbed(tmp_path: Path) -> None:
    records = home_with_secrets(tmp_path)
    records.commit(operation(*removals(tmp_path)))
    save(note(tmp_path, SECRET), THEIRS)
    assert SECRET not in records.drain().filed
    records.scrub(BOTH)
    assert note(tmp_path, SECRET).read_bytes() == THEIRS
    assert found(tmp_path) == {"name", "journal"}  # it is somebody's file now: its name stays


WRITER = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
import itertools
from kits import records as kit
from kits.records import *
kit._numbers = itertools.count(1_000)
records = LocalRecords(Path(sys.argv[1]))
print("ready", flush=True)
for number in range(60):
    path = f"facts/2026-04/by-another-{number}.md"
    records.commit(operation(write(path, OLD)))
    records.drain()
    records.commit(operation(write(path, OURS, OLD), ledger=({"n": number},)))
records.close()
"""


@pytest.mark.requirement("STORE-6")
def test_a_process_that_writes_meanwhile_loses_nothing(tmp_path: Path) -> None:
    records = home_with_secrets(tmp_path)
    records.commit(operation(*removals(tmp_path)))
    command = [sys.executable, "-c", WRITER, tmp_path, Path(__file__).parents[2]]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as writer:
        assert writer.stdout
        writer.stdout.readline()
        records.drain()
        while writer.poll() is None:
            records.scrub(BOTH)
    assert writer.returncode == 0
    records.drain()
    records.scrub(BOTH)
    assert found(tmp_path) == set()
    written = [f"facts/2026-04/by-another-{number}.md" for number in range(60)]
    assert {head.data for head in records.heads(written)} == {OURS}
    assert [row["n"] for row in records.ledger.rows()] == list(range(60))
