"""A text in, what of it is no plain speech out: comments, which no reader sees, and blocks of code."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from pellucid.documents.sections import Span


@dataclass(frozen=True, slots=True)
class MarkupSpans:
    """The comments and code of a text, as spans of characters: ascending, not overlapping within a kind."""

    comments: tuple[Span, ...] = ()
    code: tuple[Span, ...] = ()


NO_MARKUP = MarkupSpans()
FindMarkup = Callable[[str], MarkupSpans]


def blanked(text: str, spans: Iterable[Span]) -> str:
    """The text with spaces for everything in the spans but line ends, so that all else keeps its offset."""
    at, out = 0, list[str]()
    for first, end in sorted(spans):
        begin = max(first, at)
        out += [text[at:begin], re.sub(r"[^\n]", " ", text[begin:end])]
        at = max(at, end)
    return "".join([*out, text[at:]])


def without_comments(text: str, lines: Sequence[str], find: FindMarkup, sign: str) -> Sequence[str]:
    """The lines of a text with comments of several lines blanked; `sign` stands for a line with nothing left.

    `find` finds the comments.
    """
    comments = [(first, end) for first, end in find(text).comments if "\n" in text[first:end]]
    if not comments:
        return lines
    begins = line_offsets(lines)
    clear = blanked(text, comments).split("\n")
    for first, end in comments:
        for at in range(bisect_right(begins, first) - 1, bisect_right(begins, end - 1)):
            clear[at] = clear[at].rstrip() or sign
    return clear


def line_offsets(lines: Sequence[str]) -> list[int]:
    """The offset at which each line begins, and that of a line after the last."""
    return list(accumulate((len(line) + 1 for line in lines), initial=0))


def span_end_at(at: int, spans: Sequence[Span]) -> int:
    """The end of the span that covers an offset; 0 if none does."""
    place = bisect_right(spans, at, key=lambda span: span[0]) - 1
    return spans[place][1] if place >= 0 and at < spans[place][1] else 0


def block_end(lines: Sequence[str], at: int, margin: int) -> int:
    """The line after an indented block that begins at `at`: its last line indented further than `margin`.

    Blank lines between such lines belong to it; `at` itself where the first text is not so indented.
    """
    end = at
    while at < len(lines) and (not lines[at].strip() or indentation(lines[at]) > margin):
        at += 1
        if lines[at - 1].strip():
            end = at
    return end


def indentation(line: str) -> int:
    """How many columns a line is indented; a tab leads to the next multiple of four."""
    width = len(line) - len(line.lstrip(" \t"))
    return len(line[:width].expandtabs(4)) if "\t" in line[:width] else width
