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
"""Characters that are invisible, wide or styled; a text without them needs no further look."""


class _AsSeen(dict[int, str]):
    """A table for `str.translate` that is filled as needed: each character as it is seen."""

    def __missing__(self, code: int) -> str:
        """Return "" for an invisible character, ASCII for the wide or styled form of it, else the character."""
        char = chr(code)
        plain = unicodedata.normalize("NFKC", char)
        is_lookalike = len(plain) == 1 and plain.isascii()
        self[code] = "" if is_unseen(char) else plain if is_lookalike else char
        return self[code]


_AS_SEEN = _AsSeen()


@dataclass(frozen=True, slots=True)
class VisibleText:
    """A text as a reader sees it; `places` are its characters' positions in the original text."""

    text: str
    places: tuple[int, ...] = ()  # empty if every character has the same position as in the original

    def original_span(self, start: int, end: int) -> tuple[int, int]:
        """Return the range in the original text of a range in the seen one."""
        return (self.places[start], self.places[end - 1] + 1) if self.places else (start, end)


def visible_text(text: str) -> VisibleText | None:
    """Return the text as a reader sees it, without invisible characters; None if that is the text itself."""
    if text.isascii() or not _DISGUISED.search(text):
        return None
    seen = text.translate(_AS_SEEN)
    if len(seen) == len(text):
        return VisibleText(seen) if seen != text else None
    return VisibleText(seen, tuple(at for at, char in enumerate(text) if _AS_SEEN[ord(char)]))
