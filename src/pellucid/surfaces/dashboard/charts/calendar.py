"""Numbers in, SVG drawings of them out: a calendar and meters, with the same in words for those who cannot see them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from markupsafe import Markup

_CELL, _GAP, _TOP, _LEFT = 13, 3, 16, 30
_WEEKS = 53
"""The most weeks that a calendar shows; earlier ones are left out."""
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
    """Draw an SVG calendar of 53 weeks at most, up to the week of the last day: a column for each week, a square for
    each day. `days` are those with a count above 0, oldest first: each is a link, in one of four shades by its share of
    the greatest count. Days before the first week are not drawn. `chosen` is marked if it is one of `days`; empty if
    there are no days.
    """
    if not days:
        return Markup()
    last = days[-1].day + timedelta(days=6 - days[-1].day.weekday())
    first = max(days[0].day - timedelta(days=days[0].day.weekday()), last - timedelta(days=7 * _WEEKS - 1))
    drawn = [each for each in days if each.day >= first]
    weeks, by_day = ((last - first).days + 1) // 7, {each.day: each for each in drawn}
    max_count = max(each.count for each in drawn)
    step = _CELL + _GAP
    width, height = _LEFT + weeks * step, _TOP + 7 * step
    cells = Markup().join(_cells(first, weeks, by_day, max_count, chosen))
    names = Markup().join(_months(first, weeks))
    rows = Markup().join(
        Markup('<text x="0" y="{}">{}</text>').format(_TOP + row * step + 10, name)
        for row, name in ((0, "Mon"), (2, "Wed"), (4, "Fri"))
    )
    tag = Markup('<svg class="calendar" role="group" aria-label="{}" width="{}" height="{}" viewBox="0 0 {} {}">')
    label = f"{len(drawn)} days from {drawn[0].day} to {drawn[-1].day}"
    return tag.format(label, width, height, width, height) + names + rows + cells + Markup("</svg>")


def _cells(
    first: date, weeks: int, by_day: dict[date, DayCell], max_count: int, chosen: date | None
) -> Iterator[Markup]:
    """Yield a square for each day of so many weeks from `first` on. A day in `by_day` is a link in one of four shades,
    the darkest for `max_count`, and marked if it is `chosen`; other days are empty.
    """
    for number in range(weeks * 7):
        day = first + timedelta(days=number)
        x, y = _LEFT + number // 7 * (_CELL + _GAP), _TOP + number % 7 * (_CELL + _GAP)
        cell = by_day.get(day)
        if cell is None:
            yield _square(x, y, "trough")
            continue
        shade = -(-cell.count * _SHADES // max_count)
        kind = f"bar shade{shade}{' chosen' if day == chosen else ''}"
        link = Markup('<a href="{}" aria-label="{}"><title>{}</title>{}</a>')
        yield link.format(cell.href, cell.words, cell.words, _square(x, y, kind))


def _square(x: int, y: int, kind: str) -> Markup:
    """Draw the square of a day as SVG, with its upper left corner at `x` and `y`; `kind` are its CSS classes."""
    return Markup('<rect class="{}" x="{}" y="{}" width="{}" height="{}" rx="2"/>').format(kind, x, y, _CELL, _CELL)


def _months(first: date, weeks: int) -> Iterator[Markup]:
    """Yield the names of months as SVG above the weeks they begin in; the first week has its month and year. A name is
    left out if the one before is less than three weeks to its left, or the first one less than four.
    """
    free = 0
    for week in range(weeks):
        monday = first + timedelta(days=7 * week)
        is_new = week == 0 or monday.month != (monday - timedelta(days=7)).month
        if is_new and week >= free:
            x = _LEFT + week * (_CELL + _GAP)
            yield Markup('<text x="{}" y="11">{}</text>').format(x, f"{monday:%b %Y}" if week == 0 else f"{monday:%b}")
            free = week + (4 if week == 0 else 3)


def meter(used: float, capacity: float, words: str, *, fills: bool = True) -> Markup:
    """Draw an SVG bar of how much of `capacity` is `used`, described by `words`; it is empty if `capacity` is 0. With
    `fills`, it has an alarming colour if 90 % or more is used.
    """
    share = 0 if capacity <= 0 else min(max(used / capacity, 0), 1)
    template = Markup(
        '<svg class="meter" role="img" aria-label="{}" width="160" height="10" viewBox="0 0 160 10"><title>{}</title>'
        '<rect class="trough" width="160" height="10" rx="3"/><rect class="bar{}" width="{}" height="10" rx="3"/></svg>'
    )
    return template.format(words, words, " bad" if fills and share >= _NEARLY_FULL else "", round(160 * share, 1))
