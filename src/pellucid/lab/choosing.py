"""What parts and weights are worth on every set in, what the others of each set would choose, at what cost, out."""

from collections.abc import Mapping
from math import fsum, sqrt
from typing import Any, Literal

from pellucid.errors import InputError
from pellucid.lab.run import WORTH
from pellucid.model.wire import Wire

Option = Literal["as set", "off", "half", "double", "on"]
AS_SET: Option = "as set"
SURE = 1.96  # standard errors within which a gain may be chance
Gain = Mapping[str, Any]  # A paired `difference` and its `interval`
OptionGains = Mapping[Option, Mapping[str, Gain]]
"""By option, then by metric: what it has more than the part as it is set."""


class Choice(Wire):
    """What the other sets would choose for a part, by the mean of what it is worth on each (`lab.run.WORTH`)."""

    option: Option = AS_SET
    gain: float = 0.0
    """What the others gain by it, in the mean."""
    is_clear: bool = False
    """That gain is told from chance."""
    here: dict[str, Any] = {"difference": 0.0, "interval": [0.0, 0.0]}  # noqa: RUF012 - a frozen record copies it
    """What it changes on the set that was not asked."""


def options(ablation: Mapping[str, Gain], weights: Mapping[str, Mapping[str, Gain]], *, tried: bool) -> OptionGains:
    """Return what may be done about a part of one set, with the gain of each option there, by metric.

    `ablation` is the gain of having the part, `weights` that of each factor. A part that is on has `off` and, if it has
    a weight, `half` and `double`; one that is off by default (`tried`) has only `on`.
    """
    if tried:
        return {"on": ablation}
    off = {metric: _negative(gain) for metric, gain in ablation.items()}
    factors: tuple[Option, ...] = ("half", "double")
    return {"off": off, **{name: weights[name] for name in factors if name in weights}}


def choices(sets: Mapping[str, Mapping[str, OptionGains]]) -> dict[str, dict[str, Choice]]:
    """Return, by part and set, what the other sets would choose; `{}` for a single set.

    `sets` maps set → part → options; all sets count alike. InputError if a part was not measured on each of them.
    """
    if len(sets) < 2:
        return {}
    parts = dict.fromkeys(part for found in sets.values() for part in found)
    lacking = [
        f"{part} on {name}"
        for part in parts
        for name, found in sets.items()
        if part not in found or any(WORTH not in gains for gains in found[part].values())
    ]
    if lacking:
        raise InputError(
            f"the {WORTH} was not measured of {', '.join(lacking)}",
            code="not_measured",
            next_step="measure the same parts on every set, with the same contexts",
        )
    return {part: {name: _chosen({each: sets[each][part] for each in sets}, name) for name in sets} for part in parts}


def _chosen(found: Mapping[str, OptionGains], held_out: str) -> Choice:
    """Choose the option of a part with the best positive mean gain on all sets but `held_out`, else `as set`.

    With it comes its gain on the set that was held out.
    """
    others = [tries for name, tries in found.items() if name != held_out]
    best = Choice()
    for option in found[held_out]:
        gains = [tries[option][WORTH] for tries in others if option in tries]
        gain = fsum(each["difference"] for each in gains) / max(len(gains), 1)
        error = sqrt(fsum(_standard_error(each) ** 2 for each in gains)) / max(len(gains), 1)
        if round(gain, 4) > best.gain:
            here = dict(found[held_out][option][WORTH])
            best = Choice(option=option, gain=round(gain, 4), is_clear=gain > SURE * error, here=here)
    return best


def _standard_error(gain: Gain) -> float:
    """Return the standard error behind a gain's 95 % interval."""
    low, high = gain["interval"]
    return (high - low) / (2 * SURE)


def _negative(gain: Gain) -> Gain:
    """Return a gain with its sign turned."""
    low, high = gain["interval"]
    return {"difference": 0.0 - gain["difference"], "interval": [0.0 - high, 0.0 - low]}
