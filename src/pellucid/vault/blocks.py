"""Texts in, safe parts of a vault file out: file names for people, and lines that cannot pass for a marker of ours."""

import json
import re
import unicodedata
from typing import cast

_SLUG_BYTES = 48
_LOOKALIKE = re.compile(r"^(\\*)(<!-- pellucid:)", re.MULTILINE)
_ESCAPED = re.compile(r"^\\(\\*<!-- pellucid:)", re.MULTILINE)


def escaped(text: str) -> str:
    r"""The same text with `\` before each line that looks like a marker of ours."""
    return _LOOKALIKE.sub(r"\\\1\2", text)


def unescaped(text: str) -> str:
    """What `escaped` was given."""
    return _ESCAPED.sub(r"\1", text)


def slug(text: str) -> str:
    """Lower-case words up to 48 bytes of UTF-8 (a longer first word is cut); letters of every script are kept."""
    words = re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold())
    out = ""
    for word in words:
        longer = f"{out}-{word}" if out else word
        if len(longer.encode()) > _SLUG_BYTES:
            break
        out = longer
    return out or (words[0].encode()[:_SLUG_BYTES].decode(errors="ignore") if words else "memory")


def marker_of(text: str) -> dict[str, object]:
    """What the JSON of a block's marker says."""
    value: object = json.loads(text)
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}
