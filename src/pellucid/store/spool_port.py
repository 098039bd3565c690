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
        """Store turns in order, except those whose key waits already; return how many were new."""
        ...

    def next_ordinal(self, namespace: str, session_id: str) -> int:
        """Return the number for the next turn of a session: one more than the greatest ever spooled for it."""
        ...

    def namespaces(self, session_id: str) -> list[str]:
        """Return the namespaces for which turns of a session were ever spooled."""
        ...

    def held(self, namespace: str, session_id: str) -> list[SpooledTurn]:
        """Return the waiting turns of a session, in order."""
        ...

    def waiting(self, namespace: str | None = None) -> list[Waiting]:
        """Return the backlog of each session with waiting turns, in one namespace or in all."""
        ...

    def drop(self, keys: Collection[bytes]) -> int:
        """Delete turns that were kept or must be forgotten, and their bytes if possible; return how many there were."""
        ...

    def scrub(self) -> None:
        """Remove the remaining bytes of deleted turns; raise StoreError if the file is in use or the disk is full."""
        ...

    def failed(self, namespace: str, session_id: str, problem: str) -> int:
        """Count a failed attempt to flush a session and store the error message; return the failures so far."""
        ...

    def close(self) -> None:
        """Empty the write-ahead log and close every connection."""
        ...
