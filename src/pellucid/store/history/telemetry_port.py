"""The port of telemetry: measurements of each recall in, their sums, panel by panel, out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

Surface = Literal["cli", "http", "mcp", "hook", "python", "page"]
"""The way a recall was asked for: a command, a request, an agent's tool, a program's hook, Python, or our own page."""
Outcome = Literal["answered", "empty", "gated", "abstained", "failed"]
"""Memories were given; none was; none was searched for; none was sure enough; the recall failed."""
Grouping = Literal["agent", "class", "mode", "leg", "surface", "day", "memory"]
"""The columns by which a panel can be grouped; `mode` is how deep a recall went."""


@dataclass(frozen=True, slots=True)
class RecallFailure:
    """How a recall failed: the code of the error, and where it was raised; without its message."""

    code: str
    place: str


@dataclass(frozen=True, slots=True)
class RecallEvent:
    """Measurements of one recall, without a word of it.

    `found` memories were ranked, `selected` of them put into the context, which has `payload_bytes` in UTF-8 and about
    `payload_tokens` tokens. `degraded`: a leg was down, or a stage failed. `legs` maps each leg to its weight, its
    health and how many memories it found.
    """

    agent: str | None
    surface: Surface
    query_class: str
    depth: str
    outcome: Outcome
    found: int
    selected: int
    payload_bytes: int
    payload_tokens: int
    millis: float
    degraded: bool
    legs: Mapping[str, Mapping[str, object]]
    failure: RecallFailure | None = None  # of one that failed, as far as that was kept


@dataclass(frozen=True, slots=True)
class LiftRow:
    """A cited memory's rank (from 1) in its recall, and without a leg; None: too far down, or (both) unknown."""

    memory_id: str
    leg: str
    rank_with: int | None
    rank_without: int | None


class Telemetry(Protocol):
    """Statistics over the recalls of a namespace, by UTC day."""

    def sums(
        self, view: str, measures: Sequence[str], by: Grouping, namespace: str, since: str, until: str
    ) -> list[tuple[str | None, tuple[int, ...]]]:
        """Return the sums of the columns `measures` of an SQL view, by group, as (group, sums in the order of
        `measures`), sorted by group.

        `view` is a view such as `panel_hit_rate`, `by` the column to group by; `since` and `until` are the first and
        the last day that count, as `2026-04-20`. The group None is what has no value there.
        """
        ...

    def event(self, recall_id: str, namespace: str) -> RecallEvent | None:
        """Return the measurements of a recall; None if this namespace has none of it (any more)."""
        ...

    def lifts_due(self, namespace: str) -> dict[str, list[str]]:
        """Return, by recall id, the ids (sorted) of cited memories whose ranks with and without each leg (way of
        searching, `LiftRow`) are still to be stored.

        The newest recall comes first.
        """
        ...

    def put_leg_lifts(self, namespace: str, recall_id: str, rows: Sequence[LiftRow]) -> None:
        """Store how cited memories of a recall ranked with and without each leg (way of searching); `lifts_due` then
        returns these memories no longer.

        If the measurements (event) of the recall are gone, no ranks are stored. Raises StoreError if it cannot be
        written.
        """
        ...
