"""A receipt in, its ranking again out; asked again today, also every reason why the two rankings differ."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.model.memory import unpack_id
from pellucid.model.wire import Wire
from pellucid.recall.legs.nominate import base_of
from pellucid.recall.query.plan import MAX_STEMS
from pellucid.recall.receipt.record import Receipt
from pellucid.recall.rescore import rescore
from pellucid.recall.score.ladder import RUNGS
from pellucid.recall.state import Pool, State

UNEXPLAINED = "unexplained"
"""The reason that must never occur: a difference that nothing here accounts for is a bug."""
_FOLDED = ("heat", "cold", "reinforcement")
"""Columns that a lifecycle fold changes."""
_OWN_COLUMNS = "active valid trusted boundary importance pinned wanted dated asks direct matched"
_OWN = tuple(_OWN_COLUMNS.split())
"""Columns whose value depends on the memory and the question alone."""
_LATER = {
    "wanted": "query_dates",
    "dated": "query_dates",
    "asks": "asking_weight",
    "direct": "voice_weight",
    "heat": "heat_weight",
    "cold": "tier_weight",
    "reinforcement": "reinforcement_weight",
}
"""Columns that the first receipts lack, and the setting introduced with each: a receipt has both or neither."""
_ALONE = ("late-interaction", "none")
"""Rerankers that give the same score for the same words, always."""


class Reason(Wire):
    """Why a recall would not be the same today: `detail` counts or names it, `memoryIds` are the memories concerned."""

    name: str
    detail: str
    count: int = 0
    memory_ids: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return the name, then the detail in parentheses: `added (3)`."""
        return f"{self.name} ({self.detail})"


class Ranked(Wire):
    """A memory's rank (from 1) in a ranking, and its exact score."""

    place: int
    memory_id: str
    final: float


@dataclass(frozen=True, slots=True)
class Replay:
    """The ranking of a receipt computed again, without repeats of better memories. Its first `served` memories are
    those to serve; `identical`: they are the ones that the receipt served.
    """

    ranking: tuple[Ranked, ...]
    served: int
    identical: bool


@dataclass(frozen=True, slots=True)
class Since:
    """The ids of a namespace's memories that changed after a recall, by kind of change."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    forgotten: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    """Gone, and not by `forget`: their file was deleted."""


def replay_receipt(receipt: Receipt) -> Replay:
    """Compute the ranking of a receipt again from its columns alone, without repeats of better memories. `identical` is
    whether the same memories come first in the same order as were served, and topK cuts the same ones.
    """
    state = receipt.state
    pool, order = rescore(state)
    ids: Any = pool.ids.tolist()
    unrepeated = order[~np.isin(order, list(state.repeats))]
    ranking = tuple(
        Ranked(place=place, memory_id=unpack_id(ids[at]), final=float(pool.final[at]))
        for place, at in enumerate(unrepeated.tolist(), start=1)
    )
    cut_by_top_k = np.flatnonzero(pool.rejected == 1 + RUNGS.index("top-k"))
    served = len(receipt.served_ids)
    same = receipt.served_ids == tuple(unpack_id(ids[at]) for at in unrepeated[:served].tolist())
    return Replay(ranking, served, same and sorted(unrepeated[served:].tolist()) == cut_by_top_k.tolist())


def compare_with_live(receipt: Receipt, live: State, since: Since = Since()) -> list[Reason]:
    """Return the reasons why a request ranks differently today; empty if both rankings are equal to the last bit.

    `live` is the recorded request run again: same settings, filters, scopes, instant. `since` names the memories added,
    changed, forgotten or removed after the recall; without it these are no reasons, but for changes that the ranking
    itself shows. Every reason found is returned, even if it alone would not have changed the ranking; `unexplained` if
    none is found.
    """
    then = receipt.state
    if ranking_of(*rescore(then)) == ranking_of(live.pool, live.order):
        return []
    reasons = [reason for find in _REASON_FINDERS for reason in find(_ThenAndNow(then, live, since))]
    return reasons or [Reason(name=UNEXPLAINED, detail="please report this", count=1)]


def withheld_reason() -> Reason:
    """Return the reason why a recall cannot be run again: its query was not kept."""
    return Reason(name="query-withheld", detail="its words were not kept, or were erased", count=1)


def ranking_of(pool: Pool, order: NDArray[np.int64]) -> list[tuple[bytes, float]]:
    """Return the raw ids and exact scores of a ranking, best first."""
    return list(zip(pool.ids[order].tolist(), pool.final[order].tolist(), strict=True))


class _ThenAndNow:
    """A recall as recorded (`then`) and run again (`now`), and the candidates that both runs have."""

    def __init__(self, then: State, now: State, since: Since) -> None:
        """Find the candidates that both runs have. `since` names the memories that changed between them."""
        self.then, self.now, self.since = then, now, since
        _, self._here, self._there = np.intersect1d(then.pool.ids, now.pool.ids, return_indices=True)

    def pairs(self, column: str) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return a column of both pools for the shared candidates, in the same order: (then, now)."""
        return getattr(self.then.pool, column)[self._here], getattr(self.now.pool, column)[self._there]

    @property
    def unrecorded(self) -> frozenset[str]:
        """The names of the pool's columns that the receipt lacks because it was written before they existed, as told by
        the settings that came with them (`_LATER`). Empty for settings that were not read from a receipt."""
        named = self.then.request.settings.model_fields_set
        return frozenset(column for column, setting in _LATER.items() if setting not in named) if named else frozenset()

    def differing(self, *columns: str) -> NDArray[np.bool_]:
        """Return a mask of the shared candidates for which any of these columns differs. Two NaN are equal, and columns
        that the receipt lacks (`unrecorded`) do not count.
        """
        out = np.zeros(len(self._here), dtype=np.bool_)
        for column in (each for each in columns if each not in self.unrecorded):
            then, now = self.pairs(column)
            out |= (then != now) & ~(_nan_mask(then) & _nan_mask(now))
        return out

    def ids(self, mask: NDArray[np.bool_]) -> tuple[str, ...]:
        """Return the memory ids of the shared candidates in a mask."""
        raw: Any = self.then.pool.ids[self._here][mask].tolist()
        return tuple(unpack_id(each) for each in raw)


def _nan_mask(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Return a mask of the values that are NaN; all False for a column that does not contain floats."""
    return np.isnan(values) if values.dtype.kind == "f" else np.zeros(len(values), dtype=np.bool_)


def _reason_with_ids(name: str, ids: Sequence[str]) -> Iterator[Reason]:
    """Yield a reason that counts and names these memories; nothing if there are none."""
    if ids:
        yield Reason(name=name, detail=str(len(ids)), count=len(ids), memory_ids=tuple(ids))


def _change_reason(
    name: str, then: Mapping[str, object], now: Mapping[str, object], absent: str = "none"
) -> Iterator[Reason]:
    """Yield one reason that names every key whose value differs, with both values; nothing if all are equal. `absent`
    is written for a key that one side lacks. The reason counts keys and has no memory ids.
    """
    names = [each for each in dict.fromkeys([*then, *now]) if then.get(each) != now.get(each)]
    if names:
        changes = (f"{each}: {then.get(each, absent)} → {now.get(each, absent)}" for each in names)
        yield Reason(name=name, detail="; ".join(changes), count=len(names))


def _statistics_reasons(both: _ThenAndNow) -> Iterator[Reason]:
    """Yield the reason that the numbers of memories (all, active, with vectors) or word frequencies changed. Its detail
    is the change in the number of memories: `+3`.
    """
    then, now = both.then.corpus, both.now.corpus
    rows, words = now.rows - then.rows, both.then.plan.frequencies != both.now.plan.frequencies
    if rows or words or (then.active, then.vectors) != (now.active, now.vectors):
        yield Reason(name="corpus-statistics-changed", detail=f"{rows:+d}", count=abs(rows))


def _write_reasons(both: _ThenAndNow) -> Iterator[Reason]:
    """Yield the reasons `forgotten`, `removed`, `added` and `changed`, each with the memories that it concerns.

    They come from `both.since`; `changed` also has the shared candidates of which a column differs that depends on
    memory and question alone (`_OWN`). Matched words are not compared if the query had `MAX_STEMS` words or more, since
    other words of it may be read today.
    """
    since = both.since
    columns = _OWN if len(both.then.plan.words) < MAX_STEMS else _OWN[:-1]  # of more words, others may be read today
    differing = both.ids(both.differing(*columns))
    yield from _reason_with_ids("forgotten", since.forgotten)
    yield from _reason_with_ids("removed", since.removed)
    yield from _reason_with_ids("added", since.added)
    yield from _reason_with_ids("changed", tuple(dict.fromkeys([*differing, *since.changed])))


def _column_reasons(both: _ThenAndNow) -> Iterator[Reason]:
    """Yield the reason that columns which the receipt lacks have other values today; its detail names the columns."""
    pairs = [(each, both.pairs(each)) for each in both.unrecorded]
    differing = sorted(each for each, (then, now) in pairs if (then != now).any())
    if differing:
        yield Reason(name="not-recorded", detail=", ".join(differing), count=len(differing))


def _lifecycle_reasons(both: _ThenAndNow) -> Iterator[Reason]:
    """Yield the reason `lifecycle-fold`: a lifecycle pass, which works out heat and tier anew, changed the heat, tier
    or reinforcement of shared candidates.
    """
    yield from _reason_with_ids("lifecycle-fold", both.ids(both.differing(*_FOLDED)))


def _vector_reasons(both: _ThenAndNow) -> Iterator[Reason]:
    """Yield `model-changed` for shared candidates whose cosine differs though they were not changed, `vectors-changed`
    for those that have a vector in only one recall.

    If one recall had no vectors at all, its encoder was down, and the second is not given: `_health_reasons` reports
    it.
    """
    then, now = both.pairs("cosine")
    written = {*both.since.changed, *both.ids(both.differing(*_OWN))}
    other_cosine = [each for each in both.ids((then != now) & (then != 0) & (now != 0)) if each not in written]
    yield from _reason_with_ids("model-changed", other_cosine)
    # a cosine of 0 stands for a memory without a vector
    yield from _reason_with_ids("vectors-changed", both.ids(((then == 0) != (now == 0)) & (now.any() & then.any())))


def _reranker_reasons(both: _ThenAndNow) -> Iterator[Reason]:
    """Yield `reranker-changed` if another reranker scored, or if the same one scored memories differently that were not
    changed since.

    A reranker that always scores the same words alike (`late-interaction`, `none`) never yields the second.
    """
    then, now = both.then, both.now
    if then.rerank_backend != now.rerank_backend:
        yield from _change_reason("reranker-changed", {"by": then.rerank_backend}, {"by": now.rerank_backend})
    elif then.rerank_backend not in _ALONE:
        other_scores = [each for each in both.ids(both.differing("rerank_score")) if each not in both.since.changed]
        yield from _reason_with_ids("reranker-changed", other_scores)


def _health_reasons(both: _ThenAndNow) -> Iterator[Reason]:
    """Yield `leg-health-changed` if a leg's health differs or only one recall asked it, and `stage-health-changed` if a
    stage failed or ran in only one of the two.
    """
    health = ({leg.name: leg.health for leg in state.legs} for state in (both.then, both.now))
    yield from _change_reason("leg-health-changed", *health, absent="not asked")
    stages = (
        {base_of(each.name): "failed" if each.failed else "ok" for each in state.stages}
        for state in (both.then, both.now)
    )
    yield from _change_reason("stage-health-changed", *stages, absent="not run")


def _plan_reasons(both: _ThenAndNow) -> Iterator[Reason]:
    """Yield the reason that the query was understood differently."""
    yield from _change_reason("plan-changed", _plan_values(both.then), _plan_values(both.now))


def _plan_values(state: State) -> dict[str, object]:
    """Return how a recall understood its query, without the query's words. Maps `class`, `depth`, `period`, and the
    numbers of `names` and `sub-questions` to their values.
    """
    plan = state.plan
    period = plan.period and (plan.period.since, plan.period.until, plan.period.asserts)
    return {
        "class": plan.query_class,
        "depth": plan.depth,
        "period": period,
        "names": len(plan.named),
        "sub-questions": len(state.sub_plans),
    }


_REASON_FINDERS: tuple[Callable[[_ThenAndNow], Iterator[Reason]], ...] = (
    _statistics_reasons,
    _write_reasons,
    _lifecycle_reasons,
    _column_reasons,
    _vector_reasons,
    _reranker_reasons,
    _health_reasons,
    _plan_reasons,
)
"""The functions that look for reasons, in the order in which these are given."""
