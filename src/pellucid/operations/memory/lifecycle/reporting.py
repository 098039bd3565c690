"""A period in, its compounding report out: the memories that recurred, were used, were replaced or went stale."""

from datetime import datetime, timedelta
from typing import Annotated

from pellucid.app import App
from pellucid.clock import epoch_ms
from pellucid.errors import InputError, field_name
from pellucid.memory.compounding import Report, ReportEntry, ReportSection, Use, compile_report
from pellucid.memory.ledger_rows import typed
from pellucid.memory.unit_of_work import WAIT_S
from pellucid.model.ledger import PassRow
from pellucid.model.memory import Memory
from pellucid.model.wire import Instant, Wire
from pellucid.operations.operation import Flag, Operation, Surfaces, Text, in_home

SECTIONS = ("recurred", "used", "served", "changed", "went_cold", "warmed", "went_stale", "unused")


class ReportInput(Wire):
    """The namespace of a report, and the beginning of its period (by default `lifecycle.reportEveryDays` ago)."""

    namespace: str
    since: Annotated[Instant | None, Flag("From when on; else the last lifecycle.reportEveryDays.")] = None


def weekly_report(app: App, request: ReportInput) -> Report:
    """Report which of a namespace's memories recurred, were used, served or changed, or went cold, warm, stale or
    unused (of each the number and the first ten), from `since` (by default `lifecycle.reportEveryDays` ago) until now,
    and write a ledger row with the counts. InputError if `since` is not in the past, StoreBusyError if others have been
    writing for a minute."""
    now = app.clock.now()
    since = request.since or now - timedelta(days=app.settings.lifecycle.report_every_days)
    if since >= now:
        raise InputError(
            f"the report's period has not begun: {field_name('since')} lies in the future",
            code="invalid_since",
            next_step="name an earlier time",
        )
    namespace = request.namespace
    memories = {each.memory.id: each.memory for each in app.index.memories(namespace)}
    begin, uses, exposure = epoch_ms(since), app.uses.uses, app.uses.exposure
    use = Use(
        used=uses(namespace, begin),
        ever_used=uses(namespace),
        served=exposure(namespace, begin),
        ever_served=exposure(namespace),
    )
    rows = typed(app.ledger.rows(), namespace)
    report = compile_report((since, now), namespace, rows, use, memories)
    _record_pass(app, report, now)
    return report.model_copy(update={name: _with_contents(getattr(report, name), memories) for name in SECTIONS})


def _record_pass(app: App, report: Report, started: datetime) -> None:
    """Write the ledger's row of a report, which was begun at `started`, with the total of each section."""
    counts = {name: getattr(report, name).total for name in SECTIONS}
    with app.unit_of_work.exclusive(WAIT_S, report.namespace, app.deadline):
        row = PassRow(
            name="report", namespace=report.namespace, started=started, finished=app.clock.now(), counts=counts
        )
        app.unit_of_work.commit("lifecycle", [], ledger=[row.to_wire()])


def _with_contents(section: ReportSection, memories: dict[str, Memory]) -> ReportSection:
    """Return the section with category and content in the entries whose memories still exist; `memories` maps ids to
    memories."""
    entries = list[ReportEntry]()
    for each in section.entries:
        memory = memories.get(each.memory_id)
        added = {"category": memory.category, "content": memory.content} if memory else {}
        entries.append(each.model_copy(update=added))
    return section.model_copy(update={"entries": tuple(entries)})


REPORT = Operation(
    "lifecycle.report",
    "Report what was said again, used, replaced or went cold. Also what went stale, and what nobody used.",
    ReportInput,
    Report,
    in_home(weekly_report),
    "read",
    Surfaces("lifecycle report", http=("GET /v1/lifecycle/report",)),
    text=Text("memory.lifecycle.report_text"),
)
