"""The port of citations: what became of a memory that a recall served in, what was said of a session's memories out."""

from dataclasses import dataclass
from typing import Literal, Protocol

CitationKind = Literal["cited", "used", "saved_rework", "rewrote", "good", "dismissed", "flagged_stale", "bad"]
"""What became of a memory: it was quoted, worked with, spared work, was reworded, was found right; or it was of no use,
no longer true, or wrong."""
FAVOURABLE: frozenset[CitationKind] = frozenset({"cited", "used", "saved_rework", "rewrote", "good"})
"""Kinds that are use: the memory was worked with."""
AGAINST: frozenset[CitationKind] = frozenset({"flagged_stale", "bad"})
"""Kinds that say that the memory is wrong, or no longer true."""


@dataclass(frozen=True, slots=True)
class CitationRow:
    """One citation: `at` in epoch milliseconds; `occasion` is a session, or a day where none is known."""

    memory_id: str
    kind: CitationKind
    recall_id: str
    occasion: str
    agent: str | None
    at: int
    note: str = ""


class Citations(Protocol):
    """Citations of the memories of a namespace. A power cut may cost the last seconds."""

    def put(self, namespace: str, citation_id: str, row: CitationRow) -> bool:
        """Keep a citation; False where the memory was cited so on this occasion before: then nothing is changed.

        Raises:
            StoreError: it cannot be written.
        """
        ...

    def on(self, namespace: str, occasion: str) -> list[CitationRow]:
        """The citations of an occasion, in the order in which they were made."""
        ...

    def of(self, namespace: str, memory_id: str) -> list[CitationRow]:
        """The citations of one memory, in the order in which they were made."""
        ...

    def against(self, namespace: str) -> list[CitationRow]:
        """Every citation that says that a memory is wrong or no longer true, in the order in which they were made."""
        ...

    def served(self, namespace: str, session_id: str | None, since: int = 0) -> list[tuple[str, list[str]]]:
        """The recalls of a session, or of none, since a time (epoch milliseconds), newest first: id, what it served."""
        ...
