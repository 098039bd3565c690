"""What has to come about in, a wait for it out that ends: by it, or by a failure that names it."""

import time
from collections.abc import Callable

PATIENCE_S = 120.0


def until(holds: Callable[[], object], what: str = "it", *, patience_s: float = PATIENCE_S) -> None:
    """Wait until it holds; what a machine may take for it is generous, since no test times anything."""
    end = time.monotonic() + patience_s
    while not holds():
        assert time.monotonic() < end, f"{what} did not come about within {patience_s:.0f} s"
        time.sleep(0.02)
