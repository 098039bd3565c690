"""A leg and a stage added by a row alone in, the same in every answer and explanation out."""

from collections.abc import Iterator

import numpy as np
import pytest

from kits.sentences import untrue
from kits.vault import HERE, Opener, ask, keep, ranking, run
from pellucid.app import App
from pellucid.errors import InputError
from pellucid.operations.recall.explaining import AblateInput, ReplayInput, ablate_recall, replay_recall
from pellucid.operations.recall.recalling import load_receipt, xray_by_id
from pellucid.recall.ablate import ablate
from pellucid.recall.legs.leg import Leg, LegAnswer, report
from pellucid.recall.legs.nominate import LEGS
from pellucid.recall.pipeline import STAGES, Stage
from pellucid.recall.state import Plan, State, World
from pellucid.settings.sections import LegWeights
from pellucid.store.index_port import LegHits
from pellucid.xray.render.formats import render
from pellucid.xray.words.sentence import LARGEST, leg_in_words

QUESTION = "crane"


def oldest(state: State, plan: Plan, world: World) -> LegAnswer:
    """The oldest memories first, whatever they say."""
    rows = np.sort(world.reader.recent(state.admission, state.request.settings.pool).rows)
    none = rows[:0]
    hits = LegHits(rows, np.arange(len(rows), 0, -1).astype(np.float32), none, none.astype(np.float32))
    return report("luck", hits), hits


LUCK = Leg("luck", "luck", oldest, "by luck", weight=70.0)


@pytest.fixture
def lucky(house: Opener, monkeypatch: pytest.MonkeyPatch) -> Iterator[App]:
    """A home where a leg of this file's own is asked, too: its row stands among those of the legs."""
    monkeypatch.setitem(LEGS, LUCK.name, LUCK)
    app = house()
    for content in ("the ferry leaves at nine", "the harbour crane lifts forty tonnes", "the tide turns at noon"):
        keep(app, content)
    return app


def test_the_weight_of_a_leg_stands_in_one_place() -> None:
    """In the settings or in its row, and not in both."""
    assert {leg.name for leg in LEGS.values() if leg.weight is None} == set(LEGS) & set(LegWeights.model_fields)


@pytest.mark.requirement("XRAY-1")
def test_a_leg_is_a_row_and_nothing_else(lucky: App) -> None:
    answer = ask(lucky, QUESTION)
    state = load_receipt(lucky, HERE, answer.recall_id).state
    assert {leg.name: leg.health for leg in answer.legs}["luck"] == "ok"
    assert answer.memories[0].memory.content == "the ferry leaves at nine"
    assert "1st by luck" in answer.memories[0].why
    assert "the largest term of its score is its place by luck (70.00 of" in answer.memories[0].why

    snapshot = xray_by_id(lucky, HERE, answer.recall_id)
    first = snapshot.results[0]
    assert snapshot.weights["luck"] == 70.0
    (found,) = (each for each in first.contributions if each.leg == "luck")
    assert (found.rank, found.score_type, found.term) == (1, "luck", 70.0)
    scores = first.score_decomposition.model_dump(exclude_none=True)
    assert scores["luck"] == 70.0
    assert scores.pop("final") == pytest.approx(sum(scores.values()), abs=1e-12)
    words = {i: state.plan.words[i] for i in state.plan.telling}
    assert not untrue(first.why, first.contributions, first.rerank, first.score_decomposition, words)
    for shown in (render(snapshot, "text", verbose=True), render(snapshot, "markdown"), render(snapshot, "html")):
        assert "luck" in shown
        assert "70.0000" in shown

    assert state.pool.ranks["luck"].tolist() == [1, 2, 3]
    again = replay_recall(lucky, ReplayInput(namespace=HERE, recall_id=answer.recall_id, live=True))
    assert again.identical
    assert again.live
    assert again.live.identical


@pytest.mark.requirement("XRAY-5")
def test_a_recall_is_told_without_a_leg_that_is_a_row(lucky: App) -> None:
    answer = ask(lucky, QUESTION)
    state = load_receipt(lucky, HERE, answer.recall_id).state
    live = run(lucky, QUESTION, without=("luck",))
    assert ranking(ablate(state, ("luck",))) == ranking(live)
    assert ranking(live) != ranking(run(lucky, QUESTION))
    (effect,) = ablate_recall(lucky, AblateInput(namespace=HERE, recall_id=answer.recall_id, without=("luck",))).effects
    assert effect.moved
    assert ("luck",) in {
        each.parts for each in ablate_recall(lucky, AblateInput(namespace=HERE, recall_id=answer.recall_id)).effects
    }


@pytest.mark.requirement("XRAY-5")
def test_a_stage_is_a_row_and_nothing_else(house: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    def oldest_first(state: State) -> State:
        created = state.pool.created
        return state.with_terms({"whim": np.where(created == created.min(), 70.0, 0.0)})

    at = [stage.name for stage in STAGES].index("renew")
    rows = (*STAGES[:at], Stage("whim", terms=oldest_first, optional=True), *STAGES[at:])
    for reader in ("recall.pipeline", "operations.recall.request"):
        monkeypatch.setattr(f"pellucid.{reader}.STAGES", rows)
    app = house()
    for content in ("the ferry leaves at nine", "the harbour crane lifts forty tonnes"):
        keep(app, content)
    answer = ask(app, QUESTION)
    assert answer.memories[0].memory.content == "the ferry leaves at nine"
    assert "the largest term of its score is its whim (70.00 of" in answer.memories[0].why
    state = load_receipt(app, HERE, answer.recall_id).state
    again = replay_recall(app, ReplayInput(namespace=HERE, recall_id=answer.recall_id, live=True))
    assert again.identical
    assert again.live
    assert again.live.identical
    without = run(app, QUESTION, without=("whim",))
    assert [stage.note for stage in without.stages if stage.name == "whim"] == ["switched off"]
    assert ranking(ablate(state, ("whim",))) == ranking(without) != ranking(run(app, QUESTION))


def test_a_leg_without_a_row_cannot_be_left_out(house: Opener) -> None:
    with pytest.raises(InputError, match="without expects some of vector, lexical"):
        run(house(), QUESTION, without=("luck",))


def test_no_two_legs_are_told_alike() -> None:
    called = [*(leg.found for leg in LEGS.values()), *LARGEST.values()]
    assert len(set(called)) == len(called)
    assert len({leg.key for leg in LEGS.values()} | LARGEST.keys()) == len(called)


def test_a_leg_of_a_sub_question_is_told_with_its_number() -> None:
    assert leg_in_words("lexical") == "by words"
    assert leg_in_words("lexical@2") == "by words in sub-question 1"
    assert leg_in_words("vector@4") == "by meaning in sub-question 3"
