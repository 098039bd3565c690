"""A day in, a clock that stands at it out."""

from datetime import UTC, datetime

from pellucid.clock import SystemClock

NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)


class Calendar(SystemClock):
    """A clock that a test sets; a home that begins sets it to the new year."""

    at = NEW_YEAR

    def now(self) -> datetime:
        return Calendar.at
