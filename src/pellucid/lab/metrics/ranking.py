"""Rankings and labels in, metrics with their intervals out."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import log2

import numpy as np

from pellucid.lab.datasets.dataset import LabelledQuestion

Item = str | tuple[str, ...]
"""What stands at one place: a record's key, or the keys of all records that a memory's evidence covers."""
Ranking = Sequence[Item]
Metric = Callable[[Ranking, Mapping[str, int]], float]
SAMPLES = 2_000
Floats = np.ndarray[tuple[int], np.dtype[np.float64]]


def keys_of(item: Item) -> tuple[str, ...]:
    """The keys of the records at one place."""
    return (item,) if isinstance(item, str) else item


def hit_at(k: int) -> Metric:
    """1 if any relevant record stands in the first k."""
    return lambda ranking, labels: float(any(_new_records(ranking[:k], labels)))


def recall_at(k: int) -> Metric:
    """The share of relevant records that stand in the first k."""
    return lambda ranking, labels: sum(map(len, _new_records(ranking[:k], labels))) / len(labels)


def mrr(ranking: Ranking, labels: Mapping[str, int]) -> float:
    """One over the place of the first relevant record within the first 10, else 0."""
    return next((1 / place for place, found in enumerate(_new_records(ranking[:10], labels), start=1) if found), 0.0)


def ndcg_at(k: int) -> Metric:
    """Normalised discounted cumulative gain, linear gains, as in trec_eval (Järvelin & Kekäläinen, TOIS 2002).

    A place that brings several relevant records gains the best of them.
    """

    def ndcg(ranking: Ranking, labels: Mapping[str, int]) -> float:
        found = [max((labels[key] for key in keys), default=0) for keys in _new_records(ranking[:k], labels)]
        gain = sum(grade / log2(place + 1) for place, grade in enumerate(found, start=1))
        best = sum(grade / log2(place + 1) for place, grade in enumerate(sorted(labels.values(), reverse=True)[:k], 1))
        return gain / best

    return ndcg


def _new_records(ranking: Ranking, labels: Mapping[str, int]) -> list[set[str]]:
    """The relevant records that each place brings, those brought before left out."""
    out: list[set[str]] = []
    brought: set[str] = set()
    for item in ranking:
        out.append({key for key in keys_of(item) if key in labels} - brought)
        brought |= out[-1]
    return out


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
    """Every metric of every question, aligned with the questions; NaN where a metric says nothing of a question."""

    values: Mapping[str, Floats]

    @classmethod
    def of(cls, rows: Sequence[Mapping[str, float]]) -> "Scores":
        """The columns of one row a question; what a row lacks is NaN."""
        names = dict.fromkeys(name for row in rows for name in row)
        return cls({name: np.array([row.get(name, np.nan) for row in rows]) for name in names})

    def means(self) -> dict[str, float]:
        """The mean of each metric."""
        return {name: mean(column) for name, column in self.values.items()}

    def intervals(self) -> dict[str, list[float]]:
        """A 95 % bootstrap interval of each mean (percentiles of 2,000 seeded resamples of the questions)."""
        return {name: interval(column) for name, column in self.values.items()}

    def gain_over(self, other: "Scores") -> dict[str, dict[str, object]]:
        """The paired difference to another run over the same questions, with its interval, in what both have."""
        out: dict[str, dict[str, object]] = {}
        for name in (name for name in self.values if name in other.values):
            difference = self.values[name] - other.values[name]
            out[name] = {"difference": mean(difference), "interval": interval(difference)}
        return out


def scored(question: LabelledQuestion, ranking: Ranking) -> dict[str, float]:
    """Every metric of one question."""
    return {name: metric(ranking, question.relevant) for name, metric in METRICS.items()}


def mean(values: Floats) -> float:
    """The mean of what is known, to four places; 0 if nothing is."""
    known = values[~np.isnan(values)]
    return round(float(known.mean()), 4) if len(known) else 0.0


def interval(values: Floats) -> list[float]:
    """A 95 % bootstrap interval of the mean of what is known (Efron 1979; percentile method)."""
    values = values[~np.isnan(values)]
    if len(values) == 0:
        return [0.0, 0.0]
    picks = np.random.default_rng(20260101).integers(0, len(values), (SAMPLES, len(values)))
    low, high = np.percentile(values[picks].mean(axis=1), [2.5, 97.5])
    return [round(float(low), 4), round(float(high), 4)]
