"""A data set and two callables in, a table of metrics out: the run, its floors, what each leg and stage is worth."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pellucid.lab.datasets.dataset import Dataset, Group, LabelledQuestion
from pellucid.lab.metrics.context import share
from pellucid.lab.metrics.ranking import Ranking, Scores, mean, scored
from pellucid.operations.recall.request import parts


def all_but(leg: str) -> tuple[str, ...]:
    """What is left out so that one leg stands alone."""
    return tuple(part for part in parts() if part != leg)


FLOORS = {"bm25": all_but("lexical"), "vector": all_but("vector")}
ABLATED = (
    "vector",
    "lexical",
    "passage",
    "graph",
    "temporal",
    "expand",
    "rerank",
    "rerankPassage",
    "named",
    "voice",
    "asking",
    "importance",
    "renew",
    "direct",
)
"""What is on by default, left out one at a time."""
TRIED = ("diversify",)
"""What is off by default, switched on one at a time."""


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


@dataclass(frozen=True, slots=True)
class Asker:
    """How the lab reaches a recall: `ask` one question; `encode` its query, in ms."""

    ask: Callable[[Group, LabelledQuestion, tuple[str, ...], str], RankedAnswer]
    """Ask with these parts left out, and this one, if any, switched on."""
    encode: Callable[[LabelledQuestion], float]


Measure = Callable[[LabelledQuestion, RankedAnswer], Mapping[str, float]]
"""What one answer is worth, metric by metric."""


def measured(question: LabelledQuestion, answer: RankedAnswer) -> dict[str, float]:
    """Every metric of the ranking, and the share of evidence that stands in each context."""
    held = {f"evidence@{budget}": share(each.keys, question) for budget, each in answer.contexts.items()}
    return scored(question, answer.ranking) | held


def run(
    dataset: Dataset,
    asker: Asker,
    *,
    ablate: bool,
    on_part: Callable[[str], None],
    floor: Asker | None,
    measure: Measure = measured,
) -> tuple[dict[str, Any], dict[str, RankedAnswer]]:
    """Ask every question; then, if asked, with one leg alone (of `floor`), and with each part left out.

    Returns the wire form, and each question's answer by its id. The wire form: dataset, questions, metrics, intervals,
    floors, latencyMs, legs, ablation (the paired difference that each part makes: with it, less without it; `diversify`
    is off in the metrics), and costs (what it takes of a recall's time).
    """
    pairs = [(group, question) for group in dataset.groups for question in group.questions]
    questions = [question for _, question in pairs]
    encoding = [asker.encode(question) for question in questions]

    def ask(
        asked: Asker, title: str, without: tuple[str, ...] = (), trying: str = ""
    ) -> tuple[list[RankedAnswer], Scores]:
        on_part(title)
        answers = [asked.ask(group, question, without, trying) for group, question in pairs]
        return answers, Scores.of([measure(*each) for each in zip(questions, answers, strict=True)])

    answers, scores = ask(asker, "all")
    alone = {name: ask(floor, f"{name} alone", without)[1] for name, without in FLOORS.items()} if floor else {}
    out: dict[str, Any] = {
        "dataset": dataset.name,
        "questions": len(questions),
        "records": sum(len(group.records) for group in dataset.groups),
        "metrics": scores.means(),
        "intervals": scores.intervals(),
        "floors": {name: each.means() for name, each in alone.items()},
        "gainOverFloors": {name: scores.gain_over(each) for name, each in alone.items()},
        "latencyMs": _latency(answers, encoding),
        "legs": _legs(answers),
        "byKind": _by_kind(questions, scores),
        "ablation": {},
        "costs": {},
    }
    for part in ABLATED if ablate else ():
        less, without = ask(asker, f"without {part}", (part,))
        out["ablation"][part], out["costs"][part] = scores.gain_over(without), _cost(answers, less)
    for part in TRIED if ablate else ():
        more, trial = ask(asker, f"with {part}", trying=part)
        out["ablation"][part], out["costs"][part] = trial.gain_over(scores), _cost(more, answers)
    return out, {question.id: answer for question, answer in zip(questions, answers, strict=True)}


def _cost(with_it: Sequence[RankedAnswer], without: Sequence[RankedAnswer]) -> dict[str, float]:
    """The median of what a part adds to a recall, in ms, and as a share of the median recall with it."""
    millis = np.array([each.millis for each in with_it])
    added = float(np.median(millis - np.array([each.millis for each in without])))
    return {"millis": round(added, 2), "share": round(added / max(float(np.median(millis)), 1e-9), 3)}


def relative(metrics: Mapping[str, float], reference: Mapping[str, float]) -> dict[str, dict[str, float]]:
    """Each metric of a reference run over the same questions, and this run's ratio to it."""
    return {
        name: {"verbatim": value, "ratio": round(metrics[name] / value, 4) if value else 0.0}
        for name, value in reference.items()
    }


def _latency(answers: Sequence[RankedAnswer], encoding: Sequence[float]) -> dict[str, float]:
    p50, p95 = np.percentile([answer.millis for answer in answers], [50, 95])
    return {"p50": round(float(p50), 2), "p95": round(float(p95), 2), "embedP50": round(float(np.median(encoding)), 2)}


def _legs(answers: Sequence[RankedAnswer]) -> dict[str, dict[str, float]]:
    """In how many recalls each leg nominated anything, and how many candidates on average: a dead leg shows here."""
    names = sorted({name for answer in answers for name in answer.nominated})
    brought = {name: [answer.nominated.get(name, 0) for answer in answers] for name in names}
    return {
        name: {"fired": sum(count > 0 for count in counts), "meanNominated": round(float(np.mean(counts)), 1)}
        for name, counts in brought.items()
    }


def _by_kind(questions: Sequence[LabelledQuestion], scores: Scores) -> dict[str, dict[str, float]]:
    kinds = np.array([question.kind for question in questions])
    return {
        kind: {name: mean(column[kinds == kind]) for name, column in scores.values.items()}
        for kind in sorted(set(kinds.tolist()))
        if kind
    }
