"""Ten thousand malformed requests in, an answer to each and a server that lives on out."""

import http.client
import json
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from mcp.client import Client

from kits.mcp import ask, ask_http, serving, standing
from pellucid.surfaces.mcp.tools import tools

CALLS, LINES, BODIES = 10_000, 1_500, 500
TEXTS = (
    "",
    " ",
    "\0",
    "\ud800",
    "🦊" * 40,
    "a" * 30_000,
    "../../etc/passwd",
    "%s%n{0}${x}",
    "' OR 1=1 --",
    '"*" NEAR(',
    "\u202e\u2066x",
    "rec_" + "0" * 32,
    "mem_" + "f" * 32,
    "last~99999",
    "2026-13-45",
    "9999-12-31T23:59:59+00:00",
    "0001-01-01",
    "NaN",
    "team/x",
    "legWeights.vector",
)
LISTED = [each.listed for each in tools().values()]
NUMBERS = (0, -1, 1, 2**31, 2**63, -(2**70), 10**400, 0.5, -0.0, 1e308, True, False)


def anything(draw: random.Random, deep: int = 3) -> Any:
    """Any JSON value."""
    kind = draw.randrange(7 if deep else 4)
    if kind < 2:
        return draw.choice(TEXTS)
    if kind < 4:
        return draw.choice(NUMBERS) if kind == 2 else None
    if kind == 4:
        return {draw.choice(TEXTS): anything(draw, deep - 1) for _ in range(draw.randrange(3))}
    return [anything(draw, deep - 1) for _ in range(draw.randrange(3))]


def a_call(draw: random.Random) -> tuple[str, dict[str, Any]]:
    """A tool and some of its fields, or others, with any values; often enough only one of them is off."""
    listed = draw.choice(LISTED)
    name, properties = listed.name, listed.input_schema["properties"]
    known = sorted(properties.keys() - {"namespace"})
    fields = {*draw.sample(known, draw.randrange(min(5, len(known)))), *listed.input_schema["required"]}
    arguments = {field: fitting(draw, properties[field]) for field in sorted(fields)}
    if draw.randrange(2):
        arguments[draw.choice([*properties] * 4 + [*TEXTS])] = anything(draw)
    return name, arguments


def fitting(draw: random.Random, schema: dict[str, Any]) -> Any:
    """A value that its schema allows, more or less."""
    if "enum" in schema:
        return draw.choice(schema["enum"])
    kind = schema.get("type")
    texts = {"string": draw.choice(TEXTS), "integer": draw.randrange(1, 9), "number": draw.random()}
    return texts.get(str(kind), [draw.choice(TEXTS)] if kind == "array" else {} if kind == "object" else True)


def as_wire(value: Any) -> Any:
    """A value as a client can send it: JSON text is UTF-8."""
    return json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))


async def called(client: Client, draw: random.Random, count: int) -> Counter[str]:
    """How so many calls ended."""
    ends = Counter[str]()
    for _ in range(count):
        name, arguments = a_call(draw)
        result: Any = await client.session.call_tool(name, as_wire(arguments))
        ends[result.structured_content["code"] if result.is_error else "answered"] += 1
        assert result.content[0].text or not result.is_error
    await client.call_tool("memory_search", {})
    return ends


def test_a_call_with_anything_in_it_is_answered(tmp_path: Path, capfd: Any) -> None:
    with standing(tmp_path / "home") as calls:
        ends = ask(calls, lambda client: called(client, random.Random(7), CALLS))
    assert ends.total() == CALLS
    assert not ends["unexpected"], ends
    assert len(ends) > 15
    assert "Traceback" not in capfd.readouterr().err


def a_line(draw: random.Random) -> bytes:
    """A line that is a request, nearly one, or none."""
    methods = (
        "tools/call",
        "resources/read",
        "prompts/get",
        "initialize",
        "ping",
        "server/discover",
        "x",
        "tools/list",
    )
    whole = {
        "jsonrpc": draw.choice(("2.0", "2.0", "1.0", 2)),
        "id": draw.choice((1, "a", None, -1, [])),
        "method": draw.choice(methods),
        "params": draw.choice(({}, None, a_call(draw)[1], {"name": draw.choice(TEXTS), "uri": draw.choice(TEXTS)})),
    }
    if draw.randrange(3) == 0:
        whole["params"] = dict(zip(("name", "arguments"), a_call(draw), strict=True))
    text = json.dumps(whole)
    kind = draw.randrange(5)
    if kind == 0:
        return bytes(draw.randrange(1, 256) for _ in range(30)).replace(b"\n", b" ")
    if kind == 1:
        return text[: draw.randrange(len(text))].encode()
    return json.dumps(anything(draw)).encode() if kind == 2 else text.encode()


def test_a_process_lives_on_after_any_lines(tmp_path: Path) -> None:
    draw = random.Random(11)
    last = {"jsonrpc": "2.0", "id": "last", "method": "ping"}
    lines = [a_line(draw) for _ in range(LINES)]
    program = [str(Path(sys.executable).with_name("pellucid")), "mcp", "--home", str(tmp_path / "home")]
    sent = b"\n".join([*lines, json.dumps(last).encode(), b""])
    done = subprocess.run(program, input=sent, capture_output=True, check=False, timeout=900)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert answers
    assert all(each["jsonrpc"] == "2.0" for each in answers)
    assert "last" in {each.get("id") for each in answers if isinstance(each.get("id"), str)}
    assert done.returncode == 0
    assert b"unexpected" not in done.stderr


def test_http_answers_any_body_without_a_failure_of_its_own(tmp_path: Path) -> None:
    draw, codes = random.Random(13), Counter[int]()
    with standing(tmp_path / "home") as calls, serving(calls) as address:
        place = urlsplit(address)
        for _ in range(BODIES):
            connection = http.client.HTTPConnection(place.netloc, timeout=60)
            headers = {
                "Content-Type": draw.choice(("application/json", "text/plain", "")),
                "Accept": draw.choice(("application/json, text/event-stream", "*/*", "text/html")),
                "MCP-Protocol-Version": draw.choice(("2026-07-28", "2025-11-25", "1999-01-01")),
                "Mcp-Session-Id": draw.choice(("x", "0" * 32)),
            }
            connection.request(draw.choice(("POST", "POST", "PUT", "DELETE")), place.path, a_line(draw), headers)
            codes[connection.getresponse().status] += 1
            connection.close()
        alive: Any = ask_http(address, lambda client: client.list_tools())
    assert not [code for code in codes if code >= 500 and code != 501], codes
    assert alive.tools
