"""The port of the spool: turns of live sessions in, the same out until what became of them is kept."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

from pellucid.model.turn import Turn


@dataclass(frozen=True, slots=True)
class SpooledTurn:
    """A turn that waits. `key` is what `Records.already_seen` knows it by once it is kept."""

    key: bytes
    turn: Turn
    spooled_at: int
    """Epoch milliseconds."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """The backlog of one session: turns, the oldest and newest arrival (epoch milliseconds), failed attempts."""

    namespace: str
    session_id: str
    turns: int
    oldest: int
    newest: int
    attempts: int
    problem: str


class Spool(Protocol):
    """Turns between their arrival and the commit of what became of them; acknowledged turns survive any crash."""

    def append(self, namespace: str, turns: Sequence[SpooledTurn]) -> int:
        """Keep turns, in order; those whose key waits already are left out. Returns how many were new."""
        ...

    def next_ordinal(self, namespace: str, session_id: str) -> int:
        """The number of the next turn of a session: one more than the greatest ever spooled for it."""
        ...

    def namespaces(self, session_id: str) -> list[str]:
        """The namespaces that turns of a session were ever spooled for."""
        ...

    def held(self, namespace: str, session_id: str) -> list[SpooledTurn]:
        """The turns of a session that wait, in order."""
        ...

    def waiting(self, namespace: str | None = None) -> list[Waiting]:
        """The sessions that have turns waiting."""
        ...

    def drop(self, keys: Collection[bytes]) -> int:
        """Take away turns that were kept, or that must be forgotten; no byte of them stays.

        Where it is in use, or there is no room, the bytes go with a later drop, `scrub` or `close`.
        """
        ...

    def scrub(self) -> None:
        """Leave no byte of turns that were ever dropped. Safe to repeat.

        Raises:
            StoreError: it is in use, or there is no room; nothing is lost, repeat it.
        """
        ...

    def failed(self, namespace: str, session_id: str, problem: str) -> int:
        """Count a failed attempt to flush a session, and say why; how many there have been."""
        ...

    def close(self) -> None:
        """Let go of every handle; the log is emptied."""
        ...
