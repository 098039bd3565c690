"""An editor that saves while we write: none of the user's bytes is lost, and ours are found, too."""

import os
import subprocess
import sys
from collections import Counter as Tally
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from random import Random

import pytest

from kits import race_editor
from pellucid.store.local.failpoint import Step
from pellucid.store.local.vault.conflict import pending_review
from pellucid.store.local.vault.records import LocalRecords
from pellucid.store.records import FileWrite, JournalOperation, content_digest

pytestmark = pytest.mark.slow
AT = "2026-04-20T17:30:00.000Z"
FILES = 500
ROUNDS = 12
PATHS = [f"facts/{number:04}.md" for number in range(FILES)]
Jitter = Callable[[Step], None]


def old(number: int) -> bytes:
    return f"---\nid: {number}\nstatus: active\n---\n\nold\n".encode()


def ours(number: int) -> bytes:
    return f"---\nid: {number}\nstatus: active\n---\n\nwritten by the store\n".encode() * 20


def vault_of_old_files(home: Path) -> LocalRecords:
    records = LocalRecords(home)
    writes = tuple(FileWrite(path, old(number)) for number, path in enumerate(PATHS))
    records.commit(JournalOperation("op_old", "import", AT, writes))
    records.drain()
    return records


def jitter(seed: int) -> Jitter:
    """Pause for a while at each step, longest between the look and the rename, so that each gap is hit many times."""
    random = Random(seed)
    return lambda step: race_editor.spin(random.random() * (400e-6 if step == "swap-named" else 50e-6))


def race(home: Path, style: str, seed: int, drain: Callable[[race_editor.Start], None]) -> None:
    """Run `drain`, which comes to each file in turn, against an editor that saves each file once."""
    shared = home / "start"
    shared.write_bytes(bytes(16))
    command = [sys.executable, race_editor.__file__, str(home / "vault"), str(shared), style, str(FILES), str(seed)]
    with subprocess.Popen(command) as editor:
        drain(race_editor.Start(shared, 0))
    assert editor.returncode == 0


def texts(home: Path, path: str) -> tuple[bytes, list[bytes]]:
    """What stands at a path, and in its conflict files."""
    file = home / "vault" / path
    return file.read_bytes(), [each.read_bytes() for each in file.parent.glob(f"{file.stem}.conflict-*.md")]


def drain_by_check_then_rename(home: Path, seed: int, start: race_editor.Start) -> None:
    """What a writer does that has not thought of editors."""
    wait = jitter(seed)
    for number, path in enumerate(PATHS):
        file = home / "vault" / path
        temp = file.with_suffix(".tmp")
        temp.write_bytes(ours(number))
        start.come(number)
        wait("placing")
        if file.read_bytes() == old(number):
            wait("swap-named")
            os.replace(temp, file)


def homes(tmp_path: Path) -> Iterator[tuple[int, Path]]:
    """Fresh homes with their seed: on a busy machine one side may be first in all of a run, which shows nothing."""
    for seed in range(1, ROUNDS + 1):
        home = tmp_path / str(seed)
        home.mkdir()
        yield seed, home


@pytest.mark.parametrize("style", race_editor.STYLES)
def test_the_race_is_one_that_a_careless_writer_loses(tmp_path: Path, style: str) -> None:
    for seed, home in homes(tmp_path):
        vault_of_old_files(home)
        race(home, style, seed, partial(drain_by_check_then_rename, home, seed + 1))
        lost = [number for number, path in enumerate(PATHS) if texts(home, path)[0] != race_editor.theirs(number)]
        print(f"{style}: check-then-rename lost {len(lost)} of {FILES} saves")
        if lost:
            return
    pytest.fail("the careless writer lost nothing, so this race proves nothing")


def drain_by_the_store(home: Path, seed: int, start: race_editor.Start) -> None:
    wait = jitter(seed)
    steps = Tally[Step]()
    numbers = iter(range(FILES))

    def failpoint(step: Step) -> None:
        if step == "placing":
            start.come(next(numbers))
        steps[step] += 1
        wait(step)

    LocalRecords(home, failpoint=failpoint).drain()
    print(f"{steps['exchanged']} exchanges, {steps['put-back']} of them undone because the user was faster")


@pytest.mark.requirement("STORE-3")
@pytest.mark.parametrize("style", race_editor.STYLES)
def test_the_store_loses_no_save(tmp_path: Path, style: str) -> None:
    for seed, home in homes(tmp_path):
        records = vault_of_old_files(home)
        writes = (FileWrite(path, ours(number), content_digest(old(number))) for number, path in enumerate(PATHS))
        records.commit(JournalOperation("op_ours", "update", AT, tuple(writes)))
        race(home, style, seed, partial(drain_by_the_store, home, seed + 1))
        LocalRecords(home, displaced_for_s=0).drain()
        tally = Tally(outcome(home, number, path) for number, path in enumerate(PATHS))
        print(f"{style}: {dict(tally)}")
        assert tally["lost"] == 0
        assert list((home / "vault").rglob(".pellucid-*")) == []
        if len(tally) > 1:
            return
    pytest.fail("the editor was always first, or always last")


def outcome(home: Path, number: int, path: str) -> str:
    """Where the user's text and ours ended."""
    at_path, in_conflict = texts(home, path)
    theirs = race_editor.theirs(number)
    reviewed = pending_review(ours(number)) in in_conflict
    if theirs == at_path:
        return "saved before: ours in conflict" if reviewed else "saved after: ours superseded"
    if theirs in in_conflict and at_path == ours(number):
        return "saved into the replaced file: theirs in conflict"
    return "lost"
