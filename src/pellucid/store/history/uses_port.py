"""The port of use: memories that somebody used in, how often and when out; and how often each was served.

Being served is exposure: a recall offered the memory, and perhaps nobody looked at it. Use is deliberate. The two are
counted apart.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal, Protocol

UseKind = Literal["opened", "verified", "updated", "cited"]
"""How a memory was used: its file, story or part in a recall was looked at; it was verified; it was reworded; somebody
worked with it and cited it. Another kind of use needs another word here.
"""


@dataclass(frozen=True, slots=True)
class Times:
    """How often something happened to a memory, in how many sessions, and when last (epoch milliseconds)."""

    memory_id: str
    times: int
    sessions: int
    last: int


class Uses(Protocol):
    """Counts of use and exposure of the memories of a namespace. A power cut can lose the last seconds."""

    def note(self, namespace: str, memory_ids: Collection[str], kind: UseKind, occasion: str, at: int) -> None:
        """Store in the history that memories were used at `at` (epoch ms); StoreError if it cannot be written.

        The same kind of use of a memory on one `occasion` (a session id, or a day) counts once, at its latest.
        """
        ...

    def uses(self, namespace: str, since: int = 0) -> list[Times]:
        """Return how often and when last each memory was used at or after `since` (epoch ms), sorted by memory id.

        Each kind of use counts once per occasion; the field `sessions` is the number of occasions. Memories that were
        not used are left out.
        """
        ...

    def served_since(self, namespace: str, day: str) -> set[str]:
        """Return the ids of the memories that a recall served on or after a UTC day, such as `2026-04-20`."""
        ...

    def exposure(self, namespace: str, since: int = 0) -> list[Times]:
        """Return how often and when last recalls served each memory at or after `since` (epoch ms), sorted by memory
        id; memories that were not served are left out.

        A recall without a session does not count in the field `sessions`.
        """
        ...
