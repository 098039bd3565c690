"""A Codex rollout file (`~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl`) in, its turns out.

Today's lines are `{timestamp, type, payload}`; the response items alone are the conversation (event messages repeat
it). Older files hold the items bare, after a first line with the session's id.
"""

from collections.abc import Iterator
from datetime import datetime

from pellucid.capture.transcripts.blocks import Block, ToolNames, blocks, call_text, output_text, turns_of
from pellucid.capture.transcripts.json_values import JsonObject, as_list, as_object, instant_at, text_at
from pellucid.capture.transcripts.noise import is_harness_text
from pellucid.capture.transcripts.numbering import UNNUMBERED, Numbering
from pellucid.capture.transcripts.source import Source
from pellucid.model.turn import Role, Turn

AGENT = "codex"
ENVELOPES = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})
_CALLS = frozenset({"function_call", "custom_tool_call", "local_shell_call", "web_search_call"})
_OUTPUTS = frozenset({"function_call_output", "custom_tool_call_output", "local_shell_call_output"})
_ITEMS = _CALLS | _OUTPUTS | {"message", "reasoning"}


def read(source: Source) -> Iterator[Turn]:
    """Stream the turns of a Codex rollout file."""
    return Numbering(source).number(_turns(source))


def recognises(value: JsonObject) -> bool:
    """Whether a line belongs to this format."""
    if value.get("type") in ENVELOPES:
        return "payload" in value
    bare_item = value.get("type") in _ITEMS and ("role" not in value or isinstance(value.get("content"), list))
    return bare_item or value.get("record_type") == "state" or _is_bare_start(value)


def _is_bare_start(value: JsonObject) -> bool:
    return {"id", "timestamp"} <= value.keys() and bool({"instructions", "git", "cwd"} & value.keys())


def _turns(source: Source) -> Iterator[Turn]:
    tools = ToolNames()
    session = ""
    for _, line in source.objects():
        kind = text_at(line, "type")
        item = as_object(line.get("payload")) if kind in ENVELOPES else line
        if kind == "session_meta" or (kind is None and _is_bare_start(item)):
            # a resumed rollout repeats the meta line of the session it was forked from: the first is its own
            session = session or text_at(item, "id") or ""
        elif kind in ENVELOPES and kind != "response_item":
            source.report.drop("not-a-turn")
        else:
            at = instant_at(line, "timestamp") or instant_at(item, "timestamp")
            yield from _item_turns(item, session or source.path.stem, at, tools, source)


def _item_turns(
    item: JsonObject, session: str, at: datetime | None, tools: ToolNames, source: Source
) -> Iterator[Turn]:
    kind = text_at(item, "type")
    key = text_at(item, "id") or text_at(item, "call_id")
    frame = Turn(session, UNNUMBERED, _role(item), "", at=at, agent=AGENT, key=f"{kind}:{key}" if key else None)
    if kind == "message":
        words = blocks(item.get("content"))
        if item.get("role") == "developer" or any(is_harness_text(block.text) for block in words):
            source.report.drop("harness-noise")
        else:
            yield from turns_of(words, frame, tools, source.report)
    elif kind in _CALLS:
        yield from turns_of([_call(kind, item)], frame, tools, source.report)
    elif kind in _OUTPUTS:
        output = Block("output", _output(item.get("output")), call_id=text_at(item, "call_id"))
        yield from turns_of([output], frame, tools, source.report)
    else:
        source.report.drop("thinking" if kind == "reasoning" else "not-a-turn")


def _role(item: JsonObject) -> Role:
    match item.get("role"):
        case "user":
            return "user"
        case "system" | "developer":
            return "system"
        case _:
            return "assistant"


def _call(kind: str, item: JsonObject) -> Block:
    call_id = text_at(item, "call_id", "id")
    if kind == "local_shell_call":
        command = as_list(as_object(item.get("action")).get("command"))
        return Block("call", " ".join(str(word) for word in command), "shell", call_id)
    if kind == "web_search_call":
        return Block("call", call_text(item.get("action") or {}), "web_search", call_id)
    arguments = item.get("arguments") if kind == "function_call" else item.get("input")
    return Block("call", call_text(arguments), text_at(item, "name"), call_id)


def _output(output: object) -> str:
    """A shell's output arrives as JSON text `{"output": …, "metadata": …}`; the words are under `output`."""
    if isinstance(output, str) and output.startswith('{"output":'):
        return call_text(output).removeprefix("output: ").partition("\nmetadata: ")[0]
    return output_text(output)
