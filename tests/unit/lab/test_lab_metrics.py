"""Rankings and labels small enough for paper in, metrics worked out by hand out."""

from math import log2

import numpy as np
import pytest

from pellucid.lab.datasets.dataset import LabelledQuestion
from pellucid.lab.metrics.ranking import METRICS, Scores, hit_at, interval, mrr, ndcg_at, recall_at, score_ranking

LABELS = {"a": 1, "b": 1, "c": 1}


@pytest.mark.requirement("LAB-1")
@pytest.mark.parametrize(
    ("ranking", "hit", "recall", "reciprocal", "ndcg"),
    [
        (["a", "b", "c"], 1.0, 1.0, 1.0, 1.0),
        (
            ["x", "a", "y", "b", "z", "c"],
            1.0,
            2 / 3,
            1 / 2,
            (1 / log2(3) + 1 / log2(5)) / (1 + 1 / log2(3) + 1 / log2(4)),
        ),
        (["x", "y", "z", "u", "v", "a"], 0.0, 0.0, 1 / 6, 0.0),
        (["x"] * 10 + ["a"], 0.0, 0.0, 0.0, 0.0),
        ([], 0.0, 0.0, 0.0, 0.0),
    ],
)
def test_the_first_five_by_hand(ranking: list[str], hit: float, recall: float, reciprocal: float, ndcg: float) -> None:
    assert hit_at(5)(ranking, LABELS) == hit
    assert recall_at(5)(ranking, LABELS) == pytest.approx(recall)
    assert mrr(ranking, LABELS) == pytest.approx(reciprocal)
    assert ndcg_at(5)(ranking, LABELS) == pytest.approx(ndcg)


@pytest.mark.requirement("LAB-1")
def test_gains_are_linear_in_the_grade() -> None:
    """Places 1 to 6 hold grades 3 2 3 0 1 2: the example every textbook works out, here with linear gains."""
    labels = {"d1": 3, "d2": 2, "d3": 3, "d5": 1, "d6": 2}
    gain = 3 / 1 + 2 / 1.584962500721156 + 3 / 2 + 0 + 1 / 2.584962500721156 + 2 / 2.807354922057604
    best = 3 / 1 + 3 / 1.584962500721156 + 2 / 2 + 2 / 2.321928094887362 + 1 / 2.584962500721156
    ranking = ["d1", "d2", "d3", "d4", "d5", "d6"]
    assert ndcg_at(6)(ranking, labels) == pytest.approx(gain / best, abs=1e-12)
    assert gain == pytest.approx(6.861126688593502)


@pytest.mark.requirement("LAB-1")
def test_more_relevant_records_than_places_still_give_a_perfect_score() -> None:
    labels = {f"r{n}": 1 for n in range(20)}
    assert ndcg_at(10)(list(labels), labels) == pytest.approx(1.0)
    assert recall_at(10)(list(labels), labels) == 0.5


@pytest.mark.requirement("LAB-1")
def test_a_memory_counts_for_every_record_it_stands_in_and_each_record_once() -> None:
    ranking = [("a", "x"), ("a",), (), ("b", "c")]
    assert recall_at(5)(ranking, LABELS) == 1.0
    assert recall_at(3)(ranking, LABELS) == pytest.approx(1 / 3)
    assert hit_at(1)(ranking, LABELS) == 1.0
    assert mrr([(), ("x",), ("c", "a")], LABELS) == pytest.approx(1 / 3)
    best = 1 / log2(2) + 1 / log2(3) + 1 / log2(4)
    assert ndcg_at(5)(ranking, LABELS) == pytest.approx((1 / log2(2) + 1 / log2(5)) / best)


def test_every_question_has_every_metric_and_their_means_are_rounded() -> None:
    questions = [
        LabelledQuestion("1", "?", {"a": 1}),
        LabelledQuestion("2", "?", {"b": 1}),
        LabelledQuestion("3", "?", {"c": 1}),
    ]
    scores = Scores.of([score_ranking(*each) for each in zip(questions, [["a"], ["x", "b"], ["x"]], strict=True)])
    assert set(scores.values) == set(METRICS)
    assert scores.values["mrr"].tolist() == [1.0, 0.5, 0.0]
    assert scores.means()["mrr"] == 0.5
    assert scores.means()["hit@5"] == 0.6667


@pytest.mark.requirement("LAB-1")
def test_what_a_metric_says_nothing_of_counts_for_nothing() -> None:
    scores = Scores.of([{"all": 1.0, "some": 1.0}, {"all": 0.0}, {"all": 0.0, "some": 0.0}])
    assert scores.means() == {"all": 0.3333, "some": 0.5}
    assert scores.intervals()["some"] == interval(np.array([1.0, 0.0]))
    less = Scores.of([{"some": 0.0}, {}, {"some": 0.0}])
    assert less.gain_over(less)["some"]["difference"] == 0.0
    assert Scores({"some": scores.values["some"]}).gain_over(less)["some"]["difference"] == 0.5
    assert Scores.of([{"none": float("nan")}]).means() == {"none": 0.0}


@pytest.mark.requirement("LAB-3")
def test_an_interval_holds_the_mean_and_is_the_same_every_time() -> None:
    values = np.array([0.0, 1.0] * 50)
    low, high = interval(values)
    assert 0.35 < low < 0.45
    assert 0.55 < high < 0.65
    assert interval(values) == [low, high]
    assert interval(np.ones(9)) == [1.0, 1.0]
    wide, narrow = interval(np.array([0.0, 1.0] * 5)), interval(np.array([0.0, 1.0] * 500))
    assert wide[1] - wide[0] > 3 * (narrow[1] - narrow[0])


@pytest.mark.requirement("LAB-3")
def test_two_runs_are_compared_question_by_question() -> None:
    """Every question gains a tenth: the means overlap, the paired difference does not."""
    rng = np.random.default_rng(1)
    base = rng.random(40) * 0.5
    gain = Scores({"mrr": base + 0.1}).gain_over(Scores({"mrr": base}))
    assert gain["mrr"] == {"difference": 0.1, "interval": [0.1, 0.1]}
