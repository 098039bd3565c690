"""Forgetting that is killed at any moment: repeated, it leaves no byte of what was to go, and all of the rest."""

import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import get_args

import apsw
import erase_child
import pytest

from pellucid.store.local.failpoint import Step
from pellucid.store.local.vault.records import LocalRecords
from pellucid.store.records import FileRemoval, FileWrite, JournalOperation, content_digest

pytestmark = pytest.mark.slow
AT = "2026-04-20T17:30:00.000Z"
CANARIES = (b"c4nary-text-qx", b"c4nary-slug-qx", b"c4nary-tag-qx")
KILLS = 25
STEPS = (*get_args(Step), *("",) * len(get_args(Step)))
"""Half of the processes die at a named step, the others at a moment of no one's choosing."""


def secret(number: int) -> str:
    return f"facts/2026-04/c4nary-slug-qx-{number:04}.md"


def kept(number: int) -> str:
    return f"facts/2026-04/harmless-{number:04}.md"


def text(name: str, version: int, size: int) -> bytes:
    canary = CANARIES[0] if "c4nary" in name else b"harmless text"
    tag = CANARIES[2] if "c4nary" in name else b"tag"
    return b"---\nid: %b-%d\ntags: [%b]\n---\n\n%b\n" % (name[-7:].encode(), version, tag, canary * size)


def hits(home: Path) -> set[Path]:
    """Every file and folder whose name or bytes hold a canary."""
    named = {path for path in home.rglob("*") if any(each.decode() in path.name for each in CANARIES)}
    files = (path for path in home.rglob("*") if path.is_file())
    return named | {path for path in files if any(each in path.read_bytes() for each in CANARIES)}


def commit(records: LocalRecords, name: str, texts: dict[str, bytes], bases: dict[str, bytes] | None = None) -> None:
    old = bases or {}
    writes = (FileWrite(path, data, content_digest(old[path]) if path in old else None) for path, data in texts.items())
    records.commit(JournalOperation(name, "update", AT, tuple(writes), ({"row": name},)))


def full_house(home: Path, random: Random) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """A home whose secrets were written, edited and met by the user's saves; the secrets' texts, and the others'."""
    records = LocalRecords(home)
    names = [*map(secret, range(12)), *map(kept, range(12))]
    first = {name: text(name, 1, random.choice([1, 30, 900])) for name in names}
    commit(records, "op_1", first)
    records.drain()
    second = {name: text(name, 2, random.choice([1, 30, 900])) for name in names}
    commit(records, "op_2", second, first)
    for name in random.sample(names, 8):
        second[name] = text(name, 3, 5)
        new = home / "vault" / f"{name}~"
        new.write_bytes(second[name])
        new.replace(home / "vault" / name)
    records.drain()
    secrets = {name: data for name, data in second.items() if "c4nary" in name}
    removals = tuple(FileRemoval(path, content_digest(data)) for path, data in secrets.items())
    fresh = {kept(99): text(kept(99), 1, 3)}
    writes = tuple(FileWrite(path, data) for path, data in fresh.items())
    records.commit(JournalOperation("op_forget", "forget", AT, writes, ({"row": "op_forget"},), removals=removals))
    return secrets, {name: data for name, data in second.items() if name not in secrets} | fresh


def run_child(home: Path, seed: int, random: Random, paths: list[str]) -> bool:
    """Whether the process was killed."""
    step = STEPS[seed % len(STEPS)]
    command = [sys.executable, erase_child.__file__, str(home), str(seed), step, *paths]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as child:
        assert child.stdout
        child.stdout.readline()
        if not step:
            with suppress(subprocess.TimeoutExpired):
                child.wait(timeout=random.random() * 0.1)
            child.kill()
    assert child.returncode in {0, -9}
    return child.returncode == -9


@pytest.mark.parametrize("stream", range(2))
def test_a_forgetting_that_was_killed_leaves_nothing_once_it_is_repeated(tmp_path: Path, stream: int) -> None:
    random = Random(stream)
    kills, seed = 0, stream * 1_000
    while kills < KILLS:
        home = tmp_path / str(seed)
        secrets, others = full_house(home, random)
        conflicts = {path: (home / "vault" / path).read_bytes() for path in LocalRecords(home).conflicts()}
        assert len(hits(home)) > len(secrets)
        for _ in range(random.randint(1, 3)):
            kills += run_child(home, seed, random, [*secrets])
            seed += 1
        records = LocalRecords(home)
        records.drain()
        records.scrub([*secrets])
        assert hits(home) == set()
        check_others(home, records, others)
        assert {path for path in conflicts if "harmless" in path} == set(records.conflicts())
        records.close()
        assert hits(home) == set()


def check_others(home: Path, records: LocalRecords, others: dict[str, bytes]) -> None:
    heads = {head.path: head.data for head in records.heads(stamp.path for stamp in records.walk())}
    assert heads == others
    assert [row["row"] for row in records.ledger.rows()] == ["op_1", "op_2", "op_forget"]
    assert [row.op_id for row in records.operations()] == ["op_1", "op_2", "op_forget"]
    assert list((home / "vault").rglob(".pellucid-*")) == []
    journal = apsw.Connection(str(home / "journal.db"))
    assert journal.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    journal.close()
