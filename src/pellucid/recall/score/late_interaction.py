"""Query tokens and memory token codes in, how well each memory answers by itself out: MaxSim over sign bits."""

from math import log

import numpy as np
from numpy.typing import NDArray

from pellucid.recall.score.equation import Floats, Ints
from pellucid.recall.state import Plan
from pellucid.store.index_port import Codes


def token_weights(plan: Plan, rows: int) -> Floats:
    """How much each query token counts: log(1 + N/(1 + df)) of the word it stands in (df N for what is no word)."""
    frequency = [plan.frequencies[stem] if stem >= 0 else rows for stem in plan.token_stem]
    return np.array([log(1 + rows / (1 + df)) for df in frequency])


def best_matches(query: NDArray[np.int8], held: Codes) -> Floats:
    """For each memory and query token the best match among the memory's tokens, 0 for a memory without any.

    Memory tokens are sign codes (n, 16 bytes), query tokens int8 (m, 128): every product sum is below 2^24 and so
    exact in float32, in any order of the rows. A match is the cosine between the query token and the sign vector, from
    bits as 2·(bits·q) − Σq (MaxSim of ColBERT, SIGIR 2020).
    """
    out = np.zeros((len(held.ends), len(query)))
    if len(query) == 0 or len(held.codes) == 0:
        return out
    tokens = query.astype(np.float32)
    ones = np.unpackbits(held.codes, axis=1).astype(np.float32) @ tokens.T
    starts = np.r_[0, held.ends[:-1]]
    filled = held.ends > starts
    best = np.maximum.reduceat(ones, starts[filled], axis=0).astype(np.float64) * 2 - tokens.sum(axis=1)
    length = np.sqrt((query.astype(np.float64) ** 2).sum(axis=1) * query.shape[1])
    out[filled] = best / np.maximum(length, 1)
    return out


def nearest(query: NDArray[np.int8], held: Codes) -> tuple[Ints, Floats]:
    """For each query token the position of the nearest token of one memory, the first of equals, and the cosine."""
    tokens = query.astype(np.float32)
    ones = np.unpackbits(held.codes, axis=1).astype(np.float32) @ tokens.T
    length = np.sqrt((query.astype(np.float64) ** 2).sum(axis=1) * query.shape[1])
    best = ones.argmax(axis=0)
    met = ones[best, np.arange(len(query))].astype(np.float64) * 2 - tokens.sum(axis=1)
    return best.astype(np.int64), met / np.maximum(length, 1)


def weighted(matches: Floats, weights: Floats) -> NDArray[np.float32]:
    """The weighted mean of each row's matches, by `weights` of the query tokens."""
    if matches.shape[1] == 0:
        return np.zeros(len(matches), dtype=np.float32)
    share = weights / max(float(weights.sum()), 1e-9)
    return (matches * share).sum(axis=1).astype(np.float32)


def with_neighbours(matches: Floats, own: Ints, before: Ints, after: Ints) -> Floats:
    """The `own` rows' matches, raised to those of the row before or after where these are better; -1: none there."""
    out = matches[own]
    for beside in (before, after):
        there = beside >= 0
        out[there] = np.maximum(out[there], matches[beside[there]])
    return out
