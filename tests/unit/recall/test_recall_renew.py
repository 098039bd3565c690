"""Pools of a few memories in, which newer one takes an older one's place out."""

import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from kits.vault import NOON, Opener, a_memory, file_memories, run, salad_memories
from pellucid.app import App
from pellucid.model.memory import Memory
from pellucid.recall.ablate import ablate
from pellucid.recall.receipt.record import pack, unpack
from pellucid.recall.rescore import rescore
from pellucid.recall.score.equation import STEP, succession
from pellucid.recall.score.renew import HOUR, LEADERS, renew
from pellucid.recall.state import Plan, Pool, Request, State, blank_pool, plain_columns
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
    made = blank_pool(np.arange(count), columns)
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


def test_what_is_retold_of_one_thing_takes_the_olders_place_in_one_session_too_and_from_further_behind() -> None:
    made = pool((5.0, 0, BOTH), (3.0, 0, BOTH), session=np.array([1, 1]), retold=((0, 1),))
    assert lifts(made) == [0.0, 2.0 + STEP]
    assert succeed(made, PLAN, 100, SETTINGS).newer_than == {1: 0}
    assert not any(lifts(replace(made, pinned=np.array([True, False]))))
    assert not any(lifts(pool((6.0, 0, BOTH), (3.0, 0, BOTH), session=np.array([1, 1]), retold=((0, 1),))))


def fixed_later(app: App, other: str, after: timedelta = timedelta(minutes=20)) -> tuple[Memory, Memory]:
    """A problem and its fix, so much later, among two hundred others; `other` is what the fix speaks of."""
    said = [
        "Why the hook fails on the completion file: ParseStanza reads it at once.",
        f"After a long look at it this noon, and two coffees: {other} streams the completion file, so nothing fails.",
        *(f"Berth {number} has a hook, and a file for completion: look at it." for number in range(6)),
        *(f"Pump {number} may fail at noon." for number in range(6)),
    ]
    told = [
        a_memory(
            at,
            content,
            created=NOON + after * at,
            session_id="work" if at < 3 else f"berth {at}",
            source_class="user_input",
        )
        for at, content in enumerate(said, start=1)
    ]
    file_memories(app, [*told, *salad_memories(random.Random(5), 200)])
    return told[0], told[1]


def test_a_fix_stands_before_the_problem_of_the_same_session_that_it_names(house: Opener) -> None:
    app = house()
    problem, fix = fixed_later(app, "ParseStanza")
    query = "why does the hook fail on the completion file"
    state = run(app, query)
    assert [each.memory.id for each in state.served[:2]] == [fix.id, problem.id]
    assert run(app, query, without=("renew",)).served[0].memory.id == problem.id
    kept = unpack(pack(state)).state
    assert kept.pool.retold == state.pool.retold != ()
    again, order = rescore(kept)
    assert order.tolist() == state.order.tolist()
    assert again.newer_than == state.pool.newer_than
    without, live = ablate(kept, ("vector",)), run(app, query, without=("vector",))
    assert [without.pool.ids[at] for at in without.order] == [live.pool.ids[at] for at in live.order]


def test_what_names_another_thing_is_no_later_word_of_it(house: Opener) -> None:
    app = house()
    problem, fix = fixed_later(app, "WriteLedger")
    state = run(app, "why does the hook fail on the completion file")
    assert state.pool.retold == ()
    found = [each.memory.id for each in state.served]
    assert found.index(problem.id) < found.index(fix.id)


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


def test_what_a_session_without_times_was_imported_as_is_no_later_word(house: Opener) -> None:
    app = house()
    fixed_later(app, "ParseStanza", timedelta(milliseconds=400))
    assert run(app, "why does the hook fail on the completion file").pool.retold == ()
