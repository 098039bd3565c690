"""A program and words for it in, what it printed out: one bounded run, after which nothing of it goes on.

It runs without a shell, in an empty folder of its own that is gone afterwards, in a session and process group of its
own, with no environment but the one given. When it has ended, or its time or its output is over, its whole group is
killed. A child that made itself a session of its own is out of reach; it is not waited for.
"""

import os
import selectors
import signal
import socket
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from tempfile import TemporaryDirectory
from threading import Thread
from typing import IO, Literal

LONGEST_OUTPUT = 1024 * 1024
"""Bytes a program may print; it is ended when there are more."""
_KEPT_COMPLAINT = 8 * 1024
_CHUNK = 64 * 1024


@dataclass(frozen=True, slots=True)
class ProgramRun:
    """What came of a run: how it ended, its exit code (negative: the signal that ended it), and what it printed.

    `complaint` is the end of its standard error.
    """

    ended: Literal["itself", "late", "long"]
    code: int
    out: bytes
    complaint: bytes


def run(argv: Sequence[str], words: bytes, environment: Mapping[str, str], deadline_s: float) -> ProgramRun:
    """Give a program words on its standard input, and read what it prints.

    Raises:
        OSError: it cannot be started.
    """
    with (
        TemporaryDirectory(prefix="pellucid-", ignore_cleanup_errors=True) as folder,
        subprocess.Popen(  # noqa: S603 - no shell; the words are not among the arguments
            list(argv),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            cwd=folder,
            env=dict(environment),
            start_new_session=True,
        ) as process,
    ):
        return _Listener(process, words, deadline_s).listen()


class _Listener:
    """Feeds one process and reads it, whichever of its pipes is ready, until it ends."""

    def __init__(self, process: "subprocess.Popen[bytes]", words: bytes, deadline_s: float) -> None:
        self._process = process
        self._words = memoryview(words)
        self._until = time.monotonic() + deadline_s
        self._out = bytearray()
        self._complaint = bytearray()
        self._selector = selectors.DefaultSelector()

    def listen(self) -> ProgramRun:
        """Until the process ends, its time or its output is over; then nothing of its group is left."""
        bell, rope = socket.socketpair()
        waiting = Thread(target=_ring_at_end, args=(self._process, rope), daemon=True)
        with bell, rope, self._selector:
            try:
                self._register_pipes(bell)
                waiting.start()
                ended = self._move_bytes(bell)
            finally:  # also where the user interrupts: nobody else would end the group
                _kill(self._process)
            waiting.join()
            if ended == "itself":
                self._take_rest()
                ended = "long" if len(self._out) > LONGEST_OUTPUT else ended
        return ProgramRun(ended, self._process.returncode, bytes(self._out), bytes(self._complaint))

    def _register_pipes(self, bell: socket.socket) -> None:
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        for pipe in (process.stdin, process.stdout, process.stderr):
            os.set_blocking(pipe.fileno(), False)
        self._selector.register(process.stdin, selectors.EVENT_WRITE, self._write_input)
        self._selector.register(process.stdout, selectors.EVENT_READ, self._take_out)
        self._selector.register(process.stderr, selectors.EVENT_READ, self._take_complaint)
        self._selector.register(bell, selectors.EVENT_READ)

    def _move_bytes(self, bell: socket.socket) -> Literal["itself", "late", "long"]:
        """Feed and read the program until it ends by `itself`, it is `late`, or what it printed is too `long`."""
        while (left := self._until - time.monotonic()) > 0:
            for key, _ in self._selector.select(left):
                if key.fileobj is bell:
                    return "itself"
                key.data(key.fileobj)
                if len(self._out) > LONGEST_OUTPUT:
                    return "long"
        return "late"

    def _write_input(self, pipe: IO[bytes]) -> None:
        try:
            self._words = self._words[os.write(pipe.fileno(), self._words[:_CHUNK]) :]
        except BlockingIOError:
            return
        except BrokenPipeError:  # it does not want to read it: what it prints is judged all the same
            self._words = self._words[:0]
        if not self._words:
            self._let_go(pipe)

    def _take_out(self, pipe: IO[bytes]) -> bool:
        return self._read_output(pipe, self._out)

    def _take_complaint(self, pipe: IO[bytes]) -> bool:
        taken = self._read_output(pipe, self._complaint)
        del self._complaint[:-_KEPT_COMPLAINT]
        return taken

    def _read_output(self, pipe: IO[bytes], into: bytearray) -> bool:
        """Read what is there; whether there may be more."""
        try:
            data = os.read(pipe.fileno(), _CHUNK)
        except BlockingIOError:
            return False
        into += data
        if not data:
            self._let_go(pipe)
        return bool(data)

    def _let_go(self, pipe: IO[bytes]) -> None:
        self._selector.unregister(pipe)
        pipe.close()

    def _take_rest(self) -> None:
        """What the process had printed when it ended, and no more: somebody else may still hold its pipes."""
        for pipe, take in ((self._process.stdout, self._take_out), (self._process.stderr, self._take_complaint)):
            for _ in range(2 * LONGEST_OUTPUT // _CHUNK):
                if pipe is None or pipe.closed or not take(pipe):
                    break


def _ring_at_end(process: "subprocess.Popen[bytes]", rope: socket.socket) -> None:
    process.wait()
    with suppress(OSError):
        rope.send(b"!")


def _kill(process: "subprocess.Popen[bytes]") -> None:
    with suppress(ProcessLookupError, PermissionError):  # all of it has ended already
        os.killpg(process.pid, signal.SIGKILL)
