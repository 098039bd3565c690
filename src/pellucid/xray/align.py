"""A query and a memory's text in, pairs of matching words out: computed for each view, never stored."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pellucid.encoders.port import Embedder
from pellucid.model.snapshot import Alignment
from pellucid.recall.score.late_interaction import nearest_tokens
from pellucid.store.index_port import Codes


@dataclass(frozen=True, slots=True)
class Aligner:
    """Pairs a query's key words with the words of memories. `terms` are all the query's words; `telling` are the
    indices of the key words among them.
    """

    embedder: Embedder
    query: str
    terms: Sequence[str]
    telling: Sequence[int]

    def align(self, text: str) -> tuple[Alignment, ...]:
        """Return for each key word of the query the word of `text` whose token is nearest to it, in the query's order.

        A key word that overlaps no token of the query is skipped; of several tokens, the one nearest to `text` counts.
        Empty if no token of `text` has a letter or digit. Both texts are read only as far as the model reads a text:
        the rest is cut off. Offsets are in characters of `text`; similarities are cosines, rounded to four decimals.

        Raises:
            EncoderError: the model could not be loaded.
        """
        # where a token stands in a text only `encode_query` says, and it keeps the last texts: the query is read once;
        # the codes are those of memories, which are stored coarser than a query's
        query, memory = self.embedder.encode_query(self.query), self.embedder.encode_query(text)
        codes = next(self.embedder.encode([text])).tokens
        tokens = enumerate(memory.spans[: len(codes)])
        spans = [(i, span) for i, span in tokens if any(map(str.isalnum, text[slice(*span)]))]
        if not spans:
            return ()
        words = codes[[i for i, _ in spans]]
        places, cosines = nearest_tokens(query.tokens, Codes(words, np.array([len(words)], dtype=np.int64)))
        out: list[Alignment] = []
        for index in self.telling:
            token = self._best_token(self.terms[index], query.spans, cosines)
            if token is not None:
                start, end = _whole_word(text, spans[int(places[token])][1])
                cosine = f"{cosines[token]:.4f}"
                out.append(Alignment(term=index, start=start, end=end, word=text[start:end], similarity=float(cosine)))
        return tuple(out)

    def _best_token(self, term: str, spans: Sequence[tuple[int, int]], cosines: NDArray[np.float64]) -> int | None:
        """Return the index of the query token nearest to the memory, of those that overlap `term`.

        None if `term` is not in the query, or no token overlaps it. `spans` are the (start, end) offsets of the query's
        tokens; `cosines` has each token's nearness to the memory.
        """
        start = self._offset_of(term) if term else -1
        inside = [
            i for i, (first, last) in enumerate(spans) if start >= 0 and first < start + len(term) and start < last
        ]
        return max(inside, key=lambda i: cosines[i]) if inside else None

    def _offset_of(self, term: str) -> int:
        """Return the offset at which a word first stands alone in the query, else within a longer word, else -1.

        Case counts.
        """
        alone = re.search(rf"(?<![^\W_]){re.escape(term)}(?![^\W_])", self.query)
        return alone.start() if alone else self.query.find(term)


def _whole_word(text: str, span: tuple[int, int]) -> tuple[int, int]:
    """Return the (start, end) of `span` widened to both sides as long as letters or digits adjoin it."""
    start, end = span
    while start > 0 and text[start - 1].isalnum():
        start -= 1
    while end < len(text) and text[end].isalnum():
        end += 1
    return start, end
