"""What parts and weights are worth on every set in, what the others of each set would choose, at what cost, out."""

from collections.abc import Mapping
from math import fsum, sqrt
from typing import Any, Literal

from pellucid.lab.run import WORTH
from pellucid.model.wire import Wire

Option = Literal["as set", "off", "half", "double", "on"]
AS_SET: Option = "as set"
SURE = 1.96
"""Standard errors within which a gain may be chance."""
Gain = Mapping[str, Any]
"""A paired `difference` and its `interval`."""
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
    """What may be done about a part of one set, and what each of it changes there.

    Of one that is on: `off`, `half` and `double`; of one that is off as set (`tried`): `on`.
    """
    if tried:
        return {"on": ablation}
    off = {metric: _negative(gain) for metric, gain in ablation.items()}
    tries: dict[Option, Mapping[str, Gain]] = {"off": off}
    for name in ("half", "double"):
        if name in weights:
            tries[name] = weights[name]
    return tries


def choices(sets: Mapping[str, Mapping[str, OptionGains]]) -> dict[str, dict[str, Choice]]:
    """By part and set: what the others would choose; where there is one set alone, nothing.

    `sets` has the options of each part, by set.
    Each part is chosen by itself, the others as they are set; each set counts alike.
    """
    parts = dict.fromkeys(part for found in sets.values() for part in found)
    return {
        part: {
            name: _chosen({other: found[part] for other, found in sets.items() if part in found}, name) for name in sets
        }
        for part in parts
        if len(sets) > 1
    }


def _chosen(found: Mapping[str, OptionGains], held_out: str) -> Choice:
    """The option that the sets other than `held_out` gain most by, on average, and its gain on that one."""
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
    """The standard error behind a 95 % interval."""
    low, high = gain["interval"]
    return (high - low) / (2 * SURE)


def _negative(gain: Gain) -> Gain:
    low, high = gain["interval"]
    return {"difference": 0.0 - gain["difference"], "interval": [0.0 - high, 0.0 - low]}
