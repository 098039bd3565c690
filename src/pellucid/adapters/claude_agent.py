# pyright: basic, reportMissingImports=false
# the framework is not installed where types are checked
"""An opened home in, hooks and tools for the Claude Agent SDK out; the events are those of Claude Code's own hooks."""

from asyncio import to_thread
from typing import Any

from claude_agent_sdk import HookMatcher, create_sdk_mcp_server, tool
from claude_agent_sdk.types import HookEvent, McpSdkServerConfig

from pellucid.adapters.calls import MemoryCalls
from pellucid.facade import Pellucid

_EVENTS: tuple[HookEvent, ...] = ("UserPromptSubmit", "Stop", "PreCompact")
"""The events that the SDK reports to a program; the brief comes from `memory.call("session.brief")`."""


def hooks(memory: Pellucid) -> dict[HookEvent, list[HookMatcher]]:
    """Return the value for `ClaudeAgentOptions(hooks=…)`; `memory` is an opened home, which whoever opened it closes.

    The events `UserPromptSubmit`, `Stop` and `PreCompact` go to the operation `hook.event`, as the events of Claude
    Code's own hooks do.
    """

    async def answer_event(event: Any, _tool_use_id: str | None, _context: Any) -> Any:
        """Pass an SDK event to the operation `hook.event`, in another thread, and return what the operation has the
        host print: a JSON object.
        """
        answer = await to_thread(memory.call, "hook.event", host="claude-code", event=dict(event))
        return answer.print

    return {event: [HookMatcher(hooks=[answer_event])] for event in _EVENTS}


def server(memory: Pellucid, *, session_id: str | None = None, agent: str | None = None) -> McpSdkServerConfig:
    """Return an in-process MCP server with the tools `recall` and `remember`, for `ClaudeAgentOptions(mcp_servers=…)`.

    `memory` is an opened home, which whoever opened it closes; `session_id` and `agent`, if given, are the session and
    the agent's name under which the tools recall and remember.
    """
    calls = MemoryCalls(memory, session_id, agent)

    @tool("recall", calls.recall.__doc__ or "", {"query": str})
    async def recall(arguments: dict[str, Any]) -> dict[str, Any]:
        """Answer a tool call with the context that `arguments["query"]` recalls."""
        return _text_result(await calls.arecall(arguments["query"]))

    @tool("remember", calls.remember.__doc__ or "", {"statement": str})
    async def remember(arguments: dict[str, Any]) -> dict[str, Any]:
        """Remember `arguments["statement"]`, and answer with `remembered: <id>` or `known already: <id>`."""
        return _text_result(await calls.aremember(arguments["statement"]))

    return create_sdk_mcp_server("pellucid", tools=[recall, remember])


def _text_result(text: str) -> dict[str, Any]:
    """Return a text as the result of an MCP tool call: `{"content": [{"type": "text", "text": text}]}`."""
    return {"content": [{"type": "text", "text": text}]}
