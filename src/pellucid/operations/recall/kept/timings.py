"""Recent recalls in, how long each of their stages took out: from their receipts alone."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from pellucid.app import App
from pellucid.model.wire import Wire
from pellucid.operations.operation import Flag, Operation, Surfaces
from pellucid.operations.recall.kept.snapshots import Since
from pellucid.operations.recall.recalling import recent_receipts
from pellucid.recall.receipt.record import stages_of


class TimingsInput(Wire):
    """Over which recalls: the newest of a namespace, at most so many."""

    namespace: str
    limit: Annotated[int, Flag("Recalls looked at, the newest.", "--last")] = Field(default=200, ge=1, le=10_000)
    since: Since = None


class StageTiming(Wire):
    """How long one stage took where it ran, in milliseconds."""

    name: str
    recalls: int
    """In how many it ran."""
    p50: float
    p95: float
    """So long or shorter in 95 of 100."""


class TimingsOutput(Wire):
    """Each stage in the order it ran; `total` is of whole recalls."""

    recalls: int
    stages: tuple[StageTiming, ...] = ()
    total: StageTiming | None = None


def timings(app: App, request: TimingsInput) -> TimingsOutput:
    """Return the median and the 95th percentile of the time each stage took in recent recalls that are kept in full; a
    stage with a note, as it was skipped or failed, counts in the total alone. That is None without recalls."""
    took, totals = dict[str, list[float]](), list[float]()
    for packed in recent_receipts(app, request.namespace, request.since, request.limit):
        stages = stages_of(packed)
        totals.append(sum(each.millis for each in stages))
        for each in stages:
            if not each.note:
                took.setdefault(each.name, []).append(each.millis)
    return TimingsOutput(
        recalls=len(totals),
        stages=tuple(_timing(name, each) for name, each in took.items()),
        total=_timing("total", totals) if totals else None,
    )


def _timing(name: str, millis: Sequence[float]) -> StageTiming:
    """Make the timing of one stage, or of the `total`, from how long it took in each recall."""
    return StageTiming(name=name, recalls=len(millis), p50=_quantile(millis, 50), p95=_quantile(millis, 95))


def _quantile(values: Sequence[float], percent: int) -> float:
    """Return the nearest-rank percentile of the values, of which there must be one."""
    return sorted(values)[max(0, -(-len(values) * percent // 100) - 1)]


TIMINGS = Operation(
    "recall.timings",
    "Show how long each stage of recent recalls took. In the middle (p50), and at the slow end (p95).",
    TimingsInput,
    TimingsOutput,
    lambda call, asked: timings(call.app, asked),
    "read",
    Surfaces("snapshots timings", http=("GET /v1/timings",)),
)
