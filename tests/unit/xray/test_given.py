"""Earlier recalls in, the contexts that they gave out, and how long their stages took."""

import random

import pytest

from kits.vault import (
    HERE,
    SESSIONS,
    Opener,
    ask,
    bring_in,
    file_memories,
    keep,
    queries,
    salad_memories,
    take_verbatim,
)
from pellucid.app import App
from pellucid.operations.memory.changing import UpdateInput, update
from pellucid.operations.memory.forgetting import ForgetInput, forget
from pellucid.operations.memory.trusting import SourceInput, quarantine
from pellucid.operations.recall.kept.given_context import ContextInput, ContextOutput, rebuild_context
from pellucid.operations.recall.kept.timings import TimingsInput, timings
from pellucid.operations.recall.recalling import xray_by_id


def again(app: App, recall_id: str) -> ContextOutput:
    return rebuild_context(app, ContextInput(namespace=HERE, recall_id=recall_id))


def test_a_context_is_written_again_to_the_letter(house: Opener) -> None:
    app, rng = house(), random.Random(10)
    texts = salad_memories(rng, 80)
    file_memories(app, texts)
    take_verbatim(app, rng, "spoken", 30)
    asked = queries(rng, [each.content for each in texts], 25)
    given = [ask(app, query, budget=rng.choice((300, 900, 2_000))) for query in asked]
    for each in given:
        found = again(app, each.recall_id)
        assert (found.context, found.differs) == (each.context, ())
        assert found.exact
        assert found.budget.used == len(each.context)


def test_contexts_of_real_sessions_are_written_again_to_the_letter(house: Opener) -> None:
    app = house()
    bring_in(app, SESSIONS, mode="both")
    for query in ("what was decided about the database", "why did the build fail last week", "who owns the tests?"):
        for budget in (400, 4_000):
            given = ask(app, query, budget=budget)
            assert again(app, given.recall_id).context == given.context


@pytest.mark.parametrize("query", ["thanks!", "what does the zebra at the zoo eat for breakfast"])
def test_what_was_said_where_nothing_was_recalled_is_written_again(house: Opener, query: str) -> None:
    app = house()
    keep(app, "the harbour crane lifts forty tonnes")
    given = ask(app, query, settings={"abstainAt": 0.01, "abstainFrom": 0})
    assert given.memories == ()
    assert again(app, given.recall_id).context == given.context
    assert again(app, given.recall_id).exact


def test_a_context_that_cannot_be_the_same_says_why(house: Opener) -> None:
    app = house()
    crane = keep(app, "the harbour crane lifts forty tonnes").memory
    ferry = keep(app, "the ferry leaves the harbour at nine").memory
    assert crane is not None
    assert ferry is not None
    given = ask(app, "what is in the harbour")
    update(app, UpdateInput(namespace=HERE, memory_id=crane.id, content="the harbour crane lifts fifty tonnes"))
    changed = again(app, given.recall_id)
    assert not changed.exact
    assert changed.differs == ("1 memory was written again since, and told as today",)
    assert "(superseded) the harbour crane lifts forty" in changed.context
    forget(app, ForgetInput(namespace=HERE, memory_ids=(crane.id,), preview=False))
    gone = again(app, given.recall_id)
    assert gone.differs == ("1 memory is gone, or may not be told any more",)
    assert "crane" not in gone.context
    assert "ferry" in gone.context
    quarantine(app, SourceInput(namespace=HERE, memory_ids=(ferry.id,)))
    kept_back = again(app, given.recall_id)
    assert "ferry" not in kept_back.context
    assert kept_back.differs == ("2 memories are gone, or may not be told any more",)


def test_without_the_words_of_the_question_no_context_is_made_up(house: Opener) -> None:
    app = house()
    keep(app, "the harbour crane lifts forty tonnes")
    found = again(app, ask(app, "crane?", settings={"storeQueryText": False}).recall_id)
    assert (found.exact, found.context) == (False, "")
    assert "were not kept" in found.differs[0]


def test_the_timings_of_stages_are_those_of_the_receipts(house: Opener) -> None:
    app = house()
    keep(app, "the harbour crane lifts forty tonnes")
    recalls = [ask(app, f"crane {number}", without=("rerank",) if number % 2 else ()).recall_id for number in range(9)]
    taken = [{stage.name: stage for stage in xray_by_id(app, HERE, each).stages} for each in recalls]
    found = timings(app, TimingsInput(namespace=HERE))
    assert found.recalls == 9
    by_name = {each.name: each for each in found.stages}
    legs = sorted(each["legs"].ms for each in taken)
    assert (by_name["legs"].p50, by_name["legs"].p95) == (legs[4], legs[8])
    assert by_name["rerank"].recalls == 5
    totals = sorted(sum(stage.ms for stage in each.values()) for each in taken)
    assert found.total is not None
    assert found.total.p50 == pytest.approx(totals[4])
    assert timings(app, TimingsInput(namespace=HERE, limit=1)).recalls == 1
    assert timings(app, TimingsInput(namespace="other/place")).stages == ()
