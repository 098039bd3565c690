"""A text in, what of it is no plain speech out: comments, which no reader sees, and blocks of code."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from pellucid.documents.sections import Span


@dataclass(frozen=True, slots=True)
class MarkupSpans:
    """Spans of a text, in characters: ascending, none overlapping another of its kind."""

    comments: tuple[Span, ...] = ()
    code: tuple[Span, ...] = ()


NONE = MarkupSpans()
FindMarkup = Callable[[str], MarkupSpans]


def blanked(text: str, spans: Iterable[Span]) -> str:
    """The text with spaces for everything in the spans but line ends: all else stays where it is."""
    at, out = 0, list[str]()
    for first, end in sorted(spans):
        begin = max(first, at)
        out += [text[at:begin], re.sub(r"[^\n]", " ", text[begin:end])]
        at = max(at, end)
    return "".join([*out, text[at:]])


def without_comments(text: str, lines: Sequence[str], find: FindMarkup, sign: str) -> Sequence[str]:
    """The lines of a text, blanked where a comment of several lines stands; `sign` for a line with nothing left."""
    comments = [(first, end) for first, end in find(text).comments if "\n" in text[first:end]]
    if not comments:
        return lines
    begins = starts(lines)
    clear = blanked(text, comments).split("\n")
    for first, end in comments:
        for at in range(bisect_right(begins, first) - 1, bisect_right(begins, end - 1)):
            clear[at] = clear[at].rstrip() or sign
    return clear


def starts(lines: Sequence[str]) -> list[int]:
    """Where each line begins, and one past the text's end and a line end."""
    return list(accumulate((len(line) + 1 for line in lines), initial=0))


def end_around(at: int, spans: Sequence[Span]) -> int:
    """Where the span ends that a place lies in; 0 if it lies in none."""
    place = bisect_right(spans, at, key=lambda span: span[0]) - 1
    return spans[place][1] if place >= 0 and at < spans[place][1] else 0


def block_end(lines: Sequence[str], at: int, margin: int) -> int:
    """The line after an indented block that begins at `at`: its last line indented further than `margin`.

    Blank lines between such lines belong to it; `at` itself where the first text is not so indented.
    """
    end = at
    while at < len(lines) and (not lines[at].strip() or column(lines[at]) > margin):
        at += 1
        if lines[at - 1].strip():
            end = at
    return end


def column(line: str) -> int:
    """How far a line is indented; a tab leads to the next multiple of four."""
    width = len(line) - len(line.lstrip(" \t"))
    return len(line[:width].expandtabs(4)) if "\t" in line[:width] else width
