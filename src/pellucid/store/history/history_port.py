"""The port of history: packed receipts and served results in, the same by id out; never needed to recall."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Protocol

from pellucid.store.history.telemetry_port import RecallEvent


@dataclass(frozen=True, slots=True)
class AuditRow:
    """One served result: its recall, its rank (from 1), its memory, and the operation that wrote that version."""

    recall_id: str
    place: int
    memory_id: str
    op_id: str | None
    at: int


@dataclass(frozen=True, slots=True)
class RecallRecord:
    """One recall to store: `at` in epoch milliseconds; `served` are pairs (memory id, operation id) by rank.

    `packed` is the receipt, without a word of the query; None for a recall that failed. `query` is stored apart, so
    that it can be erased; empty if withheld.
    """

    recall_id: str
    at: int
    namespace: str
    session_id: str | None
    packed: bytes | None
    served: tuple[tuple[str, str | None], ...] = ()
    query: bytes = b""
    event: RecallEvent | None = None


class History(Protocol):
    """Receipts of recalls with their results and events. A power cut can lose the last seconds."""

    def later(self, make_record: Callable[[], RecallRecord], then: Callable[[], object] | None = None) -> None:
        """Queue one recall, with its served results and its event, to be stored in the background.

        It is stored within a quarter of a second, before any read here, and before `close`. `make_record` is called to
        build the record, `then` once it is written. If the queue is full, it is written first; with under 8 MiB of free
        disk space the recall is written at once, and `then` is called even if that fails. Raises StoreError if what has
        to be written at once cannot be.
        """
        ...

    def settle(self) -> None:
        """Write everything that `later` queued. Raises StoreError if it cannot be written; it stays queued."""
        ...

    def receipt(self, recall_id: str, namespace: str) -> bytes | None:
        """Return the packed receipt of a recall followed by the bytes of its query, if these are kept (neither withheld
        nor erased).

        None if the namespace has no such recall, or its receipt was dropped. Waits up to a second for a recall just
        made.
        """
        ...

    def audit(self, recall_id: str, place: int, namespace: str) -> AuditRow | None:
        """Return the result that a recall served at rank `place` (from 1); None if the namespace has none."""
        ...

    def counts(self) -> tuple[int, int]:
        """Return the number of packed receipts that are kept, of all namespaces, and the sum of their bytes."""
        ...

    def erase(
        self, namespace: str, words: Collection[str], memory_ids: Collection[str] = (), *, scrub: bool = True
    ) -> int:
        """Erase the queries and citation notes that contain one of these words, and the notes on `memory_ids`; return
        how many queries, notes and receipts were erased or emptied.

        Case does not matter; only an ASCII word of fewer than four characters must stand alone, others are found inside
        longer ones, too. Receipts keep ranks, scores and ids, except old ones that contain their query: those are
        emptied. Without words and ids nothing is done. The bytes are gone from disk at once or, without `scrub`, after
        the next `scrub`. Raises StoreBusyError if another process writes or reads for too long.
        """
        ...

    def scrub(self) -> None:
        """Remove the bytes of what was erased from file and log; raise StoreError if in use or the disk is full."""
        ...

    def prune(self, before: int, keep: int, max_bytes: int = 1 << 62, cited_before: int | None = None) -> int:
        """Drop the packed receipts that are too old, too many or too large; return how many.

        Too old is before `before` (epoch ms), for a recall with an automatic citation before `cited_before` (None:
        `before`, too); too many is beyond the newest `keep` (at least 1) recalls of all namespaces; too large what
        makes the newest receipts exceed `max_bytes`. Queries of dropped receipts go too, and those of recalls that
        failed before `before`. Served results stay; pinned receipts (see `Receipts`) and explicitly cited ones are left
        alone.
        """
        ...

    def trim(self, before: int, keep: int) -> int:
        """Delete citations and events older than `before` (epoch ms), and events beyond the newest `keep`.

        Return how many were deleted. Their sums by day stay. Notes go with their citations; with the event of a failed
        recall go its query and its place in the list of recalls. `keep` counts events of all namespaces.
        """
        ...

    def close(self) -> None:
        """Write what is queued, or report it as lost, and close every connection."""
        ...


def audit_id(recall_id: str, place: int) -> str:
    """Return the audit id of the result that a recall (`rec_` and 32 hex digits) served at rank `place`: `aud_`, these
    digits, and the rank in 2 hex digits or as many as it needs.
    """
    return f"aud_{recall_id.removeprefix('rec_')}{place:02x}"


def parse_audit_id(text: str) -> tuple[str, int] | None:
    """Return the recall id and the rank that an audit id (`audit_id`) names; None if it is malformed, or its rank has
    over 4 hex digits. Rank 0, which no result has, is not refused."""
    digits = text.removeprefix("aud_")
    if not text.startswith("aud_") or not 34 <= len(digits) <= 36 or set(digits) - set("0123456789abcdef"):
        return None
    named = f"rec_{digits[:32]}", int(digits[32:], 16)
    return named if audit_id(*named) == text else None
