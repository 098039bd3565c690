"""Numbers in, bars of inline SVG out: a score as the stack of its terms, a share as a part of a whole.

A bar says nothing that is not also said in words and numbers beside it.
"""

from collections.abc import Iterable
from math import isfinite

from pellucid.model.snapshot import ScoreDecomposition
from pellucid.xray.render.fields import SCORE_KEYS, SUBTRACTED, decimals, score_terms, term_name

_WIDTH = 1000.0
_HEIGHT = 20
_LEAST_TAKEN = 6.0
"""So wide is a penalty at least, that it can be seen."""
_GOLDEN_ANGLE = 137.508
"""Degrees from one term's hue to the next: neighbours never look alike, however many terms there come to be."""
_TONES = (0, 16, -16)
"""How much lighter, in percent: those whose hues come close again (8, 13 or more terms on) differ in that."""


def _stacked_terms(scores: ScoreDecomposition) -> tuple[tuple[str, float], ...]:
    """The finite positive terms of a score that are not subtracted, each as (name, value), in the order of the bar."""
    found = ((name, value) for name, value in score_terms(scores) if name != "final" and name not in SUBTRACTED)
    return tuple((name, value) for name, value in found if value > 0 and isfinite(value))


def stack_height(scores: ScoreDecomposition) -> float:
    """The sum of the positive terms of a score, which its bar must hold."""
    return sum(value for _, value in _stacked_terms(scores))


def stack(scores: ScoreDecomposition, reach: float) -> str:
    """An SVG bar of the positive terms side by side, `reach` filling its width.

    What is subtracted or negative cuts its end.
    """
    parts, at = list[str](), 0.0
    for name, value in _stacked_terms(scores):
        width = _bar_width(value, reach)
        parts.append(_rect(at, width, _colour_of(name)))
        at += width
    taken = [_subtracted(name, value) for name, value in score_terms(scores) if name != "final"]
    if (less := _bar_width(sum(each for each in taken if each > 0 and isfinite(each)), reach)) > 0:
        width = min(at, max(less, _LEAST_TAKEN))
        parts.append(_rect(at - width, width, 'class="taken"'))
    said = ", ".join(f"{term_name(name)} {decimals(value)}" for name, value in score_terms(scores))
    return _svg("score", parts, f'role="img" aria-label="{said}"')


def swatch(name: str, value: float) -> str:
    """A small SVG square in the colour of a term.

    One with a `value` that takes away has the colour of what is subtracted.
    """
    style = 'class="taken"' if _subtracted(name, value) > 0 else _colour_of(name)
    return f'<svg viewBox="0 0 12 12" aria-hidden="true"><rect x="1" y="1" width="10" height="10" {style}/></svg>'


def _colour_of(name: str) -> str:
    """The SVG attributes that colour a term. No style attribute: a page's policy may forbid it."""
    place = SCORE_KEYS.index(name) if name in SCORE_KEYS else len(SCORE_KEYS) + sum(name.encode())
    light = f"calc(var(--bar-light) + {_TONES[place % len(_TONES)]}%)"
    return f'class="term" fill="oklch({light} .13 {round(place * _GOLDEN_ANGLE) % 360})"'


def share(passed: float, came: float, whole: float) -> str:
    """A thin SVG bar for `whole`, in it the part that `came`, and in that the part that `passed`."""
    bars = (("trough", whole), ("came", came), ("passed", passed))
    return _svg(
        "thin", [_rect(0, _bar_width(value, whole), f'class="{name}"') for name, value in bars], 'aria-hidden="true"'
    )


def _subtracted(name: str, value: float) -> float:
    """How much a term takes away, which is negative for one that adds."""
    return value if name in SUBTRACTED else -value


def _bar_width(value: float, whole: float) -> float:
    """The width of a value in a bar whose full width is `whole`, from 0 to that of the bar.

    0 where `whole` is 0 or infinite.
    """
    return _WIDTH * min(1.0, max(0.0, value / whole)) if whole > 0 and isfinite(whole) else 0.0


def _rect(x: float, width: float, what: str) -> str:
    """A bar's rectangle; `what` are its further attributes."""
    return f'<rect x="{x:.1f}" y="0" width="{width:.1f}" height="{_HEIGHT}" {what}/>'


def _svg(name: str, parts: Iterable[str], what: str) -> str:
    """A bar of class `name`; `what` are further attributes of the element."""
    box = f'viewBox="0 0 {_WIDTH:.0f} {_HEIGHT}" preserveAspectRatio="none"'
    return f'<svg class="{name}" {box} {what}>{"".join(parts)}</svg>'
