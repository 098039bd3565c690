"""A text in, its words out: all of them, or those that carry meaning; every script alike."""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache

from pellucid.language import lexicon
from pellucid.language.scripts import UNSPACED

_APOSTROPHE = re.compile(r"(?<=\w)['’](?=\w)")
_TOKEN = re.compile(r"\w+(?:[._:+#-]\w+)*[+#%]*")
_UNSPACED = re.compile(f"[{UNSPACED}]+")
_JOINT = re.compile(r"(?<=[A-Za-z][a-z])(?=[A-Z][A-Za-z])|(?<=[A-Z])(?=[A-Z][a-z]{2})")
_LONGEST_JOINED = 64
"""Characters of the longest name in code that is split."""
_JOINED = re.compile(
    rf"(?<![^\W_])(?=[^\W_]*?(?:[A-Za-z][a-z][A-Z][A-Za-z]|[A-Z]{{2}}[a-z]{{2}}))[^\W_]{{3,{_LONGEST_JOINED}}}+(?![^\W_])"
)


@cache
def function_words() -> frozenset[str]:
    """Return the function words and question words of the languages in Latin script, casefolded: articles, pronouns,
    `who`. In a question they do not say what is sought.
    """
    return lexicon.words("function", "asking", codes=lexicon.LATIN)


@cache
def stop_words() -> frozenset[str]:
    """Return the words without a meaning of their own, in the languages in which statements are read."""
    return lexicon.words("function", "vague")


def words(text: str) -> tuple[str, ...]:
    """Return a text's words in order, in NFKC, casefolded, without apostrophes; a name with inner points, colons,
    hyphens or the like (`v1.2`) is one word.

    A run of a script without spaces (Han, Kana, Thai) gives its pairs of neighbouring letters, or its only letter;
    other words written together with it follow after these.
    """
    found: list[str] = []
    tokens = _TOKEN.findall(_APOSTROPHE.sub("", unicodedata.normalize("NFKC", text)).casefold())
    if text.isascii():
        return tuple(tokens)
    for token in tokens:
        runs = _UNSPACED.findall(token)
        if not runs:
            found.append(token)
            continue
        found += [run[at : at + 2] for run in runs for at in range(max(len(run) - 1, 1))]
        found += _UNSPACED.sub(" ", token).split()
    return tuple(found)


def content_words(text: str) -> tuple[str, ...]:
    """Return the distinct words with a meaning, in order of first appearance, spelled as by `words`: no stop words or
    lone Latin letters.
    """
    return tuple(dict.fromkeys(filter(carries_meaning, words(text))))


def carries_meaning(word: str) -> bool:
    """Whether a casefolded word carries meaning: it is neither a stop word nor a lone Latin letter."""
    is_lone_letter = len(word) == 1 and word.isascii() and not word.isdigit()
    return word not in stop_words() and not is_lone_letter


def joined_words(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield, for each camel-case name of 3 to 64 letters and digits in a text (`parseHTTPHeader`), the index at which
    it begins, and its words as they are written.
    """
    for found in _JOINED.finditer(text):
        yield found.start(), _JOINT.split(found[0])


def reading_length(text: str) -> int:
    """Return the number of words in a text; three characters of an unspaced script (Han, Thai) count as two words,
    rounded up."""
    if text.isascii():
        return len(text.split())
    unspaced = sum(len(run) for run in _UNSPACED.findall(text))
    return len(_UNSPACED.sub(" ", text).split()) + (2 * unspaced + 2) // 3
