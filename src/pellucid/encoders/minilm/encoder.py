"""Texts in, unit vectors and token codes out: all-MiniLM-L6-v2 in this process.

A text's bits depend on the text alone: only texts of the same token count share a batch, so nothing is padded, and
every sum runs over one text's own numbers in one order, whoever its neighbours are and however many threads there are.
"""

import os
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pellucid.encoders import cachefolder
from pellucid.encoders.minilm import wht
from pellucid.encoders.minilm.provision import (
    MODEL_NAME,
    TOKENIZER,
    TOKENIZER_SHA256,
    WEIGHTS,
    WEIGHTS_SHA256,
    Report,
    provision,
)
from pellucid.encoders.minilm.session import BUILDER, Session, Variant
from pellucid.encoders.port import Encoding, QueryEncoding, Vector
from pellucid.errors import EncoderError

if TYPE_CHECKING:
    import tokenizers

_MAX_TOKENS = 256
_MAX_CHARACTERS = 16_384
"""Far more than 256 tokens of any prose; a tokenizer takes seconds for a text of megabytes."""
_WINDOW_TEXTS = 2048
# about as many rows as keep a layer's widest matrix in the processor's cache
_BATCH_TOKENS = 512
_RECENT_QUERIES = 1024
_MAX_THREADS = 4
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class _Loaded:
    tokenizer: "tokenizers.Tokenizer"
    session: Session


class MiniLM:
    """all-MiniLM-L6-v2 as an `Embedder`; loads, and if need be fetches, the model on first use. Safe to share."""

    def __init__(
        self, cache: Path, *, variant: Variant = "int8", report: Report | None = None, threads: int | None = None
    ) -> None:
        """Prepare, without loading anything.

        Args:
            cache: the folder of this one model, e.g. `<home>/models/all-MiniLM-L6-v2`.
            variant: `int8` (fast) or `float` (the reference numbers).
            report: told what happens while the model is fetched and built.
            threads: texts encoded at once by `encode`; default: the processors this process may use, at most four.
        """
        self._cache = cache
        self._variant: Variant = variant
        self._report = report
        self._threads = threads or min(_available_processors(), _MAX_THREADS)
        self._lock = Lock()
        self._loaded: _Loaded | None = None
        self._failure: EncoderError | None = None
        self._recent = lru_cache(maxsize=_RECENT_QUERIES)(self._fresh_query)

    @property
    def model(self) -> str:
        """The name, weights and graph whose numbers these are."""
        return f"{MODEL_NAME}@{WEIGHTS_SHA256[:8]}/{self._variant}-{BUILDER}"

    @property
    def basis(self) -> str:
        """The projection of the token codes."""
        return wht.BASIS

    def encode(self, texts: Sequence[str]) -> Iterator[Encoding]:
        """Encode texts, in the order given, a window of 2,048 at a time.

        A text longer than 256 tokens (with the two special ones) is represented by its first 256.

        Raises:
            EncoderError: the model could not be loaded.
        """
        for start in range(0, len(texts), _WINDOW_TEXTS):
            yield from self._encode_window(texts[start : start + _WINDOW_TEXTS])

    def encode_query(self, text: str) -> QueryEncoding:
        """Encode a query; the vector's bits are those `encode` gives. The arrays are shared and read-only.

        Raises:
            EncoderError: the model could not be loaded.
        """
        return self._recent(text)

    def _encode_window(self, texts: Sequence[str]) -> list[Encoding]:
        loaded = self._load()
        found = loaded.tokenizer.encode_batch([_clean(text) for text in texts])
        ids = [np.array(one.ids, np.int64) for one in found]
        batches = _batches([len(one) for one in ids])

        def encode(batch: list[int]) -> list[Encoding]:
            return _encode_batch(loaded.session, [ids[i] for i in batch])

        out: dict[int, Encoding] = {}
        with ThreadPoolExecutor(self._threads) as pool:
            for batch, encodings in zip(batches, pool.map(encode, batches), strict=True):
                out.update(zip(batch, encodings, strict=True))
        return [out[i] for i in range(len(texts))]

    def _fresh_query(self, text: str) -> QueryEncoding:
        loaded = self._load()
        found = loaded.tokenizer.encode(_clean(text))
        states = loaded.session.states(np.array([found.ids], np.int64))
        vector, tokens = _pool(states)[0], wht.query_tokens(states[0, 1:-1])
        vector.flags.writeable = tokens.flags.writeable = False
        return QueryEncoding(vector, tokens, tuple(found.offsets[1:-1]))

    def _load(self) -> _Loaded:
        with self._lock:
            if self._failure and not (self._cache / WEIGHTS).exists():
                # asking every source takes long: once a process, until somebody brings the weights
                raise EncoderError(self._failure.message, next_step=self._failure.next_step)
            try:
                self._loaded = self._loaded or _Loaded(
                    _tokenizer(self._cache, self._report), Session(self._cache, self._variant, self._report)
                )
            except EncoderError as error:
                self._failure = error
                raise
            return self._loaded


def _encode_batch(session: Session, ids: Sequence[NDArray[np.int64]]) -> list[Encoding]:
    """Encode texts of one length."""
    states = session.states(np.stack(ids))
    texts, length, width = states.shape
    inner = states[:, 1:-1].reshape(texts * (length - 2), width)
    codes = wht.sign_codes(inner).reshape(texts, length - 2, wht.CODE_BYTES)
    return [Encoding(vector, tokens) for vector, tokens in zip(_pool(states), codes, strict=True)]


def _pool(states: Vector) -> Vector:
    """The mean over all tokens, special ones included, at unit length: (texts, length, 384) to (texts, 384)."""
    means = states.mean(axis=1)
    return means / np.sqrt(np.square(means).sum(axis=1, keepdims=True))


def _batches(lengths: Sequence[int]) -> list[list[int]]:
    """Indices of texts in batches of one length each; long texts first, so that the threads finish together."""
    same: defaultdict[int, list[int]] = defaultdict(list)
    for index, length in enumerate(lengths):
        same[length].append(index)
    return [
        same[length][start : start + size]
        for length in sorted(same, reverse=True)
        for size in [max(1, _BATCH_TOKENS // length)]
        for start in range(0, len(same[length]), size)
    ]


def _tokenizer(cache: Path, report: Report | None) -> "tokenizers.Tokenizer":
    from tokenizers import Tokenizer

    # what is hashed is what is loaded: nobody can change the file in between
    data = cachefolder.checked(cache / TOKENIZER, TOKENIZER_SHA256)
    if data is None:
        data = cachefolder.checked(provision(cache, report).tokenizer, TOKENIZER_SHA256)
    if data is None:
        raise EncoderError(f"{cache / TOKENIZER} changes while it is read", next_step="look who writes to that folder")
    tokenizer = Tokenizer.from_buffer(data)
    tokenizer.no_padding()
    tokenizer.enable_truncation(_MAX_TOKENS)  # pyright: ignore[reportUnknownMemberType] -- its stub leaves **kwargs untyped
    return tokenizer


def _clean(text: str) -> str:
    # half a surrogate pair cannot leave Python; one character for another keeps every position
    return _SURROGATE.sub("\ufffd", text[:_MAX_CHARACTERS])


def _available_processors() -> int:
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
