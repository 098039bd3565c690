"""The parts of a recall in, the recalls that tell what each is worth out: without it, and with other weights."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial, reduce

from pellucid.operations.recall.request import parts
from pellucid.settings.sections import RecallSettings


def all_but(leg: str) -> tuple[str, ...]:
    """Every part of a recall but one leg, which then stands alone."""
    return tuple(part for part in parts() if part != leg)


FLOORS: Mapping[str, tuple[str, ...]] = {"bm25": all_but("lexical"), "vector": all_but("vector")}
"""What is left out so that one leg stands alone."""
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
"""The settings that say what a part is worth."""
ABLATED = (*WEIGHTS, "direct")
"""What is on by default, left out one at a time."""
TRIED = ("diversify",)
"""What is off by default, switched on one at a time."""
FACTORS: Mapping[str, float] = {"half": 0.5, "double": 2.0}
"""By how much a weight is tried."""
MMR_LAMBDA_TRIED = 0.3
"""What diversity is switched on with."""

Change = Callable[[RecallSettings], RecallSettings]


def as_set(settings: RecallSettings) -> RecallSettings:
    """The settings as they are."""
    return settings


@dataclass(frozen=True, slots=True)
class Variant:
    """A recall in which some parts are left out, or some settings changed.

    `anew`: what it needs was not recorded with the plain recall, so that it must be asked.
    """

    without: tuple[str, ...] = ()
    change: Change = as_set
    anew: bool = False


PLAIN = Variant()


def reweighted(settings: RecallSettings, part: str, factor: float) -> RecallSettings:
    """The settings with so many times the weight of a part."""
    legs, changed = dict[str, float](), dict[str, object]()
    for name in WEIGHTS[part]:
        room, _, leg = name.rpartition(".")
        if room:
            legs[leg] = factor * getattr(settings.leg_weights, leg)
        else:
            changed[name] = factor * getattr(settings, name)
    return settings.model_copy(update=changed | {"leg_weights": settings.leg_weights.model_copy(update=legs)})


def together(options: Mapping[str, str]) -> Variant:
    """A recall with an option for each of some parts: `off`, `on`, or a name of `FACTORS`."""
    changes = [_diversified] if "on" in options.values() else []
    changes += [partial(reweighted, part=part, factor=FACTORS[to]) for part, to in options.items() if to in FACTORS]
    without = tuple(part for part, option in options.items() if option == "off")
    return Variant(without, lambda settings: reduce(lambda each, change: change(each), changes, settings), anew=True)


def _diversified(settings: RecallSettings) -> RecallSettings:
    return settings.model_copy(update={"mmr_lambda": MMR_LAMBDA_TRIED})


def without_each() -> dict[str, Variant]:
    """A recall without each part that is on; with each part that is off."""
    less = {part: Variant((part,)) for part in ABLATED}
    return less | dict.fromkeys(TRIED, Variant(change=_diversified, anew=True))


def other_weights() -> dict[tuple[str, str], Variant]:
    """A recall with less, and with more, of each weight, by the part and the name of the factor."""
    return {
        (part, name): Variant(change=partial(reweighted, part=part, factor=factor))
        for part in WEIGHTS
        for name, factor in FACTORS.items()
    }
