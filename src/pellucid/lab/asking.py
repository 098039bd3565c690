"""A home and a question in, how the recall answers it out: as set, and as it would with other parts and weights.

Each question is asked once. What it would be with other parts or weights is worked out from its candidates as an
ablation of a receipt is (`recall.ablate`), then a context is assembled of it as of any ranking; so it equals a recall
that is asked with these parts and weights. Only what no candidate tells is asked anew.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from time import perf_counter, process_time
from typing import Any, cast

import numpy as np

from pellucid.lab.datasets.dataset import Group, KeptMemory, LabelledQuestion
from pellucid.lab.datasets.places import ranked as places_of
from pellucid.lab.metrics.ranking import Ranking
from pellucid.lab.variants import PLAIN, Variant
from pellucid.model.memory import unpack_id
from pellucid.recall.ablate import NotComputableError, ablate
from pellucid.recall.context.abstain import judge
from pellucid.recall.context.assemble import assemble
from pellucid.recall.pipeline import ranked
from pellucid.recall.recaller import Recaller
from pellucid.recall.state import Request, State, World
from pellucid.store.index_port import IndexReader, Rows, Served


@dataclass(frozen=True, slots=True)
class LabContext:
    """What stands in one context: the keys of records, and the text."""

    keys: Sequence[str]
    text: str


@dataclass(frozen=True, slots=True)
class RankedAnswer:
    """One question's answer: what its evidence covers, best first; how long it took without encoding, in ms."""

    ranking: Ranking
    millis: float
    nominated: Mapping[str, int]
    """How many candidates each leg brought."""
    texts: Sequence[str] = ()
    """What each place of the ranking says."""
    contexts: Mapping[int, LabContext] = field(default_factory=dict[int, LabContext])
    """By budget in characters, where contexts are asked for."""
    anew: bool = False
    """It was not worked out from the candidates of the plain recall."""


@dataclass(frozen=True, slots=True)
class Asker:
    """How the lab reaches a recall."""

    ask: Callable[[Group, LabelledQuestion, Sequence[Variant]], Sequence[RankedAnswer]]
    """One answer a variant, all of one recall where that is possible."""
    encode: Callable[[LabelledQuestion], float]
    """Encode a question, in ms."""
    clock: Callable[[Group, LabelledQuestion, Variant], float]
    """Ask one variant for the processor time that takes, in ms; a question just encoded is not encoded again."""


@dataclass(frozen=True, slots=True)
class Questioner:
    """Asks one question of one home: `requested` makes its request, `kept` is what the group's memories say."""

    recaller: Recaller
    kept: Mapping[str, KeptMemory]
    request: Request
    budgets: tuple[int, ...]
    """Of contexts to be assembled; none: the budget of the request."""
    about: str = ""

    def answers(self, variants: Sequence[Variant]) -> list[RankedAnswer]:
        """The answer to each variant of the request."""
        with self.recaller.world(self.request) as found:
            world = replace(found, reader=cast("IndexReader", _Once(found.reader)))
            started = perf_counter()
            plain = ranked(self.request, world)
            before = (perf_counter() - started) * 1000
            first = self._answer_from(plain, world, before)
            return [
                first if variant == PLAIN else self._answer_to_variant(variant, plain, first, world)
                for variant in variants
            ]

    def clock(self, variant: Variant) -> float:
        """The milliseconds of processor time of one recall, as everybody's: what else the machine does is not in it."""
        request = self._request_of(variant)
        started = process_time()
        self.recaller.run(request)
        return (process_time() - started) * 1000

    def _request_of(self, variant: Variant) -> Request:
        """The recall request of a question with a variant's changes to settings and parts."""
        budget = {"char_budget": self.budgets[0]} if self.budgets else {}
        return replace(
            self.request,
            without=self.request.without | set(variant.without),
            settings=variant.change(self.request.settings).model_copy(update=budget),
        )

    def _answer_to_variant(self, variant: Variant, plain: State, first: RankedAnswer, world: World) -> RankedAnswer:
        """A variant's answer, worked out of the `plain` ranking where that can be, else asked anew.

        It is `first`, the answer as set, where the variant ranks alike.
        """
        request = self._request_of(variant)
        started = perf_counter()
        state = None if variant.anew else worked_out(plain, request)
        if state is None:
            asked = ranked(request, world)
            return replace(self._answer_from(asked, world, (perf_counter() - started) * 1000), anew=True)
        if _is_same_ranking(plain, state):
            return first
        return self._answer_from(state, world, (perf_counter() - started) * 1000)

    def _answer_from(self, state: State, world: World, before: float) -> RankedAnswer:
        """What stands in a ranking, and in each context of it; `before` is what the ranking took."""
        started, finished, after = perf_counter(), dict[int, State](), 0.0
        for budget in self.budgets or (state.request.settings.char_budget,):
            settings = state.request.settings.model_copy(update={"char_budget": budget})
            finished[budget] = assemble(replace(state, request=replace(state.request, settings=settings)), world)
            after = after or (perf_counter() - started) * 1000
        first = next(iter(finished.values()))
        alone = [at for at in first.order.tolist() if at not in first.repeats]
        found = (self.kept[unpack_id(at)] for at in first.pool.ids[alone].tolist())
        places = places_of(found, len(first.served), self.about)
        return RankedAnswer(
            [each.keys[0] if len(each.keys) == 1 else each.keys for each in places],
            before + after,
            {leg.name: leg.admitted for leg in first.legs if leg.health != "off"},
            [each.text for each in places],
            {budget: self._held(finished[budget]) for budget in self.budgets},
        )

    def _held(self, state: State) -> LabContext:
        keys = chain.from_iterable(self.kept[memory_id].keys for memory_id in state.context.included)
        return LabContext(tuple(dict.fromkeys(keys)), state.context.text)


class _Once:
    """An index of which each memory is read once, however many contexts it stands in; all else is the index's."""

    def __init__(self, reader: IndexReader) -> None:
        self._reader = reader
        self._served: dict[int, Served] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reader, name)

    def memories(self, which: Rows | Sequence[str]) -> list[Served]:
        if not isinstance(which, np.ndarray):
            return self._reader.memories(which)
        rows = which.tolist()
        if missing := [row for row in rows if row not in self._served]:
            found = self._reader.memories(np.array(missing, dtype=np.int64))
            self._served |= zip(missing, found, strict=True)
        return [self._served[row] for row in rows]


def worked_out(plain: State, request: Request) -> State | None:
    """The ranking of a request that differs in parts and weights from one that was asked; None if only asking tells."""
    gone = request.without - plain.request.without
    try:
        state = ablate(replace(plain, request=replace(request, without=plain.request.without)), gone)
    except NotComputableError:
        return None
    if "graph" not in gone:
        return state
    plan = replace(state.plan, asked=None, answers=0, beside=(), only_edges=False)  # as of a leg that is not asked
    return replace(state, plan=plan, ways={})


def _is_same_ranking(one: State, other: State) -> bool:
    """Whether two rankings have the same memories and scores, and doubt them alike: one context is both's."""
    return (
        one.plan.answers == other.plan.answers
        and np.array_equal(one.pool.ids[one.order], other.pool.ids[other.order])
        and np.array_equal(one.pool.final[one.order], other.pool.final[other.order])
        and _doubted(one) == _doubted(other)
    )


def _doubted(state: State) -> tuple[float, bool]:
    found = judge(state)
    return (found.score, found.abstained) if found else (0.0, False)
