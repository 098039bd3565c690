"""Surviving candidates in, one more ranked list out: each scored by itself, by late interaction or by a model."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pellucid.encoders.port import QueryEncoding
from pellucid.encoders.rerank.reranker import Reranker
from pellucid.recall.score.equation import Floats, Ints, Mask, rank, reciprocal, total
from pellucid.recall.score.fuse import weights_for
from pellucid.recall.score.late_interaction import best_matches, token_weights, weighted_mean, with_neighbours
from pellucid.recall.state import State, World
from pellucid.settings.sections import RecallSettings

SCORED = 12
"""A model scores so many candidates times `rerankMultiplier`; fixed, so that `topK` only cuts."""
NO_RERANKING, LATE_INTERACTION = "none", "late-interaction"


def score_survivors(state: State, world: World) -> State:
    """Score the candidates that passed every filter with the chosen reranker; scores stay NaN if it cannot score.

    A model sets `rerank_score` of the best of them; late interaction also `passage_score`, and needs an encoder. Raises
    EncoderError if a model is asked and fails or is late.
    """
    if state.rerank_backend == NO_RERANKING:
        return state
    if world.reranker is not None:
        return replace(state, pool=replace(state.pool, rerank_score=_score_by_model(state, world, world.reranker)))
    if state.plan.encoding is None or len(state.pool) == 0:
        return state
    alone, around = _score_by_tokens(state, world, state.plan.encoding)
    return replace(state, pool=replace(state.pool, rerank_score=alone, passage_score=around))


def scorer(settings: RecallSettings, world: World) -> str:
    """Return the name of the reranker chosen by settings and world, whether or not it then works; `none` if off.

    It is off if `enableReranking` is, if both its weights are 0, or if the backend is `none`.
    """
    is_weighted = settings.leg_weights.rerank or settings.leg_weights.rerank_passage
    if not settings.enable_reranking or not is_weighted or world.rerank.backend == NO_RERANKING:
        return NO_RERANKING
    return world.reranker.name if world.reranker else LATE_INTERACTION


def rerank(state: State) -> State:
    """Add the terms `rerank` and `rerankPassage`, from the ranks by a memory's own score and by its passage's score.

    A term is missing if its weight is 0, the request leaves it out, or no candidate has such a score.
    """
    pool, settings, terms = state.pool, state.request.settings, dict[str, Floats]()
    weights = weights_for(settings, state.plan)
    for name, scores, weight in (
        ("rerank", pool.rerank_score, weights["rerank"]),
        ("rerankPassage", pool.passage_score, weights["rerank_passage"]),
    ):
        scored = ~np.isnan(scores)
        if weight and name not in state.request.without and scored.any():
            terms[name] = reciprocal(rank(scores, scored, pool.created), weight, settings.rrf_k)
    return state.with_terms(terms)


def candidates_for_model(state: State) -> Ints:
    """Return the pool positions of the candidates that a model scores: of those that passed every filter, the best by
    the terms so far, best first, at most 12 times `rerankMultiplier`."""
    pool, max_count = state.pool, SCORED * state.request.settings.rerank_multiplier
    best = np.flatnonzero(pool.rejected == 0)
    return best[np.argsort(-total(pool.terms, len(pool))[best], kind="stable")][:max_count]


def _score_by_tokens(
    state: State, world: World, encoding: QueryEncoding
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return two pool columns of late-interaction scores: of each candidate that passed every filter alone, and
    together with the turns beside it; NaN for the others, and for one without token codes."""
    pool = state.pool
    survivors = np.flatnonzero(pool.rejected == 0)
    before, after = world.reader.beside(pool.rows[survivors], state.admission)
    all_rows = np.unique(np.concatenate([pool.rows[survivors], before[before >= 0], after[after >= 0]]))
    codes = world.reader.codes(all_rows)
    matches = best_matches(encoding.tokens, codes)
    own = np.searchsorted(all_rows, pool.rows[survivors])
    weights = token_weights(state.plan, state.corpus.rows)
    sides = (np.where(rows < 0, -1, np.searchsorted(all_rows, rows)) for rows in (before, after))
    around = weighted_mean(with_neighbours(matches, own, *sides), weights)
    readable = np.diff(codes.ends, prepend=0)[own] > 0
    return (
        _spread_scores(len(pool), survivors, readable, weighted_mean(matches[own], weights)),
        _spread_scores(len(pool), survivors, readable, around),
    )


def _spread_scores(
    count: int, survivors: NDArray[np.int64], is_scored: Mask, scores: Floats | NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return a pool column of `count` values: `scores`, aligned with the positions `survivors`, at those of them for
    which `is_scored` holds; else NaN.
    """
    out = np.full(count, np.nan, dtype=np.float32)
    out[survivors[is_scored]] = scores[is_scored]
    return out


def _score_by_model(state: State, world: World, model: Reranker) -> NDArray[np.float32]:
    """Return a pool column with a model's scores of `candidates_for_model`, NaN for all others.

    EncoderError if the model fails or is late.
    """
    pool, best = state.pool, candidates_for_model(state)
    texts = [each.memory.content for each in world.reader.memories(pool.rows[best])]
    out = np.full(len(pool), np.nan, dtype=np.float32)
    if texts:
        out[best] = model.score(state.plan.text, texts, world.deadline.within(world.rerank.timeout_s))
    return out
