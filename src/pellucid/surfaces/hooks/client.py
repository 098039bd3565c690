"""One event of an agent's program in, what its hook is to print out: a small program that needs nothing else of ours.

It is run for every prompt, so it imports as little as it can, and never holds anybody up: whatever happens, it ends
within a second and says that all is well. Where no server answers, it leaves word for one, and starts it.
"""

import fcntl
import json
import os
import signal
import socket
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import Any, NoReturn, cast

LIMIT_S = 0.8
"""Seconds after which it gives up, from when its process began; a busy machine takes some of them to begin."""
_LEAST_S = 0.15
"""Seconds that it has in any case."""
_LAST_S = 0.1
"""Seconds to leave word in, when the others are over."""
_MOST_IN, _MOST_OUT = 4 * 1024 * 1024, 256 * 1024
_MOST_WAITING = 2_000
_LEFT = ("hook_event_name", "session_id", "conversation_id", "transcript_path", "cwd", "workspace_roots", "source")
"""What is left for a server of an event: where the words are, and none of them."""
_NAME = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-"


class _TimeIsUp(BaseException):
    """The second is over."""


class _RefusedError(Exception):
    """The server answered, and did not take the event."""


def main() -> NoReturn:
    """Deal with the event on the standard input, whose program the first argument names; then leave, with success."""
    try:
        _until(max(LIMIT_S - _age(), _LEAST_S))
        host, home = _arguments(sys.argv[1:])
        _deal(host, home)
    finally:  # an agent is at work: nothing that goes wrong here may reach it
        os._exit(0)


def _deal(host: str, home: str) -> None:
    """Have the server answer an event and print that, or leave word of it and start a server."""
    event = _event()
    if not _session(event):
        _print(host, "pellucid: this hook was told of no session, and did nothing")
        return
    answer, trouble = _answer(host, home, event)
    if answer is not None:
        if answer:
            _write(answer)
        return
    is_left = _leave(home, host, event)
    if trouble:
        rest = "the session is noted for later" if is_left else "nor could the session be noted for later"
        _print(host, f"pellucid: {trouble}; {rest}")
        return
    _start(home)
    _print(host, _notice(home))


def _answer(host: str, home: str, event: dict[str, Any]) -> tuple[dict[str, Any] | None, str]:
    """What the server says is to be printed, or why it does not say; neither where there is no server."""
    try:
        server = _server(home)
        return (_server_answer(server, host, event) if server else None), ""
    except ConnectionRefusedError:
        return None, ""  # what wrote the file is gone
    except (TimeoutError, _TimeIsUp):
        return None, "no answer in time"
    except _RefusedError:
        return None, "the server did not take this"
    except (OSError, ValueError, KeyError, TypeError):
        return None, "no answer that can be read"


def _event() -> dict[str, Any]:
    """What the program tells; nothing where it tells no JSON object, or not in time."""
    try:
        said: object = json.loads(sys.stdin.buffer.read(_MOST_IN))
    except (OSError, ValueError, RecursionError, _TimeIsUp):
        return {}
    return cast("dict[str, Any]", said) if isinstance(said, dict) else {}


def _session(event: dict[str, Any]) -> str:
    """The session's name, if it is one that a file may have."""
    name = event.get("session_id") or event.get("conversation_id")
    fits = isinstance(name, str) and 0 < len(name) <= 64 and not set(name) - set(_NAME)
    return str(name) if fits else ""


def _until(seconds: float) -> None:
    """Have `_TimeIsUp` raised in this process once so many seconds have passed, whatever it is doing."""

    def stop(_number: int, _frame: object) -> NoReturn:
        raise _TimeIsUp

    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)


def _age() -> float:
    """Seconds since this process began, where the system tells; else what beginning usually takes."""
    try:
        with open("/proc/self/stat", "rb") as file:
            began = int(file.read().rpartition(b")")[2].split()[19]) / os.sysconf("SC_CLK_TCK")
        return time.clock_gettime(time.CLOCK_BOOTTIME) - began
    except (OSError, ValueError, AttributeError):
        return 0.05


def _arguments(given: list[str]) -> tuple[str, str]:
    """The program's name and the home's folder; takes `--home` out of `given`."""
    home = os.environ.get("PELLUCID_HOME") or "~/.pellucid"  # noqa: TID251 - it reads no settings: this is all it needs
    if "--home" in given:
        at = given.index("--home")
        home = given[at + 1]
        del given[at : at + 2]
    return given[0], os.path.abspath(os.path.expanduser(home))


def _server(home: str) -> dict[str, Any] | None:
    """Where the server of the home listens, as it wrote down for those who may read the home; None if none runs.

    A server holds its lock as long as it lives: what it wrote before it died may name somebody else's port by now.
    """
    if not is_held(os.path.join(home, "server.lock")):
        return None
    try:
        with open(os.path.join(home, "server.json"), "rb") as file:
            return json.loads(file.read(_MOST_OUT))
    except (FileNotFoundError, ValueError):
        return None


def _server_answer(server: dict[str, Any], host: str, event: dict[str, Any]) -> dict[str, Any]:
    """What a server says is to be printed.

    Raises:
        _RefusedError: it does not take the event.
        OSError, ValueError: it does not say.
    """
    body = json.dumps({"event": event}).encode()
    head = (
        f"POST /v1/hooks/{host} HTTP/1.1\r\nHost: 127.0.0.1:{int(server['port'])}\r\nConnection: close\r\n"
        f"Authorization: Bearer {server['token']}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", int(server["port"])), LIMIT_S) as connection:
        connection.sendall(head.encode() + body)
        said = bytearray()
        while (part := connection.recv(65_536)) and len(said) < _MOST_OUT:
            said += part
    first, _, content = bytes(said).partition(b"\r\n\r\n")
    version, _, status = first.split(b"\r\n")[0].partition(b" ")
    if version.startswith(b"HTTP/") and not status.startswith(b"200"):
        raise _RefusedError
    return json.loads(content).get("print") or {}


def _leave(home: str, host: str, event: dict[str, Any]) -> bool:
    """Leave word of the session: a file of its own, so that what waits does not grow with what is said."""
    signal.setitimer(signal.ITIMER_REAL, _LAST_S)
    session, folder = _session(event), os.path.join(home, "hooks", "waiting")
    draft = os.path.join(folder, f".{session}.{os.getpid()}")
    try:
        for each in (home, os.path.dirname(folder), folder):
            if not os.path.isdir(each):
                os.mkdir(each, 0o700)
        if len(os.listdir(folder)) >= _MOST_WAITING:
            return False
        left = {"host": host, "at": time.time(), "event": {name: event[name] for name in _LEFT if name in event}}
        with _new(draft) as descriptor:
            os.write(descriptor, json.dumps(left).encode())
        os.replace(draft, os.path.join(folder, f"{host}_{session}.json"))
    except OSError:  # a full disk: the transcript is found beside others
        with suppress(OSError):
            os.unlink(draft)
        return False
    return True


@contextmanager
def _new(path: str) -> Generator[int]:
    """A new file of one's own, as a descriptor; nothing may stand there yet."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _start(home: str) -> None:
    """Start what serves the home, on its own and from the home: nothing in the agent's folder has a say in it.

    It is given the lock that is held here, and keeps it as long as it lives, so there are never two.
    """
    signal.setitimer(signal.ITIMER_REAL, _LAST_S)
    try:
        if is_held(os.path.join(home, "server.lock")):
            return
        lock = os.open(os.path.join(home, "hooks", "start.lock"), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.set_inheritable(lock, True)
        os.chdir(home)
        nowhere = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in range(3)]
        command = [sys.executable, "-P", "-m", "pellucid", "hooks", "work", "--home", home]
        os.posix_spawn(command[0], command, os.environ, file_actions=nowhere, setsid=True)  # noqa: TID251 - see above
    except OSError:
        pass  # somebody starts it already, or nothing can be written


def is_held(lock: str) -> bool:
    """Whether some process holds a lock file."""
    try:
        descriptor = os.open(lock, os.O_RDONLY | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False


def _notice(home: str) -> str:
    """What the user should know of the installation, once."""
    path = os.path.join(home, "hooks", "notice")
    try:
        os.rename(path, f"{path}.told")
        with open(f"{path}.told", encoding="utf-8") as file:
            return file.read(500).strip()
    except OSError:
        return ""


def _print(host: str, line: str) -> None:
    if line and host != "cursor":
        _write({"systemMessage": line})


def _write(said: dict[str, Any]) -> None:
    left = json.dumps(said).encode()
    while left:
        left = left[os.write(1, left) :]


if __name__ == "__main__":
    main()
