"""Nothing in, the time and new ids out; injected everywhere, so that tests own both."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Protocol
from uuid import UUID


class Clock(Protocol):
    """The source of the current time and of new ids."""

    def now(self) -> datetime:
        """Return the current time with the zone UTC, rounded down to the millisecond."""
        ...

    def new_id(self, prefix: str) -> str:
        """Return a new id that nobody can guess: `<prefix>_` + 32 hex digits of a UUIDv7 (RFC 9562 §5.7) of the current
        time.
        """
        ...


@dataclass(frozen=True, slots=True)
class SystemClock:
    """The machine's clock and its cryptographic random source."""

    random_bits: Callable[[int], int] = field(default=secrets.randbits)

    def now(self) -> datetime:
        """Return the machine's time with the zone UTC, rounded down to the millisecond."""
        return truncate(datetime.now(UTC))

    def new_id(self, prefix: str) -> str:
        """Return `<prefix>_` + 32 hex digits of a UUIDv7 of now, such as `mem_0197…`."""
        return f"{prefix}_{uuid7(self.now(), self.random_bits(74)).hex}"


def uuid7(at: datetime, random_bits: int) -> UUID:
    """Return the UUIDv7 (RFC 9562 §5.7) made of the millisecond of `at`, which must have a time zone, and of
    `random_bits`, a number below 2**74.
    """
    millis = int(at.timestamp() * 1000) & (1 << 48) - 1
    high, low = random_bits >> 62, random_bits & (1 << 62) - 1
    return UUID(int=millis << 80 | 0x7 << 76 | high << 64 | 0b10 << 62 | low)


def in_utc(at: datetime) -> datetime:
    """Return `at` in UTC. A time without zone is taken as UTC, not as the machine's time zone. `OverflowError` if the
    time lies outside the years 1 to 9999 of UTC.
    """
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)


def truncate(at: datetime) -> datetime:
    """Return `at` in UTC, rounded down to the millisecond, the precision of every file and row. A time without zone,
    and errors: see `in_utc`.
    """
    at = in_utc(at)
    return at.replace(microsecond=at.microsecond // 1000 * 1000)


EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLI = timedelta(milliseconds=1)


def epoch_ms(at: datetime) -> int:
    """Return the whole milliseconds from 1970-01-01 UTC to `at`, rounded down, negative before 1970; `TypeError` if
    `at` has no time zone.
    """
    return (at - EPOCH) // _MILLI


def ms_if_any(at: datetime | None) -> int | None:
    """Return `epoch_ms(at)`; None if `at` is None."""
    return None if at is None else epoch_ms(at)


def isoformat(at: datetime) -> str:
    """Format `at` in UTC, cut to milliseconds, as `2026-04-20T17:30:00.000Z`: the only form in files and JSON. A time
    without zone, and errors: see `in_utc`.
    """
    return in_utc(at).isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"
