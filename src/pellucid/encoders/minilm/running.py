"""A session and token ids in, encodings out.

A text's bits depend on the text alone: only texts of the same token count share a batch, so nothing is padded, and
every sum runs over one text's own numbers in one order, whoever its neighbours are and however many threads there are.
"""

from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from pellucid.encoders.minilm import wht
from pellucid.encoders.minilm.session import Session
from pellucid.encoders.port import Encoding, QueryEncoding, Vector

# about as many rows as keep a layer's widest matrix in the processor's cache
_BATCH_TOKENS = 512


def encode_all(session: Session, texts: Sequence[Sequence[int]], threads: int) -> list[Encoding]:
    """Return the encodings of texts, each given as its token ids, in the order given; computed on `threads` threads."""
    ids = [np.array(one, np.int64) for one in texts]
    batches = _batches_by_length([len(one) for one in ids])

    def encode(batch: list[int]) -> list[Encoding]:
        """Return the encodings of the texts with the indices in `batch`, in their order; all have the same length."""
        return _encode_batch(session, [ids[i] for i in batch])

    out: dict[int, Encoding] = {}
    with ThreadPoolExecutor(threads) as pool:
        for batch, encodings in zip(batches, pool.map(encode, batches), strict=True):
            out.update(zip(batch, encodings, strict=True))
    return [out[i] for i in range(len(ids))]


def encode_query(session: Session, ids: Sequence[int], spans: tuple[tuple[int, int], ...]) -> QueryEncoding:
    """Return the encoding of a query from its token ids, the first and last of them special; `spans` are the (start,
    end) characters of the other tokens in the query. Arrays are read-only.
    """
    states = session.states(np.array([ids], np.int64))
    vector, tokens = _mean_of_tokens(states)[0], wht.query_tokens(states[0, 1:-1])
    vector.flags.writeable = tokens.flags.writeable = False
    return QueryEncoding(vector, tokens, spans)


def _encode_batch(session: Session, ids: Sequence[NDArray[np.int64]]) -> list[Encoding]:
    """Return the encodings of texts, given as token ids, that all have the same length."""
    states = session.states(np.stack(ids))
    texts, length, width = states.shape
    inner = states[:, 1:-1].reshape(texts * (length - 2), width)
    codes = wht.sign_codes(inner).reshape(texts, length - 2, wht.CODE_BYTES)
    return [Encoding(vector, tokens) for vector, tokens in zip(_mean_of_tokens(states), codes, strict=True)]


def _mean_of_tokens(states: Vector) -> Vector:
    """Return the mean of each text's token states at unit length: (texts, length, 384) to (texts, 384).

    Special tokens are included.
    """
    means = states.mean(axis=1)
    return means / np.sqrt(np.square(means).sum(axis=1, keepdims=True))


def _batches_by_length(lengths: Sequence[int]) -> list[list[int]]:
    """Return the indices of texts in batches of one length each: as many texts as have 512 tokens together, at least
    one.

    Long texts come first, so that the threads finish together.
    """
    by_length: defaultdict[int, list[int]] = defaultdict(list)
    for index, length in enumerate(lengths):
        by_length[length].append(index)
    return [
        by_length[length][start : start + size]
        for length in sorted(by_length, reverse=True)
        for size in [max(1, _BATCH_TOKENS // length)]
        for start in range(0, len(by_length[length]), size)
    ]
