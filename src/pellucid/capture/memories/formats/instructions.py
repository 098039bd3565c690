"""A CLAUDE.md, AGENTS.md or MEMORY.md in, its memories out: each statement with its headings, imports followed."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from pellucid.capture.memories.adopted import AdoptedMemory, MemoryFormat
from pellucid.capture.memories.blocks import MarkdownBlock, blocks, without_comments
from pellucid.capture.memories.document import SourceFile, is_file
from pellucid.capture.memories.formats.header import Header, header, text_of
from pellucid.capture.memories.statements import AdoptedStatement, in_context, statements
from pellucid.capture.transcripts.json_values import as_instant
from pellucid.model.memory import Category

SUFFIXES = frozenset({"", ".md", ".mdc", ".markdown", ".txt"})

DEEPEST = 5
"""Imports inside imports that are followed."""

_DATE = re.compile(r"\b(\d{4}-\d\d-\d\d)\b")
_POINTER = re.compile(r"(?:also )?(?:see|read|refer to|consult)\b", re.IGNORECASE)
_CODE_SPAN = re.compile(r"`[^`\n]{0,500}`")
_IMPORT = re.compile(r"(?<![^\s(])@((?:~?/|\.{1,2}/)?[\w.-][\w./-]{0,300}?)(?=[\s),;]|[.:](?:\s|$)|$)")
_IMPORT_LINE = re.compile(r"[ \t]*(?:[-*+][ \t]+)?@([\w.~/][\w./-]{0,300})[ \t]*")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_ENTRY = re.compile(r"\[[^\[\]]{1,500}\]\((?!\w+:)([^()\s#]{1,500})\)")
_TOPICS: dict[str, Category] = {"user": "fact", "feedback": "rule", "project": "fact", "reference": "fact"}
"""What the kinds of an auto-memory's topic files hold, unless their words say better."""


@dataclass(frozen=True, slots=True)
class _Origin:
    """What all memories of one file share."""

    document: SourceFile
    kind: MemoryFormat
    created: datetime
    topic: Category | None


def read(document: SourceFile, kind: MemoryFormat, depth: int = 0) -> Iterator[AdoptedMemory]:
    """The memories of a file, then those of the files it imports with `@path`.

    A day in the file's name (`memory/2026-04-20.md`) or in a heading dates what stands under it; else the file does.
    """
    parts = header(document.text())
    if parts.problem:
        document.problem(1, parts.problem)
    origin = _origin(document, kind, parts)
    body, comments = without_comments(parts.body)
    document.report.dropped.update({"comment": comments} if comments else {})
    wanted: list[str] = []
    body = _without_import_lines(body, wanted, document)
    found = _without_index_entries(blocks(body, parts.first_line), document, wanted)
    for each in statements(found, document.report):
        yield _adopted_memory(origin, each)
    for path in wanted:
        if inside := imported(path, document, deep=depth >= DEEPEST):
            yield from read(inside, kind, depth + 1)


def _origin(document: SourceFile, kind: MemoryFormat, parts: Header) -> _Origin:
    """The file's kind, its date (from its header, its name or its last change), and the category its type names."""
    named = _DATE.search(document.path.stem)
    at = as_instant(text_of(parts.values, "created", "date", "updated", "modified"))
    at = at or (as_instant(named.group(1)) if named else None) or document.modified
    topic = _TOPICS.get((text_of(parts.values, "type") or "").casefold())
    return _Origin(document, kind, at, topic)


def _adopted_memory(origin: _Origin, each: AdoptedStatement) -> AdoptedMemory:
    """The memory of a statement, dated by itself, by the nearest heading that has a date, or by its file."""
    dated = _DATE.match(each.text) or next(
        (at for title in reversed(each.headings) if (at := _DATE.search(title))), None
    )
    at = (as_instant(dated.group(1)) if dated else None) or origin.created
    return AdoptedMemory(
        origin.kind,
        in_context(each),
        origin.document.shown,
        each.start,
        each.end,
        category=each.category or origin.topic,
        created=at,
        updated=at,
        valid_at=at,
    )


def _without_import_lines(body: str, wanted: list[str], document: SourceFile) -> str:
    """The text with lines blanked that are nothing but an import, outside code; their paths are added to `wanted`."""
    if "@" not in body:
        return body
    lines, fence = body.split("\n"), ""
    for at, line in enumerate(lines):
        if mark := _FENCE.match(line):
            fence = mark.group(1) if not fence else "" if mark.group(1).startswith(fence) else fence
        elif not fence and (found := _IMPORT_LINE.fullmatch(line)):
            wanted.append(found.group(1))
            document.report.drop("import-line")
            lines[at] = ""
    return "\n".join(lines)


def _without_index_entries(
    found: Iterator[MarkdownBlock], document: SourceFile, wanted: list[str]
) -> Iterator[MarkdownBlock]:
    """The blocks but those that only list other files; paths that their words import are added to `wanted`."""
    for block in found:
        if block.kind == "item" and _is_index_entry(block.text, document.path.parent):
            document.report.drop("index-entry")
            continue
        paths = _imports(block.text) if block.kind not in {"code", "heading"} else []
        wanted += paths
        if paths and _POINTER.match(block.text):
            document.report.drop("import-line")
        else:
            yield block


def _imports(text: str) -> list[str]:
    return [found.group(1) for found in _IMPORT.finditer(_CODE_SPAN.sub(" ", text))] if "@" in text else []


def _is_index_entry(text: str, folder: Path) -> bool:
    """Whether an item points at a note beside it, which is read itself."""
    link = _ENTRY.match(text)
    return link is not None and link.group(1).endswith(".md") and is_file(folder / link.group(1))


def imported(name: str, document: SourceFile, *, deep: bool) -> SourceFile | None:
    """The document an import names; None, with the reason counted, if it may not or need not be read.

    A name without a slash or a suffix that is no file (`@dataclass`) is not an import at all.
    """
    report = document.report
    path = _import_target(name, document)
    is_path = "/" in name or "." in name.strip(".")
    if path is None or not is_file(path):
        if is_path:
            report.drop("import-outside" if path is None else "import-missing")
        return None
    if deep:
        report.drop("import-too-deep")
    elif path.suffix.lower() not in SUFFIXES:
        report.drop("import-not-text")
    elif document.claim(path):
        report.files += 1
        return SourceFile(path, document.root, report, document.claim)
    return None


def _import_target(name: str, document: SourceFile) -> Path | None:
    """The path that an imported name leads to, links followed; None if that is outside the root."""
    if name.startswith("~"):
        return None
    root = document.root.resolve()
    try:
        path = (document.path.parent / name).resolve()
    except (OSError, RuntimeError):  # a loop of links
        return None
    return path if path.is_relative_to(root) else None
