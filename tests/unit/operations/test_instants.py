"""Dates as people write them in, the instants that they mean out, or what is wrong with them."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid.clock import EPOCH, epoch_ms, isoformat
from pellucid.errors import InputError
from pellucid.operations.instants import PastInstants, checked_past, datetime_of_ms, parse_instant, past_instants

NOW = datetime(2026, 6, 1, 12, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("2026-04-15", "2026-04-15T23:59:59.999Z"),
        (" 2026-04-15 ", "2026-04-15T23:59:59.999Z"),
        ("20260415", "2026-04-15T23:59:59.999Z"),
        ("2026-04-15T09:30", "2026-04-15T09:30:00.000Z"),
        ("2026-04-15 09:30:00.250", "2026-04-15T09:30:00.250Z"),
        ("2026-04-15T09:30:00Z", "2026-04-15T09:30:00.000Z"),
        ("2026-04-15T00:30:00+02:00", "2026-04-14T22:30:00.000Z"),
        ("2026-04-15T23:30:00.1239-05:30", "2026-04-16T05:00:00.123Z"),
        ("1969-12-31", "1969-12-31T23:59:59.999Z"),
    ],
)
def test_a_date_means_the_end_of_its_day_and_a_time_means_itself_in_utc_unless_it_says_otherwise(
    said: str, meant: str
) -> None:
    assert isoformat(parse_instant(said, NOW)) == meant


def test_today_means_now_because_the_day_is_not_over() -> None:
    assert parse_instant("2026-06-01", NOW) == NOW


@pytest.mark.parametrize("said", ["2026-06-02", "2026-06-01T12:30:00.001Z", "2026-06-01T12:30-00:01", "9999-12-30"])
def test_the_future_cannot_be_asked_about(said: str) -> None:
    with pytest.raises(InputError, match=r"--as-known-at \d.* lies in the future") as raised:
        parse_instant(said, NOW, "--as-known-at")
    assert raised.value.next_step


@pytest.mark.parametrize(
    "said",
    [
        "",
        "   ",
        "yesterday",
        "2026-02-30",
        "15.4.2026",
        "2026",
        "0001-01-01T00:00+01:00",
        "2026-04",
        "202604",
        "2026-W15",
        "2026W15",
        "2026-W15-3",
        "2026W153",
        "2026-W15-3T09:30",
        "2026W153T0930",
        "2026-105",
        "2026105",
    ],
)
def test_what_is_no_date_is_refused_by_its_name_and_the_form_of_one_is_said(said: str) -> None:
    with pytest.raises(InputError, match=r"^as_of expects a date or a date-time") as raised:
        parse_instant(said, NOW)
    assert "YYYY-MM-DD" in raised.value.next_step


@given(st.datetimes(min_value=datetime(1, 1, 2), max_value=datetime(2026, 6, 1)))  # noqa: DTZ001 - hypothesis wants it bare
def test_milliseconds_are_exact_both_ways(bare: datetime) -> None:
    at = checked_past(bare, NOW)
    assert datetime_of_ms(epoch_ms(at)) == at
    assert EPOCH + timedelta(milliseconds=epoch_ms(at)) == at


def test_an_end_that_never_comes_is_no_instant() -> None:
    assert datetime_of_ms(1 << 62) is None


@pytest.mark.parametrize("said", ["9999-12-31", "9999-12-31T23:59:59-05:00", "9999-12-31T23:59-01:00"])
def test_the_very_end_of_the_calendar_is_the_future_too(said: str) -> None:
    with pytest.raises(InputError, match=r"^as_of 9999-12-31T23:59:59\.999Z lies in the future"):
        parse_instant(said, NOW)


def test_a_program_is_told_the_same_of_either_end_of_the_calendar() -> None:
    with pytest.raises(InputError, match="lies in the future"):
        checked_past(datetime(9999, 12, 31, 23, tzinfo=timezone(timedelta(hours=-5))), NOW)
    with pytest.raises(InputError, match=r"^as_of expects a date"):
        checked_past(datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=5))), NOW)


def test_a_year_has_four_digits_however_early() -> None:
    assert isoformat(parse_instant("0001-01-01T00:00:00.0019", NOW)) == "0001-01-01T00:00:00.001Z"
    assert isoformat(datetime(987, 6, 5, 4, tzinfo=timezone(timedelta(hours=-2)))) == "0987-06-05T06:00:00.000Z"


def test_both_instants_of_a_question_are_read_alike_and_each_is_refused_by_its_own_name() -> None:
    then, bare = NOW - timedelta(days=2), datetime(2026, 5, 1)  # noqa: DTZ001 - a program may give it bare
    assert past_instants(then, bare, NOW) == PastInstants(then, bare.replace(tzinfo=UTC))
    assert past_instants(None, bare, NOW).known_ms == epoch_ms(bare.replace(tzinfo=UTC))
    with pytest.raises(InputError, match=r"^as_of .* lies in the future"):
        past_instants(NOW + timedelta(days=1), None, NOW)
    with pytest.raises(InputError, match=r"^as_known_at .* lies in the future"):
        past_instants(None, NOW + timedelta(days=1), NOW)


def test_a_question_about_now_asks_about_no_past() -> None:
    assert (past_instants(None, None, NOW), past_instants(None, None, NOW).known_ms) == (PastInstants(), None)
    assert not PastInstants().is_past
    assert PastInstants(at=NOW).is_past
    assert PastInstants(known=NOW).is_past
