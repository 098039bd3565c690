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
    """How often something happened to a memory: times, sessions it happened in, the last time (epoch milliseconds)."""

    memory_id: str
    times: int
    sessions: int
    last: int


class Uses(Protocol):
    """Use and exposure of the memories of a namespace. A power cut may cost the last seconds."""

    def note(self, namespace: str, memory_ids: Collection[str], kind: UseKind, occasion: str, at: int) -> None:
        """Note that memories were used at `at` (epoch milliseconds).

        On one occasion (a session, or a day where no session is known) a memory is used once in each way: who looks at
        it ten times in a row has not used it ten times.

        Raises:
            StoreError: it cannot be written.
        """
        ...

    def uses(self, namespace: str, since: int = 0) -> list[Times]:
        """How often and when each memory was used since `since` (epoch milliseconds), by memory id."""
        ...

    def served_since(self, namespace: str, day: str) -> set[str]:
        """The memories that a recall served on or after a day (UTC), as `2026-04-20`."""
        ...

    def exposure(self, namespace: str, since: int = 0) -> list[Times]:
        """How often and when each memory was served by a recall since `since` (epoch milliseconds), by memory id."""
        ...
