"""A Markdown text in, its outline and its markup out: headings, code, and the comments that no reader sees."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from pellucid.documents.formats.inline import plain
from pellucid.documents.formats.markup import NONE, MarkupSpans, block_end, column, end_around, starts
from pellucid.documents.sections import Heading, Outline, Span, heading

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

_COMMENT, _COMMENT_END = "<!--", "-->"
_TICKED = re.compile(r"(?<![`\\])(`+)(?!`)(.+?)(?<!`)\1(?!`)")
_SIGN = re.compile(r"(`{3,}|~{3,})(.*)")
_LISTED = re.compile(r"[ \t]*(?:[-*+|>]|\d{1,9}[.)])(?:[ \t]|$)")
_MOST_OF_A_LINE = 2_000
"""Characters of a line that are looked at for code within it: what is hostile costs more than its length."""
_FAR = 4
"""Columns; what is further in is code, where no list goes on."""


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
                self._text(at, line)
                at += 1
            else:
                at = self._sign(at, line, text)
        return Outline(tuple(self._headings), tuple(self._whole))

    def _text(self, at: int, line: str) -> None:
        if self._lazy or self._paragraph is not None:
            return
        margin = column(line)
        if margin < self._inset:
            self._inset = 0
        if self._inset or margin > 3:
            self._lazy = self._inset > 0
        else:
            self._paragraph = at

    def _sign(self, at: int, line: str, text: str) -> int:
        """A line that does not begin with a letter; the answer is the next line to look at."""
        if (text[0] == "#" and self._atx(at, line)) or (text[0] in "=-" and self._setext(at, line)):
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
            self._item(item, line)
        elif not (text[0] == "[" and _DEFINITION.match(text)):
            self._text(at, line)
        return at + 1

    def _atx(self, at: int, line: str) -> bool:
        found = _ATX.match(line)
        if not found or column(line) >= self._inset > 0:
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
        return (self._inset > 0 or column(line) < 4) and _FENCE.fullmatch(line) is not None

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
        if raw is None or (column(line) > 3 and not self._inset):
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

    def _item(self, item: re.Match[str], line: str) -> None:
        margin = column(line)
        if margin > 3 and not self._inset:
            return
        if not self._inset or margin < self._inset:
            self._inset = margin + max(2, min(item.end() - item.end(1), 5))
        self._paragraph, self._lazy = None, True


def markdown_markup(text: str) -> MarkupSpans:
    """The HTML comments of a Markdown text, and its code: fenced, or indented where no list goes on.

    A fence that nothing closes counts only if it names a language: else it may be the end of one that was cut.
    """
    if _COMMENT not in text and "```" not in text and "~~~" not in text and "    " not in text and "\t" not in text:
        return NONE
    lines = text.split("\n")
    begins = starts(lines)
    fenced = [(first, end) for first, end in markdown_outline(lines, 0).whole if _is_code(lines, first, end)]
    blocks = sorted([*fenced, *_indented(lines, fenced)])
    code = [(begins[first], begins[end] - 1) for first, end in blocks]
    comments = tuple(_comments(text, begins, code))
    return MarkupSpans(comments, tuple(span for span in code if not end_around(span[0], comments)))


def _is_code(lines: Sequence[str], first: int, end: int) -> bool:
    opening = _SIGN.search(lines[first]) if not lines[first].lstrip().startswith(_COMMENT) else None
    closing = lines[end - 1].strip()
    closed = opening and end - first > 1 and closing.startswith(opening[1]) and not closing.strip(opening[1][0])
    return bool(opening and (closed or opening[2].strip()))


def _indented(lines: Sequence[str], fenced: Iterable[Span]) -> Iterator[Span]:
    """Code by its indentation: below a blank line, in no list, and itself none."""
    within = {at for first, end in fenced for at in range(first, end)}
    fresh, listed = True, False
    at = 0
    while at < len(lines):
        line = lines[at]
        margin = column(line)
        if not line.strip() or at in within:
            fresh = True
        elif _LISTED.match(line):
            fresh, listed = False, True
        elif fresh and not listed and margin >= _FAR:
            end = block_end(lines, at, _FAR - 1)
            yield at, end
            at = end
            continue
        else:
            listed = listed and not (fresh and margin == 0)
            fresh = False
        at += 1


def _comments(text: str, begins: Sequence[int], code: Sequence[Span]) -> Iterator[Span]:
    """HTML comments that begin in no code; one that nothing closes goes to the end if it begins a line."""
    begin, ticked = -1, list[Span]()
    at = text.find(_COMMENT)
    while at >= 0:
        line = begins[bisect_right(begins, at) - 1]
        if line != begin:
            begin, ticked = line, _ticked(text, line)
        if end := end_around(at, code) or end_around(at, ticked):
            at = text.find(_COMMENT, end)
            continue
        end = text.find(_COMMENT_END, at + len(_COMMENT)) + len(_COMMENT_END)
        if end >= len(_COMMENT_END):
            yield at, end
        elif not text[begin:at].strip():
            yield at, len(text)
            return
        else:
            return
        at = text.find(_COMMENT, end)


def _ticked(text: str, line: int) -> list[Span]:
    """The code within the line that begins there."""
    part = text[line : line + _MOST_OF_A_LINE].split("\n", 1)[0]
    return [(line + found.start(), line + found.end()) for found in _TICKED.finditer(part)] if "`" in part else []
