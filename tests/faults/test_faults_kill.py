"""Processes killed at any moment: what was acknowledged is there, once and whole, and nothing is half there."""

import json
import subprocess
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import get_args

import apsw
import kill_child
import pytest

from pellucid.store.local.failpoint import Step
from pellucid.store.local.vault.conflict import pending_review
from pellucid.store.local.vault.records import LocalRecords

pytestmark = pytest.mark.slow
KILLS = 50
STEPS: tuple[Step | None, ...] = (*get_args(Step), *(None,) * len(get_args(Step)))
"""Half of the processes die at a named step, the others at a moment of no one's choosing."""


class Model:
    """What the vault and ledger must hold, learnt from what the processes said."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.tokens: dict[str, str] = {}
        self.edited: dict[str, str] = {}
        """Paths the user may have saved over a write of ours, with the user's token: that one wins if it got there."""
        self.reviewed: set[str] = set()
        """Tokens of ours that may stand in a conflict file, because the user saved at the same time."""
        self.rows: list[str] = []
        self.acknowledged = 0
        self.removed = 0

    def learn(self, news: Iterable[dict[str, object]]) -> None:
        """Apply what one process said; its last attempt counts if, and only if, the journal has it."""
        attempt: dict[str, object] = {}
        for item in news:
            if "tries" in item:
                attempt = item
            elif "acknowledged" in item:
                self.acknowledged += 1
                self.apply(attempt)
                attempt = {}
            else:
                self.see_edit(item)
        if attempt and LocalRecords(self.home).operations(op_id=str(attempt["tries"])):
            self.apply(attempt)

    def apply(self, attempt: dict[str, object]) -> None:
        tokens: dict[str, str] = attempt["tokens"]  # type: ignore[assignment]
        rows: list[str] = attempt["rows"]  # type: ignore[assignment]
        removes: list[str] = attempt["removes"]  # type: ignore[assignment]
        for path in {*tokens, *removes} & self.edited.keys():
            self.review(path)
            del self.edited[path]
        self.tokens |= tokens
        for path in removes:
            del self.tokens[path]
        self.removed += len(removes)
        self.rows += rows

    def see_edit(self, item: dict[str, object]) -> None:
        path, token = str(item.get("edits") or item["edited"]), str(item["token"])
        if "edited" in item:
            self.review(path)
            self.tokens[path] = token
            self.edited.pop(path, None)
        else:
            self.edited[path] = token

    def review(self, path: str) -> None:
        """Our text at this path, if there was one, may have become a conflict file."""
        if path in self.tokens:
            self.reviewed.add(self.tokens[path])

    def check(self) -> None:
        records = LocalRecords(self.home, displaced_for_s=0)
        records.drain()
        heads = records.heads(stamp.path for stamp in records.walk())
        found = {head.path: kill_child.token_of(head.data or b"") for head in heads}
        for path, token in self.edited.items():
            if found.get(path) == token:
                self.review(path)
                self.tokens[path] = token
        self.edited.clear()
        assert found == self.tokens
        assert all(head.data == kill_child.text(found[head.path]) for head in heads)
        assert [(row["seq"], row["row"]) for row in records.ledger.rows()] == list(enumerate(self.rows, 1))
        self.check_conflicts(records.conflicts())
        records.close()
        self.check_leftovers()

    def check_conflicts(self, conflicts: list[str]) -> None:
        """A conflict file holds a whole text, and none is there without a cause."""
        for path in conflicts:
            data = (self.home / "vault" / path).read_bytes()
            token = kill_child.token_of(data)
            assert token in self.reviewed or token.startswith("user-")
            assert data in {kill_child.text(token), pending_review(kill_child.text(token))}

    def check_leftovers(self) -> None:
        vault = self.home / "vault"
        assert list(vault.rglob(".pellucid-*")) == []
        assert list(vault.glob(".pellucid/displaced/*")) == []
        journal = apsw.Connection(str(self.home / "journal.db"))
        assert journal.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert journal.execute("SELECT count(*) FROM entries WHERE state = 'PENDING'").fetchall() == [(0,)]
        journal.close()


def run_child(home: Path, seed: int, random: Random) -> tuple[list[dict[str, object]], bool]:
    """What one process said, and whether it was killed."""
    step = STEPS[seed % len(STEPS)]
    command = [sys.executable, kill_child.__file__, str(home), str(seed), step or ""]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as child:
        assert child.stdout
        said: list[bytes] = []
        if step is None:
            said += (child.stdout.readline() for _ in range(random.randint(0, 12)))
            with suppress(subprocess.TimeoutExpired):
                child.wait(timeout=random.random() * 0.02)
            child.kill()
        said += child.stdout.readlines()
    assert child.returncode in {0, -9}
    return [json.loads(line) for line in said if line.endswith(b"\n")], child.returncode == -9


@pytest.mark.requirement("STORE-1")
@pytest.mark.parametrize("stream", range(4))
def test_acknowledged_operations_survive_kill_9(tmp_path: Path, stream: int) -> None:
    random = Random(stream)
    model = Model(tmp_path)
    kills, seed = 0, stream * 1_000
    while kills < KILLS:
        news, killed = run_child(tmp_path, seed, random)
        model.learn(news)
        kills += killed
        seed += 1
        if random.random() < 0.7:  # else the next process recovers, and may be killed at that, too
            model.check()
    model.check()
    assert model.acknowledged > KILLS
    assert model.removed > KILLS
    print(
        f"{kills} kills, {model.acknowledged} acknowledged, {len(model.rows)} rows, {model.removed} removed, "
        f"{len(model.reviewed)} reviewed"
    )
