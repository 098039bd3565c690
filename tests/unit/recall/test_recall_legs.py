"""Homes that are whole, empty or damaged in, the health of every leg and the pool they make out."""

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from kits.vault import HERE, NOON, Opener, a_memory, ask, file_memories, keep, ranking, run
from pellucid.app import App
from pellucid.model.memory import unpack_id
from pellucid.model.snapshot import LegHealth
from pellucid.recall.legs.pool import gather, join
from pellucid.recall.score.fuse import fused
from pellucid.recall.state import Plan, State
from pellucid.settings.sections import LegWeights
from pellucid.store.index_port import Admission, LegHits


def health(state: State) -> dict[str, str]:
    """Of the legs that search, and the fallback; those that need a name, a task or a review are off here."""
    assert all(each.health == "off" for each in state.legs if each.name in ("graph", "procedural", "review"))
    return {each.name: each.health for each in state.legs if each.name not in ("graph", "procedural", "review")}


def leg(state: State, name: str) -> LegHealth:
    return next(leg for leg in state.legs if leg.name == name)


@pytest.mark.requirement("REC-5")
def test_in_an_empty_home_every_leg_is_empty_and_none_is_down(house: Opener) -> None:
    state = run(house(), "anything")
    assert health(state) == {"vector": "empty", "lexical": "empty", "passage": "empty", "recent": "empty"}
    assert not state.served
    assert "Nothing recalled" in state.context.text


@pytest.mark.requirement("REC-5")
def test_a_leg_that_finds_nothing_is_empty_and_another_that_does_keeps_the_fallback_away(house: Opener) -> None:
    app = house()
    keep(app, "the harbour crane")
    state = run(app, "zyzzyva")
    assert health(state) == {"vector": "ok", "lexical": "empty", "passage": "empty"}


@pytest.mark.requirement("REC-5")
def test_without_an_encoder_the_vector_leg_is_down_and_the_newest_are_asked(house: Opener) -> None:
    app = house(encoder=None)
    keep(app, "the harbour crane lifts forty tonnes")
    keep(app, "the ferry leaves at nine")
    answer = ask(app, "crane")
    assert answer.degraded
    assert {each.name: each.health for each in answer.legs if each.health != "off"} == {
        "vector": "degraded",
        "lexical": "ok",
        "passage": "ok",
        "recent": "ok",
    }
    assert all(each.reason for each in answer.legs if each.health == "degraded")
    assert answer.memories[0].memory.content == "the harbour crane lifts forty tonnes"


@pytest.mark.requirement("REC-5")
def test_a_changed_model_is_said_and_the_words_still_answer(house: Opener) -> None:
    class Renamed:
        def __init__(self, inner: object) -> None:
            self._inner = inner
            self.model = "another-model"

        def __getattr__(self, name: str) -> object:
            return getattr(self._inner, name)

    app = house()
    keep(app, "the harbour crane lifts forty tonnes")
    other = replace(app, recaller=replace(app.recaller, embedder=Renamed(app.embedder)))
    state = run(other, "crane")
    assert leg(state, "vector").health == "degraded"
    assert "another-model" in leg(state, "vector").reason
    assert "rebuild" in leg(state, "vector").reason
    assert [each.memory.content for each in state.served] == ["the harbour crane lifts forty tonnes"]


def test_a_leg_that_is_switched_off_is_off_not_empty(house: Opener) -> None:
    app = house()
    keep(app, "the harbour crane")
    assert health(run(app, "crane", without=("vector",)))["vector"] == "off"
    assert health(run(app, "crane", without=("lexical",)))["lexical"] == "off"
    weightless = house(leg_weights=LegWeights(vector=0, lexical=0, passage=0))
    assert health(run(weightless, "crane")) == {"vector": "off", "lexical": "off", "passage": "off", "recent": "ok"}


@pytest.mark.requirement("REC-5")
def test_when_every_search_leg_is_empty_the_newest_answer(house: Opener) -> None:
    app = house()
    yesterday = NOON - timedelta(days=1)
    file_memories(app, [a_memory(1, "the harbour crane", created=yesterday), a_memory(2, "the ferry leaves at nine")])
    state = run(app, "zyzzyva", without=("vector", "rerank"))
    assert health(state) == {"vector": "off", "lexical": "empty", "passage": "empty", "recent": "ok"}
    assert [each.memory.content for each in state.served] == ["the ferry leaves at nine", "the harbour crane"]
    assert not run(app, "zyzzyva", without=("vector", "recent")).served


@pytest.mark.requirement("REC-5")
def test_one_memory_without_a_vector_is_said_and_does_not_call_the_newest_in(house: Opener) -> None:
    """A leg that answers for all rows but one is not down: the newest are no answer to what was asked."""
    without = house(encoder=None)
    keep(without, "the lighthouse keeper is called Ines")
    app = house()
    for n in range(5):
        keep(app, f"the ferry number {n} leaves at nine")
    state = run(app, "ferry")
    assert "memories have no vector" in leg(state, "vector").reason
    assert "recent" not in health(state)


def test_common_words_left_out_are_counted(house: Opener) -> None:
    app = house()
    keep(app, "when do we sail")
    assert leg(run(app, "when do we sail"), "lexical").reason == "3 common words left out"
    assert leg(run(app, "do sail"), "lexical").reason == "1 common word left out"


def test_the_fallback_brings_the_newest_first_even_within_a_minute(house: Opener) -> None:
    app = house()
    minute = [a_memory(n, f"note {n}", created=NOON - timedelta(seconds=60 - n), updated=NOON) for n in range(1, 61)]
    file_memories(app, minute)
    with app.index.reading(HERE) as reader:
        hits = reader.recent(Admission(int(NOON.timestamp() * 1000)), 50)
        newest = [each.memory.content for each in reader.memories(hits.rows)]
    assert newest == [f"note {n}" for n in range(60, 10, -1)]


def test_an_open_arm_is_evidence_only(house: Opener) -> None:
    app = house()
    live, gone = a_memory(1, "the harbour crane"), a_memory(2, "the harbour crane was sold", status="superseded")
    file_memories(app, [live, gone])
    state = run(app, "harbour crane")
    pool = state.pool
    at = {unpack_id(raw): place for place, raw in enumerate(pool.ids)}
    for name in ("vector", "lexical"):
        assert pool.ranks[name][at[live.id]] == 1
        assert pool.ranks[name][at[gone.id]] == 0
        assert pool.open_ranks[name][at[gone.id]] == 1
        assert pool.terms[name][at[gone.id]] == 0.0
        assert not np.isnan(pool.scores[name]).any()
    assert (leg(state, "vector").admitted, leg(state, "vector").open) == (1, 1)
    assert fused(pool)[at[gone.id]] == 0.0


def hits(rows: list[int], scores: list[float], open_rows: list[int] | None = None) -> LegHits:
    opened = np.array(open_rows or [], dtype=np.int64)
    return LegHits(
        np.array(rows, dtype=np.int64),
        np.array(scores, dtype=np.float32),
        opened,
        np.ones(len(opened), dtype=np.float32),
    )


@pytest.fixture
def six(house: Opener) -> App:
    """Six memories whose rows are not in the order of their ids."""
    app = house()
    for n in (6, 3, 5, 1, 4, 2):
        file_memories(app, [a_memory(n, f"note number {n}", session_id="s", evidence=(f"s:{n}-{n}",))])
    return app


def test_the_pool_is_the_union_sorted_by_id_and_keeps_every_place(six: App) -> None:
    with six.index.reading(HERE) as reader:
        pool = gather(
            reader,
            {"vector": hits([1, 4, 2], [0.9, 0.8, 0.7], [3]), "lexical": hits([4, 6], [5, 4])},
            Admission(0),
            Plan(""),
        )
        number = [int(unpack_id(raw)[4:], 16) for raw in pool.ids]
        assert number == [1, 2, 3, 5, 6]
        assert dict(zip(number, pool.ranks["vector"].tolist(), strict=True)) == {1: 2, 2: 0, 3: 3, 5: 0, 6: 1}
        assert dict(zip(number, pool.ranks["lexical"].tolist(), strict=True)) == {1: 1, 2: 2, 3: 0, 5: 0, 6: 0}
        assert pool.open_ranks["vector"].tolist() == [0, 0, 0, 1, 0]
        assert pool.scores["lexical"][:2].tolist() == [5, 4]
        assert np.isnan(pool.scores["lexical"][2:]).all()
        assert pool.ordinal.tolist() == number
        terms = {"vector": np.arange(5, dtype=np.float64)}
        wider = join(reader, replace(pool, terms=terms), np.array([5], dtype=np.int64), Admission(0), Plan(""))
    assert [int(unpack_id(raw)[4:], 16) for raw in wider.ids] == [1, 2, 3, 4, 5, 6]
    assert wider.ranks["vector"].tolist() == [2, 0, 3, 0, 0, 1]
    assert wider.terms["vector"].tolist() == [0, 1, 2, 0, 3, 4]
    assert np.isnan(wider.scores["vector"][3])
    assert wider.nominated.tolist() == [True, True, True, False, False, True]


def test_neighbouring_turns_join_and_are_served_as_beside_a_match(six: App) -> None:
    keep(six, "the lighthouse keeper")
    tight = replace(
        six,
        settings=six.settings.model_copy(
            update={"recall": six.settings.recall.model_copy(update={"pool": 1, "expand_from": 1})}
        ),
    )
    state = run(tight, "note number 3")
    number = {int(unpack_id(raw)[4:], 16) for raw in state.pool.ids}
    nominee = {int(unpack_id(raw)[4:], 16) for raw in state.pool.ids[state.pool.nominated]}
    assert 3 in nominee
    assert number == {1, 2, 3, 4, 5}
    assert len(ranking(state)) == 5
    alone = run(tight, "note number 3", without=("expand",))
    assert len(alone.pool) == len(nominee)
