"""Headings of a document in, its sections with their line ranges out: bounded, none twice, nothing left over."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

MOST_CHARACTERS = 2_400
"""What one section holds at most; a longer one is cut into several of the same heading."""
_LONGEST_HEADING = 300
"""A longer one is text that somebody marked as a heading: it is cut, and its line stays in the section."""

Span = tuple[int, int]
"""Half-open, 0-based."""


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

    `heading` is empty for what stands before the first heading (level 0) and for what stands directly below the title.
    """

    heading: str
    trail: tuple[str, ...]
    level: int
    first: int
    last: int
    text: str


def heading(text: str, level: int, first: int, end: int) -> Heading:
    """A heading, of level 6 at most; if it is longer than 300 characters, it is cut, and its line counts as text,
    too."""
    if len(text) <= _LONGEST_HEADING:
        return Heading(text, min(level, 6), first, end)
    return Heading(text[:_LONGEST_HEADING].rsplit(" ", 1)[0] + " …", min(level, 6), first, first)


def sections(lines: Sequence[str], outline: Outline, start: int, title: Heading | None) -> Iterator[ReadSection]:
    """The sections of the lines from `start` on, none longer than `MOST_CHARACTERS`; the document's `title` heads no
    trail.

    A section without a text of its own is left out if others stand below it, or if its heading is empty.
    """
    above: list[Heading] = []
    whole = iter([*outline.whole, (len(lines), len(lines))])
    span = next(whole)
    preamble = Heading("", 0, start, start)
    heads = [preamble, *outline.headings]
    for number, head in enumerate(heads):
        until = heads[number + 1].first if number + 1 < len(heads) else len(lines)
        inside: list[Span] = []
        while span[0] < until:
            inside.append(span)
            span = next(whole)
        while above and above[-1].level >= head.level:
            above.pop()
        first, last = _trimmed_span(lines, head.end, until)
        above_others = head is not title and number + 1 < len(heads) and heads[number + 1].level > head.level
        if first < last or (head.text and not above_others):
            begin = head.first if number else first
            trail = tuple(each.text for each in above)
            yield from _bounded_sections(lines, replace(head, first=begin, end=first), last, inside, trail)
        if head is not title and head.text:
            above.append(head)


def _trimmed_span(lines: Sequence[str], first: int, last: int) -> Span:
    """The span of lines without blank lines at either end; empty where all are blank."""
    while first < last and not lines[first].strip():
        first += 1
    while first < last and not lines[last - 1].strip():
        last -= 1
    return first, last


def _bounded_sections(
    lines: Sequence[str], head: Heading, last: int, whole: Sequence[Span], trail: tuple[str, ...]
) -> Iterator[ReadSection]:
    """The text from `head.end` to `last` as one section, or several of the same heading if it is too long.

    The lines of the first include the heading's. `whole` are spans of lines that should not be cut.
    """
    begin: int | None = head.first
    for first, end, text in _equal_parts(lines, head.end, last, whole):
        at = first if begin is None else begin
        yield ReadSection(head.text, trail, head.level, at + 1, max(end, at + 1), text)
        begin = None


def _equal_parts(lines: Sequence[str], first: int, last: int, whole: Sequence[Span]) -> Iterator[tuple[int, int, str]]:
    """Lines in parts of about equal length, each as (first line, line after it, text); one if `MOST_CHARACTERS` hold
    all.

    A longer line is cut; both line numbers are then those of that line.
    """
    total = _size(lines, first, last)
    if total <= MOST_CHARACTERS:
        yield first, last, "\n".join(lines[first:last]).rstrip()
        return
    fair = total / -(-total // MOST_CHARACTERS)
    begin, held = first, 0
    for at, end in _whole_pieces(lines, first, last, whole):
        size = _size(lines, at, end)
        if held and (held >= fair or held + size > MOST_CHARACTERS):
            yield _part(lines, begin, at)
            begin, held = at, 0
        if size > MOST_CHARACTERS:
            yield from ((at, at + 1, text) for text in _cut_line(lines[at].rstrip()))
            begin = end
        else:
            held += size
    if held:
        yield _part(lines, begin, last)


def _part(lines: Sequence[str], first: int, last: int) -> tuple[int, int, str]:
    """The span without blank lines at either end, and its text."""
    first, last = _trimmed_span(lines, first, last)
    return first, last, "\n".join(lines[first:last]).rstrip()


def _whole_pieces(lines: Sequence[str], first: int, last: int, whole: Sequence[Span]) -> Iterator[Span]:
    """The spans of the paragraphs, code and tables in a span; of one that is too long, those of its single non-blank
    lines."""
    for at, end in _paragraph_spans(lines, first, last, whole):
        if _size(lines, at, end) <= MOST_CHARACTERS:
            yield at, end
        else:
            for line in range(at, end):
                if lines[line].strip():
                    yield line, line + 1


def _paragraph_spans(lines: Sequence[str], first: int, last: int, whole: Iterable[Span]) -> Iterator[Span]:
    """Adjoining spans that each begin with a non-blank line; blank lines belong to the span before them."""
    kept = {begin: end for begin, end in whole if _size(lines, begin, min(end, last)) <= MOST_CHARACTERS}
    begin = at = first
    while at < last:
        if at in kept:
            if begin < at:
                yield begin, at
            begin, at = at, min(kept[at], last)
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
    """The index of the first line at or after `at` that is not blank; `last` where there is none before it."""
    while at < last and not lines[at].strip():
        at += 1
    return at


def _cut_line(line: str) -> Iterator[str]:
    """A long line in pieces of at most `MOST_CHARACTERS`, cut between words where possible; none for an empty one."""
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
    """The number of characters in a span of lines, line ends included."""
    return sum(map(len, lines[first:last])) + last - first
