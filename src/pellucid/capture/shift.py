"""The turns of a segment in, the place where its topic changed out: by meaning with an encoder at hand, or by words.

The newest four turns that say something are compared with the six before them, at each place where both sides are long
enough, as TextTiling does with blocks of words (Hearst, Computational Linguistics 23(1), 1997); the cut is at the
farthest place, once two more turns have come no farther. docs/flush.md says what this finds and what it misses.
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
"""How far the topics of two groups of turns are apart: 1 − cosine, 0 for the same topic."""
Encode = Callable[[Sequence[str]], Iterable[NDArray[np.float32]]]  # texts in, unit vectors out, in order

NEWEST, BEFORE, LEAST_BEFORE, SHORTEST, WAIT = 4, 6, 3, 6, 2
"""Turns compared on the new side, on the old side and at least there; the fewest turns in a segment; turns to wait."""
SUBSTANTIAL = 3  # content words a turn needs to have a topic
WORDS_THRESHOLD = 0.92  # distance by words that is a shift; measured to cut about as often as the default by meaning
_READ = 1000
_REMEMBERED = 1000


def topic_shift(distance: Distance, threshold: float) -> Cutter:
    """Return a cutter that cuts where the topic changed by at least `threshold`, which may be some turns back."""

    def cut(open_turns: Sequence[Turn], next_turn: Turn) -> Break | None:
        at = topic_start([*open_turns, next_turn], distance, threshold)
        return Break("topic_shift", at) if at else None

    return cut


def topic_start(turns: Sequence[Turn], distance: Distance, threshold: float) -> int | None:
    """Return the index of the first turn of a new topic: where the turns before and after differ most.

    None if the distance nowhere reaches `threshold`, or as long as fewer than `WAIT` further cuts were compared
    behind the farthest.
    """
    topical = [at for at, turn in enumerate(turns) if _has_topic(turn)]
    farthest, place, since = threshold, None, 0
    for at, old, new in _possible_cuts(topical, turns):
        apart = distance(old, new)
        if apart >= farthest and (place is None or apart > farthest):
            farthest, place, since = apart, at, 0
        elif place is not None:
            since += 1
            if since >= WAIT:
                return place
    return None


def _possible_cuts(topical: Sequence[int], turns: Sequence[Turn]) -> Iterator[tuple[int, list[Turn], list[Turn]]]:
    """Yield each index where a cut may be, with the turns before and after it to compare.

    `topical` are the indexes of the turns that have a topic.
    """
    for first in range(LEAST_BEFORE, len(topical) - NEWEST + 1):
        if topical[first] >= SHORTEST:
            old = [turns[at] for at in topical[max(0, first - BEFORE) : first]]
            yield topical[first], old, [turns[at] for at in topical[first : first + NEWEST]]


def _has_topic(turn: Turn) -> bool:
    """Whether a turn has enough content words to have a topic; a tool's turn has none."""
    return turn.role != "tool" and len(_content_words(turn.content)) >= SUBSTANTIAL


@text_cache(_REMEMBERED)
def _content_words(text: str) -> tuple[str, ...]:
    """Return the content words of the first 1,000 characters."""
    return content_words(text[:_READ])


def word_distance(old: Sequence[Turn], new: Sequence[Turn]) -> float:
    """Return 1 − cosine of the content-word counts of two groups of turns; 0 if one group has no such word."""
    mine, other = (Counter(word for turn in side for word in _content_words(turn.content)) for side in (old, new))
    product = sum(count * other[word] for word, count in mine.items())
    length = sqrt(sum(n * n for n in mine.values()) * sum(n * n for n in other.values()))
    return 1 - product / length if length else 0.0


class MeaningDistance:
    """A `Distance` by embeddings; each text is encoded once. Raises whatever the encoder raises."""

    def __init__(self, encode: Encode) -> None:
        self._encode = encode
        self._known: dict[str, NDArray[np.float32]] = {}

    def __call__(self, old: Sequence[Turn], new: Sequence[Turn]) -> float:
        """Return 1 − cosine of the mean vectors of two groups of turns; 0 if one mean is zero."""
        texts = [turn.content[:_READ] for turn in (*old, *new)]
        unknown = [text for text in dict.fromkeys(texts) if text not in self._known]
        if len(self._known) + len(unknown) > _REMEMBERED:
            self._known.clear()
            unknown = list(dict.fromkeys(texts))
        self._known.update(zip(unknown, self._encode(unknown), strict=True) if unknown else ())
        vectors = np.stack([self._known[text] for text in texts])
        mine, other = vectors[: len(old)].mean(axis=0), vectors[len(old) :].mean(axis=0)
        length = float(np.linalg.norm(mine) * np.linalg.norm(other))
        return 1 - float(mine @ other) / length if length else 0.0
