"""A reStructuredText text in, its outline and its markup out: titles over any punctuation, code, comments."""

import re
from collections.abc import Iterator, Sequence

from pellucid.documents.formats.inline import plain_rst
from pellucid.documents.formats.markup import NO_MARKUP, MarkupSpans, block_end, indentation, line_offsets
from pellucid.documents.sections import Heading, Outline, Span, heading

_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1* *")
_NO_TITLE = re.compile(r"[-*+•‣⁃] |\.\. |__ |\|(?: |$)|>>>(?: |$)|:[^:\s](?:[^:]*[^:\s])?:(?: |$)|\+[-=]")
_BORDER = re.compile(r"=+(?: +=+)+ *")
_SURE = 4
"""An underline of this length makes a title even if the title is longer."""

_EXPLICIT = re.compile(r"\.\.(?:[ \t]+(?P<rest>\S.*)|[ \t]*)")
_DIRECTIVE = re.compile(r"(?P<name>\w[\w:.+-]*?) ?::(?=\s|$)")
_CODE_DIRECTIVES = frozenset({"code", "code-block", "sourcecode", "parsed-literal", "testcode", "testsetup", "prompt"})
_NO_COMMENT = re.compile(r"_(?=\S)|__ |\[[^\[\]]+\](?:\s|$)|\|[^|\s]")
"""A target, a footnote or citation, a substitution."""
_RST_ITEM = re.compile(r"[ \t]*(?:(?:[-*+•‣⁃]|#\.|\(?\w{1,3}[.)])[ \t]+)?")


def rst_outline(lines: Sequence[str], start: int) -> Outline:
    """Return the headings from line `start` (0-based) on, and the line spans of simple tables and indented blocks,
    which should not be cut; in linear time.
    """
    return _OutlineScan(lines, start).run()


class _OutlineScan:
    """Reads the outline of a reStructuredText file from line `start` on."""

    def __init__(self, lines: Sequence[str], start: int) -> None:
        self._lines = lines
        self._start = start
        self._headings: list[Heading] = []
        self._whole: list[Span] = []
        self._styles: dict[tuple[str, bool], int] = {}
        self._borders = [at for at in range(start, len(lines)) if lines[at][:1] == "=" and _BORDER.fullmatch(lines[at])]
        self._border = 0

    def run(self) -> Outline:
        """Return the headings of the text, and the spans of lines that should not be cut."""
        at = self._start
        after_blank = True
        while at < len(self._lines):
            line = self._lines[at]
            if not line.strip():
                after_blank = True
                at += 1
            elif line[0] in " \t":
                end = block_end(self._lines, at, 0)  # a literal block, quotation or list: no title is in it
                self._whole.append((at, end))
                at = end
                after_blank = True
            else:
                end = 0
                if after_blank:
                    end = self._take_table(at) or self._take_overlined_title(at) or self._take_underlined_title(at)
                after_blank = bool(end) or line.startswith(".. ")
                at = end or at + 1
        return Outline(tuple(self._headings), tuple(self._whole))

    def _take_table(self, at: int) -> int:
        """Add the span of a simple table that begins at line `at` to the spans that are not cut, and return the line
        after it; do nothing and return 0 if none begins there.

        A table ends after its third border, or after its second if a blank line or the end of the text follows.
        """
        while self._border < len(self._borders) and self._borders[self._border] < at:
            self._border += 1
        borders = self._borders[self._border : self._border + 3]
        if not borders or borders[0] != at:
            return 0
        for number, border in enumerate(borders[1:], 1):
            if number == 2 or border + 1 == len(self._lines) or not self._lines[border + 1].strip():
                self._whole.append((at, border + 1))
                return border + 1
        return 0

    def _take_overlined_title(self, at: int) -> int:
        """Add the heading of the title between two equal lines of punctuation that begins at line `at`, and return the
        line after it; 0 if there is none.
        """
        if at + 2 >= len(self._lines):
            return 0
        over, title, under = (line.rstrip() for line in self._lines[at : at + 3])
        if over != under or not _ADORNMENT.fullmatch(over) or not title or _ADORNMENT.fullmatch(title):
            return 0
        return self._add_heading(title.strip(), over, at, at + 3, over=True)

    def _take_underlined_title(self, at: int) -> int:
        """Add the heading of the title at line `at` with a line of punctuation below it, and return the line after
        both; 0 if there is none.

        A list item, directive, field or the like is no title.
        """
        if at + 1 >= len(self._lines):
            return 0
        title, under = (line.rstrip() for line in self._lines[at : at + 2])
        if not _ADORNMENT.fullmatch(under) or under in {"::", ".."}:
            return 0
        if _ADORNMENT.fullmatch(title) or _NO_TITLE.match(title):
            return 0
        return self._add_heading(title, under, at, at + 2, over=False)

    def _add_heading(self, title: str, adornment: str, at: int, end: int, *, over: bool) -> int:
        """Add a heading and return `end`; return 0 and add nothing if the adornment, the line below the title, is
        shorter than the title and than four characters.

        The first heading of a new style of adornment (its character, and `over`: whether it is above the title as well)
        makes the next deeper level.
        """
        if len(adornment) < min(len(title), _SURE):
            return 0
        level = self._styles.setdefault((adornment[0], over), len(self._styles) + 1)
        self._headings.append(heading(plain_rst(title), level, at, end))
        return end


def rst_markup(text: str) -> MarkupSpans:
    """Find the character spans of the comments of a reStructuredText file, and of its code: literal blocks, and
    directives that contain code.
    """
    if ".." not in text and "::" not in text:
        return NO_MARKUP
    lines = text.split("\n")
    begins = line_offsets(lines)
    found = list(_rst_blocks(lines))
    comments, code = (
        tuple((begins[first], begins[end] - 1) for first, end, is_code in found if is_code is kind)
        for kind in (False, True)
    )
    return MarkupSpans(comments, code)


def _rst_blocks(lines: Sequence[str]) -> Iterator[tuple[int, int, bool]]:
    """Yield the blocks of comments and code, each as (first line, line after the block, whether it is code), 0-based.

    A literal block begins on the line after its `::`, any other on its own line `.. …`.
    """
    at, after_blank = 0, True
    while at < len(lines):
        line = lines[at]
        explicit = _EXPLICIT.fullmatch(line.strip()) if after_blank else None
        is_code = _is_code_directive(explicit["rest"] or "") if explicit else None
        begin = at if explicit else at + 1
        if explicit and is_code is not None:
            is_empty = not explicit["rest"] and (at + 1 == len(lines) or not lines[at + 1].strip())
            end = at + 1 if is_empty else block_end(lines, at + 1, indentation(line))
        elif not explicit and line.rstrip().endswith("::") and at + 1 < len(lines) and not lines[at + 1].strip():
            item = _RST_ITEM.match(line)  # what is indented further than the text of this line is literal
            margin = len(line[: item.end()].expandtabs(8)) if item else 0
            end, is_code = block_end(lines, at + 1, margin), True
        else:
            after_blank = explicit is not None or not line.strip()
            at += 1
            continue
        if begin < end:
            yield begin, end, is_code
        at, after_blank = max(end, at + 1), True


def _is_code_directive(text: str) -> bool | None:
    """Whether the text after `..` begins a block of code (True) or a comment (False).

    None if it begins anything else, such as another directive, a target or a footnote.
    """
    if found := _DIRECTIVE.match(text):
        return True if found["name"].casefold() in _CODE_DIRECTIVES else None
    return None if _NO_COMMENT.match(text) else False
