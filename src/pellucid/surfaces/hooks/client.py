"""One event of an agent's program in, what its hook is to print out: a small program that needs nothing else of ours.

It is run for every prompt, so it imports as little as it can. Whatever happens, it exits with success within a second.
If no server answers, it stores the event for one in a file, and starts a server.
"""

import fcntl
import json
import os
import signal
import socket
import sys
import time
from contextlib import suppress
from typing import Any, NoReturn, cast

LIMIT_S = 0.8
"""Seconds after which it gives up, counted from the start of its process, which takes some of them."""
_LEAST_S = 0.15
"""Seconds that it has in any case."""
_LAST_S = 0.1
"""Seconds to store the event and start a server in, when the others are over."""
_MOST_IN, _MOST_OUT = 4 * 1024 * 1024, 256 * 1024
_MOST_WAITING = 2_000
_STORED = ("hook_event_name", "session_id", "conversation_id", "transcript_path", "cwd", "workspace_roots", "source")
"""The fields of an event that are stored for a server: they say where the text is, and hold none of it."""
_SESSION_CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-"


class _TimeIsUp(BaseException):
    """The time of this process is over."""


class _RefusedError(Exception):
    """The server answered, and did not accept the event."""


def main() -> NoReturn:
    """Handle the event on standard input, for the agent's program that the first argument names, such as `cursor`.

    It ends the process within a second and always with exit code 0, whatever failed.
    """
    try:
        _set_alarm(max(LIMIT_S - _process_age(), _LEAST_S))
        host, home = _parse_arguments(sys.argv[1:])
        _handle_event(host, home)
    finally:  # no error may disturb the agent
        os._exit(0)


def _handle_event(host: str, home: str) -> None:
    """Print the server's answer to the event, nothing if it is empty; if no answer comes, store the event.

    If no server runs, start one, too. `host` is the agent's program, such as `cursor`. An event without a session only
    prints a remark.
    """
    event = _read_event()
    if not _session_id(event):
        _print_message(host, "pellucid: this hook was told of no session, and did nothing")
        return
    answer, problem = _answer(host, home, event)
    if answer is not None:
        if answer:
            _write_json(answer)
        return
    is_stored = _store_event(home, host, event)
    if problem:
        rest = "the session is noted for later" if is_stored else "nor could the session be noted for later"
        _print_message(host, f"pellucid: {problem}; {rest}")
        return
    _start_server(home)
    _print_message(host, _take_notice(home))


def _answer(host: str, home: str, event: dict[str, Any]) -> tuple[dict[str, Any] | None, str]:
    """The JSON that the server has this hook print (empty: nothing), and "".

    If there is no answer, None and the problem, such as `no answer in time`; the problem is "" if no server runs.
    """
    try:
        server = running_server(home)
        return (_server_answer(server, host, event) if server else None), ""
    except ConnectionRefusedError:
        return None, ""  # the server of the file has ended
    except (TimeoutError, _TimeIsUp):
        return None, "no answer in time"
    except _RefusedError:
        return None, "the server did not take this"
    except (OSError, ValueError, KeyError, TypeError):
        return None, "no answer that can be read"


def _read_event() -> dict[str, Any]:
    """The JSON object on standard input, of its first 4 MiB; empty if there is none, or not in time."""
    try:
        event: object = json.loads(sys.stdin.buffer.read(_MOST_IN))
    except (OSError, ValueError, RecursionError, _TimeIsUp):
        return {}
    return cast("dict[str, Any]", event) if isinstance(event, dict) else {}


def _session_id(event: dict[str, Any]) -> str:
    """The `session_id` or `conversation_id` of the event; "" if it has none that can be a file's name."""
    name = event.get("session_id") or event.get("conversation_id")
    fits = isinstance(name, str) and 0 < len(name) <= 64 and not set(name) - set(_SESSION_CHARACTERS)
    return str(name) if fits else ""


def _set_alarm(seconds: float) -> None:
    """Have `_TimeIsUp` raised in this process after so many seconds, whatever it is doing."""

    def stop(_number: int, _frame: object) -> NoReturn:
        """The signal handler: raise `_TimeIsUp`."""
        raise _TimeIsUp

    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)


def _process_age() -> float:
    """Seconds since this process was started; 0.05 if the system does not tell."""
    try:
        with open("/proc/self/stat", "rb") as file:
            began = int(file.read().rpartition(b")")[2].split()[19]) / os.sysconf("SC_CLK_TCK")
        return time.clock_gettime(time.CLOCK_BOOTTIME) - began
    except (OSError, ValueError, AttributeError):
        return 0.05


def _parse_arguments(given: list[str]) -> tuple[str, str]:
    """The agent program's name, and the home's absolute path: `--home`, else `PELLUCID_HOME`, else `~/.pellucid`.

    Removes `--home` and its value from `given`.
    """
    home = os.environ.get("PELLUCID_HOME") or "~/.pellucid"  # noqa: TID251 - it reads no settings: this is all it needs
    if "--home" in given:
        at = given.index("--home")
        home = given[at + 1]
        del given[at : at + 2]
    return given[0], os.path.abspath(os.path.expanduser(home))


def running_server(home: str) -> dict[str, Any] | None:
    """The content of the home's `server.json`: `host`, `port` and `token`; None if no server runs or the file cannot be
    parsed. A running server holds its lock. The file of a dead one may name a port that is somebody else's by now.
    """
    if not is_held(os.path.join(home, "server.lock")):
        return None
    try:
        with open(os.path.join(home, "server.json"), "rb") as file:
            return json.loads(file.read(_MOST_OUT))
    except (FileNotFoundError, ValueError):
        return None


def _server_answer(server: dict[str, Any], host: str, event: dict[str, Any]) -> dict[str, Any]:
    """Send the event to the server, and return the JSON that it has this hook print, {} for nothing.

    `_RefusedError` if it does not accept the event; `OSError` or `ValueError` if it does not answer, or not with JSON.
    """
    body = json.dumps({"event": event}).encode()
    head = (
        f"POST /v1/hooks/{host} HTTP/1.1\r\nHost: 127.0.0.1:{int(server['port'])}\r\nConnection: close\r\n"
        f"Authorization: Bearer {server['token']}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", int(server["port"])), LIMIT_S) as connection:
        connection.sendall(head.encode() + body)
        response = bytearray()
        while (part := connection.recv(65_536)) and len(response) < _MOST_OUT:
            response += part
    head_lines, _, content = bytes(response).partition(b"\r\n\r\n")
    version, _, status = head_lines.split(b"\r\n")[0].partition(b" ")
    if version.startswith(b"HTTP/") and not status.startswith(b"200"):
        raise _RefusedError
    return json.loads(content).get("print") or {}


def _store_event(home: str, host: str, event: dict[str, Any]) -> bool:
    """Write where the event's session is, not its text, to the session's one file, in place of an earlier event.

    False if it cannot be written, or 2,000 sessions wait already.
    """
    signal.setitimer(signal.ITIMER_REAL, _LAST_S)
    session, folder = _session_id(event), os.path.join(home, "hooks", "waiting")
    draft = os.path.join(folder, f".{session}.{os.getpid()}")
    try:
        for each in (home, os.path.dirname(folder), folder):
            if not os.path.isdir(each):
                os.mkdir(each, 0o700)
        if len(os.listdir(folder)) >= _MOST_WAITING:
            return False
        fields = {name: event[name] for name in _STORED if name in event}
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with open(descriptor, "wb", buffering=0) as file:
            file.write(json.dumps({"host": host, "at": time.time(), "event": fields}).encode())
        os.replace(draft, os.path.join(folder, f"{host}_{session}.json"))
    except OSError:  # such as a full disk: the server finds the transcript beside others
        with suppress(OSError):
            os.unlink(draft)
        return False
    return True


def _start_server(home: str) -> None:
    """Start a server for the home in the background, with the home as its folder: the agent's is not to be trusted.

    It inherits the lock that is taken here and holds it as long as it lives, so that there are never two.
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
        pass  # another process starts it already, or nothing can be written


def is_held(lock: str) -> bool:
    """Whether some process holds an exclusive lock on this file; False if the file cannot be opened."""
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


def _take_notice(home: str) -> str:
    """The first 500 characters of the notice in the home, which is shown once; "" if there is none, or it was taken
    before.
    """
    path = os.path.join(home, "hooks", "notice")
    try:
        os.rename(path, f"{path}.told")
        with open(f"{path}.told", encoding="utf-8") as file:
            return file.read(500).strip()
    except OSError:
        return ""


def _print_message(host: str, line: str) -> None:
    """Have the agent's program show a line to the user; nothing for "", nor for Cursor, which shows none."""
    if line and host != "cursor":
        _write_json({"systemMessage": line})


def _write_json(answer: dict[str, Any]) -> None:
    """Write a JSON object to standard output, unbuffered."""
    left = json.dumps(answer).encode()
    while left:
        left = left[os.write(1, left) :]


if __name__ == "__main__":
    main()
