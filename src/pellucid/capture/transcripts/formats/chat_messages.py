"""One chat message in the OpenAI form in, its turns out: shared by every format made of `{role, content}` objects."""

from collections.abc import Iterator
from dataclasses import replace

from pellucid.capture.report import CaptureReport
from pellucid.capture.transcripts.blocks import MessageBlock, blocks, call_text, output_text
from pellucid.capture.transcripts.json_values import JsonObject, as_list, as_object, instant_at, text_at
from pellucid.capture.transcripts.numbering import UNNUMBERED
from pellucid.capture.transcripts.tools.calls import PendingCalls
from pellucid.capture.transcripts.tools.results import turns_of
from pellucid.model.turn import Role, Turn

ROLES: dict[str, Role] = {
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "model": "assistant",
    "bot": "assistant",
    "system": "system",
    "developer": "system",
    "tool": "tool",
    "function": "tool",
}
_TIMES = ("ts", "timestamp", "time", "at", "created_at", "createdAt", "create_time")
_SESSIONS = ("session", "session_id", "sessionId", "conversation_id", "conversationId", "thread_id")


def is_message(value: JsonObject) -> bool:
    """Whether an object looks like one chat message."""
    return isinstance(value.get("role"), str) and any(
        key in value for key in ("content", "text", "tool_calls", "function_call")
    )


def session_of(value: JsonObject) -> str:
    """The session a message or conversation names, or an empty string."""
    named = next((value[key] for key in _SESSIONS if value.get(key) not in (None, "")), "")
    return str(named) if isinstance(named, str | int) else ""


def role_of(message: JsonObject) -> Role | None:
    """The message's role; None for one that no known API uses (it is not guessed to be the user)."""
    return ROLES.get((text_at(message, "role") or "").lower())


def message_turns(message: JsonObject, session: str, calls: PendingCalls, report: CaptureReport) -> Iterator[Turn]:
    """The turns of a message whose role is known: its words, then its tool calls."""
    role = role_of(message) or "user"
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
        yield from (
            replace(turn, key=key) if turn.role == "tool" else turn for turn in turns_of([output], frame, calls, report)
        )
    else:
        yield from turns_of(_message_blocks(content, message), frame, calls, report)


def _message_blocks(content: object, message: JsonObject) -> list[MessageBlock]:
    """The blocks of a message: its words, what it refuses in, and its tool calls, in the old form or the new."""
    words = blocks(content)
    if refusal := text_at(message, "refusal"):
        words.append(MessageBlock("text", refusal))
    calls = [as_object(call) for call in as_list(message.get("tool_calls"))]
    if legacy := as_object(message.get("function_call")):
        calls.append({"function": legacy})
    for call in calls:
        function = as_object(call.get("function") or call.get("custom"))
        given = function.get("arguments", function.get("input"))
        words.append(MessageBlock("call", call_text(given), text_at(function, "name"), text_at(call, "id"), given))
    return words
