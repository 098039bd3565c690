"""The name of a step in, nothing out: where a test may kill the process between two steps of a commit or drain."""

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
    "put-back",
    "parked",
    "conflict-kept",
    "folders-synced",
    "entries-settled",
    "displaced-settled",
]
Failpoint = Callable[[Step], None]


def never(step: Step) -> None:
    """Go on: what every process but a fault test does."""
    del step
