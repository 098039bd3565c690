"""What docs/mcp.md tells to register in, the server that a host would start by it out."""

import asyncio
import json
import os
import re
import shlex
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from kits.snippets import FENCE, ROOT
from pellucid.surfaces.mcp.resources import PLACES, PROMPTS
from pellucid.surfaces.mcp.tools import tools

PAGE = (ROOT / "docs" / "mcp.md").read_text("utf-8")
HOSTS = ("Claude Code", "Codex", "Cursor", "VS Code", "Windsurf")


def registered() -> list[list[str]]:
    """The command lines that the page's files and lines tell a host to start."""
    entries: list[Any] = []
    for fence in FENCE.finditer(PAGE):
        if fence["info"] in ("json", "toml"):
            whole = json.loads(fence["body"]) if fence["info"] == "json" else tomllib.loads(fence["body"])
            ((_, servers),) = whole.items()
            entries += servers.values()
    for line in re.findall(r"`((?:claude|codex|code) [^`]+)`", PAGE):
        words = shlex.split(line)
        if "--add-mcp" in words:
            entries.append(json.loads(words[words.index("--add-mcp") + 1]))
        else:
            command, *arguments = words[words.index("--") + 1 :]
            entries.append({"command": command, "args": arguments})
    return [[each["command"], *each["args"]] for each in entries]


@pytest.mark.parametrize("words", sorted(set(map(tuple, registered()))), ids=" ".join)
def test_what_a_host_is_told_to_start_is_a_server(tmp_path: Path, words: tuple[str, ...]) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # noqa: TID251 - of the child
    environment = {"PATH": path, "PELLUCID_HOME": str(tmp_path / "home")}
    program = StdioServerParameters(command=words[0], args=list(words[1:]), env=environment, cwd=tmp_path)

    async def run() -> list[str]:
        async with Client(stdio_client(program)) as client:
            return [each.name for each in (await client.list_tools()).tools]

    assert asyncio.run(run()) == list(tools())


def test_the_page_names_every_host_tool_mode_address_and_prompt() -> None:
    assert len(registered()) == 7
    rows = {line.split("|")[1].strip(" `"): line for line in PAGE.splitlines() if line.startswith("| `memory_")}
    for name, tool in tools().items():
        modes = [mode for mode in tool.rows if mode]
        assert re.findall(r"`(\w+)`", rows[name].split("|")[2]) == modes
    for word in (*HOSTS, *PROMPTS, *(f"pellucid://{name}" for name in PLACES)):
        assert word in PAGE
