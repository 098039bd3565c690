"""A home and a question in, the recall's answer to it out: as set, and as it would be with other parts and weights.

Each question is recalled once. Its answer with other parts or weights is worked out from the candidates of that recall
as an ablation of a receipt is (`recall.ablate`), and a context is then assembled as from any ranking; so the answer
equals that of a recall with these parts and weights. Only what the candidates cannot tell is asked anew.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from time import perf_counter, process_time
from typing import Any, cast

import numpy as np

from pellucid.lab.datasets.dataset import Group, KeptMemory, LabelledQuestion
from pellucid.lab.datasets.places import rank_records
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
    """One assembled context: the keys of the records in it, and its text."""

    keys: Sequence[str]
    text: str


@dataclass(frozen=True, slots=True)
class RankedAnswer:
    """The answer to one question: the record keys at each rank, best first; its milliseconds without encoding."""

    ranking: Ranking
    millis: float
    nominated: Mapping[str, int]  # how many candidates each leg brought
    texts: Sequence[str] = ()  # what each place of the ranking says
    contexts: Mapping[int, LabContext] = field(default_factory=dict[int, LabContext])
    """Maps budgets in characters to contexts, if contexts are asked for."""
    anew: bool = False  # it was not worked out from the candidates of the plain recall


@dataclass(frozen=True, slots=True)
class Asker:
    """The functions through which the lab asks a recall."""

    ask: Callable[[Group, LabelledQuestion, Sequence[Variant]], Sequence[RankedAnswer]]
    """Returns one answer for each variant, all from one recall if possible."""
    encode: Callable[[LabelledQuestion], float]  # encode a question, in ms
    clock: Callable[[Group, LabelledQuestion, Variant], float]
    """Asks one variant and returns its processor time, in ms; a question just encoded is not encoded again."""


@dataclass(frozen=True, slots=True)
class Questioner:
    """Asks one question of one home.

    `kept` maps ids to the group's memories, `request` is the recall request as set.
    """

    recaller: Recaller
    kept: Mapping[str, KeptMemory]
    request: Request
    budgets: tuple[int, ...]  # of contexts to be assembled; none: the budget of the request
    about: str = ""

    def answers(self, variants: Sequence[Variant]) -> list[RankedAnswer]:
        """Return the answer to the question in each variant (some parts left out, or other weights), in their order.

        The recall as set is run once; a variant is worked out from its candidates, or recalled anew (`anew` of the
        answer) if these do not suffice or the variant is `anew`. A worked-out variant with the same ranking as the
        recall as set has the very same answer object. Nothing is recorded.
        """
        with self.recaller.world(self.request) as found:
            world = replace(found, reader=cast("IndexReader", _Once(found.reader)))
            started = perf_counter()
            plain = ranked(self.request, world)
            ranking_millis = (perf_counter() - started) * 1000
            first = self._answer_from(plain, world, ranking_millis)
            return [
                first if variant == PLAIN else self._answer_to_variant(variant, plain, first, world)
                for variant in variants
            ]

    def clock(self, variant: Variant) -> float:
        """Run one variant as a recall that is not recorded; return the processor time of this process for it, in
        milliseconds.
        """
        request = self._request_of(variant)
        started = process_time()
        self.recaller.run(request)
        return (process_time() - started) * 1000

    def _request_of(self, variant: Variant) -> Request:
        """Return the recall request with a variant's settings and left-out parts, and with the first of `budgets` if
        there are any.
        """
        budget = {"char_budget": self.budgets[0]} if self.budgets else {}
        return replace(
            self.request,
            without=self.request.without | set(variant.without),
            settings=variant.change(self.request.settings).model_copy(update=budget),
        )

    def _answer_to_variant(self, variant: Variant, plain: State, first: RankedAnswer, world: World) -> RankedAnswer:
        """Compute a variant's answer from the state of the recall as set (`plain`), or ask anew if the variant says so
        or the candidates do not suffice; return `first`, that recall's answer, if the computed ranking is the same.
        """
        request = self._request_of(variant)
        started = perf_counter()
        state = None if variant.anew else recompute_answer(plain, request)
        if state is None:
            state_anew = ranked(request, world)
            return replace(self._answer_from(state_anew, world, (perf_counter() - started) * 1000), anew=True)
        if _is_same_ranking(plain, state):
            return first
        return self._answer_from(state, world, (perf_counter() - started) * 1000)

    def _answer_from(self, state: State, world: World, ranking_millis: float) -> RankedAnswer:
        """Assemble a ranking's contexts, one for each of `budgets`, and return its answer: at each rank the record keys
        and the text of a memory, as `rank_records` picks them, at most as many as were served.

        `ranking_millis` is the time of the ranking; the answer's milliseconds are these and those of the first context.
        Without `budgets`, one context with the budget of the settings is assembled, and left out of the answer.
        """
        started, finished, after = perf_counter(), dict[int, State](), 0.0
        for budget in self.budgets or (state.request.settings.char_budget,):
            settings = state.request.settings.model_copy(update={"char_budget": budget})
            finished[budget] = assemble(replace(state, request=replace(state.request, settings=settings)), world)
            after = after or (perf_counter() - started) * 1000
        first = next(iter(finished.values()))
        alone = [at for at in first.order.tolist() if at not in first.repeats]
        found = (self.kept[unpack_id(at)] for at in first.pool.ids[alone].tolist())
        places = rank_records(found, len(first.served), self.about)
        return RankedAnswer(
            [each.keys[0] if len(each.keys) == 1 else each.keys for each in places],
            ranking_millis + after,
            {leg.name: leg.admitted for leg in first.legs if leg.health != "off"},
            [each.text for each in places],
            {budget: self._context_with_records(finished[budget]) for budget in self.budgets},
        )

    def _context_with_records(self, state: State) -> LabContext:
        """Return the text of an assembled context ("" if it has no memory) with the keys of the records that its
        memories cite, each once.
        """
        keys = chain.from_iterable(self.kept[memory_id].keys for memory_id in state.context.included)
        text = state.context.text if state.context.included else ""  # the nearest misses are named, not served
        return LabContext(tuple(dict.fromkeys(keys)), text)


class _Once:
    """An index reader that reads each memory once, however many contexts need it; all else is passed on."""

    def __init__(self, reader: IndexReader) -> None:
        self._reader = reader
        self._served: dict[int, Served] = {}

    def __getattr__(self, name: str) -> Any:
        """Return the reader's own attribute of this name: everything but `memories` is passed on."""
        return getattr(self._reader, name)

    def memories(self, which: Rows | Sequence[str]) -> list[Served]:
        """Return these rows in full, each read only once, or the memories with these ids, read every time."""
        if not isinstance(which, np.ndarray):
            return self._reader.memories(which)
        rows = which.tolist()
        if missing := [row for row in rows if row not in self._served]:
            found = self._reader.memories(np.array(missing, dtype=np.int64))
            self._served |= zip(missing, found, strict=True)
        return [self._served[row] for row in rows]


def recompute_answer(plain: State, request: Request) -> State | None:
    """Return the ranking of the recall `plain` (made as the settings say, and ranked only: without a context) as it
    would be for a request with more parts left out, or other weights, again without a context. `request` may differ
    from that of `plain` in nothing else. None if it cannot be computed from its candidates, so that the question must
    be asked anew."""
    removed = request.without - plain.request.without
    try:
        state = ablate(replace(plain, request=replace(request, without=plain.request.without)), removed)
    except NotComputableError:
        return None
    if "graph" not in removed:
        return state
    plan = replace(state.plan, asked=None, answers=0, beside=(), only_edges=False)  # as of a leg that is not asked
    return replace(state, plan=plan, ways={})


def _is_same_ranking(one: State, other: State) -> bool:
    """Whether two rankings have the same memories in order, with the same final scores, the same doubt, and as many
    answers of the graph leg (`Plan.answers`).
    """
    return (
        one.plan.answers == other.plan.answers
        and np.array_equal(one.pool.ids[one.order], other.pool.ids[other.order])
        and np.array_equal(one.pool.final[one.order], other.pool.final[other.order])
        and _doubt_of(one) == _doubt_of(other)
    )


def _doubt_of(state: State) -> tuple[float, bool]:
    """Return a recall's doubt and whether it abstains; (0, False) if it is not judged."""
    abstention = judge(state)
    return (abstention.score, abstention.abstained) if abstention else (0.0, False)
