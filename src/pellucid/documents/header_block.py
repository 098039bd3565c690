"""The lines below a document's title in, what they say of it out: `- **Status:** accepted`, tables, a Status section.

These lines are text as well: nothing is taken away from the sections for it.
"""

import posixpath
import re
from collections.abc import Iterator, Sequence

from pellucid.documents.formats.inline import plain_markdown
from pellucid.documents.header import KNOWN, Header, key_name, set_if_absent
from pellucid.documents.names.links import links_in
from pellucid.documents.names.numbered import Numbered, file_number, heading_number
from pellucid.documents.relations import relation_of_key
from pellucid.documents.sections import Heading

_MOST_BLOCKS = 4
_MOST_LINES = 60
_MARK = re.compile(r"(?:[ \t]{0,3}>[ \t]?)*[ \t]{0,3}(?:[-*+][ \t]+)?")
_NESTED = re.compile(r"(?:[ \t]{2,}|\t)(?:([-*+])[ \t]+)?(?=\S)")
_PAIR = re.compile(r"([A-Za-z][A-Za-z0-9]*(?:[ _/-][A-Za-z0-9]+){0,4}) ?:(?: +(.*)|)")
_NEXT = re.compile(r"(?:^|(?<= ))([A-Za-z][A-Za-z0-9]*(?:[_-][A-Za-z0-9]+)*):(?= )")
_BETWEEN = re.compile(r"(?<! ) ++[·|•] ++(?=[A-Za-z][A-Za-z0-9 _-]{0,40}:)")
_CELLS = re.compile(r"[ \t]{0,3}\|([^|]*)\|([^|]*)\|[ \t]*")
_STATUS_NUMBER = re.compile(r"^(?:[\d.]+\s+)?status:?$", re.IGNORECASE)
_STATUS = re.compile(
    r"[^\w{<]*(\w[\w/'-]*(?: [\w/'-]+){0,3}?)(?= (?:by|on|since|as|in favou?r)\b|[^\w /'-]| [-–—|(]|$)", re.IGNORECASE
)
_KNOWN_STATUSES = """
    accepted active approved closed deferred deprecated done draft experimental final implemented living obsolete open
    pending proposed provisional rejected retired stagnant superseded withdrawn
    """
_STATUSES = frozenset(_KNOWN_STATUSES.split())
"""First words of a sentence that are a status alone; which statuses end something, `model.entity.retired` says."""
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
    """The header that a text states: `key: value` entries of the first blocks in these spans of lines.

    A block counts if one of its keys is known (two in a code block). `path` is the document's own: links in a value are
    resolved against it.
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
    """What the first section named Status (level 1 to 3) says: the status, and what the document supersedes or amends;
    else `{}`."""
    header: Header = {}
    for number, head in enumerate(headings):
        if head.level > 3 or not _STATUS_NUMBER.match(head.text):
            continue
        last = headings[number + 1].first if number + 1 < len(headings) else len(lines)
        for block in _text_blocks(lines, head.end, last):
            for line in block:
                _status_line(header, line, path)
        break
    return header


def header_from_status(status: str, path: str) -> Header:
    """The relation that a status value also states, as a header: `superseded by [ADR-5](0005-use-x.md)`; `{}` if it
    states none."""
    header: Header = {}
    if found := _VERB.match(_line_with_targets(status, path)):
        set_if_absent(header, found[1], found[2])
    return header


def _status_line(header: Header, line: str, path: str) -> None:
    """Add to a header what one line of a Status section says: a relation such as `supersedes`, and the status if it has
    none yet."""
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
    """The first four blocks of non-blank lines between `first` and `last`, in 60 lines at most; pictures and comments
    are left out."""
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
    """The `key: value` entries that a block begins with, up to the first other line; relations keep their link
    targets."""
    for item in _block_items(block):
        found = list(_header_pairs(_plain_line(item, path)))
        if not found:
            return
        if any(relation_of_key(key) for key, _ in found):
            linked = list(_header_pairs(_line_with_targets(item, path)))
            pairs = zip(found, linked, strict=False)
            found = [one if relation_of_key(one[0]) and one[0] == each[0] else each for each, one in pairs]
        yield from found


def _block_items(block: Sequence[str]) -> list[str]:
    """The list items, rows of two-column tables (as `key: value`) and other lines of a block, each with the lines that
    continue it."""
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
    """The `key: value` pairs of a line, also of one in which `·`, `|` or `•` parts them; what is no pair is left
    out."""
    return (pair for piece in _BETWEEN.split(words) for pair in _pairs_of_line(piece))


def _pairs_of_line(text: str) -> Iterator[tuple[str, str]]:
    """The pairs of a piece of a line: one or none, but `spec_id: SPEC-059 version: v0.1 status: draft` has three."""
    marks = list(_NEXT.finditer(text))
    known = sum(key_name(mark[1]) in KNOWN for mark in marks)
    if known > 1 and marks[0].start() == 0:
        ends = [mark.start() for mark in marks[1:]] + [len(text)]
        yield from ((mark[1], text[mark.end() : end].strip()) for mark, end in zip(marks, ends, strict=True))
    elif found := _PAIR.fullmatch(text):
        yield found[1], found[2] or ""


def _plain_line(line: str, path: str) -> str:
    """A line without list and quote signs and markup; a link to a numbered document is replaced by its id, any other by
    its text."""

    def link_text(text: str, target: str) -> str:
        """The id of the numbered document that a link leads to, else its text."""
        number = _linked_number(target, path)
        return number.name if number else text

    return plain_markdown(_MARK.sub("", line, count=1).rstrip("\\ "), link_text)


def _line_with_targets(line: str, path: str) -> str:
    """As `_plain_line`, but a link to a document without a number stays as written, `[text](target)`."""
    kept: list[str] = []

    def set_aside(found: re.Match[str]) -> str:
        """Keep a link that names no numbered document in `kept`, and return a placeholder for it; any other link is
        returned as it is."""
        named = heading_number(found["text"] or found["wiki"] or "") or _linked_number(found["target"] or "", path)
        if named or not any(links_in(found[0], path)):
            return found[0]
        kept.append(found[0])
        return f"\1{len(kept) - 1}\1"

    words = _plain_line(_LINK.sub(set_aside, line.replace("\1", "")), path)
    return re.sub("\1(\\d+)\1", lambda found: kept[int(found[1])], words)


def _linked_number(target: str, path: str) -> Numbered | None:
    """The number of the document that a link leads to; None for a URL, a bare `#anchor`, or a file whose name has
    none."""
    name = target.split("#", 1)[0]
    if "://" in name or not name:
        return None
    return file_number(posixpath.normpath(posixpath.join(posixpath.dirname(path), name)))
