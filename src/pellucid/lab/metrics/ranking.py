"""Rankings and labels in, metrics with their intervals out."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import log2

import numpy as np

from pellucid.lab.datasets.dataset import LabelledQuestion

Item = str | tuple[str, ...]
"""The content of one rank: a record's key, or the keys of all records that a memory's evidence covers."""
Ranking = Sequence[Item]
Metric = Callable[[Ranking, Mapping[str, int]], float]
SAMPLES = 2_000
Floats = np.ndarray[tuple[int], np.dtype[np.float64]]


def keys_of(item: Item) -> tuple[str, ...]:
    """Return the keys of the records at one rank: `item` itself if it is one key, else the keys in it."""
    return (item,) if isinstance(item, str) else item


def hit_at(k: int) -> Metric:
    """Return the metric: 1 if any relevant record (a key of the labels) is in the first k ranks, else 0."""
    return lambda ranking, labels: float(any(_new_records(ranking[:k], labels)))


def recall_at(k: int) -> Metric:
    """Return the metric: the share of relevant records in the first k ranks; it needs at least one relevant record."""
    return lambda ranking, labels: sum(map(len, _new_records(ranking[:k], labels))) / len(labels)


def mrr(ranking: Ranking, labels: Mapping[str, int]) -> float:
    """Return 1 / rank of the first relevant record (a key of `labels`) within the first 10 ranks, else 0."""
    return next((1 / place for place, found in enumerate(_new_records(ranking[:10], labels), start=1) if found), 0.0)


def ndcg_at(k: int) -> Metric:
    """Return the metric nDCG of the first k ranks, with linear gains, as in trec_eval.

    Of a rank with several relevant records the best counts. The metric needs a relevant record of a grade above 0.
    """

    def ndcg(ranking: Ranking, labels: Mapping[str, int]) -> float:
        """Return the gain of a ranking by the grades in `labels` as a share of the best possible one, 0 to 1."""
        found = [max((labels[key] for key in keys), default=0) for keys in _new_records(ranking[:k], labels)]
        gain = sum(grade / log2(place + 1) for place, grade in enumerate(found, start=1))
        best = sum(grade / log2(place + 1) for place, grade in enumerate(sorted(labels.values(), reverse=True)[:k], 1))
        return gain / best

    return ndcg


def _new_records(ranking: Ranking, labels: Mapping[str, int]) -> list[set[str]]:
    """Return, for each rank in order, the keys of `labels`, the relevant records, that it is the first to have; an
    empty set if it has none.
    """
    out: list[set[str]] = []
    seen: set[str] = set()
    for item in ranking:
        out.append({key for key in keys_of(item) if key in labels} - seen)
        seen |= out[-1]
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
    """Every metric of every question, as arrays aligned with the questions; NaN if a metric does not apply."""

    values: Mapping[str, Floats]

    @classmethod
    def of(cls, rows: Sequence[Mapping[str, float]]) -> "Scores":
        """Return the scores of `rows`, a map from metrics to values for each question, as one array for each metric; a
        value that a row lacks is NaN.
        """
        names = dict.fromkeys(name for row in rows for name in row)
        return cls({name: np.array([row.get(name, np.nan) for row in rows]) for name in names})

    def means(self) -> dict[str, float]:
        """Return the mean of each metric over the questions that it applies to, to four decimals; 0 if to none."""
        return {name: mean(column) for name, column in self.values.items()}

    def intervals(self) -> dict[str, list[float]]:
        """Return a 95 % bootstrap interval of each mean, as [low, high] (percentiles of 2,000 seeded resamples of the
        questions); [0, 0] for a metric that applies to none.
        """
        return {name: interval(column) for name, column in self.values.items()}

    def gain_over(self, other: "Scores") -> dict[str, dict[str, object]]:
        """Return, for each metric that both runs have, the mean paired `difference` (this run's value minus the
        other's) and its 95 % `interval`, over the questions to which it applies in both. The runs must be over the same
        questions.
        """
        out: dict[str, dict[str, object]] = {}
        for name in (name for name in self.values if name in other.values):
            difference = self.values[name] - other.values[name]
            out[name] = {"difference": mean(difference), "interval": interval(difference)}
        return out


def score_ranking(question: LabelledQuestion, ranking: Ranking) -> dict[str, float]:
    """Return every metric of `METRICS` of one question's ranking; the question must have relevant records."""
    return {name: metric(ranking, question.relevant) for name, metric in METRICS.items()}


def mean(values: Floats) -> float:
    """Return the mean of the values that are not NaN, to four decimals; 0 if there are none."""
    numbers = values[~np.isnan(values)]
    return round(float(numbers.mean()), 4) if len(numbers) else 0.0


def interval(values: Floats) -> list[float]:
    """Return a 95 % bootstrap interval of the mean of the values that are not NaN, as [low, high] to four decimals (the
    percentile method, with 2,000 seeded resamples); [0, 0] if there are none.
    """
    values = values[~np.isnan(values)]
    if len(values) == 0:
        return [0.0, 0.0]
    picks = np.random.default_rng(20260101).integers(0, len(values), (SAMPLES, len(values)))
    return percentile_interval(values[picks].mean(axis=1))


def percentile_interval(resampled: Floats) -> list[float]:
    """Return the 95 % percentile interval of resampled values (at least one), as [low, high] to four decimals."""
    low, high = np.percentile(resampled, [2.5, 97.5])
    return [round(float(low), 4), round(float(high), 4)]


def spread(millis: Sequence[float]) -> dict[str, float]:
    """Return the median `p50` and the 95th percentile `p95`, to two decimals; `{}` if there are no values."""
    if not millis:
        return {}
    p50, p95 = np.percentile(millis, [50, 95])
    return {"p50": round(float(p50), 2), "p95": round(float(p95), 2)}
