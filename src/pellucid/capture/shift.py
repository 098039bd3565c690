"""The turns of a segment in, the place where its topic changed out: by meaning with an encoder at hand, or by words.

The newest four turns that say something are compared with the six before them, at each place where both sides are long
enough, as TextTiling does with blocks of words (Hearst, Computational Linguistics 23(1), 1997); the cut is at the
farthest place, once two more turns have come no farther. docs/flush.md says what this finds and what it misses.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from pellucid.capture.segment import Break, Cutter
from pellucid.language.words import content_words
from pellucid.model.turn import Turn

Distance = Callable[[Sequence[Turn], Sequence[Turn]], float]
"""How far some turns are from others: 1 − cosine, 0 for the same topic."""
Encode = Callable[[Sequence[str]], Iterable[NDArray[np.float32]]]
"""Texts in, unit vectors out, in order."""

NEWEST, BEFORE, LEAST_BEFORE, SHORTEST, WAIT = 4, 6, 3, 6, 2
"""Turns compared; with how many, 3 at least; the fewest turns a segment may have; turns a farthest place must stand."""
SUBSTANTIAL = 3
"""Content words a turn needs to have a topic."""
WORDS_THRESHOLD = 0.92
"""Distance by words that is a shift; measured to cut about as often as the default by meaning."""
_READ = 1000
_REMEMBERED = 1000


def topic_shift(distance: Distance, threshold: float) -> Cutter:
    """A cutter where the topic has changed: the turns of the new one begin the next segment, with the coming turn."""

    def cut(held: Sequence[Turn], coming: Turn) -> Break | None:
        at = topic_start([*held, coming], distance, threshold)
        return Break("topic_shift", at) if at else None

    return cut


def topic_start(turns: Sequence[Turn], distance: Distance, threshold: float) -> int | None:
    """The index of the first turn of a new topic: where the turns before are farthest from those after.

    None where no place is as far as `threshold`, or the farthest has not yet stood for `WAIT` further places.
    """
    saying = [at for at, turn in enumerate(turns) if _says_something(turn)]
    farthest, place, since = threshold, None, 0
    for at, old, new in _possible_cuts(saying, turns):
        apart = distance(old, new)
        if apart >= farthest and (place is None or apart > farthest):
            farthest, place, since = apart, at, 0
        elif place is not None:
            since += 1
            if since >= WAIT:
                return place
    return None


def _possible_cuts(saying: Sequence[int], turns: Sequence[Turn]) -> Iterator[tuple[int, list[Turn], list[Turn]]]:
    """Each place where a cut may be, with the turns before it and after it that are compared."""
    for first in range(LEAST_BEFORE, len(saying) - NEWEST + 1):
        if saying[first] >= SHORTEST:
            old = [turns[at] for at in saying[max(0, first - BEFORE) : first]]
            yield saying[first], old, [turns[at] for at in saying[first : first + NEWEST]]


def _says_something(turn: Turn) -> bool:
    return turn.role != "tool" and len(_words(turn.content)) >= SUBSTANTIAL


@lru_cache(_REMEMBERED)
def _words(text: str) -> tuple[str, ...]:
    return content_words(text[:_READ])


def apart_in_words(old: Sequence[Turn], new: Sequence[Turn]) -> float:
    """1 − cosine of two sides' word counts: in how many of its turns each content word stands; 0 if one has none."""
    mine, other = (Counter(word for turn in side for word in _words(turn.content)) for side in (old, new))
    product = sum(count * other[word] for word, count in mine.items())
    length = sqrt(sum(n * n for n in mine.values()) * sum(n * n for n in other.values()))
    return 1 - product / length if length else 0.0


class ApartInMeaning:
    """1 − cosine of the mean vectors; a text is encoded once. Raises whatever the encoder raises."""

    def __init__(self, encode: Encode) -> None:
        self._encode = encode
        self._known: dict[str, NDArray[np.float32]] = {}

    def __call__(self, old: Sequence[Turn], new: Sequence[Turn]) -> float:
        """1 − cosine of the mean vectors of two sides' turns; 0 where one mean is nothing."""
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
