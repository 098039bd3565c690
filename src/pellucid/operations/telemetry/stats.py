"""A panel and a range of days in, sums over their recalls and citations out: `stats`."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from pydantic import Field

from pellucid.app import App
from pellucid.errors import InputError, field_name
from pellucid.model.wire import Instant, Wire
from pellucid.operations.operation import Argument, Flag, Operation, Surfaces, Text, in_home
from pellucid.operations.recall.wording import headlines_of
from pellucid.operations.telemetry.lifts import compute_lifts
from pellucid.operations.telemetry.panels import PANELS, Column, Count, Panel, PanelName, Sums
from pellucid.store.history.telemetry_port import Grouping

_FIRST, _LAST = "0000-01-01", "9999-12-31"
"""Days before and after every other."""
_SHOWN = 20


class StatsInput(Wire):
    """The panel, the range of days and the grouping."""

    namespace: str
    panel: Annotated[PanelName, Argument(f"One of {', '.join(PANELS)}.")]
    since: Annotated[Instant | None, Flag("Only from this day on (UTC).")] = None
    until: Annotated[Instant | None, Flag("Only before this day (UTC).")] = None
    by: Annotated[
        Grouping | None, Flag("By agent, class, mode, leg, surface, day or memory, as far as the panel knows it.")
    ] = None
    limit: Annotated[int, Flag("Memories shown at most.")] = Field(default=_SHOWN, ge=1, le=10_000)


class StatsColumn(Wire):
    """A column: its name, the unit of its values (`name`, `recalls`, `tokens`, `share`, …), and its description."""

    name: str
    unit: str
    text: str


class StatsOutput(Wire):
    """A panel's rows, each with the value of every column; `totals` is such a row for all rows together."""

    panel: PanelName
    question: str
    by: Grouping
    columns: tuple[StatsColumn, ...]
    rows: tuple[tuple[str | int | float | None, ...], ...]
    totals: tuple[str | int | float | None, ...]
    notes: tuple[str, ...] = ()
    words: dict[str, str] = Field(default_factory=dict)
    """Maps the ids of the memories in its rows to their first words, if the caller is allowed to read them."""
    since: Instant | None = None
    """The beginning of the first day that counts."""
    until: Instant | None = None
    """The end of the last day that counts."""


def stats(app: App, request: StatsInput) -> StatsOutput:
    """Compute one panel over the recalls of a namespace in a range of whole UTC days, which is open without `since` or
    `until`. Rows by day are in order of time, others by the panel's first measure, the largest first; by memory, only
    `limit` rows are shown, but all count in the totals. Leg lifts that the panel reads and that are due are computed
    and stored first, some of them at a time (`_compute_lifts`).

    InputError for a grouping that the panel does not offer, or a range without a day or beyond the calendar.
    """
    panel = PANELS[request.panel]
    by = request.by or panel.by[0]
    if by not in panel.by:
        raise InputError(f'{field_name("by")} expects one of {", ".join(panel.by)} for {panel.name}; got "{by}"')
    since, until = _day_range(request)
    first = since.date().isoformat() if since else _FIRST
    last = (until - timedelta(days=1)).date().isoformat() if until else _LAST
    waiting = _compute_lifts(app, request.namespace) if panel.from_lifts else ()
    rows = _rows(app, panel, by, request.namespace, first, last)
    kept = [each for each in rows if panel.keeps(each[1], app.settings.telemetry)]
    kept = kept if by == "day" else sorted(kept, key=lambda each: (-each[1][panel.measures[0]], each[0] or ""))
    shown = kept if by != "memory" else _first_memories(app, panel, kept, request)
    counted = _rows(app, panel, panel.by[0], request.namespace, first, last) if by == "leg" and panel.by_leg else kept
    more = ("there are more: a higher limit shows them",) if len(kept) > len(shown) == request.limit else ()
    names = StatsColumn(name=by, unit="name", text=_NAMES[by])
    return StatsOutput(
        panel=panel.name,
        question=panel.question,
        by=by,
        columns=(names, *(StatsColumn(name=each.name, unit=each.unit, text=each.text) for each in panel.columns)),
        rows=tuple((of, *_values(app, panel.columns, sums)) for of, sums in shown),
        totals=(None, *_values(app, panel.columns, _total(panel, counted))),
        notes=(*panel.notes(app.settings.telemetry), *more, *waiting),
        words=headlines_of(app, request.namespace, (), [of for of, _ in shown if of]) if by == "memory" else {},
        since=since,
        until=until,
    )


_NAMES: dict[Grouping, str] = {
    "agent": "The agent that asked, as far as it said so.",
    "class": "What kind of question it was.",
    "mode": "How deep the recall went.",
    "leg": "A leg that found something for the recall; a recall counts for each, and once in all.",
    "surface": "Where it was asked.",
    "day": "The day of the recall (UTC).",
    "memory": "The memory.",
}


def _first_memories(
    app: App, panel: Panel, rows: Sequence[tuple[str | None, Sums]], request: StatsInput
) -> list[tuple[str | None, Sums]]:
    """Return the first `request.limit` of the rows, each of one memory; if the panel is about active memories, of the
    rows of active memories."""
    if not panel.of_active:
        return list(rows[: request.limit])
    found = list[tuple[str | None, Sums]]()
    for begin in range(0, len(rows), request.limit):  # in batches, so that few memories are read
        batch = rows[begin : begin + request.limit]
        memories = app.index.memories(request.namespace, [memory_id or "" for memory_id, _ in batch])
        active = {each.memory.id for each in memories if each.memory.status == "active"}
        found += [each for each in batch if each[0] in active]
        if len(found) >= request.limit:
            break
    return found[: request.limit]


def _compute_lifts(app: App, namespace: str) -> tuple[str, ...]:
    """Compute and store leg lifts (ranks with and without a leg) that are due, of at most 200 recalls, unless the home
    is read-only. Return a tuple with a note if more are left, else an empty tuple."""
    if not app.read_only:
        compute_lifts(app, namespace)
    left = len(app.telemetry.lifts_due(namespace))
    return (f"{left} recalls are still to be looked at: ask again",) if left else ()


def _rows(app: App, panel: Panel, by: Grouping, namespace: str, first: str, last: str) -> list[tuple[str | None, Sums]]:
    """Return the name of each group (None for recalls that have none, as when no agent was named) and the group's sums
    of the panel's measures, over the days from `first` to `last` (ISO dates, both included)."""
    found = app.telemetry.sums(panel.view_by(by), panel.measures, by, namespace, first, last)
    return [(name, dict(zip(panel.measures, counts, strict=True))) for name, counts in found]


def _day_range(request: StatsInput) -> tuple[datetime | None, datetime | None]:
    """Return the start of the first day and the end of the last day of the request's range, in UTC; None for an open
    end. A day that has begun before `until` counts as a whole. InputError if the range has no day, or the end of its
    last day lies outside the years 1 to 9999."""
    since = request.since and _midnight(request.since)
    try:
        until = request.until and _midnight(request.until - timedelta(microseconds=1)) + timedelta(days=1)
    except OverflowError:
        raise InputError(
            f"{field_name('until')} expects a time after 0001-01-01 and up to 9999-12-31, both 00:00 UTC; "
            f"got {request.until}",
            next_step="leave it out, so that no day is too late",
        ) from None
    if since and until and since >= until:
        raise InputError(
            f"{field_name('since')} is not before {field_name('until')}, so no day counts", next_step="exchange them"
        )
    return since, until


def _midnight(at: datetime) -> datetime:
    """Return 00:00 UTC of `at`'s own date; `at` is not converted to UTC first."""
    return datetime(at.year, at.month, at.day, tzinfo=UTC)


def _total(panel: Panel, rows: Sequence[tuple[Any, Sums]]) -> Sums:
    """Sum each measure of the panel over all rows; 0 without rows."""
    return {name: sum(sums[name] for _, sums in rows) for name in panel.measures}


def _values(app: App, columns: Sequence[Column], sums: Sums) -> tuple[Count, ...]:
    """Return the value of each column, in order, computed from these sums."""
    return tuple(each.value(sums, app.settings.telemetry) for each in columns)


STATS = Operation(
    "telemetry.stats",
    "Show whether memory pays for itself: one panel of numbers.\n\n"
    "What recalls found and cost, what was worked with, and what never is.\n",
    StatsInput,
    StatsOutput,
    in_home(stats),
    "read",
    Surfaces("stats", http=("GET /v1/stats/{panel}",)),
    text=Text("everyday.stats_text", excerpts=True),
)
