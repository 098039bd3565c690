"""A text in, its phrases of so many key words out: by them it is seen where one text takes over from another."""

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence

from pellucid.language.scripts import UNSPACED
from pellucid.language.words import carries_meaning

_WORD = re.compile(rf"[{UNSPACED}]|(?:(?![{UNSPACED}])\w)+(?:['’./:@_+#-]+(?:(?![{UNSPACED}])\w)+)*")
"""A path, a dotted name and a number are one word each: a path of five folders is no phrase of five words."""
_APOSTROPHE = re.compile("['’]")
_END = re.compile("[.!?;:|](?=\\s|$)|[。！？；：│\u2713-\u2718\u2705\u274c]")
"""What ends a sentence, a clause or a cell; also ticks and crosses, which head what they tick off."""
_SIGN = re.compile(f"[{UNSPACED}]")
_WHOLE, _HALF = 2, 1
"""A sign of a script without spaces counts as half a word."""
_ROOM = 8
"""Words per key word that a phrase may have at most; beyond, its key words no longer hang together."""
_SHOWN = 200
_Word = tuple[str, int, int]
"""A casefolded word, and where it begins and ends."""


def phrases(text: str, telling: int) -> dict[str, tuple[int, int]]:
    """The shortest runs of words with `telling` different ones that carry meaning, each with its first place in `text`.

    A phrase is given in plain words, its place in characters. None goes beyond a sentence, a clause or a cell. Two
    texts share a phrase where one says word for word what the other says, whatever stands around it, in whatever marks.
    """
    out: dict[str, tuple[int, int]] = {}
    begin = 0
    for end in (*(found.start() for found in _END.finditer(text)), len(text)):
        for phrase, place in _phrases_of_clause(list(_words(text, begin, end)), telling):
            out.setdefault(phrase, place)
        begin = end
    return out


def _phrases_of_clause(found: Sequence[_Word], telling: int) -> Iterator[tuple[str, tuple[int, int]]]:
    """The phrases of one clause, with their places: one from each word that carries meaning on (see `phrases`)."""
    starts = [at for at, (word, _, _) in enumerate(found) if carries_meaning(word)]
    for number, start in enumerate(starts):
        held: dict[str, int] = {}
        for at in starts[number:]:
            word, _, end = found[at]
            held[word] = _HALF if _SIGN.fullmatch(word) else _WHOLE
            if at - start > _ROOM * telling:
                break
            if sum(held.values()) >= telling * _WHOLE:
                yield " ".join(each for each, _, _ in found[start : at + 1]), (found[start][1], end)
                break


def words_row(text: str) -> str:
    """The plain words of a text, with a space before, between and behind: it holds ` phrase ` if the text holds it."""
    return f" {' '.join(word for word, _, _ in _words(text))} "


def longest_covered(text: str, places: Collection[tuple[int, int]]) -> str:
    """The longest part of a text that overlapping places cover, in one line of 200 characters at most."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(places):
        if joined and start <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    start, end = max(joined, key=lambda place: place[1] - place[0])
    said = " ".join(text[start:end].split())
    return said if len(said) <= _SHOWN else f"{said[:_SHOWN]}…"


def _words(text: str, begin: int = 0, end: int | None = None) -> Iterator[_Word]:
    """The words of a text between two places, casefolded and without apostrophes, each with its place."""
    for found in _WORD.finditer(text, begin, len(text) if end is None else end):
        word = unicodedata.normalize("NFKC", found[0]).casefold()
        yield _APOSTROPHE.sub("", word), found.start(), found.end()
