"""A text in, its phrases of a number of key words out; shared phrases show that one text quotes another."""

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence

from pellucid.language.scripts import UNSPACED
from pellucid.language.words import carries_meaning

_WORD = re.compile(rf"[{UNSPACED}]|(?:(?![{UNSPACED}])\w)+(?:['’./:@_+#-]+(?:(?![{UNSPACED}])\w)+)*")
"""A path, a dotted name and a number are one word each: a path of five folders is no phrase of five words."""
_APOSTROPHE = re.compile("['’]")
_END = re.compile("[.!?;:|](?=\\s|$)|[。！？；：│\u2713-\u2718\u2705\u274c]")
"""Ends of sentences, clauses and table cells; also ticks and crosses, which begin the item they tick off."""
_SIGN = re.compile(f"[{UNSPACED}]")
_WHOLE, _HALF = 2, 1
"""A sign of a script without spaces counts as half a word."""
_ROOM = 8
"""Words per key word that a phrase has at most; beyond that, its key words are too far apart."""
_MAX_SHOWN = 200
_Word = tuple[str, int, int]
"""A casefolded word, with the index of its first character and the index after its last."""


def phrases(text: str, key_words: int) -> dict[str, tuple[int, int]]:
    """Return the shortest runs of words with `key_words` different words that carry meaning (see
    `words.carries_meaning`), each with its first place.

    The dict maps a phrase (its words in NFKC, casefolded, without apostrophes, between single blanks) to its (start,
    end) in `text`, in characters. A path, a dotted name and a number are one word each; a sign of a script without
    spaces is half of one. No phrase crosses the end of a sentence, a clause or a table cell, or has more than about 8
    words per key word. Two texts share a phrase if one repeats words of the other, whatever stands around them.
    """
    out: dict[str, tuple[int, int]] = {}
    begin = 0
    for end in (*(found.start() for found in _END.finditer(text)), len(text)):
        for phrase, place in _phrases_of_clause(list(_words(text, begin, end)), key_words):
            out.setdefault(phrase, place)
        begin = end
    return out


def _phrases_of_clause(words: Sequence[_Word], key_words: int) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield, for each word of a clause that a phrase begins at, that phrase and its place (see `phrases`)."""
    starts = [at for at, (word, _, _) in enumerate(words) if carries_meaning(word)]
    for number, start in enumerate(starts):
        weights: dict[str, int] = {}
        for at in starts[number:]:
            word, _, end = words[at]
            weights[word] = _HALF if _SIGN.fullmatch(word) else _WHOLE
            if at - start > _ROOM * key_words:
                break
            if sum(weights.values()) >= key_words * _WHOLE:
                yield " ".join(each for each, _, _ in words[start : at + 1]), (words[start][1], end)
                break


def words_row(text: str) -> str:
    """Return a text's words, spelled as in `phrases`, in order, with single spaces between and around them: a phrase
    that `phrases` finds in the text is contained in this row, also with a space before and after it.
    """
    return f" {' '.join(word for word, _, _ in _words(text))} "


def longest_covered(text: str, places: Collection[tuple[int, int]]) -> str:
    """Return the longest part of a text that overlapping or adjoining places cover, on one line.

    `places` are (start, end) in characters, at least one. A part of over 200 characters is cut there, and `…` added.
    """
    joined: list[tuple[int, int]] = []
    for start, end in sorted(places):
        if joined and start <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    start, end = max(joined, key=lambda place: place[1] - place[0])
    line = " ".join(text[start:end].split())
    return line if len(line) <= _MAX_SHOWN else f"{line[:_MAX_SHOWN]}…"


def _words(text: str, begin: int = 0, end: int | None = None) -> Iterator[_Word]:
    """Yield the words of a text from index `begin` to before `end` (None: to its end), casefolded and without
    apostrophes, each with its place.
    """
    for found in _WORD.finditer(text, begin, len(text) if end is None else end):
        word = unicodedata.normalize("NFKC", found[0]).casefold()
        yield _APOSTROPHE.sub("", word), found.start(), found.end()
