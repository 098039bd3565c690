"""The name of a step in, nothing out: where a test may kill the process between two steps of a change."""

from collections.abc import Callable
from typing import Literal

Step = Literal[
    "commit-open",
    "commit-done",
    "drain-locked",
    "ledger-appended",
    "ledger-synced",
    "temp-written",
    "temps-synced",
    "placing",
    "created",
    "swap-named",
    "exchanged",
    "taken-away",
    "put-back",
    "parked",
    "conflict-kept",
    "folders-synced",
    "entries-settled",
    "displaced-settled",
    "yard-scrubbed",
    "folders-scrubbed",
    "names-scrubbed",
    "remains-erased",
]
Failpoint = Callable[[Step], None]


def never(step: Step) -> None:
    """Do nothing: the failpoint of every process but a fault test."""
    del step
