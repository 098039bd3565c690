"""A text in, the same as a reader sees it out: no invisible signs, wide letters as plain ones; and where each stood.

A token that a zero-width space breaks, or that is typed in full-width letters, is still the token to whoever copies it.
"""

import re
import unicodedata
from dataclasses import dataclass

from pellucid.language.hidden import is_unseen

_DISGUISED = re.compile(
    "[\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u214f"
    "\u2460-\u24ff\u2800\u3164\ufe00-\ufe0f\ufe50-\ufe6f\ufeff-\uffff\U0001d400-\U0001d7ff\U000e0000-\U000e0fff]"
)
"""Tells cheaply that a text holds none of what is invisible, wide or styled."""


class _AsSeen(dict[int, str]):
    """For `str.translate`: nothing for what is invisible, a plain sign for its wide or styled form, else itself."""

    def __missing__(self, code: int) -> str:
        self[code] = _as_seen(chr(code))
        return self[code]


_AS_SEEN = _AsSeen()


@dataclass(frozen=True, slots=True)
class VisibleText:
    """A text as it is seen; `places` are those of its characters in what was written, and the end of that."""

    text: str
    places: tuple[int, ...] = ()
    """Empty where every character stands at its own place."""

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where a stretch of the seen text stands in the written one."""
        return (self.places[start], self.places[end - 1] + 1) if self.places else (start, end)


def as_seen(text: str) -> VisibleText | None:
    """The text as a reader sees it, without invisible characters; None where it is seen as it is written."""
    if text.isascii() or not _DISGUISED.search(text):
        return None
    seen = text.translate(_AS_SEEN)
    if len(seen) == len(text):
        return VisibleText(seen) if seen != text else None
    return VisibleText(seen, tuple(at for at, char in enumerate(text) if _AS_SEEN[ord(char)]))


def _as_seen(char: str) -> str:
    """A character as it is seen: nothing for an invisible one, ASCII for one that looks the same."""
    if is_unseen(char):
        return ""
    plain = unicodedata.normalize("NFKC", char)
    return plain if len(plain) == 1 and plain.isascii() else char
