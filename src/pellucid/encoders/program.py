"""A program and words for it in, what it printed out: one bounded run, after which nothing of it goes on.

It runs without a shell, in an empty folder of its own that is deleted afterwards, in a session and process group of its
own, with no environment but the one given. When the program has ended, or its time or its output is over, its whole
group is killed. A child that made itself a session of its own is out of reach; it is not waited for.
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
from functools import partial
from tempfile import TemporaryDirectory
from threading import Thread
from typing import IO, Literal

LONGEST_OUTPUT = 1024 * 1024
"""Bytes that a program is allowed to print; it is stopped if there are more."""
_KEPT_COMPLAINT = 8 * 1024
_CHUNK = 64 * 1024


@dataclass(frozen=True, slots=True)
class ProgramRun:
    """The result of a run: how it ended, its exit code (negative: the signal that ended it), and its output.

    `complaint` is the end of its standard error. `ended`: by `itself`, stopped as `late`, or for too `long` an output.
    """

    ended: Literal["itself", "late", "long"]
    code: int
    out: bytes
    complaint: bytes


def run(argv: Sequence[str], words: bytes, environment: Mapping[str, str], deadline_s: float) -> ProgramRun:
    """Run a program once in an empty temporary folder, with `words` on its standard input, for at most `deadline_s`
    seconds; return how it ended and what it printed. `environment` is all of its environment. What is left of its
    process group at the end is killed.

    If its time is over, or it prints more than 1 MiB, it is killed, and `ProgramRun.ended` says so: nothing is raised.
    Of its standard error, the last 8 KiB are kept. Raises OSError if the program cannot be started.
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
        return _Conversation(process, words, deadline_s).run()


class _Conversation:
    """Writes to one process and reads from it, whichever of its pipes is ready, until it ends."""

    def __init__(self, process: "subprocess.Popen[bytes]", words: bytes, deadline_s: float) -> None:
        self._process = process
        self._words = memoryview(words)
        self._until = time.monotonic() + deadline_s
        self._out = bytearray()
        self._complaint = bytearray()
        self._selector = selectors.DefaultSelector()

    def run(self) -> ProgramRun:
        """Write and read until the process ends, its time is over or it has printed too much; then kill whatever is
        left of its group, and return how it ended and what it printed.
        """
        exit_reader, exit_writer = socket.socketpair()
        waiting = Thread(target=_signal_exit, args=(self._process, exit_writer), daemon=True)
        with exit_reader, exit_writer, self._selector:
            try:
                self._register_pipes(exit_reader)
                waiting.start()
                ended = self._move_bytes(exit_reader)
            finally:  # also where the user interrupts: nobody else would end the group
                _kill_group(self._process)
            waiting.join()
            if ended == "itself":
                self._read_rest()
                ended = "long" if len(self._out) > LONGEST_OUTPUT else ended
        return ProgramRun(ended, self._process.returncode, bytes(self._out), bytes(self._complaint))

    def _register_pipes(self, exit_reader: socket.socket) -> None:
        """Make the process's pipes non-blocking; have the selector watch them, and the socket that signals its end."""
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        for pipe in (process.stdin, process.stdout, process.stderr):
            os.set_blocking(pipe.fileno(), False)
        self._selector.register(process.stdin, selectors.EVENT_WRITE, self._write_input)
        self._selector.register(process.stdout, selectors.EVENT_READ, partial(self._read_available, into=self._out))
        read_complaint = partial(self._read_available, into=self._complaint)
        self._selector.register(process.stderr, selectors.EVENT_READ, read_complaint)
        self._selector.register(exit_reader, selectors.EVENT_READ)

    def _move_bytes(self, exit_reader: socket.socket) -> Literal["itself", "late", "long"]:
        """Write and read until the program ends by `itself`, its time is over (`late`), or it has printed more than 1
        MiB (`long`); return which.
        """
        while (left := self._until - time.monotonic()) > 0:
            for key, _ in self._selector.select(left):
                if key.fileobj is exit_reader:
                    return "itself"
                key.data(key.fileobj)
                if len(self._out) > LONGEST_OUTPUT:
                    return "long"
        return "late"

    def _write_input(self, pipe: IO[bytes]) -> None:
        """Write as much of the input as the pipe takes now, 64 KiB at most; close the pipe after the last of it, or if
        the program has closed its end.
        """
        try:
            self._words = self._words[os.write(pipe.fileno(), self._words[:_CHUNK]) :]
        except BlockingIOError:
            return
        except BrokenPipeError:  # it does not want to read it: what it prints is judged all the same
            self._words = self._words[:0]
        if not self._words:
            self._close(pipe)

    def _read_available(self, pipe: IO[bytes], into: bytearray) -> bool:
        """Read what is in a pipe now, 64 KiB at most, onto the end of `into`; return whether there was anything. At the
        end of the pipe it is closed. Of standard error only the last 8 KiB are kept.
        """
        try:
            data = os.read(pipe.fileno(), _CHUNK)
        except BlockingIOError:
            return False
        into += data
        if into is self._complaint:
            del into[:-_KEPT_COMPLAINT]
        if not data:
            self._close(pipe)
        return bool(data)

    def _close(self, pipe: IO[bytes]) -> None:
        """Close a pipe, and stop watching it."""
        self._selector.unregister(pipe)
        pipe.close()

    def _read_rest(self) -> None:
        """Read what the process had printed when it ended, at most 2 MiB from a pipe, without waiting for more: another
        process can still hold its pipes.
        """
        for pipe, into in ((self._process.stdout, self._out), (self._process.stderr, self._complaint)):
            for _ in range(2 * LONGEST_OUTPUT // _CHUNK):
                if pipe is None or pipe.closed or not self._read_available(pipe, into):
                    break


def _signal_exit(process: "subprocess.Popen[bytes]", exit_writer: socket.socket) -> None:
    """Wait for a process to end, then write a byte to a socket."""
    process.wait()
    with suppress(OSError):
        exit_writer.send(b"!")


def _kill_group(process: "subprocess.Popen[bytes]") -> None:
    """Kill all that is left of a process's group (SIGKILL); nothing happens if nothing is left."""
    with suppress(ProcessLookupError, PermissionError):  # all of it has ended already
        os.killpg(process.pid, signal.SIGKILL)
