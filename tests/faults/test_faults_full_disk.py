"""A disk without room in; all that can be read still read, and an erasure that goes on once there is room, out."""

import os
import random
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from kits.vault import HERE, TickingClock, ask, contents, file_memories, keep, open_home, salad_memories
from pellucid.app import App
from pellucid.encoders.minilm.encoder import MiniLM
from pellucid.errors import NoRoomError, StoreError
from pellucid.model.turn import Turn
from pellucid.operations.admin.health import DoctorOutput, examine_home
from pellucid.operations.browsing import ListInput, ShowInput, list_memories, show_memory
from pellucid.operations.memory.forgetting import ForgetInput, ForgetOutput, PurgeInput, forget, purge
from pellucid.operations.remains import bytes_needed_to_finish, finish_erasures, finish_erasures_if_possible
from pellucid.operations.session.intake import Intake
from pellucid.store.records import FileRemoval, JournalOperation, content_digest

CANARY = "zanzibarquokka"
SECRET = f"the {CANARY} gateway listens on port 7443"
FERRY = "the ferry leaves at nine"
CRANE = "the harbour crane lifts forty tonnes"


@dataclass
class Disk:
    """A small file system with a home on it, opened as often as a test wants."""

    root: Path
    minilm: MiniLM
    clock: TickingClock

    @property
    def home(self) -> Path:
        return self.root / "home"

    def open(self) -> App:
        return open_home(self.home, self.minilm, clock=self.clock)

    def leave(self, free: int) -> None:
        """Fill it up to so many free bytes."""
        ballast = self.root / "ballast"
        with ballast.open("ab") as file:
            file.write(bytes(max(0, shutil.disk_usage(self.root).free - free)))

    def relieve(self) -> None:
        (self.root / "ballast").unlink()


@pytest.fixture
def disk(tmp_path: Path, minilm: MiniLM) -> Iterator[Disk]:
    """A file system of 24 MiB that nobody else writes to."""
    root = tmp_path / "disk"
    root.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", root]
    if os.geteuid() != 0 or subprocess.run(command, capture_output=True, check=False).returncode != 0:
        pytest.skip("no right to mount a small file system here")
    yield Disk(root, minilm, TickingClock())
    subprocess.run(["umount", "-l", root], check=True)


@pytest.fixture
def filled(disk: Disk) -> Disk:
    """A home of some hundred memories, one of them secret, and a recall of it."""
    app = disk.open()
    keep(app, SECRET)
    keep(app, CRANE)
    keep(app, FERRY)
    file_memories(app, salad_memories(random.Random(4), 250))
    app.indexer.catch_up()
    ask(app, f"which port does {CANARY} use?")
    app.close()
    return disk


def secret_of(app: App) -> str:
    return next(each.memory.id for each in app.index.memories(HERE) if CANARY in each.memory.content)


def forget_secret(app: App) -> ForgetOutput:
    return forget(app, ForgetInput(namespace=HERE, memory_ids=(secret_of(app),)))


def holding(home: Path) -> list[str]:
    """The files of a home that hold a word of what is secret."""
    files = (path for path in home.rglob("*") if path.is_file())
    return sorted(path.name for path in files if CANARY.encode() in path.read_bytes().lower())


def problems(report: DoctorOutput, check: str) -> list[str]:
    return [each.problem for each in report.findings if each.check == check]


def reads(app: App) -> None:
    """Everything that only reads."""
    listed = list_memories(app, ListInput(namespace=HERE, limit=500)).memories
    assert CRANE in [each.memory.content for each in listed]
    crane = next(each.memory.id for each in listed if each.memory.content == CRANE)
    assert show_memory(app, ShowInput(namespace=HERE, memory_id=crane)).memory.content == CRANE
    assert CRANE in contents(ask(app, "what lifts forty tonnes?"))
    assert problems(examine_home(app), "disk")


@pytest.mark.requirement("FORGET-5")
@pytest.mark.parametrize("free", [0, 4 << 10, 40 << 10, 200 << 10, 900 << 10])
def test_however_little_room_there_is_everything_can_be_read(filled: Disk, free: int) -> None:
    filled.leave(free)
    app = filled.open()
    finish_erasures_if_possible(app)
    app.unit_of_work.take_over_edits()
    reads(app)
    answer = ask(app, "harbour crane")
    assert answer.memories
    assert bool(answer.receipt_problem) == (app.history.receipt(answer.recall_id, HERE) is None)
    if not free:
        assert answer.receipt_problem
        assert "disk is full" in answer.receipt_problem
    app.close()
    filled.relieve()
    app = filled.open()
    assert ask(app, "harbour crane").receipt_problem is None
    app.close()


@pytest.mark.requirement("FORGET-5")
def test_a_rewrite_for_which_there_is_no_room_locks_nobody_out_and_is_done_once_there_is(filled: Disk) -> None:
    filled.leave(900 << 10)
    app = filled.open()
    done = forget_secret(app)
    assert done.done
    left = {each.place: each.why for each in done.remains}
    assert "index.db" in left
    assert "bytes" in left["index.db"]
    assert CANARY not in str([each.memory.content for each in app.index.memories(HERE)])
    app.close()

    for _ in range(2):
        app = filled.open()
        finish_erasures_if_possible(app)
        app.unit_of_work.take_over_edits()
        reads(app)
        (said,) = problems(examine_home(app), "forget")
        assert "index.db" in said
        assert "bytes" in said
        kept = keep(app, f"the ferry leaves at {shutil.disk_usage(filled.root).free}")
        assert kept.created
        app.close()
    assert (filled.home / "erasing").exists()

    filled.relieve()
    app = filled.open()
    finish_erasures_if_possible(app)
    assert not problems(examine_home(app), "forget")
    assert any(row.get("kind") == "erasure" for row in app.ledger.rows())
    app.close()
    assert not (filled.home / "erasing").exists()
    assert holding(filled.home) == []


def test_the_room_that_is_said_to_be_needed_is_enough(filled: Disk) -> None:
    filled.leave(900 << 10)
    app = filled.open()
    assert forget_secret(app).remains
    filled.relieve()
    filled.leave(bytes_needed_to_finish(app) + 4096)  # a file system is filled by whole pages
    assert finish_erasures(app) == 1
    app.close()
    assert holding(filled.home) == []


def test_a_rewrite_that_does_not_fit_takes_no_room_for_good(filled: Disk) -> None:
    filled.leave(900 << 10)
    app = filled.open()
    forget_secret(app)
    before = shutil.disk_usage(filled.root).free
    for _ in range(3):
        finish_erasures_if_possible(app)
    assert shutil.disk_usage(filled.root).free >= before
    app.close()


@pytest.mark.parametrize("free", [0, 64 << 10, 300 << 10])
def test_without_room_to_write_down_what_goes_nothing_is_changed_and_that_is_said(filled: Disk, free: int) -> None:
    filled.leave(free)
    app = filled.open()
    with pytest.raises(NoRoomError, match="nothing was changed"):
        forget_secret(app)
    app.close()
    app = filled.open()
    finish_erasures_if_possible(app)
    app.unit_of_work.take_over_edits()
    reads(app)
    filled.relieve()
    assert not forget_secret(app).remains
    app.close()
    assert holding(filled.home) == []


def test_what_another_erasure_left_behind_keeps_nobody_from_forgetting_more(filled: Disk) -> None:
    filled.leave(1_200 << 10)
    app = filled.open()
    assert forget_secret(app).remains
    again = purge(app, PurgeInput(namespace=HERE, before=app.clock.now(), category="fact", session_id="none"))
    assert again.memories == ()
    crane = next(each.memory.id for each in app.index.memories(HERE) if each.memory.content == CRANE)
    assert forget(app, ForgetInput(namespace=HERE, memory_ids=(crane,))).remains
    app.close()
    filled.relieve()
    app = filled.open()
    finish_erasures_if_possible(app)
    finished = [row for row in app.ledger.rows() if row.get("kind") == "erasure"]
    assert len(finished) == 2
    app.close()


def test_a_full_disk_refuses_what_is_new_and_says_how_to_go_on(filled: Disk) -> None:
    filled.leave(0)
    app = filled.open()
    with pytest.raises(StoreError) as error:
        keep(app, "a thing that is new")
    assert "free some space" in error.value.next_step
    app.close()
    app = filled.open()
    app.unit_of_work.take_over_edits()
    reads(app)
    app.close()


def test_an_edit_that_cannot_be_taken_over_is_left_and_a_deleted_file_is_not_served(filled: Disk) -> None:
    app = filled.open()
    crane = next(each for each in app.index.memories(HERE) if each.memory.content == CRANE)
    app.close()
    filled.leave(0)
    (filled.home / "vault" / crane.path).unlink()
    filled.leave(0)
    app = filled.open()
    _, folded = app.unit_of_work.take_over_edits()
    assert "no room" in str(folded.unreadable)
    assert FERRY in contents(ask(app, "when does the ferry leave?", top_k=1))
    with pytest.raises(NoRoomError):
        ask(app, "what lifts forty tonnes?")
    app.close()


def test_a_long_episode_is_only_rewritten_where_its_folding_fits(filled: Disk) -> None:
    app = filled.open()
    turns = [Turn("long", number, "user", f"berth {number} holds {number * 7} containers") for number in range(1, 300)]
    intake = Intake(app, HERE, "verbatim")
    turns.append(Turn("long", 300, "user", f"{CANARY} it is"))
    intake.take(replace(turn, fingerprint=b"%d" % turn.ordinal) for turn in turns)
    (moment,) = (each for each in app.index.memories(HERE) if f"{CANARY} it is" in each.memory.content)
    filled.leave(700 << 10)
    with pytest.raises(NoRoomError, match="nothing was changed"):
        forget(app, ForgetInput(namespace=HERE, memory_ids=(moment.memory.id,)))
    app.unit_of_work.take_over_edits()
    assert app.index.memories(HERE, [moment.memory.id])
    app.close()


def test_what_was_acknowledged_as_forgotten_is_not_served_by_an_index_that_could_not_be_written(filled: Disk) -> None:
    app = filled.open()
    secret = app.index.memories(HERE, [secret_of(app)])[0]
    data = app.records.heads([secret.path])[0].data
    assert data is not None
    removal = FileRemoval(secret.path, content_digest(data))
    app.records.commit(JournalOperation("op_forgets", "forget", "2026-06-01T12:00:00.000Z", removals=(removal,)))
    filled.leave(0)
    with pytest.raises(NoRoomError):
        app.unit_of_work.take_over_edits()
    filled.relieve()
    app.unit_of_work.take_over_edits()
    assert app.index.memories(HERE, [secret.memory.id]) == []
    app.close()
