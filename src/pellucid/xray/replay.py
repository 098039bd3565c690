"""A receipt in, its ranking again out; with the same question asked today, too, every reason why the two differ."""

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
"""The reason that may never be given: a difference that nothing here accounts for is a bug."""
_FOLDED = ("heat", "cold", "reinforcement")
"""Columns that a lifecycle fold changes."""
_OWN_COLUMNS = "active valid trusted boundary importance pinned wanted dated asks direct matched"
_OWN = tuple(_OWN_COLUMNS.split())
"""What is true of a memory by itself, for one question."""
_LATER = {
    "wanted": "query_dates",
    "dated": "query_dates",
    "asks": "asking_weight",
    "direct": "voice_weight",
    "heat": "heat_weight",
    "cold": "tier_weight",
    "reinforcement": "reinforcement_weight",
}
"""Columns that the first receipts lack, and the setting that came with each: who lacks the one lacks the other."""
_ALONE = ("late-interaction", "none")
"""Rerankers that give the same score for the same words, always."""


class Reason(Wire):
    """Why a recall would not be the same today: `detail` counts or names it, `memoryIds` are the memories concerned."""

    name: str
    detail: str
    count: int = 0
    memory_ids: tuple[str, ...] = ()

    def __str__(self) -> str:
        """The name, then the detail in parentheses: `added (3)`."""
        return f"{self.name} ({self.detail})"


class Ranked(Wire):
    """One memory of a ranking: its rank (from 1), and its exact score."""

    place: int
    memory_id: str
    final: float


@dataclass(frozen=True, slots=True)
class Replay:
    """The ranking of a receipt computed again, without repeats of better memories.

    The first `served` of it were served; `identical` says whether they are those of the receipt.
    """

    ranking: tuple[Ranked, ...]
    served: int
    identical: bool


@dataclass(frozen=True, slots=True)
class Since:
    """What happened to a namespace's memories after a recall, as ids, from the record and the ledger."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    forgotten: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    """Gone, and not by `forget`: their file was deleted."""


def replay_receipt(receipt: Receipt) -> Replay:
    """The ranking of a receipt, computed again from its columns alone, without repeats of better memories.

    `identical` needs the same memories served in the same order, and the same ones cut by topK.
    """
    state = receipt.state
    pool, order = rescore(state)
    ids: Any = pool.ids.tolist()
    alone = order[~np.isin(order, list(state.repeats))]
    ranking = tuple(
        Ranked(place=place, memory_id=unpack_id(ids[at]), final=float(pool.final[at]))
        for place, at in enumerate(alone.tolist(), start=1)
    )
    beyond = np.flatnonzero(pool.rejected == 1 + RUNGS.index("top-k"))
    served = len(receipt.served_ids)
    same = receipt.served_ids == tuple(unpack_id(ids[at]) for at in alone[:served].tolist())
    return Replay(ranking, served, same and sorted(alone[served:].tolist()) == beyond.tolist())


def compare_with_live(receipt: Receipt, live: State, since: Since = Since()) -> list[Reason]:
    """Why the same request ranks differently today; empty where both rankings are equal to the last bit.

    `live` is the recorded request run again: same settings, filters, scopes, instant. Every reason found is given,
    whether or not it alone would have changed the ranking; `unexplained` where none is found.
    """
    then = receipt.state
    if ranking_of(*rescore(then)) == ranking_of(live.pool, live.order):
        return []
    found = [reason for look in _REASON_FINDERS for reason in look(_ThenAndNow(then, live, since))]
    return found or [Reason(name=UNEXPLAINED, detail="please report this", count=1)]


def withheld_reason() -> Reason:
    """The reason why a recall cannot be run again: its query was not kept."""
    return Reason(name="query-withheld", detail="its words were not kept, or were erased", count=1)


def ranking_of(pool: Pool, order: NDArray[np.int64]) -> list[tuple[bytes, float]]:
    """The raw ids and exact scores of a ranking, best first."""
    return list(zip(pool.ids[order].tolist(), pool.final[order].tolist(), strict=True))


class _ThenAndNow:
    """A recall as recorded (`then`) and run again (`now`), and the candidates that both have."""

    def __init__(self, then: State, now: State, since: Since) -> None:
        self.then, self.now, self.since = then, now, since
        _, self._here, self._there = np.intersect1d(then.pool.ids, now.pool.ids, return_indices=True)

    def pairs(self, column: str) -> tuple[NDArray[Any], NDArray[Any]]:
        """One column of both pools, for the shared candidates in the same order."""
        return getattr(self.then.pool, column)[self._here], getattr(self.now.pool, column)[self._there]

    @property
    def unrecorded(self) -> frozenset[str]:
        """The columns that the receipt lacks because it is older than they are.

        None where its settings name no field at all.
        """
        known = self.then.request.settings.model_fields_set
        return frozenset(column for column, setting in _LATER.items() if setting not in known) if known else frozenset()

    def differing(self, *columns: str) -> NDArray[np.bool_]:
        """A mask of the shared candidates for which one of these columns differs; unrecorded columns do not count."""
        out = np.zeros(len(self._here), dtype=np.bool_)
        for column in (each for each in columns if each not in self.unrecorded):
            then, now = self.pairs(column)
            out |= (then != now) & ~(_nan_mask(then) & _nan_mask(now))
        return out

    def ids(self, mask: NDArray[np.bool_]) -> tuple[str, ...]:
        """The memory ids of the shared candidates in a mask."""
        raw: Any = self.then.pool.ids[self._here][mask].tolist()
        return tuple(unpack_id(each) for each in raw)


def _nan_mask(values: NDArray[Any]) -> NDArray[np.bool_]:
    """A mask of the values that are NaN; all False for a column that does not hold floats."""
    return np.isnan(values) if values.dtype.kind == "f" else np.zeros(len(values), dtype=np.bool_)


def _reasons_of(name: str, ids: Sequence[str]) -> Iterator[Reason]:
    """A reason that counts and names these memories; none without any."""
    if ids:
        yield Reason(name=name, detail=str(len(ids)), count=len(ids), memory_ids=tuple(ids))


def _change_reason(
    name: str, then: Mapping[str, object], now: Mapping[str, object], absent: str = "none"
) -> Iterator[Reason]:
    """One reason that names every key whose value differs, with both values; none where all are equal.

    `absent` is written for a key that one side does not have. It counts keys and has no memory ids.
    """
    names = [each for each in dict.fromkeys([*then, *now]) if then.get(each) != now.get(each)]
    if names:
        said = (f"{each}: {then.get(each, absent)} → {now.get(each, absent)}" for each in names)
        yield Reason(name=name, detail="; ".join(said), count=len(names))


def _statistics_reasons(both: _ThenAndNow) -> Iterator[Reason]:
    """The reason that the numbers of memories (all, active, with vectors) or word frequencies changed.

    Its detail is `+3`.
    """
    then, now = both.then.corpus, both.now.corpus
    rows, words = now.rows - then.rows, both.then.plan.frequencies != both.now.plan.frequencies
    if rows or words or (then.active, then.vectors) != (now.active, now.vectors):
        yield Reason(name="corpus-statistics-changed", detail=f"{rows:+d}", count=abs(rows))


def _write_reasons(both: _ThenAndNow) -> Iterator[Reason]:
    """The reasons of memories written since: by the ledger, and by what differs in the shared candidates."""
    since = both.since
    columns = _OWN if len(both.then.plan.words) < MAX_STEMS else _OWN[:-1]  # of more words, others may be read today
    seen = both.ids(both.differing(*columns))
    yield from _reasons_of("forgotten", since.forgotten)
    yield from _reasons_of("removed", since.removed)
    yield from _reasons_of("added", since.added)
    yield from _reasons_of("changed", tuple(dict.fromkeys([*seen, *since.changed])))


def _column_reasons(both: _ThenAndNow) -> Iterator[Reason]:
    """The reason that columns which the receipt lacks differ today: they cannot be compared. Its detail names them."""
    weighed = [(each, both.pairs(each)) for each in both.unrecorded]
    seen = sorted(each for each, (then, now) in weighed if (then != now).any())
    if seen:
        yield Reason(name="not-recorded", detail=", ".join(seen), count=len(seen))


def _lifecycle_reasons(both: _ThenAndNow) -> Iterator[Reason]:
    """The reason that a lifecycle fold changed heat, tier or reinforcement of shared candidates."""
    yield from _reasons_of("lifecycle-fold", both.ids(both.differing(*_FOLDED)))


def _vector_reasons(both: _ThenAndNow) -> Iterator[Reason]:
    """`model-changed`: another cosine for the same words. `vectors-changed`: a vector only then, or only now.

    Where one recall had no vectors at all, its encoder was down: `_health_reasons` tells that.
    """
    then, now = both.pairs("cosine")
    touched = {*both.since.changed, *both.ids(both.differing(*_OWN))}
    apart = [each for each in both.ids((then != now) & (then != 0) & (now != 0)) if each not in touched]
    yield from _reasons_of("model-changed", apart)
    yield from _reasons_of("vectors-changed", both.ids(((then == 0) != (now == 0)) & (now.any() & then.any())))


def _reranker_reasons(both: _ThenAndNow) -> Iterator[Reason]:
    """The reason that another reranker scored, or that the same one scored memories not written since differently.

    Rerankers that always score the same words alike (`late-interaction`, `none`) give only the first.
    """
    then, now = both.then, both.now
    if then.rerank_backend != now.rerank_backend:
        yield from _change_reason("reranker-changed", {"by": then.rerank_backend}, {"by": now.rerank_backend})
    elif then.rerank_backend not in _ALONE:
        other = [each for each in both.ids(both.differing("rerank_score")) if each not in both.since.changed]
        yield from _reasons_of("reranker-changed", other)


def _health_reasons(both: _ThenAndNow) -> Iterator[Reason]:
    """The reasons that a leg's health differs, and that a stage failed or ran in one of the two recalls only."""
    health = ({leg.name: leg.health for leg in state.legs} for state in (both.then, both.now))
    yield from _change_reason("leg-health-changed", *health, absent="not asked")
    stages = (
        {base_of(each.name): "failed" if each.note.startswith("failed") else "ok" for each in state.stages}
        for state in (both.then, both.now)
    )
    yield from _change_reason("stage-health-changed", *stages, absent="not run")


def _plan_reasons(both: _ThenAndNow) -> Iterator[Reason]:
    """The reason that the query was understood differently."""
    yield from _change_reason("plan-changed", _plan_values(both.then), _plan_values(both.now))


def _plan_values(state: State) -> dict[str, object]:
    """How a recall understood its query, without its words: class, depth, period, number of names and sub-questions."""
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
