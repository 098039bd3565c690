"""Nothing in, the panels out: the question of each, the view that it reads, its groupings and its columns."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from pellucid.settings.sections import TelemetrySettings
from pellucid.store.history.telemetry_port import Grouping

PanelName = Literal[
    "hit-rate", "stale-rate", "tokens", "agents", "top-cited", "never-cited", "graph-lift", "temporal-lift"
]
Count = int | float | None
Sums = Mapping[str, int]
"""Maps the names of a view's measures to their sums."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a panel: its name, the unit of its numbers, its description, and its value as a function of the
    sums."""

    name: str
    unit: str
    text: str
    value: Callable[[Sums, TelemetrySettings], Count]


@dataclass(frozen=True, slots=True)
class Panel:
    """A statistics panel: one question about many recalls, and how it is summed."""

    name: PanelName
    question: str
    view: str
    columns: tuple[Column, ...]
    by: tuple[Grouping, ...]
    """The groupings that it offers; the first is the default."""
    measures: tuple[str, ...]
    """Columns of the view that are summed; rows are ordered by the first."""
    by_leg: str = ""
    """The view with the same measures for each leg; "" if there is no such view."""
    notes: Callable[[TelemetrySettings], tuple[str, ...]] = lambda _: ()
    """Notes that a reader of the numbers needs."""
    keeps: Callable[[Sums, TelemetrySettings], bool] = lambda _sums, _settings: True
    """Whether a row is shown."""
    of_active: bool = False
    """Whether only rows of active memories are shown."""
    from_lifts: bool = False
    """Whether it reads leg lifts (`LiftRow`), which must be computed from receipts first."""

    def view_by(self, by: Grouping) -> str:
        """Return the SQL view to sum for this grouping: the one by leg, if there is one and it is asked for, else the
        usual one."""
        return self.by_leg if by == "leg" and self.by_leg else self.view


def _summed(name: str, unit: str, text: str) -> Column:
    """Make a column that shows the sum of the measure `name`, in this unit; `text` is its description."""
    return Column(name, unit, text, lambda sums, _: sums[name])


def _ratio(name: str, part: str, whole: str, text: str) -> Column:
    """Make the column `name` that shows the sum of measure `part` as a share of the sum of measure `whole`, rounded to
    four decimals; its value is None where the latter is 0. `text` is its description."""
    return Column(name, "share", text, lambda sums, _: round(sums[part] / sums[whole], 4) if sums[whole] else None)


_RECALLS = _summed("recalls", "recalls", "Recalls that were asked.")
_GAVE = _summed("gave", "recalls", "Recalls that gave at least one memory.")
_HITS = _summed("hits", "recalls", "Of these, recalls of which at least one memory was worked with (cited, used, …).")
_HIT_RATE = _ratio("hitRate", "hits", "gave", "Hits as a share of the recalls that gave something.")
_LOADED = _summed("loaded", "tokens", "Tokens of the contexts that were handed out, reckoned at four characters each.")


def _tokens_saved(sums: Sums, settings: TelemetrySettings) -> int:
    """Estimate the tokens that memories saved: the tokens of one piece of rework times how often memories spared it."""
    return sums["spared"] * settings.rework_tokens


def _mean_places(sums: Sums, _: TelemetrySettings) -> Count:
    """Return the mean number of ranks by which a leg raised the memories that are served with and without it; below 0
    if it lowered them, None if there are no such memories."""
    stayed = sums["cited"] - sums["brought"] - sums["unknown"]
    return round(sums["places"] / stayed, 2) if stayed else None


def _lift_panel(name: PanelName, question: str, *by: Grouping, note: str) -> Panel:
    """Make a panel of the effect of legs (ways of searching) on cited memories. `question` is what it answers, in
    words; `by` are the groupings that it offers, the first is the default; `note` is what a reader of its numbers needs
    to know."""
    columns = (
        _summed("cited", "memories", "Memories that were worked with, once for each recall that gave them."),
        _summed("brought", "memories", "Of these, those that would not have been given without it."),
        _summed("raised", "memories", "Those that it put higher."),
        _summed("lowered", "memories", "Those that it put lower."),
        Column("meanPlaces", "places", "Places by which it raised them, on average over all that stay.", _mean_places),
        _summed("unknown", "memories", "Those of which the receipt cannot tell."),
    )
    measures = ("cited", "brought", "raised", "lowered", "places", "unknown")
    view = f"panel_{name.replace('-', '_')}"
    return Panel(name, question, view, columns, by, measures, notes=lambda _: (note,), from_lifts=True)


PANELS: Mapping[PanelName, Panel] = {
    each.name: each
    for each in (
        Panel(
            "hit-rate",
            "How many of the recalls that gave something gave something that was worked with?",
            "panel_hit_rate",
            (_RECALLS, _GAVE, _HITS, _HIT_RATE),
            by=("class", "agent", "mode", "leg", "surface", "day"),
            measures=("recalls", "gave", "hits"),
            by_leg="panel_hit_rate_by_leg",
        ),
        Panel(
            "stale-rate",
            "How much of what is served turns out to hold no longer, and is that getting better?",
            "panel_stale_rate",
            (
                _summed("served", "memories", "Memories that recalls gave, each time they did."),
                _summed("stale", "memories", "Of these, those that were then flagged as stale, or rewritten."),
                _ratio("staleRate", "stale", "served", "Stale as a share of served."),
            ),
            by=("day", "agent", "class", "mode", "surface"),
            measures=("served", "stale"),
        ),
        Panel(
            "tokens",
            "Does memory pay for itself: does it spare more tokens than it loads?",
            "panel_tokens",
            (
                _RECALLS,
                _LOADED,
                _summed("spared", "times", "How often somebody said that a memory spared rework (saved_rework)."),
                Column("saved", "tokens", "Spared, times the cost of doing work again.", _tokens_saved),
                Column(
                    "balance",
                    "tokens",
                    "Saved less loaded.",
                    lambda sums, given: _tokens_saved(sums, given) - sums["loaded"],
                ),
            ),
            by=("day", "agent", "class", "mode", "surface"),
            measures=("recalls", "loaded", "spared"),
            notes=lambda given: (
                f"work that is done again is reckoned at {given.rework_tokens} tokens (telemetry.reworkTokens)",
            ),
        ),
        Panel(
            "agents",
            "How does each agent ask, and what comes of it?",
            "panel_agents",
            (
                _RECALLS,
                _GAVE,
                *(
                    _summed(name, "recalls", text)
                    for name, text in (
                        ("empty", "Recalls that found nothing to give."),
                        ("gated", "Messages that needed no memory."),
                        ("abstained", "Recalls that knew of nothing near enough."),
                        ("failed", "Recalls that went wrong or took too long."),
                        ("degraded", "Recalls with a leg that was down, or a stage that failed."),
                    )
                ),
                _HITS,
                _HIT_RATE,
                _LOADED,
            ),
            by=("agent", "class", "mode", "surface", "day"),
            measures=("recalls", "gave", "empty", "gated", "abstained", "failed", "degraded", "hits", "loaded"),
        ),
        Panel(
            "top-cited",
            "Which memories are worked with most?",
            "panel_top_cited",
            (
                _summed("favourable", "times", "Citations that say it was worked with: once a session and kind."),
                _summed("spared", "times", "Of these, those that say it spared rework."),
                _summed("unfavourable", "times", "Citations that say it was of no use, stale or wrong."),
            ),
            by=("memory", "agent", "day"),
            measures=("favourable", "spared", "unfavourable"),
            keeps=lambda sums, _: sums["favourable"] > 0,
        ),
        Panel(
            "never-cited",
            "Which memories are served again and again, and never worked with?",
            "panel_never_cited",
            (_summed("served", "times", "How often recalls gave it."),),
            by=("memory",),
            measures=("served",),
            notes=lambda given: (
                f"memories served {given.never_cited_from} times or more (telemetry.neverCitedFrom)",
                "since and until choose them by the day on which they were last served",
                "what was put away or forgotten is counted in all, and has no row",
            ),
            keeps=lambda sums, given: sums["served"] >= given.never_cited_from,
            of_active=True,
        ),
        _lift_panel(
            "graph-lift",
            "What did the graph do for the memories that were worked with?",
            *("class", "agent", "mode", "surface", "day"),
            note="told from receipts, as if the leg had been left out of each recall; `lift` tells it of every recall",
        ),
        _lift_panel(
            "temporal-lift",
            "What did time do for the memories that were worked with: being recent, and newer words above older ones?",
            *("leg", "class", "agent", "mode", "surface", "day"),
            note="temporal: being recent; renew: newer words above older ones. A memory counts for each of the two; "
            "what a recall of a past instant leaves out is no part of it",
        ),
    )
}
