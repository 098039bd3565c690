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
    """An episode found by the words of its topic and the names of its artifacts."""

    id: str
    row: int
    cosine: float  # of its topic; 0 without a query vector, or where the topic has none
    bm25: float  # over the episodes of the namespace
    matched: int  # which of the stems it holds, as bits in their order


class EpisodeReader(Protocol):
    """The episodes of one snapshot of a namespace."""

    def readable(self, ids: Sequence[str], admission: "Admission") -> "list[tuple[FiledEpisode, tuple[str, ...]]]":
        """Return these episodes in the order given, without unknown ids, each with contents of memories which show that
        its topic may be told.

        Only memories of the episode count that are admissible (filters aside) and in no boundary scope. If the first of
        them has the topic word for word, its content alone is returned; else the contents of those of the first 64 that
        have a word of the topic, or () if together they lack one. Artifacts that only its other memories came of or
        mention are removed from the episode.
        """
        ...

    def search(self, query: Vector | None, stems: Sequence[str], count: int) -> list[NearEpisode]:
        """Return the `count` episodes nearest by cosine and the `count` best by BM25, each once, highest cosine first,
        then highest BM25, then lowest id.

        An episode is found by the words of its topic and the names of its files and specs. `stems` are those of the
        query (`Term.stem`), at most 64. Whether the episodes are admissible is not checked (see `answering`). Without a
        query vector only BM25 counts.
        """
        ...

    def answering(
        self, near: Sequence[NearEpisode], stems: Sequence[str], admission: "Admission"
    ) -> list[tuple[NearEpisode, frozenset[int]]]:
        """Return those of the episodes `near` that have admissible memories in no boundary scope, in order, each with
        the rows of these memories.

        `stems` are those that `search` was given. If a stem matched only in an artifact that `readable` would remove,
        `matched` is without its bit, and `bm25` 0.
        """
        ...
