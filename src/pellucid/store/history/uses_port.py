"""The port of use: which memories somebody took up in, how often and when out; beside it, how often each was served.

Being served is exposure: a recall offered the memory, and nobody need have looked at it. Use is what somebody did with
it on purpose. The two are counted apart.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal, Protocol

UseKind = Literal["opened", "verified", "updated", "cited"]
"""What was done with a memory: its file, its story or its part in a recall was looked at; it was said to hold; it was
reworded; somebody worked with it and said so. Whatever else is to count as use is a word more."""


@dataclass(frozen=True, slots=True)
class Times:
    """How often something happened to a memory, in how many sessions, and when last (epoch milliseconds)."""

    memory_id: str
    times: int
    sessions: int
    last: int


class Uses(Protocol):
    """Counts of use and exposure of the memories of a namespace. A power cut may lose the last seconds."""

    def note(self, namespace: str, memory_ids: Collection[str], kind: UseKind, occasion: str, at: int) -> None:
        """Record that memories were used at `at` (epoch ms); each kind counts once per occasion (session or day)."""
        ...

    def uses(self, namespace: str, since: int = 0) -> list[Times]:
        """Return how often and when each memory was used since `since` (epoch milliseconds), sorted by memory id."""
        ...

    def served_since(self, namespace: str, day: str) -> set[str]:
        """Return the ids of the memories that a recall served on or after a UTC day, such as `2026-04-20`."""
        ...

    def exposure(self, namespace: str, since: int = 0) -> list[Times]:
        """Return how often and when each memory was served since `since` (epoch ms), sorted by memory id."""
        ...
