"""The port of citations: uses and judgements of served memories in, the citations of a session or memory out."""

from dataclasses import dataclass
from typing import Literal, Protocol

from pellucid.model.entity import FOREVER

CitationKind = Literal["cited", "used", "saved_rework", "rewrote", "good", "dismissed", "flagged_stale", "bad"]
"""How a memory was used or judged: quoted, used, work saved, reworded, right; or useless, outdated, wrong."""
FAVOURABLE: frozenset[CitationKind] = frozenset({"cited", "used", "saved_rework", "rewrote", "good"})
"""Kinds that are use: the memory was worked with."""
CitationSource = Literal["explicit", "automatic"]  # somebody said it, or it was seen
Evidence = Literal["opened", "copied", "updated", "rewrote", "quoted", "id", "file"]
"""The sign of an automatic citation: the memory was looked at, copied or changed; other words replaced it; an agent
quoted its words or its id; a file that it names was worked on.
"""
AGAINST: frozenset[CitationKind] = frozenset({"flagged_stale", "bad"})
"""Kinds that call the memory wrong or outdated."""


@dataclass(frozen=True, slots=True)
class CitationRow:
    """One citation: how a memory was used or judged. `at` is in epoch milliseconds.

    `occasion` is a session id, or a day where no session is known. For a verdict on a whole recall `memory_id` is the
    recall's id.
    """

    memory_id: str
    kind: CitationKind
    recall_id: str
    occasion: str
    agent: str | None
    at: int
    note: str = ""  # what was said of it; of an automatic one the words that are its evidence
    source: CitationSource = "explicit"
    evidence: Evidence | None = None  # None of an explicit one


@dataclass(frozen=True, slots=True)
class ServedRecall:
    """The memories that a recall served, by rank; `at` in epoch milliseconds, `query` empty if it was not kept."""

    recall_id: str
    at: int
    query: bytes
    memory_ids: tuple[str, ...]


class Citations(Protocol):
    """Citations of the memories of a namespace. A power cut can lose the last seconds."""

    def put(self, namespace: str, citation_id: str, row: CitationRow) -> bool:
        """Store a citation under the new id `citation_id`; return False, with nothing stored, if the memory has one of
        its kind from the same occasion.

        An explicit citation first deletes automatic ones of its memory and occasion: those of its kind or, if it is not
        in `FAVOURABLE`, of any kind. After an explicit one not in `FAVOURABLE`, automatic ones are refused (False).
        Raises StoreError if it cannot be written.
        """
        ...

    def on(self, namespace: str, occasion: str) -> list[CitationRow]:
        """Return the citations made on an occasion (a session id, or a day), oldest first."""
        ...

    def of(self, namespace: str, memory_id: str) -> list[CitationRow]:
        """Return the citations of a memory, oldest first."""
        ...

    def of_recall(self, namespace: str, recall_id: str) -> list[CitationRow]:
        """Return the citations that were made of a recall (`recall_id`): of memories that it served, and of the recall
        as a whole, oldest first.
        """
        ...

    def against(self, namespace: str) -> list[CitationRow]:
        """Return a namespace's citations that call a memory wrong or outdated (kinds `AGAINST`), oldest first."""
        ...

    def served(self, namespace: str, session_id: str | None, since: int = 0) -> list[ServedRecall]:
        """Return the recalls of a session (None: of no session) at or after `since` (epoch ms), newest first, each with
        the memories that it served.
        """
        ...

    def serving(
        self, namespace: str, session_id: str | None, memory_id: str, since: int = 0, until: int = FOREVER
    ) -> str | None:
        """Return the id of a session's newest recall that served a memory; None if none did.

        The recall was made from `since` to `until` (epoch ms, both included). A `session_id` of None means recalls of
        no session.
        """
        ...
