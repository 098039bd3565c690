"""Rankings and contexts of known lengths in, shares worked out by hand out; and the same of a small set."""

import json
from pathlib import Path

import pytest

from kits.vault import Opener
from pellucid.errors import InputError
from pellucid.lab.contexts import Doubts, auc, separation
from pellucid.lab.datasets.dataset import KeptMemory, LabelledQuestion
from pellucid.lab.datasets.longmemeval import load, unanswerable
from pellucid.lab.measuring import LabOutput, run_lab
from pellucid.lab.metrics.context import BUDGETS, Filled, Plain, compare, share
from pellucid.lab.sets import LabInput

SESSION = {
    "session_id": "s1",
    "date": "2023/05/20 (Sat) 02:21",
    "turns": [
        {"role": "user", "content": "I planted three apple trees behind the harbour office."},
        {"role": "assistant", "content": "How nice."},
    ],
}
ENTRIES = [
    {
        "question_id": "q1",
        "question": "What did I plant behind the harbour office?",
        "question_type": "single-session-user",
        "question_date": "2023/06/01 (Thu) 00:58",
        "evidence_sessions": [SESSION],
    },
    {
        "question_id": "q2_abs",
        "question": "Which violin did my grandmother play?",
        "question_type": "multi-session",
        "question_date": None,
        "evidence_sessions": [],
    },
]


@pytest.mark.requirement("LAB-1")
def test_a_concatenation_goes_down_the_ranking_until_one_does_not_fit() -> None:
    ranking = [KeptMemory("x" * 10, ("a",)), KeptMemory("x" * 20, ("b", "c")), KeptMemory("x", ("d",))]
    assert Plain().keys(ranking, 31) == {"a", "b", "c"}
    assert Plain().keys(ranking, 30) == {"a"}
    assert Plain().keys(ranking, 33) == {"a", "b", "c", "d"}
    assert Plain(around=5, before=2, between=0).keys(ranking, 38) == {"a"}
    assert Plain(around=5, before=2, between=0).keys(ranking, 39) == {"a", "b", "c"}


def test_a_question_without_evidence_is_named() -> None:
    with pytest.raises(InputError, match="question q-7 names no relevant record"):
        share(["a"], LabelledQuestion("q-7", "?", {}))


@pytest.mark.requirement("LAB-1")
def test_shares_and_gains_are_means_over_questions() -> None:
    questions = [LabelledQuestion("1", "?", {"a": 1, "b": 1}), LabelledQuestion("2", "?", {"c": 1})]
    ranking = [KeptMemory("x" * 1_500, ("a",)), KeptMemory("x" * 1_500, ("b",)), KeptMemory("x" * 10, ("c",))]
    filled = [Filled(ranking, {2_000: ["a"], 8_000: ["a", "b"]}), Filled(ranking, {2_000: ["c"], 8_000: []})]
    out = compare(questions, filled, {"contents": Plain()})
    assert [out[str(budget)]["context"] for budget in BUDGETS] == [0.75, 0.5]  # type: ignore[index]
    assert out["2000"]["plain"] == {"contents": 0.25}  # type: ignore[index]
    assert out["2000"]["gainOverPlain"]["contents"]["difference"] == 0.5  # type: ignore[index]
    assert out["8000"]["gainOverPlain"]["contents"]["difference"] == -0.5  # type: ignore[index]


@pytest.mark.requirement("LAB-1")
def test_the_area_is_the_share_of_pairs_in_the_right_order() -> None:
    none = [Doubts(0.9, -0.1, 0.0), Doubts(0.5, -0.3, -4.0)]
    some = [Doubts(0.5, -0.4, -4.0), Doubts(0.2, -0.2, -9.0)]
    out = separation(none, some)
    assert out["auc"] == (1 + 1 + 0.5 + 1) / 4
    assert out["floors"] == {"cosine": 0.75, "bm25": (1 + 1 + 0.5 + 1) / 4}
    assert out["abstained"]["0.5"] == {"unanswerable": 1.0, "answerable": 0.5}  # type: ignore[index]
    low, high = out["interval"]  # type: ignore[misc]
    assert low <= out["auc"] <= high  # type: ignore[operator]


def test_everything_in_the_right_order_is_an_area_of_one() -> None:
    import numpy as np

    assert auc(np.array([3.0, 2.0]), np.array([1.0])) == 1
    assert auc(np.array([1.0]), np.array([1.0])) == 0.5


def test_questions_without_an_answer_are_read_apart_from_the_others(tmp_path: Path) -> None:
    (tmp_path / "evidence_small.json").write_text(json.dumps(ENTRIES), "utf-8")
    assert [each.id for each in unanswerable(tmp_path)] == ["q2_abs"]
    assert [each.id for each in load(tmp_path).groups[0].questions] == ["q1"]


@pytest.mark.requirement("LAB-2")
def test_a_run_says_how_sure_it_is_and_what_its_contexts_hold(tmp_path: Path, house: Opener) -> None:
    (tmp_path / "evidence_small.json").write_text(json.dumps(ENTRIES), "utf-8")
    settings = house(tmp_path / "home").settings
    asked = LabInput(dataset="longmemeval", data=tmp_path, context=True)
    out = run_lab(settings, asked, lambda _: None)
    assert isinstance(out, LabOutput)
    assert (out.abstention["unanswerable"], out.abstention["answerable"], out.abstention["auc"]) == (1, 1, 1.0)
    assert list(out.context) == ["20", "100"]
    assert out.context["20"]["2000"]["context"] == out.context["20"]["2000"]["plain"]["contents"] == 1.0
