"""A period in, its compounding report out: what recurred, was used, was replaced and went stale, in words."""

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
from pellucid.operations.operation import Flag, Operation, Surfaces

SECTIONS = ("recurred", "used", "served", "changed", "went_cold", "warmed", "went_stale", "unused")


class ReportInput(Wire):
    """Which namespace, and from when on; without `since`, the last `lifecycle.reportEveryDays`."""

    namespace: str
    since: Annotated[Instant | None, Flag("From when on; else the last lifecycle.reportEveryDays.")] = None


def weekly_report(app: App, request: ReportInput) -> Report:
    """What came of the period up to now. Only that a report was made goes on the ledger, with its counts.

    Raises:
        InputError: the period lies in the future.
        StoreBusyError: another process is writing, and did not stop in a minute.
    """
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
    begin, known = epoch_ms(since), app.uses
    use = Use(
        used=known.uses(namespace, begin),
        ever_used=known.uses(namespace),
        served=known.exposure(namespace, begin),
        ever_served=known.exposure(namespace),
    )
    rows = typed(app.ledger.rows(), namespace)
    report = compile_report((since, now), namespace, rows, use, memories)
    _note_pass(app, report, now)
    return report.model_copy(update={name: _in_words(getattr(report, name), memories) for name in SECTIONS})


def _note_pass(app: App, report: Report, started: datetime) -> None:
    counts = {name: getattr(report, name).total for name in SECTIONS}
    with app.unit_of_work.exclusive(WAIT_S, report.namespace):
        row = PassRow(
            name="report", namespace=report.namespace, started=started, finished=app.clock.now(), counts=counts
        )
        app.unit_of_work.commit("lifecycle", [], ledger=[row.to_wire()])


def _in_words(section: ReportSection, memories: dict[str, Memory]) -> ReportSection:
    """The section with the category and words of the memories that are still there."""
    return section.model_copy(update={"entries": tuple(_entry_with_words(each, memories) for each in section.entries)})


def _entry_with_words(entry: ReportEntry, memories: dict[str, Memory]) -> ReportEntry:
    memory = memories.get(entry.memory_id)
    return entry.model_copy(update={"category": memory.category, "content": memory.content}) if memory else entry


REPORT = Operation(
    "lifecycle.report",
    "Report what was said again, used, replaced or went cold. Also what went stale, and what nobody used.",
    ReportInput,
    Report,
    lambda call, asked: weekly_report(call.app, asked),
    "read",
    Surfaces("lifecycle report", http=("GET /v1/lifecycle/report",)),
)
