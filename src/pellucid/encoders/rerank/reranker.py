"""A query and texts in, one relevance score a text out: the port of every pointwise reranker, and who stands behind it.

Late interaction is no reranker of this port: it scores token codes of the index, not texts.
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
    """Scores each text by itself against a query. Constructing is cheap; what it needs is loaded by the first score."""

    @property
    def name(self) -> str:
        """Backend and model, e.g. `cohere:rerank-v3.5`; never a path of this machine."""
        ...

    @property
    def is_remote(self) -> bool:
        """Whether the query and the texts leave this machine."""
        ...

    def score(self, query: str, texts: Sequence[str], deadline_s: float) -> list[float]:
        """Finite scores in the order of `texts`, empty for none.

        Higher is better, what else they mean is the model's own affair.

        Args:
            query: what the texts are scored against.
            texts: all that may be seen of the candidates.
            deadline_s: seconds after which no answer is wanted any more, loading included.

        Raises:
            EncoderError: there is no answer, or none within `deadline_s`; says why and what to do.
        """
        ...


def open_reranker(settings: RerankSettings, cache: Path) -> Reranker | None:
    """The reranker of the settings; None for the backends `late-interaction` and `none`, which are not of this port.

    Args:
        settings: the backend and what it needs. They are checked by the first score.
        cache: the folder of all models, e.g. `<home>/models`.
    """
    if settings.backend == "cross-encoder":
        from pellucid.encoders.rerank.cross_encoder import CrossEncoder

        return CrossEncoder(settings.model, cache)
    if settings.backend == "cohere":
        from pellucid.encoders.rerank.cohere import CohereReranker

        return CohereReranker(settings)
    return None


def well_formed(text: str) -> str:
    """The text with half surrogate pairs replaced, which cannot be encoded."""
    return _SURROGATE.sub("\ufffd", text)


def finite(scores: Sequence[float], name: str) -> list[float]:
    """The scores of the reranker `name` as a list; EncoderError if one is no finite number."""
    if not all(map(math.isfinite, scores)):
        raise EncoderError(f"{name} gave a score that is no finite number", next_step="try another rerank.model")
    return list(scores)
