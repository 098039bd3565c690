"""Recent recalls in, the time that each of their stages took out: from their receipts alone."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from pellucid.app import App
from pellucid.model.wire import Wire
from pellucid.operations.operation import Flag, Operation, Surfaces, Text, in_home
from pellucid.operations.recall.kept.snapshots import Since
from pellucid.operations.recall.recalling import recent_receipts
from pellucid.recall.receipt.record import stages_of


class TimingsInput(Wire):
    """The recalls to measure: the newest of a namespace, at most `limit`."""

    namespace: str
    limit: Annotated[int, Flag("Recalls looked at, the newest.", "--last")] = Field(default=200, ge=1, le=10_000)
    since: Since = None


class StageTiming(Wire):
    """The time that one stage took in the recalls in which it ran, in milliseconds."""

    name: str
    recalls: int
    """The number of recalls in which it ran."""
    p50: float
    p95: float
    """The time that it did not exceed in 95 of 100 recalls."""


class TimingsOutput(Wire):
    """The timings of the stages, in the order in which they ran, and of whole recalls (`total`)."""

    recalls: int
    stages: tuple[StageTiming, ...] = ()
    total: StageTiming | None = None


def timings(app: App, request: TimingsInput) -> TimingsOutput:
    """Return the median and the 95th percentile of the milliseconds that each stage took, over the newest `limit`
    recalls (with `since`, from then on), as far as they are kept in full. A stage that was skipped or failed, as its
    note says, counts in the total alone; the total is None without recalls."""
    by_stage, totals = dict[str, list[float]](), list[float]()
    for packed in recent_receipts(app, request.namespace, request.since, request.limit):
        stages = stages_of(packed)
        totals.append(sum(each.ms for each in stages))
        for each in stages:
            if not each.note:
                by_stage.setdefault(each.name, []).append(each.ms)
    return TimingsOutput(
        recalls=len(totals),
        stages=tuple(_timing(name, each) for name, each in by_stage.items()),
        total=_timing("total", totals) if totals else None,
    )


def _timing(name: str, millis: Sequence[float]) -> StageTiming:
    """Make the timing of one stage, or of the `total`, from the milliseconds that it took in each recall."""
    return StageTiming(name=name, recalls=len(millis), p50=_quantile(millis, 50), p95=_quantile(millis, 95))


def _quantile(values: Sequence[float], percent: int) -> float:
    """Return the nearest-rank percentile of the values, which must not be empty; `percent` is from 0 to 100."""
    return sorted(values)[max(0, -(-len(values) * percent // 100) - 1)]


TIMINGS = Operation(
    "recall.timings",
    "Show how long each stage of recent recalls took. In the middle (p50), and at the slow end (p95).",
    TimingsInput,
    TimingsOutput,
    in_home(timings),
    "read",
    Surfaces("snapshots timings", http=("GET /v1/timings",)),
    text=Text("recall.snapshot.timings_text"),
)
