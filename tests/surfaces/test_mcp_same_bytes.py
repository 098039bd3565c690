"""Many recalls in, the same explanation on every surface out: the same bytes, in every form."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client

from kits.cli import Cli
from kits.mcp import ask, call, standing
from kits.serving import served
from kits.snippets import ROOT
from pellucid.settings import load
from pellucid.surfaces.mcp.calling import CallMaker

RACKS, ROOMS = range(1, 9), ("Basel", "Bern", "Genf", "Chur", "Zug", "Olten")
EXAMPLES = ROOT / "examples" / "specs"
FORMS = ("json", "text", "markdown")


@pytest.fixture
def calls(cli: Cli, tmp_path: Path) -> Iterator[CallMaker]:
    for rack in RACKS:
        cli("remember", f"The relay of rack {rack} in {ROOMS[rack % 6]} listens on port {9040 + rack}.")
        cli(
            "remember",
            f"We decided that rack {rack} is mirrored to {ROOMS[rack % 5]} each night.",
            "--category",
            "decision",
        )
    with standing(tmp_path / "home") as found:
        yield found


async def explained(client: Client) -> dict[str, dict[str, Any]]:
    """Recalls of many kinds, and their explanations in each form, by their ids."""
    found: dict[str, dict[str, Any]] = {}
    for number in range(52):
        rack, room = number % 8 + 1, ROOMS[number % 6]
        asked = (
            {"query": f"Which port does the relay of rack {rack} listen on?", "topK": number % 5 + 1},
            {"query": f"Was ist in {room} — und <b>warum</b>?", "budget": 300 + number},
            {"query": f"mirrored to {room}", "categories": ["decision"], "without": ["lexical"]},
            {"query": f"zeppelin {number}", "tags": ["air"]},
        )[number % 4]
        recall: Any = await client.call_tool("memory_recall", asked)
        recall_id = recall.structured_content["recallId"]
        texts: dict[str, Any] = {}
        for form in FORMS:
            read: Any = await client.read_resource(f"pellucid://recall/{recall_id}?format={form}")
            texts[form] = read.contents[0].text
        tool: Any = await client.call_tool("memory_xray", {"recallId": recall_id})
        found[recall_id] = {**texts, "tool": tool.content[0].text, "value": tool.structured_content}
    return found


@pytest.mark.requirement("MCP-1")
def test_an_explanation_is_the_same_bytes_over_mcp_and_on_the_command_line(cli: Cli, calls: CallMaker) -> None:
    found = ask(calls, explained)
    assert len(found) == 52
    for recall_id, texts in found.items():
        for form in FORMS:
            assert texts[form] == cli("xray", "--id", recall_id, "--format", form).out
        assert texts["tool"] + "\n" == texts["text"]
        assert texts["value"] == json.loads(texts["json"])


@pytest.mark.requirement("MCP-1")
@pytest.mark.parametrize("named", ["rec_" + "0" * 32, "last~9", "foreign"])
def test_a_recall_that_is_not_here_is_the_same_answer_on_every_surface(cli: Cli, tmp_path: Path, named: str) -> None:
    cli("remember", "The relay listens on port 9041.", "--namespace", "team/other")
    foreign = cli("recall", "Which port?", "--namespace", "team/other", "--json").json["recallId"]
    recall_id = foreign if named == "foreign" else named
    typed = {form: cli("xray", "--id", recall_id, "--format", form, code=3) for form in FORMS}
    assert json.loads(typed["json"].out) == {"snapshotFound": False}
    assert all(f"no recall {recall_id}" in each.err for each in typed.values())

    async def read(client: Client) -> dict[str, Any]:
        tool: Any = await client.call_tool("memory_xray", {"recallId": recall_id})
        assert not tool.is_error
        assert tool.structured_content == {"snapshotFound": False}
        assert tool.content[0].text + "\n" == typed["text"].out
        assert f"no recall {recall_id}" in tool.content[1].text
        addresses = {form: f"pellucid://recall/{recall_id}?format={form}" for form in FORMS}
        found: Any = {form: await client.read_resource(uri) for form, uri in addresses.items()}
        return {form: each.contents[0].text for form, each in found.items()}

    with standing(tmp_path / "home") as calls:
        over_mcp = ask(calls, read)
    with served(load(home=tmp_path / "home")) as server:
        for form in FORMS:
            over_http = server.get(f"/v1/snapshots/{recall_id}?format={form}")
            assert (over_http.status, over_http.text) == (404, typed[form].out)
            nowhere = server.get(f"/v1/snapshots/{recall_id}?format={form}&namespace=nobody/nothing")
            assert (nowhere.status, nowhere.text) == (404, typed[form].out)
            assert over_mcp[form] == typed[form].out


def test_what_a_port_stands_on_is_the_same_on_every_surface(cli: Cli, tmp_path: Path) -> None:
    cli("index", "docs", str(EXAMPLES))
    asked = {"query": "SPEC-054 dependencies port plan TypeScript", "topK": 6}
    told = cli("recall", asked["query"], "--top-k", "6", "--json").json
    with standing(tmp_path / "home") as calls:
        found: Any = call(calls, "memory_recall", **asked).structured_content
    with served(load(home=tmp_path / "home")) as server:
        over_http = server.post("/v1/recall", asked).json
    own = {"recallId", "auditEntryId", "context"}

    def shown(outcome: Any) -> Any:
        if isinstance(outcome, dict):
            return {name: shown(value) for name, value in outcome.items() if name not in own}
        return [shown(each) for each in outcome] if isinstance(outcome, list) else outcome

    for each in (found, over_http):
        assert shown(each) == shown(told)
        assert each["context"].splitlines()[1:] == told["context"].splitlines()[1:]
    assert found["memories"]
