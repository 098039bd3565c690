"""The parts of a recall in, the recalls that measure each part out: without the part, and with other weights."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial, reduce

from pellucid.operations.recall.request import removable_parts
from pellucid.settings.sections import RecallSettings


def all_but(leg: str) -> tuple[str, ...]:
    """Return the names of all parts that a recall can leave out, except `leg` (a way in which it searches, such as
    `lexical`).
    """
    return tuple(part for part in removable_parts() if part != leg)


FLOORS: Mapping[str, tuple[str, ...]] = {"bm25": all_but("lexical"), "vector": all_but("vector")}
"""The parts that are left out so that one leg remains."""
WEIGHTS: Mapping[str, tuple[str, ...]] = {
    "vector": ("leg_weights.vector",),
    "lexical": ("leg_weights.lexical",),
    "passage": ("leg_weights.passage",),
    "graph": ("leg_weights.graph", "graph_asked_weight"),
    "temporal": ("leg_weights.temporal",),
    "expand": ("score_propagation_alpha",),
    "rerank": ("leg_weights.rerank",),
    "rerankPassage": ("leg_weights.rerank_passage",),
    "named": ("named_weight",),
    "voice": ("voice_weight",),
    "asking": ("asking_weight",),
    "importance": ("importance_weight",),
    "renew": ("renewal_weight",),
}
"""The settings that weigh each part."""
ABLATED = (*WEIGHTS, "direct")  # what is on by default, left out one at a time
TRIED = ("diversify",)  # what is off by default, switched on one at a time
FACTORS: Mapping[str, float] = {"half": 0.5, "double": 2.0}  # by how much a weight is tried
MMR_LAMBDA_TRIED = 0.3  # what diversity is switched on with

Change = Callable[[RecallSettings], RecallSettings]


def as_set(settings: RecallSettings) -> RecallSettings:
    """Return the settings unchanged."""
    return settings


@dataclass(frozen=True, slots=True)
class Variant:
    """A recall without some parts or with other settings; `anew`: whether it must be asked and cannot be computed."""

    without: tuple[str, ...] = ()
    change: Change = as_set
    anew: bool = False


PLAIN = Variant()


def multiply_weights(settings: RecallSettings, part: str, factor: float) -> RecallSettings:
    """Return the settings with the weights of a part multiplied by a factor; the values are not checked. KeyError for a
    part that `WEIGHTS` does not name.
    """
    legs, changed = dict[str, float](), dict[str, object]()
    for name in WEIGHTS[part]:
        room, _, leg = name.rpartition(".")
        if room:
            legs[leg] = factor * getattr(settings.leg_weights, leg)
        else:
            changed[name] = factor * getattr(settings, name)
    return settings.model_copy(update=changed | {"leg_weights": settings.leg_weights.model_copy(update=legs)})


def together(options: Mapping[str, str]) -> Variant:
    """Return the variant that gives several parts their options at once, to be asked anew; `options` maps parts to
    options.

    `off` leaves the part out, `half` and `double` multiply its weights (KeyError, when the change is made, for a part
    not in `WEIGHTS`), `on` switches diversity on, whatever the part. Any other option changes nothing.
    """
    changes = [_diversified] if "on" in options.values() else []
    changes += [
        partial(multiply_weights, part=part, factor=FACTORS[to]) for part, to in options.items() if to in FACTORS
    ]
    without = tuple(part for part, option in options.items() if option == "off")
    return Variant(without, lambda settings: reduce(lambda each, change: change(each), changes, settings), anew=True)


def _diversified(settings: RecallSettings) -> RecallSettings:
    """Return the settings with diversity switched on (an `mmr_lambda` of 0.3)."""
    return settings.model_copy(update={"mmr_lambda": MMR_LAMBDA_TRIED})


def without_each() -> dict[str, Variant]:
    """Return variants, by part: one without each part that is on by default, one with each that is off by default."""
    less = {part: Variant((part,)) for part in ABLATED}
    return less | dict.fromkeys(TRIED, Variant(change=_diversified, anew=True))


def other_weights() -> dict[tuple[str, str], Variant]:
    """Return variants by (part, name of factor: `half` or `double`), each with the weights of one part multiplied."""
    return {
        (part, name): Variant(change=partial(multiply_weights, part=part, factor=factor))
        for part in WEIGHTS
        for name, factor in FACTORS.items()
    }
