"""Edges and rankings of documents in, how right and how complete they are out. Documents are counted, not sections."""

from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np

from pellucid.errors import InputError
from pellucid.lab.metrics.ranking import interval, mean

Requires = Mapping[int, frozenset[int]]  # A document's number, and the numbers of those that it requires directly
Pair = tuple[int, int]
LEAST_PLACES = 5
EXAMPLES = 5  # wrong and missing edges named, at most


def pairs(requires: Requires, aside: AbstractSet[int] = frozenset()) -> set[Pair]:
    """Return the edges (document, required document) of `requires`, which maps documents to those that they require,
    without those from or to a document in `aside`.
    """
    return {(source, each) for source, targets in requires.items() for each in targets if not {source, each} & aside}


def without(requires: Requires, aside: AbstractSet[int]) -> dict[int, frozenset[int]]:
    """Return the map `requires` (documents to those that they require) without the documents in `aside`, on either
    side, and without those that have no requirement left.
    """
    left = {source: targets - aside for source, targets in requires.items() if source not in aside}
    return {source: targets for source, targets in left.items() if targets}


def agreement(edges: AbstractSet[Pair], true_edges: AbstractSet[Pair]) -> dict[str, Any]:
    """Return how well `edges` agree with `true_edges`: `precision` (0 if there are no edges), `recall` (0 if there are
    no true ones), the counts `found` and `true`, and in order the first five `wrong` and `missing` edges.
    """
    right = len(edges & true_edges)
    return {
        "precision": round(right / len(edges), 4) if edges else 0.0,
        "recall": round(right / len(true_edges), 4) if true_edges else 0.0,
        "found": len(edges),
        "true": len(true_edges),
        "wrong": [list(pair) for pair in sorted(edges - true_edges)[:EXAMPLES]],
        "missing": [list(pair) for pair in sorted(true_edges - edges)[:EXAMPLES]],
    }


def closure(requires: Requires, start: int) -> frozenset[int]:
    """Return all that a document requires, directly or indirectly, except itself; empty if it requires nothing."""
    seen: set[int] = set()
    waiting = list(requires.get(start, ()))
    while waiting:
        each = waiting.pop()
        if each not in seen:
            seen.add(each)
            waiting += requires.get(each, ())
    return frozenset(seen - {start})


def all_direct(ranking: Sequence[int], wanted: Collection[int]) -> bool:
    """Whether all n direct requirements (`wanted`) are in the first max(5, n) ranks; true if there are none."""
    return set(wanted) <= set(ranking[: max(LEAST_PLACES, len(wanted))])


def closure_recall(ranking: Sequence[int], wanted: Collection[int]) -> float:
    """Return the share of a closure (`wanted`) in the first 2 × |closure| ranks; InputError if the closure is empty."""
    if not wanted:
        raise InputError(
            "there is no closure to look for: it is empty",
            code="invalid_data",
            next_step="ask about documents that require others",
        )
    return len(set(wanted) & set(ranking[: 2 * len(wanted)])) / len(wanted)


def dependencies(rankings: Mapping[int, Sequence[int]], requires: Requires) -> dict[str, Any]:
    """Measure how well rankings for "what does N depend on" find what N requires.

    `rankings` maps each document asked about to documents, best first, itself included; `requires` is the truth.

    Returns `direct` (share with all n direct requirements in the first max(5, n)), `closure` (mean share of all that is
    required, directly or not, in twice as many ranks), both with 95 % intervals (`…Interval`); `closureOfMany` and
    `withLargerClosure` (the mean, and the number, of documents that require more than the direct ones); `direct` and
    `closure` without the asked document's own rank (`…Others`); and the number of `documents`.

    Raises InputError if a document asked about requires nothing but itself.
    """
    closures = {number: closure(requires, number) for number in rankings}
    if alone := [str(number) for number, others in closures.items() if not others]:
        raise InputError(
            f"no other document is required by {', '.join(alone)}",
            code="invalid_data",
            next_step="ask about documents that require others",
        )
    others = {number: [each for each in ranking if each != number] for number, ranking in rankings.items()}
    direct = np.array([float(all_direct(rankings[number], requires[number])) for number in rankings])
    deep = np.array([closure_recall(rankings[number], closures[number]) for number in rankings])
    many = np.array([deep[at] for at, n in enumerate(rankings) if len(closures[n]) > len(requires[n])])
    return {
        "documents": len(rankings),
        "direct": mean(direct),
        "directInterval": interval(direct),
        "closure": mean(deep),
        "closureInterval": interval(deep),
        "closureOfMany": mean(many),
        "withLargerClosure": len(many),
        "directOthers": mean(np.array([float(all_direct(others[n], requires[n])) for n in rankings])),
        "closureOthers": mean(np.array([closure_recall(others[n], closures[n]) for n in rankings])),
    }
