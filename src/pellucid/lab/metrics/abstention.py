"""How sure recalls were of questions with and without an answer in, how well the doubt tells them apart out."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pellucid.lab.metrics.ranking import SAMPLES, Floats, percentile_interval

THRESHOLDS = (0.3, 0.4, 0.5, 0.55, 0.6, 0.65, 0.7)
_SEED = 20260101


@dataclass(frozen=True, slots=True)
class Doubts:
    """A recall's doubt, and two simpler signs of it: the best cosine and BM25 score of any candidate, negated."""

    doubt: float
    cosine: float
    bm25: float


def told_apart(unanswerable: Sequence[Doubts], answerable: Sequence[Doubts]) -> dict[str, object]:
    """Return each sign's area under the ROC curve, with 95 % intervals, and what share each threshold abstains from."""
    signs = {name: (_column(unanswerable, name), _column(answerable, name)) for name in Doubts.__slots__}
    areas = {name: _resampled_areas(*columns) for name, columns in signs.items()}
    doubt = signs.pop("doubt")
    return {
        "unanswerable": len(unanswerable),
        "answerable": len(answerable),
        "auc": round(auc(*doubt), 4),
        "interval": percentile_interval(areas["doubt"]),
        "floors": {name: round(auc(*columns), 4) for name, columns in signs.items()},
        "gainOverFloors": {
            name: {
                "difference": round(auc(*doubt) - auc(*columns), 4),
                "interval": percentile_interval(areas["doubt"] - areas[name]),
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
    """Return how often a value of `high` is above one of `low`, ties counting half (Mann and Whitney 1947)."""
    above = (high[:, None] > low).mean() + 0.5 * (high[:, None] == low).mean()
    return float(above)


def _column(questions: Sequence[Doubts], name: str) -> Floats:
    """Return one sign of all questions as an array."""
    return np.array([getattr(each, name) for each in questions], dtype=np.float64)


def _resampled_areas(high: Floats, low: Floats) -> Floats:
    """Return the area under the curve for each resample, which draws the same questions for every sign."""
    rng, areas = np.random.default_rng(_SEED), np.empty(SAMPLES)
    for number in range(SAMPLES):
        picks = rng.integers(0, len(high), len(high)), rng.integers(0, len(low), len(low))
        areas[number] = auc(high[picks[0]], low[picks[1]])
    return areas
