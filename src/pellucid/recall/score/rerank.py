"""Surviving candidates in, one more ranked list out: each scored by itself, by late interaction or by a model."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pellucid.encoders.port import QueryEncoding
from pellucid.encoders.rerank.reranker import Reranker
from pellucid.recall.score.equation import Floats, Ints, Mask, rank, reciprocal, total
from pellucid.recall.score.late_interaction import best_matches, token_weights, weighted, with_neighbours
from pellucid.recall.state import State, World
from pellucid.settings.sections import RecallSettings

SCORED = 12
"""Candidates that a model scores, times `rerankMultiplier`; fixed, so that `topK` only cuts."""
NO_RERANKING, LATE_INTERACTION = "none", "late-interaction"


def score_survivors(state: State, world: World) -> State:
    """Score those that passed the ladder with the chosen reranker; without one that works the scores stay NaN."""
    if state.rerank_backend == NO_RERANKING:
        return state
    if world.reranker is not None:
        return replace(state, pool=replace(state.pool, rerank_score=_by_model(state, world, world.reranker)))
    if state.plan.encoding is None or len(state.pool) == 0:
        return state
    alone, around = _by_tokens(state, world, state.plan.encoding)
    return replace(state, pool=replace(state.pool, rerank_score=alone, passage_score=around))


def scorer(settings: RecallSettings, world: World) -> str:
    """The name of the reranker that is to score the survivors, whether or not it then can; `none` where none is to."""
    weighs = settings.leg_weights.rerank or settings.leg_weights.rerank_passage
    if not settings.enable_reranking or not weighs or world.rerank.backend == NO_RERANKING:
        return NO_RERANKING
    return world.reranker.name if world.reranker else LATE_INTERACTION


def rerank(state: State) -> State:
    """Add the terms `rerank` and `rerankPassage`, from the places by a memory's own and by its passage's score."""
    pool, settings, terms = state.pool, state.request.settings, dict[str, Floats]()
    for name, scores, weight in (
        ("rerank", pool.rerank_score, settings.leg_weights.rerank),
        ("rerankPassage", pool.passage_score, settings.leg_weights.rerank_passage),
    ):
        scored = ~np.isnan(scores)
        if weight and name not in state.request.without and scored.any():
            terms[name] = reciprocal(rank(scores, scored, pool.created), weight, settings.rrf_k)
    return state.with_terms(terms)


def best_so_far(state: State) -> Ints:
    """Whom a model scores: pool positions of the best survivors by the terms so far."""
    pool, most = state.pool, SCORED * state.request.settings.rerank_multiplier
    best = np.flatnonzero(pool.rejected == 0)
    return best[np.argsort(-total(pool.terms, len(pool))[best], kind="stable")][:most]


def _by_tokens(state: State, world: World, encoding: QueryEncoding) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Late interaction with each survivor alone, and with the turns beside it; NaN for what has no tokens."""
    pool = state.pool
    standing = np.flatnonzero(pool.rejected == 0)
    before, after = world.reader.beside(pool.rows[standing], state.admission)
    every = np.unique(np.concatenate([pool.rows[standing], before[before >= 0], after[after >= 0]]))
    held = world.reader.codes(every)
    matches = best_matches(encoding.tokens, held)
    own = np.searchsorted(every, pool.rows[standing])
    weights = token_weights(state.plan, state.corpus.rows)
    sides = (np.where(rows < 0, -1, np.searchsorted(every, rows)) for rows in (before, after))
    around = weighted(with_neighbours(matches, own, *sides), weights)
    readable = np.diff(held.ends, prepend=0)[own] > 0
    return (
        _spread_scores(len(pool), standing, readable, weighted(matches[own], weights)),
        _spread_scores(len(pool), standing, readable, around),
    )


def _spread_scores(
    count: int, standing: NDArray[np.int64], scored: Mask, scores: Floats | NDArray[np.float32]
) -> NDArray[np.float32]:
    out = np.full(count, np.nan, dtype=np.float32)
    out[standing[scored]] = scores[scored]
    return out


def _by_model(state: State, world: World, model: Reranker) -> NDArray[np.float32]:
    """The scores of a model for the best so far; the others are not scored.

    Raises:
        EncoderError: it cannot score them, or not in time.
    """
    pool, best = state.pool, best_so_far(state)
    texts = [each.memory.content for each in world.reader.memories(pool.rows[best])]
    out = np.full(len(pool), np.nan, dtype=np.float32)
    if texts:
        out[best] = model.score(state.plan.text, texts, world.deadline.within(world.rerank.timeout_s))
    return out
