"""A number of files in, one save of each out: an editor that saves file N about when the drain comes to file N.

Both count in shared memory, wait for each other before each file, and spin, because a wake-up would take longer than
the race lasts.
"""

import mmap
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

Save = Callable[[], None]


def spin(seconds: float) -> None:
    """Wait without letting go of the processor."""
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass


class Start:
    """Where two processes wait for each other before each file: side 0 is the drain, side 1 the editor."""

    def __init__(self, path: Path, side: int) -> None:
        with path.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), 16)
        self._mine, self._other = 8 * side, 8 * (1 - side)

    def come(self, number: int) -> None:
        """Be at file `number`, and wait until the other side is there or beyond."""
        self._map[self._mine : self._mine + 8] = (number + 1).to_bytes(8, "little")
        while int.from_bytes(self._map[self._other : self._other + 8], "little") < number + 1:
            os.sched_yield()


def theirs(number: int) -> bytes:
    """What the editor saves into file `number`."""
    return f"---\nid: {number}\nstatus: active\n---\n\nsaved by the user\n{number}\n".encode() * 20


def open_by_rename(path: Path, data: bytes) -> Save:
    """The way of most editors: a new file, ready beside the old one, takes its place."""
    new = path.with_name(f"{path.name}~")
    new.write_bytes(data)
    return lambda: os.replace(new, path)


def open_in_place(path: Path, data: bytes) -> Save:
    """The way of some: the file is opened, and later cut and written again."""
    file = path.open("r+b", buffering=0)

    def save() -> None:
        with file:
            file.truncate(0)
            file.write(data)

    return save


STYLES: dict[str, Callable[[Path, bytes], Save]] = {"rename": open_by_rename, "in-place": open_in_place}


def main(vault: Path, start: Start, style: str, files: int, seed: int) -> None:
    random = Random(seed)
    for number in range(files):
        path = vault / f"facts/{number:04}.md"
        opened_before = random.random() < 0.5
        save = STYLES[style](path, theirs(number)) if opened_before else None
        start.come(number)
        spin(random.random() * 400e-6)
        save = save or STYLES[style](path, theirs(number))
        save()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Start(Path(sys.argv[2]), 1), sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
