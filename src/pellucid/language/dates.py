"""A unit and a number of them in, the days they mean out; the words by which languages name stretches of time."""

import re
from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from functools import cache

from pellucid.language.lexicon import LATIN, lexicon

Span = tuple[date, date]
"""The first day of a period, and the first day after it."""


@cache
def phrases(*codes: str) -> Mapping[str, str]:
    """Return a dict from the phrases of time in the languages with these codes to the `unit:offset` that each means
    (see `relative_span`): `today` to `day:0`. A phrase that only looks like one means `none:0`. FileNotFoundError for
    an unknown code.
    """
    tables = (lexicon(code).get("dates", {}).get("phrases", {}) for code in codes)
    return {phrase: meaning for table in tables for meaning, synonyms in table.items() for phrase in synonyms}


@cache
def units() -> Mapping[str, str]:
    """Return a dict from the names of units of time, in the languages of `LATIN`, to `day`, `week`, `month` or `year`:
    `Wochen` to `week`.
    """
    tables = (lexicon(code).get("dates", {}).get("units", {}) for code in LATIN)
    return {name: unit for table in tables for unit, names in table.items() for name in names.split()}


def alternatives(words: Iterable[str], min_length: int = 1) -> str:
    """Return a regular expression that matches any of the words of at least `min_length` characters, as they stand.

    The longest is tried first, so that no word is matched by its beginning. Empty, which matches anywhere, if there is
    no such word.
    """
    kept = (word for word in words if len(word) >= min_length)
    return "|".join(re.escape(word) for word in sorted(kept, key=len, reverse=True))


def month_span(year: int, month: int, months: int = 1) -> Span:
    """Return the period of `months` whole months that begins with this month (1 to 12) of this year. ValueError if its
    first day, or the first day after it, is outside the years 1 to 9999.
    """
    end = year * 12 + month - 1 + months
    return date(year, month, 1), date(end // 12, end % 12 + 1, 1)


def relative_span(today: date, unit: str, offset: int) -> Span:
    """Return the period of one `unit` that lies `offset` units after (before, if negative) that of `today`.

    Units: `day`, `week` (from Monday), `weekend` (Saturday and Sunday), `month`, `quarter`, `year`; with `trail`, the
    last `offset` days and today. Any other unit counts as a month. OverflowError or ValueError outside the years 1 to
    9999.
    """
    if unit == "day":
        day = today + timedelta(days=offset)
        return day, day + timedelta(days=1)
    if unit == "trail":
        return today - timedelta(days=offset), today + timedelta(days=1)
    if unit in {"week", "weekend"}:
        monday = today - timedelta(days=today.weekday() - 7 * offset)
        return monday + timedelta(days=5 * (unit == "weekend")), monday + timedelta(days=7)
    if unit == "year":
        return month_span(today.year + offset, 1, 12)
    size = 3 if unit == "quarter" else 1
    months = (today.year * 12 + today.month - 1) // size * size + offset * size
    return month_span(months // 12, months % 12 + 1, size)
