"""A recall that missed a memory in, the first single change that admits it out: each is tried by a real recall.

The order is that of `TRIED`, documented in docs/why.md. Nothing is written: settings and flags are those of the one
recall, and a change of state is a reader in which the memory stands otherwise (`pretend`).
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from math import ceil, floor

import numpy as np
from pydantic import ValidationError
from pydantic.alias_generators import to_camel

from pellucid.clock import isoformat
from pellucid.model.memory import BOUNDARY_SCOPES
from pellucid.recall.ladder import RUNGS
from pellucid.recall.legs import FALLBACK, LEGS, base_of
from pellucid.recall.state import State
from pellucid.settings import LegWeights
from pellucid.store.index_port import Filters
from pellucid.xray.finding import (
    DEGRADED,
    LEG_OFF,
    NOT_KNOWN,
    NOT_NOMINATED,
    REMOVED,
    ChangeKind,
    WhyChange,
    WhyTried,
)
from pellucid.xray.ordinal import ordinal
from pellucid.xray.pretend import Standing
from pellucid.xray.trial import Dial, Draft, Trial

MOST_BUDGET = 2**31
"""Characters beyond which no budget is tried."""
MOST_WEIGHT = 10.0
"""The greatest leg weight tried."""
_HUNDREDTH = 100
_FLOORS = {"token-overlap": "min_token_overlap", "score-floor": "min_fact_score"}
_FLOOR_STEPS = 10_000
"""Floors are lowered by whole ten-thousandths."""
_ROUNDING = 1e-6
_RANKED_OUT = (NOT_NOMINATED, LEG_OFF, DEGRADED, "top-k", "budget-fit")
"""Stages that lose what may answer: places, and so legs and weights, decide there."""
_FLAGS = {"tags": "--tag", "categories": "--category", "agent": "--by-agent", "session_id": "--in-session"}


def find(trial: Trial) -> WhyChange | None:
    """The first change that admits the memory; what was tried in vain is left in `trial.tried`."""
    for suggest in TRIED[:1] if trial.stage == NOT_KNOWN else TRIED:
        for idea in suggest(trial):
            found = _turned(trial, idea) if isinstance(idea, Dial) else _made(trial, idea)
            if found:
                return found
    return None


def _made(trial: Trial, draft: Draft) -> WhyChange | None:
    place = trial.run(draft)
    return _change(draft, place, smallest=False) if place else _in_vain(trial, draft)


def _turned(trial: Trial, dial: Dial) -> WhyChange | None:
    """The lowest number found that admits: it does, and the one below it does not."""
    low, high = dial.low, dial.high
    try:
        most = dial.draft(high)
    except ValidationError:
        return None
    place, below = trial.run(most), -1
    if not place:
        return _in_vain(trial, most)
    while high - low > 1:
        middle = (low + high) // 2
        if found := trial.run(dial.draft(middle)):
            high, place = middle, found
        else:
            low = below = middle
    smallest = below == high - 1 or not trial.run(dial.draft(high - 1))
    return _change(dial.draft(high), place, smallest=smallest)


def _change(draft: Draft, place: int, *, smallest: bool) -> WhyChange:
    return WhyChange(
        kind=draft.kind, setting=draft.setting, was=draft.was, to=draft.to, apply=draft.apply, verified=True,
        place=place, smallest=smallest,
    )  # fmt: skip


def _in_vain(trial: Trial, draft: Draft) -> None:
    """What came of the change that was run last."""
    result = _fate(trial.last, trial.row) if trial.last else ""
    trial.tried.append(WhyTried(kind=draft.kind, setting=draft.setting, to=draft.to, result=result))


def _fate(state: State, row: int) -> str:
    """How far a memory came that is not in the context, in a few words."""
    at = np.flatnonzero(state.pool.rows[state.order] == row)
    if len(at):
        cut = state.request.settings.top_k_facts
        end = f"where topK is {cut}" if at[0] >= cut else "but finds no room in the context"
        return f"it comes {ordinal(int(at[0]) + 1)} of {len(state.order)}, {end}"
    inside = np.flatnonzero(state.pool.rows == row)
    if len(inside):
        return f"{RUNGS[int(state.pool.rejected[inside[0]]) - 1]} turns it away"
    return "no leg nominates it"


def _setting(trial: Trial, kind: ChangeKind, name: str, value: float | str, flag: str = "") -> Draft:
    was = getattr(trial.settings, name)
    said = f"{value:g}" if isinstance(value, float) else str(value)
    apply = flag or f"--set {to_camel(name)}={said}"
    return Draft(kind, to_camel(name), _said(was), said, apply, trial.with_settings(**{name: value}))


def _said(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _now(trial: Trial) -> Iterator[Draft]:
    """The same question without its past instants, one and then both; what was not known yet needs the second gone."""
    given = {"as_of": trial.request.as_of, "as_known_at": trial.request.as_known_at}
    for names in (("as_of",), ("as_known_at",), tuple(given)):
        said = [isoformat(at) for name in names if (at := given[name])]
        if len(said) < len(names) or (trial.stage == NOT_KNOWN and "as_known_at" not in names):
            continue
        flags = " and ".join(f"--{name.replace('_', '-')}" for name in names)
        left_out = replace(trial.request, **dict.fromkeys(names))
        yield Draft("now", flags, " and ".join(said), "now", f"leave out {flags}", left_out)


def _gate(trial: Trial) -> Iterator[Draft]:
    if trial.state.plan.depth in ("no_recall", "minimal") and trial.settings.gate != "off":
        yield _setting(trial, "gate", "gate", "off")


def _abstention(trial: Trial) -> Iterator[Draft]:
    if trial.state.abstention and trial.state.abstention.abstained:
        yield _setting(trial, "abstention", "abstain_at", 1.0)


def _passes(trial: Trial) -> Iterator[Draft]:
    if trial.stage == REMOVED:
        was = ", ".join(trial.settings.context_passes)
        without = trial.with_settings(context_passes=())
        yield Draft("passes", "contextPasses", was, "none", "--set contextPasses=[]", without)


def _top_k(trial: Trial) -> Iterator[Dial]:
    place = trial.place
    if place > trial.settings.top_k_facts:
        yield Dial(place - 1, place, lambda n: _setting(trial, "top-k", "top_k_facts", n, f"--top-k {n}"))


def _budget(trial: Trial) -> Iterator[Dial]:
    if trial.stopped_by != "budget-fit":
        return
    low = trial.settings.char_budget

    def spend(characters: int) -> Draft:
        return _setting(trial, "budget", "char_budget", characters, f"--budget {characters}")

    high = 2 * low
    while high < MOST_BUDGET and not trial.run(spend(high)):
        low, high = high, 2 * high
    yield Dial(low, high, spend)


def _scope(trial: Trial) -> Iterator[Draft]:
    if trial.position is None:
        return
    request, carried = trial.request, int(trial.state.pool.boundary[trial.position])
    scopes = [scope for i, scope in enumerate(BOUNDARY_SCOPES) if carried >> i & 1 and scope not in request.scopes]
    if scopes:
        granted = replace(request, scopes=(*request.scopes, *scopes))
        said = " ".join(f"--scope {scope}" for scope in scopes)
        yield Draft("scope", "scopes", ", ".join(request.scopes) or "none", ", ".join(granted.scopes), said, granted)


def _filter(trial: Trial) -> Iterator[Draft]:
    if trial.stage != "caller-filter":
        return
    request, none = trial.request, Filters()
    for name in Filters.__slots__:
        value = getattr(request.filters, name)
        if value != getattr(none, name):
            lifted = replace(request, filters=replace(request.filters, **{name: getattr(none, name)}))
            flag = _FLAGS.get(name, f"--{name}")
            said = ", ".join(value) if isinstance(value, tuple) else str(value)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
            yield Draft("filter", flag, said, "any", f"leave out {flag}", lifted)


def _period(trial: Trial) -> Iterator[Draft]:
    if trial.stopped_by == "time-window":
        yield _setting(trial, "period", "query_dates", "soft")


def _leg(trial: Trial) -> Iterator[Draft]:
    if trial.stage not in _RANKED_OUT:
        return
    request, names = trial.request, {leg.name for leg in (*LEGS, FALLBACK)}
    for name in sorted(request.without):
        back = replace(request, without=request.without - {name})
        yield Draft("leg", name, "left out", "on", f"leave out `--without {name}`", back)
    for name, weight in request.settings.leg_weights.model_dump().items():
        if name in names and weight == 0:
            yield _weight(trial, "leg", name, round(getattr(LegWeights(), name) or 1.0, 2))


def _pool(trial: Trial) -> Iterator[Dial]:
    if trial.stage not in _RANKED_OUT:
        return
    held, joined = trial.settings.pool, trial.position is not None
    low = held
    for rank in sorted({leg.rank for leg in trial.legs if leg.rank and leg.rank > held and leg.health != "off"}):
        first = low == held and not joined
        yield Dial(rank - 1 if first else low, rank, lambda n: _setting(trial, "pool", "pool", n))
        low = rank


def _floor(trial: Trial) -> Iterator[Dial]:
    name = _FLOORS.get(trial.stopped_by)
    if name is None or trial.position is None:
        return
    top = ceil(getattr(trial.settings, name) * _FLOOR_STEPS)
    reached = floor(_measured(trial, trial.stopped_by) * _FLOOR_STEPS + _ROUNDING)

    def lowered(steps: int) -> Draft:
        return _setting(trial, "floor", name, (top - steps) / _FLOOR_STEPS)

    for value in (reached, reached - 1):
        yield Dial(top - value - 1, top - value, lowered)


def _measured(trial: Trial, rung: str) -> float:
    """What the floor was asked of: the share of words it holds, or its cosine."""
    pool, at = trial.state.pool, trial.position or 0
    if rung == "score-floor":
        return float(pool.cosine[at])
    return int(pool.matched[at]).bit_count() / max(len(trial.state.plan.words), 1)


def _state(trial: Trial) -> Iterator[Draft]:
    """What could be done to it, each outcome tried once; nothing, where it is asked how things stood in the past."""
    if trial.request.as_of or trial.request.as_known_at:
        return
    seen: list[Mapping[int, Standing]] = []
    for each in trial.states():
        if each.problem:
            trial.tried.append(WhyTried(kind="state", setting=each.what, to=each.to, result=each.problem, ran=False))
        elif each.standings not in seen:
            seen.append(each.standings)
            yield Draft("state", each.what, each.was, each.to, each.apply, trial.request, each.standings)


def _weights(trial: Trial) -> Iterator[Dial]:
    """Each list that has the memory, raised as far as the greatest weight."""
    position, weights = trial.position, trial.settings.leg_weights.model_dump()
    if position is None or trial.stage not in _RANKED_OUT:
        return
    named = {"rerankPassage": "rerank_passage"}
    there = {named.get(base_of(name), base_of(name)) for name, term in trial.state.pool.terms.items() if term[position]}
    for name in (name for name in weights if name in there):
        low = int(_weight_now(trial, name) * _HUNDREDTH)

        def raised(n: int, name: str = name) -> Draft:
            return _weight(trial, "weight", name, n / _HUNDREDTH)

        if low < MOST_WEIGHT * _HUNDREDTH:
            yield Dial(low, int(MOST_WEIGHT * _HUNDREDTH), raised)


def _weight_now(trial: Trial, name: str) -> float:
    of_class = trial.settings.class_weights.get(trial.state.plan.query_class, {})
    return float(of_class[name]) if name in of_class else float(getattr(trial.settings.leg_weights, name))


def _weight(trial: Trial, kind: ChangeKind, name: str, value: float) -> Draft:
    """A weight of every query, or of this class of query where that has its own."""
    settings, query_class = trial.settings, trial.state.plan.query_class
    was, to = f"{_weight_now(trial, name):g}", f"{value:g}"
    of_class = settings.class_weights.get(query_class, {})
    if name in of_class:
        changed = {**settings.class_weights, query_class: {**of_class, name: value}}
        apply = f"--set classWeights='{json.dumps(changed)}'"
        request = trial.with_settings(class_weights=changed)
        return Draft(kind, f"classWeights.{query_class}.{name}", was, to, apply, request)
    weights = settings.leg_weights.model_dump() | {name: value}
    apply = f"--set legWeights.{to_camel(name)}={value:g}"
    return Draft(kind, f"legWeights.{to_camel(name)}", was, to, apply, trial.with_settings(leg_weights=weights))


TRIED: tuple[Callable[[Trial], Iterator[Draft | Dial]], ...] = (
    _now, _gate, _abstention, _passes, _top_k, _budget, _scope, _filter, _period, _leg, _pool, _floor, _state, _weights,
)  # fmt: skip
"""What is tried, in this order: now instead of then, flags of the call, settings, then what is kept, then weights."""
