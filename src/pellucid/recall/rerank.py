"""Surviving candidates in, one more ranked list out: late interaction between query tokens and memory tokens."""

from dataclasses import replace
from math import log

import numpy as np
from numpy.typing import NDArray

from pellucid.recall.equation import rank, reciprocal
from pellucid.recall.state import Plan, Pool, State, World
from pellucid.settings import RecallSettings
from pellucid.store.index_port import Features


def rerank(state: State, world: World) -> State:  # noqa: ARG001 - every stage has one shape
    """Score every surviving candidate by itself, and add its place by that score as a term."""
    pool, settings, encoding = state.pool, state.request.settings, state.plan.encoding
    if not settings.enable_reranking or settings.leg_weights.rerank == 0 or encoding is None or state.features is None:
        return state
    among = (pool.rejected == 0) & (np.diff(state.features.ends, prepend=0) > 0)
    scores = late_interaction(encoding.tokens, token_weights(state.plan, state.corpus.rows), state.features)
    score = np.where(among, scores, np.nan).astype(np.float32)
    return replace(state, pool=place(replace(pool, rerank_score=score), settings))


def place(pool: Pool, settings: RecallSettings) -> Pool:
    """Turn the candidates' places by reranker score into a term."""
    ranks = rank(pool.rerank_score, ~np.isnan(pool.rerank_score))
    term = reciprocal(ranks, settings.leg_weights.rerank, settings.rrf_k)
    return replace(pool, terms={**pool.terms, "rerank": term})


def token_weights(plan: Plan, rows: int) -> NDArray[np.float64]:
    """How much each query token counts: log(1 + N/(1 + df)) of the word it stands in (df 0 for what is no word)."""
    frequency = [plan.frequencies[stem] if stem >= 0 else rows for stem in plan.token_stem]
    return np.array([log(1 + rows / (1 + df)) for df in frequency])


def late_interaction(query: NDArray[np.int8], weights: NDArray[np.float64], features: Features) -> NDArray[np.float32]:
    """The weighted mean over query tokens of the best match among a memory's tokens (MaxSim, ColBERT, SIGIR 2020).

    Memory tokens are sign codes (n, 16 bytes), query tokens int8 (m, 128): every product sum is below 2^24 and so
    exact in float32, in any order of the rows. A match is the cosine between the query token and the sign vector, from
    bits as 2·(bits·q) − Σq.
    """
    out = np.zeros(len(features.ends), dtype=np.float32)
    if len(query) == 0 or len(features.codes) == 0:
        return out
    tokens = query.astype(np.float32)
    ones = np.unpackbits(features.codes, axis=1).astype(np.float32) @ tokens.T
    starts = np.r_[0, features.ends[:-1]]
    filled = features.ends > starts
    best = np.maximum.reduceat(ones, starts[filled], axis=0).astype(np.float64) * 2 - tokens.sum(axis=1)
    length = np.sqrt((query.astype(np.float64) ** 2).sum(axis=1) * query.shape[1])
    share = weights / max(weights.sum(), 1e-9) / np.maximum(length, 1)
    out[filled] = (best * share).sum(axis=1)
    return out
