"""One event of an agent's program in, the output of its hook out: a small program that imports nothing else of ours.

It is run for every prompt, so it imports as little as possible. Whatever happens, it exits with success within a
second. If no server answers, it stores the event for the next server in a file, and starts a server.
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
"""Seconds, from the start of the process, after which it gives up."""
_LEAST_S = 0.15
"""Seconds that it has even if the start of the process took longer."""
_LAST_S = 0.1
"""Seconds for storing the event and starting a server, after the others are over."""
_MOST_IN, _MOST_OUT = 4 * 1024 * 1024, 256 * 1024
_MOST_WAITING = 2_000
_STORED = ("hook_event_name", "session_id", "conversation_id", "transcript_path", "cwd", "workspace_roots", "source")
"""The fields of an event that are stored for a server: they say where the session's text is, and contain none of it."""
_SESSION_CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-"


class _TimeIsUp(BaseException):
    """The time of this process is over."""


class _RefusedError(Exception):
    """The server answered that it does not accept the event."""


def main() -> NoReturn:
    """Have the running server handle the event on standard input, and print its answer. If no answer comes, the fields
    of the event that say where its session's text is are stored for the next server; if no server runs, one is started.
    The first argument names the agent's program, such as `cursor`, `--home` the home. The process ends within a second
    and always with exit code 0, whatever failed.
    """
    try:
        _set_alarm(max(LIMIT_S - _process_age(), _LEAST_S))
        host, home = _parse_arguments(sys.argv[1:])
        _handle_event(host, home)
    finally:  # no error may disturb the agent
        os._exit(0)


def _handle_event(host: str, home: str) -> None:
    """Read the event and print the server's answer to it, unless that is empty. If no answer comes, store for the next
    server where the session's text is (`_store_event`), and print the problem.

    If no server runs, start one and print the home's notice, if there is one, instead of a problem. `host` is the
    agent's program, such as `cursor`. For an event without a session, only print a remark.
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
        outcome = "the session is noted for later" if is_stored else "nor could the session be noted for later"
        _print_message(host, f"pellucid: {problem}; {outcome}")
        return
    _start_server(home)
    _print_message(host, _take_notice(home))


def _answer(host: str, home: str, event: dict[str, Any]) -> tuple[dict[str, Any] | None, str]:
    """Ask the home's running server about the event; return a pair of the JSON to print (empty: nothing) and "". If
    there is no answer, return None and the problem, such as `no answer in time`; the problem is "" if no server runs.
    No error is raised for a server that fails.
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
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None, "no answer that can be read"


def _read_event() -> dict[str, Any]:
    """Read the JSON object on standard input, its first 4 MiB; empty if it is not a JSON object, or does not come in
    time.
    """
    try:
        event: object = json.loads(sys.stdin.buffer.read(_MOST_IN))
    except (OSError, ValueError, RecursionError, _TimeIsUp):
        return {}
    return cast("dict[str, Any]", event) if isinstance(event, dict) else {}


def _session_id(event: dict[str, Any]) -> str:
    """Return the event's `session_id`, else its `conversation_id`; "" unless it is 1 to 64 ASCII letters, digits or
    dashes.
    """
    name = event.get("session_id") or event.get("conversation_id")
    fits = isinstance(name, str) and 0 < len(name) <= 64 and not set(name) - set(_SESSION_CHARACTERS)
    return str(name) if fits else ""


def _set_alarm(seconds: float) -> None:
    """Set a timer that raises `_TimeIsUp` in this process after so many seconds, whatever it is doing."""

    def stop(_number: int, _frame: object) -> NoReturn:
        """Raise `_TimeIsUp`, as the signal's handler."""
        raise _TimeIsUp

    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)


def _process_age() -> float:
    """Return the seconds since this process was started; 0.05 if the system does not say."""
    try:
        with open("/proc/self/stat", "rb") as file:
            began = int(file.read().rpartition(b")")[2].split()[19]) / os.sysconf("SC_CLK_TCK")
        return time.clock_gettime(time.CLOCK_BOOTTIME) - began
    except (OSError, ValueError, AttributeError):
        return 0.05


def _parse_arguments(arguments: list[str]) -> tuple[str, str]:
    """Return the agent program's name and the home's path: `--home`, else `PELLUCID_HOME`, else `~/.pellucid`. Removes
    `--home` and its value from `arguments`; `IndexError` if the name or that value is missing.
    """
    home = os.environ.get("PELLUCID_HOME") or "~/.pellucid"  # noqa: TID251 - it reads no settings: this is all it needs
    if "--home" in arguments:
        at = arguments.index("--home")
        home = arguments[at + 1]
        del arguments[at : at + 2]
    return arguments[0], os.path.abspath(os.path.expanduser(home))


def running_server(home: str) -> dict[str, Any] | None:
    """Return the content of the home's `server.json` (`host`, `port`, `token`); None if no server runs, or the file is
    missing or not JSON; `OSError` if it cannot be read. A running server holds its lock: the file of a dead one can
    name a port that another program uses by now.
    """
    if not is_held(os.path.join(home, "server.lock")):
        return None
    try:
        with open(os.path.join(home, "server.json"), "rb") as file:
            return json.loads(file.read(_MOST_OUT))
    except (FileNotFoundError, ValueError, RecursionError):
        return None


def _server_answer(server: dict[str, Any], host: str, event: dict[str, Any]) -> dict[str, Any]:
    """Send the event to the server, and return the JSON that this hook prints, {} for nothing. `_RefusedError` if the
    server's status is not 200; `OSError` (`TimeoutError` too) or `ValueError` if no JSON object of up to 256 KiB comes;
    `KeyError` if `server` lacks its port or token; `RecursionError` if what is sent is nested too deeply.
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
    answer: object = json.loads(content)
    printed: object = (cast("dict[str, object]", answer).get("print") or {}) if isinstance(answer, dict) else None
    if not isinstance(printed, dict):
        raise ValueError("the answer is no JSON object")
    return cast("dict[str, Any]", printed)


def _store_event(home: str, host: str, event: dict[str, Any]) -> bool:
    """Write those fields of the event that say where its session's text is, and nothing of the text, to a file in the
    home's `hooks/waiting`: one for each session, in which a later event replaces the earlier one. Return whether it was
    written: False if it cannot be, or if 2,000 sessions wait already. `_TimeIsUp` after 0.1 seconds.
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
    """Start a server for the home in the background, with the home as its working folder, to which this process
    changes: the agent's folder is not trusted. The server inherits the lock taken here and keeps it as long as it
    lives, so that there are never two. Do nothing if a server runs or cannot be started; `_TimeIsUp` after 0.1 seconds.
    """
    signal.setitimer(signal.ITIMER_REAL, _LAST_S)
    try:
        if is_held(os.path.join(home, "server.lock")):
            return
        lock = os.open(os.path.join(home, "hooks", "start.lock"), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.set_inheritable(lock, True)
        os.chdir(home)
        file_actions = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in range(3)]
        command = [sys.executable, "-P", "-m", "pellucid", "hooks", "work", "--home", home]
        os.posix_spawn(command[0], command, os.environ, file_actions=file_actions, setsid=True)  # noqa: TID251 - see above
    except OSError:
        pass  # another process starts it already, or nothing can be written


def is_held(lock: str) -> bool:
    """Whether some process holds an exclusive lock on this file, which is tried by locking it for a moment; False if
    the file cannot be opened.
    """
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
    """Return the first 500 characters of the home's `hooks/notice`, stripped; the file is renamed to `notice.told`: it
    is shown once. "" if there is none; UnicodeDecodeError if it is not UTF-8.
    """
    path = os.path.join(home, "hooks", "notice")
    try:
        os.rename(path, f"{path}.told")
        with open(f"{path}.told", encoding="utf-8") as file:
            return file.read(500).strip()
    except OSError:
        return ""


def _print_message(host: str, line: str) -> None:
    """Print a JSON object by which the agent's program shows a line to the user; nothing for "", or for Cursor
    (`host`), which shows none.
    """
    if line and host != "cursor":
        _write_json({"systemMessage": line})


def _write_json(answer: dict[str, Any]) -> None:
    """Write a JSON object to standard output, unbuffered."""
    unwritten = json.dumps(answer).encode()
    while unwritten:
        unwritten = unwritten[os.write(1, unwritten) :]


if __name__ == "__main__":
    main()
