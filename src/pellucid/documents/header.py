"""The first lines of a document in, its header and the place where its text begins out: YAML, mail style, field lists.

No file is refused for its header: unreadable parts are left out.
"""

import re
from collections.abc import Iterable, Sequence

from pellucid.documents.header_yaml import ENTRY, frontmatter_values
from pellucid.documents.sections import skip_blank
from pellucid.errors import InputError
from pellucid.vault import frontmatter

Header = dict[str, str]
"""Maps keys (lower-case, `-` for spaces and `_`) to values as written, at most 500 characters, lists joined by `, `."""

MOST_KEYS = 200
_LONGEST_VALUE = 500
_KNOWN = """
    adr amended-by amends approvers author authored-by authors category champion consulted created creation-date
    date decided deciders decision-date decision-makers depends-on discussions-to doc-id document-id eip feature-name
    id implements informed jira last-modified last-updated modified obsoleted-by obsoletes owner owners pep proposal
    proposed published related relates-to replaced-by replaces requires review-manager reviewers rfc rfc-pr series
    shepherd slug spec spec-id spec-version start-date state status superseded-by supersedes tags ticket title
    tracking-issue type updated version
    """
KNOWN = frozenset(_KNOWN.split())
"""A block of `key: value` lines without any of these keys is a list of remarks, not a header."""

_MAIL = re.compile(r"([A-Za-z][A-Za-z0-9_-]*(?: [A-Za-z0-9_-]+){0,3}):(?:[ \t]+(.*)|[ \t]*)")
_FIELD = re.compile(r":([A-Za-z][^:\n]{0,80}):(?:[ \t]+(.*)|[ \t]*)")


def set_if_absent(header: Header, key: str, value: str) -> None:
    """Set a key, in normal form (`key_name`), to a value on one line, cut to 500 characters, unless the header has the
    key.

    Nothing is set for an empty key or value, nor for a new key if the header has `MOST_KEYS`.
    """
    name = key_name(key)
    words = " ".join(value.split())[:_LONGEST_VALUE].rstrip()
    if name and words and (name in header or len(header) < MOST_KEYS):
        header.setdefault(name, words)


def key_name(key: str) -> str:
    """Return a header key in normal form, lower-case with hyphens, at most 100 characters: `superseded-by` for
    `Superseded_By` and `superseded by`.
    """
    return re.sub(r"[\s_]+", "-", key.strip().casefold())[:100]


def markdown_header(text: str, lines: Sequence[str]) -> tuple[Header, int]:
    """Return the header at the very top of a Markdown file and the index of the line after it; `({}, 0)` if there is
    none.

    It is the frontmatter, also an empty one; or, if the file has none, or one that is text without keys, a header in
    mail style (`mail_header`). `lines` are those of `text`.
    """
    try:
        front_text, body = frontmatter.split(text)
    except InputError:
        front_text, body = None, text
    values = None if front_text is None else frontmatter_values(front_text)
    if values is None:
        return mail_header(lines)
    header: Header = {}
    for key, value in values.items():
        set_if_absent(header, key, value)
    return header, text.count("\n", 0, len(text) - len(body))


def mail_header(lines: Sequence[str]) -> tuple[Header, int]:
    """Return the `Key: value` lines at the top, as in a PEP or an e-mail, and the index of the line after them.

    Blank lines above are skipped. Return `({}, 0)` unless every line up to the next blank line is such an entry or an
    indented continuation, and the header has at least two keys, one of them in `KNOWN`.
    """
    at = skip_blank(lines, 0, len(lines))
    entries: list[tuple[str, list[str]]] = []
    while at < len(lines) and lines[at].strip():
        line = lines[at]
        match = _MAIL.fullmatch(line)
        if match:
            entries.append((match[1], [match[2] or ""]))
        elif entries and line[0] in " \t":
            entries[-1][1].append(line.strip())
        else:
            return {}, 0
        at += 1
    header = _join_values(entries)
    return (header, at) if len(header) > 1 and KNOWN & header.keys() else ({}, 0)


def rst_header(_text: str, lines: Sequence[str]) -> tuple[Header, int]:
    """Return the header at the very top of a reStructuredText file and the index of the line after it.

    It is in mail style (`mail_header`), or else a field list (`rst_fields`); `({}, 0)` if there is neither. `_text` is
    not used: readers of headers have the same parameters.
    """
    header, end = mail_header(lines)
    return (header, end) if header else rst_fields(lines, 0)


def rst_fields(lines: Sequence[str], at: int) -> tuple[Header, int]:
    """Return the field list (`:Status: Draft`) at line `at` or below blank lines, and the index of the line after it.

    An indented line continues a value. Return `({}, at)` if there is no field list, or none of its keys is in `KNOWN`.
    """
    entries: list[tuple[str, list[str]]] = []
    first = end = skip_blank(lines, at, len(lines))
    for next_line, line in enumerate(lines[first:], start=first + 1):
        if match := _FIELD.fullmatch(line):
            entries.append((match[1], [match[2] or ""]))
        elif line.strip() and not (entries and line[0] in " \t"):
            break
        elif line.strip():
            entries[-1][1].append(line.strip())
        end = next_line if line.strip() else end
    header = _join_values(entries)
    return (header, end) if KNOWN & header.keys() else ({}, at)


def _join_values(entries: Iterable[tuple[str, list[str]]]) -> Header:
    """Make a header from pairs (key, lines of its value); the first of the lines is what is written beside the key.

    If that is empty and list items (`- a`) follow, these alone are taken and joined by `, `; else the lines are joined
    by spaces. The values of a repeated key are joined by `, `. Keys and values are stored as by `set_if_absent`.
    """
    values: dict[str, list[str]] = {}
    for key, parts in entries:
        items = [match[1] for part in parts[1:] if (match := ENTRY.fullmatch(part))]
        value = ", ".join(items) if items and not parts[0] else " ".join(part for part in parts if part)
        values.setdefault(key_name(key), []).append(value)
    header: Header = {}
    for key, texts in values.items():
        set_if_absent(header, key, ", ".join(value for value in texts if value))
    return header
