"""Ranks and scores small enough to work out by hand in, the terms and orders they must give out."""

from math import fsum, inf, nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pellucid.recall.score.equation import TERMS, choose, expansion, rank, reciprocal, shares_lent, total


def ints(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int64)


def floats(*values: float) -> np.ndarray:
    return np.array(values, dtype=np.float64)


def test_first_place_is_worth_the_weight_and_no_place_nothing() -> None:
    assert reciprocal(ints(1, 2, 11, 0), 1.5, 10).tolist() == [1.5, 1.5 * 11 / 12, 1.5 * 11 / 21, 0.0]
    assert reciprocal(ints(), 1.5, 10).tolist() == []


def test_ranks_go_by_score_of_equals_the_newer_first_and_then_by_position() -> None:
    scores, together = floats(0.5, 0.9, 0.5, -1.0, 0.9), ints(7, 7, 7, 7, 7)
    everyone = np.ones(5, dtype=np.bool_)
    assert rank(scores, everyone, together).tolist() == [3, 1, 4, 5, 2]
    assert rank(scores, np.array([True, False, True, True, False]), together).tolist() == [1, 0, 2, 3, 0]
    assert rank(scores, everyone, ints(1, 2, 3, 4, 5)).tolist() == [4, 2, 3, 5, 1]


def test_what_is_not_ranked_may_be_not_a_number() -> None:
    assert rank(np.array([nan, 0.1, 0.2], dtype=np.float32), np.array([False, True, True]), ints(1, 1, 1)).tolist() == [
        0,
        2,
        1,
    ]


def test_ranks_of_large_whole_numbers_are_exact() -> None:
    """Creation instants in milliseconds: a difference of one counts."""
    at = 1_780_000_000_000
    when = ints(at, at + 1, at - 1)
    assert rank(when, np.ones(3, dtype=np.bool_), when).tolist() == [2, 1, 3]


@pytest.mark.parametrize(("distance", "share"), [(0, 0.5), (1, 1.0), (2, 0.5), (3, 0.0), (40, 0.0)])
def test_a_neighbour_is_owed_by_its_distance_and_a_quarter_for_the_session(distance: int, share: float) -> None:
    owed = expansion(floats(1.0, 0.0), ints(4, 4), ints(10, 10 + distance), ints(0, 1), 0.4)
    assert owed[1] == pytest.approx(0.4 * (share + 0.25))
    assert owed[0] == 0.0


def test_nothing_is_owed_across_sessions_or_without_one() -> None:
    assert expansion(floats(1.0, 1.0), ints(1, 2), ints(5, 5), ints(0, 0), 0.4).tolist() == [0.0, 0.0]
    assert expansion(floats(1.0, 1.0), ints(-1, -1), ints(5, 5), ints(0, 0), 0.4).tolist() == [0.0, 0.0]
    assert expansion(floats(1.0), ints(3), ints(5), ints(0), 0.4).tolist() == [0.0]
    assert expansion(floats(), ints(), ints(), ints(), 0.4).tolist() == []


def test_a_session_lends_its_three_best_others() -> None:
    scores = floats(4.0, 3.0, 2.0, 1.0)
    owed = expansion(scores, ints(0, 0, 0, 0), ints(10, 20, 30, 40), ints(0, 1, 2, 3), 1.0)
    assert owed == pytest.approx([0.25 * (3 + 2 + 1), 0.25 * (4 + 2 + 1), 0.25 * (4 + 3 + 1), 0.25 * (4 + 3 + 2)])


def plain_expansion(
    fused: list[float], session: list[int], ordinal: list[int], place: list[int], alpha: float
) -> list[float]:
    """The rule of `expansion`, said as slowly as it reads."""
    out = []
    for i in range(len(fused)):
        others = [j for j in range(len(fused)) if j != i and session[j] == session[i] >= 0]
        apart = {j: max(abs(ordinal[i] - ordinal[j]), abs(place[i] - place[j])) for j in others}
        near = sum(
            {0: 1.0, 1: 1.0, 2: 0.5}.get(apart[j], 0.0) * fused[j] * (0.5 + 0.5 * (ordinal[j] != ordinal[i]))
            for j in others
        )
        out.append(alpha * (near + 0.25 * sum(sorted((fused[j] for j in others), reverse=True)[:3])))
    return out


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(st.floats(0, 5), st.integers(-1, 2), st.integers(1, 9)), max_size=9))
def test_expansion_equals_the_plain_rule_whatever_the_order(rows: list[tuple[float, int, int]]) -> None:
    fused, session, ordinal = [list(column) for column in zip(*rows, strict=True)] or ([], [], [])
    place = [0] * len(rows)  # the rows of a session in the order of its turns, as an index has them
    for number in set(session):
        for at, row in enumerate(
            sorted((r for r in range(len(rows)) if session[r] == number), key=ordinal.__getitem__)
        ):
            place[row] = at
    owed = expansion(floats(*fused), ints(*session), ints(*ordinal), ints(*place), 0.4)
    assert owed.tolist() == pytest.approx(plain_expansion(fused, session, ordinal, place, 0.4))
    lent = [shares_lent(at, floats(*fused), ints(*session), ints(*ordinal), ints(*place)) for at in range(len(rows))]
    assert [0.4 * each.sum() for each in lent] == pytest.approx(owed.tolist())
    assert all(each[at] == 0 for at, each in enumerate(lent))


def test_what_came_of_one_turn_lifts_the_rest_of_it_by_half_and_not_all_of_it() -> None:
    scores, turn = floats(1.0, 0.0, 0.0, 0.0), ints(7, 7, 7, 7)
    owed = expansion(scores, ints(0, 0, 0, 0), turn, ints(0, 1, 2, 3), 1.0)
    assert owed == pytest.approx([0.0, 0.75, 0.5, 0.25])


def test_the_total_is_the_exact_sum_in_the_written_order() -> None:
    terms = {"pin": floats(0.1, 1e100), "vector": floats(0.2, 1.0), "expansion": floats(0.3, -1e100)}
    assert total(terms, 2).tolist() == [fsum((0.2, 0.1, 0.3)), 1.0]
    assert total({}, 3).tolist() == [0.0, 0.0, 0.0]


def test_the_penalty_is_no_term_and_a_sub_questions_leg_is_one() -> None:
    assert "mmrPenalty" not in TERMS
    assert total({"vector@2": floats(9.0), "vector": floats(1.0)}, 1).tolist() == [10.0]


def test_the_chosen_order_is_by_score_and_ties_by_position() -> None:
    base, eligible = floats(1, 3, 2, 3, 9), np.array([True, True, True, True, False])
    penalty, order = choose(base, eligible, {}, 0.5, 0.8)
    assert order.tolist() == [1, 3, 2, 0]
    assert penalty.tolist() == [0.0] * 5


def test_what_repeats_something_higher_sinks_and_what_is_unlike_is_untouched() -> None:
    base = floats(3.0, 2.9, 2.85, 1.0)
    penalty, order = choose(base, np.ones(4, dtype=np.bool_), {(0, 1): 1.0}, 0.5, 0.8)
    assert order.tolist() == [0, 2, 1, 3]
    assert penalty[1] == pytest.approx(0.5 * 0.2)
    assert penalty[[2, 3]].tolist() == [0.0, 0.0]


@pytest.mark.requirement("REC-1")
def test_what_was_chosen_first_is_not_penalised_for_what_came_later() -> None:
    """The penalty is for repeating what already stands higher: the one that stands higher repeats nothing."""
    penalty, order = choose(floats(3.0, 2.9, 2.95), np.ones(3, dtype=np.bool_), {(0, 1): 1.0}, 0.5, 0.8)
    assert order.tolist() == [0, 2, 1]
    assert penalty[0] == 0.0


PAIRS = st.dictionaries(st.tuples(st.integers(0, 4), st.integers(5, 9)), st.floats(0.5, 1.0), max_size=12)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.floats(0, 4), min_size=10, max_size=10), st.lists(st.booleans(), min_size=10, max_size=10), PAIRS)
def test_the_final_scores_never_rise_along_the_order(
    scores: list[float], among: list[bool], pairs: dict[tuple[int, int], float]
) -> None:
    base, eligible = floats(*scores), np.array(among)
    penalty, order = choose(base, eligible, pairs, 0.7, 0.5)
    final = base - penalty
    assert sorted(order.tolist()) == np.flatnonzero(eligible).tolist()
    assert (np.diff(final[order]) <= 1e-12).all()
    assert (penalty[~eligible] == 0).all()
    assert (penalty >= 0).all()


def test_an_infinite_base_is_not_lost() -> None:
    assert choose(floats(inf, 1.0), np.ones(2, dtype=np.bool_), {}, 0.5, 0.8)[1].tolist() == [0, 1]
