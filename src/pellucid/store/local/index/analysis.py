"""Text in, stems with their places out: one analysis for memories and queries, in every script.

Words are folded and stemmed by SQLite's own `porter unicode61`; runs of scripts written without spaces become
characters and overlapping pairs (pairs only in a query, unless the run is one character long). A memory's names of code
are also the words that they are written of (`HookAgent`: hook, agent), so that a question in plain words meets them.
"""

import re
import unicodedata
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

import apsw
import numpy as np
from numpy.typing import NDArray

from pellucid.language.scripts import EAST, HALF_WIDTH, HANGUL
from pellucid.language.words import joined_words

_UNSPACED = re.compile(
    f"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff{EAST}{HANGUL}\uf900-\ufaff{HALF_WIDTH}\U00020000-\U0003ffff]+"
)


class Analyzer:
    """Analyses text with the tokenizer of one connection, and so belongs to that connection's thread."""

    def __init__(self, connection: apsw.Connection) -> None:
        """Use the tokenizer `porter unicode61`, without diacritics, of this connection."""
        self._tokenize = connection.fts5_tokenizer("porter", ["unicode61", "remove_diacritics", "2"])

    def stems(self, text: str) -> list[str]:
        """Return the stems of a memory's text, in order, then those of the words in its code identifiers.

        A run of a script without spaces gives its characters and their overlapping pairs.
        """
        text = with_joined_words(text)
        if text.isascii():
            found = self._tokenize(
                text.encode(), apsw.FTS5_TOKENIZE_DOCUMENT, None, include_offsets=False, include_colocated=False
            )
            return cast("list[str]", found)
        return [stem for stem, _, _ in self._pieces_of(_fold_width(text), singles=True)]

    def places(self, text: str) -> list[tuple[str, int, int]]:
        """Return the stems of a query, in order, each as (stem, start, end) with the half-open span of its word in
        characters.

        Words repeated come repeatedly. A run of a script without spaces gives its overlapping pairs of characters; a
        single character gives itself.
        """
        return list(self._pieces_of(_fold_width(text), singles=False))

    def _pieces_of(self, text: str, *, singles: bool) -> Iterator[tuple[str, int, int]]:
        """Yield each stem or bigram of a text as (stem, start, end).

        Of runs in scripts without spaces, single characters come, too, with `singles` or if the run has only one.
        """
        at = 0
        for run in _UNSPACED.finditer(text):
            yield from self._stems_of(text, at, run.start())
            yield from _bigrams_of(run.group(), run.start(), singles=singles or len(run.group()) == 1)
            at = run.end()
        yield from self._stems_of(text, at, len(text))

    def _stems_of(self, text: str, start: int, end: int) -> Iterator[tuple[str, int, int]]:
        """Yield the stems of `text[start:end]`, each with its span in the whole text."""
        raw = text[start:end].encode("utf-8", "replace")
        found = self._tokenize(raw, apsw.FTS5_TOKENIZE_QUERY, None, include_colocated=False)
        at = place = 0  # bytes and characters passed so far: a token's offsets are in bytes, and rise
        for first, last, stem in cast("list[tuple[int, int, str]]", found):
            place += len(raw[at:first].decode())
            length = len(raw[first:last].decode())
            yield stem, start + place, start + place + length
            at, place = last, place + length


@dataclass(frozen=True, slots=True)
class WordCounts:
    """The words of one text as numbers: distinct stems as sorted CRC-32 values, their counts, the number of words.

    With 100,000 distinct stems a query word meets a wrong value once in 40,000 queries.
    """

    terms: NDArray[np.uint32]
    counts: NDArray[np.uint8]
    length: int


def with_joined_words(text: str) -> str:
    """Return a text followed by the words of which its code identifiers are made up: `hook agent` for `HookAgent`."""
    return " ".join((text, *(word for _, parts in joined_words(text) for word in parts)))


def count(stems: Sequence[str]) -> WordCounts:
    """Return the distinct numbers (`term`) of these stems, sorted, how often each occurs (255 at most), and the number
    of all stems.
    """
    values = np.array([term(stem) for stem in stems], dtype=np.uint32)
    terms, counts = np.unique(values, return_counts=True)
    return WordCounts(terms, np.minimum(counts, 255).astype(np.uint8), len(stems))


def term(stem: str) -> int:
    """Return the number under which a stem is indexed: its CRC-32, which two stems can share."""
    return zlib.crc32(stem.encode())


def _bigrams_of(run: str, at: int, *, singles: bool) -> Iterator[tuple[str, int, int]]:
    """Yield (pair, start, end) for the overlapping pairs of characters of a run that begins at `at` in its text; before
    them, with `singles`, the same for each character.
    """
    if singles:
        for i, character in enumerate(run):
            yield character, at + i, at + i + 1
    for i in range(len(run) - 1):
        yield run[i : i + 2], at + i, at + i + 2


def _fold_width(text: str) -> str:
    """Return the text with each character in NFKC form if that form is one character, so that spans stay valid."""
    if text.isascii():
        return text
    folded = (unicodedata.normalize("NFKC", character) for character in text)
    return "".join(new if len(new) == 1 else old for old, new in zip(text, folded, strict=True))
