"""Query tokens and memory token codes in, how well each memory answers by itself out: MaxSim over sign bits."""

from math import log

import numpy as np
from numpy.typing import NDArray

from pellucid.recall.score.equation import Floats, Ints
from pellucid.recall.state import Plan
from pellucid.store.index_port import Codes


def token_weights(plan: Plan, rows: int) -> Floats:
    """Return the weight of each query token: log(1 + N/(1 + df)) of the word that it is part of.

    N is `rows`, df how many memories contain the word, N for a token that is part of no word. A token of a person's
    name weighs 0.
    """
    frequency = [plan.frequencies[stem] if stem >= 0 else rows for stem in plan.token_stem]
    named = [stem in plan.people for stem in plan.token_stem]
    return np.array([0.0 if name else log(1 + rows / (1 + df)) for df, name in zip(frequency, named, strict=True)])


def best_matches(query: NDArray[np.int8], memory_codes: Codes) -> Floats:
    """Return, as a matrix [memory, query token], the best cosine among the memory's tokens.

    0 for a memory without tokens. MaxSim of ColBERT (SIGIR 2020). Memory tokens are sign codes (n, 16 bytes), query
    tokens int8 (m, 128); the product with a sign vector is 2·(bits·q) − Σq. Every sum is below 2^24, so exact in
    float32, in any order of the rows.
    """
    out = np.zeros((len(memory_codes.ends), len(query)))
    if len(query) == 0 or len(memory_codes.codes) == 0:
        return out
    tokens = query.astype(np.float32)
    ones = np.unpackbits(memory_codes.codes, axis=1).astype(np.float32) @ tokens.T
    starts = np.r_[0, memory_codes.ends[:-1]]
    filled = memory_codes.ends > starts
    best = np.maximum.reduceat(ones, starts[filled], axis=0).astype(np.float64) * 2 - tokens.sum(axis=1)
    length = np.sqrt((query.astype(np.float64) ** 2).sum(axis=1) * query.shape[1])
    out[filled] = best / np.maximum(length, 1)
    return out


def nearest_tokens(query: NDArray[np.int8], memory_codes: Codes) -> tuple[Ints, Floats]:
    """Return, for each query token, the position of the most similar token of one memory, and their cosine.

    Of equally similar tokens the first. `memory_codes` must have a token.
    """
    tokens = query.astype(np.float32)
    ones = np.unpackbits(memory_codes.codes, axis=1).astype(np.float32) @ tokens.T
    length = np.sqrt((query.astype(np.float64) ** 2).sum(axis=1) * query.shape[1])
    best = ones.argmax(axis=0)
    product = ones[best, np.arange(len(query))].astype(np.float64) * 2 - tokens.sum(axis=1)
    return best.astype(np.int64), product / np.maximum(length, 1)


def weighted_mean(matches: Floats, weights: Floats) -> NDArray[np.float32]:
    """Return the weighted mean of each row's matches; `weights` has a weight for each column (query token). 0 if none
    has a weight."""
    if matches.shape[1] == 0:
        return np.zeros(len(matches), dtype=np.float32)
    share = weights / max(float(weights.sum()), 1e-9)
    return (matches * share).sum(axis=1).astype(np.float32)


def with_neighbours(matches: Floats, own: Ints, before: Ints, after: Ints) -> Floats:
    """Return the matches of the rows `own`, each raised, token by token, to that of the row before and after it.

    `own`, `before` and `after` are aligned indices into `matches`; -1 is no row.
    """
    out = matches[own]
    for beside in (before, after):
        has_neighbour = beside >= 0
        out[has_neighbour] = np.maximum(out[has_neighbour], matches[beside[has_neighbour]])
    return out
