"""One chat message in the OpenAI form in, its turns out: shared by every format made of `{role, content}` objects."""

from collections.abc import Iterator
from dataclasses import replace

from pellucid.capture.transcripts.blocks import MessageBlock, call_text, message_blocks, output_text
from pellucid.capture.transcripts.json_values import JsonObject, as_list, as_object, instant_at, text_at
from pellucid.capture.transcripts.numbering import UNNUMBERED
from pellucid.capture.transcripts.source import Source
from pellucid.capture.transcripts.tools.calls import PendingCalls
from pellucid.capture.transcripts.tools.results import block_turns
from pellucid.model.turn import Role, Turn

ROLES: dict[str, Role] = {
    **dict.fromkeys(("user", "human"), "user"),
    **dict.fromkeys(("assistant", "ai", "model", "bot"), "assistant"),
    **dict.fromkeys(("system", "developer"), "system"),
    **dict.fromkeys(("tool", "function"), "tool"),
}
_TIMES = ("ts", "timestamp", "time", "at", "created_at", "createdAt", "create_time")
_SESSIONS = ("session", "session_id", "sessionId", "conversation_id", "conversationId", "thread_id")


def is_message(value: JsonObject) -> bool:
    """Whether a JSON object looks like one chat message: a `role` that is a string, and one of the keys `content`,
    `text`, `tool_calls`, `function_call`.
    """
    return isinstance(value.get("role"), str) and any(
        key in value for key in ("content", "text", "tool_calls", "function_call")
    )


def session_of(value: JsonObject) -> str:
    """Return the id of the session that a message or conversation names, an integer as text; "" if it names none."""
    named = next((value[key] for key in _SESSIONS if value.get(key) not in (None, "")), "")
    return str(named) if isinstance(named, str | int) else ""


def role_of(message: JsonObject) -> Role | None:
    """Return the message's role by `ROLES` (`human` is `user`, `model` is `assistant`; capitals do not matter); None
    for any other, which is not guessed to be the user's.
    """
    return ROLES.get((text_at(message, "role") or "").lower())


def message_turns(
    number: int, message: JsonObject, session: str, calls: PendingCalls, source: Source
) -> Iterator[Turn]:
    """Yield the turns of a message in OpenAI's form: its text, then its tool calls, or, of a tool's message, its
    output.

    `number` is its line, or element of the document, `session` the session of a message that names none. `calls` has
    the calls that wait for a result: those of the message are added, and those whose result it is are taken out. A
    message of unknown role yields nothing, and is counted in the source's report as unreadable.
    """
    role = role_of(message)
    if role is None:
        source.report.cannot_read(source.path, number, "unknown role" if "role" in message else "no role and content")
        return
    key = text_at(message, "id", "uuid", "key")
    frame = Turn(
        session_id=session_of(message) or session,
        ordinal=UNNUMBERED,
        role=role,
        content="",
        at=instant_at(message, *_TIMES),
        speaker=text_at(message, "name", "speaker") if role != "tool" else None,
        agent=text_at(message, "agent"),
        key=key,
        folder=text_at(message, "cwd", "folder", "workspace"),
        branch=text_at(message, "gitBranch", "git_branch", "branch"),
    )
    content = message.get("content", message.get("text"))
    if role == "tool":
        named, call_id = text_at(message, "name", "tool"), text_at(message, "tool_call_id")
        output = MessageBlock("output", output_text(content), named, call_id)
        for turn in block_turns([output], frame, calls, source.report):
            yield replace(turn, key=key) if turn.role == "tool" else turn
    else:
        yield from block_turns(_all_blocks(content, message), frame, calls, source.report)


def _all_blocks(content: object, message: JsonObject) -> list[MessageBlock]:
    """Return the blocks of a message: those of its `content`, its refusal text, and its tool calls in the old or the
    new form.
    """
    found = message_blocks(content)
    if refusal := text_at(message, "refusal"):
        found.append(MessageBlock("text", refusal))
    calls = [as_object(call) for call in as_list(message.get("tool_calls"))]
    if legacy := as_object(message.get("function_call")):
        calls.append({"function": legacy})
    for call in calls:
        function = as_object(call.get("function") or call.get("custom"))
        arguments = function.get("arguments", function.get("input"))
        name, call_id = text_at(function, "name"), text_at(call, "id")
        found.append(MessageBlock("call", call_text(arguments), name, call_id, arguments))
    return found
