"""A file's bytes in, a document out: its title, id, header and sections, read as the format of its name says."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pellucid.documents.formats.markup import without_comments
from pellucid.documents.formats.suffixes import CALLED, FORMATS, DocumentFormat, format_of
from pellucid.documents.header import Header, set_if_absent
from pellucid.documents.header_block import header_from_status, header_from_text, status_section
from pellucid.documents.names.identity import identify
from pellucid.documents.sections import Heading, Outline, ReadSection, sections
from pellucid.errors import InputError
from pellucid.model.document import FormatName

_SNIFFED = 8_192
Values = dict[str, str]
"""Maps the keys of a header to its values; stored headers have a `title`."""


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """The content of one file: the entity it defines, its header (keys lower-case with `-`) and its sections in order.

    `format` is the name of its format; `entity` is its own id (`SPEC-054`), or its path; `aliases` are its other names.
    """

    format: FormatName
    title: str
    entity: str
    entity_type: str
    aliases: tuple[str, ...]
    header: Values
    sections: tuple[ReadSection, ...]


@dataclass(frozen=True, slots=True)
class CleanSection:
    """A section that is safe to store; `lines` is its range of lines in the file, as `3-9`."""

    heading: str
    trail: tuple[str, ...]
    level: int
    lines: str
    content: str


@dataclass(frozen=True, slots=True)
class CleanDocument:
    """A document that is safe to store, without secrets and text that is off the record; `values` is its header.

    `operations.document.cleaning` makes it of a `ReadDocument`; it stands here since drafts are made of it.
    """

    format: FormatName
    title: str
    entity: str
    entity_type: str
    aliases: tuple[str, ...]
    values: Values
    sections: tuple[CleanSection, ...]


def read_document(path: str, data: bytes, root: str = "") -> ReadDocument:
    """Read a file; the suffix of `path`, which has slashes, gives the format. Time and memory are linear in the length.

    `root` is the name of the folder that the path is relative to, which can tell the series of the files' numbers.

    Raises:
        InputError: the file is not text in UTF-8, or not of a known format (`invalid_document`).
    """
    format_ = _document_format(path)
    text = _decode_text(path, data)
    lines = text.split("\n")
    header, start = format_.header(text, lines)
    outline = format_.outline(lines, start)
    title = _title_heading(lines, start, outline.headings, header)
    if title and format_.below_title:
        fields, end = format_.below_title(lines, title.end)
        if fields:
            header = {**fields, **header}
            title, outline = _replace_heading(outline, title, replace(title, end=end))
    # parsed once more if it has comments: where they are is known only once it is known what is code
    visible_lines = without_comments(text, lines, format_.markup, format_.comment) if format_.comment in text else lines
    header = _complete_header(header, visible_lines, start, outline, title, f"{root}/{path}" if root else path)
    identity = identify(path, header, title.text if title else "", root)
    known_names = identity.title if identity.entity == path else f"{identity.title} {identity.entity}"
    if title and _words(title.text) <= _words(known_names):
        title, outline = _replace_heading(outline, title, replace(title, text=""))
    parts = tuple(sections(lines, outline, start, title))
    return ReadDocument(
        format_.name, identity.title, identity.entity, identity.entity_type, identity.aliases, header, parts
    )


def _decode_text(path: str, data: bytes) -> str:
    r"""Return the text of a file with `\n` as line ends, without a byte order mark; later NULs become `\ufffd`.

    Raise InputError if the file is not UTF-8, or if its first 8,192 bytes contain a NUL.
    """
    if b"\0" in data[:_SNIFFED]:
        raise InputError(f"{path} is not a text file", code="invalid_document", next_step="leave it out")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        message = f"{path} is not UTF-8 text (byte {error.start})"
        raise InputError(message, code="invalid_document", next_step="save it as UTF-8") from error
    text = text.removeprefix("\ufeff").replace("\0", "\ufffd")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _document_format(path: str) -> DocumentFormat:
    """Return the format of a path by its suffix; raise InputError for an unknown suffix."""
    found = format_of(path)
    if found is None:
        known = f"known: {', '.join(sorted(FORMATS))}"
        raise InputError(f"{path} is no {CALLED}", code="invalid_document", next_step=known)
    return found


def _title_heading(lines: Sequence[str], start: int, headings: Sequence[Heading], header: Header) -> Heading | None:
    """Return the heading that names the document: the first of `headings`, if it is of level 1; else None.

    If several are of level 1, the first is the title only if it contains all words of the header's `title` or, if the
    header has none, only if no text precedes it (from line `start` on) and the next one begins with another word.
    """
    ones = [head for head in headings if head.level == 1]
    if not ones or ones[0] is not headings[0]:
        return None
    if len(ones) == 1:
        return ones[0]
    if title_words := _words(header.get("title", "")):
        return ones[0] if title_words <= _words(ones[0].text) else None
    begin_alike = ones[0].text.split()[:1] == ones[1].text.split()[:1]
    return None if begin_alike or any(line.strip() for line in lines[start : ones[0].first]) else ones[0]


def _complete_header(
    header: Header, lines: Sequence[str], start: int, outline: Outline, title: Heading | None, path: str
) -> Header:
    """Return a copy of the header with what the text states added; values that the header has stay.

    The text states entries before the first heading and right below the `title` (None if there is none), a Status
    section, and relations in the status value. `lines` are the file's without comments; the text begins at line
    `start`. `path` is the document's, to resolve links.
    """
    heads = outline.headings
    spans = [(start, heads[0].first if heads else len(lines))]
    if title:
        after = heads.index(title) + 1
        spans.append((title.end, heads[after].first if after < len(heads) else len(lines)))
    out = dict(header)
    for more in (header_from_text(lines, spans, path), status_section(lines, heads, path)):
        for key, value in more.items():
            set_if_absent(out, key, value)
    for key, value in header_from_status(out.get("status", ""), path).items():
        set_if_absent(out, key, value)
    return out


def _replace_heading(outline: Outline, old: Heading, new: Heading) -> tuple[Heading, Outline]:
    """Return the heading `new`, and the outline with `new` in place of `old`."""
    return new, replace(outline, headings=tuple(new if head is old else head for head in outline.headings))


def _words(text: str) -> set[str]:
    """Return the distinct words of a text, lower-case, numbers without leading zeros: `{"adr", "7"}` for `ADR-007`."""
    return {word.lstrip("0") or "0" for word in re.findall(r"[^\W_]+", text.casefold())}
