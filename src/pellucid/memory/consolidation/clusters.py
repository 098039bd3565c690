"""Statements and which of them are new in, small clusters of near ones out: by vector, by words, by equal form."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil

import numpy as np
from numpy.typing import NDArray

from pellucid.encoders.port import Vector

NEAR = 0.85
"""Cosine from which two statements are near."""
OVERLAP = 0.8
"""Shared over the larger number of content words from which two statements are near."""
NEIGHBOURS = 8
"""Nearest neighbours looked at of each new statement."""
LARGEST = 8
"""Statements a cluster has at most."""
_BLOCK = 64
"""New statements multiplied at once: 64 × 100,000 products are 26 MB."""

Pair = tuple[float, int, int]
"""Distance (0: the same form), and two places, the lower first."""


@dataclass(frozen=True, slots=True)
class Item:
    """One statement as it is compared: only with others of its `group`. `key` is equal for equal forms."""

    group: str
    key: Hashable
    words: frozenset[str]
    vector: Vector | None
    is_new: bool


def clusters(items: Sequence[Item]) -> list[tuple[int, ...]]:
    """Groups of 2 to 8 places with a new statement in each; nearest pairs are joined first, ties go by place."""
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


def _root_of(parents: list[int], place: int) -> int:
    """The place that stands for the group of a place (union-find, paths halved on the way)."""
    while parents[place] != place:
        parents[place] = parents[parents[place]]
        place = parents[place]
    return place


def _similar_pairs(items: Sequence[Item]) -> Iterator[Pair]:
    """Pairs that may be merged: of one form anywhere, else near or overlapping within a group; some more than once."""
    groups: dict[str, list[int]] = defaultdict(list)
    for place, item in enumerate(items):
        groups[item.group].append(place)
    yield from _pairs_of_one_form(items)
    for places in groups.values():
        yield from _near_pairs(items, places)
        yield from _overlapping_pairs(items, places)


def _pairs_of_one_form(items: Sequence[Item]) -> Iterator[Pair]:
    """Equal forms in chains of eight at most: what is left over meets in the next pass."""
    same: dict[Hashable, list[int]] = defaultdict(list)
    for place, item in enumerate(items):
        same[item.key].append(place)
    for places in same.values():
        if any(items[place].is_new for place in places):
            yield from ((0.0, one, other) for at, (one, other) in enumerate(pairwise(places), 1) if at % LARGEST)


def _near_pairs(items: Sequence[Item], places: Sequence[int]) -> Iterator[Pair]:
    """Each new item with its nearest others by cosine distance, computed in blocks so that memory stays bounded."""
    held = [(place, vector) for place in places if (vector := items[place].vector) is not None]
    new = [row for row, (place, _) in enumerate(held) if items[place].is_new]
    if len(held) < 2 or not new:
        return
    matrix = np.stack([vector for _, vector in held])
    for start in range(0, len(new), _BLOCK):
        rows = new[start : start + _BLOCK]
        products = matrix[rows] @ matrix.T
        for row, found in zip(rows, products, strict=True):
            found[row] = -1.0
            for other in _nearest_places(found):
                yield round(1.0 - float(found[other]), 6), *_ordered(held[row][0], held[other][0])


def _nearest_places(products: NDArray[np.float32]) -> list[int]:
    """The places of the nearest, nearest first, ties by place."""
    near = np.flatnonzero(products >= NEAR)
    return near[np.argsort(-products[near], kind="stable")][:NEIGHBOURS].tolist()


def _overlapping_pairs(items: Sequence[Item], places: Sequence[int]) -> Iterator[Pair]:
    """Pairs that share enough words. Two such share one of the rarest few of each, so only these are looked up."""
    counts = Counter(word for place in places for word in items[place].words)
    holding: dict[str, list[int]] = defaultdict(list)
    rarest = {place: _rarest(items[place].words, counts) for place in places}
    for place in places:
        for word in rarest[place]:
            holding[word].append(place)
    for place in places:
        if items[place].is_new:
            others = {other for word in rarest[place] for other in holding[word]} - {place}
            yield from _pairs_sharing_words(items, place, others)


def _rarest(words: frozenset[str], counts: Counter[str]) -> list[str]:
    ordered = sorted(words, key=lambda word: (counts[word], word))
    return ordered[: len(ordered) - ceil(OVERLAP * len(ordered)) + 1] if ordered else []


def _pairs_sharing_words(items: Sequence[Item], place: int, others: Iterable[int]) -> Iterator[Pair]:
    mine = items[place].words
    scored: list[tuple[float, int]] = []
    for other in others:
        theirs = items[other].words
        if min(len(mine), len(theirs)) >= OVERLAP * max(len(mine), len(theirs)):
            share = len(mine & theirs) / max(len(mine), len(theirs))
            if share >= OVERLAP:
                scored.append((round(1.0 - share, 6), other))
    for distance, other in sorted(scored)[:NEIGHBOURS]:
        yield distance, *_ordered(place, other)


def _ordered(one: int, other: int) -> tuple[int, int]:
    return (one, other) if one < other else (other, one)
