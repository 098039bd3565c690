"""A file's name and first bytes in, the name of its memory format out."""

import re
from pathlib import Path

from pellucid.capture.memories.adopted import MemoryFormat
from pellucid.capture.memories.entries import first_entry
from pellucid.capture.memories.formats import chatgpt, mem0, remnic
from pellucid.capture.memories.formats.header import Header, header, text_of
from pellucid.capture.transcripts.json_document import begins_json
from pellucid.capture.transcripts.source import head_of

MARKDOWN = frozenset({".md", ".mdc", ".markdown"})
SUFFIXES = MARKDOWN | {".json", ".jsonl", ".txt"}

_NAMED: dict[str, MemoryFormat] = {
    "claude.md": "claude-md",
    "claude.local.md": "claude-md",
    "agents.md": "agents-md",
    "agents.override.md": "agents-md",
    "memory.md": "memory-md",
}
_NOTE = re.compile(r"^[ \t]*[-*] \[[^\[\]()\n]{2,60}\] \S|^[ \t]*[-*] \S{1,60} \[\[[^\[\]\n]{1,300}\]\]", re.MULTILINE)
_TOPIC_KINDS = frozenset({"user", "feedback", "project", "reference"})
_PASTED = re.compile(r"memor|chatgpt", re.IGNORECASE)
_TIMES = frozenset({"created_at", "create_time", "updated_at", "update_time", "enabled"})


def detect(path: Path) -> MemoryFormat | None:
    """The format of a file; None for what is no memory file we know, and for files of our own.

    The name decides for CLAUDE.md, AGENTS.md and MEMORY.md, and for notes in a folder called `memory`, unless their
    frontmatter is Remnic's or basic-memory's; the frontmatter or the form of its lists decides for other Markdown;
    the keys of the first entries decide for JSON. A text counts as a pasted list if its name says memory or ChatGPT.
    """
    head = head_of(path)
    suffix = path.suffix.lower()
    if "\0" in head or not head.strip():
        return None
    if suffix in MARKDOWN:
        return _of_markdown(path, head)
    if begins_json(head):
        return _of_json(path, head)
    return "chatgpt" if suffix == ".txt" and _PASTED.search(path.stem) else None


def _of_markdown(path: Path, head: str) -> MemoryFormat | None:
    folders = (path.parent.name.lower(), path.parent.parent.name.lower())
    if named := _NAMED.get(path.name.lower()):
        return named
    if folders == ("rules", ".claude"):
        return "claude-md"
    parts = header(head)
    if (text_of(parts.values, "id") or "").startswith(("mem_", "ep_")):
        return None
    return _by_header(parts) or ("memory-md" if "memory" in folders else None)


def _by_header(parts: Header) -> MemoryFormat | None:
    values = parts.values
    if remnic.is_memory(values):
        return "remnic"
    if {"name", "description"} <= values.keys() and (text_of(values, "type") or "").casefold() in _TOPIC_KINDS:
        return "memory-md"
    is_note = "permalink" in values or {"title", "type"} <= values.keys() or _NOTE.search(parts.body)
    return "basic-memory" if is_note else None


def _of_json(path: Path, head: str) -> MemoryFormat | None:
    first = first_entry(head)
    if mem0.recognises(first):
        return "mem0"
    if "mapping" in first or (not first and '"mapping"' in head):
        return "chatgpt"
    is_named = _PASTED.search(path.stem) is not None
    return "chatgpt" if chatgpt.recognises(first) and (is_named or not first.keys().isdisjoint(_TIMES)) else None
