"""A sentence and the time of its turn in, the sentence with absolute dates out: `yesterday (2026-04-22)`."""

import re
from datetime import date, datetime, timedelta
from functools import cache

from pellucid.language import lexicon
from pellucid.language.dates import alternatives, phrases, relative_span
from pellucid.language.scripts import is_east
from pellucid.observe.language import Language, Unit, load_language

_DATED = re.compile(r"\s*\(\d{4}")
_MAX_DATES = 2
_OPENS = {"week": "week of ", "trail": "since "}


def resolve_dates(text: str, at: datetime | None, language: Language) -> str:
    """Return the text with an absolute date in brackets after each of its first two relative ones.

    `at` is the time at which it was said; if None, the text is unchanged. A week is `week of 2026-04-20`, a month
    `2026-04`, a year `2026`, the past week `since 2026-04-15`.
    """
    pattern = _pattern(language.code)
    if at is None or not pattern:
        return text
    today = at.date()
    done, parts, last = 0, list[str](), 0
    lowered = text.lower()
    for found in pattern.finditer(lowered if len(lowered) == len(text) else text):
        try:
            named = _absolute_date(found, today, language)
        except (OverflowError, ValueError):  # the day lies outside the years 1 to 9999
            named = None
        end = found.end() + 2 * text[found.end() :].startswith(("'s", "’s"))  # yesterday's
        if done < _MAX_DATES and named and not _DATED.match(text[end:]):
            parts += [text[last:end], f"({named})" if is_east(found[0]) else f" ({named})"]
            last, done = end, done + 1
    return "".join([*parts, text[last:]])


@cache
def _pattern(code: str) -> re.Pattern[str] | None:
    """Return a pattern for every relative date of a language, by its code; None for a language without any."""
    language = load_language(code)
    spans = language.spans
    set_phrases = phrases(code)
    edge = "" if any(map(is_east, set_phrases)) else r"\b"
    rows = [f"(?P<phrase>{edge}(?:{alternatives(set_phrases)}){edge})"] if set_phrases else []
    for name in ("ago", "ahead", "past_weekday", "coming_weekday"):
        if template := getattr(spans, name):
            number, weekday = rf"\d{{1,3}}|{alternatives(lexicon.numbers(code))}", alternatives(lexicon.weekdays(code))
            filled = template.replace("{n}", number).replace("{weekday}", weekday)
            rows.append(f"(?P<{name}>{_name_groups(filled, name)})")
    return re.compile("|".join(rows)) if rows else None


def _name_groups(template: str, name: str) -> str:
    """Return the pattern with names for its unnamed groups: `ago_0` for the number or weekday, `ago_1` for the unit."""
    parts = re.split(r"(?<!\\)\((?!\?)", template)
    return "".join([parts[0], *(f"(?P<{name}_{at}>{part}" for at, part in enumerate(parts[1:]))])


def _absolute_date(match: re.Match[str], today: date, language: Language) -> str | None:
    """Return the date (`2026-04-22`) that a match of `_pattern` means, seen from `today`; None if no date."""
    kind = match.lastgroup or ""
    spans = language.spans
    if kind == "phrase":
        unit, offset = phrases(language.code)[match[0]].split(":")
        return _named_period(today, unit, int(offset))
    if kind in {"ago", "ahead"}:
        said = match[f"{kind}_0"]
        count = int(said) if said.isdigit() else lexicon.numbers(language.code)[said]
        return _named_period(today, spans.units[match[f"{kind}_1"]], -count if kind == "ago" else count)
    weekday = lexicon.weekdays(language.code)[match[f"{kind}_0"]]
    days = (weekday - today.weekday()) % 7 or 7
    return str(today + timedelta(days=days if kind == "coming_weekday" else (days - 7 or -7)))


def _named_period(today: date, unit: Unit | str, offset: int) -> str | None:
    """Return the period `offset` units from today (`2026-04-22`, `week of 2026-04-20`, `2026-Q2`); None for `none`."""
    if unit == "none":
        return None
    start = relative_span(today, unit, offset)[0]
    if unit == "quarter":
        return f"{start.year}-Q{start.month // 3 + 1}"
    if unit in {"month", "year"}:
        return f"{start:%Y-%m}" if unit == "month" else f"{start:%Y}"
    return f"{_OPENS.get(unit, '')}{start}"
