"""An event on the standard input of the client in; what it prints, leaves and starts, as a process of its own, out."""

import fcntl
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from pellucid.surfaces.hooks.install import CLIENT

HANGS_S = 20
"""Seconds after which a client counts as hung."""
EVENT = {
    "hook_event_name": "UserPromptSubmit",
    "session_id": "5f0c7d6e-1111-4222-8333-944455556666",
    "transcript_path": "/nowhere/t.jsonl",
    "cwd": "/tmp",
    "prompt": "the password is tangerine",
}


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A home that no real server is started for: starting is refused, as if one were being started."""
    home = tmp_path / "home"
    (home / "hooks").mkdir(parents=True, mode=0o700)
    with (home / "hooks" / "start.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        os.set_inheritable(lock.fileno(), False)
        yield home


def client(
    home: Path, said: object = EVENT, host: str = "claude-code", **given: Any
) -> subprocess.CompletedProcess[bytes]:
    data = said if isinstance(said, bytes) else json.dumps(said).encode()
    command = [sys.executable, "-S", "-E", str(CLIENT), host, "--home", str(home)]
    return subprocess.run(command, input=data, capture_output=True, timeout=HANGS_S, check=False, **given)


def left(home: Path) -> list[dict[str, Any]]:
    return [json.loads(path.read_text()) for path in sorted((home / "hooks" / "waiting").glob("*.json"))]


@contextmanager
def served(home: Path, answer: Callable[[socket.socket], None]) -> Iterator[None]:
    """A server that answers as it is told, and holds the lock as a server does."""
    door = socket.create_server(("127.0.0.1", 0))
    with (home / "server.lock").open("w") as lock, door:
        fcntl.flock(lock, fcntl.LOCK_EX)
        written = {"port": door.getsockname()[1], "pid": os.getpid(), "token": "pel_token"}
        (home / "server.json").write_text(json.dumps(written))

        def work() -> None:
            connection, _ = door.accept()
            with connection:
                answer(connection)

        thread = Thread(target=work, daemon=True)
        thread.start()
        yield


def saying(value: object, status: str = "200 OK") -> Callable[[socket.socket], None]:
    return replying(json.dumps(value).encode(), status)


def replying(body: bytes, status: str = "200 OK") -> Callable[[socket.socket], None]:
    def answer(connection: socket.socket) -> None:
        request = b""
        while b'"tangerine' not in request and b"tangerine" not in request:
            request += connection.recv(65_536)
        heard.append(request)
        connection.sendall(f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)

    heard: list[bytes] = []
    answer.heard = heard  # type: ignore[attr-defined]
    return answer


def test_what_the_server_says_is_printed(home: Path) -> None:
    answer = saying({"print": {"systemMessage": "one memory"}, "line": "…"})
    with served(home, answer):
        done = client(home)
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout) == {"systemMessage": "one memory"}
    (request,) = answer.heard  # type: ignore[attr-defined]
    assert request.startswith(b"POST /v1/hooks/claude-code HTTP/1.1\r\n")
    assert b"\r\nAuthorization: Bearer pel_token\r\n" in request
    assert json.loads(request.partition(b"\r\n\r\n")[2]) == {"event": EVENT}
    assert left(home) == []


def test_nothing_is_printed_where_nothing_is_said(home: Path) -> None:
    with served(home, saying({"print": {}})):
        done = client(home)
    assert (done.returncode, done.stdout, left(home)) == (0, b"", [])


@pytest.mark.parametrize("how", ["silent", "refusing", "garbage", "hanging up"])
def test_a_server_that_does_not_answer_holds_nobody_up(home: Path, how: str) -> None:
    answers: dict[str, Callable[[socket.socket], None]] = {
        "silent": lambda connection: (connection.recv(1), connection.recv(65_536), connection.recv(65_536))[0] and None,
        "refusing": saying({"error": "x"}, "500 Internal Server Error"),
        "garbage": lambda connection: connection.sendall(b"\x00" * 100),
        "hanging up": lambda _connection: None,
    }
    with served(home, answers[how]):
        done = client(home)
    assert (done.returncode, done.stderr) == (0, b"")
    said = {"silent": "no answer in time", "refusing": "the server did not take this"}
    trouble = said.get(how, "no answer that can be read")
    assert json.loads(done.stdout) == {"systemMessage": f"pellucid: {trouble}; the session is noted for later"}
    (word,) = left(home)
    assert word.pop("at") <= time.time()
    assert word == {"host": "claude-code", "event": {key: EVENT[key] for key in EVENT if key != "prompt"}}


@pytest.mark.parametrize(
    "body",
    [b"[]", b'"done"', b"null", b'{"print": ["done"]}', b"[" * 100_000],
    ids=["list", "text", "null", "a list to print", "deep"],
)
def test_an_answer_that_is_no_object_is_told_and_the_session_noted(home: Path, body: bytes) -> None:
    with served(home, replying(body)):
        done = client(home)
    assert (done.returncode, done.stderr) == (0, b"")
    told = "pellucid: no answer that can be read; the session is noted for later"
    assert json.loads(done.stdout) == {"systemMessage": told}
    assert [each["event"]["session_id"] for each in left(home)] == [EVENT["session_id"]]


def test_without_a_server_word_is_left_in_a_file_that_is_the_users_own(home: Path) -> None:
    for _ in range(3):
        done = client(home)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    (path,) = (home / "hooks" / "waiting").iterdir()
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert "tangerine" not in path.read_text()


def test_a_server_that_died_is_not_taken_for_one_that_lives(home: Path) -> None:
    """Its port may be somebody else's by now, who must not hear what was typed."""
    with socket.create_server(("127.0.0.1", 0)) as stranger:
        written = {"port": stranger.getsockname()[1], "pid": 1, "token": "pel_token"}
        (home / "server.json").write_text(json.dumps(written))
        client(home)
        stranger.setblocking(False)
        with pytest.raises(BlockingIOError):
            stranger.accept()
    assert len(left(home)) == 1


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe",
        b'{"session_id": "../../../etc/passwd"}',
        b'{"session_id": 7}',
        b"[" * 100_000,
    ],
)
def test_whatever_comes_in_it_ends_well(home: Path, said: bytes) -> None:
    for serve in (nullcontext(), served(home, saying({"print": {"systemMessage": "not asked"}}))):
        with serve:
            done = client(home, said)
        assert (done.returncode, done.stderr) == (0, b"")
        told = json.loads(done.stdout)["systemMessage"]
        assert told == "pellucid: this hook was told of no session, and did nothing"
        assert left(home) == []


def test_what_cannot_be_noted_is_not_said_to_be(home: Path) -> None:
    (home / "hooks" / "waiting").write_text("no folder")
    with served(home, saying({}, "400 Bad Request")):
        done = client(home)
    told = json.loads(done.stdout)["systemMessage"]
    assert told == "pellucid: the server did not take this; nor could the session be noted for later"


def test_a_standard_input_that_never_ends_is_given_up(home: Path) -> None:
    reading, writing = os.pipe()
    command = [sys.executable, "-S", "-E", str(CLIENT), "claude-code", "--home", str(home)]
    with subprocess.Popen(command, stdin=reading, stdout=subprocess.PIPE) as running:
        assert running.wait(HANGS_S) == 0
    os.close(reading)
    os.close(writing)


def test_a_full_disk_is_nobodys_concern(home: Path) -> None:
    import resource

    done = client(home, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)))
    assert (done.returncode, done.stderr) == (0, b"")
    assert left(home) == []
    assert list((home / "hooks" / "waiting").iterdir()) == []


def test_the_user_is_told_once_what_an_installation_lacks(home: Path) -> None:
    (home / "hooks" / "notice").write_text("install the server\n")
    assert json.loads(client(home).stdout) == {"systemMessage": "install the server"}
    assert client(home).stdout == b""


def test_it_needs_nothing_but_the_standard_library(home: Path) -> None:
    told = subprocess.run(
        [sys.executable, "-S", "-E", "-X", "importtime", str(CLIENT), "claude-code", "--home", str(home)],
        input=json.dumps(EVENT).encode(),
        capture_output=True,
        timeout=HANGS_S,
        check=True,
    ).stderr.decode()
    modules = {each.rpartition("|")[2].strip().split(".")[0] for each in told.splitlines()}
    assert "json" in modules
    assert (
        not {each for each in modules if each and not each.startswith("_")}
        - set(sys.stdlib_module_names)
        - {"imported package", "site", "zipimport"}
    )
