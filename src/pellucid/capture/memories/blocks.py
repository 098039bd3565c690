"""Markdown text in, its blocks out: headings, list items, paragraphs, code and table rows, each with its lines."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from pellucid.language.quoting.fences import fence_after

Kind = Literal["heading", "item", "step", "paragraph", "code", "row"]
Lines = list[tuple[int, str]]

_HEADING = re.compile(r" {0,3}(#{1,6})(?=\s|$)")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-{2,})")
_RULE = re.compile(r" {0,3}(?:(?:- *){3,}|(?:\* *){3,}|(?:_ *){3,})")
_ITEM = re.compile(r"( *)(?:[-*+•]|(\d{1,9})[.)])(?: +(.*)|$)")
_FENCE = re.compile(r" *(`{3,}|~{3,})[^`]*")
_DIVIDER = re.compile(r" *+\|? *+:?-++:? *+(?:\| *+:?-++:? *+)*+\|? *+")
_QUOTE = re.compile(r"^ *(?:> ?)+")
_CELL = re.compile(r"(?<!\\)\|")
_COMMENT = re.compile(r"^[ \t]*(`{3,}|~{3,})|<!--", re.MULTILINE)
_TAB = 4
_DEEPEST = 40  # columns of indentation; deeper blocks count as indented so far


@dataclass(frozen=True, slots=True)
class MarkdownBlock:
    """A block of Markdown; `depth` is a heading's level, any other block's indentation.

    `start` and `end` are line numbers, 1-based and inclusive. The text of a table row is `column: cell; column: cell`;
    that of code includes its fences.
    """

    kind: Kind
    text: str
    start: int
    end: int
    depth: int = 0


@dataclass(slots=True)
class _OpenBlock:
    """An item, step or paragraph that the next line can continue; `parts` are its lines' texts."""

    kind: Kind
    parts: list[str]
    start: int
    end: int
    depth: int

    def close(self) -> MarkdownBlock:
        """Return this block as a complete `MarkdownBlock`; the texts of its lines are joined by spaces, empty ones left
        out.
        """
        return MarkdownBlock(self.kind, " ".join(part for part in self.parts if part), self.start, self.end, self.depth)

    def close_as_heading(self, number: int, line: str) -> MarkdownBlock:
        """Return this paragraph as a heading that ends with `line`, the underline below it: of level 1 if that is of
        `=` signs, else of level 2. `number` is the number of that line in the file.
        """
        level = 1 if "=" in line else 2
        return MarkdownBlock("heading", " ".join(self.parts), self.start, number, level)


def markdown_blocks(text: str, first_line: int = 1) -> Iterator[MarkdownBlock]:
    """Yield the blocks of a Markdown text in order; `first_line` is the number of its first line in the file.

    A paragraph or list item ends before the next blank line, rule, heading, item, code or table; its lines are joined
    by spaces, without quote signs. A paragraph above `===` or `---` becomes a heading; a rule is no block. Tabs count
    as spaces up to the next multiple of four columns.
    """
    lines = [(number, line.expandtabs(_TAB).rstrip()) for number, line in enumerate(text.split("\n"), first_line)]
    pending: _OpenBlock | None = None
    at = 0
    while at < len(lines):
        number, line = lines[at]
        found, after = _code_or_table(lines, at)
        if after == at:
            found, pending = _read_ordinary_line(pending, number, line)
            after = at + 1
        elif pending:
            found, pending = [pending.close(), *found], None
        yield from found
        at = after
    if pending:
        yield pending.close()


def _code_or_table(lines: Lines, at: int) -> tuple[list[MarkdownBlock], int]:
    """Return the blocks of the fenced code or table that begins at `lines[at]`, and the index after it; `([], at)` if
    neither begins there.
    """
    line = lines[at][1]
    if fence := _FENCE.fullmatch(line):
        return _code_block(lines, at, fence.group(1))
    if _is_row(line) and at + 1 < len(lines) and _DIVIDER.fullmatch(lines[at + 1][1]):
        return _table_rows(lines, at)
    return [], at


def _read_ordinary_line(
    pending: _OpenBlock | None, number: int, line: str
) -> tuple[list[MarkdownBlock], _OpenBlock | None]:
    """Return the blocks that a line completes, and the block that the next line can continue (None if none can).

    `pending` is the block that this line can continue: if it does, the line is added to that object. `number` is the
    line's number in the file. The line must not be one of code or of a table.
    """
    if pending and pending.kind == "paragraph" and _UNDERLINE.fullmatch(line):
        return [pending.close_as_heading(number, line)], None
    is_break = not line or _RULE.fullmatch(line)
    heading, item = _HEADING.match(line), _ITEM.fullmatch(line)
    if pending and not (is_break or heading or item):
        pending.parts.append(_QUOTE.sub("", line).strip())
        pending.end = number
        return [], pending
    before = [pending.close()] if pending else []
    if is_break:
        return before, None
    if heading:
        title = line[heading.end() :].strip().rstrip("#").rstrip()
        return [*before, MarkdownBlock("heading", title, number, number, len(heading.group(1)))], None
    kind: Kind = "paragraph" if item is None else "step" if item.group(2) else "item"
    words = _QUOTE.sub("", line) if item is None else item.group(3) or ""
    indent = len(line) - len(line.lstrip())
    return before, _OpenBlock(kind, [words.strip()], number, number, min(indent, _DEEPEST))


def _code_block(lines: Lines, at: int, fence: str) -> tuple[list[MarkdownBlock], int]:
    """Return the code block that `lines[at]` opens with `fence`, alone in a list, and the index after it.

    It ends with a fence of the same sign, as long at least; without one, it is all the rest. Its lines lose the
    indentation of the opening fence.
    """
    closing = re.compile(rf" *{re.escape(fence[0])}{{{len(fence)},}}")
    end = next((i for i in range(at + 1, len(lines)) if closing.fullmatch(lines[i][1])), len(lines) - 1)
    indent = len(lines[at][1]) - len(lines[at][1].lstrip())
    body = "\n".join(line[min(indent, len(line) - len(line.lstrip())) :] for _, line in lines[at : end + 1])
    return [MarkdownBlock("code", body, lines[at][0], lines[end][0], min(indent, _DEEPEST))], end + 1


def _table_rows(lines: Lines, at: int) -> tuple[list[MarkdownBlock], int]:
    """Return a block for each body row of the table whose head is `lines[at]`, and the index after the table.

    A row's text is `column: cell; column: cell`, without empty cells and those beyond the last column; of a column
    without a name, the cell alone.
    """
    columns = _cells(lines[at][1])
    rows: list[MarkdownBlock] = []
    at += 2
    while at < len(lines) and _is_row(lines[at][1]):
        number, line = lines[at]
        named = zip(columns, _cells(line), strict=False)
        text = "; ".join(f"{column}: {cell}" if column else cell for column, cell in named if cell)
        rows.append(MarkdownBlock("row", text, number, number))
        at += 1
    return rows, at


def _is_row(line: str) -> bool:
    """Whether a line, stripped, begins with `|` and ends with another, as a table's row does."""
    bare = line.strip()
    return len(bare) > 1 and bare.startswith("|") and bare.endswith("|")


def _cells(line: str) -> list[str]:
    """Split a table's row into the texts of its cells, stripped; an escaped `|` belongs to its cell, without the
    backslash.
    """
    return [cell.strip().replace("\\|", "|") for cell in _CELL.split(line.strip()[1:-1])]


def without_comments(text: str) -> tuple[str, int]:
    """Return the text without HTML comments outside fenced code, and how many these were.

    Their line breaks stay, so that line numbers do not change. A comment that is never closed stays.
    """
    kept: list[str] = []
    count = at = 0
    for start, end in _comment_spans(text):
        kept += [text[at:start], "\n" * text.count("\n", start, end)]
        count, at = count + 1, end
    return "".join([*kept, text[at:]]), count


def _comment_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield the offsets (start, end) of each HTML comment outside fenced code; a comment that is never closed is
    ordinary text.
    """
    done, fence = 0, ""
    last = text.rfind("-->")
    for found in _COMMENT.finditer(text):
        if found.start() < done:
            continue
        if mark := found.group(1):
            fence = fence_after(fence, mark)
        elif not fence and found.end() <= last:
            done = text.index("-->", found.end()) + 3
            yield found.start(), done
