"""The X-ray's page in, what a person sees of it in a chat's sandboxed frame out: in a real browser, where one is."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client

from kits.cli import Cli
from kits.mcp import ask, standing

sync_api = pytest.importorskip("playwright.sync_api")
BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(BROWSER is None, reason="no browser here")
HOST = """
async ([page, result, drawn, theme]) => {
  const frame = document.createElement("iframe");
  frame.sandbox = "allow-scripts";
  const say = (message) => frame.contentWindow.postMessage({ jsonrpc: "2.0", ...message }, "*");
  const drawing = new Promise((done) => addEventListener("message", ({ data }) => {
    if (data.method === "ui/initialize") say({ id: data.id, result: { hostContext: { theme } } });
    if (data.method === "ui/notifications/initialized") say({ method: "ui/notifications/tool-result", params: result });
    if (data.method === "resources/read") {
      say({ id: data.id, result: { contents: [{ uri: data.params.uri, text: drawn }] } });
      done(data.params.uri);
    }
  }));
  frame.srcdoc = page;
  document.body.append(frame);
  return await drawing;
}
"""


@pytest.fixture
def frame(cli: Cli, tmp_path: Path) -> Iterator[Any]:
    """The page in a host that is dark on a machine that is light, once it has drawn a recall."""
    cli("remember", "The relay listens on port 9041.")

    async def read(client: Client) -> list[Any]:
        page: Any = await client.read_resource("ui://pellucid/xray")
        tool: Any = await client.call_tool("memory_xray", {"query": "Which port does the relay listen on?"})
        named = tool.structured_content["snapshot"]["snapshotId"]
        drawn: Any = await client.read_resource(f"pellucid://recall/{named}?format=html")
        return [page.contents[0].text, tool.model_dump(by_alias=True, mode="json"), drawn.contents[0].text, "dark"]

    with standing(tmp_path / "home") as calls:
        told = ask(calls, read)
    with sync_api.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        tab = browser.new_page(color_scheme="light")
        assert tab.evaluate(HOST, told).startswith("pellucid://recall/rec_")
        yield tab.frames[1]
        browser.close()


def test_a_recall_is_drawn_in_the_theme_of_the_chat_and_a_link_within_it_stays_there(frame: Any) -> None:
    frame.click("text=Legs >> nth=0")
    assert "The relay listens on port 9041." in frame.inner_text("body")
    assert frame.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(15, 19, 23)"
