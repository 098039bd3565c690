"""A text in, the parts that are not prose out: comments, which no reader sees, and blocks of code."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from pellucid.documents.sections import Span


@dataclass(frozen=True, slots=True)
class MarkupSpans:
    """The comments and code of a text, each as ascending spans of characters that do not overlap."""

    comments: tuple[Span, ...] = ()
    code: tuple[Span, ...] = ()


NO_MARKUP = MarkupSpans()
FindMarkup = Callable[[str], MarkupSpans]


def blank_spans(text: str, spans: Iterable[Span]) -> str:
    """Return the text with a space for every character in the spans except line ends, so that all offsets stay. The
    spans can be in any order, and overlap.
    """
    at, out = 0, list[str]()
    for first, end in sorted(spans):
        begin = max(first, at)
        out += [text[at:begin], re.sub(r"[^\n]", " ", text[begin:end])]
        at = max(at, end)
    return "".join([*out, text[at:]])


def without_comments(text: str, lines: Sequence[str], find_markup: FindMarkup, sign: str) -> Sequence[str]:
    """Return the lines of a text with every comment of more than one line blanked; shorter comments stay.

    `lines` are those of `text`, split at line feeds; `find_markup` finds the comments. A line of such a comment loses
    the blanks at its end, and becomes `sign` if nothing is left of it.
    """
    comments = [(first, end) for first, end in find_markup(text).comments if "\n" in text[first:end]]
    if not comments:
        return lines
    offsets = line_offsets(lines)
    blanked_lines = blank_spans(text, comments).split("\n")
    for first, end in comments:
        for at in range(bisect_right(offsets, first) - 1, bisect_right(offsets, end - 1)):
            blanked_lines[at] = blanked_lines[at].rstrip() or sign
    return blanked_lines


def line_offsets(lines: Sequence[str]) -> list[int]:
    """Return the offset at which each line begins, and, last, the offset after the last line; each line end counts as
    one character, that of the last line, too.
    """
    return list(accumulate((len(line) + 1 for line in lines), initial=0))


def span_end_at(offset: int, spans: Sequence[Span]) -> int:
    """Return the end of the span that contains an offset; 0 if no span does. `spans` are sorted, and do not overlap."""
    place = bisect_right(spans, offset, key=lambda span: span[0]) - 1
    return spans[place][1] if place >= 0 and offset < spans[place][1] else 0


def block_end(lines: Sequence[str], first: int, margin: int) -> int:
    """Return the index after the last line of the block that begins at line `first`: lines indented by more than
    `margin` columns, with the blank lines between them.

    Blank lines at the beginning belong to it. Return `first` if the first line that is not blank is not so indented, or
    if all are blank.
    """
    end = first
    while first < len(lines) and (not lines[first].strip() or indentation(lines[first]) > margin):
        first += 1
        if lines[first - 1].strip():
            end = first
    return end


def indentation(line: str) -> int:
    """Return by how many columns a line is indented; a tab leads to the next multiple of four."""
    width = len(line) - len(line.lstrip(" \t"))
    return len(line[:width].expandtabs(4)) if "\t" in line[:width] else width
