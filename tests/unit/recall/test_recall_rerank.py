"""Token vectors in, late interaction out: the fast arithmetic against the same thing said slowly."""

from math import log, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kits.vault import HERE, Opener, file_memories, keep, run, salad_memories
from pellucid.recall.score.late_interaction import best_matches, token_weights, weighted_mean
from pellucid.recall.state import Plan
from pellucid.store.index_port import Codes


def plain(query: np.ndarray, weights: np.ndarray, memories: list[np.ndarray]) -> list[float]:
    """MaxSim one memory, one query token and one bit at a time, in Python's exact integers."""
    out = []
    for codes in memories:
        score = 0.0
        for token, weight in zip(query.astype(int).tolist(), weights.tolist(), strict=True):
            products = [
                sum(value * (1 if int(code[i // 8]) >> (7 - i % 8) & 1 else -1) for i, value in enumerate(token))
                for code in codes
            ]
            length = sqrt(sum(value * value for value in token) * 128)
            if products:
                score += weight / max(sum(weights.tolist()), 1e-9) * max(products) / max(length, 1)
        out.append(score)
    return out


def held(memories: list[np.ndarray]) -> Codes:
    codes = np.concatenate([*memories, np.zeros((0, 16), dtype=np.uint8)])
    return Codes(codes, np.cumsum([len(each) for each in memories], dtype=np.int64))


def late_interaction(query: np.ndarray, weights: np.ndarray, codes: Codes) -> np.ndarray:
    return weighted_mean(best_matches(query, codes), weights)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.lists(st.integers(0, 5), min_size=1, max_size=6), st.integers(1, 5))
def test_late_interaction_equals_the_plain_rule(seed: int, lengths: list[int], tokens: int) -> None:
    rng = np.random.default_rng(seed)
    query = rng.integers(-127, 128, (tokens, 128)).astype(np.int8)
    weights = rng.random(tokens) + 0.01
    memories = [rng.integers(0, 256, (length, 16)).astype(np.uint8) for length in lengths]
    got = late_interaction(query, weights, held(memories))
    assert got.tolist() == pytest.approx(plain(query, weights, memories), rel=1e-6, abs=1e-6)
    assert all(score == 0 for score, each in zip(got.tolist(), memories, strict=True) if len(each) == 0)


def test_the_extremes_of_eight_bits_lose_nothing() -> None:
    query = np.full((1, 128), -128, dtype=np.int8)
    all_ones, all_zeros = np.full((1, 16), 255, dtype=np.uint8), np.zeros((1, 16), dtype=np.uint8)
    got = late_interaction(query, np.ones(1), held([all_ones, all_zeros]))
    assert got.tolist() == [-1.0, 1.0]


def test_a_score_does_not_depend_on_who_else_is_scored() -> None:
    rng = np.random.default_rng(1)
    query, weights = rng.integers(-127, 128, (7, 128)).astype(np.int8), rng.random(7)
    memories = [rng.integers(0, 256, (n % 9, 16)).astype(np.uint8) for n in range(40)]
    together = late_interaction(query, weights, held(memories))
    backwards = late_interaction(query, weights, held(memories[::-1]))[::-1]
    alone = [late_interaction(query, weights, held([each]))[0] for each in memories]
    assert together.tobytes() == backwards.tobytes() == np.array(alone, dtype=np.float32).tobytes()


def test_nothing_to_compare_is_no_score() -> None:
    empty = np.zeros((0, 128), dtype=np.int8)
    code = np.zeros((1, 16), dtype=np.uint8)
    assert late_interaction(empty, np.zeros(0), held([code])).tolist() == [0.0]
    assert late_interaction(np.ones((1, 128), dtype=np.int8), np.ones(1), held([])).tolist() == []


def test_rare_words_weigh_more_and_what_is_no_word_least() -> None:
    plan = Plan("", stems=("a", "b"), frequencies=(0, 99), token_stem=(0, 1, -1))
    weights = token_weights(plan, 100)
    assert weights.tolist() == pytest.approx([log(1 + 100 / 1), log(1 + 100 / 100), log(1 + 100 / 101)])


def test_live_scores_are_those_of_the_plain_rule(house: Opener) -> None:
    import random

    app = house()
    file_memories(app, salad_memories(random.Random(2), 25))
    keep(app, "the harbour crane lifts forty tonnes")
    state = run(app, "harbour crane 港口 tonnes")
    assert state.plan.encoding
    with app.index.reading(HERE) as reader:
        live = reader.codes(state.pool.rows)
    starts = [0, *live.ends[:-1].tolist()]
    memories = [live.codes[start:end] for start, end in zip(starts, live.ends.tolist(), strict=True)]
    slow = plain(state.plan.encoding.tokens, token_weights(state.plan, state.corpus.rows), memories)
    passed = state.pool.rejected != 0
    scored = ~np.isnan(state.pool.rerank_score)
    assert scored.sum() > 10
    assert not scored[passed & (state.pool.rejected < 10)].any()
    assert state.pool.rerank_score[scored].tolist() == pytest.approx(np.array(slow)[scored].tolist(), rel=1e-5)


@pytest.mark.parametrize("how", ["without", "disabled", "weightless"])
def test_reranking_may_be_left_out_and_leaves_no_score(house: Opener, how: str) -> None:
    from pellucid.settings.sections import LegWeights

    off = {
        "disabled": {"enable_reranking": False},
        "weightless": {"leg_weights": LegWeights(rerank=0, rerank_passage=0)},
    }.get(how, {})
    app = house(**off)
    keep(app, "the harbour crane lifts forty tonnes")
    state = run(app, "crane", without=("rerank",) if how == "without" else ())
    assert np.isnan(state.pool.rerank_score).all()
    assert "rerank" not in state.pool.terms
    assert [each.memory.content for each in state.served] == ["the harbour crane lifts forty tonnes"]


def test_the_weight_of_a_class_counts_for_the_reranker_as_for_a_leg(house: Opener) -> None:
    app = house(class_weights={"decision": {"rerank": 3.0}})
    keep(app, "we decided that the ferry leaves at nine")
    keep(app, "the crane is painted red")
    decision, other = run(app, "what did we decide about the ferry?"), run(app, "ferry")
    assert decision.plan.query_class == "decision"
    usual = other.request.settings.leg_weights.rerank
    assert [state.pool.terms["rerank"].max() for state in (decision, other)] == [3.0, usual]
