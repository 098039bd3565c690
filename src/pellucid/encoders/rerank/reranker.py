"""A query and texts in, one relevance score a text out: the port of every pointwise reranker, and its adapters.

Late interaction is not a reranker of this port: it scores token codes of the index, not texts.
"""

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from pellucid.errors import EncoderError
from pellucid.settings.sections import RerankSettings

_SURROGATE = re.compile("[\ud800-\udfff]")


class Reranker(Protocol):
    """Scores each text by itself against a query. Constructing is cheap; the first score loads what is needed."""

    @property
    def name(self) -> str:
        """Return backend and model, e.g. `cohere:rerank-v3.5`; never a path of this machine."""
        ...

    @property
    def is_remote(self) -> bool:
        """Whether the query and the texts leave this machine."""
        ...

    def score(self, query: str, texts: Sequence[str], deadline_s: float) -> list[float]:
        """Return finite scores in the order of `texts`; empty if there are no texts.

        Higher is better; what else a score means depends on the model. `texts` are all that the model sees of the
        candidates; after `deadline_s` seconds, loading included, no answer is wanted any more. Raises EncoderError,
        which says why and what to do, if there is no answer by then.
        """
        ...


def open_reranker(settings: RerankSettings, cache: Path) -> Reranker | None:
    """Return the reranker of the settings; None for the backend `none`, and for `late-interaction`, which scores token
    codes of the index and no texts.

    `settings` are checked by the first score. `cache` is the folder of all models, e.g. `<home>/models`.
    """
    if settings.backend == "cross-encoder":
        from pellucid.encoders.rerank.cross_encoder import CrossEncoder

        return CrossEncoder(settings.model, cache)
    if settings.backend == "cohere":
        from pellucid.encoders.rerank.cohere import CohereReranker

        return CohereReranker(settings)
    return None


def well_formed(text: str) -> str:
    """Return the text with half surrogate pairs, which cannot be encoded, replaced by U+FFFD, one for one."""
    return _SURROGATE.sub("\ufffd", text)


def finite(scores: Sequence[float], name: str) -> list[float]:
    """Return the scores of the reranker `name` as a list; EncoderError if one is not a finite number."""
    if not all(map(math.isfinite, scores)):
        raise EncoderError(f"{name} gave a score that is no finite number", next_step="try another rerank.model")
    return list(scores)
