"""Paths in, adoptable memories out: the room's door. Finds, detects, streams, redacts and counts."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from pellucid.capture.memories.adopted import MEMORY_FORMATS, AdoptedMemory, MemoryFormat
from pellucid.capture.memories.detect import SUFFIXES, detect
from pellucid.capture.memories.document import SourceFile
from pellucid.capture.memories.formats import basic_memory, chatgpt, instructions, mem0, remnic
from pellucid.capture.names import Names, clean_pairs
from pellucid.capture.own_output import without_own_output
from pellucid.capture.report import CaptureReport
from pellucid.capture.secrets.redact import redact
from pellucid.capture.transcripts.numbering import clean_name, clean_text
from pellucid.capture.walk import FileWalk, FoundFile
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
    found: FoundFile, walk: FileWalk, names: Names, forced: MemoryFormat | None
) -> Iterator[AdoptedMemory]:
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


def _refuse_file(found: FoundFile, report: CaptureReport) -> None:
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
