"""A server as a process: one a home, found by its file, guarded where others could reach it, ended by a signal."""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Thread

import pytest

from kits.cli import Cli
from kits.serving import Served, served
from kits.waiting import until
from pellucid.deadline import Deadline
from pellucid.encoders.minilm.encoder import MiniLM
from pellucid.settings import Settings, load
from pellucid.settings.sections import ServerSettings
from pellucid.surfaces.http.running import OperationWork

Begin = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def begin(tmp_path: Path, model_cache: Path) -> Iterator[Begin]:
    """Begins `pellucid serve` in a home of the test's own, and waits until it says where."""
    home, running = tmp_path / "home", []
    (home / "models").mkdir(parents=True)
    (home / "models" / model_cache.name).symlink_to(model_cache)

    def run(*flags: str) -> "subprocess.Popen[str]":
        command = [Path(sys.executable).with_name("pellucid"), "serve", "--home", home, "--port", "0", *flags]
        one = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        running.append(one)
        assert one.stderr
        assert "serving" in one.stderr.readline()
        return one

    yield run
    for one in running:
        one.kill()
        one.wait()
        if one.stderr:
            one.stderr.close()


def found(home: Path) -> Served:
    told = json.loads((home / "server.json").read_text("utf-8"))
    return Served(home, told["host"], told["port"], told["token"])


@pytest.mark.requirement("HTTP-6")
def test_a_signal_ends_it_with_nothing_left_and_its_token_with_it(begin: Begin, tmp_path: Path) -> None:
    for ending in (signal.SIGTERM, signal.SIGINT):
        one = begin()
        server = found(tmp_path / "home")
        assert json.loads((server.home / "server.json").read_text("utf-8"))["pid"] == one.pid
        assert server.post("/v1/memories", {"content": "The cache TTL is 300 seconds"}).status == 200
        one.send_signal(ending)
        assert one.wait(timeout=60) == 0
        assert not (server.home / "server.json").exists()
        with pytest.raises(OSError, match="refused"):
            server.get("/healthz")
    begin()
    assert found(server.home).get("/v1/memories", token=server.token).status == 401


@pytest.mark.requirement("HTTP-6")
def test_a_home_is_served_once_and_a_server_that_was_killed_is_in_nobodys_way(begin: Begin, tmp_path: Path) -> None:
    one = begin()
    server = found(tmp_path / "home")
    command = [Path(sys.executable).with_name("pellucid"), "serve", "--home", server.home, "--port", "0"]
    second = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert second.returncode == 4
    assert f"by process {one.pid}" in second.stderr
    assert server.get("/healthz").status == 200
    one.send_signal(signal.SIGKILL)
    one.wait()
    assert (server.home / "server.json").exists()
    begin()
    assert found(server.home).port != server.port
    assert found(server.home).get("/healthz").status == 200


def test_what_others_could_reach_is_refused_without_a_token_and_without_a_name(cli: Cli) -> None:
    assert "no token guards it" in cli("serve", "--host", "0.0.0.0", "--port", "0", code=2).err
    cli("token", "create", "--name", "laptop", "--grant", "local/default:read")
    assert "under which name" in cli("serve", "--host", "0.0.0.0", "--port", "0", code=2).err
    assert "loopback alone" in cli("serve", "--host", "0.0.0.0", "--port", "0", "--insecure-loopback", code=2).err


def test_without_its_libraries_it_says_which(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pellucid.surfaces.extra.find_spec", lambda name: None if name == "uvicorn" else True)
    said = cli("serve", code=2).err
    assert "uvicorn" in said
    assert "pip install 'pellucid[server]'" in said
    assert said.count("\n") == 1


@pytest.fixture
def encoded(minilm: MiniLM, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pellucid.app.MiniLM", lambda *_, **__: minilm)


@pytest.mark.usefixtures("encoded")
def test_programs_of_the_machine_need_no_token_where_that_was_said(tmp_path: Path) -> None:
    with served(Settings(home=tmp_path / "home"), insecure_loopback=True) as server:
        assert server.get("/v1/memories", token=None).status == 200
        assert server.get("/v1/memories", token="wrong").status == 401
        assert server.get("/v1/memories", token=None, Host="evil.example").status == 421
        assert server.get("/v1/memories", token=None, Origin="http://evil.example").status == 403


@pytest.mark.usefixtures("encoded")
def test_a_name_that_was_allowed_is_answered_to_in_whatever_case_it_was_typed(tmp_path: Path) -> None:
    with served(Settings(home=tmp_path / "home"), names=("Memory.Example.org",)) as server:
        for host in ("Memory.Example.org", "memory.example.org", f"MEMORY.EXAMPLE.ORG:{server.port}"):
            assert server.get("/v1/memories", Host=host).status == 200
        assert server.get("/v1/memories", Host="example.org").status == 421


@pytest.mark.usefixtures("encoded")
def test_a_call_that_takes_too_long_is_given_up(tmp_path: Path) -> None:
    with served(Settings(home=tmp_path / "home", server=ServerSettings(time_limit_s=1e-6))) as server:
        answer = server.get("/v1/recall/xray?query=cache")
        assert (answer.status, answer.json["code"]) == (504, "deadline_over")


@pytest.mark.usefixtures("encoded")
def test_a_client_that_goes_away_takes_its_call_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Deadline] = []
    run = OperationWork.run

    def noting(self: OperationWork, host: object, deadline: Deadline, emit: object) -> object:
        seen.append(deadline)
        until(lambda: deadline.is_over, "the end of who waits for it")
        return run(self, host, deadline, emit)  # type: ignore[arg-type]

    with served(Settings(home=tmp_path / "home")) as server:
        monkeypatch.setattr(OperationWork, "run", noting)
        line = socket.create_connection((server.host, server.port))
        head = f"GET /v1/memories HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {server.token}\r\n\r\n"
        line.sendall(head.encode())
        until(lambda: seen, "the call")
        line.close()
        until(lambda: seen[0].is_over, "the end of the call")
        monkeypatch.setattr(OperationWork, "run", run)
        assert server.get("/v1/memories").status == 200


@pytest.mark.usefixtures("encoded")
def test_too_many_at_once_are_told_to_come_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, go = [], []
    run = OperationWork.run

    def waiting(self: OperationWork, *rest: object) -> object:
        begun.append(1)
        until(lambda: go, "leave to go on")
        return run(self, *rest)  # type: ignore[arg-type]

    with served(Settings(home=tmp_path / "home", server=ServerSettings(calls=1, waiting=1))) as server:
        monkeypatch.setattr(OperationWork, "run", waiting)
        answers: list[int] = []
        first = Thread(target=lambda: answers.append(server.get("/v1/memories").status))
        first.start()
        until(lambda: begun, "the first call")
        second = server.get("/v1/memories")
        go.append(1)
        first.join()
        assert (second.status, second.json["code"], second.headers["retry-after"]) == (503, "busy", "1")
        assert answers == [200]


@pytest.mark.usefixtures("encoded")
def test_a_fault_of_ours_is_told_by_a_number_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def fails(*_: object) -> None:
        raise RuntimeError("secret words of a memory")

    with served(Settings(home=tmp_path / "home")) as server:
        monkeypatch.setattr(OperationWork, "run", fails)
        answer = server.get("/v1/memories")
    assert (answer.status, answer.json["code"]) == (500, "unexpected")
    log = capfd.readouterr().err
    assert answer.json["traceId"] in log
    assert "secret words" not in log + answer.text
    assert '"error": "RuntimeError"' in log


@contextmanager
def listening(server: Served) -> Generator[http.client.HTTPResponse]:
    """The stream of an MCP client that asks nothing, and waits for what it is told."""
    about = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    accepted = {"Accept": "application/json, text/event-stream"}
    begun = server.post("/mcp", {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": about}, **accepted)
    line = http.client.HTTPConnection(server.host, server.port, timeout=60)
    named = {"Mcp-Session-Id": begun.headers["mcp-session-id"], "Mcp-Protocol-Version": "2025-11-25"}
    line.request("GET", "/mcp", headers={"Authorization": f"Bearer {server.token}", **accepted, **named})
    stream = line.getresponse()
    assert (stream.status, stream.headers["content-type"].partition(";")[0]) == (200, "text/event-stream")
    try:
        yield stream
    finally:
        line.close()
        stream.close()


@pytest.mark.requirement("HTTP-6")
@pytest.mark.usefixtures("encoded")
def test_who_only_listens_keeps_no_server_from_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pellucid.surfaces.http.serving._GRACE_S", 1e6)  # it would wait for what is under way
    with ExitStack() as later:
        with served(Settings(home=tmp_path / "home")) as server:
            stream = later.enter_context(listening(server))
        assert stream.read().count(b"data: {") == 0  # it was ended, not cut off: nothing is raised


@pytest.mark.requirement("HTTP-6")
def test_a_signal_ends_the_stream_of_who_listens_in_order(begin: Begin, tmp_path: Path) -> None:
    one = begin()
    with listening(found(tmp_path / "home")) as stream:
        one.send_signal(signal.SIGTERM)
        stream.read()
    assert one.wait(timeout=60) == 0
    assert one.stderr
    assert "without completing" not in one.stderr.read()


def test_the_body_of_an_unfinished_request_leaves_nothing(begin: Begin, tmp_path: Path) -> None:
    begin()
    server = found(tmp_path / "home")
    line = http.client.HTTPConnection(server.host, server.port)
    line.putrequest("POST", "/v1/import?namespace=local/default")
    line.putheader("Authorization", f"Bearer {server.token}")
    line.putheader("Content-Length", "1000000")
    line.endheaders()
    line.send(b"User: my password is hunter2hunter2\n")

    def incoming() -> list[str]:  # by a walk, which a folder that goes meanwhile does not end
        return [name for _, _, names in os.walk(server.home / "incoming") for name in names]

    until(lambda: "draft" in incoming(), "the draft")
    line.close()
    until(lambda: not incoming(), "its end")
    assert server.get("/healthz").status == 200


def test_settings_of_a_server_are_read_like_any_other(tmp_path: Path) -> None:
    (tmp_path / "pellucid.toml").write_text("[server]\ncalls = 3\n", "utf-8")
    assert load(home=tmp_path).server.calls == 3


@pytest.mark.usefixtures("encoded")
def test_documents_that_were_indexed_are_followed_and_no_others(tmp_path: Path, cli: Cli) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    for name in ("one", "two"):
        (folder / f"{name}.md").write_text(f"# Page {name}\n\nThe gate of {name} opens at seven.\n", "utf-8")
    cli("index", "docs", str(folder), "--namespace", "local/default")

    def said(server: Served) -> str:
        return server.get("/v1/documents?gone=true&format=text").text + server.get("/v1/memories?category=section").text

    with served(load(home=tmp_path / "home")) as server:
        (folder / "one.md").write_text("# Page one\n\nThe gate of one opens at nine.\n", "utf-8")
        (folder / "three.md").write_text("# Page three\n\nNobody asked for this one.\n", "utf-8")
        until(lambda: "opens at nine" in said(server), "what was written")
        (folder / "two.md").unlink()
        until(lambda: "opens at seven" not in said(server), "what was deleted")
        assert "Nobody asked" not in said(server)
