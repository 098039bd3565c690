"""A recorded recall and parts of it in, the recall as it would have been without them out: from the receipt alone."""

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from pellucid.errors import InputError, field_name
from pellucid.recall.legs.nominate import FALLBACK, base_of, needs_fallback, searching
from pellucid.recall.legs.pool import pick
from pellucid.recall.pipeline import left_out, replay
from pellucid.recall.query.iterate import READ
from pellucid.recall.score.equation import REACH, Mask
from pellucid.recall.score.expand import leading
from pellucid.recall.score.ladder import ladder
from pellucid.recall.score.rerank import LATE_INTERACTION, NO_RERANKING, best_so_far
from pellucid.recall.state import Context, LegReport, Pool, StageReport, State

_ASKED = re.compile(r"asks ([0-9]+) more")
_POINTWISE = (LATE_INTERACTION, NO_RERANKING)
"""Rerankers that score every survivor, so that nobody can come up whom they did not score."""


class NotComputableError(InputError):
    """The receipt does not hold what the recall would have asked for without these parts: only a new one can tell."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"the receipt cannot tell: {reason}",
            code="not_computable",
            next_step=f"ask again with {field_name('without')}",
        )
        self.reason = reason


def ablate(state: State, parts: Collection[str]) -> State:
    """The recall as it would have been without these legs, stages and terms (see `operations.recall.request.parts`).

    A leg goes with all its iterations. Equal to a live run `without` them to the last bit: ids, finals, order, verdicts
    and counts of filters. Texts are not in a receipt, so nothing is said of repeats, and so of topK and the budget:
    there is no context, and none of these rungs. A stage that failed in the recorded run has failed in this one, too.

    Raises:
        NotComputableError: the live run would ask the index for something that the receipt does not hold.
    """
    gone = frozenset(parts) - state.request.without
    request = replace(state.request, without=state.request.without | gone)
    bare = replace(
        state,
        request=request,
        stages=_stages(state.stages, gone),
        features=None,
        tier=None,
        kept=np.zeros(0, dtype=np.int64),
        repeats={},
        served=(),
        context=Context(),
        abstention=None,
    )
    _check_questions(state, bare)
    return _again(bare)


def _again(state: State) -> State:
    """The state worked out again from recorded columns, with everything that the stages would read taken from them.

    Every candidate that the request and its legs would bring must be in the pool.
    """
    return replay(
        state,
        {
            "legs": _with_remaining_legs,
            "ladder": ladder,
            "rerank": _with_rerank_scores,
            "diversify": _with_pairs_compared,
        },
    )


def _check_questions(state: State, bare: State) -> None:
    """Raise unless every iteration would have asked the same sub-questions without what is left out.

    Raises:
        NotComputableError: what a pass read of its answers would not be the same.
    """
    passes = [each for each in state.stages if base_of(each.name) == "iterate"]
    asked = [int(found[1]) if (found := _ASKED.search(each.note)) else 0 for each in passes]
    if sum(asked) != len(state.sub_plans):
        raise NotComputableError("it does not say which pass asked which sub-question")
    for number in range(len(passes)):
        known = 1 + sum(asked[:number])
        if _read_by_next_pass(_again(_through(state, known))) != _read_by_next_pass(_again(_through(bare, known))):
            raise NotComputableError("other sub-questions might have been asked")


def _through(state: State, known: int) -> State:
    """The state with the legs of its first questions alone."""
    return replace(state, legs=tuple(each for each in state.legs if int(each.name.partition("@")[2] or 1) <= known))


def _read_by_next_pass(state: State) -> object:
    """What a pass leaves for the one after it to decide on; equal for two recalls only if the next would ask the same.

    The question's words that its first answers hold, as a bit mask; the ids of these answers where a model asks.
    """
    first, pool = state.order[:READ], state.pool
    if state.request.settings.decompose == "local":
        return int(np.bitwise_or.reduce(pool.matched[first], initial=0))
    return pool.ids[first].tolist()


def _stages(stages: Sequence[StageReport], gone: Collection[str]) -> tuple[StageReport, ...]:
    return tuple(StageReport(each.name, 0.0, "switched off") if base_of(each.name) in gone else each for each in stages)


def _with_remaining_legs(state: State) -> State:
    """The state with the legs that are not left out, and the candidates they, or neighbours of their first, bring."""
    if state.plan.depth == "no_recall":
        return state
    reports = _reports_of_legs(state)
    asked = {each.name for each in reports if each.health != "off"}
    held = {each.name for each in reports}
    pool = state.pool
    arms = {
        column: {
            name: ranks if name in asked else np.full_like(ranks, blank)
            for name, ranks in getattr(pool, column).items()
            if name in held
        }
        for column, blank in (("ranks", 0), ("open_ranks", 0), ("scores", np.nan))
    }
    pool = replace(pool, **arms)
    brought = np.zeros(len(pool), dtype=np.bool_)
    for ranks in (*pool.ranks.values(), *pool.open_ranks.values()):
        brought |= ranks > 0
    settings = state.request.settings
    if "expand" not in left_out(state) and settings.score_propagation_alpha and settings.expand_from:
        brought |= _neighbours_of(pool, leading(pool, settings.expand_from))
    return replace(state, legs=reports, pool=pick(pool, brought))


def _reports_of_legs(state: State) -> tuple[LegReport, ...]:
    """How the legs would have done; `recent` is not asked where the failing search that called for it is left out.

    Raises:
        NotComputableError: the newest would be asked, and were not.
    """
    without = state.request.without
    newest = [each for each in state.legs if each.name == FALLBACK.name]
    reports = [
        LegReport(each.name, "off") if base_of(each.name) in without else each
        for each in state.legs
        if each not in newest
    ]
    needed = needs_fallback([each for each in reports if each.name in searching()])
    if FALLBACK.name in without or not needed:
        return tuple(reports)
    if not newest and FALLBACK.weighs(state.request.settings):
        raise NotComputableError("no search leg that is left found anything, so the newest memories would be asked for")
    return (*reports, *(newest or [LegReport(FALLBACK.name, "off")]))


def _neighbours_of(pool: Pool, leaders: Mask) -> Mask:
    """A mask of the candidates that `IndexReader.neighbours` would bring as the neighbours of `leaders`.

    Raises:
        NotComputableError: two memories of one session have the same place, as in receipts of earlier versions.
    """
    inside = np.flatnonzero(pool.session >= 0)
    stands = np.column_stack([pool.session[inside], pool.place[inside]])
    if len(np.unique(stands, axis=0)) < len(inside):
        raise NotComputableError("it is of an earlier version, which did not say who stands beside whom")
    first = np.flatnonzero(leaders & (pool.session >= 0))
    same = pool.session[first, None] == pool.session
    near = np.abs(pool.ordinal[first, None] - pool.ordinal) <= REACH
    close = np.abs(pool.place[first, None] - pool.place) <= 2 * REACH
    return (same & near & close).any(axis=0)


def _with_rerank_scores(state: State) -> State:
    """The state with the scores the reranker would have given.

    Raises:
        NotComputableError: a model scored only the best, and others would now be among them.
    """
    pool, standing = state.pool, state.pool.rejected == 0
    if "rerank" in left_out(state):
        standing = np.zeros(len(pool), dtype=np.bool_)
    elif state.rerank_backend not in _POINTWISE:
        standing = np.isin(np.arange(len(pool)), best_so_far(state))
        if np.isnan(pool.rerank_score[standing]).any():
            raise NotComputableError(f"{state.rerank_backend} would be asked about memories that it did not score")
    nothing = np.float32(np.nan)
    alone, around = (np.where(standing, each, nothing) for each in (pool.rerank_score, pool.passage_score))
    return replace(state, pool=replace(pool, rerank_score=alone, passage_score=around))


def _with_pairs_compared(state: State) -> State:
    """The state with the similar pairs that `diversify` would compare: of two that passed; none if it is left out."""
    pool = state.pool
    alike = pool.pairs if "diversify" not in state.request.without else {}
    pairs = {(a, b): much for (a, b), much in alike.items() if pool.rejected[a] == 0 == pool.rejected[b]}
    return replace(state, pool=replace(pool, pairs=pairs))
