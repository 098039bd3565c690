"""Numbers, instants and lists in, words out: a count with its noun, an ordinal such as `2nd`, parts joined by `and`."""

from collections.abc import Sequence
from datetime import timedelta

from pellucid.clock import EPOCH, isoformat


def counted(number: int, singular: str, plural: str = "") -> str:
    """Return a number with its noun: `1 memory`, `8,000 memories`; `plural` defaults to `singular` with an s."""
    return f"{number:,} {singular if number == 1 else plural or f'{singular}s'}"


def ordinal(number: int) -> str:
    """Return a number as `1st`, `2nd`, `13th`."""
    if 10 <= number % 100 <= 20:
        return f"{number}th"
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th') }"


def listed(parts: Sequence[str]) -> str:
    """Join the parts with commas and a last `and`: `a, b and c`; empty if there are no parts."""
    return " and ".join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else "".join(parts)


def instant_text(epoch_ms: int) -> str:
    """Write an instant as `2026-04-20T17:30:00.000Z`; `(unknown)` before 1970 and after the year 9999."""
    if epoch_ms < 0:
        return "(unknown)"
    try:
        return isoformat(EPOCH + timedelta(milliseconds=epoch_ms))
    except OverflowError:
        return "(unknown)"
