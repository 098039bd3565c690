"""A hundred sessions of an agent's program in, whatever has become of the server; all of them in memory later."""

import fcntl
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from kits.waiting import until
from pellucid.store.local.hooked import HookedSessions
from pellucid.surfaces.hooks.install import CLIENT

SESSIONS = 25
"""For each of the four things that can be wrong."""
EVENTS = ("SessionStart", "UserPromptSubmit", "Stop", "SessionEnd")


class Machine:
    """A user's folder and a home, and the sessions that ran there."""

    def __init__(self, folder: Path) -> None:
        self.user, self.home = folder / "user", folder / "home"
        self.transcripts = self.user / ".claude" / "projects" / "-work-crane"
        self.transcripts.mkdir(parents=True)
        self.home.mkdir(mode=0o700)
        self.ran: list[str] = []
        self.took: list[float] = []
        inherited = {key: value for key, value in os.environ.items() if not key.startswith("PELLUCID_")}  # noqa: TID251
        self.environment = inherited | {"HOME": str(self.user), "PELLUCID_NAMESPACE": "local/default"}

    def session(self, name: str, limit: Callable[[], None] | None = None) -> None:
        """One session from beginning to end, each of its events told by a client of its own."""
        path = self.transcripts / f"{name}.jsonl"
        self.ran.append(name)
        for number, event in enumerate(EVENTS):
            with path.open("a") as file:
                file.write(self._line(name, number))
            said = {"hook_event_name": event, "session_id": name, "transcript_path": str(path), "cwd": "/tmp"}
            said["prompt"] = f"what was decided about mooring {name} in the harbour?"
            begun = time.perf_counter()
            done = subprocess.run(
                [sys.executable, "-S", "-E", str(CLIENT), "claude-code", "--home", str(self.home)],
                input=json.dumps(said).encode(),
                env=self.environment,
                capture_output=True,
                timeout=20,
                check=False,
                preexec_fn=limit,
            )
            self.took.append(time.perf_counter() - begun)
            assert (done.returncode, done.stderr) == (0, b"")
            assert not done.stdout or json.loads(done.stdout)

    @staticmethod
    def _line(name: str, number: int) -> str:
        role = "user" if number % 2 else "assistant"
        text = f"We decided that mooring {name} is kept for the ferry, because its quay is deep."
        said = {
            "type": role,
            "uuid": f"{name}-{number}",
            "sessionId": name,
            "timestamp": f"2026-04-20T17:{number:02d}:00.000Z",
            "message": {"role": role, "content": text if number == 1 else f"Step {number} of {name} is done."},
        }
        return json.dumps(said) + "\n"

    def processes(self) -> list[int]:
        """What runs for this home."""
        found: list[int] = []
        for each in Path("/proc").iterdir():
            with suppress(OSError, ValueError):
                if str(self.home) in (each / "cmdline").read_bytes().decode():
                    found.append(int(each.name))
        return found

    def knocks(self) -> bool:
        """One more session, as there always is; whether a server is ready then."""
        self.session(f"knock-{len(self.ran)}")
        return self.server() is not None

    def server(self) -> int | None:
        """The process that serves, if it is ready."""
        with suppress(OSError, ValueError):
            return int(json.loads((self.home / "server.json").read_text())["pid"])
        return None


def no_room() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


@contextmanager
def dawdling(home: Path) -> Iterator[None]:
    """In the server's place something that takes every call, and says a byte now and then."""
    stop = Event()

    def dawdle(connection: socket.socket) -> None:
        with connection, suppress(OSError):
            for byte in b"HTTP/1.1 200 OK\r\n" * 10:
                if stop.wait(0.3):
                    return
                connection.sendall(bytes([byte]))

    def take(door: socket.socket) -> None:
        with suppress(OSError):
            while True:
                Thread(target=dawdle, args=(door.accept()[0],), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as door, (home / "server.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        told: dict[str, Any] = {"port": door.getsockname()[1], "pid": os.getpid(), "token": "pel_x"}
        (home / "server.json").write_text(json.dumps(told))
        Thread(target=take, args=(door,), daemon=True).start()
        yield
        stop.set()
        (home / "server.json").unlink()


@pytest.mark.slow
def test_hooks_hold_nobody_up_and_every_session_is_kept_in_the_end(
    tmp_path: Path, model_cache: Path, record_property: Callable[[str, object], None]
) -> None:
    pytest.importorskip("fastapi")
    machine = Machine(tmp_path)

    (machine.home / "models").symlink_to(model_cache.parent)

    with dawdling(machine.home):
        for number in range(SESSIONS):
            machine.session(f"slow-{number}")
    for number in range(SESSIONS):
        machine.session(f"full-{number}", no_room)
    for number in range(SESSIONS):  # the first of these starts the server, and the others do not
        machine.session(f"dead-{number}")
        assert len(machine.processes()) <= 1
    until(machine.knocks)
    pid = machine.server() or 0
    os.kill(pid, signal.SIGSTOP)
    for number in range(SESSIONS):
        machine.session(f"hung-{number}")
    assert machine.processes() == [pid]
    os.kill(pid, signal.SIGCONT)
    record_property("longest", max(machine.took))
    late = sum(took > 1 for took in machine.took)
    print(f"{len(machine.took)} events, the longest {max(machine.took):.3f} s, {late} above 1 s")

    sessions = HookedSessions(machine.home)
    size = {name: (machine.transcripts / f"{name}.jsonl").stat().st_size for name in machine.ran}
    until(lambda: {each.session_id: each.offset for each in sessions.known()} == size)
    kept = "\n".join(path.read_text() for path in (machine.home / "vault").rglob("*.md"))
    os.kill(pid, signal.SIGTERM)
    until(lambda: not machine.processes())
    missing = [name for name in machine.ran if f"mooring {name} is kept" not in kept]
    assert not missing
    assert len(machine.ran) > 4 * SESSIONS
