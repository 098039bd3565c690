"""A data set and two callables in, a table of metrics out: the run, its floors, what each leg and stage is worth."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pellucid.lab.dataset import Dataset, Group, Question
from pellucid.lab.metrics import Ranking, Scores, score

_BESIDE = ("recent", "graph", "temporal", "expand", "rerank", "boost", "renew", "direct", "diversify")
FLOORS: dict[str, tuple[str, ...]] = {
    "bm25": ("vector", "passage", *_BESIDE),
    "vector": ("lexical", "passage", *_BESIDE),
}
"""What is left out so that one leg stands alone."""
ABLATED = (
    "vector", "lexical", "passage", "graph", "temporal", "expand", "rerank", "rerankPassage", "named", "asking",
    "importance", "renew", "direct",
)  # fmt: skip
"""What is on by default, left out one at a time."""
TRIED = ("diversify",)
"""What is off by default, switched on one at a time."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One question's answer: what its evidence covers, best first; how long it took without encoding, in ms."""

    ranking: Ranking
    millis: float
    nominated: Mapping[str, int]
    """How many candidates each leg brought."""


@dataclass(frozen=True, slots=True)
class Asker:
    """How the lab reaches a recall: `ask` one question; `encode` its query, in ms."""

    ask: Callable[[Group, Question, tuple[str, ...], str], Answer]
    """Ask with these parts left out, and this one, if any, switched on."""
    encode: Callable[[Question], float]


def run(
    dataset: Dataset, asker: Asker, *, ablate: bool, on_part: Callable[[str], None], floors: bool = True
) -> dict[str, Any]:
    """Ask every question; then, if asked, with one leg alone (the floors), and with each part left out.

    Returns the wire form: dataset, questions, metrics, intervals, floors, latencyMs, legs, and ablation (the paired
    difference that each part makes: with it, less without it; `diversify` is off in the metrics).
    """
    pairs = [(group, question) for group in dataset.groups for question in group.questions]
    questions = [question for _, question in pairs]
    encoding = [asker.encode(question) for question in questions]
    on_part("all")
    answers = _ask(asker, pairs, ())
    scores = score(questions, [answer.ranking for answer in answers])
    alone: dict[str, Scores] = {}
    for name, without in FLOORS.items() if floors else ():
        on_part(f"{name} alone")
        alone[name] = score(questions, [answer.ranking for answer in _ask(asker, pairs, without)])
    out: dict[str, Any] = {
        "dataset": dataset.name,
        "questions": len(questions),
        "records": sum(len(group.records) for group in dataset.groups),
        "metrics": scores.means(),
        "intervals": scores.intervals(),
        "floors": {name: floor.means() for name, floor in alone.items()},
        "gainOverFloors": {name: scores.gain_over(floor) for name, floor in alone.items()},
        "latencyMs": _latency(answers, encoding),
        "legs": _legs(answers),
        "byKind": _by_kind(questions, scores),
        "ablation": {},
    }
    for part in ABLATED if ablate else ():
        on_part(f"without {part}")
        without = score(questions, [answer.ranking for answer in _ask(asker, pairs, (part,))])
        out["ablation"][part] = scores.gain_over(without)
    for part in TRIED if ablate else ():
        on_part(f"with {part}")
        trial = score(questions, [answer.ranking for answer in _ask(asker, pairs, (), part)])
        out["ablation"][part] = trial.gain_over(scores)
    out["rankings"] = {q.id: list(answer.ranking) for q, answer in zip(questions, answers, strict=True)}
    return out


def relative(metrics: Mapping[str, float], reference: Mapping[str, float]) -> dict[str, dict[str, float]]:
    """Each metric of a reference run over the same questions, and this run's ratio to it."""
    return {
        name: {"verbatim": value, "ratio": round(metrics[name] / value, 4) if value else 0.0}
        for name, value in reference.items()
    }


def _ask(
    asker: Asker, pairs: Iterable[tuple[Group, Question]], without: tuple[str, ...], trying: str = ""
) -> list[Answer]:
    return [asker.ask(group, question, without, trying) for group, question in pairs]


def _latency(answers: Sequence[Answer], encoding: Sequence[float]) -> dict[str, float]:
    p50, p95 = np.percentile([answer.millis for answer in answers], [50, 95])
    return {"p50": round(float(p50), 2), "p95": round(float(p95), 2), "embedP50": round(float(np.median(encoding)), 2)}


def _legs(answers: Sequence[Answer]) -> dict[str, dict[str, float]]:
    """In how many recalls each leg nominated anything, and how many candidates on average: a dead leg shows here."""
    names = sorted({name for answer in answers for name in answer.nominated})
    brought = {name: [answer.nominated.get(name, 0) for answer in answers] for name in names}
    return {
        name: {"fired": sum(count > 0 for count in counts), "meanNominated": round(float(np.mean(counts)), 1)}
        for name, counts in brought.items()
    }


def _by_kind(questions: Sequence[Question], scores: Scores) -> dict[str, dict[str, float]]:
    kinds = np.array([question.kind for question in questions])
    return {
        kind: {name: round(float(column[kinds == kind].mean()), 4) for name, column in scores.values.items()}
        for kind in sorted(set(kinds.tolist()))
        if kind
    }
