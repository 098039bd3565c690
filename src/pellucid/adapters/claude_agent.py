# pyright: basic, reportMissingImports=false
# the framework is not installed where types are checked
"""An opened home in, hooks and tools for the Claude Agent SDK out: the same events as Claude Code's own hooks tell."""

from asyncio import to_thread
from typing import Any

from claude_agent_sdk import HookMatcher, create_sdk_mcp_server, tool
from claude_agent_sdk.types import HookEvent, McpSdkServerConfig

from pellucid.adapters.calls import MemoryCalls
from pellucid.facade import Pellucid

_EVENTS: tuple[HookEvent, ...] = ("UserPromptSubmit", "Stop", "PreCompact")
"""Those that the SDK tells a program of; the brief is asked for with `memory.call("session.brief")`."""


def hooks(memory: Pellucid) -> dict[HookEvent, list[HookMatcher]]:
    """What to give as `ClaudeAgentOptions(hooks=…)`: prompts are answered from memory, transcripts read afterwards."""

    async def answer_event(said: Any, _tool_use_id: str | None, _context: Any) -> Any:
        answer = await to_thread(memory.call, "hook.event", host="claude-code", event=dict(said))
        return answer.print

    return {event: [HookMatcher(hooks=[answer_event])] for event in _EVENTS}


def server(memory: Pellucid, *, session_id: str | None = None, agent: str | None = None) -> McpSdkServerConfig:
    """The tools `recall` and `remember`, within this process: `ClaudeAgentOptions(mcp_servers={"pellucid": …})`."""
    calls = MemoryCalls(memory, session_id, agent)

    @tool("recall", calls.recall.__doc__ or "", {"query": str})
    async def recall(given: dict[str, Any]) -> dict[str, Any]:
        return _said(await calls.arecall(given["query"]))

    @tool("remember", calls.remember.__doc__ or "", {"statement": str})
    async def remember(given: dict[str, Any]) -> dict[str, Any]:
        return _said(await calls.aremember(given["statement"]))

    return create_sdk_mcp_server("pellucid", tools=[recall, remember])


def _said(text: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}]}
