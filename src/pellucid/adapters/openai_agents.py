# pyright: basic, reportMissingImports=false
# the framework is not installed where types are checked
"""An opened home in, tools and a session for the OpenAI Agents SDK out: what is said in it is kept in mind, too."""

from asyncio import to_thread
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from agents import FunctionTool, function_tool
from agents.memory import Session

from pellucid.adapters.calls import MemoryCalls
from pellucid.facade import Pellucid

_ROLES = ("user", "assistant")


def tools(memory: Pellucid, *, session_id: str | None = None, agent: str | None = None) -> list[FunctionTool]:
    """The tools `recall` and `remember`: `Agent(…, tools=tools(memory))`."""
    calls = MemoryCalls(memory, session_id, agent)
    return [function_tool(function, name_override=name) for name, function in calls.named()]


class RememberedSession:
    """A session of the SDK around another one that keeps its items; the turns among them become memories, too.

    `Runner.run(agent, words, session=RememberedSession(memory, SQLiteSession("one")))`. What is taken back of the
    inner session (`pop_item`, `clear_session`) is not forgotten: `memory.edit.forget` does that.
    """

    def __init__(self, memory: Pellucid, inner: Session) -> None:
        """Wrap a session.

        Args:
            memory: an opened home; whoever opened it closes it.
            inner: what keeps the items; its `session_id` is the session's.
        """
        self._memory, self._inner = memory, inner
        self.session_id = inner.session_id
        self.session_settings = inner.session_settings

    async def get_items(self, limit: int | None = None) -> list[Any]:
        """The newest items, as the inner session has them."""
        return await self._inner.get_items(limit)

    async def add_items(self, items: list[Any]) -> None:
        """Keep items; what somebody said among them waits in the spool until it is looked at."""
        await self._inner.add_items(items)
        if turns := list(_turns(items)):
            await to_thread(self._memory.observe, *turns, session_id=self.session_id)

    async def pop_item(self) -> Any:
        """The newest item, taken out of the inner session."""
        return await self._inner.pop_item()

    async def clear_session(self) -> None:
        """Empty the inner session."""
        await self._inner.clear_session()

    async def end(self) -> None:
        """Make memories of all that waits of the session."""
        await to_thread(self._memory.observe, session_id=self.session_id, flush="session_end")


def _turns(items: Sequence[Any]) -> Iterator[dict[str, object]]:
    """What a user or the agent said, as turns; calls and their outputs are no statements."""
    for item in items:
        said = cast("Mapping[str, Any]", item)
        if said.get("role") in _ROLES and (text := _text(said.get("content"))):
            yield {"role": said["role"], "content": text}


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = cast("list[Any]", content) if isinstance(content, list) else []
    return "\n".join(part["text"] for part in parts if isinstance(part, Mapping) and isinstance(part.get("text"), str))
