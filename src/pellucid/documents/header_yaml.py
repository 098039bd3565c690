"""A frontmatter in, its values as written out: read line by line if YAML means the same, else read by YAML."""

import re
from collections.abc import Iterable, Mapping
from typing import cast

from pellucid.errors import InputError
from pellucid.vault import frontmatter

_LONGEST_YAML = 64_000
"""A YAML parser's time is not linear in what it reads; a longer frontmatter is read by line."""
_MOST_ITEMS = 200
_DEEPEST = 6
_PAIR = re.compile(r"([^\W\d][\w .-]{0,60}?)[ \t]*:(?:[ \t]+(.*)|)")
"""A line `key: value` that YAML reads in the same way."""
ENTRY = re.compile(r"[ \t]*-[ \t]+(.*)")
"""An item of a list: `- value`."""
_FLOW = re.compile(r"\[([^\[\]{}'\"#&*!:|>%@`?]*)\]")
"""A list in brackets without nesting, quotes or other signs of YAML."""
_QUOTED = re.compile(r"'([^']*)'|\"([^\"\\]*)\"")
_INDICATORS = frozenset("[]{}&*!|>'\"%@,?:`#-")
"""Characters with a meaning in YAML at the beginning of a value."""
_NULL = frozenset(("", "~", "null", "Null", "NULL"))
"""Spellings of null."""
_UNASKED = re.compile(r"(?:^|[\s\[{,])!|^%", re.MULTILINE)
"""Tags (`!!int`) and directives: their constructors fail in too many ways."""


def frontmatter_values(front: str) -> dict[str, str] | None:
    """Return the values of a frontmatter by key, the items of a list joined by `, `.

    It is read by line where YAML means the same, else as YAML; if it is no YAML that we read, its `key: value` lines
    are taken. `{}` if it is blank or an empty mapping; None if it is other text without keys.
    """
    simple = _values_by_line(front, strict=True)
    if simple is not None:
        return simple if simple or not front.strip() else None
    loose = _values_by_line(front, strict=False) or {}
    parsed = _parse_yaml(front)
    if parsed is None:
        return loose or None
    return {key: _on_one_line(value, loose.get(key, "")) for key, value in parsed.items()}


def _values_by_line(front: str, *, strict: bool) -> dict[str, str] | None:
    """Return the values by key of `key: value` lines and simple lists, read without YAML, the items of a list joined by
    `, `; other lines are skipped.

    With `strict`, return None if YAML can read a line in another way, or a key repeats; without, the values of a key
    that repeats are joined, too.
    """
    values_of: dict[str, list[str]] = {}
    open_list: list[str] | None = None
    for line in (each.rstrip() for each in front.split("\n")):
        if not line or line.lstrip().startswith("#"):
            continue
        pair = _PAIR.fullmatch(line)
        entry = None if pair or open_list is None else ENTRY.fullmatch(line)
        values = _values_as_written((pair[2] or "") if pair else entry[1] if entry else None, strict=strict)
        if values is None or (strict and pair and pair[1] in values_of):
            if strict:
                return None
            continue
        if pair:
            open_list = values_of.setdefault(pair[1], [])
            open_list += values
            open_list = open_list if not pair[2] else None
        elif open_list is not None:
            open_list += values
    return {key: ", ".join(values) for key, values in values_of.items()}


def _values_as_written(text: str | None, *, strict: bool) -> list[str] | None:
    """Return the values written after a colon or a dash: two for `[a, b]`, an empty list for `null`, else one.

    None if `text` is None or, with `strict`, if only YAML can tell. Without `strict` such a text is one value, without
    quotes and comment.
    """
    if text is None:
        return None
    if text in _NULL:
        return []
    if quoted := _QUOTED.fullmatch(text):
        return [quoted[1] or quoted[2] or ""]
    if flow := _FLOW.fullmatch(text):
        items = [item.strip() for item in flow[1].split(",")]
        return [item for item in items if item not in _NULL]
    if _is_plain(text):
        return [text]
    return None if strict else [text.split(" #", 1)[0].strip().strip("\"'")]


def _is_plain(text: str) -> bool:
    """Whether YAML reads a text as one scalar without quotes, so that it can be taken as it is written (a number, too);
    the text must not be empty.
    """
    signed = text[0] == "-" and text[1:2].strip()
    return bool(signed or text[0] not in _INDICATORS) and not (": " in text or " #" in text or text.endswith(":"))


def _parse_yaml(front: str) -> Mapping[str, object] | None:
    """Parse the frontmatter as YAML; None if it is longer than 64,000 characters, has what can be a tag (`!!int`) or a
    directive, or is no mapping that `frontmatter.parse` accepts."""
    if len(front) > _LONGEST_YAML or _UNASKED.search(front):
        return None
    try:
        return frontmatter.parse(front)
    except InputError:
        return None


def _on_one_line(value: object, written: str, depth: int = 0) -> str:
    """Return a YAML value as text: lists as `a, b`, mappings as `key: value, …`, at most 200 items of each.

    Empty for None and for a value nested more than six deep; `depth` is how deep this one is. A string stays as it is.
    Any other scalar becomes `written`, its spelling in the file, if that is not empty: YAML makes 1.1 of the version
    1.10.
    """
    if value is None or depth > _DEEPEST:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple | set):
        items = [_on_one_line(each, "", depth + 1) for each in list(cast("Iterable[object]", value))[:_MOST_ITEMS]]
        return ", ".join(item for item in items if item)
    if isinstance(value, dict):
        pairs = list(cast("dict[object, object]", value).items())[:_MOST_ITEMS]
        return ", ".join(
            f"{_on_one_line(key, '', _DEEPEST)}: {_on_one_line(each, '', depth + 1)}" for key, each in pairs
        )
    return written or _scalar_text(value)


def _scalar_text(value: object) -> str:
    """Return a number, date or truth value (`true`) as text; empty for a number with too many digits for Python to
    write."""
    if isinstance(value, bool):
        return "true" if value else "false"
    try:
        return str(value)
    except ValueError:  # more digits than Python writes
        return ""
