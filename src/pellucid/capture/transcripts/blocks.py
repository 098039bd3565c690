"""The content of one message in, its text, tool calls and tool outputs out; the block names of every known API."""

import json
from dataclasses import dataclass, field
from itertools import groupby
from typing import Literal

from pellucid.capture.transcripts.json_values import JsonObject, as_list, as_object, text_at

_THINKING = frozenset({"thinking", "redacted_thinking", "reasoning"})
_MEDIA = {
    "image": "[image]",
    "input_image": "[image]",
    "image_url": "[image]",
    "image_asset_pointer": "[image]",
    "audio": "[audio]",
    "input_audio": "[audio]",
    "document": "[document]",
    "file": "[file]",
    "input_file": "[file]",
}


@dataclass(frozen=True, slots=True)
class MessageBlock:
    """One piece of a message; `call_id` ties an output to its call.

    `arguments` are a call's as the source has them; `failed` says whether an output is that of a call that failed (None
    if the source does not say), and `details` is the harness's own form of it.
    """

    kind: Literal["text", "call", "output", "thinking"]
    text: str
    tool: str | None = None
    call_id: str | None = None
    arguments: object = None
    failed: bool | None = None
    details: JsonObject = field(default_factory=dict[str, object])


def blocks(content: object) -> list[MessageBlock]:
    """The blocks of a message, whose content is a string or a list; neighbouring texts become one."""
    if isinstance(content, str):
        return [MessageBlock("text", content)]
    found = [_message_block(item) for item in as_list(content)]
    joined: list[MessageBlock] = []
    for is_text, neighbours in groupby(found, lambda block: block.kind == "text"):
        run = list(neighbours)
        joined += [MessageBlock("text", "\n".join(block.text for block in run))] if is_text else run
    return joined


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


def _message_block(item: object) -> MessageBlock:
    """One piece of a message as text, thinking, a tool's call or its output; what else it may be only as `[kind]`."""
    if isinstance(item, str):
        return MessageBlock("text", item)
    block = as_object(item)
    kind = text_at(block, "type", "content_type") or "text"
    if kind in _THINKING:
        return MessageBlock("thinking", "")
    if kind in _MEDIA:
        return MessageBlock("text", _MEDIA[kind])
    if kind.endswith("tool_use"):
        given = block.get("input")
        return MessageBlock("call", call_text(given), text_at(block, "name"), text_at(block, "id"), given)
    if kind.endswith("tool_result"):
        failed, call_id = block.get("is_error") is True, text_at(block, "tool_use_id")
        return MessageBlock("output", output_text(block.get("content")), call_id=call_id, failed=failed)
    return MessageBlock("text", text_at(block, "text", "refusal") or ("" if "text" in block else f"[{kind}]"))


def _plain(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
