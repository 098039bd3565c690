"""Statements and which of them are new in, small clusters of near ones out: by vector, by words, by equal form."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil

import numpy as np

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
    """One statement as it is compared: only with others of its `group`, unless their `key` (its form) is equal."""

    group: str
    key: Hashable
    words: frozenset[str]
    vector: Vector | None
    is_new: bool


def clusters(items: Sequence[Item]) -> list[tuple[int, ...]]:
    """Groups of 2 to 8 similar statements, one of them new at least, each as indices into `items`, ascending.

    The nearest pairs are joined first, ties go by index.
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


def _root_of(parents: list[int], place: int) -> int:
    """The place that stands for the group of a place (union-find, paths halved on the way)."""
    while parents[place] != place:
        parents[place] = parents[parents[place]]
        place = parents[place]
    return place


def _similar_pairs(items: Sequence[Item]) -> Iterator[Pair]:
    """Pairs of statements of one form, or of one group and near or overlapping; some more than once."""
    groups: dict[str, list[int]] = defaultdict(list)
    for place, item in enumerate(items):
        groups[item.group].append(place)
    yield from _pairs_of_one_form(items)
    for places in groups.values():
        yield from _near_pairs(items, places)
        yield from _overlapping_pairs(items, places)


def _pairs_of_one_form(items: Sequence[Item]) -> Iterator[Pair]:
    """Pairs of statements of equal form, linked in chains of eight at most; the others meet in the next pass."""
    same: dict[Hashable, list[int]] = defaultdict(list)
    for place, item in enumerate(items):
        same[item.key].append(place)
    for places in same.values():
        if any(items[place].is_new for place in places):
            yield from ((0.0, one, other) for at, (one, other) in enumerate(pairwise(places), 1) if at % LARGEST)


def _near_pairs(items: Sequence[Item], places: Sequence[int]) -> Iterator[Pair]:
    """Pairs of each new statement with its nearest others by cosine, computed in blocks to bound the memory used.

    `places` are the indices of one group.
    """
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
            near = np.flatnonzero(found >= NEAR)
            nearest: list[int] = near[np.argsort(-found[near], kind="stable")][:NEIGHBOURS].tolist()
            for other in nearest:
                yield round(1.0 - float(found[other]), 6), *_ascending(held[row][0], held[other][0])


def _overlapping_pairs(items: Sequence[Item], places: Sequence[int]) -> Iterator[Pair]:
    """Pairs of each new statement with those of its group that share enough words.

    Two such share one of the few rarest words of each, so that only these are looked up.
    """
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
    """So many of the rarest of the words that any set which overlaps enough with them shares one."""
    ordered = sorted(words, key=lambda word: (counts[word], word))
    return ordered[: len(ordered) - ceil(OVERLAP * len(ordered)) + 1] if ordered else []


def _pairs_sharing_words(items: Sequence[Item], place: int, others: Iterable[int]) -> Iterator[Pair]:
    """Pairs of a statement with those of the others that share most words with it, eight at most."""
    mine = items[place].words
    shares = ((len(mine & items[other].words) / max(len(mine), len(items[other].words)), other) for other in others)
    scored = sorted((round(1.0 - share, 6), other) for share, other in shares if share >= OVERLAP)
    yield from ((distance, *_ascending(place, other)) for distance, other in scored[:NEIGHBOURS])


def _ascending(one: int, other: int) -> tuple[int, int]:
    """The two numbers, the smaller first."""
    return (one, other) if one < other else (other, one)
