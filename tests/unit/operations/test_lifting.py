"""What legs were worth in recalls that are over, from their receipts alone."""

from datetime import UTC, datetime

import pytest

from kits.graph import HERE, MARCH, document, section
from pellucid.app import App
from pellucid.errors import InputError
from pellucid.operations.recall.explaining import AblateInput, ablate_recall
from pellucid.operations.recall.leg_lift import LegLift, LiftInput, lift
from pellucid.operations.recall.recalling import recall
from pellucid.operations.recall.request import RecallInput


@pytest.fixture
def asked(whole: App) -> App:
    """A home of two documents, asked once for edges and once about something else."""
    document(whole, "SPEC-1", [(MARCH, {"title": "Gate"})], [section(whole, "Depends on", "SPEC-2")])
    document(whole, "SPEC-2", [(MARCH, {"title": "Tides"})], [section(whole, "Water", "It comes and goes.")])
    recall(whole, RecallInput(query="what does SPEC-1 depend on", namespace=HERE, top_k=2))
    recall(whole, RecallInput(query="how does the water come", namespace=HERE, top_k=2))
    return whole


def of(app: App, leg: str) -> LegLift:
    """The lift over all recalls."""
    return next(each for each in lift(app, LiftInput(namespace=HERE, legs=(leg,))).lifts if each.query_class is None)


@pytest.mark.requirement("GRAPH-4")
def test_a_leg_is_counted_where_it_took_part_and_changed_what_was_served(asked: App) -> None:
    done = ablate_recall(asked, AblateInput(namespace=HERE, recall_id="last~1", without=["graph"])).effects[0]
    found = of(asked, "graph")
    assert (found.recalls, found.took_part, found.changed) == (2, 1, 1)
    assert (found.brought, found.pushed_out) == (len(done.left), len(done.entered))
    assert found.raised + found.lowered == len(done.moved)
    assert 0 < found.share < 1


def test_classes_of_query_stand_behind_the_whole_and_add_up_to_it(asked: App) -> None:
    every = lift(asked, LiftInput(namespace=HERE)).lifts
    assert [each.leg for each in every[:2]] == ["graph", "temporal"]
    for leg, whole_lift in (("graph", every[0]), ("temporal", every[1])):
        parts = [each for each in every if each.leg == leg and each.query_class]
        assert sum(each.took_part for each in parts) == whole_lift.took_part
        assert sum(each.recalls for each in parts) == whole_lift.recalls == 2


def test_a_leg_that_was_never_at_work_took_part_in_nothing(asked: App) -> None:
    found = of(asked, "procedural")
    assert (found.recalls, found.took_part, found.changed, found.share) == (2, 0, 0, 0.0)


def test_a_leg_that_is_named_twice_is_counted_once(asked: App) -> None:
    assert lift(asked, LiftInput(namespace=HERE, legs=("graph", "graph"))) == lift(
        asked, LiftInput(namespace=HERE, legs=("graph",))
    )


def test_only_the_newest_recalls_of_the_namespace_are_looked_at(asked: App) -> None:
    assert lift(asked, LiftInput(namespace=HERE, limit=1)).recalls == 1
    assert lift(asked, LiftInput(namespace="local/other")).recalls == 0
    assert lift(asked, LiftInput(namespace=HERE, since=datetime(2999, 1, 1, tzinfo=UTC))).recalls == 0


def test_what_is_no_leg_is_refused(asked: App) -> None:
    with pytest.raises(InputError, match=r"^legs expects some of .*; got moon$"):
        lift(asked, LiftInput(namespace=HERE, legs=("moon",)))
