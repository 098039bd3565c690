"""A line of a note in, the date at its head out.

Such as `2026-03-01`, `## 2026-03-01 Standup`, `[2026-03-01]`, `March 1, 2026`: what is written below it was written on
that day. A date further inside a line, or one that is ambiguous (`03/01/2026`), dates nothing.
"""

import re
from calendar import day_abbr, day_name, month_abbr, month_name
from datetime import UTC, datetime

_MONTHS = {name.lower(): number for names in (month_name, month_abbr) for number, name in enumerate(names) if name}
_MONTH = rf"(?P<month>{'|'.join(sorted(_MONTHS, key=len, reverse=True))})\.?"
_DAY = r"(?P<day>\d{1,2})(?!\d)"
_YEAR = r"(?P<year>\d{4})(?!\d)"
_WEEKDAY = rf"(?:(?:{'|'.join((*day_name, *day_abbr))})\.?,? )?"
_FORMS = tuple(
    re.compile(rf"\s{{0,3}}(?P<mark>#{{1,6}} +|[-*+] |)(?P<open>[\[(*_]{{1,3}}|){_WEEKDAY}{form}", re.IGNORECASE)
    for form in (
        rf"(?P<year>\d{{4}})(?P<sep>[-/.])(?P<month>\d\d?)(?P=sep){_DAY}",
        rf"(?P<year>\d{{4}})年(?P<month>\d\d?)月{_DAY}日",
        rf"{_DAY}\.(?P<month>\d\d?)\.{_YEAR}",
        rf"{_MONTH} {_DAY}(?:st|nd|rd|th)?,? {_YEAR}",
        rf"{_DAY}(?:st|nd|rd|th|\.)? {_MONTH},? {_YEAR}",
    )
)
_TIME = re.compile(r"[ T,]{1,2}(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)(?::[0-5]\d)?(?:Z| UTC)?\b")
_LEADS_ON = re.compile(r"[\])*_]*+(?:,? \(?\w{2,10}\.?\)?)?[\])*_]*+\s*+(?:[:–—|-]|$)")


def date_at_head(line: str, *, begins: bool) -> datetime | None:
    """The date, in UTC, that a line begins with.

    Args:
        begins: the line begins a paragraph, so that a date at its head dates it whatever follows; any other line must
            be a heading, bracket the date, hold nothing else, or go on with a colon or a dash.
    """
    for form in _FORMS:
        if found := form.match(line):
            time = _TIME.match(line, found.end())
            marked = found["mark"].startswith("#") or bool(found["open"])
            if not (begins or marked or (time is None and _LEADS_ON.match(line, found.end()))):
                return None  # a sentence that goes on, or a line of a log
            month = _MONTHS.get(found["month"].lower()) or int(found["month"])
            clock = (int(time["hour"]), int(time["minute"])) if time else (0, 0)
            try:
                return datetime(int(found["year"]), month, int(found["day"]), *clock, tzinfo=UTC)
            except ValueError:  # 2026-02-31 is a typo, and no date
                return None
    return None
