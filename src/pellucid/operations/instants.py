"""A date as somebody wrote it in, the instant that is meant out: one reading for every `--as-of` and `--as-known-at`.

A bare date means the end of that day in UTC, since what held on a day includes the day; of today, it means now.
"""

from datetime import MAXYEAR, UTC, date, datetime, timedelta

from pellucid.clock import EPOCH, isoformat, truncate
from pellucid.errors import InputError

_LAST = datetime.max.replace(tzinfo=UTC)
_MILLI = timedelta(milliseconds=1)


def instant(text: str, now: datetime, flag: str = "--as-of") -> datetime:
    """The instant of an ISO 8601 date or date-time, in UTC, to the millisecond; without an offset it is UTC.

    Args:
        text: `2026-04-15`, `2026-04-15T09:30`, `2026-04-15 09:30:00.250+02:00`, `2026-04-15T09:30Z`.
        now: what lies after it is in the future.
        flag: what the words came from, for the error.

    Raises:
        InputError: it is no such date, or it lies in the future.
    """
    said = text.strip()
    day = _day(said)
    at = (_end(day, now) if day else _time(said)) or _refuse(said, flag)
    return not_future(at, now, flag)


def not_future(at: datetime, now: datetime, flag: str = "--as-of") -> datetime:
    """An instant that a program gave, in UTC, to the millisecond; without an offset it is UTC.

    Raises:
        InputError: it lies in the future, or before the year 1.
    """
    at = _utc(at, flag)
    if at > now:
        raise InputError(
            f"{flag} {isoformat(at)} lies in the future: it is {isoformat(now)} now",
            code="future_instant",
            next_step=f"leave {flag} out to ask about now",
        )
    return at


def of_ms(millis: int) -> datetime | None:
    """The instant of epoch milliseconds; None outside the years 1 to 9999, as an end that is still open."""
    try:
        return EPOCH + timedelta(milliseconds=millis)
    except OverflowError:
        return None


def _day(said: str) -> date | None:
    try:
        return date.fromisoformat(said)
    except ValueError:
        return None


def _end(day: date, now: datetime) -> datetime:
    """The last millisecond of a day; of the day that is still going on, now."""
    end = datetime(day.year, day.month, day.day, 23, 59, 59, 999_000, tzinfo=UTC)
    return now if day == now.astimezone(UTC).date() else end


def _time(said: str) -> datetime | None:
    try:
        return datetime.fromisoformat(said)
    except ValueError:
        return None


def _utc(at: datetime, flag: str) -> datetime:
    """In UTC, to the millisecond; what is in the year 10000 there counts as the last instant before it."""
    try:
        return truncate(at if at.tzinfo else at.replace(tzinfo=UTC))
    except OverflowError:
        return truncate(_LAST) if at.year == MAXYEAR else _refuse(at.isoformat(), flag)


def _refuse(said: str, flag: str) -> datetime:
    raise InputError(
        f'{flag} expects a date or a date-time; got "{said}"',
        code="invalid_instant",
        next_step="for example: 2026-04-15 (the end of that day in UTC) or 2026-04-15T09:30:00+02:00",
    )
