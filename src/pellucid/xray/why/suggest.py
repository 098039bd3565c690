"""A recall that missed a memory in, the single changes that could admit it out: nothing is run or written for this.

The order is that of `TRIED`, documented in docs/why.md.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from math import ceil, floor

from pydantic.alias_generators import to_camel, to_snake

from pellucid.clock import isoformat
from pellucid.errors import assignment, field_name
from pellucid.model.memory import BOUNDARY_SCOPES
from pellucid.recall.legs.nominate import LEGS, base_of
from pellucid.recall.score.ladder import overlap
from pellucid.recall.state import State
from pellucid.settings.sections import LegWeights
from pellucid.store.index_port import Filters, MemoryStanding
from pellucid.xray.why.finding import DEGRADED, LEG_OFF, NOT_KNOWN, NOT_NOMINATED, REMOVED, ChangeKind, WhyTried
from pellucid.xray.why.trial import Attempt, MissedMemory, NumberSearch, TrialChange

MOST_BUDGET = 2**31
"""A budget of this many characters is not doubled again."""
MOST_WEIGHT = 10.0
"""The greatest leg weight tried."""
_HUNDREDTH = 100
_FLOOR_STEPS = 10_000
"""Floors are lowered by whole ten-thousandths."""
_ROUNDING = 1e-6
_RANKED_OUT = (NOT_NOMINATED, LEG_OFF, DEGRADED, "top-k", "budget-fit")
"""Stages that lose admissible memories: ranks decide there, and so legs and weights."""
_FIELDS = {
    "agent": "by_agent",
    "session_id": "in_session",
    "not_session": "not_in_session",
    "not_ids": "not_memories",
}
"""The field of a recall's input that sets each filter, if its name is not the filter's own."""


_FLOORS: dict[str | None, tuple[str, Callable[[State, int], float]]] = {
    "token-overlap": ("min_token_overlap", lambda state, position: float(overlap(state, state.pool)[position])),
    "score-floor": ("min_fact_score", lambda state, position: float(state.pool.cosine[position])),
}
"""For each rung with a floor, the floor's setting, and the value of a candidate that is compared with it."""


def _setting_change(
    missed: MissedMemory, kind: ChangeKind, name: str, value: float | str, field: str = "settings"
) -> TrialChange:
    """Return a trial of the recall with the setting `name` (snake case) changed; `field` is the field of the recall's
    input that the user would change for it.

    Raises ValidationError if the value is out of the setting's range.
    """
    was, to = _value_text(getattr(missed.settings, name)), _value_text(value)
    short = json.loads(to) if isinstance(value, float) else value
    apply = assignment(field, {to_camel(name): short} if field == "settings" else value)
    return TrialChange(kind, to_camel(name), was, to, apply, missed.with_settings(**{name: value}))


def _value_text(value: object) -> str:
    """Write a value; a float with up to six significant digits, `0.35`."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def _without_past(missed: MissedMemory) -> Iterator[TrialChange]:
    """Yield a trial of the same question without each past instant that it has (`asOf`, `asKnownAt`), then, if it has
    both, without both. If the memory was not known yet at `asKnownAt`, only trials without that instant.
    """
    instants = {"as_of": missed.request.as_of, "as_known_at": missed.request.as_known_at}
    for names in (("as_of",), ("as_known_at",), tuple(instants)):
        times = [isoformat(at) for name in names if (at := instants[name])]
        if len(times) < len(names) or (missed.stage == NOT_KNOWN and "as_known_at" not in names):
            continue
        fields = " and ".join(map(field_name, names))
        request, setting = replace(missed.request, **dict.fromkeys(names)), " and ".join(map(to_camel, names))
        yield TrialChange("now", setting, " and ".join(times), "now", f"leave out {fields}", request)


def _gate_off(missed: MissedMemory) -> Iterator[TrialChange]:
    """Yield a trial without the gate (which can find that a message needs no memory, or few), if it kept the recall
    from searching in full: the depth is `no_recall` or `minimal`.
    """
    if missed.state.plan.depth in ("no_recall", "minimal") and missed.settings.gate != "off":
        yield _setting_change(missed, "gate", "gate", "off")


def _never_abstain(missed: MissedMemory) -> Iterator[TrialChange]:
    """Yield a trial that never abstains, if this recall abstained."""
    if missed.state.abstention and missed.state.abstention.abstained:
        yield _setting_change(missed, "abstention", "abstain_at", 1.0)


def _without_passes(missed: MissedMemory) -> Iterator[TrialChange]:
    """Yield a trial without model passes over the context (`contextPasses`, which shorten or remove what is in it), if
    a pass removed the memory.
    """
    if missed.stage == REMOVED:
        was = ", ".join(missed.settings.context_passes)
        without = missed.with_settings(context_passes=())
        yield TrialChange(
            "passes", "contextPasses", was, "none", assignment("settings", {"contextPasses": []}), without
        )


def _larger_top_k(missed: MissedMemory) -> Iterator[NumberSearch]:
    """Yield a search for the least topK that admits the memory, up to its rank, if topK cut it."""
    place = missed.place
    if place and missed.rung == "top-k":
        low = missed.settings.top_k_facts
        yield NumberSearch(low, (place,), lambda n: _setting_change(missed, "top-k", "top_k_facts", n, "top_k"))


def _more_budget(missed: MissedMemory) -> Iterator[NumberSearch]:
    """Yield a search that doubles the budget, below 2 ** 32, until it admits the memory, if it did not fit."""
    if missed.rung == "budget-fit":
        low = missed.settings.char_budget
        stops = tuple(low << n for n in range(1, 32) if low << n < 2 * MOST_BUDGET)
        yield NumberSearch(low, stops, lambda n: _setting_change(missed, "budget", "char_budget", n, "budget"))


def _more_scopes(missed: MissedMemory) -> Iterator[TrialChange]:
    """Yield one trial that names all the boundary scopes, such as `private`, that the memory has and the caller did not
    name; nothing if there are none, or the memory was not a candidate.
    """
    if missed.position is None:
        return
    request, scope_bits = missed.request, int(missed.state.pool.boundary[missed.position])
    scopes = [scope for i, scope in enumerate(BOUNDARY_SCOPES) if scope_bits >> i & 1 and scope not in request.scopes]
    if scopes:
        wider_request = replace(request, scopes=(*request.scopes, *scopes))
        yield TrialChange(
            "scope",
            "scopes",
            ", ".join(request.scopes) or "none",
            ", ".join(wider_request.scopes),
            assignment("scopes", tuple(scopes)),
            wider_request,
        )


def _fewer_filters(missed: MissedMemory) -> Iterator[TrialChange]:
    """Yield a trial without each of the caller's filters, one at a time, if `caller-filter` lost the memory."""
    if missed.stage != "caller-filter":
        return
    request, no_filters = missed.request, Filters()
    for name in Filters.__slots__:
        value = getattr(request.filters, name)
        if value != getattr(no_filters, name):
            wider_request = replace(request, filters=replace(request.filters, **{name: getattr(no_filters, name)}))
            field = _FIELDS.get(name, name)
            filter_text = ", ".join(value) if isinstance(value, tuple) else str(value)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
            yield TrialChange(
                "filter", to_camel(field), filter_text, "any", f"leave out {field_name(field)}", wider_request
            )


def _soft_period(missed: MissedMemory) -> Iterator[TrialChange]:
    """Yield a trial that takes the period in the question as a hint only (`query_dates` is `soft`), if `time-window`
    rejected the memory.
    """
    if missed.rung == "time-window":
        yield _setting_change(missed, "period", "query_dates", "soft")


def _legs_switched_on(missed: MissedMemory) -> Iterator[TrialChange]:
    """Yield a trial with each leg, stage or term on that the caller left out (`without`), then with each leg on whose
    weight is 0.

    Nothing unless the memory was lost by its ranks (`_RANKED_OUT`). A weight of 0 becomes the leg's default, or 1 if
    that is 0.
    """
    if missed.stage not in _RANKED_OUT:
        return
    request = missed.request
    for name in sorted(request.without):
        request_with_leg = replace(request, without=request.without - {name})
        yield TrialChange(
            "leg", name, "left out", "on", f"leave out {assignment('without', (name,))}", request_with_leg
        )
    for name, weight in request.settings.leg_weights.model_dump().items():
        if name in LEGS and weight == 0:
            yield _weight_change(missed, "leg", name, round(getattr(LegWeights(), name) or 1.0, 2))


def _larger_pools(missed: MissedMemory) -> Iterator[NumberSearch]:
    """Yield searches for a larger `pool` (how many memories each leg nominates at most), one up to each rank that a leg
    that was not off gave the memory beyond the pool, the lowest first.

    Nothing unless the memory was lost by its ranks: not nominated, cut by topK or by the budget, or its leg was not at
    work."""
    if missed.stage not in _RANKED_OUT:
        return
    pool_size, is_candidate = missed.settings.pool, missed.position is not None
    low = pool_size
    for rank in sorted({leg.rank for leg in missed.legs if leg.rank and leg.rank > pool_size and leg.health != "off"}):
        first = low == pool_size and not is_candidate  # then a pool below its best rank cannot nominate it
        yield NumberSearch(rank - 1 if first else low, (rank,), lambda n: _setting_change(missed, "pool", "pool", n))
        low = rank


def _lower_floors(missed: MissedMemory) -> Iterator[NumberSearch]:
    """Yield searches that lower the floor of the rung that rejected the memory, `token-overlap` or `score-floor`, to
    the memory's own value; then one ten-thousandth further, for rounding.
    """
    rung, position = missed.rung, missed.position
    if rung not in _FLOORS or position is None:
        return
    name, reached_value = _FLOORS[rung]
    top = ceil(getattr(missed.settings, name) * _FLOOR_STEPS)
    reached_steps = floor(reached_value(missed.state, position) * _FLOOR_STEPS + _ROUNDING)

    def lowered(steps: int) -> TrialChange:
        """Return a trial with the floor this many ten-thousandths lower than now, where the present floor is rounded up
        to whole ones.
        """
        return _setting_change(missed, "floor", name, (top - steps) / _FLOOR_STEPS)

    for value in (reached_steps, reached_steps - 1):  # rounding can leave the first a hair above the candidate's value
        yield NumberSearch(top - value - 1, (top - value,), lowered)


def _state_changes(missed: MissedMemory) -> Iterator[TrialChange | WhyTried]:
    """Yield the changes of the memory's state (approve, restore …), each outcome once; nothing for a past instant.

    One that cannot be made is yielded as a `WhyTried` that says why.
    """
    if missed.request.as_of or missed.request.as_known_at:
        return
    yielded: list[Mapping[int, MemoryStanding]] = []
    for each in missed.states():
        if each.problem:
            yield WhyTried(kind="state", setting=each.what, to=each.to, result=each.problem, ran=False)
        elif each.standings not in yielded:
            yielded.append(each.standings)
            yield TrialChange("state", each.what, each.was, each.to, each.apply, missed.request, each.standings)


def _raised_weights(missed: MissedMemory) -> Iterator[NumberSearch]:
    """Yield a search for a greater weight, up to `MOST_WEIGHT`, of each leg or term that adds to the memory's score;
    nothing unless it was lost by its ranks (`_RANKED_OUT`), and was a candidate.
    """
    position, weights = missed.position, missed.settings.leg_weights.model_dump()
    if position is None or missed.stage not in _RANKED_OUT:
        return
    own_terms = {to_snake(base_of(name)) for name, term in missed.state.pool.terms.items() if term[position]}
    for name in (name for name in weights if name in own_terms):
        low = int(_current_weight(missed, name) * _HUNDREDTH)

        def raised(n: int, name: str = name) -> TrialChange:
            """Return a trial in which the weight `name` is `n` hundredths."""
            return _weight_change(missed, "weight", name, n / _HUNDREDTH)

        if low < MOST_WEIGHT * _HUNDREDTH:
            yield NumberSearch(low, (int(MOST_WEIGHT * _HUNDREDTH),), raised)


def _current_weight(missed: MissedMemory, name: str) -> float:
    """Return the weight of a leg or term for the query's class; the general weight if the class lacks it."""
    of_class = missed.settings.class_weights.get(missed.state.plan.query_class, {})
    return float(of_class[name]) if name in of_class else float(getattr(missed.settings.leg_weights, name))


def _weight_change(missed: MissedMemory, kind: ChangeKind, name: str, value: float) -> TrialChange:
    """Return a trial with the weight of a leg or term (`name`, snake case) changed to `value`: in the weights of the
    query's class if these have it, else in those of all queries.

    Raises ValidationError if the value is out of range.
    """
    settings, query_class = missed.settings, missed.state.plan.query_class
    was, to = f"{_current_weight(missed, name):g}", f"{value:g}"
    of_class = settings.class_weights.get(query_class, {})
    if name in of_class:
        changed = {**settings.class_weights, query_class: {**of_class, name: value}}
        apply = assignment("settings", {"classWeights": changed})
        request = missed.with_settings(class_weights=changed)
        return TrialChange(kind, f"classWeights.{query_class}.{name}", was, to, apply, request)
    weights = settings.leg_weights.model_dump() | {name: value}
    apply = assignment("settings", {f"legWeights.{to_camel(name)}": json.loads(to)})
    return TrialChange(kind, f"legWeights.{to_camel(name)}", was, to, apply, missed.with_settings(leg_weights=weights))


TRIED: tuple[Callable[[MissedMemory], Iterator[Attempt]], ...] = (
    _without_past,
    _gate_off,
    _never_abstain,
    _without_passes,
    _larger_top_k,
    _more_budget,
    _more_scopes,
    _fewer_filters,
    _soft_period,
    _legs_switched_on,
    _larger_pools,
    _lower_floors,
    _state_changes,
    _raised_weights,
)
"""The changes that are tried, in this order: the present, flags of the call, settings, stored state, weights."""
