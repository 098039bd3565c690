"""A panel's numbers in, the values of its page out: each question about many recalls with a chart and its table."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import cast

from markupsafe import Markup

from pellucid.operations.memory.changing import ARCHIVE
from pellucid.operations.telemetry.panels import PANELS, PanelName
from pellucid.operations.telemetry.stats import STATS, StatsOutput
from pellucid.surfaces.dashboard.charts.bars import columns, format_amount, rows
from pellucid.surfaces.dashboard.view import Page, PageView, memory_of

_DRAWN: Mapping[PanelName, str] = {
    "hit-rate": "hitRate",
    "stale-rate": "staleRate",
    "tokens": "balance",
    "agents": "recalls",
    "top-cited": "favourable",
    "never-cited": "served",
    "graph-lift": "raised",
    "temporal-lift": "raised",
}
"""Maps each panel to its column that is drawn."""
_STRETCHES = {"7": "seven days", "30": "thirty days", "90": "ninety days", "": "always"}
_FEW = 8


@dataclass(frozen=True, slots=True)
class PanelView:
    """A panel as a page shows it."""

    title: str
    told: StatsOutput
    headline: str
    """The number that sums it up."""
    drawing: Markup
    href: str


def _activity(view: PageView) -> Mapping[str, object]:
    """Return the template values for the page of all panels (the questions of `stats`): `title`, `panels` with all
    their rows, the totals `tokens` and `hits`, `notes`, `few` (how many rows of each the page shows), and those of
    `_days_choice`.
    """
    panels = {name: _panel_view(view, name, "") for name in PANELS}
    return {
        "title": "Does memory pay for itself?",
        "panels": list(panels.values()),
        "tokens": _totals(panels["tokens"]),
        "hits": _totals(panels["hit-rate"]),
        "notes": panels["tokens"].told.notes,
        "few": _FEW,
        **_days_choice(view),
    }


def _totals(panel: PanelView) -> Mapping[str, str | int | float | None]:
    """Map the names of a panel's columns to their totals over all rows; a column that has no total is mapped to
    None.
    """
    return {each.name: value for each, value in zip(panel.told.columns, panel.told.totals, strict=True)}


def _panel(view: PageView) -> Mapping[str, object]:
    """Return the template values for the page of the panel that the path names, with all its rows, grouped by the
    query's `by`: `title`, `panel`, `by` (the possible groupings), `sections` (ids, see `_section_ids`), `may_archive`,
    and those of `_days_choice`.
    """
    shown = _panel_view(view, cast("PanelName", view.named["panel"]), view.query.get("by", ""))
    return {
        "title": shown.title,
        "panel": shown,
        "by": PANELS[shown.told.panel].by,
        "sections": _section_ids(view, shown.told),
        "may_archive": view.may(ARCHIVE),
        **_days_choice(view),
    }


def _section_ids(view: PageView, stats: StatsOutput) -> frozenset[str]:
    """Return the ids of the panel's memories that are sections of documents, which cannot be archived; empty for any
    panel but `never-cited`.
    """
    if stats.panel != "never-cited":
        return frozenset()
    memories = (memory_of(view, str(row[0])) for row in stats.rows)
    return frozenset(each.id for each in memories if each and each.category == "section")


def _days_choice(view: PageView) -> Mapping[str, object]:
    """Return the template values `days`, the query's number of days ("" for always, 30 by default), and `stretches`,
    the possible numbers with their words.
    """
    return {"days": view.query.get("days", "30"), "stretches": _STRETCHES}


def _panel_view(view: PageView, name: PanelName, by: str) -> PanelView:
    """Return the panel `name` (a table of the statistics) with its title, headline, chart and address, over as many
    days as the page's query says: all time for "" and for a number that is none of the choices. `by` is what it is
    grouped by; "" is the panel's default.
    """
    days = view.query.get("days", "30")
    now = view.host.app.clock.now()
    since = (now - timedelta(days=int(days))).isoformat() if days in _STRETCHES and days else ""
    stats: StatsOutput = view.ask(STATS, panel=name, by=by, since=since)
    title, href = name.replace("-", " ").capitalize(), view.href(f"activity/{name}", days=days)
    return PanelView(title, stats, _headline(stats), _chart(stats), href)


def _headline(stats: StatsOutput) -> str:
    """Render the one number that sums a panel up: the number of rows by memory, such as `3 memories`; the saved or lost
    tokens of `tokens`, such as `1,204 tokens saved`; else the total of the column that is drawn (`_DRAWN`), such as
    `66.7%`.
    """
    at = [each.name for each in stats.columns].index(_DRAWN[stats.panel])
    if stats.by == "memory":
        return f"{len(stats.rows)} {'memory' if len(stats.rows) == 1 else 'memories'}"
    total, column = stats.totals[at], stats.columns[at]
    amount = total if isinstance(total, int | float) else 0
    if column.name == "balance":
        return f"{format_amount(abs(amount), column.unit)} tokens {'lost' if amount < 0 else 'saved'}"
    number = format_amount(amount, column.unit)
    return number if column.unit == "share" else f"{number} {'put higher' if column.name == 'raised' else column.unit}"


def _chart(stats: StatsOutput) -> Markup:
    """Draw the chart of a panel: a column for each day, or a bar for each of the first eight names. Rows without a
    number are left out.
    """
    at = [each.name for each in stats.columns].index(_DRAWN[stats.panel])
    column = stats.columns[at]
    about = f"{stats.question} {column.text}"
    points = [(stats.words.get(str(row[0]), "") or str(row[0] or "none said"), row[at]) for row in stats.rows]
    numbers = [(name, float(value)) for name, value in points if isinstance(value, int | float)]
    return columns(numbers, column.unit, about) if stats.by == "day" else rows(numbers[:_FEW], column.unit, about)


ACTIVITY = (
    Page("activity", "activity_all.html", _activity, "Activity"),
    Page("activity/{panel}", "activity_one.html", _panel),
)
