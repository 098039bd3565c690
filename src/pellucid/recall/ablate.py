"""A recorded recall and parts of it in, the recall as it would have been without them out: from the receipt alone."""

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from pellucid.errors import InputError, field_name
from pellucid.model.snapshot import LegHealth, StageTrace
from pellucid.recall.legs.leg import empty_report
from pellucid.recall.legs.nominate import FALLBACK, base_of, needs_fallback, searching
from pellucid.recall.legs.pool import keep_candidates
from pellucid.recall.pipeline import left_out, replay
from pellucid.recall.query.iterate import READ
from pellucid.recall.score.equation import REACH, Mask
from pellucid.recall.score.expand import top_of_each_leg
from pellucid.recall.score.ladder import ladder
from pellucid.recall.score.rerank import LATE_INTERACTION, NO_RERANKING, candidates_for_model
from pellucid.recall.state import Context, Pool, State

_ASKS_MORE = re.compile(r"asks ([0-9]+) more")
_POINTWISE = (LATE_INTERACTION, NO_RERANKING)
"""Rerankers that score every survivor of the filters: leaving a part out brings up no candidate without a score."""


class NotComputableError(InputError):
    """Raised if the receipt lacks something that the recall without these parts would have read from the index."""

    def __init__(self, reason: str) -> None:
        """Make the message, code and next step (ask live) of `reason`, words that say what the receipt lacks."""
        super().__init__(
            f"the receipt cannot tell: {reason}",
            code="not_computable",
            next_step=f"ask again with {field_name('without')}",
        )
        self.reason = reason


def ablate(state: State, parts: Collection[str]) -> State:
    """Return the recall as it would have been without these legs, stages and terms (names of `removable_parts` in
    `operations.recall.request`; others are not refused).

    The result equals a live run with the same `without` to the last bit: ids, scores, order, verdicts and counts of
    filters. A receipt contains no texts, so the context is empty, and the order is not cut: repeats, topK and the
    budget are not applied. A stage that failed in the recorded run counts as failed here, too. Raises
    NotComputableError if the live run would ask the index for something that the receipt does not contain.
    """
    removed = frozenset(parts) - state.request.without
    reduced = replace(
        state,
        request=replace(state.request, without=state.request.without | removed),
        stages=_stages_switched_off(state.stages, removed),
        features=None,
        tier=None,
        kept=np.zeros(0, dtype=np.int64),
        repeats={},
        served=(),
        context=Context(),
        abstention=None,
    )
    _check_questions(state, reduced)
    return _replay_from_receipt(reduced)


def _replay_from_receipt(state: State) -> State:
    """Return the state with its terms, filters and order worked out again from the receipt alone: recorded columns
    stand in for what stages would read from the index. Raises NotComputableError as these stand-ins do."""
    rerank, diversify = _with_rerank_scores, _with_pairs_compared
    return replay(state, {"legs": _with_remaining_legs, "ladder": ladder, "rerank": rerank, "diversify": diversify})


def _check_questions(state: State, reduced: State) -> None:
    """Raise NotComputableError if an iteration of `reduced` might have asked other sub-questions than that of `state`
    did, as it would have decided by something else (`_input_of_next_pass`), or if the record does not say which
    iteration asked which.
    """
    passes = [each for each in state.stages if base_of(each.name) == "iterate"]
    question_counts = [int(found[1]) if (found := _ASKS_MORE.search(each.note or "")) else 0 for each in passes]
    if sum(question_counts) != len(state.sub_plans):
        raise NotComputableError("it does not say which pass asked which sub-question")
    for number in range(len(passes)):
        question_count = 1 + sum(question_counts[:number])
        if _input_of_next_pass(
            _replay_from_receipt(_with_first_questions(state, question_count))
        ) != _input_of_next_pass(_replay_from_receipt(_with_first_questions(reduced, question_count))):
            raise NotComputableError("other sub-questions might have been asked")


def _with_first_questions(state: State, count: int) -> State:
    """Return the state with the reports of the legs that were asked its first `count` questions: 1 is the query itself
    (`vector`), 2 its first sub-question (`vector@2`), and so on. The pool is not changed."""
    return replace(state, legs=tuple(each for each in state.legs if int(each.name.partition("@")[2] or 1) <= count))


def _input_of_next_pass(state: State) -> object:
    """Return what the next iteration decides by: ids of the best 12 candidates, or the query's words in them.

    The words, as a bit mask, if the setting `decompose` is `local`; the ids, as a list, if a model decides.
    """
    first, pool = state.order[:READ], state.pool
    if state.request.settings.decompose == "local":
        return int(np.bitwise_or.reduce(pool.matched[first], initial=0))
    return pool.ids[first].tolist()


def _stages_switched_off(stages: Sequence[StageTrace], parts: Collection[str]) -> tuple[StageTrace, ...]:
    """Return the stage reports in order; the report of a stage named in `parts`, also of a further iteration
    (`expand@2`), is replaced by one with 0 ms and the note `switched off`."""
    return tuple(
        StageTrace(name=each.name, ms=0.0, note="switched off") if base_of(each.name) in parts else each
        for each in stages
    )


def _with_remaining_legs(state: State) -> State:
    """Return the state without the legs that are left out, and without the candidates that only those legs brought;
    unchanged if the message needed no memory.

    Candidates that the stage `expand` brings from a remaining leg stay, too. Raises NotComputableError as
    `_reports_of_legs` and `_mask_of_neighbours` do.
    """
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
        brought |= _mask_of_neighbours(pool, top_of_each_leg(pool, settings.expand_from))
    return replace(state, legs=reports, pool=keep_candidates(pool, brought))


def _reports_of_legs(state: State) -> tuple[LegHealth, ...]:
    """Return the reports of the legs, with those that are left out reported as `off`.

    The fallback leg `recent` is among them only if it is not left out and the remaining searching legs need it
    (`needs_fallback`). Raises NotComputableError if `recent` was not asked in the recorded recall and would be asked
    now.
    """
    without = state.request.without
    newest = [each for each in state.legs if each.name == FALLBACK.name]
    reports = [
        empty_report(each.name, "off") if base_of(each.name) in without else each
        for each in state.legs
        if each not in newest
    ]
    needed = needs_fallback([each for each in reports if each.name in searching()])
    if FALLBACK.name in without or not needed:
        return tuple(reports)
    if not newest and FALLBACK.weight_by(state.request.settings):
        raise NotComputableError("no search leg that is left found anything, so the newest memories would be asked for")
    return (*reports, *(newest or [empty_report(FALLBACK.name, "off")]))


def _mask_of_neighbours(pool: Pool, leaders: Mask) -> Mask:
    """Return a mask of the candidates that stand near one in `leaders`: in the same session, at most `REACH` turns and
    twice as many places away, itself included. `IndexReader.neighbours` would bring these.

    Raises NotComputableError if the receipt does not say at which place of its session each candidate is.
    """
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
    """Return the state with the recorded scores of those candidates that the reranker would score now, NaN for all
    others.

    Raises NotComputableError if the reranker is a model that would now score a candidate without a recorded score.
    """
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
    """Return the state with only those recorded similar pairs (`pool.pairs`) of which both candidates passed every
    filter, since `diversify` would compare these; with no pairs if the request leaves `diversify` out."""
    pool = state.pool
    alike = pool.pairs if "diversify" not in state.request.without else {}
    pairs = {(a, b): much for (a, b), much in alike.items() if pool.rejected[a] == 0 == pool.rejected[b]}
    return replace(state, pool=replace(pool, pairs=pairs))
