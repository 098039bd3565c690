"""The X-ray as a page within a chat: an MCP App, the page renderer's own, filled by the host.

The host shows the page beside the tool's result and passes that to it. The page asks the host for `pellucid://recall/…`
as HTML, and shows it. It loads nothing, and runs no script but its own, which its policy names by hash.
"""

from importlib.resources import files

import mcp_types as types
from mcp.server.apps import APP_MIME_TYPE

from pellucid.xray.render.as_html import render_shell

URI = "ui://pellucid/xray"
_META: dict[str, object] = {"ui": {"csp": {}, "prefersBorder": False}}

PAGE = types.Resource(
    name="xray",
    title="X-ray",
    uri=URI,
    description="The X-ray of a recall as a page within the chat.",
    mime_type=APP_MIME_TYPE,
    _meta=_META,
)
XRAY_PAGE = types.TextResourceContents(
    uri=URI,
    mime_type=APP_MIME_TYPE,
    text=render_shell(files("pellucid.surfaces.mcp").joinpath("page.js").read_text("utf-8")),
    _meta=_META,
)
