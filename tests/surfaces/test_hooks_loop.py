"""Sessions of an agent in a program that knows no memory in, what a later session is told of the earlier ones out.

The program does what its own files say after `hooks install`: it runs the hooks' commands, starts the MCP server,
writes a transcript, and puts before its agent what the hooks print. Its agent does its task, and what it is asked to.
"""

import asyncio
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from pellucid.clock import isoformat
from pellucid.store.local.hooked import HookedSessions

PATIENCE_S = 120
TASK = "For the ingest queue we go with Redis streams, not Kafka, because operations cannot run a cluster."
WORK = "Done: the ingest worker retries a message five times, then puts it into the dead-letter stream."


class Program:
    """A user's folder and project, and the program that their agent runs in."""

    def __init__(self, folder: Path, models: Path) -> None:
        self.user, self.project, self.home = folder / "user", folder / "ingest", folder / "home"
        (self.project / ".git").mkdir(parents=True)
        self.home.mkdir(mode=0o700)
        (self.home / "models").symlink_to(models)
        (self.home / "pellucid.toml").write_text("[hooks]\naskAfter = 1\n")
        self.transcripts = self.user / ".claude" / "projects" / "-ingest"
        self.transcripts.mkdir(parents=True)
        inherited = {key: value for key, value in os.environ.items() if not key.startswith("PELLUCID_")}  # noqa: TID251
        self.environment = inherited | {"HOME": str(self.user)}
        self._run([sys.executable, "-m", "pellucid", "hooks", "install", "--for", "claude-code", "--home", self.home])

    def _run(self, command: Any, said: str = "", *, shell: bool = False) -> str:
        done = subprocess.run(
            command,
            input=said,
            env=self.environment,
            cwd=self.project,
            shell=shell,
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        assert done.stderr == ""
        return done.stdout

    def tells(self, session: str, event: str, **more: str) -> dict[str, Any]:
        """What the hooks of an event say, as the program's settings have it run them."""
        path = self.transcripts / f"{session}.jsonl"
        said = {"hook_event_name": event, "session_id": session, "transcript_path": str(path), "cwd": str(self.project)}
        table = json.loads((self.user / ".claude" / "settings.json").read_text())
        (group,) = table["hooks"][event]
        (hook,) = group["hooks"]
        return json.loads(self._run(hook["command"], json.dumps({**said, **more}), shell=True) or "{}")

    def writes(self, session: str, role: str, text: str) -> None:
        """A line of the transcript."""
        path = self.transcripts / f"{session}.jsonl"
        number = len(path.read_text().splitlines()) if path.exists() else 0
        line = {
            "type": role,
            "uuid": f"{session}-{number}",
            "sessionId": session,
            "cwd": str(self.project),
            "timestamp": isoformat(datetime.now(UTC)),
            "message": {"role": role, "content": text},
        }
        with path.open("a") as file:
            file.write(json.dumps(line) + "\n")

    def uses(self, tool: str, **arguments: Any) -> Any:
        """The result of a tool of the server that the program's file registers."""
        entry = json.loads((self.user / ".claude.json").read_text())["mcpServers"]["pellucid"]
        started = StdioServerParameters(
            command=entry["command"], args=entry["args"], env=self.environment, cwd=self.project
        )

        async def call() -> Any:
            async with Client(stdio_client(started)) as client:
                return await client.call_tool(tool, arguments)

        found = asyncio.run(call())
        assert not found.is_error, found.content[0].text
        return found.structured_content

    def until(self, holds: Callable[[], object]) -> None:
        end = time.monotonic() + PATIENCE_S
        while not holds():
            assert time.monotonic() < end, "it did not come about"
            time.sleep(0.2)

    def serves(self) -> bool:
        """Whether a server is ready; the first event of a day starts it."""
        self.tells("knock", "SessionStart", source="startup")
        return (self.home / "server.json").exists()

    def has_read(self, session: str) -> bool:
        size = (self.transcripts / f"{session}.jsonl").stat().st_size
        known = {each.session_id: each for each in HookedSessions(self.home).known()}
        return known[session].offset == size and not known[session].signal


@pytest.fixture
def program(tmp_path: Path, model_cache: Path) -> Iterator[Program]:
    running = Program(tmp_path, model_cache.parent)
    yield running
    with suppress(OSError, ValueError):
        os.kill(int(json.loads((running.home / "server.json").read_text())["pid"]), 15)


@pytest.mark.slow
def test_what_one_session_says_the_next_ones_are_told_by_hooks_alone(program: Program) -> None:
    program.until(program.serves)
    assert program.tells("first", "SessionStart", source="startup") == {}
    assert program.tells("first", "UserPromptSubmit", prompt=TASK) == {}
    program.writes("first", "user", TASK)
    program.writes("first", "assistant", WORK)
    asked = program.tells("first", "Stop")
    assert asked["decision"] == "block"
    tool, mode, session = re.findall(r"tool\s+(\w+), mode (\w+), sessionId ([\w-]+)", asked["reason"])[0]
    claim = {"statement": "The ingest worker retries a message five times.", "quote": WORK.partition(", then")[0]}
    said = program.uses(tool, mode=mode, sessionId=session, claims=[claim])
    assert said["kept"] == 1, said
    program.tells("first", "SessionEnd")
    program.until(lambda: program.has_read("first"))

    begun = program.tells("second", "SessionStart", source="startup")["hookSpecificOutput"]["additionalContext"]
    assert "asked: For the ingest queue we go with Redis streams" in begun
    answer = program.tells("second", "UserPromptSubmit", prompt="how often does the ingest worker retry a message?")
    shown = answer["hookSpecificOutput"]["additionalContext"]
    assert "The ingest worker retries a message five times" in shown
    recall_id = re.findall(r'<pellucid-recall id="(rec_\w+)">', shown)[0]
    assert answer["systemMessage"] == f"pellucid: 1 memory; why: PELLUCID_HOME={program.home} pellucid xray {recall_id}"
    explained = program.uses("memory_xray", recallId=recall_id)
    assert said["outcomes"][0]["memoryId"] in json.dumps(explained)

    program.writes("second", "user", "how often does the ingest worker retry a message?")
    program.writes(
        "second", "assistant", "By what is known, the ingest worker retries a message five times: I left it."
    )
    program.tells("second", "SessionEnd")
    program.until(lambda: program.has_read("second"))
    (cited,) = program.uses(tool, mode="wrap", sessionId="second")["citations"]
    assert (cited["recallId"], cited["memoryId"]) == (recall_id, said["outcomes"][0]["memoryId"])
    assert (cited["source"], cited["evidence"], cited["agent"]) == ("automatic", "quoted", "claude-code")
    assert cited["notes"] == "ingest worker retries a message five times"

    program.tells("third", "SessionStart", source="resume")
    answer = program.tells(
        "third", "UserPromptSubmit", prompt="which queue does the ingest service use, Redis or Kafka?"
    )
    assert "we go with Redis streams" in answer["hookSpecificOutput"]["additionalContext"]
    assert program.tells("third", "UserPromptSubmit", prompt="what is the capital of Mongolia?") == {}
