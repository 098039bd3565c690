"""The port of the spool: turns of live sessions in, the same out until their memories are kept."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

from pellucid.model.turn import Turn


@dataclass(frozen=True, slots=True)
class SpooledTurn:
    """A turn waiting in the spool."""

    turn: Turn
    spooled_at: int  # epoch milliseconds

    @property
    def key(self) -> bytes:
        """The turn's fingerprint, which identifies it in the spool, and in `Records.already_seen` once it is kept."""
        return self.turn.fingerprint


@dataclass(frozen=True, slots=True)
class Waiting:
    """The backlog of one session: turns, oldest and newest arrival (epoch ms), failed attempts and the last error."""

    namespace: str
    session_id: str
    turns: int
    oldest: int
    newest: int
    attempts: int
    problem: str


class Spool(Protocol):
    """Turns between their arrival and the commit of what was made of them; acknowledged turns survive any crash."""

    def append(self, namespace: str, turns: Sequence[SpooledTurn]) -> int:
        """Store turns, except those whose key already waits, in this or another namespace; return how many were stored.

        They survive any crash from here on. Raises StoreError if they cannot be written.
        """
        ...

    def next_ordinal(self, namespace: str, session_id: str) -> int:
        """Return the number for the next turn of a session: one more than the greatest ever spooled for it, or 1."""
        ...

    def namespaces(self, session_id: str) -> list[str]:
        """Return the namespaces, sorted, for which turns of a session were ever spooled."""
        ...

    def held(self, namespace: str, session_id: str) -> list[SpooledTurn]:
        """Return the waiting turns of a session, sorted by ordinal."""
        ...

    def waiting(self, namespace: str | None = None) -> list[Waiting]:
        """Return the backlog of each session with waiting turns, in one namespace or in all (None), longest waiting
        first.
        """
        ...

    def drop(self, keys: Collection[bytes]) -> int:
        """Delete the turns with these keys (fingerprints), which were kept as memories or must be forgotten; return how
        many were there.

        Their bytes go at once if possible, else with a later call. For the sessions of these turns, the count of
        failures and the error message are cleared.
        """
        ...

    def scrub(self) -> None:
        """Remove the remaining bytes of deleted turns; raise StoreError if the file is in use or the disk is full."""
        ...

    def failed(self, namespace: str, session_id: str, problem: str) -> int:
        """Count a failed attempt to flush a session and store the error message `problem`, both in the spool; return
        the failures so far, this one included.

        When turns of the session are dropped, the count begins anew.
        """
        ...

    def close(self) -> None:
        """Erase the remains of deleted turns, empty the write-ahead log and close every connection."""
        ...
