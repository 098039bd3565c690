"""A recorded recall and parts of it in, the recall as it would have been without them out: from the receipt alone."""

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from pellucid.errors import InputError, field_name
from pellucid.recall.legs.nominate import FALLBACK, base_of, needs_fallback, searching
from pellucid.recall.legs.pool import keep_candidates
from pellucid.recall.pipeline import left_out, replay
from pellucid.recall.query.iterate import READ
from pellucid.recall.score.equation import REACH, Mask
from pellucid.recall.score.expand import top_of_each_leg
from pellucid.recall.score.ladder import ladder
from pellucid.recall.score.rerank import LATE_INTERACTION, NO_RERANKING, candidates_for_model
from pellucid.recall.state import Context, LegReport, Pool, StageReport, State

_ASKS_MORE = re.compile(r"asks ([0-9]+) more")
_POINTWISE = (LATE_INTERACTION, NO_RERANKING)
"""Rerankers that score every survivor, so that nobody can come up whom they did not score."""


class NotComputableError(InputError):
    """Raised where the receipt does not hold what the recall would have asked for without these parts."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"the receipt cannot tell: {reason}",
            code="not_computable",
            next_step=f"ask again with {field_name('without')}",
        )
        self.reason = reason


def ablate(state: State, parts: Collection[str]) -> State:
    """The recall as it would have been without these legs, stages and terms (`request.removable_parts`).

    Equal to a live run `without` them to the last bit: ids, scores, order, verdicts and counts of filters. A receipt
    holds no texts, so there is no context, and nothing is known of repeats, topK and the budget. A stage that failed in
    the recorded run counts as failed here, too. NotComputableError if the live run would ask the index for something
    that the receipt does not hold.
    """
    gone = frozenset(parts) - state.request.without
    bare = replace(
        state,
        request=replace(state.request, without=state.request.without | gone),
        stages=_stages_switched_off(state.stages, gone),
        features=None,
        tier=None,
        kept=np.zeros(0, dtype=np.int64),
        repeats={},
        served=(),
        context=Context(),
        abstention=None,
    )
    _check_questions(state, bare)
    return _replay_from_receipt(bare)


def _replay_from_receipt(state: State) -> State:
    """Work the state out again: what stages would read from the index is taken from the recorded columns."""
    rerank, diversify = _with_rerank_scores, _with_pairs_compared
    return replay(state, {"legs": _with_remaining_legs, "ladder": ladder, "rerank": rerank, "diversify": diversify})


def _check_questions(state: State, bare: State) -> None:
    """Raise NotComputableError unless every iteration of `bare` would have asked the sub-questions of `state`."""
    passes = [each for each in state.stages if base_of(each.name) == "iterate"]
    asked = [int(found[1]) if (found := _ASKS_MORE.search(each.note)) else 0 for each in passes]
    if sum(asked) != len(state.sub_plans):
        raise NotComputableError("it does not say which pass asked which sub-question")
    for number in range(len(passes)):
        known = 1 + sum(asked[:number])
        if _read_by_next_pass(_replay_from_receipt(_with_first_questions(state, known))) != _read_by_next_pass(
            _replay_from_receipt(_with_first_questions(bare, known))
        ):
            raise NotComputableError("other sub-questions might have been asked")


def _with_first_questions(state: State, count: int) -> State:
    """The state with only the legs of the query and its first sub-questions, `count` questions in all."""
    return replace(state, legs=tuple(each for each in state.legs if int(each.name.partition("@")[2] or 1) <= count))


def _read_by_next_pass(state: State) -> object:
    """What the next iteration decides by: a bit mask of the query's words found first, or ids where a model decides."""
    first, pool = state.order[:READ], state.pool
    if state.request.settings.decompose == "local":
        return int(np.bitwise_or.reduce(pool.matched[first], initial=0))
    return pool.ids[first].tolist()


def _stages_switched_off(stages: Sequence[StageReport], gone: Collection[str]) -> tuple[StageReport, ...]:
    """The stage reports, those of the parts in `gone` as switched off."""
    return tuple(StageReport(each.name, 0.0, "switched off") if base_of(each.name) in gone else each for each in stages)


def _with_remaining_legs(state: State) -> State:
    """The state with the legs that are not left out, and only the candidates that these, or `expand`, bring."""
    if state.plan.depth == "no_recall":
        return state
    reports = _reports_of_legs(state)
    asked = {each.name for each in reports if each.health != "off"}
    remaining = {each.name for each in reports}
    pool = state.pool
    arms = {
        column: {
            name: ranks if name in asked else np.full_like(ranks, blank)
            for name, ranks in getattr(pool, column).items()
            if name in remaining
        }
        for column, blank in (("ranks", 0), ("open_ranks", 0), ("scores", np.nan))
    }
    pool = replace(pool, **arms)
    brought = np.zeros(len(pool), dtype=np.bool_)
    for ranks in (*pool.ranks.values(), *pool.open_ranks.values()):
        brought |= ranks > 0
    settings = state.request.settings
    if "expand" not in left_out(state) and settings.score_propagation_alpha and settings.expand_from:
        brought |= _neighbours_of(pool, top_of_each_leg(pool, settings.expand_from))
    return replace(state, legs=reports, pool=keep_candidates(pool, brought))


def _reports_of_legs(state: State) -> tuple[LegReport, ...]:
    """The legs' reports without the parts; NotComputableError if `recent`, not asked then, would be asked now."""
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
    """A mask of who `IndexReader.neighbours` would bring for `leaders`; NotComputableError if places are missing."""
    inside = np.flatnonzero(pool.session >= 0)
    places = np.column_stack([pool.session[inside], pool.place[inside]])
    if len(np.unique(places, axis=0)) < len(inside):
        raise NotComputableError("it is of an earlier version, which did not say who stands beside whom")
    first = np.flatnonzero(leaders & (pool.session >= 0))
    same = pool.session[first, None] == pool.session
    near = np.abs(pool.ordinal[first, None] - pool.ordinal) <= REACH
    close = np.abs(pool.place[first, None] - pool.place) <= 2 * REACH
    return (same & near & close).any(axis=0)


def _with_rerank_scores(state: State) -> State:
    """The state with the scores of the reranker; NotComputableError if a model did not score all it would now."""
    pool, scored = state.pool, state.pool.rejected == 0
    if "rerank" in left_out(state):
        scored = np.zeros(len(pool), dtype=np.bool_)
    elif state.rerank_backend not in _POINTWISE:
        scored = np.isin(np.arange(len(pool)), candidates_for_model(state))
        if np.isnan(pool.rerank_score[scored]).any():
            raise NotComputableError(f"{state.rerank_backend} would be asked about memories that it did not score")
    alone, around = (np.where(scored, each, np.float32(np.nan)) for each in (pool.rerank_score, pool.passage_score))
    return replace(state, pool=replace(pool, rerank_score=alone, passage_score=around))


def _with_pairs_compared(state: State) -> State:
    """The state with the similar pairs that `diversify` would compare: those of which both candidates passed."""
    pool = state.pool
    alike = pool.pairs if "diversify" not in state.request.without else {}
    pairs = {(a, b): much for (a, b), much in alike.items() if pool.rejected[a] == 0 == pool.rejected[b]}
    return replace(state, pool=replace(pool, pairs=pairs))
