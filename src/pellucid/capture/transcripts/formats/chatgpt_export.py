"""One conversation of a ChatGPT data export in, its chat messages in order out."""

from collections.abc import Iterator

from pellucid.capture.transcripts.json_values import JsonObject, as_list, as_object, text_at

_SPOKEN = frozenset({"text", "multimodal_text", "code", "execution_output"})


def is_export(conversation: JsonObject) -> bool:
    """Whether a conversation is kept as a tree of messages."""
    return isinstance(conversation.get("mapping"), dict)


def messages(conversation: JsonObject) -> Iterator[JsonObject]:
    """The branch the user last saw, from its root, in the `{role, content}` form."""
    tree = as_object(conversation.get("mapping"))
    branch: list[JsonObject] = []
    walked: set[str] = set()
    at = text_at(conversation, "current_node")
    while at and at not in walked:
        walked.add(at)
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
