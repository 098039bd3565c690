"""Queries and an instant in, the period that they name out."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid.recall.query.dates.period import Window, window
from pellucid.recall.query.dates.pieces import pieces

AT = datetime(2025, 6, 18, 15, 30, tzinfo=UTC)
"""A Wednesday."""


def days(query: str) -> tuple[str, str, str]:
    """First day, first day behind it, phrase; `-` for an open end and for nothing found."""
    found = window(query, AT)
    if not found:
        return "-", "-", ""
    start, end = (f"{edge:%Y-%m-%d}" if edge else "-" for edge in (found.start, found.end))
    return start, end, found.phrase


@pytest.mark.parametrize(
    ("query", "start", "end", "phrase"),
    [
        ("what did Ann do on 2024-02-29?", "2024-02-29", "2024-03-01", "2024-02-29"),
        ("at 2024-05-03T10:00:00Z", "2024-05-03", "2024-05-04", "2024-05-03T10:00:00Z"),
        ("in 2023-11 we", "2023-11-01", "2023-12-01", "2023-11"),
        ("the May 2023 trip", "2023-05-01", "2023-06-01", "May 2023"),
        ("on 3 May", "2025-05-03", "2025-05-04", "3 May"),
        ("on the 3rd of May 2023", "2023-05-03", "2023-05-04", "3rd of May 2023"),
        ("on 20 June", "2024-06-20", "2024-06-21", "20 June"),
        ("on 29 February", "2024-02-29", "2024-03-01", "29 February"),
        ("May 3rd", "2025-05-03", "2025-05-04", "May 3rd"),
        ("May 3, 2024", "2024-05-03", "2024-05-04", "May 3, 2024"),
        ("in April", "2025-04-01", "2025-05-01", "April"),
        ("in june", "2025-06-01", "2025-07-01", "june"),
        ("in September", "2024-09-01", "2024-10-01", "September"),
        ("last June", "2024-06-01", "2024-07-01", "last June"),
        ("Q3 2025", "2025-07-01", "2025-10-01", "Q3 2025"),
        ("in Q3", "2024-07-01", "2024-10-01", "Q3"),
        ("the third quarter of 2023", "2023-07-01", "2023-10-01", "third quarter of 2023"),
        ("the 2019 report", "2019-01-01", "2020-01-01", "2019"),
        ("back in 2019", "2019-01-01", "2020-01-01", "2019"),
        ("today", "2025-06-18", "2025-06-19", "today"),
        ("Yesterday", "2025-06-17", "2025-06-18", "Yesterday"),
        ("the day before yesterday", "2025-06-16", "2025-06-17", "the day before yesterday"),
        ("last week", "2025-06-09", "2025-06-16", "last week"),
        ("last weekend", "2025-06-14", "2025-06-16", "last weekend"),
        ("last month", "2025-05-01", "2025-06-01", "last month"),
        ("last quarter", "2025-01-01", "2025-04-01", "last quarter"),
        ("last year", "2024-01-01", "2025-01-01", "last year"),
        ("3 days ago", "2025-06-15", "2025-06-16", "3 days ago"),
        ("two weeks ago", "2025-06-01", "2025-06-08", "two weeks ago"),
        ("a year ago", "2023-12-19", "2024-12-18", "a year ago"),
        ("in the last 30 days", "2025-05-19", "2025-06-19", "the last 30 days"),
        ("last Tuesday", "2025-06-17", "2025-06-18", "last Tuesday"),
        ("on Wednesday", "2025-06-11", "2025-06-12", "Wednesday"),
    ],
)
def test_a_date_in_english_is_read(query: str, start: str, end: str, phrase: str) -> None:
    assert days(query) == (start, end, phrase)


@pytest.mark.parametrize(
    ("query", "start", "end", "phrase"),
    [
        ("since Monday we talked", "2025-06-16", "-", "since Monday"),
        ("after March 2024", "2024-04-01", "-", "after March 2024"),
        ("before 2024-05-01", "-", "2024-05-01", "before 2024-05-01"),
        ("until last month", "-", "2025-06-01", "until last month"),
        ("from May 2023 onwards", "2023-05-01", "-", "from May 2023 onwards"),
        ("between March and May", "2025-03-01", "2025-06-01", "between March and May"),
        ("between November and February", "2024-11-01", "2025-03-01", "between November and February"),
        ("between May and July 2023", "2023-05-01", "2023-08-01", "between May and July 2023"),
        ("between 29 February and 3 March", "2025-02-28", "2025-03-04", "between 29 February and 3 March"),
        ("from 29 February to 3 March 2023", "2023-02-28", "2023-03-04", "from 29 February to 3 March 2023"),
        ("from 1 January 2024 to 28 February", "2024-01-01", "2024-02-29", "from 1 January 2024 to 28 February"),
        ("from January 2024 to February", "2024-01-01", "2024-03-01", "from January 2024 to February"),
        ("from 2019 to 2021", "2019-01-01", "2022-01-01", "from 2019 to 2021"),
        ("from 3 May to 5 June 2024", "2024-05-03", "2024-06-06", "from 3 May to 5 June 2024"),
        ("3 to 5 May 2024", "2024-05-03", "2024-05-06", "3 to 5 May 2024"),
        ("May 2023 against May 2024", "2023-05-01", "2024-06-01", "May 2023 against May 2024"),
    ],
)
def test_ranges_and_open_ends_are_read(query: str, start: str, end: str, phrase: str) -> None:
    assert days(query) == (start, end, phrase)


@pytest.mark.parametrize(
    ("query", "start", "end"),
    [
        ("im März", "2025-03-01", "2025-04-01"),
        ("3. Mai 2023", "2023-05-03", "2023-05-04"),
        ("gestern", "2025-06-17", "2025-06-18"),
        ("letzte Woche", "2025-06-09", "2025-06-16"),
        ("vor 3 Tagen", "2025-06-15", "2025-06-16"),
        ("seit Mai 2023", "2023-05-01", "-"),
        ("zwischen Januar und März 2024", "2024-01-01", "2024-04-01"),
        ("am Montag", "2025-06-16", "2025-06-17"),
        ("1.5.2024", "2024-05-01", "2024-05-02"),
        ("en mayo", "2025-05-01", "2025-06-01"),
        ("el 3 de mayo de 2023", "2023-05-03", "2023-05-04"),
        ("ayer", "2025-06-17", "2025-06-18"),
        ("la semana pasada", "2025-06-09", "2025-06-16"),
        ("hace dos semanas", "2025-06-01", "2025-06-08"),
        ("el mes pasado", "2025-05-01", "2025-06-01"),
        ("en août", "2024-08-01", "2024-09-01"),
        ("3 mai 2023", "2023-05-03", "2023-05-04"),
        ("hier", "2025-06-17", "2025-06-18"),
        ("la semaine dernière", "2025-06-09", "2025-06-16"),
        ("il y a 3 jours", "2025-06-15", "2025-06-16"),
        ("depuis avril", "2025-04-01", "-"),
    ],
)
def test_german_spanish_and_french_dates_are_read(query: str, start: str, end: str) -> None:
    assert days(query)[:2] == (start, end)


@pytest.mark.parametrize(
    "query",
    [
        "python 3.12",
        "since 2024.1",
        "ubuntu 22.04",
        "port 2019",
        "localhost:2019",
        "it may march on",
        "may I go",
        "the march of time",
        "if 5 may fail",
        "in 5 minutes",
        "a timeout of 30 seconds",
        "foo_2023_bar",
        "v2024",
        "P3D",
        "PT5M",
        "the limit is from 2000 to 3000",
        "in 2000 requests",
        "the 2000 users",
        "the 2048 game",
        "RFC 2019",
        "#2019",
        "2024/05",
        "2023-13",
        "2023-02-30",
        "who is April",
        "ask June about it",
        "",
        "x",
        "mars is red",
        "on 3.5 volts",
        "99999999 days ago",
        "since the rewrite",
    ],
)
def test_numbers_verbs_names_and_impossible_days_are_no_dates(query: str) -> None:
    assert window(query, AT) is None


@pytest.mark.parametrize(
    "query",
    [
        "what did we decide last week",
        "what did Ada and I decide last week",
        "what did I tell you in April",
        "what's left from yesterday's session",
        "since Monday we discussed caching",
        "Last week, what did you say about the fence?",
        "notes from May",
        "decisions from last week",
        "which decisions were made this week",
        "what was agreed on 3 May",
        "what did we decide about caching last week",
        "what did we discuss in our session on 3 May?",
        "in April, what did we agree?",
        "was haben wir letzte Woche beschlossen",
        "was habe ich dir gestern gesagt",
        "qué decidimos la semana pasada",
        "qué te dije ayer",
        "qu'avons-nous décidé la semaine dernière",
        "what did we decide in April",
        "what did we decide together in April",
        "what did we talk about in May",
        "what did we decide in June to launch",
        "what did we decide since March about how long thumbnails stay in the cache",
        "what did we tell you on 3 May",
        "what did we promise to ship last week",
        "what did I say I would do yesterday",
        "was haben wir im Mai beschlossen",
    ],
)
def test_a_date_of_the_saying_asserts(query: str) -> None:
    found = window(query, AT)
    assert found
    assert found.asserts


@pytest.mark.parametrize(
    "query",
    [
        "what did Ann do in May 2023",
        "the 2019 report",
        "who attended yesterday's meeting",
        "last week's outage",
        "what did we decide about the May 2023 trip",
        "what did we decide about the trip in April",
        "what did we decide about the report from last week",
        "when did Ben say he moved in March",
        "what were we told by Ana in March",
        "how much did I run last month",
        "in 2019 Ann left. what did we decide?",
        "which album was recorded in 2019",
        "was it hot yesterday",
        "what did we do in May and in July",
        "did we promise a launch in June",
        "was it decided to launch in June 2026",
        "did we promise delivery in June",
        "what have we decided to ship in May",
        "what did I say I would do in May?",
        "Do we remember to renew in April?",
        "what did we agree the team should ship this week",
        "what did we decide for June 2027",
        "what did we decide about June 2024",
        "what did we agree for May 2025",
        "haben wir beschlossen, im Mai zu starten",
        "decidimos lanzar en mayo",
        "haben wir den Start im Mai beschlossen",
        "avons-nous décidé de partir en mai",
    ],
)
def test_a_date_of_an_event_does_not_assert(query: str) -> None:
    found = window(query, AT)
    assert found
    assert not found.asserts


def test_days_begin_where_the_asker_is() -> None:
    at = datetime(2025, 6, 18, 1, tzinfo=timezone(timedelta(hours=2)))
    yesterday = window("yesterday", at)
    assert yesterday == Window(
        datetime(2025, 6, 16, 22, tzinfo=UTC), datetime(2025, 6, 17, 22, tzinfo=UTC), "yesterday"
    )
    assert window("yesterday", datetime(2025, 6, 18)) == window("yesterday", AT)  # noqa: DTZ001 - none is meant


def test_a_letter_that_becomes_two_in_lower_case_hides_no_date_and_moves_none() -> None:
    query = "What did we decide in May?"
    assert days(f"İ: {query} İ") == days(query) == ("2025-05-01", "2025-06-01", "May")


@given(st.text(max_size=200), st.datetimes(timezones=st.none() | st.just(UTC)))
def test_any_text_at_any_time_is_read_without_trouble(text: str, at: datetime) -> None:
    found = window(text, at)
    assert found is None or found.phrase in text


_PIECES = [
    "May",
    "march",
    "3",
    "31",
    "2023",
    "2024-02-30",
    "and",
    "to",
    "between",
    "from",
    "since",
    "before",
    "in",
    "the",
    "of",
    "last",
    "week",
    "Tuesday",
    "ago",
    "two",
    "days",
    "Q3",
    "years",
    "999",
    "-",
    "vor",
    "hace",
    "mayo",
    "1.5.2024",
    "29",
    "February",
    "yesterday",
    "until",
    "by",
    "what did we decide",
    "about",
    "'s",
    "session",
]


@given(st.lists(st.sampled_from(_PIECES), max_size=12), st.datetimes(timezones=st.just(UTC)))
def test_words_of_dates_in_any_order_make_a_period_that_begins_before_it_ends(words: list[str], at: datetime) -> None:
    text = " ".join(words)
    found = window(text, at)
    if found:
        assert found.phrase in text
        assert not found.start or not found.end or found.start < found.end


@pytest.mark.parametrize(
    "unit", ["a", "May 3 ", "1", "since 3 May and ", "we said ", "last ", "1.", "the a from ", "-"]
)
def test_a_text_of_twenty_thousand_characters_is_no_trouble(unit: str) -> None:
    window((unit * 20_000)[:20_000], AT)


def test_at_most_sixteen_dates_of_a_query_are_read() -> None:
    text = " ".join(f"2024-01-{day:02}" for day in range(1, 17)) + " last week, in Q2 2023"
    assert len(pieces(text, text, AT.date())) == 16
