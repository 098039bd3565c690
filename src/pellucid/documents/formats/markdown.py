"""A Markdown text in, its outline and its markup out: headings, code, and the comments that no reader sees."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

from pellucid.documents.formats.inline import plain_markdown
from pellucid.documents.formats.markup import NO_MARKUP, MarkupSpans, block_end, indentation, line_offsets, span_end_at
from pellucid.documents.sections import Heading, Outline, Span, heading

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

_HTML_HEADING = re.compile(r" {0,3}<[hH]([1-6])(?:\s[^<>]*)?>(.*)</[hH]\1>\s*")
_RAW = re.compile(r"\s*<(?:!--|(?:pre|script|style|textarea)[\s>])", re.IGNORECASE)
_LONGEST_SETEXT = 200
"""More than that above a `---` is a paragraph before a rule."""

_COMMENT, _COMMENT_END = "<!--", "-->"
_TICKED = re.compile(r"(?<![`\\])(`+)(?!`)(.+?)(?<!`)\1(?!`)")
_SIGN = re.compile(r"(`{3,}|~{3,})(.*)")
_LISTED = re.compile(r"[ \t]*(?:[-*+|>]|\d{1,9}[.)])(?:[ \t]|$)")
_MOST_OF_A_LINE = 2_000
"""Characters of a line that are searched for code within it: hostile text costs more time than its length."""
_FAR = 4
"""Columns: a line that is indented by as many or more is code, unless a list goes on."""


def markdown_outline(lines: Sequence[str], start: int) -> Outline:
    """Return the headings from line `start` (0-based) on, and the line spans of fenced code and of comments with a
    blank line in them.

    Blocks are those of CommonMark, except that neither a table row nor more than 200 characters above `---` or `===`
    are a heading, and a line `<h1>…</h1>` is one. A Markdown heading in a list or quotation does not count.
    """
    headings: list[Heading] = []
    whole: list[Span] = []
    tokens = _block_parser().parse("\n" * start + "\n".join(lines[start:]))
    for place, token in enumerate(tokens):
        if token.map is None:
            continue
        first, end = token.map
        if token.type == "heading_open" and token.level == 0:
            text = " ".join(tokens[place + 1].content.split("\n"))
            if token.markup[0] == "#" or (text[0] != "|" and len(text) <= _LONGEST_SETEXT):
                headings.append(heading(plain_markdown(text), int(token.tag[1]), first, end))
        elif token.type == "html_block" and not _RAW.match(lines[first]):
            found = ((line, _HTML_HEADING.fullmatch(lines[line])) for line in range(first, end))
            headings += [
                heading(plain_markdown(each[2].strip()), int(each[1]), at, at + 1) for at, each in found if each
            ]
        elif token.type == "fence" or (token.type == "html_block" and _is_gapped_comment(lines[first:end])):
            whole.append((first, end))
    return Outline(tuple(headings), tuple(whole))


@cache
def _block_parser() -> "MarkdownIt":
    """Make a CommonMark parser that finds blocks only, not inline markup."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


def _is_gapped_comment(lines: Sequence[str]) -> bool:
    """Whether these lines are an HTML comment that contains a blank line."""
    return lines[0].lstrip().startswith(_COMMENT) and not all(line.strip() for line in lines)


def markdown_markup(text: str) -> MarkupSpans:
    """Find the character spans of the HTML comments and the code of a Markdown text: fenced code, and code indented by
    four columns outside lists; not code within a line.

    A fence that is not closed counts only if it names a language; otherwise it can be the end of a fence that was cut
    in two.
    """
    if _COMMENT not in text and "```" not in text and "~~~" not in text and "    " not in text and "\t" not in text:
        return NO_MARKUP
    lines = text.split("\n")
    begins = line_offsets(lines)
    fenced = [(first, end) for first, end in markdown_outline(lines, 0).whole if _is_code_fence(lines, first, end)]
    blocks = sorted([*fenced, *_indented_code(lines, fenced)])
    code = [(begins[first], begins[end] - 1) for first, end in blocks]
    comments = tuple(_comment_spans(text, begins, code))
    return MarkupSpans(comments, tuple(span for span in code if not span_end_at(span[0], comments)))


def _is_code_fence(lines: Sequence[str], first: int, end: int) -> bool:
    """Whether the lines from `first` up to before `end` are a fence that is closed or names its language; False for a
    comment.
    """
    opening = _SIGN.search(lines[first]) if not lines[first].lstrip().startswith(_COMMENT) else None
    closing = lines[end - 1].strip()
    closed = opening and end - first > 1 and closing.startswith(opening[1]) and not closing.strip(opening[1][0])
    return bool(opening and (closed or opening[2].strip()))


def _indented_code(lines: Sequence[str], fenced: Iterable[Span]) -> Iterator[Span]:
    """Yield the (first, after-last) lines of indented code: by four columns or more, at the beginning of the text or
    after a blank line or fence, outside lists and the spans `fenced`.

    A list goes on up to a line that is not indented after a blank line.
    """
    fenced_lines = {at for first, end in fenced for at in range(first, end)}
    after_blank, in_list = True, False
    at = 0
    while at < len(lines):
        line = lines[at]
        margin = indentation(line)
        if not line.strip() or at in fenced_lines:
            after_blank = True
        elif _LISTED.match(line):
            after_blank, in_list = False, True
        elif after_blank and not in_list and margin >= _FAR:
            end = block_end(lines, at, _FAR - 1)
            yield at, end
            at = end
            continue
        else:
            in_list = in_list and not (after_blank and margin == 0)
            after_blank = False
        at += 1


def _comment_spans(text: str, begins: Sequence[int], code: Sequence[Span]) -> Iterator[Span]:
    """Yield the character spans of the HTML comments outside code, that of blocks (`code`) and that within a line.

    A comment that is not closed reaches to the end of the text if it begins its line; otherwise it, and all after it,
    is text. `begins` has the offset of each line.
    """
    line_begin, inline_code = -1, list[Span]()
    at = text.find(_COMMENT)
    while at >= 0:
        line = begins[bisect_right(begins, at) - 1]
        if line != line_begin:
            line_begin, inline_code = line, _inline_code(text, line)
        if end := span_end_at(at, code) or span_end_at(at, inline_code):
            at = text.find(_COMMENT, end)
            continue
        end = text.find(_COMMENT_END, at + len(_COMMENT)) + len(_COMMENT_END)
        if end >= len(_COMMENT_END):
            yield at, end
        elif not text[line_begin:at].strip():
            yield at, len(text)
            return
        else:
            return
        at = text.find(_COMMENT, end)


def _inline_code(text: str, begin: int) -> list[Span]:
    """Return the spans, in `text`, of the code between backticks in the line that begins at the offset `begin`, of
    which the first 2,000 characters are searched.
    """
    text_of_line = text[begin : begin + _MOST_OF_A_LINE].split("\n", 1)[0]
    return (
        [(begin + found.start(), begin + found.end()) for found in _TICKED.finditer(text_of_line)]
        if "`" in text_of_line
        else []
    )
