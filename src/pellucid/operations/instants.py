"""A date as somebody wrote it in, the instant that is meant out: one reading for every question about the past.

A bare date means the end of that day in UTC, since what held on a day includes the day; of today, it means now.
"""

import re
from dataclasses import dataclass
from datetime import MAXYEAR, UTC, date, datetime, timedelta
from typing import Annotated

from pellucid.clock import EPOCH, epoch_ms, isoformat, truncate
from pellucid.errors import InputError, field_name
from pellucid.model.wire import Instant
from pellucid.operations.operation import Flag

_LAST = datetime.max.replace(tzinfo=UTC)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}|\d{8}", re.ASCII)
"""A day of a month; ISO 8601 has weeks, too, and Python reads one as its Monday."""


@dataclass(frozen=True, slots=True)
class PastInstants:
    """The past a question asks about: what was true at `at` according to what was recorded by `known`; None is now."""

    at: datetime | None = None
    known: datetime | None = None

    @property
    def is_past(self) -> bool:
        """Whether either instant is given, so that the question is not about now."""
        return self.at is not None or self.known is not None

    @property
    def known_ms(self) -> int | None:
        """`known` in epoch milliseconds; None if it is not given."""
        return None if self.known is None else epoch_ms(self.known)


def past_instants(as_of: datetime | None, as_known_at: datetime | None, now: datetime) -> PastInstants:
    """Return both instants of a request in UTC, truncated to milliseconds; None stays None. InputError for the
    future."""
    return PastInstants(
        at=checked_past(as_of, now, field_name("as_of")) if as_of else None,
        known=checked_past(as_known_at, now, field_name("as_known_at")) if as_known_at else None,
    )


def parse_instant(text: str, now: datetime, name: str = "as_of") -> datetime:
    """Parse an ISO 8601 date (the end of that day) or date-time into UTC, to the millisecond; no offset means UTC.

    Args:
        text: `2026-04-15`, `2026-04-15T09:30`, `2026-04-15 09:30:00.250+02:00`, `2026-04-15T09:30Z`.
        now: what lies after it is in the future.
        name: what the words came from, for the error: a field, or a flag.

    Raises:
        InputError: it is no such date, or it lies in the future.
    """
    said = text.strip()
    day = _parse_day(said)
    at = _end_of_day(day, now) if day else _parse_time(said) if _DATE.match(said) else None
    return checked_past(at or _raise_invalid(said, name), now, name)


AsOf = Annotated[
    Instant | None,
    Flag("As it was then: an ISO date (the end of that day in UTC) or date-time.", reads=parse_instant),
]
AsKnownAt = Annotated[
    Instant | None,
    Flag("By what was written down by then: an ISO date or date-time.", reads=parse_instant),
]


def checked_past(at: datetime, now: datetime, name: str = "as_of") -> datetime:
    """Return an instant in UTC, truncated to milliseconds (no offset means UTC); InputError if it is in the future."""
    at = _in_utc(at, name)
    if at > now:
        raise InputError(
            f"{name} {isoformat(at)} lies in the future: it is {isoformat(now)} now",
            code="future_instant",
            next_step=f"leave {name} out to ask about now",
        )
    return at


def datetime_of_ms(millis: int) -> datetime | None:
    """Return the instant of epoch milliseconds; None outside the years 1 to 9999, where open-ended intervals end."""
    try:
        return EPOCH + timedelta(milliseconds=millis)
    except OverflowError:
        return None


def _parse_day(said: str) -> date | None:
    """Parse an ISO date, `2026-04-15` or `20260415`; None for any other text, also for a date with a time."""
    try:
        return date.fromisoformat(said) if _DATE.match(said) else None
    except ValueError:
        return None


def _end_of_day(day: date, now: datetime) -> datetime:
    """Return the last millisecond of a day in UTC, or `now` if it is today in UTC."""
    end = datetime(day.year, day.month, day.day, 23, 59, 59, 999_000, tzinfo=UTC)
    return now if day == now.astimezone(UTC).date() else end


def _parse_time(said: str) -> datetime | None:
    """Parse an ISO date-time, with or without an offset; None for any other text."""
    try:
        return datetime.fromisoformat(said)
    except ValueError:
        return None


def _in_utc(at: datetime, name: str) -> datetime:
    """Convert to UTC, truncated to milliseconds; year 10000 becomes the end of 9999, a year before 1 an InputError."""
    try:
        return truncate(at)
    except OverflowError:
        return truncate(_LAST) if at.year == MAXYEAR else _raise_invalid(at.isoformat(), name)


def _raise_invalid(said: str, name: str) -> datetime:
    """Raise the input error for a text that is no date, always; `name` is the field or flag it came from."""
    raise InputError(
        f'{name} expects a date or a date-time; got "{said}"',
        code="invalid_instant",
        next_step="YYYY-MM-DD, for example: 2026-04-15 (the end of that day in UTC) or 2026-04-15T09:30:00+02:00",
    )
