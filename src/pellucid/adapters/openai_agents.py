# pyright: basic, reportMissingImports=false
# the framework is not installed where types are checked
"""An opened home in, tools and a session for the OpenAI Agents SDK out; the session's turns become memories."""

from asyncio import to_thread
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from agents import FunctionTool, function_tool
from agents.memory import Session

from pellucid.adapters.calls import MemoryCalls
from pellucid.facade import Pellucid

_ROLES = ("user", "assistant")


def tools(memory: Pellucid, *, session_id: str | None = None, agent: str | None = None) -> list[FunctionTool]:
    """Return the tools `recall` and `remember` for `Agent(…, tools=tools(memory))`.

    `memory` is an opened home, which whoever opened it closes; `session_id` and `agent`, if given, are the session and
    the agent's name under which the tools recall and remember.
    """
    calls = MemoryCalls(memory, session_id, agent)
    return [function_tool(function, name_override=name) for name, function in calls.tools()]


class RememberedSession:
    """An SDK session that stores its items in another session, and makes memories of the turns among them.

    `Runner.run(agent, words, session=RememberedSession(memory, SQLiteSession("one")))`. Removing items (`pop_item`,
    `clear_session`) removes them from the inner session only; `memory.edit.forget` takes memories back.
    """

    def __init__(self, memory: Pellucid, inner: Session) -> None:
        """Wrap the session that stores the items; `memory` is an opened home, which whoever opened it closes."""
        self._memory, self._inner = memory, inner
        self.session_id = inner.session_id
        self.session_settings = inner.session_settings

    async def get_items(self, limit: int | None = None) -> list[Any]:
        """Return the newest `limit` items of the inner session, in the order in which it gives them; for None, as many
        as the inner session gives without a limit, which by its default settings are all.
        """
        return await self._inner.get_items(limit)

    async def add_items(self, items: list[Any]) -> None:
        """Add items to the inner session, and write the turns among them (messages of user and assistant with a text)
        to the home's spool, the store of turns that wait to become memories.

        They wait there until a flush makes memories of them, when one is due (docs/flush.md) or at the latest at `end`.
        If writing to the spool fails, its error is raised; the items stay in the inner session.
        """
        await self._inner.add_items(items)
        if turns := list(_read_turns(items)):
            await to_thread(self._memory.observe, *turns, session_id=self.session_id)

    async def pop_item(self) -> Any:
        """Remove the newest item from the inner session, and return it; None if the session is empty. The spool (turns
        that wait to become memories) and the memories keep its words.
        """
        return await self._inner.pop_item()

    async def clear_session(self) -> None:
        """Empty the inner session; the spool (turns that wait to become memories) and the memories keep its words."""
        await self._inner.clear_session()

    async def end(self) -> None:
        """Make memories of those turns of this session that wait for it in the home's spool, where `add_items` put
        them; the inner session stays as it is.
        """
        await to_thread(self._memory.observe, session_id=self.session_id, flush="session_end")


def _read_turns(items: Sequence[Any]) -> Iterator[dict[str, object]]:
    """Yield those items that are messages of the user or the assistant with a text as turns `{role, content}`.

    All others are left out: tool calls, tool outputs, empty texts, other roles.
    """
    for item in items:
        message = cast("Mapping[str, Any]", item)
        if message.get("role") in _ROLES and (text := _message_text(message.get("content"))):
            yield {"role": message["role"], "content": text}


def _message_text(content: object) -> str:
    """Return the text of a message's content: a string as it is; of a list the `text` of those parts that have one,
    joined by line ends; "" for anything else.
    """
    if isinstance(content, str):
        return content
    parts = cast("list[Any]", content) if isinstance(content, list) else []
    return "\n".join(part["text"] for part in parts if isinstance(part, Mapping) and isinstance(part.get("text"), str))
