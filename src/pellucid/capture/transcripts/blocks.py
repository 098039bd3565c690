"""The content of one message in, its text, tool calls and tool outputs out; the block names of every known API."""

import json
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Literal

from pellucid.capture.report import CaptureReport
from pellucid.capture.transcripts.json_values import as_list, as_object, text_at
from pellucid.model.turn import Turn

_THINKING = frozenset({"thinking", "redacted_thinking", "reasoning"})
_MEDIA = {
    "image": "[image]", "input_image": "[image]", "image_url": "[image]", "image_asset_pointer": "[image]",
    "audio": "[audio]", "input_audio": "[audio]", "document": "[document]", "file": "[file]", "input_file": "[file]",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Block:
    """One piece of a message; `call_id` ties an output to its call."""

    kind: Literal["text", "call", "output", "thinking"]
    text: str
    tool: str | None = None
    call_id: str | None = None


class ToolNames:
    """Remembers which tool a call went to, until its output comes."""

    _MOST = 4096

    def __init__(self) -> None:
        self._names: OrderedDict[str, str] = OrderedDict()

    def remember(self, call_id: str | None, tool: str | None) -> None:
        """Note a call; the oldest unanswered call is forgotten past 4096."""
        if call_id and tool:
            self._names[call_id] = tool
            if len(self._names) > self._MOST:
                self._names.popitem(last=False)

    def answered(self, call_id: str | None) -> str | None:
        """The tool of the call this output answers."""
        return self._names.pop(call_id, None) if call_id else None


def blocks(content: object) -> list[Block]:
    """A message's content, a string or a list of blocks, with neighbouring texts joined."""
    if isinstance(content, str):
        return [Block("text", content)]
    found = [_block(item) for item in as_list(content)]
    joined: list[Block] = []
    for is_text, neighbours in groupby(found, lambda block: block.kind == "text"):
        run = list(neighbours)
        joined += [Block("text", "\n".join(block.text for block in run))] if is_text else run
    return joined


def turns_of(found: Iterable[Block], message: Turn, tools: ToolNames, report: CaptureReport) -> Iterator[Turn]:
    """One turn a block, each like `message` but for its words; thinking is no turn, and is counted."""
    for index, block in enumerate(found):
        key = f"{message.key}#{index}" if message.key else None
        if block.kind == "thinking":
            report.drop("thinking")
        elif block.kind == "text":
            yield replace(message, content=block.text, key=key)
        else:
            tool = block.tool or tools.answered(block.call_id)
            if block.kind == "call":
                tools.remember(block.call_id, tool)
            yield replace(message, role="tool", content=block.text, tool=tool, speaker=None, key=key)


def call_text(arguments: object) -> str:
    """A tool call's arguments as `name: value` lines; text that is JSON is read first.

    The values stand unescaped, as a person would read them, which is also how secrets in them are found.
    """
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            return str(arguments)
    named = as_object(arguments)
    return "\n".join(f"{name}: {_plain(value)}" for name, value in named.items()) or _plain(arguments or {})


def output_text(content: object) -> str:
    """A tool's output as text, whichever way it is wrapped."""
    if isinstance(content, str):
        return content
    if wrapped := as_object(content):
        return output_text(next((wrapped[key] for key in ("content", "output") if key in wrapped), _plain(wrapped)))
    return "\n".join(block.text for block in blocks(content))


def _block(item: object) -> Block:
    if isinstance(item, str):
        return Block("text", item)
    block = as_object(item)
    kind = text_at(block, "type", "content_type") or "text"
    if kind in _THINKING:
        return Block("thinking", "")
    if kind in _MEDIA:
        return Block("text", _MEDIA[kind])
    if kind.endswith("tool_use"):
        return Block("call", call_text(block.get("input")), text_at(block, "name"), text_at(block, "id"))
    if kind.endswith("tool_result"):
        return Block("output", output_text(block.get("content")), call_id=text_at(block, "tool_use_id"))
    return Block("text", text_at(block, "text", "refusal") or ("" if "text" in block else f"[{kind}]"))


def _plain(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
