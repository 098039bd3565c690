"""Spans of time in, a timeline as SVG out: drawn on the server, coloured by classes alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from markupsafe import Markup

from pellucid.xray.words.visible import visible

_WIDTH, _ROW, _FOOT = 720.0, 30.0, 22.0


@dataclass(frozen=True, slots=True)
class TimelineSpan:
    """One bar of a timeline: its label, from when to when (None: still), and marks (instant, text) on it."""

    label: str
    since: datetime
    until: datetime | None
    kind: str
    """A class of its colour, such as `active`."""
    href: str = ""
    marks: Sequence[tuple[datetime, str]] = ()


def timeline(spans: Sequence[TimelineSpan], now: datetime, about: str, at: datetime | None = None) -> Markup:
    """Draw an SVG chart of spans over time, one a row in their order, from the first instant up to `now`, where a span
    without an end ends; `ValueError` if there are no spans. `about` says what it shows, for those who cannot see it;
    `at` is an instant to mark by a line, None for none.
    """
    begin = min(each.since for each in spans)
    whole = max(now - begin, timedelta(minutes=1))

    def x(instant: datetime) -> float:
        """Return the horizontal position of an instant, from 0 to the width; instants outside are put at its ends."""
        return round(min(max((instant - begin) / whole, 0.0), 1.0) * _WIDTH, 1)

    height = _ROW * len(spans) + _FOOT
    rows = Markup("").join(
        _span_bar(each, place * _ROW, x(each.since), x(each.until or now)) for place, each in enumerate(spans)
    )
    ticks = Markup("").join(
        Markup('<circle class="tick" cx="{}" cy="{}" r="4"><title>{}</title></circle>').format(
            x(when), place * _ROW + 21, visible(text)
        )
        for place, each in enumerate(spans)
        for when, text in each.marks
    )
    asked = (
        Markup('<line class="asked" x1="{0}" x2="{0}" y1="0" y2="{1}"/>').format(x(at), height - _FOOT) if at else ""
    )
    opened = Markup('<svg class="timeline" viewBox="-6 0 {} {}" role="group" aria-label="{}">').format(
        _WIDTH + 12, height, visible(about)
    )
    form = "%Y-%m-%d" if whole > timedelta(days=2) else "%Y-%m-%d %H:%M"
    axis = Markup('<text x="0" y="{0}">{1}</text><text x="{2}" y="{0}" text-anchor="end">{3}</text>').format(
        height - 5, f"{begin:{form}}", _WIDTH, f"{now:{form}}"
    )
    return opened + rows + ticks + asked + axis + Markup("</svg>")


def _span_bar(span: TimelineSpan, y: float, left: float, right: float) -> Markup:
    """Draw a span as a bar below its label, a link if it has an address. `y` is the top of its row, `left` and `right`
    are the bar's ends, in units of the drawing.
    """
    title = f"{span.label}: {span.since:%Y-%m-%d %H:%M} to {f'{span.until:%Y-%m-%d %H:%M}' if span.until else 'now'}"
    bar = Markup('<rect class="span {}" x="{}" y="{}" width="{}" height="12" rx="3"><title>{}</title></rect>').format(
        span.kind, left, y + 15, round(max(right - left, 3.0), 1), visible(title)
    )
    words = Markup('<text x="0" y="{}">{}</text>').format(y + 10, visible(span.label))
    drawn = words + bar
    return Markup('<a href="{}">{}</a>').format(span.href, drawn) if span.href else drawn
