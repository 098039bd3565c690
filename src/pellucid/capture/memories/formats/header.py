"""A Markdown file's text in, its frontmatter and body out; frontmatter that is not YAML is read line by line."""

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import cast

from pellucid.capture.transcripts.json_values import as_list, as_object
from pellucid.errors import InputError
from pellucid.vault import frontmatter

_LINE = re.compile(r"([A-Za-z_][\w-]*)[ \t]*:[ \t]*(.*)")
_LONGEST = 64 * 1024  # characters of the longest frontmatter that is parsed as YAML; a longer one is read line by line


@dataclass(frozen=True, slots=True)
class Header:
    """A file's frontmatter values and body, the body's first line number, and the frontmatter's problem or ""."""

    values: frontmatter.Values
    body: str
    first_line: int
    problem: str = ""


def parse_header(text: str) -> Header:
    """Split a text into frontmatter and body; a text whose `---` fence is never closed is all body.

    The result also has the number of the body's first line. Frontmatter that is not YAML, or longer than 65,536
    characters, is read line by line. These faults are named in `problem`, and nothing is raised. A text without
    frontmatter has no values, and `problem` is "".
    """
    try:
        head, body = frontmatter.split(text)
    except InputError:
        return Header({}, text, 1, "frontmatter is not closed")
    if head is None:
        return Header({}, body, 1)
    first_line = text.count("\n", 0, len(text) - len(body)) + 1
    try:
        if len(head) > _LONGEST:
            raise InputError("its frontmatter is too long")
        return Header(frontmatter.parse(head), body, first_line)
    except InputError:
        return Header(_values_by_line(head), body, first_line, "frontmatter is not YAML")


def _values_by_line(head: str) -> frontmatter.Values:
    """Parse the `key: value` lines of a frontmatter that cannot be parsed as YAML, or is too long to be; other lines
    are left out, and of two with the same key the later counts.
    """
    found = (_LINE.fullmatch(line.rstrip()) for line in head.split("\n"))
    return {line.group(1): _header_value(line.group(2).strip()) for line in found if line}


def _header_value(text: str) -> object:
    """Parse a value as JSON, else as a `[list]` split at commas, else as the text without its quotes."""
    with suppress(ValueError, RecursionError):
        return cast("object", json.loads(text))
    if text.startswith("[") and text.endswith("]"):
        return [part.strip(" \"'") for part in text[1:-1].split(",")]
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text


def text_values(value: object) -> tuple[str, ...]:
    """Return the stripped texts of a list, or of a string split at commas; () for any other value.

    Blank parts of a string are left out; the others then lose every `#` at their beginning, so that `#` alone becomes
    "". Numbers and booleans in a list become text; its empty strings (not blanks) and other elements are left out.
    """
    if isinstance(value, str):
        return tuple(part.strip().lstrip("#") for part in value.split(",") if part.strip())
    return tuple(str(each).strip() for each in as_list(value) if isinstance(each, str | int | float) and str(each))


def first_text(values: Mapping[str, object], *keys: str) -> str | None:
    """Return the first text or number under one of the keys, tried in order, as stripped text; None if there is none.

    A list of one counts as its element; blank texts, booleans and longer lists count as nothing.
    """
    for key in keys:
        value = values.get(key)
        items = as_list(value)
        value = items[0] if len(items) == 1 else value
        if isinstance(value, str | int | float) and not isinstance(value, bool) and str(value).strip():
            return str(value).strip()
    return None


def unit_number(values: Mapping[str, object], key: str) -> float | None:
    """Return the number under a key, also of a text or list of one, if it is from 0 to 1; else None."""
    try:
        number = float(first_text(values, key) or "nan")
    except ValueError:
        return None
    return number if 0 <= number <= 1 else None


def text_mapping(value: object) -> dict[str, str]:
    """Return the entries of a mapping whose values are texts or numbers, as text; other entries, booleans too, are left
    out. {} for any value that is no mapping.
    """
    values = as_object(value)
    return {str(k): str(v) for k, v in values.items() if isinstance(v, str | int | float) and not isinstance(v, bool)}
