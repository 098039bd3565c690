"""Texts in, unit vectors and token codes out: all-MiniLM-L6-v2 in this process.

The modules that read and compute (`reading`, `running`) are loaded with the first text: they load NumPy, which the name
of the model does not need.
"""

import os
import sys
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from pellucid.deadline import Deadline
from pellucid.encoders.minilm.provision import BASIS, MODEL_NAME, WEIGHTS, WEIGHTS_SHA256, Report
from pellucid.encoders.minilm.session import BUILDER, Session, Variant
from pellucid.encoders.port import Encoding, QueryEncoding
from pellucid.errors import EncoderError
from pellucid.process import multiply_in_one_thread
from pellucid.text_cache import text_cache

if TYPE_CHECKING:
    from concurrent.futures import Future

    import tokenizers

_WINDOW_TEXTS = 2048
_RECENT_QUERIES = 1024
_MAX_THREADS = 4
READING = "r2"
"""Raised whenever a text is read as other tokens; part of the model's name, so that old vectors are told apart."""


@dataclass(frozen=True, slots=True)
class _Loaded:
    tokenizer: "tokenizers.Tokenizer"
    session: Session


class MiniLM:
    """all-MiniLM-L6-v2 as an `Embedder`; loads the model on first use, fetching it if it is missing. Safe to share."""

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
        self._loading: Future[_Loaded] | None = None
        self._cached_query = text_cache(_RECENT_QUERIES)(self._encode_query)

    @property
    def model(self) -> str:
        """Return the name stored with every vector: of the model, its weights, its graph and how it reads a text."""
        return f"{MODEL_NAME}@{WEIGHTS_SHA256[:8]}/{self._variant}-{BUILDER}-{READING}"

    @property
    def basis(self) -> str:
        """Return the name of the projection by which token codes are made, `wht128-v1`."""
        return BASIS

    def encode(self, texts: Sequence[str]) -> Iterator[Encoding]:
        """Yield the encodings of texts, in the order given, computed 2,048 at a time.

        A text longer than 256 tokens (with the two special ones), or 16,384 characters, is represented by its
        beginning. The model is waited for however long it loads. Raises EncoderError if it could not be loaded.
        """
        for start in range(0, len(texts), _WINDOW_TEXTS):
            yield from self._encode_window(texts[start : start + _WINDOW_TEXTS])

    def encode_query(self, text: str, deadline: Deadline | None = None) -> QueryEncoding:
        """Return the encoding of a query; its vector's bits are those of `encode`. The arrays are shared and read-only.

        A model that is loading is waited for until `deadline`; however long it takes if that is None. Tokens after the
        256th, and characters after the 16,384th, are cut. The latest 1,024 queries stay in memory until
        `text_cache.drop_cached_texts`.

        Raises DeadlineError if the model was still loading (it goes on, for the next time), EncoderError if it could
        not be loaded.
        """
        self._load(deadline)  # waited for here: what is cached by its text knows no deadline
        return self._cached_query(text)

    def _encode_window(self, texts: Sequence[str]) -> list[Encoding]:
        """Return the encodings of texts, in their order, all worked on at once; loads the model if needed. Raises
        EncoderError if it could not be loaded.
        """
        from pellucid.encoders.minilm import reading, running

        loaded = self._load()
        found = loaded.tokenizer.encode_batch([reading.read(text, loaded.tokenizer)[0] for text in texts])
        return running.encode_all(loaded.session, [one.ids for one in found], self._threads)

    def _encode_query(self, text: str) -> QueryEncoding:
        """Return the encoding of a query, not cached; loads the model if needed (EncoderError if it cannot be loaded).

        Its spans are ranges of characters in the text as given: blanks that `reading.read` adds are not counted.
        """
        from pellucid.encoders.minilm import reading, running

        loaded = self._load()
        spaced, added = reading.read(text, loaded.tokenizer)
        found = loaded.tokenizer.encode(spaced)
        spans = (
            (start - bisect_left(added, start), end - bisect_left(added, end)) for start, end in found.offsets[1:-1]
        )
        return running.encode_query(loaded.session, found.ids, tuple(spans))

    def _load(self, deadline: Deadline | None = None) -> _Loaded:
        """Return the tokenizer and session, loaded in the background on first use, and again after a failure if
        `_is_worth_retrying`.

        A load is waited for until `deadline` (None: however long it takes); DeadlineError if it was still going on
        then, EncoderError if it failed.
        """
        from concurrent.futures import ThreadPoolExecutor, wait

        with self._lock:
            if self._loading is None or self._is_worth_retrying(self._loading):
                # a thread that is waited for at exit: a process that ends in the middle of loading would crash
                loader = ThreadPoolExecutor(1, "minilm-load")
                self._loading = loader.submit(self._read_files)
                loader.shutdown(wait=False)
            loading = self._loading
        if not loading.done():
            (deadline or Deadline()).wait(lambda seconds: bool(wait([loading], seconds).done))
        if isinstance(error := loading.exception(), EncoderError):  # it may be raised many times, in several threads
            raise EncoderError(error.message, next_step=error.next_step) from error
        return loading.result()

    def _read_files(self) -> _Loaded:
        """Load the tokenizer and the graph from the cache folder, fetching and building what is missing, and have NumPy
        multiply in one thread from now on.
        """
        from pellucid.encoders.minilm.reading import open_tokenizer

        session = Session(self._cache, self._variant, self._report)
        multiply_in_one_thread()
        return _Loaded(open_tokenizer(self._cache, self._report), session)

    def _is_worth_retrying(self, loading: "Future[_Loaded]") -> bool:
        """Whether a load has failed and another one can succeed.

        After an EncoderError, as when no source had the files, that is so only if the weights are in the cache by now;
        after any other error always.
        """
        error = loading.exception() if loading.done() else None
        return error is not None and (not isinstance(error, EncoderError) or (self._cache / WEIGHTS).exists())


def _available_processors() -> int:
    """Return the number of processors that this process is allowed to use."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
