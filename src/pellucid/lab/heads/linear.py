"""Labelled texts as features in, a linear head as a table out: the common part of the heads that are fitted here.

Heads are fitted in their dual form, with as many unknowns as texts; `like` is the similarity of each two texts.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
FEWEST = 2  # texts a feature must stand in to be kept


def common_features(texts: Iterable[Iterable[str]], always: str = "\0", fewest: int = FEWEST) -> list[str]:
    """Return the sorted names of features that are in at least `fewest` texts, or begin with `always` (by default none
    does); `texts` are the distinct names of each text's features.
    """
    counts = Counter(name for each in texts for name in each)
    return sorted(name for name, count in counts.items() if count >= fewest or name.startswith(always))


def matrix(texts: Sequence[Mapping[str, float]], names: Sequence[str]) -> Floats:
    """Return a matrix with a row for each text (a map from features to values) and a column for each name, 0 where the
    text lacks the feature; other features are dropped.
    """
    column = {name: at for at, name in enumerate(names)}
    out = np.zeros((len(texts), len(names)))
    for row, each in enumerate(texts):
        for name, value in each.items():
            if name in column:
                out[row, column[name]] = value
    return out


def score_held_out(
    like: Floats, targets: Floats, fold: NDArray[np.int64], solve: Callable[[Floats, Floats], Floats]
) -> Floats:
    """Return a score for each text by a linear model (a head) that was fitted without the text's fold.

    `like` is the texts' kernel matrix, `targets` what the model is to score, `fold` the number of each text's fold.
    `solve` takes the kernel matrix and the targets of some texts, and returns their dual coefficients.
    """
    out = np.zeros(targets.shape)
    for number in sorted(set(fold.tolist())):
        held_out, others = fold == number, fold != number
        out[held_out] = like[np.ix_(held_out, others)] @ solve(like[np.ix_(others, others)], targets[others])
    return out


def table(head: Sequence[str], names: Iterable[str], weights: Iterable[NDArray[np.int64]]) -> str:
    """Render the lines of `head` as comments (`# …`), then a line for each feature with its weights, parted by tabs.

    `names` and `weights` belong together in order; ValueError if there are not as many of both.
    """
    rows = ("\t".join((name, *map(str, row.tolist()))) for name, row in zip(names, weights, strict=True))
    return "\n".join((*(f"# {line}" for line in head), *rows)) + "\n"


def fingerprint(lines: Iterable[str]) -> str:
    """Return the first 16 hexadecimal digits of a SHA-256 hash over lines of labelled texts, in the order given."""
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]
