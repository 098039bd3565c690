"""A unit and a number of them in, the days they mean out; the words by which languages name stretches of time."""

import re
from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from functools import cache

from pellucid.language.lexicon import LATIN, lexicon

Span = tuple[date, date]
"""The first day of a period, and the first one behind it."""


@cache
def phrases(*codes: str) -> Mapping[str, str]:
    """The phrases of time of some language codes, each with the `unit:offset` it means: `day:-1` for `yesterday`."""
    tables = (lexicon(code).get("dates", {}).get("phrases", {}) for code in codes)
    return {phrase: meaning for table in tables for meaning, known in table.items() for phrase in known}


@cache
def units() -> Mapping[str, str]:
    """A dict from every form of their names to `day`, `week`, `month` and `year`: `Wochen` to `week`."""
    tables = (lexicon(code).get("dates", {}).get("units", {}) for code in LATIN)
    return {name: unit for table in tables for unit, names in table.items() for name in names.split()}


def alternatives(words: Iterable[str], least: int = 1) -> str:
    """The words of at least `least` characters as alternatives in a regular expression, the longest first."""
    kept = (word for word in words if len(word) >= least)
    return "|".join(re.escape(word) for word in sorted(kept, key=len, reverse=True))


def month_span(year: int, month: int, months: int = 1) -> Span:
    """The period of `months` whole months that begins with this month (1 to 12) of this year."""
    end = year * 12 + month - 1 + months
    return date(year, month, 1), date(end // 12, end % 12 + 1, 1)


def relative_span(today: date, unit: str, offset: int) -> Span:
    """The `day`, `week`, `weekend`, `month`, `quarter` or `year` that lies `offset` of them from the one of `today`.

    With the unit `trail`, the last `offset` days and today.
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
