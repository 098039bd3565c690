"""A query and a memory's text in, which word of the one met which word of the other out: computed on view, never kept.

The arithmetic is that of late interaction: a query token meets the memory token whose sign code is nearest to it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pellucid.encoders.port import Embedder
from pellucid.model.snapshot import Alignment
from pellucid.recall.score.late_interaction import nearest
from pellucid.store.index_port import Codes


@dataclass(frozen=True, slots=True)
class Aligner:
    """Aligns a query's telling words with those of memories. `terms` are the query's words, `telling` their numbers."""

    embedder: Embedder
    query: str
    terms: Sequence[str]
    telling: Sequence[int]

    def align(self, text: str) -> tuple[Alignment, ...]:
        """For each of the query's words the memory's word it met best, in the query's order.

        Raises:
            EncoderError: the model could not be loaded.
        """
        asked, held = self.embedder.encode_query(self.query), self.embedder.encode_query(text)
        codes = next(self.embedder.encode([text])).tokens
        spans = [(i, span) for i, span in enumerate(held.spans[: len(codes)]) if _is_word(text[slice(*span)])]
        if not spans:
            return ()
        words = codes[[i for i, _ in spans]]
        places, cosines = nearest(asked.tokens, Codes(words, np.array([len(words)], dtype=np.int64)))
        out: list[Alignment] = []
        for index in self.telling:
            token = self._best_token(self.terms[index], asked.spans, cosines)
            if token is not None:
                start, end = _whole_word(text, spans[int(places[token])][1])
                met = f"{cosines[token]:.4f}"
                out.append(Alignment(term=index, start=start, end=end, word=text[start:end], similarity=float(met)))
        return tuple(out)

    def _best_token(self, term: str, spans: Sequence[tuple[int, int]], cosines: NDArray[np.float64]) -> int | None:
        """Of the query's tokens in a word, the number of the one that met the memory best; None where it has none."""
        start = self._place_of(term) if term else -1
        inside = [
            i for i, (first, last) in enumerate(spans) if start >= 0 and first < start + len(term) and start < last
        ]
        return max(inside, key=lambda i: cosines[i]) if inside else None

    def _place_of(self, term: str) -> int:
        """Where the word stands alone; in a script without spaces, where it stands at all."""
        alone = re.search(rf"(?<![^\W_]){re.escape(term)}(?![^\W_])", self.query)
        return alone.start() if alone else self.query.find(term)


def _is_word(piece: str) -> bool:
    return any(character.isalnum() for character in piece)


def _whole_word(text: str, span: tuple[int, int]) -> tuple[int, int]:
    """Where the whole word begins and ends that the characters `span` are part of."""
    start, end = span
    while start > 0 and text[start - 1].isalnum():
        start -= 1
    while end < len(text) and text[end].isalnum():
        end += 1
    return start, end
