"""OpenAI chat messages in, their turns out: a JSON document of messages, or JSON lines of conversations or messages.

Known shapes: `{"messages": […]}`, `[message, …]`, `[{"messages": […]}, …]`, one `{"messages": […]}` a line (the
fine-tuning form), one message a line, and the conversations of a ChatGPT data export.
"""

from collections.abc import Iterator

from pellucid.capture.transcripts.formats.chat_messages import is_message, message_turns, session_of
from pellucid.capture.transcripts.json_document import BrokenJsonError, UnfinishedJsonError, elements, is_lines
from pellucid.capture.transcripts.json_values import JsonObject, as_list, as_object, text_at
from pellucid.capture.transcripts.numbering import Numbering
from pellucid.capture.transcripts.source import NumberedObject, Source
from pellucid.capture.transcripts.tools.calls import PendingCalls
from pellucid.model.turn import Turn

_DESCRIBING_KEYS = """
    id custom_id session session_id sessionId conversation_id conversationId thread_id role content mapping
    current_node
    """
_DESCRIBING = frozenset(_DESCRIBING_KEYS.split())
_SPOKEN = frozenset({"text", "multimodal_text", "code", "execution_output"})
"""The types of an export's contents that are somebody's words, or the output that they led to."""


def read(source: Source) -> Iterator[Turn]:
    """Yield the numbered turns of a chat file: a JSON document (a list of messages or conversations, or an object with
    a list `messages`), or JSON lines of messages or conversations. Anything else is counted in the report as
    unreadable.
    """
    numbering = Numbering(source)
    # looked at again after detection: a caller can name the format, and then nothing was detected
    by_lines = is_lines(source.head()) or source.begins_with_long_line()
    for number, value in source.objects() if by_lines else _document_objects(source):
        if is_message(value):
            yield from numbering.number(message_turns(number, value, "", source.thread.calls, source))
        elif recognises(value):
            part = "" if number == 1 else f"-{number}"
            yield from numbering.number(_conversation_turns(number, value, source), part)
        else:
            source.report.cannot_read(source.path, number, "neither a message nor a conversation")


def recognises(value: JsonObject) -> bool:
    """Whether a line, or an element of a document, is a conversation (a list `messages`, or a tree `mapping`), or a
    message that only OpenAI writes so: with calls, or with a content that is not a string.
    """
    if isinstance(value.get("messages"), list) or _is_export(value):
        return True
    calls = {"tool_calls", "tool_call_id", "function_call"} & value.keys()
    return is_message(value) and (bool(calls) or not isinstance(value.get("content"), str))


def _document_objects(source: Source) -> Iterator[NumberedObject]:
    """Yield the elements of one JSON document, messages and conversations mostly, numbered from 1; those of a top-level
    `messages` get the session that the keys before it name. One that is no object counts as an empty object.

    A fault ends the document, and is counted in the report. An object without `messages` that is itself a message or
    conversation is yielded as number 1.
    """
    described: JsonObject = {}
    number = 0
    try:
        for key, value in elements(source.chunks(), "messages"):
            if key in ("", "messages"):
                number += 1
                session = {"session": _session_name(described)} if key and _session_name(described) else {}
                yield NumberedObject(number, session | as_object(value))
            elif key in _DESCRIBING:
                described[key] = value
    except UnfinishedJsonError:
        source.report.drop("unfinished-document")
    except BrokenJsonError as fault:
        source.report.cannot_read(source.path, number + 1, str(fault))
    if number == 0 and (is_message(described) or recognises(described)):
        yield NumberedObject(1, described)


def _session_name(conversation: JsonObject) -> str:
    """Return the session that a conversation names, else its own id; "" if it has neither."""
    return session_of(conversation) or text_at(conversation, "id", "custom_id") or ""


def _conversation_turns(number: int, conversation: JsonObject, source: Source) -> Iterator[Turn]:
    """Yield the turns of the `number`th conversation of a file, of a ChatGPT export those of its current branch, else
    those of its `messages`. Calls are matched with results within it only.
    """
    calls = PendingCalls()
    exported = _is_export(conversation)
    for item in _exported_messages(conversation) if exported else as_list(conversation.get("messages")):
        yield from message_turns(number, as_object(item), _session_name(conversation), calls, source)


def _is_export(conversation: JsonObject) -> bool:
    """Whether a conversation is a tree of messages, as ChatGPT exports it."""
    return isinstance(conversation.get("mapping"), dict)


def _exported_messages(conversation: JsonObject) -> Iterator[JsonObject]:
    """Yield the messages from the root of the tree to its `current_node` as `{role, name, content, id, create_time}`;
    other branches, which the user edited away, are left out.

    Hidden messages, and those whose content is of a type not in `_SPOKEN`, are left out, too.
    """
    tree = as_object(conversation.get("mapping"))
    branch: list[JsonObject] = []
    visited: set[str] = set()
    at = text_at(conversation, "current_node")
    while at and at not in visited:
        visited.add(at)
        node = as_object(tree.get(at))
        branch.append(as_object(node.get("message")))
        at = text_at(node, "parent")
    for message in reversed(branch):
        content = as_object(message.get("content"))
        hidden = as_object(message.get("metadata")).get("is_visually_hidden_from_conversation") is True
        if text_at(content, "content_type") in _SPOKEN and not hidden:
            author = as_object(message.get("author"))
            yield {
                "role": author.get("role"),
                "name": author.get("name"),
                "content": as_list(content.get("parts")) or text_at(content, "text") or "",
                "id": message.get("id"),
                "create_time": message.get("create_time"),
            }
