"""The port of episodes: words and a vector in, the episodes of a snapshot that are near out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from pellucid.encoders.port import Vector

if TYPE_CHECKING:
    from pellucid.store.index_port import Admission
    from pellucid.store.lookup_port import FiledEpisode


@dataclass(frozen=True, slots=True)
class NearEpisode:
    """An episode that is near a query by its own words: those of its topic, and the names of its artifacts."""

    id: str
    row: int
    cosine: float
    """Of its topic; 0 without a query vector, or where the topic has none."""
    bm25: float
    """Over the episodes of the namespace."""
    matched: int
    """Which of the stems it holds, as bits in their order."""


class EpisodeReader(Protocol):
    """The episodes of one snapshot of a namespace."""

    def readable(self, ids: Sequence[str], admission: "Admission") -> "list[tuple[FiledEpisode, tuple[str, ...]]]":
        """These episodes, in order, unknown ones left out, each with what vouches for its topic.

        That is what those of its memories say that are active, valid, trusted and in no boundary scope, and hold words
        of the topic; nothing where the first 64 of them do not hold them all. An artifact that only other memories came
        of, or name, is left out.
        """
        ...

    def search(self, query: Vector | None, stems: Sequence[str], count: int) -> list[NearEpisode]:
        """The `count` nearest by meaning and the `count` best by words (BM25), the nearest first, then by words, id.

        Nobody vouches for them yet: what `answering` makes of them may be used.
        """
        ...

    def answering(
        self, near: Sequence[NearEpisode], stems: Sequence[str], admission: "Admission"
    ) -> list[tuple[NearEpisode, frozenset[int]]]:
        """Those of these with memories that may answer and are in no boundary scope, and the rows of these memories.

        Where words of an artifact matched that `readable` would leave out, `matched` is without them, and `bm25` 0.
        """
        ...
