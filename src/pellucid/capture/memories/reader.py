"""Paths in, adoptable memories out: the room's door. Finds, detects, streams, redacts and counts."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from pellucid.capture.memories.adopted import MEMORY_FORMATS, AdoptedMemory, MemoryFormat
from pellucid.capture.memories.document import SourceFile
from pellucid.capture.memories.entries import first_entry
from pellucid.capture.memories.formats import basic_memory, chatgpt, instructions, mem0, remnic
from pellucid.capture.memories.formats.header import Header, header, text_of
from pellucid.capture.names import Names, clean_pairs
from pellucid.capture.own_output import without_own_output
from pellucid.capture.report import CaptureReport
from pellucid.capture.secrets.redact import redact
from pellucid.capture.transcripts.json_document import begins_json
from pellucid.capture.transcripts.numbering import clean_name, clean_text
from pellucid.capture.transcripts.source import head_of
from pellucid.capture.walk import FileWalk, WalkedFile
from pellucid.errors import InputError, field_name
from pellucid.settings.sections import CaptureSettings

Reader = Callable[[SourceFile], Iterator[AdoptedMemory]]

READERS: dict[MemoryFormat, Reader] = {
    "claude-md": partial(instructions.read, kind="claude-md"),
    "agents-md": partial(instructions.read, kind="agents-md"),
    "memory-md": partial(instructions.read, kind="memory-md"),
    "basic-memory": basic_memory.read,
    "remnic": remnic.read,
    "mem0": mem0.read,
    "chatgpt": chatgpt.read,
}

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


def read_memories(
    paths: Iterable[Path],
    settings: CaptureSettings,
    report: CaptureReport,
    *,
    memory_format: MemoryFormat | None = None,
) -> Iterator[AdoptedMemory]:
    """Stream the memories of other tools' files, as they may be stored.

    Args:
        paths: files, and folders that are walked for Markdown, JSON and text, in sorted order, a file at a time.
        report: filled while the memories are drawn; complete when they are exhausted.
        memory_format: read every file as this format instead of detecting it.

    Raises:
        InputError: a named file does not exist, is in no known format, or cannot be read. A file found in a folder is
            skipped instead, with the reason counted.
    """
    walk, names = FileWalk(settings, report, SUFFIXES), Names(report)
    for found in walk.files(paths):
        try:
            yield from _memories_of_file(found, walk, names, memory_format)
        except OSError as error:
            if found.asked_for:
                raise InputError(
                    f"{found.path.name} cannot be read: {error.strerror}", next_step="check its permissions"
                ) from error
            report.drop("unreadable-file")


def _memories_of_file(
    found: WalkedFile, walk: FileWalk, names: Names, forced: MemoryFormat | None
) -> Iterator[AdoptedMemory]:
    """The memories of one file as they may be stored; a file in no known form is refused, or counted."""
    report = walk.report
    known = forced or detect(found.path)
    if known is None:
        _refuse_file(found, report)
        return
    report.files += 1
    report.formats[known] += 1
    document = SourceFile(found.path, found.root, report, walk.claim)
    for memory in READERS[known](document):
        report.turns_read += 1
        if cleaned := _storable(memory, names, report):
            report.turns_kept += 1
            yield cleaned


def _refuse_file(found: WalkedFile, report: CaptureReport) -> None:
    """Count a file in no known form; InputError if it was named."""
    if found.asked_for:
        form = f"name one with {field_name('memory_format')}: {', '.join(MEMORY_FORMATS)}"
        raise InputError(
            f"{found.path.name} holds no memories in a form we know",
            code="unknown_memory_format",
            next_step=f"{form}; `pellucid import` reads transcripts",
        )
    report.drop("no-memory-file")


def _storable(memory: AdoptedMemory, names: Names, report: CaptureReport) -> AdoptedMemory | None:
    """The memory without a secret in any field; None if nothing is left but what we recalled ourselves once."""

    def name(text: str) -> str:
        return clean_name(names.clean(clean_text(text)))

    words = redact(without_own_output(clean_text(memory.content), report).strip())
    report.redactions.update(words.counts)
    if not words.text:
        report.drop("own-recall")
        return None
    attributes, counts = clean_pairs({name(key): clean_text(value) for key, value in memory.attributes.items()})
    report.redactions.update(counts)
    return replace(
        memory,
        content=words.text,
        path=names.clean(memory.path),
        tags=_distinct(map(name, memory.tags)),
        entity_ref=(memory.entity_ref and name(memory.entity_ref)) or None,
        attributes=attributes,
        foreign_id=memory.foreign_id and name(memory.foreign_id),
        supersedes=_distinct(map(name, memory.supersedes)),
        superseded_by=memory.superseded_by and name(memory.superseded_by),
    )


def _distinct(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(each for each in dict.fromkeys(names) if each)


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
    """The format of a Markdown file by its name and header; None for none known, and for a vault file of ours."""
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
    """The tool whose notes have such a frontmatter; None where it is nobody's."""
    values = parts.values
    if remnic.is_memory(values):
        return "remnic"
    if {"name", "description"} <= values.keys() and (text_of(values, "type") or "").casefold() in _TOPIC_KINDS:
        return "memory-md"
    is_note = "permalink" in values or {"title", "type"} <= values.keys() or _NOTE.search(parts.body)
    return "basic-memory" if is_note else None


def _of_json(path: Path, head: str) -> MemoryFormat | None:
    """The format of a JSON file by the keys of its first entry; None for none known."""
    first = first_entry(head)
    if mem0.recognises(first):
        return "mem0"
    if "mapping" in first or (not first and '"mapping"' in head):
        return "chatgpt"
    is_named = _PASTED.search(path.stem) is not None
    return "chatgpt" if chatgpt.recognises(first) and (is_named or not first.keys().isdisjoint(_TIMES)) else None
