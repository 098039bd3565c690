"""Two tasks for a headless agent in, what it remembers in the first and knows in the second out.

The loop is an agent's: a model behind an OpenAI-compatible endpoint (scripted), the tools of a real MCP server in a
process of its own, one process a task. The script reads what an agent is shown, and nothing else.
"""

import json
import re
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from mcp.client import Client

from kits.mcp import ask_process
from pellucid.testing import ScriptedRequest, ScriptedServer, Step, raw

FIRST = "For the ingest queue we go with Redis streams, not Kafka. Write that into the plan."
SECOND = "Write the ingest queue's configuration: which queue is it?"


def says(content: str = "", *calls: tuple[str, dict[str, Any]]) -> Step:
    """A model's answer, with tools to be called or without."""
    told = [
        {"id": f"c{place}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        for place, (name, arguments) in enumerate(calls)
    ]
    message = {"role": "assistant", "content": content, **({"tool_calls": told} if told else {})}
    return raw(json.dumps({"choices": [{"message": message}]}).encode())


def model(request: ScriptedRequest) -> Step:
    """Does what the instructions of the server and the descriptions of its tools say, turn by turn."""
    offered = {each["function"]["name"]: each["function"] for each in request.body["tools"]}
    assert "memory_recall" in request.system  # the server's instructions reached the model
    messages = request.body["messages"]
    results = [each["content"] for each in messages if each["role"] == "tool"]
    if not results:
        assert offered["memory_recall"]["description"].startswith("Use before you answer")
        return says("", ("memory_recall", {"query": request.user}))
    if len(results) > 1:
        return says(f"Done: {results[0]}")
    if "go with" in request.user:
        return says("", ("memory_remember", {"content": request.user.split(", not")[0], "category": "decision"}))
    recall_id = re.search(r'id="(rec_\w+)"', results[0])
    return says(
        "", ("memory_cite", {"memoryId": "FIRST", "recallId": recall_id[1] if recall_id else "", "kind": "used"})
    )


async def worked(client: Client, task: str, endpoint: str) -> str:
    """What the agent says in the end."""
    tools = [
        {
            "type": "function",
            "function": {"name": each.name, "description": each.description, "parameters": each.input_schema},
        }
        for each in (await client.list_tools()).tools
    ]
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": client.instructions},
        {"role": "user", "content": task},
    ]
    first = ""
    for _ in range(6):
        body = json.dumps({"model": "m", "messages": messages, "tools": tools}).encode()
        with urlopen(Request(f"{endpoint}/chat/completions", body, {"Content-Type": "application/json"})) as answered:
            message = json.load(answered)["choices"][0]["message"]
        messages.append(message)
        if not message.get("tool_calls"):
            return message["content"]
        for call in message["tool_calls"]:
            arguments = json.loads(call["function"]["arguments"].replace("FIRST", first))
            result: Any = await client.call_tool(call["function"]["name"], arguments)
            assert not result.is_error, result.content[0].text
            served = result.structured_content.get("memories", [])
            first = served[0]["memory"]["id"] if served else first
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": result.content[0].text})
    raise AssertionError("the agent did not come to an end")


def test_an_agent_remembers_in_one_session_and_knows_in_the_next(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with ScriptedServer(model) as server:
        for task in (FIRST, SECOND):
            said = ask_process(
                home, lambda client, task=task: worked(client, task, server.base_url), "--namespace", "team/x"
            )
    assert "[1] For the ingest queue we go with Redis streams" in said

    async def wrapped(client: Client) -> Any:
        return (await client.call_tool("memory_observe", {"mode": "wrap"})).structured_content

    found = ask_process(home, wrapped, "--namespace", "team/x")
    assert (found["recalls"], found["counts"], found["uncited"]) == (2, {"used": 1}, [])
