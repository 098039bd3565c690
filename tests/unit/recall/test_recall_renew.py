"""Pools of a few memories in, which newer one takes an older one's place out."""

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

from pellucid.recall.score.equation import STEP, succession
from pellucid.recall.score.renew import HOUR, LEADERS, renew
from pellucid.recall.state import Plan, Pool, Request, State, blank, plain_columns
from pellucid.settings.sections import RecallSettings
from pellucid.store.index_port import Corpus

SETTINGS = RecallSettings()
PLAN = Plan("cache ttl", stems=("cach", "ttl"), words=("cache", "ttl"), frequencies=(9, 9), telling=(0, 1))
BOTH, ONE = 3, 1


def pool(*memories: tuple[float, int, int], **given: object) -> Pool:
    """A pool of (score, hours, bits of the question's words), each of its own session."""
    count = len(memories)
    score, hours, matched = (np.array(column) for column in zip(*memories, strict=True))
    columns = replace(
        plain_columns(count),
        created=hours.astype(np.int64) * HOUR,
        session=np.arange(count),
        ids=np.array([bytes([i + 1]) * 16 for i in range(count)], dtype="S16"),
    )
    made = blank(np.arange(count), columns)
    return replace(made, matched=matched.astype(np.uint64), terms={"vector": score.astype(np.float64)}, **given)


def succeed(made: Pool, plan: Plan, rows: int, settings: RecallSettings) -> Pool:
    """What the stage makes of a pool, of a question among so many memories."""
    asked = Request(plan.text, "local/default", "rec_1", datetime(2026, 6, 1, tzinfo=UTC), settings)
    return renew(State(asked, plan, corpus=Corpus(rows, rows, rows, 0), pool=made)).pool


def lifts(made: Pool, settings: RecallSettings = SETTINGS) -> list[float]:
    terms = succeed(made, PLAN, 100, settings).terms
    return [round(float(value), 6) for value in terms.get("renewal", np.zeros(len(made)))]


def test_a_newer_memory_with_the_same_words_of_the_question_takes_the_olders_place() -> None:
    assert lifts(pool((4.0, 0, BOTH), (3.5, 2, BOTH))) == [0.0, 0.5 + STEP]


@pytest.mark.parametrize(
    "made",
    [
        pool((4.0, 2, BOTH), (3.5, 0, BOTH)),
        pool((4.0, 0, BOTH), (2.7, 2, BOTH)),
        pool((4.0, 0, BOTH), (3.5, 2, 0)),
        pool((4.0, 0, BOTH), (3.99, 2, ONE)),
        pool((4.0, 2, BOTH), (3.5, 2, BOTH)),
        pool((4.0, 0, BOTH), (3.5, 2, BOTH), session=np.array([1, 1])),
        pool((4.0, 0, BOTH), (3.5, 2, BOTH), pinned=np.array([True, False])),
        pool((4.0, 0, BOTH), (3.5, 2, BOTH), rejected=np.array([0, 1], dtype=np.uint8)),
        pool((4.0, 0, BOTH), *[(3.9, 0, 0)] * (LEADERS - 1), (3.5, 2, BOTH)),
    ],
    ids=[
        "older",
        "far behind",
        "other words",
        "half of the words",
        "at once",
        "one session",
        "pinned",
        "rejected",
        "no leader",
    ],
)
def test_who_keeps_its_place(made: Pool) -> None:
    assert not any(lifts(made))


def test_memories_without_a_session_and_two_pins_may_succeed_each_other() -> None:
    assert any(lifts(pool((4.0, 0, BOTH), (3.5, 2, BOTH), session=np.array([-1, -1]))))
    assert any(lifts(pool((4.0, 0, BOTH), (3.5, 2, BOTH), pinned=np.array([True, True]))))


def test_a_chain_ends_with_the_newest_on_top() -> None:
    made = succeed(pool((4.0, 0, BOTH), (3.6, 2, BOTH), (3.4, 4, BOTH)), PLAN, 100, SETTINGS)
    final = made.terms["vector"] + made.terms["renewal"]
    assert np.argsort(-final).tolist() == [2, 1, 0]
    assert made.newer_than == {1: 0, 2: 1}


def test_weight_zero_switches_it_off_and_nothing_lifted_leaves_no_term() -> None:
    made = pool((4.0, 0, BOTH), (3.5, 2, BOTH))
    assert not any(lifts(made, SETTINGS.model_copy(update={"renewal_weight": 0.0})))
    assert "renewal" not in succeed(pool((4.0, 0, BOTH)), PLAN, 100, SETTINGS).terms
    assert "renewal" not in succeed(pool((4.0, 0, 0), (3.9, 2, 0)), replace(PLAN, telling=()), 100, SETTINGS).terms


def test_what_leads_by_more_than_is_given_up_is_not_overtaken() -> None:
    leads = np.array([[-1.0, 0.4], [-1.0, -1.0]])
    assert succession(np.array([1.0, 0.5]), np.array([0, 1]), leads)[0].tolist() == [0.0, 0.0]
    lifts, above = succession(np.array([0.9, 0.5]), np.array([0, 1]), leads)
    assert lifts.tolist() == [0.0, pytest.approx(0.4 + STEP)]
    assert above == {1: 0}


@pytest.mark.parametrize(("ranks", "lifted"), [((1, 2), False), ((2, 1), True), ((1, 0), False), ((0, 1), True)])
def test_what_answers_by_an_asked_edge_gives_way_to_nothing(ranks: tuple[int, int], *, lifted: bool) -> None:
    """`ranks` in the graph leg, the first of which stands on such an edge."""
    made = pool((4.0, 0, BOTH), (3.5, 2, BOTH), ranks={"graph": np.array(ranks)})
    asked = replace(PLAN, answers=1)
    assert ("renewal" in succeed(made, asked, 100, SETTINGS).terms) == lifted
    assert "renewal" in succeed(made, PLAN, 100, SETTINGS).terms
