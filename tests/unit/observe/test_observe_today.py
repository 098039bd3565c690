"""A sentence with `today` in it in, the date beside it only where it tells when something is done."""

from datetime import UTC, datetime

import pytest

from pellucid.observe.dates import resolve_dates
from pellucid.observe.language import detect_language

AT = datetime(2026, 4, 23, tzinfo=UTC)


@pytest.mark.parametrize(
    "concept",
    [
        "Trains that have left on today are greyed out",
        "The board caps past-today trains",
        "It covers past/today and future/today",
        "Today Row Gets Special Treatment: Trains that have left on today are dimmed",
        "Session 2 (Today) - Start Times: done",
        "so today's trains can't fill all rows",
        "Nudge today's header down to free more room",
        "I made it stricter: rows are hidden (strict for today), and we now hide times on today",
        "Where things stand today: two readers and no writer",
        "It is a change to a shipped option, which today only keeps the quoted rows",
        "the board draws `today` in bold, and I draw it thin",
    ],
)
def test_a_today_on_a_screen_is_no_date(concept: str) -> None:
    assert resolve_dates(concept, AT, detect_language(concept)) == concept


@pytest.mark.parametrize(
    "said",
    [
        "We deployed the tariffs today|",
        "I'll send the numbers today|",
        "CI failed today| at noon",
        "The deadline is today|",
        "I have a meeting today|",
        "Today| I went to the dentist",
        "Today's| hike was amazing",
        "Heute| habe ich das Release gebaut",
        "Release 4 went out this morning|",
    ],
)
def test_a_today_of_a_deed_is_dated(said: str) -> None:
    plain = said.replace("|", "")
    assert resolve_dates(plain, AT, detect_language(plain)) == said.replace("|", " (2026-04-23)")
