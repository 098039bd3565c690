"""A seed in, a stream of commits and drains out, told on standard output until somebody kills the process.

Imports as little as it can, because it is started hundreds of times.
"""

import json
import os
import signal
import sys
from pathlib import Path
from random import Random

from pellucid.store.local.failpoint import Step
from pellucid.store.local.vault.records import LocalRecords
from pellucid.store.records import FileRemoval, FileWrite, JournalOperation, content_digest

AT = ("2026-04-20T17:30:00.000Z", "2026-05-02T08:00:00.000Z")
MAX_FILES = 100


def text(token: str) -> bytes:
    """The only text a file may hold whose first line names this token: anything else is torn."""
    lines = Random(token).choice([1, 3, 30, 300])
    body = "".join(f"{token} line {number} of {lines}\n" for number in range(lines))
    return f"---\nid: {token}\nstatus: active\n---\n\n{body}end {token}\n".encode()


def token_of(data: bytes) -> str:
    """The token that the second line of a file names."""
    return data.split(b"\n", 2)[1].removeprefix(b"id: ").decode()


def say(**news: object) -> None:
    os.write(1, json.dumps(news).encode() + b"\n")


class Child:
    """One process of the test: commits, drains, and now and then edits a file as the user would."""

    def __init__(self, home: Path, seed: int, die_at: Step | None) -> None:
        self.random = Random(seed)
        self.vault = home / "vault"
        self.seed = seed
        self.die_at = die_at
        self.lives = self.random.randint(1, 4)
        self.records = LocalRecords(home, displaced_for_s=self.random.choice([0, 0, 60]), failpoint=self.step)
        self.swapping: list[str] = []
        self.removing: list[str] = []

    def step(self, step: Step) -> None:
        if step == "swap-named" and self.swapping and self.random.random() < 0.2:
            self.edit_as_user(self.swapping)
        if step == "taken-away" and self.removing and self.random.random() < 0.2:
            self.edit_as_user(self.removing)
        if step == self.die_at:
            self.lives -= 1
            if not self.lives:
                os.kill(os.getpid(), signal.SIGKILL)

    def edit_as_user(self, paths: list[str]) -> None:
        path = self.random.choice(paths)
        token = f"user-{self.seed}-{self.random.getrandbits(32):08x}"
        say(edits=path, token=token)
        new = self.vault / f"{path}~"
        new.write_bytes(text(token))
        new.replace(self.vault / path)
        say(edited=path, token=token)

    def run(self, operations: int) -> None:
        self.records.drain()
        for number in range(operations):
            self.commit(number)
            if self.random.random() < 0.5:
                self.records.drain()
                self.swapping, self.removing = [], []

    def commit(self, number: int) -> None:
        name = f"op_{self.seed}_{number}"
        existing = [stamp.path for stamp in self.records.walk()]
        changed = self.random.sample(existing, min(len(existing), self.random.choice([0, 1, 2, 4, 24])))
        gone = self.random.choice([0, 0, 1, len(changed) // 3])
        removed, edited = changed[:gone], changed[gone:]
        room = max(0, MAX_FILES - len(existing))
        new = [f"facts/2026-0{i % 3}/{name}-{i}.md" for i in range(min(room, self.random.choice([0, 1, 1, 4, 25])))]
        bases, doomed = self.digests(edited), self.digests(removed)
        tokens = {path: f"{name}-{i}" for i, path in enumerate((*bases, *new))}
        rows = [f"{name}-row-{i}" for i in range(self.random.choice([0, 1, 3]))]
        writes = tuple(FileWrite(path, text(token), bases.get(path)) for path, token in tokens.items())
        ledger: tuple[dict[str, object], ...] = tuple({"row": row} for row in rows)
        removals = tuple(FileRemoval(path, digest) for path, digest in doomed.items())
        say(tries=name, tokens=tokens, rows=rows, removes=list(doomed))
        self.records.commit(JournalOperation(name, "update", self.random.choice(AT), writes, ledger, removals=removals))
        say(acknowledged=name)
        self.swapping, self.removing = list(bases), list(doomed)

    def digests(self, paths: list[str]) -> dict[str, str]:
        """Those of these paths that have a text, also one that waits, with its digest."""
        return {head.path: content_digest(head.data) for head in self.records.heads(paths) if head.data is not None}


if __name__ == "__main__":
    Child(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3] or None).run(operations=8)  # type: ignore[arg-type]
