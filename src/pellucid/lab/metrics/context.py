"""Kept records and assembled contexts in, the share of evidence in each within a budget out.

Two plain concatenations of the same ranking are compared with the context: `contents`, the bare texts, one a line; and
`records`, each memory by itself as the context shows it (a number, the day, the text, in the same fence). Both go down
the ranking until a memory does not fit.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pellucid.errors import InputError
from pellucid.lab.datasets.dataset import KeptMemory, LabelledQuestion
from pellucid.lab.metrics.ranking import interval

BUDGETS = (2_000, 8_000)  # characters


@dataclass(frozen=True, slots=True)
class Filled:
    """A question's ranking, and the record keys in its context by budget."""

    ranking: Sequence[KeptMemory]
    context: Mapping[int, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Plain:
    """A plain concatenation: the number of characters around the whole, before each record, and between two."""

    around: int = 0
    before: int = 0
    between: int = 1

    def keys(self, ranking: Iterable[KeptMemory], budget: int) -> set[str]:
        """Return the keys of the ranked records that fit into the budget (characters), up to the first memory that does
        not.
        """
        found: set[str] = set()
        length = self.around
        for number, each in enumerate(ranking):
            length += self.before + len(each.text) + (self.between if number else 0)
            if length > budget:
                break
            found |= set(each.keys)
        return found


def compare(
    questions: Sequence[LabelledQuestion], filled: Sequence[Filled], plain: Mapping[str, Plain]
) -> dict[str, object]:
    """Return, for each of `BUDGETS` (2,000 and 8,000 characters) as text, the mean share of evidence in the `context`,
    with its 95 % `interval`, in each of the concatenations `plain`, and by these the paired `gainOverPlain`. `filled`
    is aligned with `questions`, which must have an item. InputError for a question without relevant records.
    """
    out: dict[str, object] = {}
    for budget in BUDGETS:
        ours = np.array(
            [share(each.context[budget], question) for each, question in zip(filled, questions, strict=True)]
        )
        others = {
            name: np.array(
                [share(way.keys(each.ranking, budget), q) for each, q in zip(filled, questions, strict=True)]
            )
            for name, way in plain.items()
        }
        out[str(budget)] = {
            "context": round(float(ours.mean()), 4),
            "interval": interval(ours),
            "plain": {name: round(float(column.mean()), 4) for name, column in others.items()},
            "gainOverPlain": {
                name: {"difference": round(float((ours - column).mean()), 4), "interval": interval(ours - column)}
                for name, column in others.items()
            },
        }
    return out


def share(found: Iterable[str], question: LabelledQuestion) -> float:
    """Return the share (0 to 1) of a question's relevant records that are among these; InputError if it has none."""
    if not question.relevant:
        raise InputError(
            f"question {question.id} names no relevant record, so nothing can be found for it",
            code="invalid_data",
            next_step="name its evidence, or take the question out",
        )
    return len(set(found) & set(question.relevant)) / len(question.relevant)
