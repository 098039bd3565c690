"""Facts that changed and made-up rankings in, the order of old and new out."""

from datetime import UTC, datetime

import pytest

from pellucid.lab.datasets.dataset import Group, LabelledQuestion, Record, Update
from pellucid.lab.metrics.updates import CASES, DEPTH, case, newer_above, of_user_turns, same_attribute
from pellucid.model.memory import Memory
from pellucid.model.turn import Turn

NOW = datetime(2026, 5, 1, tzinfo=UTC)
ASKED = LabelledQuestion("q", "What is the TTL?", {"o": 1, "n": 1})
UPDATE = Update(ASKED, ("o",), ("n",))


@pytest.mark.parametrize(
    ("ranking", "found"),
    [
        (["x", "n", "o"], "newerAbove"),
        (["x", "o", "n"], "olderAbove"),
        (["n", "x"], "newerOnly"),
        (["x", "o"], "olderOnly"),
        (["x"], "neither"),
        ([], "neither"),
        ([("x", "n"), ("o",)], "newerAbove"),
        ([("n", "o"), "n"], "olderAbove"),
        (["n", *["x"] * DEPTH, "o"], "newerOnly"),
        ([*["x"] * DEPTH, "n"], "neither"),
    ],
)
def test_each_case_of_old_and_new_in_a_ranking(ranking: list[str | tuple[str, ...]], found: str) -> None:
    assert case(UPDATE.older, UPDATE.newer, ranking) == found


def test_the_share_counts_what_is_above_or_alone() -> None:
    rankings = [["n", "o"], ["n"], ["o", "n"], []]
    out = newer_above([UPDATE] * 4, rankings)
    assert out["newerAbove"] == 0.5
    assert out["pairs"] == 4
    assert out["cases"] == dict.fromkeys(CASES, 1) | {"olderOnly": 0}
    assert newer_above([], [])["newerAbove"] == 0.0


def test_without_the_assistants_turns_a_pair_may_have_nothing_to_compare() -> None:
    records = (
        Record("o", Turn("s", 1, "user", "TTL 300")),
        Record("n", Turn("t", 1, "user", "TTL 600")),
        Record("na", Turn("t", 2, "assistant", "So 600.")),
        Record("a", Turn("u", 1, "assistant", "900?")),
    )
    both, assistant_only = Update(ASKED, ("o",), ("n", "na")), Update(ASKED, ("o",), ("a",))
    updates, rankings = of_user_turns(Group("g", records, ()), [both, assistant_only], [["na", "o"], ["a"]])
    assert updates == [UPDATE]
    assert rankings == [["na", "o"]]


def memory(number: int, value: str, **given: object) -> Memory:
    return Memory.model_validate(
        {
            "id": f"mem_{number:032x}",
            "category": "fact",
            "namespace": "lab/g",
            "created": NOW,
            "updated": NOW,
            "source": "extraction",
            "entity_ref": "Cache",
            "structured_attributes": {"TTL": value},
            "content": value,
        }
        | given
    )


@pytest.mark.parametrize(
    ("older", "newer", "found"),
    [
        (memory(1, "300 s", status="superseded"), memory(2, "600 s"), (1, 1, 1)),
        (memory(1, "300 s", retired_attributes={"TTL": f"mem_{2:032x}"}), memory(2, "600 s"), (1, 1, 1)),
        (memory(1, "300 s"), memory(2, "600 s", entity_ref="cache"), (1, 1, 0)),
        (memory(1, "300 s"), memory(2, "300 S"), (1, 0, 0)),
        (memory(1, "300 s"), memory(2, "600 s", entity_ref="queue"), (0, 0, 0)),
        (memory(1, "300 s"), memory(2, "600 s", entity_ref=None), (0, 0, 0)),
    ],
)
def test_the_older_value_of_one_attribute_is_expected_to_be_superseded(
    older: Memory, newer: Memory, found: tuple[int, int, int]
) -> None:
    out = same_attribute([UPDATE], [(older, ("o",)), (newer, ("n",)), (memory(3, "9 s"), ("elsewhere",))])
    assert out == {"pairs": 1, "sameAttribute": found[0], "changed": found[1], "superseded": found[2]}
