"""Labelled texts as features in, a linear head as a table out: what the heads that are fitted here have in common.

Heads are fitted in their dual form, with as many unknowns as texts: `like` is how alike each two texts are.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
FEWEST = 2
"""Texts a feature must stand in to be kept."""


def kept(given: Iterable[Iterable[str]], always: str = "\0", fewest: int = FEWEST) -> list[str]:
    """The names of features that stand in `fewest` texts or more, or begin with `always`, sorted."""
    counts = Counter(name for each in given for name in each)
    return sorted(name for name, count in counts.items() if count >= fewest or name.startswith(always))


def matrix(given: Sequence[Mapping[str, float]], names: Sequence[str]) -> Floats:
    """A row a text, a column a feature; other features are left out."""
    column = {name: at for at, name in enumerate(names)}
    out = np.zeros((len(given), len(names)))
    for row, each in enumerate(given):
        for name, value in each.items():
            if name in column:
                out[row, column[name]] = value
    return out


def left_out(
    like: Floats, targets: Floats, fold: NDArray[np.int64], solve: Callable[[Floats, Floats], Floats]
) -> Floats:
    """For each text what a head says of it that was fitted (`solve`) without its fold."""
    out = np.zeros(targets.shape)
    for number in sorted(set(fold.tolist())):
        unseen, seen = fold == number, fold != number
        out[unseen] = like[np.ix_(unseen, seen)] @ solve(like[np.ix_(seen, seen)], targets[seen])
    return out


def table(head: Sequence[str], names: Iterable[str], weights: Iterable[NDArray[np.int64]]) -> str:
    """Comments, then a line a feature with its weights."""
    rows = ("\t".join((name, *map(str, row.tolist()))) for name, row in zip(names, weights, strict=True))
    return "\n".join((*(f"# {line}" for line in head), *rows)) + "\n"


def fingerprint(lines: Iterable[str]) -> str:
    """A short name of labelled texts."""
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]
