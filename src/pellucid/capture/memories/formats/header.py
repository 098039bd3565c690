"""A Markdown file's text in, its frontmatter and body out: what is no proper YAML is read line by line."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from pellucid.capture.transcripts.json_values import as_list, as_object
from pellucid.errors import InputError
from pellucid.vault import frontmatter

_LINE = re.compile(r"([A-Za-z_][\w-]*)[ \t]*:[ \t]*(.*)")
_LONGEST = 64 * 1024
"""Characters of a frontmatter that a YAML parser is asked to read."""


@dataclass(frozen=True, slots=True)
class Header:
    """Frontmatter values, the body, and the number of the body's first line; `problem` says what was wrong, if so."""

    values: frontmatter.Values
    body: str
    first_line: int
    problem: str = ""


def header(text: str) -> Header:
    """The frontmatter of a file and its body; a text whose `---` fence is damaged is all body."""
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
        return Header(_by_line(head), body, first_line, "frontmatter is not YAML")


def _by_line(head: str) -> frontmatter.Values:
    found = (_LINE.fullmatch(line.rstrip()) for line in head.split("\n"))
    return {line.group(1): _header_value(line.group(2).strip()) for line in found if line}


def _header_value(text: str) -> object:
    """A value as JSON reads it, else a `[list]` split at commas, else the text without its quotes."""
    try:
        return cast("object", json.loads(text))
    except (ValueError, RecursionError):
        pass
    if text.startswith("[") and text.endswith("]"):
        return [part.strip(" \"'") for part in text[1:-1].split(",")]
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text


def texts(value: object) -> tuple[str, ...]:
    """The words of a list, of a comma-separated text or of one plain value; nothing else counts."""
    if isinstance(value, str):
        return tuple(part.strip().lstrip("#") for part in value.split(",") if part.strip())
    return tuple(str(each).strip() for each in as_list(value) if isinstance(each, str | int | float) and str(each))


def text_of(values: Mapping[str, object], *keys: str) -> str | None:
    """The value of the first of these keys that holds a plain one (or a list of one), as text; None if none does."""
    for key in keys:
        value = values.get(key)
        held = as_list(value)
        value = held[0] if len(held) == 1 else value
        if isinstance(value, str | int | float) and not isinstance(value, bool) and str(value).strip():
            return str(value).strip()
    return None


def number_of(values: Mapping[str, object], key: str) -> float | None:
    """The number in [0, 1] under a key; None where there is none."""
    try:
        number = float(text_of(values, key) or "nan")
    except ValueError:
        return None
    return number if 0 <= number <= 1 else None


def words_of(value: object) -> dict[str, str]:
    """The plain values of a mapping, as text."""
    held = as_object(value)
    return {str(k): str(v) for k, v in held.items() if isinstance(v, str | int | float) and not isinstance(v, bool)}
