"""A query and texts in, a cross-encoder's scores out: an ONNX model of the user's choice, in this process.

Each pair goes through the model by itself, so a text's score depends on the query and that text alone: the other texts
change nothing, even in models whose integer scales are taken over a whole batch. Two pairs are scored at the same time,
each on one thread; no thread ever waits, or spins, for another in the middle of a pair.
"""

# onnxruntime carries no types; what leaves this module is typed
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportAttributeAccessIssue=false, reportUnknownParameterType=false

import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path
from threading import Lock, Timer
from typing import TYPE_CHECKING

import numpy as np

from pellucid.encoders.rerank.files import DEFAULT_MODEL, MissingModelError, is_path_name, locate
from pellucid.encoders.rerank.reranker import finite, well_formed
from pellucid.errors import EncoderError

if TYPE_CHECKING:
    from onnxruntime import RunOptions
    from tokenizers import Tokenizer

THREADS = 2
_MAX_CHARACTERS = 8_192
"""More than 512 tokens of any prose; a tokenizer takes seconds for a text of megabytes."""
_LONGEST_REASON = 300
_INPUTS = frozenset({"input_ids", "attention_mask", "token_type_ids"})
_INTEGERS = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}


class CrossEncoder:
    """A cross-encoder as a `Reranker`: loads on the first score, from local files alone. Safe to share."""

    def __init__(self, model: str, cache: Path) -> None:
        """Prepare, without loading anything.

        Args:
            model: its name, see `rerank.files`; empty for the default.
            cache: the folder of all models, e.g. `<home>/models`.
        """
        self._model = model or DEFAULT_MODEL
        self._cache = cache
        self._lock = Lock()
        self._loading: Future[_LoadedReranker] | None = None

    @property
    def name(self) -> str:
        """Return `cross-encoder:` and the model; of a local model the last part of its path."""
        model = Path(self._model).expanduser().resolve().name if is_path_name(self._model) else self._model
        return f"cross-encoder:{model}"

    @property
    def is_remote(self) -> bool:
        """Return False: nothing leaves this machine."""
        return False

    def score(self, query: str, texts: Sequence[str], deadline_s: float) -> list[float]:
        """Return the model's own output, usually a logit, for the query with each text, in the order of `texts`; `[]`
        for none.

        The first 8,192 characters of the query and of each text are read, and of both together at most 512 tokens. A
        model that takes longer to load than `deadline_s` seconds goes on loading for the next time. At the deadline
        even a pair in the middle of the model is stopped. EncoderError, and no scores at all, if one is then missing,
        or cannot be computed.
        """
        started = time.perf_counter()
        if not texts:
            return []
        loaded = self._load(deadline_s)
        box = _TimeBox(deadline_s - (time.perf_counter() - started))
        with box, ThreadPoolExecutor(THREADS, "cross-encoder") as threads:
            futures = [threads.submit(loaded.score, query, text, box.options) for text in texts]
            wait(futures)
        failures = [error for future in futures if (error := future.exception())]
        if failures and box.is_over:
            took = time.perf_counter() - started
            raise EncoderError(
                f"{self.name} scored {len(texts) - len(failures)} of {len(texts)} in {took:.2f} s",
                next_step="raise rerank.timeoutS, or set rerank.model to a smaller one",
            )
        if failures:
            raise self._failure("could not score a text", failures[0])
        return finite([future.result() for future in futures], self.name)

    def _load(self, deadline_s: float) -> "_LoadedReranker":
        """Return the tokenizer and graph, loaded in the background on first use, and again if `_is_worth_retrying`.

        EncoderError if they are not there after `deadline_s` seconds, or cannot be loaded; other failures are raised
        again by later calls.
        """
        with self._lock:
            if self._loading is None or _is_worth_retrying(self._loading):
                # a thread that is waited for at exit: a process that ends in the middle of loading would crash
                loader = ThreadPoolExecutor(1, "cross-encoder-load")
                self._loading = loader.submit(_LoadedReranker, self._model, self._cache)
                loader.shutdown(wait=False)
            loading = self._loading
        if not wait([loading], max(0.0, deadline_s)).done:
            raise EncoderError(
                f"{self.name} is still loading after {deadline_s:g} s",
                next_step="ask again when it is there, or raise rerank.timeoutS",
            )
        # the libraries raise whatever they like, a bare Exception too; a future keeps it, and so it is remembered
        if error := loading.exception():
            raise self._failure("cannot be loaded", error)
        return loading.result()

    def _failure(self, event: str, error: BaseException) -> EncoderError:
        """Return an EncoderError that names this reranker, what failed (`event`: `cannot be loaded`), and the error.

        An EncoderError says itself what failed: its message and next step stay, without `event`.
        """
        if isinstance(error, EncoderError):
            return EncoderError(f"{self.name}: {error.message}", next_step=error.next_step)
        step = "check that rerank.model is a reranker with an ONNX graph, and fetch it anew"
        if isinstance(error, ImportError):
            step = "install pellucid anew, with all it depends on"
        reason = " ".join(str(error).split())[:_LONGEST_REASON]
        return EncoderError(f"{self.name} {event}: {type(error).__name__}: {reason}", next_step=step)


class _TimeBox:
    """A number of seconds after which every run with its `options` is stopped, and none begins."""

    def __init__(self, seconds: float) -> None:
        """Prepare `options`; the time runs from the `with` block on, and is over at once if `seconds` is 0 or less."""
        from pellucid.encoders.onnx import onnxruntime

        self.options: RunOptions = onnxruntime.RunOptions()
        self.options.log_severity_level = 4  # being stopped is no error to be printed
        self._timer = Timer(max(0.0, seconds), self._stop)
        self._timer.daemon = True

    @property
    def is_over(self) -> bool:
        """Whether the time is over."""
        return bool(self.options.terminate)

    def __enter__(self) -> None:
        if self._timer.interval > 0:
            self._timer.start()
        else:
            self._stop()

    def __exit__(self, *failure: object) -> None:
        self._timer.cancel()

    def _stop(self) -> None:
        """Have every run with these `options` end now."""
        self.options.terminate = True


class _LoadedReranker:
    """A tokenizer and a graph, ready for any number of threads."""

    def __init__(self, model: str, cache: Path) -> None:
        """Load a model from this machine (`files.locate`); EncoderError if it is missing, or its graph has inputs that
        no cross-encoder has, and the errors of the libraries that load it.
        """
        from pellucid.encoders.onnx import open_session

        files = locate(model, cache)
        self._tokenizer = _open_tokenizer(files.tokenizer, files.max_tokens)
        self._session = open_session(files.graph, log_severity=4)
        self._inputs = {one.name: _INTEGERS.get(one.type) for one in self._session.get_inputs()}
        odd = sorted(name for name, kind in self._inputs.items() if name not in _INPUTS or kind is None)
        if odd or "input_ids" not in self._inputs:
            raise EncoderError(
                f"its graph wants {', '.join(odd) or 'no input_ids'}, which no cross-encoder does",
                next_step="set rerank.model to a reranker exported for text classification",
            )
        outputs = [one.name for one in self._session.get_outputs()]
        self._output = "logits" if "logits" in outputs else outputs[0]

    def score(self, query: str, text: str, options: "RunOptions") -> float:
        """Return the model's number for one pair; of the query and of the text 8,192 characters are read.

        `options` can stop it (`_TimeBox`): TimeoutError if that was before it began, ONNX Runtime's error if in the
        middle. EncoderError if the model gives more numbers than one.
        """
        if options.terminate:
            raise TimeoutError("the time was over before this pair's turn came")
        pair = self._tokenizer.encode(well_formed(query[:_MAX_CHARACTERS]), well_formed(text[:_MAX_CHARACTERS]))
        values = {"input_ids": pair.ids, "attention_mask": pair.attention_mask, "token_type_ids": pair.type_ids}
        feed = {name: np.array([values[name]], kind) for name, kind in self._inputs.items()}
        (output,) = self._session.run([self._output], feed, options)
        if output.size != 1:
            raise EncoderError(
                f"the model gives {output.size} numbers a text, and a reranker gives one",
                next_step="set rerank.model to a reranker, not a classifier or an embedding model",
            )
        return float(output.item())


def _is_worth_retrying(loading: "Future[_LoadedReranker]") -> bool:
    """Whether loading has ended, and failed only because the model was missing; looking again costs a few file
    look-ups.
    """
    return loading.done() and isinstance(loading.exception(), MissingModelError)


def _open_tokenizer(path: Path, max_tokens: int) -> "Tokenizer":
    """Return the tokenizer of a file, cutting pairs at `max_tokens`."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_tokens)
    return tokenizer
