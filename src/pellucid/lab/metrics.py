"""Rankings and labels in, metrics with their intervals out."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import log2

import numpy as np

from pellucid.lab.dataset import Question

Ranking = Sequence[str]
Metric = Callable[[Ranking, Mapping[str, int]], float]
SAMPLES = 2_000


def hit_at(k: int) -> Metric:
    """1 if any relevant record stands in the first k."""
    return lambda ranking, labels: float(any(key in labels for key in ranking[:k]))


def recall_at(k: int) -> Metric:
    """The share of relevant records that stand in the first k."""
    return lambda ranking, labels: sum(key in labels for key in ranking[:k]) / len(labels)


def mrr(ranking: Ranking, labels: Mapping[str, int]) -> float:
    """One over the place of the first relevant record within the first 10, else 0."""
    return next((1 / place for place, key in enumerate(ranking[:10], start=1) if key in labels), 0.0)


def ndcg_at(k: int) -> Metric:
    """Normalised discounted cumulative gain, linear gains, as in trec_eval (Järvelin & Kekäläinen, TOIS 2002)."""

    def ndcg(ranking: Ranking, labels: Mapping[str, int]) -> float:
        gain = sum(labels.get(key, 0) / log2(place + 1) for place, key in enumerate(ranking[:k], start=1))
        best = sum(grade / log2(place + 1) for place, grade in enumerate(sorted(labels.values(), reverse=True)[:k], 1))
        return gain / best

    return ndcg


METRICS: dict[str, Metric] = {
    "hit@5": hit_at(5),
    "recall@5": recall_at(5),
    "hit@10": hit_at(10),
    "recall@10": recall_at(10),
    "mrr": mrr,
    "ndcg@10": ndcg_at(10),
}


@dataclass(frozen=True, slots=True)
class Scores:
    """Every metric of every question, aligned with the questions."""

    values: Mapping[str, np.ndarray[tuple[int], np.dtype[np.float64]]]

    def means(self) -> dict[str, float]:
        """The mean of each metric."""
        return {name: round(float(column.mean()), 4) for name, column in self.values.items()}

    def intervals(self) -> dict[str, list[float]]:
        """A 95 % bootstrap interval of each mean (percentiles of 2,000 seeded resamples of the questions)."""
        return {name: interval(column) for name, column in self.values.items()}

    def gain_over(self, other: "Scores") -> dict[str, dict[str, object]]:
        """The paired difference to another run over the same questions, with its interval."""
        out: dict[str, dict[str, object]] = {}
        for name, column in self.values.items():
            difference = column - other.values[name]
            out[name] = {"difference": round(float(difference.mean()), 4), "interval": interval(difference)}
        return out


def score(questions: Sequence[Question], rankings: Sequence[Ranking]) -> Scores:
    """Every metric of every question."""
    pairs = list(zip(questions, rankings, strict=True))
    return Scores(
        {name: np.array([metric(ranking, q.relevant) for q, ranking in pairs]) for name, metric in METRICS.items()}
    )


def interval(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> list[float]:
    """A 95 % bootstrap interval of the mean (Efron 1979; percentile method)."""
    if len(values) == 0:
        return [0.0, 0.0]
    picks = np.random.default_rng(20260101).integers(0, len(values), (SAMPLES, len(values)))
    low, high = np.percentile(values[picks].mean(axis=1), [2.5, 97.5])
    return [round(float(low), 4), round(float(high), 4)]
