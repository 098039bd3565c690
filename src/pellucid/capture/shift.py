"""The turns of a segment in, the place where its topic changed out: by meaning if there is an encoder, or by words.

The newest four turns that have a topic are compared with the six before them, at each place where both sides are long
enough, as TextTiling does with blocks of words (Hearst, Computational Linguistics 23(1), 1997). The cut is at the place
with the largest distance, once two later places have been compared. docs/flush.md says what this finds and misses.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from pellucid.capture.segment import Break, Cutter
from pellucid.language.words import content_words
from pellucid.model.turn import Turn
from pellucid.text_cache import text_cache

Distance = Callable[[Sequence[Turn], Sequence[Turn]], float]
"""Distance of the topics of two groups of turns: 1 − cosine, 0 for the same topic."""
Encode = Callable[[Sequence[str]], Iterable[NDArray[np.float32]]]  # texts in, unit vectors out, in order

NEWEST, BEFORE, MIN_BEFORE, MIN_TURNS, WAIT = 4, 6, 3, 6, 2
"""Turns compared on the new side; on the old, at most and at least; the fewest turns of a segment; places to wait."""
SUBSTANTIAL = 3  # content words a turn needs to have a topic
WORDS_THRESHOLD = 0.92  # distance by words that is a shift; measured to cut about as often as the default by meaning
_READ = 1000
_REMEMBERED = 1000


def topic_shift(distance: Distance, threshold: float) -> Cutter:
    """Return a cutter that cuts a segment before the first turn of a new topic (`topic_start`), possibly some turns
    back.

    `distance` measures how far apart two groups of turns are, and `threshold` is the least distance of a new topic. The
    cutter returns None if there is no new topic yet.
    """

    def cut(open_turns: Sequence[Turn], next_turn: Turn) -> Break | None:
        """Return a break before the first turn of a new topic among the open turns and the next; None if there is none
        yet.
        """
        at = topic_start([*open_turns, next_turn], distance, threshold)
        return Break("topic_shift", at) if at else None

    return cut


def topic_start(turns: Sequence[Turn], distance: Distance, threshold: float) -> int | None:
    """Return the index, 6 or more, of the first turn of a new topic; None if there is none yet.

    At each possible place, `distance` compares the four topical turns from it on with the three to six before it. A
    place of at least `threshold` is a candidate, until a later one has a larger distance; it is the result once two
    (`WAIT`) more places were compared and none was larger. Tools' turns, and turns with fewer than three content words
    in their first 1,000 characters, are not topical, and never compared.
    """
    spoken = ((at, turn) for at, turn in enumerate(turns) if turn.role != "tool")
    topical = [at for at, turn in spoken if len(_content_words(turn.content)) >= SUBSTANTIAL]
    farthest, place, since = threshold, None, 0
    for at, old, new in _possible_cuts(topical, turns):
        apart = distance(old, new)
        # the first place may equal the threshold, a later one must be farther than the best
        if apart >= farthest and (place is None or apart > farthest):
            farthest, place, since = apart, at, 0
        elif place is not None:
            since += 1
            if since >= WAIT:
                return place
    return None


def _possible_cuts(topical: Sequence[int], turns: Sequence[Turn]) -> Iterator[tuple[int, list[Turn], list[Turn]]]:
    """Yield each index of `turns` where a cut is possible, ascending, with the turns to compare: the last three to six
    topical turns before it, and the four from it on.

    `topical` has the indexes of the topical turns, ascending; a cut is possible only at one of them. It needs three of
    these before it (`MIN_BEFORE`), four from it on (`NEWEST`), and six turns of any kind before it (`MIN_TURNS`).
    """
    for first in range(MIN_BEFORE, len(topical) - NEWEST + 1):
        if topical[first] >= MIN_TURNS:
            old = [turns[at] for at in topical[max(0, first - BEFORE) : first]]
            yield topical[first], old, [turns[at] for at in topical[first : first + NEWEST]]


@text_cache(_REMEMBERED)
def _content_words(text: str) -> tuple[str, ...]:
    """Return the distinct content words (no stop words) of the first 1,000 characters, in order."""
    return content_words(text[:_READ])


def word_distance(old: Sequence[Turn], new: Sequence[Turn]) -> float:
    """Return 1 − cosine of the content-word counts of two groups of turns; 0 if one group has no such word.

    A word counts once a turn. Only the first 1,000 characters of each turn are read.
    """
    mine, other = (Counter(word for turn in side for word in _content_words(turn.content)) for side in (old, new))
    product = sum(count * other[word] for word, count in mine.items())
    length = sqrt(sum(n * n for n in mine.values()) * sum(n * n for n in other.values()))
    return 1 - product / length if length else 0.0


class MeaningDistance:
    """A `Distance` by embeddings; each text is encoded once. A call raises whatever the encoder raises."""

    def __init__(self, encode: Encode) -> None:
        self._encode = encode
        self._vectors: dict[str, NDArray[np.float32]] = {}

    def __call__(self, old: Sequence[Turn], new: Sequence[Turn]) -> float:
        """Return 1 − cosine of the mean vectors of two groups of turns, neither empty; 0 if one mean is zero.

        Only the first 1,000 characters of each turn are encoded.
        """
        texts = [turn.content[:_READ] for turn in (*old, *new)]
        new_texts = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if len(self._vectors) + len(new_texts) > _REMEMBERED:
            self._vectors.clear()
            new_texts = list(dict.fromkeys(texts))
        self._vectors.update(zip(new_texts, self._encode(new_texts), strict=True) if new_texts else ())
        vectors = np.stack([self._vectors[text] for text in texts])
        mine, other = vectors[: len(old)].mean(axis=0), vectors[len(old) :].mean(axis=0)
        length = float(np.linalg.norm(mine) * np.linalg.norm(other))
        return 1 - float(mine @ other) / length if length else 0.0
