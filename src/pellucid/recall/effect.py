"""A recorded recall in, the effect of each of its parts on the first topK out: worked out by leaving the part out."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pellucid.model.memory import unpack_id
from pellucid.model.wire import Wire
from pellucid.recall.ablate import NotComputableError, ablate
from pellucid.recall.legs.nominate import base_of
from pellucid.recall.rescore import rescore
from pellucid.recall.state import State


class Move(Wire):
    """A memory that is among the first topK with and without the parts, and its ranks (from 1) before and after."""

    memory_id: str
    before: int
    after: int


class Effect(Wire):
    """The changes that leaving parts out makes to the first topK of a recall, known repeats left out.

    Not to be confused with the share of a part, the term that it adds to a score: a part with a large share in every
    score can change nothing, and a part with a small share can decide which memories are served at all.
    """

    parts: tuple[str, ...]
    entered: tuple[str, ...] = ()
    """Ids that are served only without the parts, best first."""
    left: tuple[str, ...] = ()
    """Ids that are served only with the parts, best first."""
    moved: tuple[Move, ...] = ()
    tau: float | None = None
    """Kendall's τ between the orders with and without the parts, of those served both ways; None for fewer than two."""
    unknown: str | None = None
    """Why the receipt cannot tell; the other fields are then empty."""


def effect(state: State, parts: Sequence[str]) -> Effect:
    """Return the effect of leaving these parts out together on the first topK of a recorded recall.

    If the receipt cannot tell, the effect says why in `unknown`.
    """
    try:
        before, after = (each[: state.request.settings.top_k_facts] for each in orders(state, parts))
    except NotComputableError as error:
        return Effect(parts=tuple(parts), unknown=error.reason)
    both = [each for each in before if each in after]
    return Effect(
        parts=tuple(parts),
        entered=tuple(each for each in after if each not in before),
        left=tuple(each for each in before if each not in after),
        moved=tuple(
            Move(memory_id=each, before=before.index(each) + 1, after=after.index(each) + 1)
            for each in both
            if before.index(each) != after.index(each)
        ),
        tau=_kendall_tau([after.index(each) for each in both]),
    )


def effects(state: State) -> list[Effect]:
    """Return the effect of leaving out each leg that found something admissible, one leg at a time, in the order the
    legs were asked; a leg stands also for its questions (`vector@2`)."""
    return [
        effect(state, (name,)) for name in dict.fromkeys(base_of(each.name) for each in state.legs if each.admitted)
    ]


def orders(state: State, parts: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the ids that a recall ranked, best first, with and without these parts, each without known repeats.

    A repeat is known if the recorded recall left it out for another memory; the receipt has no texts to find more.
    Raises NotComputableError if the receipt cannot tell.
    """
    without = ablate(state, parts)
    ranked = replace(state, order=rescore(state)[1])
    return _without_known_repeats(ranked, state.repeats), _without_known_repeats(without, state.repeats)


def _without_known_repeats(state: State, repeats: Mapping[int, int]) -> list[str]:
    """Return the memory ids of a state's ranking, best first, without those that repeat one of the first topK.

    `repeats` maps the positions of memories to the position of the memory that each repeats.
    """
    ids: Any = state.pool.ids.tolist()
    order: list[int] = state.order.tolist()
    left_out, top_k = {*repeats}, state.request.settings.top_k_facts
    while True:
        ranking = [at for at in order if at not in left_out]
        first = {*ranking[:top_k]}
        unmatched = {at for at in left_out if repeats[at] not in first}
        if not unmatched:
            return [unpack_id(ids[at]) for at in ranking]
        left_out -= unmatched  # each turn brings some back, so that this ends


def _kendall_tau(places: Sequence[int]) -> float | None:
    """Return Kendall's τ between distinct ranks and their rising order: 1 if they rise, -1 if they fall; None for fewer
    than two ranks."""
    count = len(places)
    if count < 2:
        return None
    signs = np.sign(np.subtract.outer(np.array(places), np.array(places)))
    return float(-np.triu(signs, k=1).sum() / (count * (count - 1) / 2))
