"""A loaded data set and its recalls in, the evidence in their contexts and how well they doubt out."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from pellucid.lab.datasets.dataset import Dataset, Group, KeptMemory, LabelledQuestion
from pellucid.lab.metrics.context import BUDGETS, Filled, Plain, compare
from pellucid.lab.metrics.ranking import SAMPLES, Floats, percentile_interval
from pellucid.recall.context.text import NOTICE, wrap
from pellucid.recall.state import State

AskRecall = Callable[[Group, LabelledQuestion], State]
"""Recalls one question of a group."""
KeptIn = Mapping[str, Mapping[str, KeptMemory]]  # what is kept, by the name of the group and the id of the memory
THRESHOLDS = (0.3, 0.4, 0.5, 0.55, 0.6, 0.65, 0.7)
_SEED = 20260101


@dataclass(frozen=True, slots=True)
class Doubts:
    """A recall's doubt, and two simpler signs of it: the best cosine and BM25 score of any candidate, negated."""

    doubt: float
    cosine: float
    bm25: float


class Recalling(Protocol):
    """Makes a function that recalls with some settings changed and some parts left out."""

    def __call__(self, changes: Mapping[str, float], without: tuple[str, ...] = ()) -> AskRecall: ...


UNCUT = 100  # A `topK` at which a budget is what cuts
PLAIN = {
    "contents": Plain(),
    "records": Plain(around=len(wrap("rec_" + "0" * 32, NOTICE)), before=len("\n[1] 2023-05-08 "), between=0),
}


def abstention(group: Group, unanswerable: Sequence[LabelledQuestion], ask: AskRecall) -> dict[str, object]:
    """Return how well doubt separates unanswerable questions from the group's own, all asked of the group: the measures
    of `separation`.

    `asSet` is added: the share of recalls of each kind (`unanswerable`, `answerable`) whose context has no memory.
    Neither kind may be without questions.
    """
    without, with_answer = ([ask(group, each) for each in asked] for asked in (unanswerable, group.questions))
    empty = {
        name: round(sum(not state.context.included for state in states) / max(len(states), 1), 4)
        for name, states in (("unanswerable", without), ("answerable", with_answer))
    }
    return separation([*map(_doubts, without)], [*map(_doubts, with_answer)]) | {"asSet": empty}


def _doubts(state: State) -> Doubts:
    """Return a recall's doubt (1 if not judged), and two simpler signs: its best cosine and BM25 score, negated (1 and
    0 without candidates).
    """
    pool, order = state.pool, state.order
    lexical = np.nan_to_num(pool.scores["lexical"][order], nan=0.0) if "lexical" in pool.scores else np.zeros(0)
    doubt = state.abstention.score if state.abstention else 1.0
    return Doubts(doubt, -float(pool.cosine[order].max(initial=-1)), -float(lexical.max(initial=0)))


def contexts(dataset: Dataset, kept: KeptIn, recalling: Recalling, top_k: int) -> dict[str, object]:
    """Return what `lab.metrics.context.compare` measures of the evidence in contexts, by `topK` as text: for at most
    `top_k` memories, and for at most 100, so many that only the budget cuts.

    `recalling` makes the recalls; `kept` has the memories by group and id.
    """
    pairs = [(group, question) for group in dataset.groups for question in group.questions]
    out: dict[str, object] = {}
    for max_count in dict.fromkeys((top_k, UNCUT)):
        whole = recalling({"top_k_facts": max_count})
        cut = {budget: recalling({"top_k_facts": max_count, "char_budget": budget}) for budget in BUDGETS}
        asked = [_filled(kept[group.name], group, question, whole, cut) for group, question in pairs]
        out[str(max_count)] = compare([question for _, question in pairs], asked, PLAIN)
    return out


def _filled(
    kept: Mapping[str, KeptMemory],
    group: Group,
    question: LabelledQuestion,
    whole: AskRecall,
    cut: Mapping[int, AskRecall],
) -> Filled:
    """Return the memories that the recall `whole` served for a question of a group, and the record keys in the context
    of each budget, for which `cut` has the recalls. `kept` maps ids to the group's memories.
    """
    ids = {budget: ask(group, question).context.included for budget, ask in cut.items()}
    return Filled(
        [kept[each.memory.id] for each in whole(group, question).served],
        {budget: [key for memory_id in included for key in kept[memory_id].keys] for budget, included in ids.items()},
    )


def separation(unanswerable: Sequence[Doubts], answerable: Sequence[Doubts]) -> dict[str, object]:
    """Return how well doubt, and the simpler signs of `Doubts`, tell unanswerable questions from answerable ones.

    In wire form: the counts; `auc`, the area under doubt's ROC curve, with its 95 % interval; `floors`, the areas of
    the other signs; `gainOverFloors`, how much `auc` exceeds each of these, with the interval; `abstained`, by each of
    `THRESHOLDS` the share of either kind with that much doubt. Both sequences must have an item.
    """
    signs = {name: (_column(unanswerable, name), _column(answerable, name)) for name in Doubts.__slots__}
    areas = {name: _resampled_areas(*columns) for name, columns in signs.items()}
    doubt = signs.pop("doubt")
    return {
        "unanswerable": len(unanswerable),
        "answerable": len(answerable),
        "auc": round(auc(*doubt), 4),
        "interval": percentile_interval(areas["doubt"]),
        "floors": {name: round(auc(*columns), 4) for name, columns in signs.items()},
        "gainOverFloors": {
            name: {
                "difference": round(auc(*doubt) - auc(*columns), 4),
                "interval": percentile_interval(areas["doubt"] - areas[name]),
            }
            for name, columns in signs.items()
        },
        "abstained": {
            f"{threshold:g}": {
                "unanswerable": round(float((doubt[0] >= threshold).mean()), 4),
                "answerable": round(float((doubt[1] >= threshold).mean()), 4),
            }
            for threshold in THRESHOLDS
        },
    }


def auc(high: Floats, low: Floats) -> float:
    """Return the share of pairs in which the value of `high` is above that of `low`, ties counting half (Mann and
    Whitney 1947): the area under the ROC curve. Neither can be empty.
    """
    above = (high[:, None] > low).mean() + 0.5 * (high[:, None] == low).mean()
    return float(above)


def _column(questions: Sequence[Doubts], name: str) -> Floats:
    """Return one sign (a field of `Doubts`) of all questions as an array, in their order."""
    return np.array([getattr(each, name) for each in questions], dtype=np.float64)


def _resampled_areas(high: Floats, low: Floats) -> Floats:
    """Return the area under the ROC curve (see `auc`) for each of 2,000 seeded resamples of the questions. All signs of
    the same questions get the same resamples.
    """
    rng, areas = np.random.default_rng(_SEED), np.empty(SAMPLES)
    for number in range(SAMPLES):
        picks = rng.integers(0, len(high), len(high)), rng.integers(0, len(low), len(low))
        areas[number] = auc(high[picks[0]], low[picks[1]])
    return areas
