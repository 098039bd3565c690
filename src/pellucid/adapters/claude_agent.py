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
    """Return the value for `ClaudeAgentOptions(hooks=…)`: a matcher with one hook for each of the events
    `UserPromptSubmit`, `Stop` and `PreCompact`, which passes them to the operation `hook.event`, as Claude Code's own
    hooks do.

    `memory` is an opened home, which whoever opened it closes.
    """

    async def answer_event(event: Any, _tool_use_id: str | None, _context: Any) -> Any:
        """Pass an event of the SDK, a mapping, to the operation `hook.event` for the host `claude-code`, in another
        thread. Return the JSON object that a hook of this event would print, {} for nothing; errors of the operation
        are raised.
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
        """Return the context that `arguments["query"]` recalls, as the result of a tool call (see `_text_result`)."""
        return _text_result(await calls.arecall(arguments["query"]))

    @tool("remember", calls.remember.__doc__ or "", {"statement": str})
    async def remember(arguments: dict[str, Any]) -> dict[str, Any]:
        """Remember `arguments["statement"]`, and return `remembered: <id>` or `known already: <id>` as the result of a
        tool call.
        """
        return _text_result(await calls.aremember(arguments["statement"]))

    return create_sdk_mcp_server("pellucid", tools=[recall, remember])


def _text_result(text: str) -> dict[str, Any]:
    """Return a text as the result of an MCP tool call: `{"content": [{"type": "text", "text": text}]}`."""
    return {"content": [{"type": "text", "text": text}]}
