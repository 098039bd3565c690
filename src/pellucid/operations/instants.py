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
    """The instants that are asked about: what was so at `at`, by what was written down by `known`; None is now."""

    at: datetime | None = None
    known: datetime | None = None

    @property
    def asked(self) -> bool:
        """Whether anything but now is asked about."""
        return self.at is not None or self.known is not None

    @property
    def known_ms(self) -> int | None:
        """`known` in epoch milliseconds."""
        return None if self.known is None else epoch_ms(self.known)


def past_of(as_of: datetime | None, as_known_at: datetime | None, now: datetime) -> PastInstants:
    """Both instants that a program gave, each in UTC, to the millisecond.

    Raises:
        InputError: one lies in the future, or before the year 1; names it.
    """
    return PastInstants(
        at=not_future(as_of, now, field_name("as_of")) if as_of else None,
        known=not_future(as_known_at, now, field_name("as_known_at")) if as_known_at else None,
    )


def instant(text: str, now: datetime, name: str = "as_of") -> datetime:
    """The instant of an ISO 8601 date or date-time, in UTC, to the millisecond; without an offset it is UTC.

    Args:
        text: `2026-04-15`, `2026-04-15T09:30`, `2026-04-15 09:30:00.250+02:00`, `2026-04-15T09:30Z`.
        now: what lies after it is in the future.
        name: what the words came from, for the error: a field, or a flag.

    Raises:
        InputError: it is no such date, or it lies in the future.
    """
    said = text.strip()
    day = _parsed_day(said)
    at = (_end_of_day(day, now) if day else _parsed_time(said) if _DATE.match(said) else None) or _refuse(said, name)
    return not_future(at, now, name)


AsOf = Annotated[
    Instant | None,
    Flag("As it was then: an ISO date (the end of that day in UTC) or date-time.", reads=instant),
]
AsKnownAt = Annotated[
    Instant | None,
    Flag("By what was written down by then: an ISO date or date-time.", reads=instant),
]


def not_future(at: datetime, now: datetime, name: str = "as_of") -> datetime:
    """An instant that a program gave, in UTC, to the millisecond; without an offset it is UTC.

    Raises:
        InputError: it lies in the future, or before the year 1.
    """
    at = _in_utc(at, name)
    if at > now:
        raise InputError(
            f"{name} {isoformat(at)} lies in the future: it is {isoformat(now)} now",
            code="future_instant",
            next_step=f"leave {name} out to ask about now",
        )
    return at


def of_ms(millis: int) -> datetime | None:
    """The instant of epoch milliseconds; None outside the years 1 to 9999, as an end that is still open."""
    try:
        return EPOCH + timedelta(milliseconds=millis)
    except OverflowError:
        return None


def _parsed_day(said: str) -> date | None:
    try:
        return date.fromisoformat(said) if _DATE.match(said) else None
    except ValueError:
        return None


def _end_of_day(day: date, now: datetime) -> datetime:
    """The last millisecond of a day; of the day that is still going on, now."""
    end = datetime(day.year, day.month, day.day, 23, 59, 59, 999_000, tzinfo=UTC)
    return now if day == now.astimezone(UTC).date() else end


def _parsed_time(said: str) -> datetime | None:
    try:
        return datetime.fromisoformat(said)
    except ValueError:
        return None


def _in_utc(at: datetime, name: str) -> datetime:
    """In UTC, to the millisecond; what is in the year 10000 there counts as the last instant before it."""
    try:
        return truncate(at if at.tzinfo else at.replace(tzinfo=UTC))
    except OverflowError:
        return truncate(_LAST) if at.year == MAXYEAR else _refuse(at.isoformat(), name)


def _refuse(said: str, name: str) -> datetime:
    """Raise the error that a text is no instant; `name` is the field or flag."""
    raise InputError(
        f'{name} expects a date or a date-time; got "{said}"',
        code="invalid_instant",
        next_step="YYYY-MM-DD, for example: 2026-04-15 (the end of that day in UTC) or 2026-04-15T09:30:00+02:00",
    )
