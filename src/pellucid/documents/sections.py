"""The headings of a document in, its sections with their line ranges out: bounded, without overlaps or gaps."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

MOST_CHARACTERS = 2_400
"""The most characters of a section; a longer one is cut into several with the same heading."""
_LONGEST_HEADING = 300
"""A longer heading is text that somebody marked as a heading: it is cut, and its line stays in the section."""

Span = tuple[int, int]
"""A range of lines or characters: the first, and the one after the last; 0-based."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading as plain text, its level (1 to 6), its first line, and the line where the text below it begins."""

    text: str
    level: int
    first: int
    end: int


@dataclass(frozen=True, slots=True)
class Outline:
    """The headings of a document in order, and the spans of lines that should not be cut: code, tables."""

    headings: tuple[Heading, ...]
    whole: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class ReadSection:
    """A part of a document: its heading and those above it (`trail`), its lines (1-based, inclusive) and its text.

    `heading` is empty for text before the first heading (level 0) and for text directly below the title.
    """

    heading: str
    trail: tuple[str, ...]
    level: int
    first: int
    last: int
    text: str


def heading(text: str, level: int, first: int, end: int) -> Heading:
    """Make a heading, of level 6 at most; `first` is its first line, `end` the one where the text below it begins.

    A text longer than 300 characters is cut between words and gets ` …`, and its line counts as text as well. Lines are
    0-based.
    """
    if len(text) <= _LONGEST_HEADING:
        return Heading(text, min(level, 6), first, end)
    return Heading(text[:_LONGEST_HEADING].rsplit(" ", 1)[0] + " …", min(level, 6), first, first)


def sections(lines: Sequence[str], outline: Outline, start: int, title: Heading | None) -> Iterator[ReadSection]:
    """Yield the sections of the lines from `start` (0-based) on, in order, none longer than `MOST_CHARACTERS`, with the
    text before the first heading as one of level 0.

    The document's `title`, one of the outline's headings or None, is in no trail (the headings above a section). A
    section without text of its own is left out if its heading is empty, or if subsections follow and it is not the
    title.
    """
    above: list[Heading] = []
    whole = iter([*outline.whole, (len(lines), len(lines))])
    span = next(whole)
    preamble = Heading("", 0, start, start)
    headings = [preamble, *outline.headings]
    for number, head in enumerate(headings):
        end = headings[number + 1].first if number + 1 < len(headings) else len(lines)
        uncut: list[Span] = []
        while span[0] < end:
            uncut.append(span)
            span = next(whole)
        while above and above[-1].level >= head.level:
            above.pop()
        first, last = _trim_span(lines, head.end, end)
        above_others = head is not title and number + 1 < len(headings) and headings[number + 1].level > head.level
        if first < last or (head.text and not above_others):
            first_line = head.first if number else first
            trail = tuple(each.text for each in above)
            yield from _bounded_sections(lines, replace(head, first=first_line, end=first), last, uncut, trail)
        if head is not title and head.text:
            above.append(head)


def _trim_span(lines: Sequence[str], first: int, last: int) -> Span:
    """Return the span of the lines from `first` to before `last` without blank lines at either end; empty if all are
    blank.
    """
    while first < last and not lines[first].strip():
        first += 1
    while first < last and not lines[last - 1].strip():
        last -= 1
    return first, last


def _bounded_sections(
    lines: Sequence[str], head: Heading, last: int, whole: Sequence[Span], trail: tuple[str, ...]
) -> Iterator[ReadSection]:
    """Yield the text from line `head.end` to before line `last` as one section, or as several with the same heading if
    it is too long (`MOST_CHARACTERS`).

    The line range of the first begins at `head.first`. `whole` are spans of lines that should not be cut, `trail` are
    the headings above.
    """
    begin: int | None = head.first
    for first, end, text in _equal_parts(lines, head.end, last, whole):
        at = first if begin is None else begin
        yield ReadSection(head.text, trail, head.level, at + 1, max(end, at + 1), text)
        begin = None


def _equal_parts(lines: Sequence[str], first: int, last: int, whole: Sequence[Span]) -> Iterator[tuple[int, int, str]]:
    """Yield the lines from `first` to before `last` in parts of about equal length, each as (first line, line after the
    part, text), 0-based.

    There is one part, empty if there are no lines, if `MOST_CHARACTERS` are enough. A line longer than that is cut, and
    each piece has that line's number. `whole` are spans of lines that should not be cut, and are not if they fit into a
    part.
    """
    total = _size(lines, first, last)
    if total <= MOST_CHARACTERS:
        yield _part(lines, first, last)
        return
    fair_length = total / -(-total // MOST_CHARACTERS)
    begin, length = first, 0
    for at, end in _whole_pieces(lines, first, last, whole):
        size = _size(lines, at, end)
        if length and (length >= fair_length or length + size > MOST_CHARACTERS):
            yield _part(lines, begin, at)
            begin, length = at, 0
        if size > MOST_CHARACTERS:
            yield from ((at, at + 1, text) for text in _cut_line(lines[at].rstrip()))
            begin = end
        else:
            length += size
    if length:
        yield _part(lines, begin, last)


def _part(lines: Sequence[str], first: int, last: int) -> tuple[int, int, str]:
    """Trim the lines from `first` to before `last` of blank lines at either end; return the first line, the line after
    the last, and the text.
    """
    first, last = _trim_span(lines, first, last)
    return first, last, "\n".join(lines[first:last]).rstrip()


def _whole_pieces(lines: Sequence[str], first: int, last: int, whole: Sequence[Span]) -> Iterator[Span]:
    """Yield the spans of the paragraphs, code and tables in the lines from `first` to before `last`; `whole` are those
    of code and tables.

    One that is longer than `MOST_CHARACTERS` is replaced by the spans of its non-blank lines.
    """
    for at, end in _paragraph_spans(lines, first, last, whole):
        if _size(lines, at, end) <= MOST_CHARACTERS:
            yield at, end
        else:
            for line in range(at, end):
                if lines[line].strip():
                    yield line, line + 1


def _paragraph_spans(lines: Sequence[str], first: int, last: int, whole: Iterable[Span]) -> Iterator[Span]:
    """Yield adjoining spans of the lines from `first` to before `last` that each begin with a non-blank line; blank
    lines belong to the span before them.

    The spans in `whole` stay uncut if they are not too long. Line `first` is not blank.
    """
    uncut_ends = {begin: end for begin, end in whole if _size(lines, begin, min(end, last)) <= MOST_CHARACTERS}
    begin = at = first
    while at < last:
        if at in uncut_ends:
            if begin < at:
                yield begin, at
            begin, at = at, min(uncut_ends[at], last)
            at = skip_blank(lines, at, last)
        elif lines[at].strip():
            at += 1
            continue
        else:
            at = skip_blank(lines, at, last)
        yield begin, at
        begin = at
    if begin < last:
        yield begin, last


def skip_blank(lines: Sequence[str], at: int, last: int) -> int:
    """Return the index of the first non-blank line from `at` on; `last` if there is none before it."""
    while at < last and not lines[at].strip():
        at += 1
    return at


def _cut_line(line: str) -> Iterator[str]:
    """Yield a long line in pieces of at most `MOST_CHARACTERS`, cut between words if possible; nothing for an empty
    line."""
    at = 0
    while at < len(line):
        end = at + MOST_CHARACTERS
        if end < len(line):
            space = line.rfind(" ", at + 1, end + 1)
            end = space if space > at else end
        yield line[at:end].strip()
        at = end
        while at < len(line) and line[at].isspace():
            at += 1


def _size(lines: Sequence[str], first: int, last: int) -> int:
    """Return the number of characters in the lines from `first` to before `last`, a line end for each included."""
    return sum(map(len, lines[first:last])) + last - first
