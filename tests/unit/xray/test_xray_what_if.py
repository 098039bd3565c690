"""A recall that missed a memory in, how changes are tried on it: how often, and what is read of where it came out."""

import numpy as np
import pytest

from kits.vault import Opener, run
from kits.why import CRANE, change_of, cranes, found, order
from pellucid.model.memory import unpack_id
from pellucid.recall.score.ladder import FILTERS, RUNGS
from pellucid.xray.whereabouts import position_of, rank_in, rank_in_context, rung_of
from pellucid.xray.why.finding import WhyFinding, WhyLeg
from pellucid.xray.why.sentence import sentences


def budgets(low: int, least: int) -> list[int]:
    """Every budget that a search for the least one asks about: doubled, then halved between the last two."""
    asked, high = list[int](), low
    while high < least:
        low, high = high, 2 * high
        asked.append(high)
    while high - low > 1:
        middle = (low + high) // 2
        asked.append(middle)
        low, high = (low, middle) if middle >= least else (middle, high)
    return asked


@pytest.mark.requirement("XRAY-4")
@pytest.mark.parametrize("held", [150, 400])
def test_no_budget_is_tried_twice(house: Opener, held: int) -> None:
    app = house(char_budget=held)
    cranes(app)
    out = order(app, CRANE, budget=16_000)[11]
    finding = found(app, out, CRANE)
    change = change_of(finding, "budget")
    asked = budgets(held, int(change.to))
    assert len(set(asked)) == len(asked)
    assert finding.recalls == 1 + len(asked)
    assert change.smallest


def test_where_a_memory_came_out_is_read_alike_of_all_that_passed_or_not(house: Opener) -> None:
    app = house(top_k_facts=5)
    cranes(app, 12, trust_zone="quarantine")
    state = run(app, CRANE)
    for place, position in enumerate(state.order.tolist(), start=1):
        memory_id = unpack_id(state.pool.ids[position])
        assert position_of(state.pool, int(state.pool.rows[position])) == position
        assert rank_in(state.order, position) == place
        assert rank_in_context(state, memory_id) == (place if place <= 5 else None)
        assert rung_of(state.pool.rejected, position) == ("top-k" if place > 5 else None)
    (stopped,) = np.flatnonzero(state.pool.rejected == 1 + RUNGS.index("trust-zone")).tolist()
    assert stopped not in state.order
    assert (rank_in(state.order, stopped), rung_of(state.pool.rejected, stopped)) == (None, "trust-zone")


def test_what_is_no_candidate_has_no_position_no_place_and_no_rung(house: Opener) -> None:
    app = house()
    cranes(app, 3)
    state = run(app, CRANE)
    position = position_of(state.pool, int(state.pool.rows.max()) + 1)
    assert (position, rank_in(state.order, position), rung_of(state.pool.rejected, position)) == (None, None, None)
    assert rank_in_context(state, f"mem_{99:032x}") is None


def test_a_sub_question_has_the_number_that_an_xray_gives_it() -> None:
    leg = WhyLeg(leg="lexical@2", health="ok", nominated=True, rank=3, score_type="bm25", pool=50)
    hit = WhyFinding(
        verdict="hit", place=1, ranked=1, context_place=1, top_k=12, budget=16_000, used=100, legs=(leg,), recalls=1
    )
    assert "found 3rd by words in sub-question 1." in sentences(hit)


def test_every_filter_is_named_by_its_own_verdict() -> None:
    verdicts = np.arange(len(RUNGS) + 1, dtype=np.uint8)
    named = [rung_of(verdicts, position) for position in range(len(verdicts))]
    assert named == [None, *RUNGS]
    assert named[1 : len(FILTERS) + 1] == [each.name for each in FILTERS]
