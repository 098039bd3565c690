"""The port of telemetry: how each recall went in; what many of them came to, panel by panel, out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

Surface = Literal["cli", "http", "mcp", "hook", "python", "page"]
"""Who asked: a command, a request, a tool of an agent, the hook of an agent's program, Python, or our own page."""
Outcome = Literal["answered", "empty", "gated", "abstained", "failed"]
"""Something was given; nothing was; nothing was looked for; nothing was sure enough; it went wrong."""
Grouping = Literal["agent", "class", "mode", "leg", "surface", "day", "memory"]
"""By what a panel is counted; `mode` is how deep a recall went."""


@dataclass(frozen=True, slots=True)
class RecallFailure:
    """What went wrong: the code of the error, its kind, and where it came from; not a word of what it said."""

    code: str
    place: str


@dataclass(frozen=True, slots=True)
class RecallEvent:
    """How one recall went, without a word of it.

    `found` memories were ranked, `selected` of them put into the context, which has `payload_bytes` in UTF-8 and about
    `payload_tokens` tokens. `degraded`: a leg was down, or a stage failed. `legs` has for each leg its weight, its
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
    failure: RecallFailure | None = None
    """Of one that failed, as far as that was kept."""


@dataclass(frozen=True, slots=True)
class LiftRow:
    """Where a memory that was worked with stood in its recall, and where it would have without a leg, from 1.

    None: not among the first; both None: the receipt cannot tell.
    """

    memory_id: str
    leg: str
    rank_with: int | None
    rank_without: int | None


class Telemetry(Protocol):
    """What the recalls of a namespace came to. Days are those of UTC."""

    def sums(
        self, view: str, measures: Sequence[str], by: Grouping, namespace: str, since: str, until: str
    ) -> list[tuple[str | None, tuple[int, ...]]]:
        """The sums of a panel's columns, by one of its groupings, in its order.

        Args:
            view: a panel's, such as `panel_hit_rate`.
            measures: columns of it that count.
            by: the column by which they are summed.
            namespace: the one whose recalls count.
            since: the first day that counts, as `2026-04-20`.
            until: the last.
        """
        ...

    def event(self, recall_id: str, namespace: str) -> RecallEvent | None:
        """How a recall went; None where that is not kept (any more)."""
        ...

    def lifts_due(self, namespace: str) -> dict[str, list[str]]:
        """The memories that were worked with and whose lifts are not kept yet, by recall, the newest first."""
        ...

    def put_lifts(self, namespace: str, recall_id: str, rows: Sequence[LiftRow]) -> None:
        """Keep the lifts of the memories of a recall: they are due no longer.

        Raises:
            StoreError: it cannot be written.
        """
        ...
