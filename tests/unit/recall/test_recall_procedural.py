"""Queries that start a task, and others, in; the procedures, skills and rules that the leg brings out."""

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from kits.vault import HERE, NOON, Opener, a_memory, file_memories, run
from pellucid.app import App
from pellucid.recall.legs.leg import LegAnswer
from pellucid.recall.legs.procedural import FLOOR, MOST, procedural
from pellucid.recall.state import World
from pellucid.store.index_port import Admission, Filters

DEPLOY = "Deploy to staging: build the image, push it, run the smoke tests."
FRIDAY = "Never deploy on a Friday afternoon."
BREAD = "Bake rye bread: mix, rest twelve hours, bake at 240 degrees."
OLD = "Deploy to staging by copying the image by hand."
FACT = "We deploy to staging twice a week."


@pytest.fixture
def kitchen(house: Opener) -> App:
    app = house()
    file_memories(
        app,
        [
            a_memory(1, DEPLOY, category="procedure", tags=("ops",)),
            a_memory(2, FRIDAY, category="rule"),
            a_memory(3, BREAD, category="skill"),
            a_memory(4, FACT),
            a_memory(5, OLD, category="procedure", status="superseded"),
        ],
    )
    return app


def asked(app: App, query: str, **admission: object) -> tuple[LegAnswer, list[str], list[str]]:
    """What the leg says, and the memories of its two arms."""
    state = run(app, query)
    with app.index.reading(HERE) as reader:
        narrowed = replace(state.admission, **admission)
        said = procedural(replace(state, admission=narrowed), state.plan, World(reader, None))
        arms = [[each.memory.content for each in reader.memories(rows)] for rows in (said[1].rows, said[1].open_rows)]
    return said, arms[0], arms[1]


def test_a_task_brings_the_procedures_that_fit_it_best_first_and_no_other_memory(kitchen: App) -> None:
    (report, hits), admitted, opened = asked(kitchen, "How do I deploy to staging?")
    assert (report.health, report.reason) == ("ok", None)
    assert admitted == [DEPLOY, FRIDAY]
    assert opened == [OLD]
    assert 2 >= hits.scores[0] > hits.scores[1] >= FLOOR


@pytest.mark.requirement("REC-5")
def test_a_query_that_starts_no_task_leaves_the_leg_off_with_its_reason(kitchen: App) -> None:
    (report, hits), _, _ = asked(kitchen, "When did we deploy to staging?")
    assert (report.health, report.reason) == ("off", "the query starts no task")
    assert not len(hits.rows)
    assert not len(hits.open_rows)


@pytest.mark.requirement("REC-5")
def test_a_task_that_nothing_fits_and_a_place_without_procedures_are_empty_not_off(kitchen: App, house: Opener) -> None:
    (report, _), _, _ = asked(kitchen, "Plan the summer party")
    assert (report.health, report.reason) == ("empty", "no procedure fits the task")
    bare = house(kitchen.settings.home / "bare")
    file_memories(bare, [a_memory(1, FACT)])
    (report, _), _, _ = asked(bare, "Deploy to staging")
    assert (report.health, report.reason) == ("empty", "no procedure, skill or rule is kept here")


def test_the_callers_filters_hold_here_too_and_what_they_turn_away_is_evidence(kitchen: App) -> None:
    with kitchen.index.reading(HERE) as reader:
        tagged = reader.select(Filters(tags=("ops",)))
    _, admitted, opened = asked(kitchen, "How do I deploy to staging?", only=tagged)
    assert admitted == [DEPLOY]
    assert set(opened) == {OLD, FRIDAY}
    _, admitted, opened = asked(kitchen, "Deploy to staging", until=int((NOON - timedelta(days=1)).timestamp() * 1000))
    assert not admitted
    assert set(opened) == {DEPLOY, OLD, FRIDAY}


def test_few_are_brought_and_equals_stand_in_the_order_of_their_ids(house: Opener) -> None:
    app = house()
    file_memories(app, [a_memory(n, DEPLOY, category="procedure") for n in range(9, 0, -1)])
    state = run(app, "Deploy to staging")
    with app.index.reading(HERE) as reader:
        _, hits = procedural(state, state.plan, World(reader, None))
        ids = [each.memory.id for each in reader.memories(hits.rows)]
        assert reader.columns(hits.rows, Admission(0)).active.all()
    assert ids == [f"mem_{n:032x}" for n in range(1, MOST + 1)]


def test_without_an_encoder_words_alone_decide_and_that_is_said(house: Opener) -> None:
    app = house(encoder=None)
    file_memories(app, [a_memory(1, DEPLOY, category="procedure"), a_memory(2, BREAD, category="procedure")])
    (report, hits), admitted, _ = asked(app, "Deploy the image to staging")
    assert (report.health, report.reason) == ("ok", "by words alone")
    assert admitted == [DEPLOY]
    assert hits.scores.tolist() == [1.0]


def test_a_way_told_in_other_words_is_served_before_all_that_only_shares_the_questions_words(house: Opener) -> None:
    app = house()
    ship = "Shipping a new version to the test machine: run `make ship`, wait for the green light, then tell the crew."
    said = ("the staging server got a new disk", "the staging server was restarted")
    facts = [a_memory(n, f"{said[n % 2]} on day {n}, before a release") for n in range(60)]
    file_memories(app, [*facts, a_memory(99, ship, category="procedure")])
    state = run(app, "How do we get a release onto the staging server?")
    (at,) = np.flatnonzero(state.pool.ranks["procedural"])
    assert [leg for leg, ranks in state.pool.ranks.items() if ranks[at]] == ["procedural"]
    assert state.served[0].memory.content == ship
    assert run(app, "When do we get a release onto the staging server?").served[0].memory.content != ship
