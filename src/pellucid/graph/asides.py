"""A text in, what of it is no plain speech out: comments, which no reader sees, and blocks of code."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from pellucid.graph.markdown_sections import markdown_outline
from pellucid.graph.outline import Span

_COMMENT, _COMMENT_END = "<!--", "-->"
_TICKED = re.compile(r"(?<![`\\])(`+)(?!`)(.+?)(?<!`)\1(?!`)")
_SIGN = re.compile(r"(`{3,}|~{3,})(.*)")
_ITEM = re.compile(r"[ \t]*(?:[-*+|>]|\d{1,9}[.)])(?:[ \t]|$)")
_MOST_OF_A_LINE = 2_000
"""Characters of a line that are looked at for code within it: what is hostile costs more than its length."""
_FAR = 4
"""Columns; what is further in is code, where no list goes on."""
_EXPLICIT = re.compile(r"\.\.(?:[ \t]+(?P<rest>\S.*)|[ \t]*)")
_DIRECTIVE = re.compile(r"(?P<name>\w[\w:.+-]*?) ?::(?=\s|$)")
_CODE_DIRECTIVES = frozenset({"code", "code-block", "sourcecode", "parsed-literal", "testcode", "testsetup", "prompt"})
_NO_COMMENT = re.compile(r"_(?=\S)|__ |\[[^\[\]]+\](?:\s|$)|\|[^|\s]")
"""A target, a footnote or citation, a substitution."""
_RST_ITEM = re.compile(r"[ \t]*(?:(?:[-*+•‣⁃]|#\.|\(?\w{1,3}[.)])[ \t]+)?")


@dataclass(frozen=True, slots=True)
class Asides:
    """Spans of a text, in characters: ascending, none overlapping another of its kind."""

    comments: tuple[Span, ...] = ()
    code: tuple[Span, ...] = ()


NONE = Asides()
FindAsides = Callable[[str], Asides]


def markdown_asides(text: str) -> Asides:
    """The HTML comments of a Markdown text, and its code: fenced, or indented where no list goes on.

    A fence that nothing closes counts only if it names a language: else it may be the end of one that was cut.
    """
    if _COMMENT not in text and "```" not in text and "~~~" not in text and "    " not in text and "\t" not in text:
        return NONE
    lines = text.split("\n")
    starts = _starts(lines)
    fenced = [(first, end) for first, end in markdown_outline(lines, 0).whole if _is_code(lines, first, end)]
    blocks = sorted([*fenced, *_indented(lines, fenced)])
    code = [(starts[first], starts[end] - 1) for first, end in blocks]
    comments = tuple(_comments(text, starts, code))
    return Asides(comments, tuple(span for span in code if not _end_around(span[0], comments)))


def rst_asides(text: str) -> Asides:
    """The comments of a reStructuredText text, and its code: literal blocks, and the directives that hold code."""
    if ".." not in text and "::" not in text:
        return NONE
    lines = text.split("\n")
    starts = _starts(lines)
    found = list(_rst_blocks(lines))
    comments, code = (
        tuple((starts[first], starts[end] - 1) for first, end, is_code in found if is_code is kind)
        for kind in (False, True)
    )
    return Asides(comments, code)


def blanked(text: str, spans: Iterable[Span]) -> str:
    """The text with spaces for everything in the spans but line ends: all else stays where it is."""
    at, out = 0, list[str]()
    for first, end in sorted(spans):
        begin = max(first, at)
        out += [text[at:begin], re.sub(r"[^\n]", " ", text[begin:end])]
        at = max(at, end)
    return "".join([*out, text[at:]])


def without_comments(text: str, lines: Sequence[str], find: FindAsides, sign: str) -> Sequence[str]:
    """The lines of a text; of a comment that goes over several of them, each holds nothing but `sign`."""
    comments = [(first, end) for first, end in find(text).comments if "\n" in text[first:end]]
    if not comments:
        return lines
    starts = _starts(lines)
    clear = blanked(text, comments).split("\n")
    for first, end in comments:
        for at in range(bisect_right(starts, first) - 1, bisect_right(starts, end - 1)):
            clear[at] = clear[at].rstrip() or sign
    return clear


def _starts(lines: Sequence[str]) -> list[int]:
    """Where each line begins, and one past the text's end and a line end."""
    return list(accumulate((len(line) + 1 for line in lines), initial=0))


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
        column = _column(line)
        if not line.strip() or at in within:
            fresh = True
        elif _ITEM.match(line):
            fresh, listed = False, True
        elif fresh and not listed and column >= _FAR:
            end = _block_end(lines, at, _FAR - 1)
            yield at, end
            at = end
            continue
        else:
            listed = listed and not (fresh and column == 0)
            fresh = False
        at += 1


def _comments(text: str, starts: Sequence[int], code: Sequence[Span]) -> Iterator[Span]:
    """HTML comments that begin in no code; one that nothing closes goes to the end if it begins a line."""
    begin, ticked = -1, list[Span]()
    at = text.find(_COMMENT)
    while at >= 0:
        line = starts[bisect_right(starts, at) - 1]
        if line != begin:
            begin, ticked = line, _ticked(text, line)
        if end := _end_around(at, code) or _end_around(at, ticked):
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


def _end_around(at: int, spans: Sequence[Span]) -> int:
    """Where the span ends that a place lies in; 0 if it lies in none."""
    place = bisect_right(spans, at, key=lambda span: span[0]) - 1
    return spans[place][1] if place >= 0 and at < spans[place][1] else 0


def _rst_blocks(lines: Sequence[str]) -> Iterator[tuple[int, int, bool]]:
    """Comments and code as (first line, line after it, whether it is code)."""
    at, fresh = 0, True
    while at < len(lines):
        line = lines[at]
        explicit = _EXPLICIT.fullmatch(line.strip()) if fresh else None
        is_code = _is_code_directive(explicit["rest"] or "") if explicit else None
        begin = at if explicit else at + 1
        if explicit and is_code is not None:
            end = at + 1 if _is_empty(lines, at, explicit) else _block_end(lines, at + 1, _column(line))
        elif not explicit and line.rstrip().endswith("::") and at + 1 < len(lines) and not lines[at + 1].strip():
            end, is_code = _block_end(lines, at + 1, _literal(line)), True
        else:
            fresh = explicit is not None or not line.strip()
            at += 1
            continue
        if begin < end:
            yield begin, end, is_code
        at, fresh = max(end, at + 1), True


def _is_code_directive(rest: str) -> bool | None:
    """What stands behind two dots: True for code, False for a comment, None for anything that is read."""
    if found := _DIRECTIVE.match(rest):
        return True if found["name"].casefold() in _CODE_DIRECTIVES else None
    return None if _NO_COMMENT.match(rest) else False


def _is_empty(lines: Sequence[str], at: int, explicit: re.Match[str]) -> bool:
    """Two dots and a blank line are a comment that ends there."""
    return not explicit["rest"] and (at + 1 == len(lines) or not lines[at + 1].strip())


def _literal(line: str) -> int:
    """The column of the text that announces a literal block: what is further in belongs to that."""
    found = _RST_ITEM.match(line)
    return len(line[: found.end()].expandtabs(8)) if found else 0


def _block_end(lines: Sequence[str], at: int, column: int) -> int:
    """The line after the last of those, from `at` on, that are blank or further in than a column."""
    end = at
    while at < len(lines) and (not lines[at].strip() or _column(lines[at]) > column):
        at += 1
        if lines[at - 1].strip():
            end = at
    return end


def _column(line: str) -> int:
    width = len(line) - len(line.lstrip(" \t"))
    return len(line[:width].expandtabs(4)) if "\t" in line[:width] else width
