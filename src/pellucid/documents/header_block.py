"""The lines below a document's title in, the header that they state out: `- **Status:** accepted`, tables, a Status
section.

These lines stay in the document's sections as well.
"""

import posixpath
import re
from collections.abc import Iterator, Sequence

from pellucid.documents.formats.inline import plain_markdown
from pellucid.documents.header import KNOWN, Header, key_name, set_if_absent
from pellucid.documents.names.links import find_links
from pellucid.documents.names.numbered import Numbered, file_number, heading_number
from pellucid.documents.relations import relation_of_key
from pellucid.documents.sections import Heading

_MOST_BLOCKS = 4
_MOST_LINES = 60
_MARK = re.compile(r"(?:[ \t]{0,3}>[ \t]?)*[ \t]{0,3}(?:[-*+][ \t]+)?")
"""The quote signs and the list sign at the beginning of a line."""
_NESTED = re.compile(r"(?:[ \t]{2,}|\t)(?:([-*+])[ \t]+)?(?=\S)")
"""The indentation, and the list sign if there is one, of a line that continues an item."""
_PAIR = re.compile(r"([A-Za-z][A-Za-z0-9]*(?:[ _/-][A-Za-z0-9]+){0,4}) ?:(?: +(.*)|)")
"""A whole line `key: value`; the key has one to five words."""
_NEXT = re.compile(r"(?:^|(?<= ))([A-Za-z][A-Za-z0-9]*(?:[_-][A-Za-z0-9]+)*):(?= )")
"""The key of one of several pairs in a line; it is one word, because more words could belong to the value before."""
_BETWEEN = re.compile(r"(?<! ) ++[·|•] ++(?=[A-Za-z][A-Za-z0-9 _-]{0,40}:)")
"""A sign between two pairs in a line. `++` does not backtrack, so that a long run of spaces costs linear time."""
_CELLS = re.compile(r"[ \t]{0,3}\|([^|]*)\|([^|]*)\|[ \t]*")
"""A row of a table with two columns."""
_STATUS_NUMBER = re.compile(r"^(?:[\d.]+\s+)?status:?$", re.IGNORECASE)
_STATUS = re.compile(
    r"[^\w{<]*(\w[\w/'-]*(?: [\w/'-]+){0,3}?)(?= (?:by|on|since|as|in favou?r)\b|[^\w /'-]| [-–—|(]|$)", re.IGNORECASE
)
"""The one to four words that begin a line and end at `by`, `on`, …, or at punctuation: the status."""
_KNOWN_STATUSES = """
    accepted active approved closed deferred deprecated done draft experimental final implemented living obsolete open
    pending proposed provisional rejected retired stagnant superseded withdrawn
    """
_STATUSES = frozenset(_KNOWN_STATUSES.split())
"""Words that are a status by themselves at the beginning of a sentence; see `model.entity.is_retired`."""
_PASSED_OVER = ("<!--", "[![", "![", "<img", "<p", "<a")
_VERB = re.compile(
    r"(supersedes|superseded by|replaces|replaced by|obsoletes|obsoleted by|amends|amended by|extends|extended by"
    r"|updates|updated by|implements|depends on|requires|relates to|related to|references|clarifies|clarified by)"
    r"\b:? *(.+)",
    re.IGNORECASE,
)
_LINK = re.compile(
    r"(?<!!)\[(?P<text>[^\[\]]*)\]\((?P<target>[^()\s]*+)[^()]*+\)|\[\[(?P<wiki>[^\[\]|]*+)[^\[\]]*+\]\]|:doc:`[^`]*`|`[^`<>]*<[^`<>]*>`_{0,2}"
)


def header_from_text(lines: Sequence[str], spans: Sequence[tuple[int, int]], path: str) -> Header:
    """Return the header that a text states: the `key: value` entries of the first blocks of lines in each of `spans`.

    A span is (first line, line after the last), from 0. Of each, at most four blocks are read, within its first 60
    lines. A block counts only if one of its keys is in `KNOWN` (the keys that headers have), a block of code only if
    two are; of a repeated key, the first value stays. `path` is the document's own: links in a value are resolved
    against it.
    """
    header: Header = {}
    for first, last in spans:
        for block in _text_blocks(lines, first, last):
            pairs = list(_block_pairs(block, path))
            known = KNOWN & {key_name(key) for key, _ in pairs}
            if len(known) > block[0].lstrip().startswith(("```", "~~~")):
                for key, value in pairs:
                    set_if_absent(header, key, value)
    return header


def status_section(lines: Sequence[str], headings: Sequence[Heading], path: str) -> Header:
    """Return what the first section named Status (level 1 to 3) states: the status and relations such as `supersedes`.

    Empty if there is no such section; at most four of its blocks are read, within 60 lines. `path` is the document's
    own, to resolve links.
    """
    header: Header = {}
    for number, head in enumerate(headings):
        if head.level > 3 or not _STATUS_NUMBER.match(head.text):
            continue
        last = headings[number + 1].first if number + 1 < len(headings) else len(lines)
        for block in _text_blocks(lines, head.end, last):
            for line in block:
                _add_status_line(header, line, path)
        break
    return header


def header_from_status(status: str, path: str) -> Header:
    """Return the relation that begins a status value, by its verb, as a header: `superseded by [ADR-5](0005-use-x.md)`
    gives the key `superseded-by` with `ADR-5`.

    Empty if the value begins with none. `path` is the document's own, to resolve links.
    """
    header: Header = {}
    if found := _VERB.match(_line_with_targets(status, path)):
        set_if_absent(header, found[1], found[2])
    return header


def _add_status_line(header: Header, line: str, path: str) -> None:
    """Add to `header` what a line of a Status section states: a relation that begins it, and the status if `header` has
    none yet. `path` is the document's own, to resolve links.

    A line that begins with a relation gives a status only if the relation is passive, as in `superseded by`. The status
    is the one to four words that begin the line and end at `by`, `on` or the like, or at punctuation, else a first word
    in `_STATUSES`.
    """
    words = _plain_line(line, path)
    verb = _VERB.match(words)
    if verb:
        set_if_absent(header, verb[1], (_VERB.match(_line_with_targets(line, path)) or verb)[2])
    if "status" in header or (verb and not verb[1].casefold().endswith(" by")):
        return
    words = words[len("status:") :].strip() if words[:7].casefold() == "status:" else words
    found = _STATUS.match(words)
    first = words.split(" ", 1)[0]
    set_if_absent(header, "status", found[1] if found else first if first.casefold() in _STATUSES else "")


def _text_blocks(lines: Sequence[str], first: int, last: int) -> Iterator[list[str]]:
    """Yield the first four blocks of non-blank lines from line `first`, counted from 0, up to and without line `last`;
    only its first 60 lines are read.

    Blocks that begin with a picture, a comment or an HTML link or paragraph are left out, and do not count.
    """
    block: list[str] = []
    count = 0
    for line in [*lines[first : min(last, first + _MOST_LINES)], ""]:
        if line.strip():
            block.append(line)
        elif block:
            if not block[0].lstrip().startswith(_PASSED_OVER):
                yield block
                count += 1
            block = []
        if count == _MOST_BLOCKS:
            return


def _block_pairs(block: Sequence[str], path: str) -> Iterator[tuple[str, str]]:
    """Yield the `key: value` entries of a block up to the first item that has none; `path` is the document's own.

    In the value of a relation such as `supersedes` a link to a document without a number keeps its target.
    """
    for item in _block_items(block):
        pairs = list(_header_pairs(_plain_line(item, path)))
        if not pairs:
            return
        if any(relation_of_key(key) for key, _ in pairs):
            target_pairs = list(_header_pairs(_line_with_targets(item, path)))
            both = zip(pairs, target_pairs, strict=False)
            pairs = [one if relation_of_key(one[0]) and one[0] == each[0] else each for each, one in both]
        yield from pairs


def _block_items(block: Sequence[str]) -> list[str]:
    """Return the items of a block: list items, rows of two-column tables as `key: value`, and other lines.

    An indented line is joined to the item before it: by a comma if it is a list item and the item before does not end
    in a colon, else by a space. The marks of code fences, and rows without a key, are left out.
    """
    items: list[str] = []
    for line in block:
        if line.lstrip().startswith(("```", "~~~")):
            continue
        if cells := _CELLS.fullmatch(line):
            if cells[1].strip(" :-"):
                items.append(f"{cells[1].strip().rstrip(':')}: {cells[2].strip()}")
        elif items and (nested := _NESTED.match(line)):
            joint = " " if not nested[1] or items[-1].endswith((":", ":**")) else ", "
            items[-1] += joint + line[nested.end() :].strip()
        else:
            items.append(line)
    return items


def _header_pairs(words: str) -> Iterator[tuple[str, str]]:
    """Return the `key: value` pairs of a line, in which `·`, `|` or `•` can separate several; other pieces are left
    out."""
    return (pair for piece in _BETWEEN.split(words) for pair in _pairs_of_piece(piece))


def _pairs_of_piece(text: str) -> Iterator[tuple[str, str]]:
    """Yield the pairs in a piece of a line: several, as in `spec_id: SPEC-059 version: v0.1`, if it begins with a key
    and two keys or more are in `KNOWN`; else the one that the whole piece is; none if it is no pair.
    """
    marks = list(_NEXT.finditer(text))
    known = sum(key_name(mark[1]) in KNOWN for mark in marks)
    if known > 1 and marks[0].start() == 0:
        ends = [mark.start() for mark in marks[1:]] + [len(text)]
        yield from ((mark[1], text[mark.end() : end].strip()) for mark, end in zip(marks, ends, strict=True))
    elif found := _PAIR.fullmatch(text):
        yield found[1], found[2] or ""


def _plain_line(line: str, path: str) -> str:
    """Return a line (the first 2,000 characters after the quote and list signs at its beginning) without markup, each
    run of blanks as one.

    A link to a document with a number in its file's name becomes that number (`ADR-5`), any other link its text.
    `path`, that of the document with the line, is for resolving its links."""

    def link_text(text: str, target: str) -> str:
        """Return the id of the numbered document that a link leads to, else the link's text."""
        number = _linked_number(target, path)
        return number.name if number else text

    return plain_markdown(_MARK.sub("", line, count=1).rstrip("\\ "), link_text)


def _line_with_targets(line: str, path: str) -> str:
    """Return a line without markup, as `_plain_line` does, but a link to a document that has a number neither in its
    text nor in its file's name stays as written, with its target. `path` is that of the document with the line.
    """
    links: list[str] = []

    def set_aside(found: re.Match[str]) -> str:
        """Append a link to a document to `links` and return a placeholder for it, if neither its text nor the name of
        its file has a number (such as `ADR-12`). Any other link is returned unchanged."""
        number = heading_number(found["text"] or found["wiki"] or "") or _linked_number(found["target"] or "", path)
        if number or not any(find_links(found[0], path)):
            return found[0]
        links.append(found[0])
        return f"\1{len(links) - 1}\1"

    words = _plain_line(_LINK.sub(set_aside, line.replace("\1", "")), path)
    return re.sub("\1(\\d+)\1", lambda found: links[int(found[1])], words)


def _linked_number(target: str, path: str) -> Numbered | None:
    """Return the number of the document that a link leads to, by the name of its file; None for a URL, a bare
    `#anchor`, or a file name without a number. `path` is that of the document with the link.
    """
    name = target.split("#", 1)[0]
    if "://" in name or not name:
        return None
    return file_number(posixpath.normpath(posixpath.join(posixpath.dirname(path), name)))
