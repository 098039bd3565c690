"""How sure recalls were of questions with and without an answer in, how well the doubt tells them apart out."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pellucid.lab.metrics.ranking import SAMPLES

THRESHOLDS = (0.3, 0.4, 0.5, 0.55, 0.6, 0.65, 0.7)
_SEED = 20260101
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Doubts:
    """What speaks against an answer to one question: the recall's own doubt, and two plain signs of it.

    `cosine` and `bm25` are the best raw score any candidate had, with its sign turned: higher is more doubtful.
    """

    doubt: float
    cosine: float
    bm25: float


def told_apart(unanswerable: Sequence[Doubts], answerable: Sequence[Doubts]) -> dict[str, object]:
    """The area under the ROC curve of each sign, with a 95 % interval; and what each threshold would abstain from.

    Intervals are percentiles of 2,000 seeded resamples of both sets of questions; `gainOverFloors` is paired.
    """
    signs = {name: (_column(unanswerable, name), _column(answerable, name)) for name in Doubts.__slots__}
    areas = {name: _resampled_areas(*columns) for name, columns in signs.items()}
    doubt = signs.pop("doubt")
    return {
        "unanswerable": len(unanswerable),
        "answerable": len(answerable),
        "auc": round(auc(*doubt), 4),
        "interval": _interval(areas["doubt"]),
        "floors": {name: round(auc(*columns), 4) for name, columns in signs.items()},
        "gainOverFloors": {
            name: {
                "difference": round(auc(*doubt) - auc(*columns), 4),
                "interval": _interval(areas["doubt"] - areas[name]),
            }
            for name, columns in signs.items()
        },
        "abstained": {
            f"{threshold:g}": {
                "unanswerable": round(float((doubt[0] >= threshold).mean()), 4),
                "answerable": round(float((doubt[1] >= threshold).mean()), 4),
            }
            for threshold in THRESHOLDS
        },
    }


def auc(high: Floats, low: Floats) -> float:
    """How often one of `high` is above one of `low`, ties counting half (Mann and Whitney 1947)."""
    above = (high[:, None] > low).mean() + 0.5 * (high[:, None] == low).mean()
    return float(above)


def _column(questions: Sequence[Doubts], name: str) -> Floats:
    return np.array([getattr(each, name) for each in questions], dtype=np.float64)


def _resampled_areas(high: Floats, low: Floats) -> Floats:
    """The area of each resample: the same questions for every sign, so that differences are paired."""
    rng, areas = np.random.default_rng(_SEED), np.empty(SAMPLES)
    for number in range(SAMPLES):
        picks = rng.integers(0, len(high), len(high)), rng.integers(0, len(low), len(low))
        areas[number] = auc(high[picks[0]], low[picks[1]])
    return areas


def _interval(areas: Floats) -> list[float]:
    low, high = np.percentile(areas, [2.5, 97.5])
    return [round(float(low), 4), round(float(high), 4)]
