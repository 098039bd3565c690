"""A CLAUDE.md, AGENTS.md or MEMORY.md in, its memories out: each statement with its headings, imports followed."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from pellucid.capture.memories.adopted import AdoptedMemory, MemoryFormat
from pellucid.capture.memories.blocks import MarkdownBlock, markdown_blocks, without_comments
from pellucid.capture.memories.document import SourceFile, is_file
from pellucid.capture.memories.formats.header import Header, first_text, parse_header
from pellucid.capture.memories.statements import AdoptedStatement, statements, text_with_headings
from pellucid.capture.transcripts.json_values import as_instant
from pellucid.language.quoting.fences import fence_after
from pellucid.model.memory import Category

SUFFIXES = frozenset({"", ".md", ".mdc", ".markdown", ".txt"})

DEEPEST = 5  # how many levels of imports inside imports are followed

_DATE = re.compile(r"\b(\d{4}-\d\d-\d\d)\b")
_POINTER = re.compile(r"(?:also )?(?:see|read|refer to|consult)\b", re.IGNORECASE)
_CODE_SPAN = re.compile(r"`[^`\n]{0,500}`")
_IMPORT = re.compile(r"(?<![^\s(])@((?:~?/|\.{1,2}/)?[\w.-][\w./-]{0,300}?)(?=[\s),;]|[.:](?:\s|$)|$)")
_IMPORT_LINE = re.compile(r"[ \t]*(?:[-*+][ \t]+)?@([\w.~/][\w./-]{0,300})[ \t]*")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_ENTRY = re.compile(r"\[[^\[\]]{1,500}\]\((?!\w+:)([^()\s#]{1,500})\)")
_TOPICS: dict[str, Category] = {"user": "fact", "feedback": "rule", "project": "fact", "reference": "fact"}
"""The category of statements in an auto-memory's topic files, by `type`, if their wording shows none."""


def read(document: SourceFile, kind: MemoryFormat, depth: int = 0) -> Iterator[AdoptedMemory]:
    """Yield the memories of a file, then those of the files that it imports with `@path`; each file is read once.

    They are of the format `kind`. `depth` is how many imports led here; from `DEEPEST` (5) on, no import is followed. A
    memory's date is that of its own first words, else of its nearest heading with a date, else of the file's header,
    else of its name, else of its last change. What is left out is counted, a fault in the header noted as a problem.
    """
    parts = parse_header(document.text())
    if parts.problem:
        document.add_problem(1, parts.problem)
    template = _template(document, kind, parts)
    body, comments = without_comments(parts.body)
    document.report.drop("comment", comments)
    imports: list[str] = []
    body = _without_import_lines(body, imports, document)
    found = _without_index_entries(markdown_blocks(body, parts.first_line), document, imports)
    for each in statements(found, document.report):
        yield _adopted_memory(template, each)
    for name in imports:
        if inner := imported_file(name, document, deep=depth >= DEEPEST):
            yield from read(inner, kind, depth + 1)


def _template(document: SourceFile, kind: MemoryFormat, parts: Header) -> AdoptedMemory:
    """Return a memory without content: with the file's path, the date in its header (else in its name, else of its last
    change), and the category that the header's `type` names (None for one not in `_TOPICS`).
    """
    named = _DATE.search(document.path.stem)
    at = as_instant(first_text(parts.values, "created", "date", "updated", "modified"))
    at = at or (as_instant(named.group(1)) if named else None) or document.modified
    topic = _TOPICS.get((first_text(parts.values, "type") or "").casefold())
    return AdoptedMemory(kind, "", document.shown_path, 1, 1, category=topic, created=at)


def _adopted_memory(template: AdoptedMemory, each: AdoptedStatement) -> AdoptedMemory:
    """Return the memory of a statement, a copy of `template`: its text with its headings, its lines and its category
    (else the template's).

    `created`, `updated` and `valid_at` are the date (`YYYY-MM-DD`) at the very beginning of its text, else that in its
    nearest heading with one, else `created` of the template.
    """
    dated = _DATE.match(each.text) or next(
        (at for title in reversed(each.headings) if (at := _DATE.search(title))), None
    )
    at = (as_instant(dated.group(1)) if dated else None) or template.created
    return replace(
        template,
        content=text_with_headings(each),
        start=each.start,
        end=each.end,
        category=each.category or template.category,
        created=at,
        updated=at,
        valid_at=at,
    )


def _without_import_lines(body: str, imports: list[str], document: SourceFile) -> str:
    """Return the text with each line that is only an import (`@path`) blanked, outside fenced code; append the paths to
    `imports`, and count the lines as `import-line`.
    """
    if "@" not in body:
        return body
    lines, fence = body.split("\n"), ""
    for at, line in enumerate(lines):
        if mark := _FENCE.match(line):
            fence = fence_after(fence, mark.group(1))
        elif not fence and (found := _IMPORT_LINE.fullmatch(line)):
            imports.append(found.group(1))
            document.report.drop("import-line")
            lines[at] = ""
    return "\n".join(lines)


def _without_index_entries(
    found: Iterator[MarkdownBlock], document: SourceFile, imports: list[str]
) -> Iterator[MarkdownBlock]:
    """Yield the blocks, except those that only point at other files, which are counted.

    Left out are a list item that begins with a link to an existing `.md` file (`index-entry`), and a block that begins
    with `see`, `read` or the like and has an import (`import-line`). The names of the imports in this block and in
    those yielded, except code and headings, are appended to `imports`.
    """
    for block in found:
        if block.kind == "item" and _is_index_entry(block.text, document.path.parent):
            document.report.drop("index-entry")
            continue
        names = _imported_names(block.text) if block.kind not in {"code", "heading"} else []
        imports += names
        if names and _POINTER.match(block.text):
            document.report.drop("import-line")
        else:
            yield block


def _imported_names(text: str) -> list[str]:
    """Return the names in a text that follow an `@` at a word's start, outside code spans; not all of them need be
    files.
    """
    return [found.group(1) for found in _IMPORT.finditer(_CODE_SPAN.sub(" ", text))] if "@" in text else []


def _is_index_entry(text: str, folder: Path) -> bool:
    """Whether an item begins with a link to an existing `.md` file, relative to `folder`, which is read by itself."""
    link = _ENTRY.match(text)
    return link is not None and link.group(1).endswith(".md") and is_file(folder / link.group(1))


def imported_file(name: str, document: SourceFile, *, deep: bool) -> SourceFile | None:
    """Return the file that an import in `document` names, and count it as read; None if it must not be read.

    The reason for None is counted: outside the root, missing, too deep (`deep`: the limit of nested imports is
    reached), not a text file, excluded or read before. Only a name that is no existing file and has neither a slash nor
    a suffix (`@dataclass`) is not an import, and not counted.
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
    """Return the path that an imported name leads to from the folder of `document`, links resolved; it need not exist.
    None if it is outside the root, begins with `~`, or its links lead in a circle.
    """
    if name.startswith("~"):
        return None
    root = document.root.resolve()
    try:
        path = (document.path.parent / name).resolve()
    except (OSError, RuntimeError):  # a loop of links
        return None
    return path if path.is_relative_to(root) else None
