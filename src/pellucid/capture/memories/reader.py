"""Paths in, adoptable memories out: the entrance of the room. Finds, detects, streams, redacts and counts."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from pellucid.capture.memories.adopted import MEMORY_FORMATS, AdoptedMemory, MemoryFormat
from pellucid.capture.memories.document import SourceFile
from pellucid.capture.memories.entries import first_entry
from pellucid.capture.memories.formats import basic_memory, chatgpt, instructions, mem0, remnic
from pellucid.capture.memories.formats.header import Header, first_text, parse_header
from pellucid.capture.names import NameRedactor, clean_pairs
from pellucid.capture.own_output import without_own_output
from pellucid.capture.report import CaptureReport
from pellucid.capture.secrets.redact import redact
from pellucid.capture.transcripts.json_document import begins_json
from pellucid.capture.transcripts.numbering import clean_name, clean_text
from pellucid.capture.transcripts.source import head_of
from pellucid.capture.walk import FileWalk, WalkedFile
from pellucid.errors import InputError, field_name, step
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
    """Yield the memories of other tools' files, redacted, as they can be stored.

    Args:
        paths: files, and folders that are searched for Markdown, JSON and text files in sorted order.
        settings: says which files are excluded; these are counted.
        report: filled while the memories are drawn; complete when they are exhausted.
        memory_format: read every file as this format instead of detecting it.

    Raises:
        InputError: a named file does not exist, is in no known format, or cannot be read; a named folder cannot be
            listed. Such a file or folder found in a folder is skipped and counted.
    """
    walk, names = FileWalk(settings, report, SUFFIXES), NameRedactor(report)
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
    found: WalkedFile, walk: FileWalk, names: NameRedactor, forced: MemoryFormat | None
) -> Iterator[AdoptedMemory]:
    """Yield the redacted memories of one file, in the format `forced` or, if that is None, the detected one; the file,
    its format and its memories are counted.

    A file of unknown format raises InputError if the caller named it, else it is counted as `no-memory-file`. `OSError`
    if the file cannot be read.
    """
    report = walk.report
    format_name = forced or detect(found.path)
    if format_name is None and found.asked_for:
        raise InputError(
            f"{found.path.name} holds no memories in a form we know",
            code="unknown_memory_format",
            next_step=f"name one with {field_name('memory_format')}: {', '.join(MEMORY_FORMATS)}; "
            f"{step('session.import')} reads transcripts",
        )
    if format_name is None:
        report.drop("no-memory-file")
        return
    report.files += 1
    report.formats[format_name] += 1
    document = SourceFile(found.path, found.root, report, walk.claim)
    for memory in READERS[format_name](document):
        report.turns_read += 1
        if redacted := _redacted_memory(memory, names, report):
            report.turns_kept += 1
            yield redacted


def _redacted_memory(memory: AdoptedMemory, names: NameRedactor, report: CaptureReport) -> AdoptedMemory | None:
    """Return the memory without secrets in any field, names such as tags cut to 128 characters; secrets are counted.

    None, counted as `own-recall`, if nothing of its content is left once Pellucid's own output is cut out.
    """

    def name(text: str) -> str:
        """Return a name redacted, on one line of printable characters, at most 128 of them (`clean_name`)."""
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
    """Return the names that are not empty, each once, in the order of their first place."""
    return tuple(each for each in dict.fromkeys(names) if each)


def detect(path: Path) -> MemoryFormat | None:
    """Return the format of a file; None if it is in no known format, is empty or binary, or is Pellucid's own.

    Its first 256 KiB are read; OSError if it cannot be. Markdown is detected by its file name, its folder
    (`.claude/rules`, `memory`), its frontmatter or the form of its lists; another file that begins as JSON by the keys
    of its first entry; a text file is a pasted ChatGPT list if its name contains `memor` or `chatgpt`.
    """
    head = head_of(path)
    suffix = path.suffix.lower()
    if "\0" in head or not head.strip():
        return None
    if suffix in MARKDOWN:
        return _markdown_format(path, head)
    if begins_json(head):
        return _json_format(path, head)
    return "chatgpt" if suffix == ".txt" and _PASTED.search(path.stem) else None


def _markdown_format(path: Path, head: str) -> MemoryFormat | None:
    """Return the format of a Markdown file by its name (`CLAUDE.md`), else its folder (`.claude/rules`), else its
    beginning `head`; None if unknown.

    If neither name nor folder decides, a file with an id of Pellucid's own gets None, and one of no other format in a
    folder `memory`, or one below, is `memory-md`.
    """
    folders = (path.parent.name.lower(), path.parent.parent.name.lower())
    if named := _NAMED.get(path.name.lower()):
        return named
    if folders == ("rules", ".claude"):
        return "claude-md"
    parts = parse_header(head)
    if (first_text(parts.values, "id") or "").startswith(("mem_", "ep_")):
        return None
    return _header_format(parts) or ("memory-md" if "memory" in folders else None)


def _header_format(parts: Header) -> MemoryFormat | None:
    """Return the format of a note by its frontmatter and body; None if unknown.

    `remnic` has an `id` and a `category` (`is_memory`); `memory-md` a `name`, a `description` and a `type` in
    `_TOPIC_KINDS`; `basic-memory` a `permalink`, or `title` and `type`, or a list item that is an observation or
    relation.
    """
    values = parts.values
    if remnic.is_memory(values):
        return "remnic"
    if {"name", "description"} <= values.keys() and (first_text(values, "type") or "").casefold() in _TOPIC_KINDS:
        return "memory-md"
    is_note = "permalink" in values or {"title", "type"} <= values.keys() or _NOTE.search(parts.body)
    return "basic-memory" if is_note else None


def _json_format(path: Path, head: str) -> MemoryFormat | None:
    """Return the format of a JSON file by the keys of its first entry in its beginning `head`; None if it is unknown.

    If no entry is complete there, a key `mapping` makes it `chatgpt`. Entries with just a text are `chatgpt` only if
    the file's name contains `memor` or `chatgpt`, or the first entry has a key of `_TIMES`.
    """
    first = first_entry(head)
    if mem0.recognises(first):
        return "mem0"
    if "mapping" in first or (not first and '"mapping"' in head):
        return "chatgpt"
    is_named = _PASTED.search(path.stem) is not None
    return "chatgpt" if chatgpt.recognises(first) and (is_named or not first.keys().isdisjoint(_TIMES)) else None
