"""A home's ledger, spool and settings in, the state of its pipeline out, which `doctor` shows beside problems."""

import shutil
from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from math import fsum
from pathlib import Path

from pydantic import Field

from pellucid.app import App
from pellucid.memory.ledger_rows import rows_of_type
from pellucid.model.ledger import FlushRow, VerdictRow
from pellucid.model.wire import Wire
from pellucid.operations.session.flushing import Backlog, backlog

_PLACES = ("vault", "journal.db", "index.db", "history.db", "spool.db", "models")
_LOW_BYTES = 200 << 20
"""Free bytes below which a home is about to fail."""


class Observations(Wire):
    """Counts of what extraction has done, over every namespace and the whole ledger."""

    recorded: int
    by_verdict: dict[str, int]
    by_reason: dict[str, int]
    """Reason codes, the most frequent first."""
    last_observed_at: datetime | None = None
    segments: int = 0
    turns: int = 0
    characters: int = 0
    turns_a_second: float | None = None
    """The speed of extraction alone, models included; None before the first segment."""
    by_signal: dict[str, int] = Field(default_factory=dict)
    tokens: int = 0
    cost: float = 0.0

    def line(self) -> str:
        """Render the counts as one line: `N observations recorded: accept=x%, reject=y%, defer=z%. Last observed: ts.`;
        as `no observations recorded yet` if there are none."""
        if not self.recorded:
            return "no observations recorded yet"
        shares = {verdict: 100 * self.by_verdict.get(verdict, 0) / self.recorded for verdict in _VERDICTS}
        shown = ", ".join(f"{verdict}={value:.0f}%" for verdict, value in shares.items())
        last = f"{self.last_observed_at:%Y-%m-%dT%H:%M:%SZ}" if self.last_observed_at else "never"
        return f"{self.recorded} observations recorded: {shown}. Last observed: {last}."


_VERDICTS = ("accept", "reject", "defer")


class PipelineStatus(Wire):
    """The state of a home's pipeline, from turns to memories."""

    observations: Observations
    backlog: tuple[Backlog, ...] = ()
    overdue: tuple[str, ...] = ()
    disk: dict[str, int] = Field(default_factory=dict)
    """Maps the places of the home to the bytes they use, and `free` to the bytes left on the file system."""
    retention: dict[str, str] = Field(default_factory=dict)
    """Maps kinds of records to how long they are kept, in words."""


def pipeline_status(app: App, overdue: Iterable[str] = ()) -> PipelineStatus:
    """Return the state of a home's pipeline, over all namespaces: counts of the ledger, sessions whose turns wait in
    the spool, bytes on disk, retention. `overdue` says which passes should have run, for the output."""
    namespaces = sorted({each.namespace for each in app.spool.waiting()})
    return PipelineStatus(
        observations=_count_observations(app),
        backlog=tuple(each for namespace in namespaces for each in backlog(app, namespace)),
        overdue=tuple(overdue),
        disk=_disk_usage(app.settings.home),
        retention=_retention_in_words(app),
    )


def is_low_on_disk(pulse: PipelineStatus) -> bool:
    """Whether less than 200 MiB of disk space are free, so that the next writes could fail."""
    return pulse.disk["free"] < _LOW_BYTES


def _count_observations(app: App) -> Observations:
    """Sum up the verdicts and flushes of the whole ledger, of all namespaces. Reasons are counted by `verdict:code`,
    such as `reject:transient`."""
    verdicts, reasons, signals = Counter[str](), Counter[str](), Counter[str]()
    last: datetime | None = None
    for row in rows_of_type(app.ledger, VerdictRow):
        verdicts[row.verdict] += 1
        reasons[f"{row.verdict}:{row.reason.partition(':')[0].strip()}"] += 1
        last = max(last or row.observed_at, row.observed_at)
    flushes = list(rows_of_type(app.ledger, FlushRow))
    characters = sum(row.characters for row in flushes)
    signals.update(row.signal for row in flushes)
    seconds, turns = fsum(row.seconds for row in flushes), sum(row.turns for row in flushes)
    return Observations(
        recorded=verdicts.total(),
        by_verdict=dict(verdicts),
        by_reason=dict(reasons.most_common()),
        last_observed_at=last,
        segments=len(flushes),
        turns=turns,
        characters=characters,
        turns_a_second=round(turns / seconds, 1) if seconds else None,
        by_signal=dict(signals.most_common()),
        tokens=sum(row.input_tokens + row.output_tokens for row in flushes),
        cost=round(fsum(row.cost for row in flushes), 6),
    )


def _disk_usage(home: Path) -> dict[str, int]:
    """Return a map from places of the home, such as `vault`, to the bytes they use, and from `free` to the bytes left
    on the disk; places that use nothing are left out."""
    used = {place: _bytes_on_disk(home, place) for place in _PLACES}
    return {**{place: size for place, size in used.items() if size}, "free": shutil.disk_usage(home).free}


def _bytes_on_disk(home: Path, place: str) -> int:
    """Return the size in bytes of a folder of the home, or of a file and the files whose names begin with its name,
    such as its `-wal`; 0 if there is none."""
    path = home / place
    if path.is_dir():
        return sum(each.stat().st_size for each in path.rglob("*") if each.is_file())
    return sum(each.stat().st_size for each in home.glob(f"{place}*"))


def _retention_in_words(app: App) -> dict[str, str]:
    """Return a map from kinds of records (`trace`, `receipts`, `events`, `queryText`, `memories`, `ledger`) to how long
    they are kept, in words, such as `until forgotten`."""
    settings, limits = app.settings, app.settings.history
    return {
        "trace": settings.observe.trace_retention,
        "receipts": f"{limits.receipt_days} days, {limits.receipts} and {limits.receipt_mb} MB at most, then results"
        " only",
        "events": f"{limits.event_days} days, {limits.events} at most, citations as long; then the sums of their days",
        "queryText": "kept" if settings.recall.store_query_text else "not kept",
        "memories": "until forgotten",
        "ledger": "for good; no words in it",
    }
