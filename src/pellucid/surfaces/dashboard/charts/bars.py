"""Named numbers in, bars of them as SVG out: a column a day, or a row a name.

A table beside it has the same numbers.
"""

from collections.abc import Sequence

from markupsafe import Markup

from pellucid.xray.words.visible import visible

_WIDTH, _HEIGHT, _FOOT = 440.0, 120.0, 18.0
_ROW, _NAME, _SIDE = 22.0, 190.0, 56.0
_CHARS = 30


def columns(points: Sequence[tuple[str, float]], unit: str, about: str) -> Markup:
    """Draw an SVG chart with a column for each point, a (name, number), in their order; those below zero hang from the
    axis. Empty without points.

    `unit` is that of the numbers (`share`, `tokens`, …, see `format_amount`); `about` is the chart's title, which says
    what it shows.
    """
    if not points:
        return Markup()
    high, low = max(0.0, *(value for _, value in points)), min(0.0, *(value for _, value in points))
    scale = _HEIGHT / ((high - low) or 1.0)
    axis, step = high * scale, _WIDTH / len(points)
    bars = Markup().join(
        Markup('<rect class="bar{}" x="{}" y="{}" width="{}" height="{}"><title>{}</title></rect>').format(
            " bad" if value < 0 else "",
            round(at * step + step * 0.1, 1),
            round(axis - max(value, 0.0) * scale, 1),
            round(step * 0.8, 1),
            round(max(abs(value) * scale, 1.0), 1),
            f"{visible(name)}: {format_amount(value, unit)}",
        )
        for at, (name, value) in enumerate(points)
    )
    ends = Markup('<text x="0" y="{0}">{1}</text><text x="{2}" y="{0}" text-anchor="end">{3}</text>').format(
        _HEIGHT + 14, visible(points[0][0]), _WIDTH, visible(points[-1][0])
    )
    line = Markup('<line class="axis" x1="0" x2="{}" y1="{}" y2="{}"/>').format(_WIDTH, round(axis, 1), round(axis, 1))
    return _svg_start(_WIDTH, _HEIGHT + _FOOT, about) + line + bars + ends + Markup("</svg>")


def rows(points: Sequence[tuple[str, float]], unit: str, about: str) -> Markup:
    """Draw an SVG chart with a bar for each point, a (name, number), one below the other; a bar is as long as the
    number without its sign. Empty without points.

    The largest number fills the width; for the unit `share`, 1 does unless one is larger. `unit` and `about` are as for
    `columns`; bars of numbers below zero have another colour.
    """
    if not points:
        return Markup()
    largest = max(*(abs(value) for _, value in points), 1.0 if unit == "share" else 0.0) or 1.0
    room = _WIDTH - _NAME - _SIDE
    bars = Markup().join(
        _row(at * _ROW, name, value, room * abs(value) / largest, unit) for at, (name, value) in enumerate(points)
    )
    return _svg_start(_WIDTH, _ROW * len(points), about) + bars + Markup("</svg>")


def _row(y: float, name: str, value: float, length: float, unit: str) -> Markup:
    """Draw as SVG a bar between its name (cut to 30 characters) and `value` in its `unit`; `y` is the top of its row,
    `length` the bar's width, both in units of the drawing.
    """
    short = name if len(name) <= _CHARS else f"{name[: _CHARS - 1]}…"
    words = Markup('<text x="0" y="{}">{}<title>{}</title></text>').format(y + 15, visible(short), visible(name))
    room = _WIDTH - _NAME - _SIDE
    trough = Markup('<rect class="trough" x="{}" y="{}" width="{}" height="12"/>').format(_NAME, y + 5, room)
    kind = "bar bad" if value < 0 else "bar"
    bar = Markup('<rect class="{}" x="{}" y="{}" width="{}" height="12"/>').format(kind, _NAME, y + 5, round(length, 1))
    number = Markup('<text class="value" x="{}" y="{}">{}</text>')
    return words + trough + bar + number.format(_WIDTH - _SIDE + 8, y + 15, format_amount(value, unit))


def _svg_start(width: float, height: float, about: str) -> Markup:
    """Return the opening tag of a chart of this size, with `about` as its title."""
    return Markup('<svg class="bars" role="img" viewBox="0 0 {} {}"><title>{}</title>').format(
        width, height, visible(about)
    )


def format_amount(value: float | None, unit: str) -> str:
    """Render a number in its unit: a `share` as `66.7%`, others as `1,204` if whole, else `+0.25`; `–` for None."""
    if value is None:
        return "–"
    if unit == "share":
        return f"{value:.1%}"
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:+,.2f}"
