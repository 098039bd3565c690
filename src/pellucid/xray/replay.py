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
"""What a lifecycle fold says of a memory."""
_OWN = (
    "active",
    "valid",
    "trusted",
    "boundary",
    "importance",
    "pinned",
    "wanted",
    "dated",
    "asks",
    "direct",
    "matched",
)
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
        return f"{self.name} ({self.detail})"


class Ranked(Wire):
    """One memory of a ranking: its place (from 1), and its exact score."""

    place: int
    memory_id: str
    final: float


@dataclass(frozen=True, slots=True)
class Replay:
    """The ranking of a receipt, worked out again, without what repeats a better one.

    `served` is how many of the first were; `identical` whether they are those that were served then.
    """

    ranking: tuple[Ranked, ...]
    served: int
    identical: bool


@dataclass(frozen=True, slots=True)
class Since:
    """What became of a namespace's memories after a recall, by id: all that the record and the ledger tell."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    forgotten: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    """Gone, and not by `forget`: their file was deleted."""


def replay_receipt(receipt: Receipt) -> Replay:
    """The order and the finals of a receipt, from its columns alone."""
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
    """Why the same request ranks otherwise today; no reason where it gives the same ranking, to the last bit.

    `live` is the recorded request run again: same settings, filters, scopes, instant. Every reason there is is given,
    whether or not it alone would have changed the ranking.
    """
    then = receipt.state
    if ranking_of(*rescore(then)) == ranking_of(live.pool, live.order):
        return []
    found = [reason for look in _LOOKS for reason in look(_Both(then, live, since))]
    return found or [Reason(name=UNEXPLAINED, detail="please report this", count=1)]


def withheld() -> Reason:
    """Why a recall without its words cannot be asked again."""
    return Reason(name="query-withheld", detail="its words were not kept, or were erased", count=1)


def ranking_of(pool: Pool, order: NDArray[np.int64]) -> list[tuple[bytes, float]]:
    """Ids and exact scores, best first."""
    return list(zip(pool.ids[order].tolist(), pool.final[order].tolist(), strict=True))


class _Both:
    """A recall then and now, and the candidates that were there both times."""

    def __init__(self, then: State, now: State, since: Since) -> None:
        self.then, self.now, self.since = then, now, since
        _, self._here, self._there = np.intersect1d(then.pool.ids, now.pool.ids, return_indices=True)

    def pairs(self, column: str) -> tuple[NDArray[Any], NDArray[Any]]:
        """One column of both pools, of the candidates they share."""
        return getattr(self.then.pool, column)[self._here], getattr(self.now.pool, column)[self._there]

    @property
    def lacking(self) -> frozenset[str]:
        """Columns that the record does not have: it was made before there were any."""
        known = self.then.request.settings.model_fields_set
        return frozenset(column for column, setting in _LATER.items() if setting not in known) if known else frozenset()

    def differing(self, *columns: str) -> NDArray[np.bool_]:
        """One flag a shared candidate: whether one of these columns differs; those that the record lacks do not."""
        out = np.zeros(len(self._here), dtype=np.bool_)
        for column in (each for each in columns if each not in self.lacking):
            then, now = self.pairs(column)
            out |= (then != now) & ~(_nan(then) & _nan(now))
        return out

    def ids(self, mask: NDArray[np.bool_]) -> tuple[str, ...]:
        """The ids of those candidates."""
        raw: Any = self.then.pool.ids[self._here][mask].tolist()
        return tuple(unpack_id(each) for each in raw)


def _nan(values: NDArray[Any]) -> NDArray[np.bool_]:
    return np.isnan(values) if values.dtype.kind == "f" else np.zeros(len(values), dtype=np.bool_)


def _reasons_of(name: str, ids: Sequence[str]) -> Iterator[Reason]:
    if ids:
        yield Reason(name=name, detail=str(len(ids)), count=len(ids), memory_ids=tuple(ids))


def _reason_for_changes(
    name: str, then: Mapping[str, object], now: Mapping[str, object], absent: str = "none"
) -> Iterator[Reason]:
    """One reason that names every key whose value differs, with both values; none where all are the same.

    `absent` stands for a value that one side does not have.
    """
    names = [each for each in dict.fromkeys([*then, *now]) if then.get(each) != now.get(each)]
    if names:
        said = (f"{each}: {then.get(each, absent)} → {now.get(each, absent)}" for each in names)
        yield Reason(name=name, detail="; ".join(said), count=len(names))


def _statistics_reasons(both: _Both) -> Iterator[Reason]:
    """That memories came or went, or words became more or less frequent, which all scores depend on."""
    then, now = both.then.corpus, both.now.corpus
    rows, words = now.rows - then.rows, both.then.plan.frequencies != both.now.plan.frequencies
    if rows or words or (then.active, then.vectors) != (now.active, now.vectors):
        yield Reason(name="corpus-statistics-changed", detail=f"{rows:+d}", count=abs(rows))


def _write_reasons(both: _Both) -> Iterator[Reason]:
    """Which candidates were written since: by the ledger, and by what can be seen of those there both times."""
    since = both.since
    columns = _OWN if len(both.then.plan.words) < MAX_STEMS else _OWN[:-1]  # of more words, others may be read today
    seen = both.ids(both.differing(*columns))
    yield from _reasons_of("forgotten", since.forgotten)
    yield from _reasons_of("removed", since.removed)
    yield from _reasons_of("added", since.added)
    yield from _reasons_of("changed", tuple(dict.fromkeys([*seen, *since.changed])))


def _column_reasons(both: _Both) -> Iterator[Reason]:
    """What ranks a memory today and was not recorded then: that it was so then, too, is not known."""
    weighed = [(each, both.pairs(each)) for each in both.lacking]
    seen = sorted(each for each, (then, now) in weighed if (then != now).any())
    if seen:
        yield Reason(name="not-recorded", detail=", ".join(seen), count=len(seen))


def _folds(both: _Both) -> Iterator[Reason]:
    yield from _reasons_of("lifecycle-fold", both.ids(both.differing(*_FOLDED)))


def _other_vectors(both: _Both) -> Iterator[Reason]:
    """`model-changed`: another cosine of the same words. `vectors-changed`: a vector only then, or only now.

    Where one of the two recalls had no vector at all, its encoder was gone: that is the leg's health, and told there.
    """
    then, now = both.pairs("cosine")
    touched = {*both.since.changed, *both.ids(both.differing(*_OWN))}
    apart = [each for each in both.ids((then != now) & (then != 0) & (now != 0)) if each not in touched]
    yield from _reasons_of("model-changed", apart)
    yield from _reasons_of("vectors-changed", both.ids(((then == 0) != (now == 0)) & (now.any() & then.any())))


def _reranker_reasons(both: _Both) -> Iterator[Reason]:
    """That another reranker scored, or that the same one gave unchanged memories another score."""
    then, now = both.then, both.now
    if then.rerank_backend != now.rerank_backend:
        yield from _reason_for_changes("reranker-changed", {"by": then.rerank_backend}, {"by": now.rerank_backend})
    elif then.rerank_backend not in _ALONE:
        other = [each for each in both.ids(both.differing("rerank_score")) if each not in both.since.changed]
        yield from _reasons_of("reranker-changed", other)


def _health_reasons(both: _Both) -> Iterator[Reason]:
    """Which legs and stages worked then and do not now, or the other way round."""
    health = ({leg.name: leg.health for leg in state.legs} for state in (both.then, both.now))
    yield from _reason_for_changes("leg-health-changed", *health, absent="not asked")
    stages = ({base_of(each.name): _outcome(each.note) for each in state.stages} for state in (both.then, both.now))
    yield from _reason_for_changes("stage-health-changed", *stages, absent="not run")


def _outcome(note: str) -> str:
    return "failed" if note.startswith("failed") else "ok"


def _reading(both: _Both) -> Iterator[Reason]:
    yield from _reason_for_changes("plan-changed", _query_reading(both.then), _query_reading(both.now))


def _query_reading(state: State) -> dict[str, object]:
    """What a recall made of its query as a whole, leaving aside which words it found in it."""
    plan = state.plan
    period = plan.period and (plan.period.since, plan.period.until, plan.period.asserts)
    return {
        "class": plan.query_class,
        "depth": plan.depth,
        "period": period,
        "names": len(plan.named),
        "sub-questions": len(state.sub_plans),
    }


_LOOKS: tuple[Callable[[_Both], Iterator[Reason]], ...] = (
    _statistics_reasons,
    _write_reasons,
    _folds,
    _column_reasons,
    _other_vectors,
    _reranker_reasons,
    _health_reasons,
    _reading,
)
"""Where a reason is looked for, in the order they are given."""
