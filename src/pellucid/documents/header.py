"""The first lines of a document in, what its header says out, and where its text begins: YAML, mail style, field lists.

Foreign files are never refused for their header: what can be read of it is kept, the rest is left out.
"""

import re
from collections.abc import Iterable, Sequence

from pellucid.documents.header_yaml import frontmatter_values
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


def put(header: Header, key: str, value: str) -> None:
    """Set a key, in normal form, to a value; neither an empty value nor a second one for the key is taken."""
    name = key_name(key)
    words = " ".join(value.split())[:_LONGEST_VALUE].rstrip()
    if name and words and (name in header or len(header) < MOST_KEYS):
        header.setdefault(name, words)


def key_name(key: str) -> str:
    """A header key in normal form: `Superseded_By` and `superseded by` are `superseded-by`."""
    return re.sub(r"[\s_]+", "-", key.strip().casefold())[:100]


def markdown_header(text: str, lines: Sequence[str]) -> tuple[Header, int]:
    """The header at the very top of a Markdown file, and the number of lines that it takes."""
    try:
        front, body = frontmatter.split(text)
    except InputError:
        front, body = None, text
    if front is not None:
        values = frontmatter_values(front)
        if values is not None:
            header: Header = {}
            for key, value in values.items():
                put(header, key, value)
            return header, text.count("\n", 0, len(text) - len(body))
    return mail_header(lines)


def mail_header(lines: Sequence[str]) -> tuple[Header, int]:
    """`Key: value` lines at the top up to a blank line, with indented continuations, as in a PEP or an e-mail."""
    at = _past_blank(lines, 0)
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


def field_list(lines: Sequence[str], at: int) -> tuple[Header, int]:
    """A field list of reStructuredText (`:Status: Draft`) at line `at` or below blank lines, and the line after it."""
    begin = _past_blank(lines, at)
    found: list[tuple[str, list[str]]] = []
    end = at = begin
    while at < len(lines):
        line = lines[at]
        match = _FIELD.fullmatch(line)
        if match:
            found.append((match[1], [match[2] or ""]))
        elif line.strip() and not (found and line[0] in " \t"):
            break
        elif line.strip():
            found[-1][1].append(line.strip())
        at += 1
        end = at if line.strip() else end
    return _joined_values(found), end


def rst_header(_text: str, lines: Sequence[str]) -> tuple[Header, int]:
    """The header at the very top of a reStructuredText file, mail style or a field list; and its number of lines."""
    header, end = mail_header(lines)
    return (header, end) if header else rst_fields(lines, 0)


def rst_fields(lines: Sequence[str], at: int) -> tuple[Header, int]:
    """The field list at line `at` and the line after it, if it is a header; else nothing, and `at`."""
    header, end = field_list(lines, at)
    return (header, end) if KNOWN & header.keys() else ({}, at)


def _joined_values(found: Iterable[tuple[str, list[str]]]) -> Header:
    """A key that stands several times has all its values."""
    values: dict[str, list[str]] = {}
    for key, parts in found:
        entries = [match[1] for part in parts[1:] if (match := _ENTRY.fullmatch(part))]
        value = ", ".join(entries) if entries and not parts[0] else " ".join(part for part in parts if part)
        values.setdefault(key_name(key), []).append(value)
    header: Header = {}
    for key, each in values.items():
        put(header, key, ", ".join(value for value in each if value))
    return header


def _past_blank(lines: Sequence[str], at: int) -> int:
    while at < len(lines) and not lines[at].strip():
        at += 1
    return at
