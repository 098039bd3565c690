"""The gains of parts and weights on every set in, the choice that the other sets of each set would make, out."""

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
"""Maps options to gains by metric over the part as it is set."""


class Choice(Wire):
    """The option that the other sets would choose for a part, by its mean gain on them in `lab.run.WORTH`."""

    option: Option = AS_SET
    gain: float = 0.0
    """The mean gain of the other sets."""
    is_clear: bool = False
    """Whether that gain is larger than chance explains."""
    here: dict[str, Any] = {"difference": 0.0, "interval": [0.0, 0.0]}  # noqa: RUF012 - a frozen record copies it
    """The gain on the set that was not asked."""


def options(ablation: Mapping[str, Gain], weights: Mapping[str, Mapping[str, Gain]], *, tried: bool) -> OptionGains:
    """Return the options for a part on one set, each with its gain by metric.

    `ablation` is the gain of having the part, `weights` maps factors (`half`, `double`) to theirs, both by metric. A
    part that is on has `off` and, if it has a weight, `half` and `double`; one that is off by default (`tried`) has
    only `on`.
    """
    if tried:
        return {"on": ablation}
    off = {metric: _negative(gain) for metric, gain in ablation.items()}
    factors: tuple[Option, ...] = ("half", "double")
    return {"off": off, **{name: weights[name] for name in factors if name in weights}}


def choices(sets: Mapping[str, Mapping[str, OptionGains]]) -> dict[str, dict[str, Choice]]:
    """Map each part and set to the option for that part that the other sets together would choose (see `_chosen`); `{}`
    for fewer than two sets.

    `sets` maps set → part → options; all sets count alike. Raises InputError if a part was not measured on each of them
    in `WORTH`.
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


def _chosen(gains_by_set: Mapping[str, OptionGains], held_out: str) -> Choice:
    """Return the option of a part with the best mean gain in `WORTH` on all sets but `held_out`, with that gain,
    whether it is clear (above 1.96 standard errors), and its gain on the set held out.

    It is `as set` if no option has a mean gain above 0, to four decimals; the first of equally good options.
    """
    others = [options_of_set for name, options_of_set in gains_by_set.items() if name != held_out]
    best = Choice()
    for option in gains_by_set[held_out]:
        gains = [options_of_set[option][WORTH] for options_of_set in others if option in options_of_set]
        gain = fsum(each["difference"] for each in gains) / max(len(gains), 1)
        error = sqrt(fsum(_standard_error(each) ** 2 for each in gains)) / max(len(gains), 1)
        if round(gain, 4) > best.gain:
            here = dict(gains_by_set[held_out][option][WORTH])
            best = Choice(option=option, gain=round(gain, 4), is_clear=gain > SURE * error, here=here)
    return best


def _standard_error(gain: Gain) -> float:
    """Return the standard error from which a gain's 95 % interval was made: its width over twice 1.96."""
    low, high = gain["interval"]
    return (high - low) / (2 * SURE)


def _negative(gain: Gain) -> Gain:
    """Return a gain with its sign turned: the difference, and the interval, whose ends change places."""
    low, high = gain["interval"]
    return {"difference": 0.0 - gain["difference"], "interval": [0.0 - high, 0.0 - low]}
