"""Two receipts in, how the second recall differs from the first out: memories that entered, left and moved, and why."""

from collections.abc import Iterator, Mapping
from typing import Any, Literal, cast

from pydantic import Field
from pydantic.alias_generators import to_camel

from pellucid.clock import isoformat
from pellucid.model.memory import unpack_id
from pellucid.model.wire import Wire
from pellucid.recall.legs.nominate import LEGS
from pellucid.recall.receipt.record import Receipt
from pellucid.recall.rescore import rescore
from pellucid.recall.score.equation import TERMS
from pellucid.recall.score.fuse import weights_shown
from pellucid.recall.score.ladder import FILTERS, REPEATS, RUNGS
from pellucid.recall.state import State
from pellucid.store.index_port import Filters

PENALTY = "mmrPenalty"


class Delta(Wire):
    """A value that is not the same in both; `None` where there was none."""

    name: str
    a: object = None
    b: object = None


class Shift(Wire):
    """One memory in both recalls, a and b. A rank (from 1) is one of the whole ranking, repetitions left out."""

    memory_id: str
    place_a: int | None = None
    """None: it did not pass the filters, or was no candidate."""
    place_b: int | None = None
    final_a: float | None = None
    """None: it was no candidate."""
    final_b: float | None = None
    rejected_a: str | None = None
    """The filter that turned it away."""
    rejected_b: str | None = None
    moved_by: str | None = None
    """The term with the largest difference; None where all are equal, and only others moved."""
    terms: dict[str, float] = Field(default_factory=dict)
    """How much more (or less) each term is in b, where it is not the same; what is taken off is below 0."""


class RecallDiff(Wire):
    """How recall b differs from recall a: of what each served. Made of receipts: ids, and no word of a query."""

    a: str
    b: str
    query: Literal["same", "another", "withheld"]
    same: bool
    """Whether both served the same memories in the same order with the same scores, and both or none abstained."""
    entered: tuple[Shift, ...] = ()
    """Served by b alone, in its order."""
    left: tuple[Shift, ...] = ()
    """Served by a alone, in its order."""
    moved: tuple[Shift, ...] = ()
    """Served by both at another rank, in the order of b."""
    rescored: tuple[Shift, ...] = ()
    """Served by both at the same rank with another score."""
    answer: tuple[Delta, ...] = ()
    """Whether it abstained, and how many of what it served its context tells, whole or cut."""
    request: tuple[Delta, ...] = ()
    """The instant, session, agent, scopes, filters, review and parts left out."""
    settings: tuple[Delta, ...] = ()
    weights: tuple[Delta, ...] = ()
    """The leg weights in force, those of the query's class included."""
    legs: tuple[Delta, ...] = ()
    """Each leg's health."""
    corpus: tuple[Delta, ...] = ()
    plan: tuple[Delta, ...] = ()
    """What was read of the query: its class, depth and period, and how many words, names and sub-questions."""
    words: dict[str, str] = Field(default_factory=dict)
    """The first words of these memories today, by id, where they may be read by whoever asked both."""

    @property
    def named(self) -> tuple[str, ...]:
        """The ids of all memories that entered, left, moved or were rescored, in this order."""
        return tuple(each.memory_id for each in (*self.entered, *self.left, *self.moved, *self.rescored))


def diff(a: Receipt, b: Receipt) -> RecallDiff:
    """Return how recall `b` differs from recall `a` of the same namespace: memories, scores, request, values.

    That the namespace is the same is not checked. `words` is left empty, for the caller to fill.
    """
    ranking_a, ranking_b = _RecallRanking(a), _RecallRanking(b)
    entered = tuple(_shift_between(ranking_a, ranking_b, each) for each in b.served_ids if each not in ranking_a.served)
    left = tuple(_shift_between(ranking_a, ranking_b, each) for each in a.served_ids if each not in ranking_b.served)
    shared = [_shift_between(ranking_a, ranking_b, each) for each in b.served_ids if each in ranking_a.served]
    moved = tuple(each for each in shared if each.place_a != each.place_b)
    rescored = tuple(each for each in shared if each.place_a == each.place_b and each.terms)
    properties_b = _properties(b.state)
    deltas: dict[str, Any] = {
        name: _deltas(values, properties_b[name]) for name, values in _properties(a.state).items()
    }
    return RecallDiff(
        a=a.state.request.recall_id,
        b=b.state.request.recall_id,
        query=_compare_queries(a.state, b.state),
        same=not (entered or left or moved or rescored) and _abstained(a.state) == _abstained(b.state),
        entered=entered,
        left=left,
        moved=moved,
        rescored=rescored,
        **deltas,
    )


class _RecallRanking:
    """The ranks and scores of the memories of one recall."""

    def __init__(self, receipt: Receipt) -> None:
        """Compute the ranking of a receipt again."""
        self.served = frozenset(receipt.served_ids)
        self._pool, order = rescore(receipt.state)
        ids: Any = self._pool.ids.tolist()
        self._position = {unpack_id(raw): at for at, raw in enumerate(ids)}
        self._repeats = receipt.state.repeats
        unrepeated = (at for at in order.tolist() if at not in self._repeats)
        self._place = {at: place for place, at in enumerate(unrepeated, start=1)}

    def place(self, memory_id: str) -> int | None:
        """Return the memory's rank in the ranking without repeats, from 1; None for a repeat, for a memory that filters
        stopped, and for one that was not a candidate.
        """
        return self._place.get(self._position.get(memory_id, -1))

    def final(self, memory_id: str) -> float | None:
        """Return the memory's final score; None if it was not a candidate."""
        at = self._position.get(memory_id)
        return None if at is None else float(self._pool.final[at])

    def rejected(self, memory_id: str) -> str | None:
        """Return the filter that stopped a memory, or `repeats`; None if topK or the budget cut it, and for any other
        memory.
        """
        at = self._position.get(memory_id)
        if at in self._repeats:
            return REPEATS
        rung = 0 if at is None else int(self._pool.rejected[at])
        return RUNGS[rung - 1] if 0 < rung <= len(FILTERS) else None

    def terms(self, memory_id: str) -> dict[str, float]:
        """Map each term of a memory's final score to its value, and `mmrPenalty` to what was taken off for its likeness
        to better memories, as a negative number; empty if the memory was not a candidate.
        """
        at = self._position.get(memory_id)
        if at is None:
            return {}
        terms = {name: float(term[at]) for name, term in self._pool.terms.items()}
        return terms | {PENALTY: -float(self._pool.penalty[at])}


def _shift_between(ranking_a: _RecallRanking, ranking_b: _RecallRanking, memory_id: str) -> Shift:
    """Return the ranks and scores of a memory in both recalls, and the term with the largest difference. Terms are
    compared only if it was a candidate in both: else `terms` is empty and `moved_by` None.
    """
    terms_a, terms_b = ranking_a.terms(memory_id), ranking_b.terms(memory_id)
    differences = dict(_term_differences(terms_a, terms_b)) if terms_a and terms_b else {}
    return Shift(
        memory_id=memory_id,
        place_a=ranking_a.place(memory_id),
        place_b=ranking_b.place(memory_id),
        final_a=ranking_a.final(memory_id),
        final_b=ranking_b.final(memory_id),
        rejected_a=ranking_a.rejected(memory_id),
        rejected_b=ranking_b.rejected(memory_id),
        moved_by=max(differences, key=lambda name: abs(differences[name])) if differences else None,
        terms=differences,
    )


def _term_differences(terms_a: Mapping[str, float], terms_b: Mapping[str, float]) -> Iterator[tuple[str, float]]:
    """Yield each term that differs with its difference (b − a): legs first, then other terms, as in the equation of the
    score; a missing term counts 0.
    """
    for name in dict.fromkeys([*LEGS, *TERMS, *terms_a, *terms_b]):
        if difference := terms_b.get(name, 0.0) - terms_a.get(name, 0.0):
            yield name, difference


def _deltas(a: Mapping[str, object], b: Mapping[str, object]) -> tuple[Delta, ...]:
    """Return a delta for each name whose values differ; a name that one side lacks has the value None there."""
    names = dict.fromkeys([*a, *b])
    return tuple(Delta(name=each, a=a.get(each), b=b.get(each)) for each in names if a.get(each) != b.get(each))


def _compare_queries(a: State, b: State) -> Literal["same", "another", "withheld"]:
    """Return whether the queries are the `same` or `another`; `withheld` if the words of either were not kept."""
    if not (a.request.query and b.request.query):
        return "withheld"
    return "same" if a.request.query == b.request.query else "another"


def _properties(state: State) -> dict[str, Mapping[str, Any]]:
    """Map each field of `RecallDiff` that consists of deltas, such as `request`, to the values of this recall that are
    compared for it, by name.
    """
    context, settings = state.context, state.request.settings
    return {
        "answer": {"abstained": _abstained(state), "told": len(context.included), "cut": len(context.cuts)},
        "request": _request_values(state),
        "settings": dict(_flat_values("", settings.model_dump(mode="json", by_alias=True))),
        "weights": {to_camel(name): value for name, value in weights_shown(settings, state.plan).items()},
        "legs": {leg.name: leg.health for leg in state.legs},
        "corpus": {to_camel(name): getattr(state.corpus, name) for name in state.corpus.__slots__},
        "plan": _plan_values(state),
    }


def _flat_values(prefix: str, values: dict[str, Any]) -> Iterator[tuple[str, object]]:
    """Yield every value of nested tables with its dotted path (`legWeights.vector`) after `prefix`. An empty table is a
    value.
    """
    for name, value in values.items():
        if isinstance(value, dict) and value:
            yield from _flat_values(f"{prefix}{name}.", cast("dict[str, Any]", value))
        else:
            yield prefix + name, value


def _request_values(state: State) -> dict[str, object]:
    """Map the parts of a request to their values, by wire name: `at`, `sessionId`, `filters.tags` …

    Left out are the query and the settings. A filter that limits nothing and a past instant not asked about are None.
    """
    request = state.request
    filters = {f"filters.{to_camel(name)}": getattr(request.filters, name) or None for name in Filters.__slots__}
    return {
        "at": isoformat(request.at),
        "asOf": isoformat(request.as_of) if request.as_of else None,
        "asKnownAt": isoformat(request.as_known_at) if request.as_known_at else None,
        "sessionId": request.session_id,
        "agent": request.agent,
        "scopes": sorted(request.scopes),
        "without": sorted(request.without),
        "review": list(request.review),
        **filters,
    }


def _abstained(state: State) -> bool:
    """Whether the recall abstained; False if doubt was not judged."""
    return state.abstention is not None and state.abstention.abstained


def _plan_values(state: State) -> dict[str, object]:
    """Return how a recall understood its query, without its words, by wire name: class, depth, period (`since`, `until`
    in epoch milliseconds), numbers of words, names, entities and sub-questions, reranker, and tier.
    """
    plan = state.plan
    since, until = (plan.period.since, plan.period.until) if plan.period else (None, None)
    return {
        "class": plan.query_class,
        "depth": plan.depth,
        "since": since,
        "until": until,
        "words": len(plan.words),
        "names": len(plan.named),
        "entities": len(plan.entities),
        "subQuestions": len(state.sub_plans),
        "reranker": state.rerank_backend,
        "tier": state.tier.tier if state.tier else None,
    }
