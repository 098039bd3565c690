"""A home in, its drain and scrub out, until somebody kills the process."""

import os
import signal
import sys
from pathlib import Path
from random import Random

from pellucid.store.local.failpoint import Step
from pellucid.store.local.vault.records import LocalRecords


def main(home: Path, seed: int, die_at: str, paths: list[str]) -> None:
    random = Random(seed)
    lives = random.randint(1, 6)

    def step(now: Step) -> None:
        nonlocal lives
        lives -= now == die_at
        if not lives:
            os.kill(os.getpid(), signal.SIGKILL)

    records = LocalRecords(home, displaced_for_s=random.choice([0, 60]), failpoint=step)
    print("open", flush=True)
    records.drain()
    records.scrub(paths)
    records.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4:])
