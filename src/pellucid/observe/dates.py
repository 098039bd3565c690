"""A sentence and the time of its turn in, the sentence with absolute dates out: `yesterday (2026-04-22)`."""

import re
from datetime import date, datetime, timedelta
from functools import cache

from pellucid.language.scripts import is_east
from pellucid.observe.language import Language, Unit, load_language

_DATED = re.compile(r"\s*\(\d{4}")
_AT_MOST = 2


def resolve_dates(text: str, at: datetime | None, language: Language) -> str:
    """`text` with the absolute date in parentheses after each relative one (the first two), if the time is known.

    A day is `2026-04-22`, a week `week of 2026-04-20`, a month `2026-04`, a year `2026`.
    """
    pattern = _pattern(language.code)
    if at is None or not pattern:
        return text
    today = at.date()
    done, parts, last = 0, list[str](), 0
    lowered = text.lower()
    for found in pattern.finditer(lowered if len(lowered) == len(text) else text):
        named = _absolute(found, today, language)
        if done < _AT_MOST and named and not _DATED.match(text[found.end() :]):
            parts += [text[last : found.end()], f"({named})" if is_east(found[0]) else f" ({named})"]
            last, done = found.end(), done + 1
    return "".join([*parts, text[last:]])


@cache
def _pattern(code: str) -> re.Pattern[str] | None:
    language = load_language(code)
    spans = language.spans
    phrases = sorted(language.dates, key=len, reverse=True)
    edge = "" if any(map(is_east, phrases)) else r"\b"
    rows = [f"(?P<phrase>{edge}(?:{'|'.join(map(re.escape, phrases))}){edge})"] if phrases else []
    for name in ("ago", "ahead", "past_weekday", "coming_weekday"):
        if template := getattr(spans, name):
            number = r"\d{1,3}|" + "|".join(sorted(spans.numbers, key=len, reverse=True))
            weekday = "|".join(sorted(spans.weekdays, key=len, reverse=True))
            filled = template.replace("{n}", number).replace("{weekday}", weekday)
            rows.append(f"(?P<{name}>{_name_groups(filled, name)})")
    return re.compile("|".join(rows)) if rows else None


def _name_groups(template: str, name: str) -> str:
    """The plain groups of a row get unique names: first the number or weekday, then the unit."""
    parts = re.split(r"(?<!\\)\((?!\?)", template)
    return "".join([parts[0], *(f"(?P<{name}_{at}>{part}" for at, part in enumerate(parts[1:]))])


def _absolute(found: re.Match[str], today: date, language: Language) -> str | None:
    kind = found.lastgroup or ""
    spans = language.spans
    if kind == "phrase":
        unit, offset = language.dates[found[0]].split(":")
        return _shift(today, unit, int(offset))
    if kind in {"ago", "ahead"}:
        said = found[f"{kind}_0"]
        count = int(said) if said.isdigit() else spans.numbers[said]
        return _shift(today, spans.units[found[f"{kind}_1"]], -count if kind == "ago" else count)
    weekday = spans.weekdays[found[f"{kind}_0"]]
    days = (weekday - today.weekday()) % 7 or 7
    return str(today + timedelta(days=days if kind == "coming_weekday" else (days - 7 or -7)))


def _shift(today: date, unit: Unit | str, offset: int) -> str | None:
    if unit == "none":
        return None
    if unit == "day":
        return str(today + timedelta(days=offset))
    monday = today - timedelta(days=today.weekday())
    if unit == "week":
        return f"week of {monday + timedelta(weeks=offset)}"
    if unit == "weekend":
        return str(monday + timedelta(weeks=offset, days=5))
    if unit == "month":
        months = today.year * 12 + today.month - 1 + offset
        return f"{months // 12}-{months % 12 + 1:02d}"
    return str(today.year + offset)
