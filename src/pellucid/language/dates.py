"""A unit and a number of them in, the days they mean out; the words by which languages name stretches of time."""

import re
from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from functools import cache

from pellucid.language.lexicon import LATIN, lexicon

Span = tuple[date, date]
"""The first day of a period, and the first one behind it."""


@cache
def phrases(*of: str) -> Mapping[str, str]:
    """Phrases of some languages, and the unit with how many of it from the present one: `day:-1` for `yesterday`."""
    tables = (lexicon(code).get("dates", {}).get("phrases", {}) for code in of)
    return {said: meant for table in tables for meant, known in table.items() for said in known}


@cache
def units() -> Mapping[str, str]:
    """The names of `day`, `week`, `month` and `year` in every form, with that unit."""
    tables = (lexicon(code).get("dates", {}).get("units", {}) for code in LATIN)
    return {name: unit for table in tables for unit, names in table.items() for name in names.split()}


def alternatives(words: Iterable[str], least: int = 1) -> str:
    """Words as the alternatives of a pattern, the longest first."""
    kept = (word for word in words if len(word) >= least)
    return "|".join(re.escape(word) for word in sorted(kept, key=len, reverse=True))


def month_span(year: int, month: int, months: int = 1) -> Span:
    """`months` whole months from one on."""
    end = year * 12 + month - 1 + months
    return date(year, month, 1), date(end // 12, end % 12 + 1, 1)


def shifted(today: date, unit: str, offset: int) -> Span:
    """The first day and the day after the last of the day, week, month, quarter or year `offset` units from now.

    `weekend` is a unit, too; with `trail` it is the last `offset` days and today.
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
