"""Lines of Markdown in, its outline out: ATX and setext headings that stand in no code, comment, list or quotation."""

import re
from collections.abc import Sequence

from pellucid.graph.outline import Heading, Outline, Span, heading
from pellucid.graph.plain_text import plain

_FENCE = re.compile(r"[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(?:(`{3,})[^`]*|(~{3,}).*)")
_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]|$)")
_SETEXT = re.compile(r" {0,3}(?:=+|-+)[ \t]*")
_RULE = re.compile(r" {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}")
_ITEM = re.compile(r"([ \t]*)(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|$)")
_HTML_HEADING = re.compile(r" {0,3}<[hH]([1-6])(?:\s[^<>]*)?>(.*)</[hH]\1>\s*")
_RAW = re.compile(r"<(?:!(--)|(pre|script|style|textarea)(?=[\s>]|$))", re.IGNORECASE)
_DEFINITION = re.compile(r"\[[^\[\]]{1,999}\]:")
_LONGEST_SETEXT = 200
"""More than that above a `---` is a paragraph before a rule."""


def markdown_outline(lines: Sequence[str], start: int) -> Outline:
    """The headings from line `start` (0-based) on, and the spans of fenced code and of comments with blank lines.

    Linear in the length of the text.
    """
    return _Scan(lines).run(start)


class _Scan:
    """One pass: each step looks at one line, or takes all lines of a block in which nothing is a heading."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._headings: list[Heading] = []
        self._whole: list[Span] = []
        self._paragraph: int | None = None
        """Where a paragraph began that may yet turn out to be a setext heading."""
        self._lazy = False
        """In a paragraph of a quotation, a list or HTML, which goes on until a blank line."""
        self._inset = 0
        """The column of the text of the outermost list item, 0 outside of lists."""

    def run(self, start: int) -> Outline:
        at = start
        while at < len(self._lines):
            line = self._lines[at]
            text = line.lstrip(" \t")
            if not text:
                self._paragraph, self._lazy = None, False
                at += 1
            elif text[0].isalpha():
                self._text(at, line, text)
                at += 1
            else:
                at = self._sign(at, line, text)
        return Outline(tuple(self._headings), tuple(self._whole))

    def _text(self, at: int, line: str, text: str) -> None:
        if self._lazy or self._paragraph is not None:
            return
        column = _column(line, text)
        if column < self._inset:
            self._inset = 0
        if self._inset or column > 3:
            self._lazy = self._inset > 0
        else:
            self._paragraph = at

    def _sign(self, at: int, line: str, text: str) -> int:
        """A line that does not begin with a letter; the answer is the next line to look at."""
        if (text[0] == "#" and self._atx(at, line, text)) or (text[0] in "=-" and self._setext(at, line)):
            return at + 1
        if self._opens_fence(line, text):
            return self._fence(at, line)
        if text[0] == "<":
            return self._html(at, line, text)
        if _RULE.fullmatch(line):
            self._paragraph, self._lazy = None, False
        elif text[0] in ">|":
            self._paragraph, self._lazy = None, True
        elif item := _ITEM.match(line):
            self._item(item, line, text)
        elif not (text[0] == "[" and _DEFINITION.match(text)):
            self._text(at, line, text)
        return at + 1

    def _atx(self, at: int, line: str, text: str) -> bool:
        found = _ATX.match(line)
        if not found or _column(line, text) >= self._inset > 0:
            return False
        body = line[found.end() :].strip()
        bare = body.rstrip("#")
        if bare != body and (not bare or bare[-1] in " \t"):
            body = bare.rstrip()
        self._add(body, len(found[1]), at, at + 1)
        return True

    def _setext(self, at: int, line: str) -> bool:
        begin = self._paragraph
        if begin is None or self._lazy or not _SETEXT.fullmatch(line):
            return False
        if at - begin > 9:
            return False
        body = " ".join(each.strip() for each in self._lines[begin:at])
        if len(body) > _LONGEST_SETEXT:
            return False
        self._add(body, 1 if "=" in line else 2, begin, at + 1)
        return True

    def _add(self, text: str, level: int, first: int, end: int) -> None:
        self._headings.append(heading(plain(text), level, first, end))
        self._paragraph, self._lazy, self._inset = None, False, 0

    def _opens_fence(self, line: str, text: str) -> bool:
        """Code indented by four columns is code already, except in a list."""
        if "```" not in text and "~~~" not in text:
            return False
        return (self._inset > 0 or _column(line, text) < 4) and _FENCE.fullmatch(line) is not None

    def _fence(self, at: int, line: str) -> int:
        found = _FENCE.fullmatch(line)
        assert found
        sign = found[1] or found[2]
        if (item := _ITEM.match(line)) and not self._inset:
            self._inset = item.end()
        end = at + 1
        while end < len(self._lines):
            text = self._lines[end].strip()
            end += 1
            if text.startswith(sign) and not text.strip(sign[0]):
                break
        self._paragraph, self._lazy = None, False
        self._whole.append((at, end))
        return end

    def _html(self, at: int, line: str, text: str) -> int:
        if found := _HTML_HEADING.fullmatch(line):
            self._add(found[2].strip(), int(found[1]), at, at + 1)
            return at + 1
        raw = _RAW.match(text)
        if raw is None or (_column(line, text) > 3 and not self._inset):
            self._paragraph, self._lazy = None, True
            return at + 1
        close = "-->" if raw[1] else f"</{raw[2].lower()}>"
        end = at
        while end < len(self._lines) and close not in self._lines[end].lower():
            end += 1
        self._paragraph, self._lazy = None, False
        end = min(end + 1, len(self._lines))
        if raw[1] and not all(line.strip() for line in self._lines[at:end]):
            self._whole.append((at, end))
        return end

    def _item(self, item: re.Match[str], line: str, text: str) -> None:
        column = _column(line, text)
        if column > 3 and not self._inset:
            return
        if not self._inset or column < self._inset:
            self._inset = column + max(2, min(item.end() - item.end(1), 5))
        self._paragraph, self._lazy = None, True


def _column(line: str, text: str) -> int:
    """How far a line is indented; a tab leads to the next multiple of four."""
    width = len(line) - len(text)
    return width if "\t" not in line[:width] else len(line[:width].expandtabs(4))
