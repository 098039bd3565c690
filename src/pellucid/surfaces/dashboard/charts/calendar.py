"""Numbers in, drawings of them out: SVG made on the server, with what it says for those who cannot see it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from markupsafe import Markup

_CELL, _GAP, _TOP, _LEFT = 13, 3, 16, 30
_WEEKS = 53
"""Weeks that a calendar shows at most, the last ones."""
_SHADES = 4
_NEARLY_FULL = 0.9


@dataclass(frozen=True, slots=True)
class DayCell:
    """One day of a calendar: how much there was, the same in words, and the page it links to."""

    day: date
    count: int
    words: str
    href: str


def calendar(days: Sequence[DayCell], chosen: date | None = None) -> Markup:
    """An SVG calendar of 53 weeks at most: a column for each week, a square for each day, the darker the more there
    was; empty for no days. `days` are those with something, oldest first, each a link; `chosen` is marked.
    """
    if not days:
        return Markup()
    last = days[-1].day + timedelta(days=6 - days[-1].day.weekday())
    first = max(days[0].day - timedelta(days=days[0].day.weekday()), last - timedelta(days=7 * _WEEKS - 1))
    weeks, held, most = ((last - first).days + 1) // 7, {each.day: each for each in days}, max(d.count for d in days)
    step = _CELL + _GAP
    width, height = _LEFT + weeks * step, _TOP + 7 * step
    cells = Markup().join(_cells(first, weeks, held, most, chosen))
    names = Markup().join(_months(first, weeks))
    rows = Markup().join(
        Markup('<text x="0" y="{}">{}</text>').format(_TOP + row * step + 10, name)
        for row, name in ((0, "Mon"), (2, "Wed"), (4, "Fri"))
    )
    told = Markup('<svg class="calendar" role="group" aria-label="{}" width="{}" height="{}" viewBox="0 0 {} {}">')
    said = f"{len(days)} days from {days[0].day} to {days[-1].day}"
    return told.format(said, width, height, width, height) + names + rows + cells + Markup("</svg>")


def _cells(first: date, weeks: int, held: dict[date, DayCell], most: int, chosen: date | None) -> Iterator[Markup]:
    """A square for each day of the weeks from `first` on; `held` are the days with something, `most` the count of the
    darkest.
    """
    for number in range(weeks * 7):
        day = first + timedelta(days=number)
        x, y = _LEFT + number // 7 * (_CELL + _GAP), _TOP + number % 7 * (_CELL + _GAP)
        found = held.get(day)
        if found is None:
            yield _square(x, y, "trough")
            continue
        shade = -(-found.count * _SHADES // most)
        kind = f"bar shade{shade}{' chosen' if day == chosen else ''}"
        link = Markup('<a href="{}" aria-label="{}"><title>{}</title>{}</a>')
        yield link.format(found.href, found.words, found.words, _square(x, y, kind))


def _square(x: int, y: int, kind: str) -> Markup:
    """The square of a day as SVG, at this position; `kind` are its CSS classes."""
    return Markup('<rect class="{}" x="{}" y="{}" width="{}" height="{}" rx="2"/>').format(kind, x, y, _CELL, _CELL)


def _months(first: date, weeks: int) -> Iterator[Markup]:
    """The names of months above the weeks they begin in, where the name before leaves room."""
    free = 0
    for week in range(weeks):
        monday = first + timedelta(days=7 * week)
        is_new = week == 0 or monday.month != (monday - timedelta(days=7)).month
        if is_new and week >= free:
            x = _LEFT + week * (_CELL + _GAP)
            yield Markup('<text x="{}" y="11">{}</text>').format(x, f"{monday:%b %Y}" if week == 0 else f"{monday:%b}")
            free = week + (4 if week == 0 else 3)


def meter(used: float, most: float, words: str, *, fills: bool = True) -> Markup:
    """An SVG bar of how much of `most` is used, described by `words`; with `fills` it has an alarming colour from 90 %
    on. It is empty if `most` is 0.
    """
    share = 0 if most <= 0 else min(max(used / most, 0), 1)
    drawn = Markup(
        '<svg class="meter" role="img" aria-label="{}" width="160" height="10" viewBox="0 0 160 10"><title>{}</title>'
        '<rect class="trough" width="160" height="10" rx="3"/><rect class="bar{}" width="{}" height="10" rx="3"/></svg>'
    )
    return drawn.format(words, words, " bad" if fills and share >= _NEARLY_FULL else "", round(160 * share, 1))
