"""Statements in, small clusters of similar ones out, each with a new one in it: similar by vector, words or form."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil

import numpy as np

from pellucid.encoders.port import Vector

NEAR = 0.85
"""The cosine from which two statements are near."""
OVERLAP = 0.8
"""The share of common content words, of the longer statement's, from which two statements are near."""
NEIGHBOURS = 8
"""The most near statements that each new statement is paired with."""
LARGEST = 8
"""The most statements in a cluster."""
_BLOCK = 64
"""New statements multiplied at once: 64 × 100,000 products are 26 MB."""

Pair = tuple[float, int, int]
"""A distance (0 for equal forms), and two indices of statements, the lower first."""


@dataclass(frozen=True, slots=True)
class Item:
    """A statement prepared for comparison with others of its `group`, and with any of an equal `key` (its form)."""

    group: str
    key: Hashable
    words: frozenset[str]
    vector: Vector | None
    is_new: bool


def clusters(items: Sequence[Item]) -> list[tuple[int, ...]]:
    """Return clusters of 2 to 8 similar statements, each as ascending indices into `items`, in order of their first
    index.

    Similar are statements of equal `key` (their form), and those of one group with a cosine of at least .85, or with at
    least 80 % of the longer one's content words in common. Only pairs with a new statement, and those of a form of
    which any statement is new, are joined; the nearest first, ties by index.
    """
    parents = list(range(len(items)))
    sizes = [1] * len(items)
    for _, one, other in sorted(set(_similar_pairs(items))):
        first, second = sorted((_root_of(parents, one), _root_of(parents, other)))
        if first != second and sizes[first] + sizes[second] <= LARGEST:
            parents[second] = first
            sizes[first] += sizes[second]
    found: dict[int, list[int]] = defaultdict(list)
    for place in range(len(items)):
        found[_root_of(parents, place)].append(place)
    return [tuple(places) for _, places in sorted(found.items()) if len(places) > 1]


def _root_of(parents: list[int], index: int) -> int:
    """Return the index that represents the cluster of an index (union-find), and shorten the paths in `parents`."""
    while parents[index] != index:
        parents[index] = parents[parents[index]]
        index = parents[index]
    return index


def _similar_pairs(items: Sequence[Item]) -> Iterator[Pair]:
    """Yield (distance, lower index, higher index) of pairs of similar statements (see `clusters`), some more than once:
    neighbours of equal form, if any statement of that form is new, and a new statement with another of its group that
    is near or shares its words.
    """
    groups: dict[str, list[int]] = defaultdict(list)
    for place, item in enumerate(items):
        groups[item.group].append(place)
    yield from _pairs_of_one_form(items)
    for places in groups.values():
        yield from _near_pairs(items, places)
        yield from _overlapping_pairs(items, places)


def _pairs_of_one_form(items: Sequence[Item]) -> Iterator[Pair]:
    """Yield (0, lower index, higher index) of each statement and the next one of equal form, if any statement of that
    form is new.

    Every eighth pair is left out, so that chains have at most eight; those of one form meet in a later pass, when each
    has become one statement.
    """
    by_key: dict[Hashable, list[int]] = defaultdict(list)
    for place, item in enumerate(items):
        by_key[item.key].append(place)
    for places in by_key.values():
        if any(items[place].is_new for place in places):
            yield from ((0.0, one, other) for at, (one, other) in enumerate(pairwise(places), 1) if at % LARGEST)


def _near_pairs(items: Sequence[Item], indices: Sequence[int]) -> Iterator[Pair]:
    """Yield pairs of each new statement with its nearest others by cosine, at least .85, at most eight each: (1 -
    cosine, lower index, higher index).

    `indices` are those of one group; statements without a vector are left out. Vectors have length 1. Products are
    computed in blocks, to bound the memory used.
    """
    vectors = [(place, vector) for place in indices if (vector := items[place].vector) is not None]
    new = [row for row, (place, _) in enumerate(vectors) if items[place].is_new]
    if len(vectors) < 2 or not new:
        return
    matrix = np.stack([vector for _, vector in vectors])
    for start in range(0, len(new), _BLOCK):
        rows = new[start : start + _BLOCK]
        products = matrix[rows] @ matrix.T
        for row, cosines in zip(rows, products, strict=True):
            cosines[row] = -1.0
            near = np.flatnonzero(cosines >= NEAR)
            nearest: list[int] = near[np.argsort(-cosines[near], kind="stable")][:NEIGHBOURS].tolist()
            for other in nearest:
                yield round(1.0 - float(cosines[other]), 6), *_ascending(vectors[row][0], vectors[other][0])


def _overlapping_pairs(items: Sequence[Item], indices: Sequence[int]) -> Iterator[Pair]:
    """Yield (1 - share, lower index, higher index) of each new statement and those others, at most eight, with which it
    shares at least 80 % of the longer one's content words. `indices` are those of one group.

    Two such statements share one of the rarest words of each, so only these words are looked up.
    """
    counts = Counter(word for place in indices for word in items[place].words)
    places_of_word: dict[str, list[int]] = defaultdict(list)
    rarest = {place: _rarest(items[place].words, counts) for place in indices}
    for place in indices:
        for word in rarest[place]:
            places_of_word[word].append(place)
    for place in indices:
        if items[place].is_new:
            others = {other for word in rarest[place] for other in places_of_word[word]} - {place}
            yield from _pairs_sharing_words(items, place, others)


def _rarest(words: frozenset[str], counts: Counter[str]) -> list[str]:
    """Return the rarest of `words`, the rarest first, so many that any set which shares at least 80 % of `words`
    contains one of them; empty without words. `counts` says how often each word occurs in the group.
    """
    # a set that overlaps enough lacks at most n - ceil(OVERLAP * n) of the n words, so it has one of one more
    ordered = sorted(words, key=lambda word: (counts[word], word))
    return ordered[: len(ordered) - ceil(OVERLAP * len(ordered)) + 1] if ordered else []


def _pairs_sharing_words(items: Sequence[Item], index: int, others: Iterable[int]) -> Iterator[Pair]:
    """Yield pairs of a statement with those of the `others` (indices) that share at least 80 % of the content words of
    the longer of the two: (1 - share, lower index, higher index), the eight most alike.
    """
    mine = items[index].words
    shares = ((len(mine & items[other].words) / max(len(mine), len(items[other].words)), other) for other in others)
    scored = sorted((round(1.0 - share, 6), other) for share, other in shares if share >= OVERLAP)
    yield from ((distance, *_ascending(index, other)) for distance, other in scored[:NEIGHBOURS])


def _ascending(one: int, other: int) -> tuple[int, int]:
    """Return the two numbers, the smaller first."""
    return (one, other) if one < other else (other, one)
