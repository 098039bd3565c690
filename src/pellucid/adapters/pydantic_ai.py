# pyright: basic, reportMissingImports=false
# the framework is not installed where types are checked
"""An opened home in, a toolset for Pydantic AI out: `Agent(…, toolsets=[toolset(memory)])`."""

from typing import Any

from pydantic_ai import FunctionToolset, Tool

from pellucid.adapters.calls import INSTRUCTIONS, MemoryCalls
from pellucid.facade import Pellucid


def toolset(memory: Pellucid, *, session_id: str | None = None, agent: str | None = None) -> FunctionToolset[Any]:
    """Return the tools `recall` and `remember` as a toolset, with instructions for the agent on when to use them.

    Args:
        memory: an opened home; whoever opened it closes it.
        session_id: the session that asks and remembers, if there is one.
        agent: the agent's name, if it has one.
    """
    calls = MemoryCalls(memory, session_id, agent)
    tools = [Tool(function, name=name, takes_ctx=False) for name, function in calls.tools()]
    return FunctionToolset(tools, id="pellucid", instructions=INSTRUCTIONS)
