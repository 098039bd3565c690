"""The first lines of a document in, what its header says out, and where its text begins: YAML, mail style, field lists.

Foreign files are never refused for their header: what can be read of it is kept, the rest is left out.
"""

import re
from collections.abc import Iterable, Sequence

from pellucid.documents.header_yaml import frontmatter_values
from pellucid.documents.sections import skip_blank
from pellucid.errors import InputError
from pellucid.vault import frontmatter

Header = dict[str, str]
"""Keys lower-case with `-` for spaces and `_`; values as written, of at most 500 characters, lists joined by `, `."""

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
"""Keys that tell a header from a list of remarks that have the same form."""

_ENTRY = re.compile(r"[ \t]*-[ \t]+(.*)")
_MAIL = re.compile(r"([A-Za-z][A-Za-z0-9_-]*(?: [A-Za-z0-9_-]+){0,3}):(?:[ \t]+(.*)|[ \t]*)")
_FIELD = re.compile(r":([A-Za-z][^:\n]{0,80}):(?:[ \t]+(.*)|[ \t]*)")


def set_if_absent(header: Header, key: str, value: str) -> None:
    """Set a key, in normal form, to a value of at most 500 characters, unless it has one; empty values and keys beyond
    `MOST_KEYS` are dropped."""
    name = key_name(key)
    words = " ".join(value.split())[:_LONGEST_VALUE].rstrip()
    if name and words and (name in header or len(header) < MOST_KEYS):
        header.setdefault(name, words)


def key_name(key: str) -> str:
    """A header key in normal form, at most 100 characters: `Superseded_By` and `superseded by` are `superseded-by`."""
    return re.sub(r"[\s_]+", "-", key.strip().casefold())[:100]


def markdown_header(text: str, lines: Sequence[str]) -> tuple[Header, int]:
    """The header at the very top of a Markdown file, and the index of the line after it: frontmatter, else mail style,
    else `({}, 0)`."""
    try:
        front, body = frontmatter.split(text)
    except InputError:
        front, body = None, text
    values = None if front is None else frontmatter_values(front)
    if values is None:
        return mail_header(lines)
    header: Header = {}
    for key, value in values.items():
        set_if_absent(header, key, value)
    return header, text.count("\n", 0, len(text) - len(body))


def mail_header(lines: Sequence[str]) -> tuple[Header, int]:
    """The `Key: value` lines at the top, as in a PEP or an e-mail, and the index of the line after them.

    `({}, 0)` unless all lines up to the first blank one are such or continue one (indented), with two keys, one of them
    known.
    """
    at = skip_blank(lines, 0, len(lines))
    found: list[tuple[str, list[str]]] = []
    while at < len(lines) and lines[at].strip():
        line = lines[at]
        match = _MAIL.fullmatch(line)
        if match:
            found.append((match[1], [match[2] or ""]))
        elif found and line[0] in " \t":
            found[-1][1].append(line.strip())
        else:
            return {}, 0
        at += 1
    header = _joined_values(found)
    return (header, at) if len(header) > 1 and KNOWN & header.keys() else ({}, 0)


def rst_header(_text: str, lines: Sequence[str]) -> tuple[Header, int]:
    """The header at the very top of a reStructuredText file, and the index of the line after it: mail style, else a
    field list.

    `({}, 0)` for neither.
    """
    header, end = mail_header(lines)
    return (header, end) if header else rst_fields(lines, 0)


def rst_fields(lines: Sequence[str], at: int) -> tuple[Header, int]:
    """The field list (`:Status: Draft`) at line `at` or below blank lines, and the index of the line after it.

    `({}, at)` where there is none, or none of its keys is a known one.
    """
    found: list[tuple[str, list[str]]] = []
    begin = end = skip_blank(lines, at, len(lines))
    for after, line in enumerate(lines[begin:], start=begin + 1):
        if match := _FIELD.fullmatch(line):
            found.append((match[1], [match[2] or ""]))
        elif line.strip() and not (found and line[0] in " \t"):
            break
        elif line.strip():
            found[-1][1].append(line.strip())
        end = after if line.strip() else end
    header = _joined_values(found)
    return (header, end) if KNOWN & header.keys() else ({}, at)


def _joined_values(found: Iterable[tuple[str, list[str]]]) -> Header:
    """A header from `(key, lines of its value)` pairs: `- ` entries and the values of a repeated key are joined by `,
    `, other lines by spaces."""
    values: dict[str, list[str]] = {}
    for key, parts in found:
        entries = [match[1] for part in parts[1:] if (match := _ENTRY.fullmatch(part))]
        value = ", ".join(entries) if entries and not parts[0] else " ".join(part for part in parts if part)
        values.setdefault(key_name(key), []).append(value)
    header: Header = {}
    for key, each in values.items():
        set_if_absent(header, key, ", ".join(value for value in each if value))
    return header
