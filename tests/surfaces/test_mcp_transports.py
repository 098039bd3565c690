"""`pellucid mcp` as a process, and the same server over HTTP, in; what a client of each protocol era gets out."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from mcp.client import Client

import pellucid
from kits.cli import Cli
from kits.mcp import ask_http, ask_process, serving, standing

ERAS = ["legacy", "2026-07-28"]
PROGRAM = str(Path(sys.executable).with_name("pellucid"))
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}


async def remember_and_recall(client: Client) -> tuple[str, Any]:
    await client.call_tool("memory_remember", {"content": "The relay of rack 7 listens on port 9041."})
    result = await client.call_tool("memory_recall", {"query": "Which port does the relay listen on?"})
    return client.protocol_version, result


@pytest.mark.parametrize("era", ERAS)
def test_a_client_of_either_era_remembers_and_recalls_over_standard_input(tmp_path: Path, era: str) -> None:
    version, result = ask_process(
        tmp_path / "home", remember_and_recall, "--namespace", "team/x", mode=era, cwd=tmp_path
    )
    assert version == ("2025-11-25" if era == "legacy" else era)
    assert "port 9041" in result.content[0].text
    assert result.structured_content["namespace"] == "team/x"


@pytest.mark.parametrize("era", ERAS)
def test_a_client_of_either_era_remembers_and_recalls_over_http(cli: Cli, tmp_path: Path, era: str) -> None:
    with standing(tmp_path / "home") as calls, serving(calls) as address:
        version, result = ask_http(address, remember_and_recall, mode=era)
    assert version == ("2025-11-25" if era == "legacy" else era)
    assert "port 9041" in result.content[0].text


def exchanged(home: Path, *messages: dict[str, Any], arguments: tuple[str, ...] = ()) -> tuple[list[Any], str, int]:
    """The answers to some messages, what was said beside them, and how the process ended when its input did."""
    lines = "".join(json.dumps(each) + "\n" for each in messages)
    done = subprocess.run(
        [PROGRAM, "mcp", "--home", str(home), *arguments],
        input=lines,
        capture_output=True,
        check=False,
        text=True,
        timeout=120,
        cwd=home.parent,
    )
    return [json.loads(line) for line in done.stdout.splitlines()], done.stderr, done.returncode


@pytest.mark.requirement("MCP-3")
def test_it_ends_with_its_input_and_says_nothing_but_the_protocol(tmp_path: Path) -> None:
    answers, errors, code = exchanged(tmp_path / "home", INITIALIZE)
    assert [each["id"] for each in answers] == [1]
    assert answers[0]["result"]["serverInfo"]["name"] == "pellucid"
    assert "Traceback" not in errors
    assert code == 0


@pytest.mark.requirement("MCP-3")
def test_who_comes_in_waits_for_no_home_and_hears_of_it_when_a_tool_needs_one(tmp_path: Path) -> None:
    (home := tmp_path / "home").mkdir()
    (home / "journal.db").mkdir()  # where a file is expected

    async def look(client: Client) -> Any:
        return len((await client.list_tools()).tools), await client.call_tool("memory_search", {})

    count, result = ask_process(home, look, cwd=tmp_path)
    assert count >= 7
    assert result.is_error
    assert result.structured_content["code"] != "unexpected"


def test_it_asks_the_project_of_its_folder_as_commands_do(cli: Cli, tmp_path: Path) -> None:
    (project := tmp_path / "billing").mkdir()
    (tmp_path / "session.jsonl").write_text(
        json.dumps({"role": "user", "content": "We decided to use Postgres 17.", "cwd": str(project), "session": "s"})
    )
    cli("import", str(tmp_path / "session.jsonl"))

    async def where(client: Client) -> str:
        return (await client.call_tool("memory_recall", {"query": "Which database?"})).structured_content["namespace"]

    assert ask_process(tmp_path / "home", where, cwd=project) == "local/billing"
    assert ask_process(tmp_path / "home", where, cwd=tmp_path) == "local/default"


def test_without_the_extra_it_says_what_is_missing_and_the_rest_works(tmp_path: Path) -> None:
    """An environment of everything that is installed here but the server's libraries."""
    (libraries := tmp_path / "libraries").mkdir()
    absent = ("mcp", "fastapi", "uvicorn", "watchfiles")
    for each in Path(typer.__file__).parents[1].iterdir():
        if not each.name.startswith(absent) and each.suffix != ".pth":
            (libraries / each.name).symlink_to(each)
    source = Path(pellucid.__file__).parents[1]
    start = "import sys; from pellucid.surfaces.cli import main; main()"

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        environment = {"PYTHONPATH": f"{source}{os.pathsep}{libraries}", "PELLUCID_HOME": str(tmp_path / "home")}
        command = [sys.executable, "-S", "-c", start, *words]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, cwd=tmp_path)

    refused = run("mcp")
    assert refused.returncode == 2
    (line,) = refused.stderr.splitlines()
    assert re.fullmatch(
        r"pellucid: this needs the extra `server`, and [a-z, ]*mcp[a-z, ]* is not installed \(.*\)", line
    )
    assert line.endswith("(in a checkout: make server; else: pip install 'pellucid[server]')")
    assert run("list").returncode == 0
    assert "Serve memory to an agent over MCP" in run("mcp", "--help").stdout


def test_ctrl_c_ends_it_though_its_input_is_open(tmp_path: Path) -> None:
    command, pipe = [PROGRAM, "mcp", "--home", str(tmp_path / "home")], subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(json.dumps(INITIALIZE).encode() + b"\n")
        process.stdin.flush()
        assert b"pellucid" in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == -signal.SIGINT
