"""The content of one message in, its text, tool calls and tool outputs out, by the block names of every known API."""

import json
from dataclasses import dataclass, field
from itertools import groupby
from typing import Literal

from pellucid.capture.transcripts.json_values import JsonObject, as_list, as_object, text_at

_THINKING = frozenset({"thinking", "redacted_thinking", "reasoning"})
_MEDIA = {
    **dict.fromkeys(("image", "input_image", "image_url", "image_asset_pointer"), "[image]"),
    **dict.fromkeys(("audio", "input_audio"), "[audio]"),
    **dict.fromkeys(("file", "input_file"), "[file]"),
    "document": "[document]",
}


@dataclass(frozen=True, slots=True)
class MessageBlock:
    """One piece of a message: text, a tool call, the output of a call, or thinking.

    `call_id` links an output to its call. `arguments` are a call's, unparsed; `failed` is whether an output's call
    failed (None if the source does not say); `details` is the agent program's own record of an output.
    """

    kind: Literal["text", "call", "output", "thinking"]
    text: str
    tool: str | None = None
    call_id: str | None = None
    arguments: object = None
    failed: bool | None = None
    details: JsonObject = field(default_factory=dict[str, object])


def message_blocks(content: object) -> list[MessageBlock]:
    """Return the blocks of a message, given its content, a string or a list of items; neighbouring texts are joined by
    line ends.

    Empty for content of any other type.
    """
    if isinstance(content, str):
        return [MessageBlock("text", content)]
    found = [_message_block(item) for item in as_list(content)]
    joined: list[MessageBlock] = []
    for is_text, neighbours in groupby(found, lambda block: block.kind == "text"):
        run = list(neighbours)
        joined += [MessageBlock("text", "\n".join(block.text for block in run))] if is_text else run
    return joined


def call_text(arguments: object) -> str:
    """Return a tool call's arguments, an object or JSON text, as `name: value` lines, values other than strings as
    JSON.

    Strings are not escaped, so that people can read them and secrets in them are found. Text that is not JSON is
    returned as it is, a JSON string without its quotes, any other JSON but an object as JSON; what is empty, null, zero
    or false, and no arguments, as `{}`.
    """
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            return str(arguments)
    named = as_object(arguments)
    return "\n".join(f"{name}: {_as_text(value)}" for name, value in named.items()) or _as_text(arguments or {})


def output_text(content: object) -> str:
    """Return the content of a tool's output as text: a string, the string or list under `content` or `output` of an
    object, however deep, or the texts of a list of blocks, joined by line ends.

    An object with other keys only becomes JSON; an empty one, and any other value, "".
    """
    while wrapped := as_object(content):
        key = next((key for key in ("content", "output") if key in wrapped), None)
        content = wrapped[key] if key else _as_text(wrapped)
    if isinstance(content, str):
        return content
    return "\n".join(block.text for block in message_blocks(content))


def _message_block(item: object) -> MessageBlock:
    """Return an item of a message's content as a block: a text, a tool call, an output, or thinking without its words.

    An image, audio or file becomes the text `[image]`, `[audio]`, `[file]` or `[document]`, an item of an unknown type
    without text `[type]`.
    """
    if isinstance(item, str):
        return MessageBlock("text", item)
    block = as_object(item)
    kind = text_at(block, "type", "content_type") or "text"
    if kind in _THINKING:
        return MessageBlock("thinking", "")
    if kind in _MEDIA:
        return MessageBlock("text", _MEDIA[kind])
    if kind.endswith("tool_use"):
        arguments = block.get("input")
        return MessageBlock("call", call_text(arguments), text_at(block, "name"), text_at(block, "id"), arguments)
    if kind.endswith("tool_result"):
        failed, call_id = block.get("is_error") is True, text_at(block, "tool_use_id")
        return MessageBlock("output", output_text(block.get("content")), call_id=call_id, failed=failed)
    return MessageBlock("text", text_at(block, "text", "refusal") or ("" if "text" in block else f"[{kind}]"))


def _as_text(value: object) -> str:
    """Return a string as it is, any other value as JSON; `[nested too deeply]` if it cannot be made JSON."""
    try:
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return "[nested too deeply]"
