"""A file's first bytes in, the name of its transcript format out."""

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
from pellucid.capture.transcripts.formats.chat_messages import is_message
from pellucid.capture.transcripts.json_document import begins_json, is_lines
from pellucid.capture.transcripts.json_values import JsonObject, object_in
from pellucid.capture.transcripts.source import Source
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
    ("plain-jsonl", is_message),
)
_KEYS: tuple[tuple[Format, tuple[str, ...]], ...] = (
    ("codex", ('"payload"', '"session_meta"')),
    ("claude-code", ('"sessionId"', '"uuid"')),
    ("openai-chat", ('"messages"', '"role"', '"mapping"')),
)
_SAMPLED = 50
MARKDOWN = frozenset({".md", ".markdown", ".mdx"})


def detect(path: Path, head: str) -> Format | None:
    """Return the format of a file by its first 256 KiB (`head`) and its suffix; None if it is not a known transcript
    format.

    None for an empty or binary file, too. In JSON lines, the first line (of 50) that a format recognises decides, but
    an OpenAI line takes precedence over a first line that is a plain message. A JSON document, or a first line too long
    to sample, is detected by its keys. Other text is a chat if it has a chat's headings, else None if its suffix is one
    of Markdown, else plain text.
    """
    if "\0" in head or not head.strip():
        return None
    if not begins_json(head):
        if markdown_chat.recognises(head):
            return "markdown-chat"
        return None if path.suffix.lower() in MARKDOWN else "plain-text"
    if is_lines(head) and (objects := [value for line in head.split("\n")[:_SAMPLED] if (value := object_in(line))]):
        return _format_of_lines(objects)
    return next((name for name, keys in _KEYS if any(key in head for key in keys)), None)


def _format_of_lines(objects: list[JsonObject]) -> Format | None:
    """Return the format of the first object that a format recognises; `openai-chat` if that is `plain-jsonl` and any
    later one is OpenAI's; None if none is recognised.
    """
    named: list[Format] = [name for value in objects if (name := format_of(value))]
    if named and named[0] == "plain-jsonl" and "openai-chat" in named:
        return "openai-chat"
    return named[0] if named else None


def format_of(value: JsonObject) -> Format | None:
    """Return the first format that recognises a line's object; None if none does."""
    return next((name for name, recognises in _RECOGNISERS if recognises(value)), None)
