"""A Codex rollout file (`~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl`) in, its turns out.

Today's lines are `{timestamp, type, payload}`; the response items alone are the conversation (event messages repeat it,
and add a title; a compaction's summary is a line of its own). Older files have the items bare, after a first line with
the session's id.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from pellucid.capture.transcripts.blocks import MessageBlock, call_text, message_blocks, output_text
from pellucid.capture.transcripts.json_values import JsonObject, as_list, as_object, instant_at, object_in, text_at
from pellucid.capture.transcripts.noise import accepted_plan, is_harness_text, without_open_files
from pellucid.capture.transcripts.numbering import UNNUMBERED, numbered
from pellucid.capture.transcripts.source import Source
from pellucid.capture.transcripts.thread import Thread
from pellucid.capture.transcripts.tools.results import block_turns
from pellucid.model.turn import Role, Turn

AGENT = "codex"
ENVELOPES = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})
_CALLS = frozenset({"function_call", "custom_tool_call", "local_shell_call", "web_search_call"})
_OUTPUTS = frozenset({"function_call_output", "custom_tool_call_output", "local_shell_call_output"})
_METADATA = re.compile(r'"exit_code":\s{0,4}(-?\d{1,5})\b')
_EXIT = re.compile(r"^(?:Exit code:|Process exited with code) (-?\d{1,5})\b", re.MULTILINE)
_HEADER = 400  # characters of an output that are searched for its exit code
_PROPOSED = re.compile(r"<proposed_plan>((?:(?!<proposed_plan>).)*)</proposed_plan>", re.DOTALL)
_GO = "Implement the plan."  # what the harness sends in the user's name when a proposed plan is accepted
_ROLES: dict[str, Role] = {"user": "user", "system": "system", "developer": "system"}
_ITEMS = _CALLS | _OUTPUTS | {"message", "reasoning"}


def recognises(value: JsonObject) -> bool:
    """Whether a line of JSON belongs to this format: an envelope with a payload, or of an older file an item without
    envelope, a `state` record or the first line.
    """
    if value.get("type") in ENVELOPES:
        return "payload" in value
    bare_item = value.get("type") in _ITEMS and ("role" not in value or isinstance(value.get("content"), list))
    return bare_item or value.get("record_type") == "state" or _is_bare_start(value)


def _is_bare_start(value: JsonObject) -> bool:
    """Whether a line is the first of an older file, which names the session without an envelope: it has `id`,
    `timestamp`, and one of `instructions`, `git` and `cwd`.
    """
    return {"id", "timestamp"} <= value.keys() and bool({"instructions", "git", "cwd"} & value.keys())


@numbered
def read(source: Source) -> Iterator[Turn]:
    """Yield the turns of a Codex rollout (the file of a session); lines that are no turn are counted in the report, by
    reason.

    A turn's session is the first that a line before it names, until then the file's stem; its folder and branch are
    those that were named last.
    """
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
        role = _ROLES.get(text_at(item, "role") or "", "assistant")
        frame = Turn(session, UNNUMBERED, role, "", at=at, agent=AGENT, folder=thread.folder, branch=thread.branch)
        if kind in ENVELOPES and kind != "response_item":
            yield from _event_turns(kind, item, frame, source)
        else:
            yield from _item_turns(item, frame, source)


def _note_place(item: JsonObject, thread: Thread) -> None:
    """Note in `thread` the folder and branch that a line names; what it does not name stays."""
    thread.folder = text_at(item, "cwd") or thread.folder
    thread.branch = text_at(as_object(item.get("git")), "branch") or thread.branch


def _event_turns(kind: str | None, item: JsonObject, frame: Turn, source: Source) -> Iterator[Turn]:
    """Yield the turn of an enveloped line that is not a response item: a compaction's summary, or a title.

    `kind` is the line's type, `item` its payload, `frame` its turn, still without content. Any other line yields
    nothing and is counted as `not-a-turn`: it repeats a message, or names the session's folder and branch, which are
    noted in the source's thread.
    """
    if kind == "compacted" and (summary := text_at(item, "message")):
        yield replace(frame, role="assistant", kind="recap", content=summary)
    elif kind == "event_msg" and item.get("type") == "thread_name_updated" and (title := text_at(item, "thread_name")):
        yield replace(frame, role="assistant", kind="title", content=title)
    else:
        _note_place(item, source.thread)
        source.report.drop("not-a-turn")


def _item_turns(item: JsonObject, frame: Turn, source: Source) -> Iterator[Turn]:
    """Yield the turns of one item: a message, a tool call or its output; any other is counted, as `thinking` or
    `not-a-turn`.

    `frame` is the line's turn, still without content; its key becomes `<type>:<id>`, None if the item has no id.
    """
    kind, calls = text_at(item, "type"), source.thread.calls
    key = text_at(item, "id") or text_at(item, "call_id")
    frame = replace(frame, key=f"{kind}:{key}" if key else None)
    if kind == "message":
        yield from _message_turns(item, frame, source)
    elif kind in _CALLS:
        yield from block_turns([_call_block(kind, item)], frame, calls, source.report)
    elif kind in _OUTPUTS:
        text, failed = _output_text(item.get("output"))
        output = MessageBlock("output", text, call_id=text_at(item, "call_id"), failed=failed)
        yield from block_turns([output], frame, calls, source.report)
    else:
        source.report.drop("thinking" if kind == "reasoning" else "not-a-turn")


def _message_turns(item: JsonObject, frame: Turn, source: Source) -> Iterator[Turn]:
    """Yield the turns of a message; a user's turn that accepts a plan becomes the assistant's turn with that plan.

    `frame` is the item's turn, still without content. A developer's message, and one that the agent's program wrote, is
    counted as `harness-noise`. A plan that the assistant proposes is kept in the thread until the user's next turn,
    which accepts it if it is `Implement the plan.`; or the turn contains the plan itself (`accepted_plan`). A user's
    words lose the editor's list of open files.
    """
    found = message_blocks(item.get("content"))
    if item.get("role") == "developer" or any(is_harness_text(block.text) for block in found):
        source.report.drop("harness-noise")
        return
    thread = source.thread
    for turn in block_turns(found, frame, thread.calls, source.report):
        if turn.role == "assistant" and (proposed := _PROPOSED.search(turn.content)):
            thread.plan = proposed[1].strip()
        accepted = ""
        if turn.role == "user":
            accepted = accepted_plan(turn.content) or (thread.plan if turn.content.strip() == _GO else "")
            thread.plan = ""
        if accepted:
            yield replace(turn, role="assistant", kind="plan", content=accepted)
        else:
            yield replace(turn, content=without_open_files(turn.content) if turn.role == "user" else turn.content)


def _call_block(kind: str, item: JsonObject) -> MessageBlock:
    """Return a tool call of any kind in `_CALLS` as a block with its text, name, id and arguments; a local shell call
    is named `shell`, a search, which has no arguments here, `web_search`.
    """
    call_id = text_at(item, "call_id", "id")
    if kind == "local_shell_call":
        command = as_list(as_object(item.get("action")).get("command"))
        return MessageBlock("call", " ".join(str(word) for word in command), "shell", call_id, {"command": command})
    if kind == "web_search_call":
        return MessageBlock("call", call_text(item.get("action") or {}), "web_search", call_id)
    arguments = item.get("arguments") if kind == "function_call" else item.get("input")
    return MessageBlock("call", call_text(arguments), text_at(item, "name"), call_id, arguments)


def _output_text(output: object) -> tuple[str, bool | None]:
    """Return the text of a tool's output, and whether the call failed: its exit code is not 0 (None: the output has
    none).

    The output of a shell is JSON text, `{"output": …, "metadata": {"exit_code": …}}`, of which the text is the
    `output`; or text with the code in a header line, which is looked for in its first 400 characters.
    """
    if isinstance(output, str) and output.startswith('{"output":'):
        words = output_text(object_in(output).get("output", output))
        code = _METADATA.search(output)
    else:
        words = output_text(output)
        code = _EXIT.search(words[:_HEADER])
    return words, int(code[1]) != 0 if code else None
