"""The port of history: packed receipts and served results in, the same by id out; never needed to recall."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Protocol

from pellucid.store.history.telemetry_port import RecallEvent


@dataclass(frozen=True, slots=True)
class AuditRow:
    """One served result: which recall, which place (from 1), which memory, and the operation that wrote the version."""

    recall_id: str
    place: int
    memory_id: str
    op_id: str | None
    at: int


@dataclass(frozen=True, slots=True)
class RecallRecord:
    """One recall to keep: `at` in epoch milliseconds; `served` holds (memory id, operation id) by place.

    `packed` holds no word of the query; None of a recall that failed. `query` are its bytes, kept apart so that they
    can be erased; none if withheld.
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
    """Receipts and what hangs on them. A power cut may cost the last seconds."""

    def record(self, kept: RecallRecord) -> None:
        """Keep one recall with its served results and its event: all of it, or nothing.

        Raises:
            StoreError: it cannot be written.
        """
        ...

    def later(self, kept: Callable[[], RecallRecord], then: Callable[[], object] | None = None) -> None:
        """Keep one recall soon: within a quarter of a second, before anything is read here, and before this is closed.

        Where that may well fail, for want of room, it is kept at once. `kept` is called to make what is written, `then`
        when it is written.

        Raises:
            StoreError: it cannot be written.
        """
        ...

    def settle(self) -> None:
        """Have everything written that is to be kept soon.

        Raises:
            StoreError: it cannot be written; it is tried again.
        """
        ...

    def receipt(self, recall_id: str, namespace: str) -> bytes | None:
        """A receipt by id, with the bytes of its query behind it unless they were withheld or erased.

        A recall of another namespace is unknown.
        """
        ...

    def audit(self, recall_id: str, place: int, namespace: str) -> AuditRow | None:
        """One served result of a recall in this namespace."""
        ...

    def counts(self) -> tuple[int, int]:
        """How many receipts are kept, and their bytes."""
        ...

    def erase(
        self, namespace: str, words: Collection[str], memory_ids: Collection[str] = (), *, scrub: bool = True
    ) -> int:
        """Take the query out of every receipt whose query holds one of these words (casefolded); how many.

        So go the words of citations that hold one, and those of every citation of the memories named: they quote them.
        The receipt itself stays: ranks, scores and ids explain without the words. No byte of those queries stays; or,
        without `scrub`, none after the next `scrub`.
        """
        ...

    def scrub(self) -> None:
        """Leave no byte of queries that were erased. Safe to repeat.

        Raises:
            StoreError: it is in use, or there is no room; nothing is lost, repeat it.
        """
        ...

    def prune(self, before: int, keep: int, most_bytes: int = 1 << 62, cited_before: int | None = None) -> int:
        """Empty receipts older than `before` (epoch milliseconds) and all but the newest: how many.

        Of those `keep` stay, and as many as have room in `most_bytes`. What was seen to be worked with is old only
        before `cited_before`.

        Their results stay, with the operations behind them. What was pinned (see `Receipts`), or cited by somebody, is
        left as it is.
        """
        ...

    def trim(self, before: int, keep: int) -> int:
        """Drop events and citations older than `before` (epoch milliseconds), and all but the newest `keep` events.

        The sums of their days stay. Says how many were dropped.
        """
        ...

    def close(self) -> None:
        """Let go of every handle."""
        ...


def audit_id(recall_id: str, place: int) -> str:
    """The id of the audit entry of one served result: `aud_`, the recall's 32 hex digits, the place as two to four."""
    return f"aud_{recall_id.removeprefix('rec_')}{place:02x}"


def parse_audit_id(text: str) -> tuple[str, int] | None:
    """The recall id and place an audit id names, or None if it is not one."""
    digits = text.removeprefix("aud_")
    if not text.startswith("aud_") or not 34 <= len(digits) <= 36 or set(digits) - set("0123456789abcdef"):
        return None
    named = f"rec_{digits[:32]}", int(digits[32:], 16)
    return named if audit_id(*named) == text else None
