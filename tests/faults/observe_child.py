"""A home, a model cache, a transcript and a step in; a session observed, or the process dead at that step, out."""

import os
import signal
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pellucid.app
from pellucid.memory.indexer import Indexer
from pellucid.operations.session import intake
from pellucid.operations.session.observing import ObserveInput, Observer
from pellucid.settings import load
from pellucid.store.local.failpoint import Step
from pellucid.store.local.spool import LocalSpool
from pellucid.store.local.vault.records import LocalRecords

CHUNK = 3
AROUND: dict[str, tuple[Any, str]] = {
    "spool": (LocalSpool, "append"),
    "extract": (intake, "observe"),
    "commit": (LocalRecords, "commit"),
    "drain": (LocalRecords, "drain"),
    "fold": (Indexer, "catch_up"),
    "drop": (LocalSpool, "drop"),
    "close": (LocalSpool, "close"),
}
"""What is done between one step and the next; a process may die before and after each."""


class Fate:
    """Kills the process the nth time it comes to a step."""

    def __init__(self, die_at: str, lives: int) -> None:
        self.die_at = die_at
        self.lives = lives
        self.armed = False

    def at(self, step: str) -> None:
        if self.armed and step == self.die_at:
            self.lives -= 1
            if not self.lives:
                os.kill(os.getpid(), signal.SIGKILL)

    def around(self, name: str, owner: Any, attribute: str) -> None:
        inner: Callable[..., object] = getattr(owner, attribute)

        def run(*arguments: object, **named: object) -> object:
            self.at(f"before-{name}")
            done = inner(*arguments, **named)
            self.at(f"after-{name}")
            return done

        setattr(owner, attribute, run)


def main(home: str, models: str, transcript: str, die_at: str, lives: str) -> None:
    fate = Fate(die_at, int(lives))

    def step(name: Step) -> None:
        fate.at(name)

    pellucid.app.LocalRecords = partial(LocalRecords, failpoint=step)  # type: ignore[misc,assignment]
    app = pellucid.app.open_app(load(home=home), models=Path(models))
    app.unit_of_work.take_over_edits()
    app.spool.waiting()
    print("open", flush=True)
    fate.armed = True
    for name, (owner, attribute) in AROUND.items():
        fate.around(name, owner, attribute)
    observer = Observer(app, ObserveInput(namespace="local/default", session_id="s", flush="session_end"))
    lines = Path(transcript).read_text("utf-8").splitlines(keepends=True)
    for at in range(0, len(lines), CHUNK):
        observer.take(lines[at : at + CHUNK])
    observer.finish()
    app.close()
    print("done", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
