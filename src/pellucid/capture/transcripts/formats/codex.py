"""A Codex rollout file (`~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl`) in, its turns out.

Today's lines are `{timestamp, type, payload}`; the response items alone are the conversation (event messages repeat
it, and add a title; a compaction's summary is a line of its own). Older files hold the items bare, after a first line
with the session's id.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from pellucid.capture.transcripts.blocks import MessageBlock, blocks, call_text, output_text
from pellucid.capture.transcripts.json_values import JsonObject, as_list, as_object, instant_at, text_at
from pellucid.capture.transcripts.noise import is_harness_text, plan_to_carry_out, request_alone
from pellucid.capture.transcripts.numbering import UNNUMBERED, Numbering
from pellucid.capture.transcripts.source import Source
from pellucid.capture.transcripts.thread import Thread
from pellucid.capture.transcripts.tools.results import turns_of
from pellucid.model.turn import Role, Turn

AGENT = "codex"
ENVELOPES = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})
_CALLS = frozenset({"function_call", "custom_tool_call", "local_shell_call", "web_search_call"})
_OUTPUTS = frozenset({"function_call_output", "custom_tool_call_output", "local_shell_call_output"})
_METADATA = re.compile(r'"exit_code":\s{0,4}(-?\d{1,5})\b')
_EXIT = re.compile(r"^(?:Exit code:|Process exited with code) (-?\d{1,5})\b", re.MULTILINE)
_HEADER = 400
"""Characters of an output in which its exit code is looked for."""
_PROPOSED = re.compile(r"<proposed_plan>((?:(?!<proposed_plan>).)*)</proposed_plan>", re.DOTALL)
_GO = "Implement the plan."
"""What the harness sends in the user's name when a proposed plan is accepted."""
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
    """The turns of a rollout, line by line; the session, the folder and the branch are as last noted."""
    thread = source.thread
    for _, line in source.objects():
        kind = text_at(line, "type")
        item = as_object(line.get("payload")) if kind in ENVELOPES else line
        if kind == "session_meta" or (kind is None and _is_bare_start(item)):
            # a resumed rollout repeats the meta line of the session it was forked from: the first is its own
            thread.session = thread.session or text_at(item, "id") or ""
            _note_place(item, thread)
            continue
        at = instant_at(line, "timestamp") or instant_at(item, "timestamp")
        session = thread.session or source.path.stem
        frame = Turn(
            session, UNNUMBERED, _role(item), "", at=at, agent=AGENT, folder=thread.folder, branch=thread.branch
        )
        if kind in ENVELOPES and kind != "response_item":
            yield from _beside_the_talk(kind, item, frame, source)
        else:
            yield from _item_turns(item, frame, source)


def _note_place(item: JsonObject, thread: Thread) -> None:
    thread.folder = text_at(item, "cwd") or thread.folder
    thread.branch = text_at(as_object(item.get("git")), "branch") or thread.branch


def _beside_the_talk(kind: str | None, item: JsonObject, frame: Turn, source: Source) -> Iterator[Turn]:
    """The turns of lines beside the messages: a summary, a title; also notes where the session now works.

    Other events only repeat the messages, and are counted.
    """
    if kind == "compacted" and (summary := text_at(item, "message")):
        yield replace(frame, role="assistant", kind="recap", content=summary)
    elif kind == "event_msg" and item.get("type") == "thread_name_updated" and (title := text_at(item, "thread_name")):
        yield replace(frame, role="assistant", kind="title", content=title)
    else:
        _note_place(item, source.thread)
        source.report.drop("not-a-turn")


def _item_turns(item: JsonObject, frame: Turn, source: Source) -> Iterator[Turn]:
    """The turns of one item: a message, a tool's call or its output; anything else is counted."""
    kind, calls = text_at(item, "type"), source.thread.calls
    key = text_at(item, "id") or text_at(item, "call_id")
    frame = replace(frame, key=f"{kind}:{key}" if key else None)
    if kind == "message":
        yield from _message_turns(item, frame, source)
    elif kind in _CALLS:
        yield from turns_of([_call_block(kind, item)], frame, calls, source.report)
    elif kind in _OUTPUTS:
        text, failed = _output_text(item.get("output"))
        output = MessageBlock("output", text, call_id=text_at(item, "call_id"), failed=failed)
        yield from turns_of([output], frame, calls, source.report)
    else:
        source.report.drop("thinking" if kind == "reasoning" else "not-a-turn")


def _message_turns(item: JsonObject, frame: Turn, source: Source) -> Iterator[Turn]:
    """The turns of a message; a plan is one once accepted, and what the harness says in a person's name is none."""
    words = blocks(item.get("content"))
    if item.get("role") == "developer" or any(is_harness_text(block.text) for block in words):
        source.report.drop("harness-noise")
        return
    thread = source.thread
    for turn in turns_of(words, frame, thread.calls, source.report):
        if turn.role == "assistant" and (proposed := _PROPOSED.search(turn.content)):
            thread.plan = proposed[1].strip()
        accepted = ""
        if turn.role == "user":
            accepted = plan_to_carry_out(turn.content) or (thread.plan if turn.content.strip() == _GO else "")
            thread.plan = ""
        if accepted:
            yield replace(turn, role="assistant", kind="plan", content=accepted)
        else:
            yield replace(turn, content=request_alone(turn.content) if turn.role == "user" else turn.content)


def _role(item: JsonObject) -> Role:
    """Who speaks in an item: `developer` counts as system, what names nobody as the assistant."""
    match item.get("role"):
        case "user":
            return "user"
        case "system" | "developer":
            return "system"
        case _:
            return "assistant"


def _call_block(kind: str, item: JsonObject) -> MessageBlock:
    """A tool call of any of the kinds as a block, with its name, id and arguments."""
    call_id = text_at(item, "call_id", "id")
    if kind == "local_shell_call":
        command = as_list(as_object(item.get("action")).get("command"))
        return MessageBlock("call", " ".join(str(word) for word in command), "shell", call_id, {"command": command})
    if kind == "web_search_call":
        return MessageBlock("call", call_text(item.get("action") or {}), "web_search", call_id)
    arguments = item.get("arguments") if kind == "function_call" else item.get("input")
    return MessageBlock("call", call_text(arguments), text_at(item, "name"), call_id, arguments)


def _output_text(output: object) -> tuple[str, bool | None]:
    """The words of an output, and whether the call failed, where that is told.

    A shell's output arrives as JSON text `{"output": …, "metadata": {"exit_code": …}}`, or under lines of which one
    names the exit code.
    """
    if isinstance(output, str) and output.startswith('{"output":'):
        words = call_text(output).removeprefix("output: ").partition("\nmetadata: ")[0]
        code = _METADATA.search(output)
    else:
        words = output_text(output)
        code = _EXIT.search(words[:_HEADER])
    return words, int(code[1]) != 0 if code else None
