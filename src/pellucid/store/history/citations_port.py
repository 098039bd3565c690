"""The port of citations: what became of a memory that a recall served in, what was said of a session's memories out."""

from dataclasses import dataclass
from typing import Literal, Protocol

from pellucid.model.entity import FOREVER

CitationKind = Literal["cited", "used", "saved_rework", "rewrote", "good", "dismissed", "flagged_stale", "bad"]
"""What became of a memory: it was quoted, worked with, spared work, was reworded, was found right; or it was of no use,
no longer true, or wrong."""
FAVOURABLE: frozenset[CitationKind] = frozenset({"cited", "used", "saved_rework", "rewrote", "good"})
"""Kinds that are use: the memory was worked with."""
CitationSource = Literal["explicit", "automatic"]
"""Somebody said it, or it was seen."""
Evidence = Literal["opened", "copied", "updated", "rewrote", "quoted", "id", "file"]
"""The sign of an automatic citation: the memory was looked at, copied or changed; other words took its place; an agent
said its words or its id; a file was worked on that it names."""
AGAINST: frozenset[CitationKind] = frozenset({"flagged_stale", "bad"})
"""Kinds that say that the memory is wrong, or no longer true."""


@dataclass(frozen=True, slots=True)
class CitationRow:
    """One citation: `at` in epoch milliseconds; `occasion` is a session, or a day where none is known.

    A recall that is said to be good or bad as a whole stands in the place of the memory.
    """

    memory_id: str
    kind: CitationKind
    recall_id: str
    occasion: str
    agent: str | None
    at: int
    note: str = ""
    """What was said of it; of an automatic one the words that are its evidence."""
    source: CitationSource = "explicit"
    evidence: Evidence | None = None
    """None of an explicit one."""


@dataclass(frozen=True, slots=True)
class ServedRecall:
    """What a recall served, in the order of its places; `at` in epoch milliseconds, `query` empty where not kept."""

    recall_id: str
    at: int
    query: bytes
    memory_ids: tuple[str, ...]


class Citations(Protocol):
    """Citations of the memories of a namespace. A power cut may cost the last seconds."""

    def put(self, namespace: str, citation_id: str, row: CitationRow) -> bool:
        """Keep a citation; False where the memory was cited so on this occasion before: then nothing is changed.

        What somebody says outdoes what was seen: it takes the place of an automatic citation of its kind; and beside
        a word that a memory was of no use, no automatic citation of it stands on that occasion.

        Raises:
            StoreError: it cannot be written.
        """
        ...

    def on(self, namespace: str, occasion: str) -> list[CitationRow]:
        """The citations of an occasion, in the order in which they were made."""
        ...

    def of(self, namespace: str, memory_id: str) -> list[CitationRow]:
        """The citations of a memory, in the order in which they were made."""
        ...

    def of_recall(self, namespace: str, recall_id: str) -> list[CitationRow]:
        """The citations of what a recall served, and of it as a whole, in the order in which they were made."""
        ...

    def against(self, namespace: str) -> list[CitationRow]:
        """Every citation that says that a memory is wrong or no longer true, in the order in which they were made."""
        ...

    def served(self, namespace: str, session_id: str | None, since: int = 0) -> list[ServedRecall]:
        """The recalls of a session, or of none, since a time (epoch milliseconds), newest first."""
        ...

    def serving(
        self, namespace: str, session_id: str | None, memory_id: str, since: int = 0, until: int = FOREVER
    ) -> str | None:
        """The newest of those recalls, up to a time, that served a memory; None where none did."""
        ...
