"""Numbers in, bars of inline SVG out: a score as the stack of its terms, a share as a part of a whole.

A bar says nothing that is not also said in words and numbers beside it.
"""

from collections.abc import Iterable
from math import isfinite

from pellucid.model.snapshot import ScoreDecomposition
from pellucid.xray.render.fields import SCORE_KEYS, SUBTRACTED, called, decimals, terms

_WIDTH = 1000.0
_HEIGHT = 20
_LEAST_TAKEN = 6.0
"""So wide is a penalty at least, that it can be seen."""
_GOLDEN_ANGLE = 137.508
"""Degrees from one term's hue to the next: neighbours never look alike, however many terms there come to be."""
_TONES = (0, 16, -16)
"""How much lighter, in percent: those whose hues come close again (8, 13 or more places on) differ in that."""


def added(scores: ScoreDecomposition) -> tuple[tuple[str, float], ...]:
    """The terms that a score is built up of, less what is taken away again."""
    found = ((name, value) for name, value in terms(scores) if name != "final" and name not in SUBTRACTED)
    return tuple((name, value) for name, value in found if value > 0 and isfinite(value))


def height(scores: ScoreDecomposition) -> float:
    """How far the stack of a score reaches."""
    return sum(value for _, value in added(scores))


def stack(scores: ScoreDecomposition, reach: float) -> str:
    """An SVG bar of the terms side by side; a sum of `reach` fills its width, what is subtracted cuts its end."""
    parts, at = list[str](), 0.0
    for name, value in added(scores):
        width = _part(value, reach)
        parts.append(_rect(at, width, _colour_of(name)))
        at += width
    if (less := _part(_sum_taken_off(scores), reach)) > 0:
        width = min(at, max(less, _LEAST_TAKEN))
        parts.append(_rect(at - width, width, 'class="taken"'))
    said = ", ".join(f"{called(name)} {decimals(value)}" for name, value in terms(scores))
    return _svg("score", parts, f'role="img" aria-label="{said}"')


def swatch(name: str, value: float) -> str:
    """How a term is drawn in the bar, as a square."""
    style = 'class="taken"' if _off(name, value) > 0 else _colour_of(name)
    return f'<svg viewBox="0 0 12 12" aria-hidden="true"><rect x="1" y="1" width="10" height="10" {style}/></svg>'


def _colour_of(name: str) -> str:
    """The colour of a term: its hue in degrees, and how light it is. No style: a page's policy may forbid it."""
    place = SCORE_KEYS.index(name) if name in SCORE_KEYS else len(SCORE_KEYS) + sum(name.encode())
    light = f"calc(var(--bar-light) + {_TONES[place % len(_TONES)]}%)"
    return f'class="term" fill="oklch({light} .13 {round(place * _GOLDEN_ANGLE) % 360})"'


def share(passed: float, came: float, whole: float) -> str:
    """A thin SVG bar as wide as `whole`, in it the part that `came`, and in that the part that `passed`."""
    bars = (("trough", whole), ("came", came), ("passed", passed))
    return _svg(
        "thin", [_rect(0, _part(value, whole), f'class="{name}"') for name, value in bars], 'aria-hidden="true"'
    )


def _sum_taken_off(scores: ScoreDecomposition) -> float:
    """What goes off the stack again."""
    found = (_off(name, value) for name, value in terms(scores) if name != "final")
    return sum(less for less in found if less > 0 and isfinite(less))


def _off(name: str, value: float) -> float:
    """How much a term takes away: one that is subtracted, or one below zero."""
    return value if name in SUBTRACTED else -value


def _part(value: float, whole: float) -> float:
    return _WIDTH * min(1.0, max(0.0, value / whole)) if whole > 0 and isfinite(whole) else 0.0


def _rect(x: float, width: float, what: str) -> str:
    return f'<rect x="{x:.1f}" y="0" width="{width:.1f}" height="{_HEIGHT}" {what}/>'


def _svg(name: str, parts: Iterable[str], what: str) -> str:
    box = f'viewBox="0 0 {_WIDTH:.0f} {_HEIGHT}" preserveAspectRatio="none"'
    return f'<svg class="{name}" {box} {what}>{"".join(parts)}</svg>'
