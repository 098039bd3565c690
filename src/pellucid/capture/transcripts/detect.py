"""A file's first bytes in, the name of its transcript format out."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal, get_args

from pellucid.capture.transcripts.formats import (
    claude_code,
    codex,
    cursor,
    markdown_chat,
    openai_chat,
    plain_jsonl,
    plain_text,
)
from pellucid.capture.transcripts.json_document import begins_json, is_lines
from pellucid.capture.transcripts.json_values import JsonObject, as_object
from pellucid.capture.transcripts.source import Source, head_of
from pellucid.model.turn import Turn

Format = Literal["claude-code", "codex", "cursor", "openai-chat", "plain-jsonl", "markdown-chat", "plain-text"]
FORMATS: tuple[Format, ...] = get_args(Format)
Reader = Callable[[Source], Iterator[Turn]]

READERS: dict[Format, Reader] = {
    "claude-code": claude_code.read,
    "codex": codex.read,
    "cursor": cursor.read,
    "openai-chat": openai_chat.read,
    "plain-jsonl": plain_jsonl.read,
    "markdown-chat": markdown_chat.read,
    "plain-text": plain_text.read,
}

_RECOGNISERS: tuple[tuple[Format, Callable[[JsonObject], bool]], ...] = (
    ("claude-code", claude_code.recognises),
    ("codex", codex.recognises),
    ("cursor", cursor.recognises),
    ("openai-chat", openai_chat.recognises),
    ("plain-jsonl", plain_jsonl.recognises),
)
_KEYS: tuple[tuple[Format, tuple[str, ...]], ...] = (
    ("codex", ('"payload"', '"session_meta"')),
    ("claude-code", ('"sessionId"', '"uuid"')),
    ("openai-chat", ('"messages"', '"role"', '"mapping"')),
)
_SAMPLED = 50
MARKDOWN = frozenset({".md", ".markdown", ".mdx"})


def detect(path: Path) -> Format | None:
    """The format of a file, from its first 256 KiB; None for what is no transcript we know.

    JSON lines are asked in turn, and the first line that some format recognises decides, save that plain messages
    give way to a later line in the OpenAI form. A JSON document, or a first line too long to sample, is known by the
    keys in it. Other text is known by the headings of a chat; without them it is plain text, unless its name says that
    it is Markdown: a document is nobody's message.
    """
    head = head_of(path)
    if "\0" in head or not head.strip():
        return None
    if not begins_json(head):
        if markdown_chat.recognises(head):
            return "markdown-chat"
        return None if path.suffix.lower() in MARKDOWN else "plain-text"
    if is_lines(head) and (objects := [value for line in head.splitlines()[:_SAMPLED] if (value := object_of(line))]):
        return _recognise(objects)
    return _by_keys(head)


def _by_keys(head: str) -> Format | None:
    """The format whose keys stand in the beginning of a file; None for none."""
    for name, keys in _KEYS:
        if any(key in head for key in keys):
            return name
    return None


def _recognise(objects: list[JsonObject]) -> Format | None:
    """The format of the first line known; plain messages give way to a later OpenAI line. None if none is known."""
    named: list[Format] = [name for value in objects if (name := format_of(value))]
    if named and named[0] == "plain-jsonl" and "openai-chat" in named:
        return "openai-chat"
    return named[0] if named else None


def format_of(value: JsonObject) -> Format | None:
    """The first format that recognises a line's object; None if none does."""
    for name, recognises in _RECOGNISERS:
        if recognises(value):
            return name
    return None


def object_of(line: str) -> JsonObject:
    """The JSON object that a line holds; an empty one where it holds none."""
    try:
        return as_object(json.loads(line))
    except (ValueError, RecursionError):
        return {}
