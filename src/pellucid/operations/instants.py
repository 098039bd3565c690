"""The text of a date in, the instant that is meant out: one reading for every question about the past.

A bare date means the end of that day in UTC, since what held on a day includes the day; of today, it means now.
"""

import re
from dataclasses import dataclass
from datetime import MAXYEAR, UTC, date, datetime, timedelta
from typing import Annotated, NoReturn

from pellucid.clock import EPOCH, epoch_ms, isoformat, truncate
from pellucid.errors import InputError, field_name
from pellucid.model.wire import Instant
from pellucid.operations.operation import Flag

_LAST = datetime.max.replace(tzinfo=UTC)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}|\d{8}", re.ASCII)
"""A day of a month. Week dates of ISO 8601 are refused, since Python would read `2026-W16` as the Monday of the
week."""


@dataclass(frozen=True, slots=True)
class PastInstants:
    """The past that a question asks about: the state at `at` according to the records until `known`; None is now."""

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
    """Return both instants of a request in UTC, truncated to milliseconds (no offset means UTC); None stays None.
    InputError for an instant after `now`, or before the year 1."""
    return PastInstants(
        at=checked_past(as_of, now, field_name("as_of")) if as_of else None,
        known=checked_past(as_known_at, now, field_name("as_known_at")) if as_known_at else None,
    )


def parse_instant(text: str, now: datetime, name: str = "as_of") -> datetime:
    """Parse an ISO 8601 date (the end of that day) or date-time into UTC, to the millisecond; no offset means UTC.

    Args:
        text: `2026-04-15`, `2026-04-15T09:30`, `2026-04-15 09:30:00.250+02:00`, `2026-04-15T09:30Z`.
        now: the current time, for refusing the future and for the end of today.
        name: the field or flag that the text came from, for the error message.

    Raises:
        InputError: the text is not such a date, or the instant lies in the future.
    """
    text = text.strip()
    day = _parse_day(text)
    at = _end_of_day(day, now) if day else _parse_time(text) if _DATE.match(text) else None
    return checked_past(at or _raise_invalid(text, name), now, name)


AsOf = Annotated[
    Instant | None,
    Flag("As it was then: an ISO date (the end of that day in UTC) or date-time.", reads=parse_instant),
]
AsKnownAt = Annotated[
    Instant | None,
    Flag("By what was written down by then: an ISO date or date-time.", reads=parse_instant),
]


def checked_past(at: datetime, now: datetime, name: str = "as_of") -> datetime:
    """Return an instant in UTC, truncated to milliseconds (no offset means UTC); InputError if the instant is after
    `now`, which must have a zone, or before the year 1 in UTC. `name` is the field or flag that it came from, for the
    error message."""
    at = _in_utc(at, name)
    if at > now:
        raise InputError(
            f"{name} {isoformat(at)} lies in the future: it is {isoformat(now)} now",
            code="future_instant",
            next_step=f"leave {name} out to ask about now",
        )
    return at


def datetime_of_ms(millis: int) -> datetime | None:
    """Return the instant of epoch milliseconds, with the zone UTC; None outside the years 1 to 9999, such as for the
    end of an open-ended interval."""
    try:
        return EPOCH + timedelta(milliseconds=millis)
    except OverflowError:
        return None


def _parse_day(text: str) -> date | None:
    """Parse an ISO date, `2026-04-15` or `20260415`; None for any other text, also for a date with a time."""
    try:
        return date.fromisoformat(text) if _DATE.match(text) else None
    except ValueError:
        return None


def _end_of_day(day: date, now: datetime) -> datetime:
    """Return the last millisecond of a day in UTC, or `now` if the day is today in UTC."""
    end = datetime(day.year, day.month, day.day, 23, 59, 59, 999_000, tzinfo=UTC)
    return now if day == now.astimezone(UTC).date() else end


def _parse_time(text: str) -> datetime | None:
    """Parse an ISO date-time; without an offset in the text, the result has no zone. None for any other text."""
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _in_utc(at: datetime, name: str) -> datetime:
    """Convert an instant to UTC, truncated to milliseconds. If that leads into the year 10000, return the end of 9999;
    if before the year 1, raise InputError about the field or flag `name`."""
    try:
        return truncate(at)
    except OverflowError:
        return truncate(_LAST) if at.year == MAXYEAR else _raise_invalid(at.isoformat(), name)


def _raise_invalid(text: str, name: str) -> NoReturn:
    """Raise the InputError for a text that is not a date; `name` is the field or flag that the text came from."""
    raise InputError(
        f'{name} expects a date or a date-time; got "{text}"',
        code="invalid_instant",
        next_step="YYYY-MM-DD, for example: 2026-04-15 (the end of that day in UTC) or 2026-04-15T09:30:00+02:00",
    )
