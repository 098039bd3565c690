"""The port of the encoder: texts in; unit vectors, token sign codes and integer query tokens out."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Protocol, TypeAlias

from pellucid.deadline import Deadline

if TYPE_CHECKING:  # a command that only looks at memories need not wait for NumPy
    import numpy as np
    from numpy.typing import NDArray

Vector: TypeAlias = Annotated["NDArray[np.float32]", "float32"]
TokenCodes: TypeAlias = Annotated["NDArray[np.uint8]", "uint8"]
QueryTokens: TypeAlias = Annotated["NDArray[np.int8]", "int8"]


@dataclass(frozen=True, slots=True)
class Encoding:
    """One text: its unit vector, float32 (dimensions,), and its token sign codes, uint8 (tokens, 16), 128 bits each."""

    vector: Vector
    tokens: TokenCodes


@dataclass(frozen=True, slots=True)
class QueryEncoding:
    """One query: its unit vector, its tokens as int8 (tokens, 128), and the range of each token in the text.

    `spans` are half-open character ranges in the query as given; special tokens are left out of both.
    """

    vector: Vector
    tokens: QueryTokens
    spans: tuple[tuple[int, int], ...]


class Embedder(Protocol):
    """Turns text into vectors. The same text gives the same bits, alone or in any batch, in any order."""

    @property
    def model(self) -> str:
        """Return the name and revision stored with every vector, e.g. `all-MiniLM-L6-v2@53aa5117/int8`."""
        ...

    @property
    def basis(self) -> str:
        """Return the name of the projection by which token codes are made, e.g. `wht128-v1`."""
        ...

    def encode(self, texts: Sequence[str]) -> Iterator[Encoding]:
        """Yield the encodings of texts to be stored, in the order given. A text is allowed to be empty, and one that is
        too long for the model is cut. Raises EncoderError if the model could not be loaded.
        """
        ...

    def encode_query(self, text: str, deadline: Deadline | None = None) -> QueryEncoding:
        """Return the encoding of a query, cut as by `encode`; recent ones come from a cache.

        Raises DeadlineError if the model was still loading at the deadline (None: it is waited for), EncoderError if it
        could not be loaded.
        """
        ...
