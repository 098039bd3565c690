"""A frontmatter in, its values as written out: line by line where YAML means the same, else what YAML makes of it."""

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
_ENTRY = re.compile(r"[ \t]*-[ \t]+(.*)")
_FLOW = re.compile(r"\[([^\[\]{}'\"#&*!:|>%@`?]*)\]")
_QUOTED = re.compile(r"'([^']*)'|\"([^\"\\]*)\"")
_INDICATORS = frozenset("[]{}&*!|>'\"%@,?:`#-")
_NULL = frozenset(("", "~", "null", "Null", "NULL"))
_UNASKED = re.compile(r"(?:^|[\s\[{,])!|^%", re.MULTILINE)
"""Tags (`!!int`) and directives: their constructors fail in too many ways."""


def frontmatter_values(front: str) -> dict[str, str] | None:
    """The values of a frontmatter by key, lists joined by `, `; `{}` for a blank one, None if it holds text instead of
    keys."""
    simple = _values_by_line(front, strict=True)
    if simple is not None:
        return simple if simple or not front.strip() else None
    loose = _values_by_line(front, strict=False) or {}
    parsed = _parsed_yaml(front)
    if parsed is None:
        return loose or None
    return {key: _on_one_line(value, loose.get(key, "")) for key, value in parsed.items()}


def _values_by_line(front: str, *, strict: bool) -> dict[str, str] | None:
    """The values of `key: value` lines and simple lists, read without YAML; other lines are passed over.

    With `strict`, None if YAML might read a line in another way.
    """
    found: dict[str, list[str]] = {}
    items: list[str] | None = None
    for line in (each.rstrip() for each in front.split("\n")):
        if not line or line.lstrip().startswith("#"):
            continue
        pair = _PAIR.fullmatch(line)
        entry = None if pair or items is None else _ENTRY.fullmatch(line)
        values = _values_as_written((pair[2] or "") if pair else entry[1] if entry else None, strict=strict)
        if values is None or (strict and pair and pair[1] in found):
            if strict:
                return None
            continue
        if pair:
            items = found.setdefault(pair[1], [])
            items += values
            items = items if not pair[2] else None
        elif items is not None:
            items += values
    return {key: ", ".join(values) for key, values in found.items()}


def _values_as_written(text: str | None, *, strict: bool) -> list[str] | None:
    """The values after a colon or a dash as written, `[a, b]` as two, `null` as none; None if `text` is None.

    With `strict`, None also where only YAML can tell; without it such a text is one value, without quotes and comment.
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
    """Whether YAML would read a text, which is not empty, as the plain string it is."""
    signed = text[0] == "-" and text[1:2].strip()
    return bool(signed or text[0] not in _INDICATORS) and not (": " in text or " #" in text or text.endswith(":"))


def _parsed_yaml(front: str) -> Mapping[str, object] | None:
    """The frontmatter as YAML; None where it is too long, is no YAML, or has a tag (`!!int`) or directive."""
    if len(front) > _LONGEST_YAML or _UNASKED.search(front):
        return None
    try:
        return frontmatter.parse(front)
    except InputError:
        return None


def _on_one_line(value: object, written: str, depth: int = 0) -> str:
    """A YAML value as text: lists as `a, b`, mappings as `key: value, …`, 200 items each at most; empty for None or
    what nests too deep.

    A string stays as it is; `written` is how another scalar was spelled, since YAML makes 1.1 of the version 1.10.
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
    """A number, date or truth value (`true`) as text; empty for a number too long to write."""
    if isinstance(value, bool):
        return "true" if value else "false"
    try:
        return str(value)
    except ValueError:  # more digits than Python writes
        return ""
