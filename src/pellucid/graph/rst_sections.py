"""Lines of reStructuredText in, its outline out: titles over any line of punctuation, levels as they first appear."""

import re
from collections.abc import Sequence

from pellucid.graph.outline import Heading, Outline, Span, heading
from pellucid.graph.plain_text import plain_rst

_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1* *")
_NO_TITLE = re.compile(r"[-*+•‣⁃] |\.\. |__ |\|(?: |$)|>>>(?: |$)|:[^:\s](?:[^:]*[^:\s])?:(?: |$)|\+[-=]")
_BORDER = re.compile(r"=+(?: +=+)+ *")
_SURE = 4
"""An underline of this length makes a title even if the title is longer."""


def rst_outline(lines: Sequence[str], start: int) -> Outline:
    """The headings from line `start` (0-based) on, and the spans of tables and indented blocks. Linear."""
    return _Scan(lines, start).run()


class _Scan:
    def __init__(self, lines: Sequence[str], start: int) -> None:
        self._lines = lines
        self._start = start
        self._headings: list[Heading] = []
        self._whole: list[Span] = []
        self._styles: dict[tuple[str, bool], int] = {}
        self._borders = [at for at in range(start, len(lines)) if lines[at][:1] == "=" and _BORDER.fullmatch(lines[at])]
        self._border = 0

    def run(self) -> Outline:
        at = self._start
        fresh = True
        while at < len(self._lines):
            line = self._lines[at]
            if not line.strip():
                fresh = True
                at += 1
            elif line[0] in " \t":
                at = self._indented(at)
                fresh = True
            else:
                end = (self._table(at) or self._over(at) or self._under(at)) if fresh else 0
                fresh = bool(end) or line.startswith(".. ")
                at = end or at + 1
        return Outline(tuple(self._headings), tuple(self._whole))

    def _indented(self, at: int) -> int:
        """Literal blocks, the content of directives, quotations, lists: nothing in them is a title."""
        begin = at
        end = at
        while at < len(self._lines) and (not self._lines[at].strip() or self._lines[at][0] in " \t"):
            at += 1
            if self._lines[at - 1].strip():
                end = at
        self._whole.append((begin, end))
        return end

    def _table(self, at: int) -> int:
        """The line after a simple table that begins here, else 0: it ends at its third border, or before a gap."""
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

    def _over(self, at: int) -> int:
        """The line after a title between two equal lines, else 0."""
        if at + 2 >= len(self._lines):
            return 0
        over, title, under = (line.rstrip() for line in self._lines[at : at + 3])
        if over != under or not _ADORNMENT.fullmatch(over) or not title or _ADORNMENT.fullmatch(title):
            return 0
        return self._add(title.strip(), over, at, at + 3, over=True)

    def _under(self, at: int) -> int:
        """The line after a title and the line below it, else 0."""
        if at + 1 >= len(self._lines):
            return 0
        title, under = (line.rstrip() for line in self._lines[at : at + 2])
        if not _ADORNMENT.fullmatch(under) or under in {"::", ".."}:
            return 0
        if _ADORNMENT.fullmatch(title) or _NO_TITLE.match(title):
            return 0
        return self._add(title, under, at, at + 2, over=False)

    def _add(self, title: str, adornment: str, at: int, end: int, *, over: bool) -> int:
        if len(adornment) < min(len(title), _SURE):
            return 0
        level = self._styles.setdefault((adornment[0], over), len(self._styles) + 1)
        self._headings.append(heading(plain_rst(title), level, at, end))
        return end
