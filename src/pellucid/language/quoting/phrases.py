"""A text in, its phrases of so many telling words out: by them it is seen where one text takes over from another."""

import re
import unicodedata
from collections.abc import Collection, Iterator

from pellucid.language.scripts import UNSPACED
from pellucid.language.words import carries_meaning

_WORD = re.compile(rf"[{UNSPACED}]|(?:(?![{UNSPACED}])\w)+(?:['’./:@_+#-]+(?:(?![{UNSPACED}])\w)+)*")
"""A path, a dotted name and a number are one word each: a path of five folders is no phrase of five words."""
_SIGN = re.compile(f"[{UNSPACED}]")
_WHOLE, _HALF = 2, 1
"""A sign of a script without spaces counts as half a word."""
_ROOM = 8
"""Words per telling word that a phrase may have at most; beyond, its telling words no longer hang together."""
_SHOWN = 200


def phrases(text: str, telling: int) -> dict[str, tuple[int, int]]:
    """The shortest stretches of words that hold `telling` different ones which carry meaning, by their plain words.

    With each comes where it stands first (characters). Two texts share such a phrase where one says word for word what
    the other says, whatever stands around it, in whatever letters and marks.
    """
    found = list(_words(text))
    starts = [at for at, (word, _, _) in enumerate(found) if carries_meaning(word)]
    out: dict[str, tuple[int, int]] = {}
    for number, start in enumerate(starts):
        held: dict[str, int] = {}
        for at in starts[number:]:
            word, _, end = found[at]
            held[word] = _HALF if _SIGN.fullmatch(word) else _WHOLE
            if at - start > _ROOM * telling:
                break
            if sum(held.values()) >= telling * _WHOLE:
                out.setdefault(" ".join(each for each, _, _ in found[start : at + 1]), (found[start][1], end))
                break
    return out


def row(text: str) -> str:
    """The words of a text in one row: a phrase stands in the text if it stands in here between spaces."""
    return f" {' '.join(word for word, _, _ in _words(text))} "


def passage(text: str, places: Collection[tuple[int, int]]) -> str:
    """The longest stretch of a text that is covered by places which meet, in one line of 200 characters at most."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(places):
        if joined and start <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    start, end = max(joined, key=lambda place: place[1] - place[0])
    said = " ".join(text[start:end].split())
    return said if len(said) <= _SHOWN else f"{said[:_SHOWN]}…"


def _words(text: str) -> Iterator[tuple[str, int, int]]:
    for found in _WORD.finditer(text):
        yield unicodedata.normalize("NFKC", found[0]).casefold(), found.start(), found.end()
