"""Numbers in, bars of inline SVG out: a score as the stack of its terms, a share as a part of a whole.

Everything that a bar shows is also beside it in words and numbers.
"""

from collections.abc import Iterable
from math import isfinite

from pellucid.model.snapshot import RecallXraySnapshot, ScoreDecomposition
from pellucid.xray.render.terms import SCORE_KEYS, SUBTRACTED, decimals, legend_of, score_terms, term_name
from pellucid.xray.words.sentence import REDUCING

_WIDTH = 1000.0
_HEIGHT = 20
_LEAST_TAKEN = 6.0
"""The least width of a penalty, so that it can be seen."""
_GOLDEN_ANGLE = 137.508
"""Degrees from one term's hue to the next: neighbours never look alike, however many terms there are."""
_TONES = (0, 16, -16)
"""Percent of lightness added in turn: it tells apart terms whose hues come close again (8, 13 or more terms on)."""


def _stacked_terms(scores: ScoreDecomposition) -> tuple[tuple[str, float], ...]:
    """Return the finite positive terms of a score that are not subtracted, as (name, value), in bar order."""
    adding = ((name, value) for name, value in score_terms(scores) if name != "final" and name not in SUBTRACTED)
    return tuple((name, value) for name, value in adding if value > 0 and isfinite(value))


def stack_height(scores: ScoreDecomposition) -> float:
    """Return the sum of the terms that a score's bar stacks."""
    return sum(value for _, value in _stacked_terms(scores))


def stack(scores: ScoreDecomposition, reach: float) -> str:
    """Draw an SVG bar of the positive terms side by side, of which a sum of `reach` fills the width. A piece as wide as
    the subtracted and negative terms together covers its end; its label names all terms.
    """
    parts, at = list[str](), 0.0
    for name, value in _stacked_terms(scores):
        width = _bar_width(value, reach)
        parts.append(_rect(at, width, _colour_attributes(name)))
        at += width
    reductions = [_subtracted(name, value) for name, value in score_terms(scores) if name != "final"]
    if (reduction_width := _bar_width(sum(each for each in reductions if each > 0 and isfinite(each)), reach)) > 0:
        width = min(at, max(reduction_width, _LEAST_TAKEN))
        parts.append(_rect(at - width, width, 'class="taken"'))
    label = ", ".join(f"{term_name(name)} {decimals(value)}" for name, value in score_terms(scores))
    return _svg("score", parts, f'role="img" aria-label="{label}"')


def swatch(name: str, value: float) -> str:
    """Draw a small SVG square in the colour of a term; one that reduces the score has the colour of subtraction."""
    style = 'class="taken"' if _subtracted(name, value) > 0 else _colour_attributes(name)
    return f'<svg viewBox="0 0 12 12" aria-hidden="true"><rect x="1" y="1" width="10" height="10" {style}/></svg>'


def legend_swatches(snapshot: RecallXraySnapshot) -> list[tuple[str, str]]:
    """Return for each term of the legend (`legend_of`) its swatch, by its first value in the results' scores that is
    not 0, and its name with its meaning, in the order shown.
    """
    scores = [each.score_decomposition.model_dump() for each in snapshot.results]

    def first_value(name: str) -> float:
        """Return the first value of a term that is not 0; of one that no result has, 1, or -1 if it only reduces."""
        return next((each[name] for each in scores if each.get(name)), -1.0 if name in REDUCING else 1.0)

    return [(swatch(name, first_value(name)), f"{term_name(name)}: {meaning}") for name, meaning in legend_of(snapshot)]


def _colour_attributes(name: str) -> str:
    """Return the SVG attributes that colour a term. Not a style attribute: a page's policy can forbid it."""
    place = SCORE_KEYS.index(name) if name in SCORE_KEYS else len(SCORE_KEYS) + sum(name.encode())
    light = f"calc(var(--bar-light) + {_TONES[place % len(_TONES)]}%)"
    return f'class="term" fill="oklch({light} .13 {round(place * _GOLDEN_ANGLE) % 360})"'


def share(passed_count: float, arrived_count: float, full_count: float) -> str:
    """Draw a thin SVG bar whose width is `full_count`, in it the part that arrived, and in that the part that passed.

    The three are of one unit, counts or times; a part greater than `full_count` fills the bar.
    """
    bars = (("trough", full_count), ("came", arrived_count), ("passed", passed_count))
    return _svg(
        "thin",
        [_rect(0, _bar_width(value, full_count), f'class="{name}"') for name, value in bars],
        'aria-hidden="true"',
    )


def _subtracted(name: str, value: float) -> float:
    """Return how much a term reduces the score; negative for a term that adds."""
    return value if name in SUBTRACTED else -value


def _bar_width(value: float, whole: float) -> float:
    """Return the width of a value in a bar whose full width is `whole`, from 0 to that of the bar. 0 if `whole` is 0,
    negative or infinite.
    """
    return _WIDTH * min(1.0, max(0.0, value / whole)) if whole > 0 and isfinite(whole) else 0.0


def _rect(x: float, width: float, attributes: str) -> str:
    """Return an SVG rectangle at `x` with further `attributes`."""
    return f'<rect x="{x:.1f}" y="0" width="{width:.1f}" height="{_HEIGHT}" {attributes}/>'


def _svg(name: str, parts: Iterable[str], attributes: str) -> str:
    """Return an SVG element of class `name` around its `parts`, with further `attributes`."""
    box = f'viewBox="0 0 {_WIDTH:.0f} {_HEIGHT}" preserveAspectRatio="none"'
    return f'<svg class="{name}" {box} {attributes}>{"".join(parts)}</svg>'
