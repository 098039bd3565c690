"""A loaded data set and its recalls in, what their contexts hold and how sure they are of themselves out."""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import numpy as np

from pellucid.lab.datasets.dataset import Dataset, Group, KeptMemory, LabelledQuestion
from pellucid.lab.metrics.abstention import Doubts, told_apart
from pellucid.lab.metrics.context import BUDGETS, Filled, Plain, compare
from pellucid.recall.context.text import NOTICE, wrap
from pellucid.recall.state import State

Recalled = Callable[[Group, LabelledQuestion], State]
KeptIn = Mapping[str, Mapping[str, KeptMemory]]  # what is kept, by the name of the group and the id of the memory


class Recalling(Protocol):
    """Makes a function that recalls with some settings changed and some parts left out."""

    def __call__(self, changes: Mapping[str, float], without: tuple[str, ...] = ()) -> Recalled: ...


UNCUT = 100  # A `topK` at which a budget is what cuts
PLAIN = {
    "contents": Plain(),
    "records": Plain(around=len(wrap("rec_" + "0" * 32, NOTICE)), before=len("\n[1] 2023-05-08 "), between=0),
}


def abstention(group: Group, unanswerable: Sequence[LabelledQuestion], ask: Recalled) -> dict[str, object]:
    """Measure how well doubt separates unanswerable questions from the group's own; `asSet`: how often it abstains."""
    unknown, known = ([ask(group, each) for each in asked] for asked in (unanswerable, group.questions))
    empty = {
        name: round(sum(not state.context.included for state in states) / max(len(states), 1), 4)
        for name, states in (("unanswerable", unknown), ("answerable", known))
    }
    return told_apart([*map(_doubts, unknown)], [*map(_doubts, known)]) | {"asSet": empty}


def _doubts(state: State) -> Doubts:
    """Return a recall's doubt (1 if it was not judged), and its best cosine and BM25 score as simpler signs,
    negated."""
    pool, order = state.pool, state.order
    lexical = np.nan_to_num(pool.scores["lexical"][order], nan=0.0) if "lexical" in pool.scores else np.zeros(0)
    doubt = state.abstention.score if state.abstention else 1.0
    return Doubts(doubt, -float(pool.cosine[order].max(initial=-1)), -float(lexical.max(initial=0)))


def contexts(dataset: Dataset, kept: KeptIn, recalling: Recalling, top_k: int) -> dict[str, object]:
    """Measure what contexts hold, by `topK`: the one that is set, and one so large that only the budget cuts."""
    pairs = [(group, question) for group in dataset.groups for question in group.questions]
    out: dict[str, object] = {}
    for most in dict.fromkeys((top_k, UNCUT)):
        whole = recalling({"top_k_facts": most})
        cut = {budget: recalling({"top_k_facts": most, "char_budget": budget}) for budget in BUDGETS}
        asked = [_filled(kept[group.name], group, question, whole, cut) for group, question in pairs]
        out[str(most)] = compare([question for _, question in pairs], asked, PLAIN)
    return out


def _filled(
    kept: Mapping[str, KeptMemory],
    group: Group,
    question: LabelledQuestion,
    whole: Recalled,
    cut: Mapping[int, Recalled],
) -> Filled:
    """Return the memories that the `whole` recall served, and the record keys in the context of each budget (`cut`)."""
    there = {budget: ask(group, question).context.included for budget, ask in cut.items()}
    return Filled(
        [kept[each.memory.id] for each in whole(group, question).served],
        {budget: [key for memory_id in included for key in kept[memory_id].keys] for budget, included in there.items()},
    )
