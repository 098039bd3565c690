"""Relative dates beyond the calendar in, the sentence as it was said out."""

from datetime import UTC, datetime

import pytest

from pellucid.observe.dates import resolve_dates
from pellucid.observe.language import load_language


@pytest.mark.parametrize(
    ("said", "year"), [("We ship tomorrow.", 9999), ("It was so 999 years ago.", 998), ("We moved last week.", 1)]
)
def test_a_date_outside_the_calendar_is_left_unresolved(said: str, year: int) -> None:
    at = datetime(year, 12, 31, tzinfo=UTC) if year == 9999 else datetime(year, 1, 1, tzinfo=UTC)
    assert resolve_dates(said, at, load_language("en")) == said
    assert resolve_dates(said, datetime(2026, 4, 23, tzinfo=UTC), load_language("en")) != said
