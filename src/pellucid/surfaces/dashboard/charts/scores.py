"""A recall's numbers in, charts as SVG out; each says in words what it shows, beside those numbers."""

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from pellucid.model.snapshot import RecallXraySnapshot, StageTrace
from pellucid.operations.recall.kept.timings import StageTiming
from pellucid.xray.render.bars import legend_swatches, share, stack, stack_height
from pellucid.xray.render.fields import millis

_WIDTH, _LEAST = 1000.0, 2.0
_BAR = '<rect class="{kind}" x="{at:.1f}" y="{top}" width="{wide:.1f}" height="{high}"/>'


def score_bars(snapshot: RecallXraySnapshot) -> list[Markup]:
    """Draw an SVG bar for each result of a recall, in their order, with the terms of its score side by side: the
    greatest sum of terms fills the width.
    """
    scores = [each.score_decomposition for each in snapshot.results]
    reach = max(map(stack_height, scores), default=0.0)
    return [Markup(stack(each, reach)) for each in scores]  # noqa: S704  # numbers, and names of terms


def legend(snapshot: RecallXraySnapshot) -> list[tuple[Markup, str]]:
    """Return the legend of the score bars: for each term that counts in them a pair of its colour, as a swatch, and its
    name with its meaning.
    """
    return [(Markup(square), meaning) for square, meaning in legend_swatches(snapshot)]  # noqa: S704


def funnel(snapshot: RecallXraySnapshot) -> list[Markup]:
    """Draw an SVG bar for each rung (filter of a recall's candidates), in their order: how many candidates reached it,
    and how many passed. The greatest number that reached one fills the width.
    """
    whole = max((each.considered for each in snapshot.filters), default=0)
    return [Markup(share(each.admitted, each.considered, whole)) for each in snapshot.filters]  # noqa: S704


def waterfall(stages: Sequence[StageTrace], usual: Mapping[str, StageTiming]) -> list[Markup]:
    """Draw an SVG bar for each stage, in their order, on one scale: it begins where the stage before ended, and behind
    it are the stage's usual times (median and 95th percentile), if known. `usual` has these by the stage's name; all
    times are in milliseconds.
    """
    starts, at = list[float](), 0.0
    for stage in stages:
        starts.append(at)
        at += stage.ms
    slow = [usual[stage.name].p95 if stage.name in usual else 0.0 for stage in stages]
    whole = max((start + max(stage.ms, p95) for start, stage, p95 in zip(starts, stages, slow, strict=True)), default=0)
    return [
        _stage_bar(start, stage, usual.get(stage.name), whole or 1.0)
        for start, stage in zip(starts, stages, strict=True)
    ]


def _stage_bar(start: float, stage: StageTrace, usual: StageTiming | None, whole: float) -> Markup:
    """Draw the bar of one stage that began at `start` ms; `whole` is the time in ms that fills the width."""

    def bar(kind: str, ms: float, top: int, high: int) -> str:
        """Draw, from the stage's start on, a rectangle of the CSS class `kind` whose width is `ms` milliseconds; `top`
        and `high` are its top and height.
        """
        at = min(_WIDTH * start / whole, _WIDTH - _LEAST)
        return _BAR.format(kind=kind, at=at, wide=max(_WIDTH * ms / whole, _LEAST), top=top, high=high)

    usual_bars = [bar("usual-most", usual.p95, 0, 20), bar("usual-half", usual.p50, 0, 20)] if usual else []
    label = f"from {millis(start)} ms on, for {millis(stage.ms)} ms"
    label += (
        f"; half of recent recalls {millis(usual.p50)} ms or less, 95 of 100 {millis(usual.p95)} ms" if usual else ""
    )
    parts = "".join([*usual_bars, bar("bar", stage.ms, 6, 8)])
    return Markup(  # noqa: S704  # numbers
        f'<svg class="waterfall" viewBox="0 0 {_WIDTH:.0f} 20" preserveAspectRatio="none" role="img" '
        f'aria-label="{label}"><title>{label}</title>{parts}</svg>'
    )
