"""Answers to questions about sessions and labels of turns in, metrics of the answers and of the memories out."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from pellucid.lab.asking import RankedAnswer
from pellucid.lab.datasets.dataset import KeptMemory, LabelledQuestion
from pellucid.lab.datasets.sessions import TurnLabel, WantedMemory
from pellucid.lab.metrics.ranking import interval, keys_of, mean
from pellucid.lab.run import measure_answer

RUN = 12  # consecutive words that tell that a context quotes a turn
_WORD = re.compile(r"\w+")
SHAPES: Mapping[str, re.Pattern[str]] = {
    "table": re.compile(r"(?:\|[^|\n]+){2}\||^[ \t]*[-=+]{5,}", re.MULTILINE),
    "menu": re.compile(r"(?:^|\s)(?:\d{1,2}|[A-Da-d])[.)]\s.*?\s(?:\d{1,2}|[A-Da-d])[.)]\s", re.DOTALL),
    "log": re.compile(
        r"^\s*(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:|\d\d:\d\d:\d\d|(?:DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL|panic)\b[: ]"
        r"|[$>❯%] \S|[{\[]\"|(?:---|===) (?:FAIL|PASS|RUN)|at \S+\(|\S+\.\w+:\d+:)",
        re.MULTILINE,
    ),
}
"""Shapes that a memory must not have: cells between bars, two numbered or lettered options, a line of a program."""


def of_sessions(wanted: Mapping[str, WantedMemory]) -> Callable[[LabelledQuestion, RankedAnswer], dict[str, float]]:
    """Return the measure for answers to questions with these criteria (by the question's id; KeyError for another): the
    metrics of `measure_answer`, and those particular to sessions.

    `strict@N`: 1 if the required pattern matches in the context of N characters; `lenient@N`: also if the context has a
    run of 12 words of an evidence turn (the whole turn if it is shorter), or a memory that cites one; `mrrMatched`: 1 /
    rank of the first memory that cites evidence or matches the pattern, 0 if none does; `supersededFirst`, only for
    questions with superseded turns: 1 if a memory that cites one of these ranks above that memory, or only such a one
    is ranked.
    """

    def measure(question: LabelledQuestion, answer: RankedAnswer) -> dict[str, float]:
        """Return the metrics of one answer, by name; KeyError if the question has no criteria."""
        criteria, out = wanted[question.id], measure_answer(question, answer)
        for budget, context in answer.contexts.items():
            strict = criteria.must.search(context.text) is not None
            cited = any(key in question.relevant for key in context.keys)
            out[f"strict@{budget}"] = float(strict)
            out[f"lenient@{budget}"] = float(strict or cited or quotes(context.text, criteria.evidence))
        first, older = first_places(question, criteria, answer)
        out["mrrMatched"] = 1 / first if first else 0.0
        if criteria.superseded:
            out["supersededFirst"] = float(bool(older) and (not first or older < first))
        return out

    return measure


def first_places(question: LabelledQuestion, criteria: WantedMemory, answer: RankedAnswer) -> tuple[int, int]:
    """Return the first rank (from 1) of an answer that cites evidence of the question or matches the pattern that
    `criteria` require, and the first that cites a turn superseded by them; each is 0 if no rank does.
    """
    first = older = 0
    for place, (item, text) in enumerate(zip(answer.ranking, answer.texts, strict=True), start=1):
        keys = keys_of(item)
        if not first and (any(key in question.relevant for key in keys) or criteria.must.search(text)):
            first = place
        if not older and not criteria.superseded.isdisjoint(keys):
            older = place
    return first, older


def quotes(context: str, texts: Iterable[str]) -> bool:
    """Whether a context has 12 consecutive words of one of these texts, or the whole of a shorter one, whatever their
    case and punctuation; texts without a word do not count."""
    context_words = f" {_words(context)} "
    for text in texts:
        words = _words(text).split()
        runs = (words[start : start + RUN] for start in range(max(1, len(words) - RUN + 1)))
        if words and any(f" {' '.join(run)} " in context_words for run in runs):
            return True
    return False


def _words(text: str) -> str:
    """Return the words of a text, in lower case, separated by blanks."""
    return " ".join(_WORD.findall(text.lower()))


def durable(labels: Sequence[TurnLabel], kept: Collection[KeptMemory]) -> dict[str, Any]:
    """Return precision and recall of the kept memories that cite labelled turns, with 95 % intervals
    (`precisionInterval`, `recallInterval`); memories that cite none are left out of all counts.

    `precision`: of the memories that cite a durable or a worthless turn (turns that only support a fact are neutral),
    their number being `judged`, the share that cites a durable one; `recall`: the share of `facts` with a memory that
    cites a supporting turn; `repeats`: memories that cite a turn with a fact, per fact found; `shaped`: the share that
    looks like a table, a menu or a log, and `shapes`: the number of each (`SHAPES`). Also the counts `sessions`,
    `turns`, `memories` and `memoriesPer100Turns`. Shares of nothing are 0.
    """
    by_key = {label.key: label for label in labels}
    judged = [(each, [by_key[key] for key in each.keys if key in by_key]) for each in kept]
    judged = [(each, cited) for each, cited in judged if cited]
    right = np.array(
        [
            float(any(label.durable for label in cited))
            for _, cited in judged
            if any(label.durable or not label.facts for label in cited)
        ]
    )
    facts = sorted({fact for label in labels for fact in label.facts})
    found = {fact for _, cited in judged for label in cited for fact in label.facts}
    recalled = np.array([float(fact in found) for fact in facts])
    bearing = sum(any(label.facts for label in cited) for _, cited in judged)
    shaped = {name: sum(bool(shape.search(each.text)) for each, _ in judged) for name, shape in SHAPES.items()}
    any_shape = [float(any(shape.search(each.text) for shape in SHAPES.values())) for each, _ in judged]
    return {
        "sessions": len({label.session for label in labels}),
        "turns": len(labels),
        "memories": len(judged),
        "precision": mean(right),
        "precisionInterval": interval(right),
        "judged": len(right),
        "recall": mean(recalled),
        "recallInterval": interval(recalled),
        "facts": len(facts),
        "memoriesPer100Turns": round(100 * len(judged) / max(len(labels), 1), 1),
        "repeats": round(bearing / len(found), 2) if found else 0.0,
        "shaped": mean(np.array(any_shape)),
        "shapes": shaped,
    }


def by_halves(labels: Sequence[TurnLabel], kept: Collection[KeptMemory]) -> dict[str, dict[str, Any]]:
    """Return `durable` over the labels of `all` sessions, of the `first` half of them by name (for tuning), and of the
    `other` half.
    """
    names = sorted({label.session for label in labels})
    halves = {"all": names, "first": names[: len(names) // 2], "other": names[len(names) // 2 :]}
    return {name: durable([label for label in labels if label.session in half], kept) for name, half in halves.items()}
