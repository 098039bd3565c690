"""A data set and a recall to ask in, a table of metrics out: the run, its floors, what each part is worth."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pellucid.lab.asking import Asker, RankedAnswer
from pellucid.lab.datasets.dataset import Dataset, Group, LabelledQuestion
from pellucid.lab.metrics.context import share
from pellucid.lab.metrics.ranking import Scores, mean, scored
from pellucid.lab.variants import FLOORS, PLAIN, TRIED, Variant, other_weights, without_each

BUDGET = 2_000
COLUMNS = ("recall@5", "recall@10", "hit@5", "mrr", f"evidence@{BUDGET}")
"""The metrics that every set is told by."""
WORTH = "worth"
"""The mean of these, question by question: what sets are weighed by against each other."""
TIMED = 8
"""Questions by which the time that a part takes is measured."""
TOLD_EVERY = 25
"""Questions after which it is said again how far a run is."""

Measure = Callable[[LabelledQuestion, RankedAnswer], Mapping[str, float]]
"""What one answer is worth, metric by metric."""
Pairs = Sequence[tuple[Group, LabelledQuestion]]
_ALL = "all"


def measured(question: LabelledQuestion, answer: RankedAnswer) -> dict[str, float]:
    """Every metric of the ranking, and the share of evidence that stands in each context."""
    held = {f"evidence@{budget}": share(each.keys, question) for budget, each in answer.contexts.items()}
    found = scored(question, answer.ranking) | held
    if all(name in found for name in COLUMNS):
        found[WORTH] = sum(found[name] for name in COLUMNS) / len(COLUMNS)
    return found


def run(
    dataset: Dataset,
    asker: Asker,
    *,
    ablate: bool,
    on_part: Callable[[str], None],
    floor: Asker | None,
    measure: Measure = measured,
) -> tuple[dict[str, Any], dict[str, RankedAnswer]]:
    """Ask every question; say what it would be with one leg alone (of `floor`) and, if asked, what each part does.

    Returns the wire form, and each question's answer by its id. The wire form: dataset, questions, metrics, intervals,
    floors, latencyMs, legs, ablation (the paired difference that each part makes: with it, less without it; `diversify`
    is off in the metrics), weights (what less and more of a weight changes), askedAnew (how many answers were not
    worked out from the plain recall's candidates), and costs (what a part takes of a recall's time).
    """
    pairs = [(group, question) for group in dataset.groups for question in group.questions]
    parts, weights = (without_each(), other_weights()) if ablate else ({}, {})
    alone = {f"{name} alone": Variant(without) for name, without in FLOORS.items()} if floor else {}
    variants: dict[Hashable, Variant] = {_ALL: PLAIN, **parts, **weights}
    variants.update(alone if floor is asker else {})
    asked: list[tuple[Asker, Mapping[Hashable, Variant]]] = [(asker, variants)]
    if floor and floor is not asker:
        asked.append((floor, {**alone}))
    told = _gather_answers(pairs, asked, measure, on_part)
    scores, floors = told.scores[_ALL], {name.removesuffix(" alone"): told.scores[name] for name in alone}
    if parts:
        on_part(f"timing parts on {min(TIMED, len(pairs))} questions")
    out: dict[str, Any] = {
        "dataset": dataset.name,
        "questions": len(pairs),
        "records": sum(len(group.records) for group in dataset.groups),
        "metrics": scores.means(),
        "intervals": scores.intervals(),
        "floors": {name: each.means() for name, each in floors.items()},
        "gainOverFloors": {name: scores.gain_over(each) for name, each in floors.items()},
        "latencyMs": _latency(told.plain, told.encoding),
        "legs": _leg_activity(told.plain),
        "byKind": _by_kind([question for _, question in pairs], scores),
        "ablation": {part: _gain(part, scores, told.scores[part]) for part in parts},
        "weights": _of_weights(scores, {name: told.scores[name] for name in weights}),
        "askedAnew": {part: told.anew[part] for part in parts if told.anew[part]},
        "costs": _part_costs(pairs, asker, parts) if parts else {},
    }
    return out, {question.id: answer for (_, question), answer in zip(pairs, told.plain, strict=True)}


def changed_by(dataset: Dataset, asker: Asker, variant: Variant, measure: Measure) -> dict[str, dict[str, object]]:
    """What a variant has more than the recall as it is set, metric by metric: the paired difference."""
    asked: list[tuple[Asker, Mapping[Hashable, Variant]]] = [(asker, {_ALL: PLAIN, "varied": variant})]
    pairs = [(group, question) for group in dataset.groups for question in group.questions]
    told = _gather_answers(pairs, asked, measure, lambda _: None)
    return told.scores["varied"].gain_over(told.scores[_ALL])


@dataclass(frozen=True, slots=True)
class _Told:
    """What was asked: every variant's scores, and how many of its answers were asked anew; the plain answers."""

    scores: Mapping[Hashable, Scores]
    anew: Counter[Hashable]
    plain: Sequence[RankedAnswer]
    encoding: Sequence[float]
    """What encoding each question took, in ms."""


def _gather_answers(
    pairs: Pairs,
    asked: Sequence[tuple[Asker, Mapping[Hashable, Variant]]],
    measure: Measure,
    on_part: Callable[[str], None],
) -> _Told:
    """Ask every question in every variant; the answers as set, and the scores of each variant."""
    rows, anew = dict[Hashable, list[Mapping[str, float]]](), Counter[Hashable]()
    plain, encoding = list[RankedAnswer](), list[float]()
    for place, (group, question) in enumerate(pairs):
        if place % TOLD_EVERY == 0:
            on_part(f"{place} of {len(pairs)} questions")
        encoding.append(asked[0][0].encode(question))
        for name, answer, found in _answers_to_variants(asked, group, question, measure):
            rows.setdefault(name, []).append(found)
            anew[name] += answer.anew
            if name == _ALL:
                plain.append(answer)
    return _Told({name: Scores.of(found) for name, found in rows.items()}, anew, plain, encoding)


def _answers_to_variants(
    asked: Sequence[tuple[Asker, Mapping[Hashable, Variant]]],
    group: Group,
    question: LabelledQuestion,
    measure: Measure,
) -> Iterator[tuple[Hashable, RankedAnswer, Mapping[str, float]]]:
    """The answer to each variant of a question, and what it is worth; what is the same answer is measured once."""
    for asker, variants in asked:
        known: dict[int, Mapping[str, float]] = {}
        answers = asker.ask(group, question, [*variants.values()])
        for name, answer in zip(variants, answers, strict=True):
            if id(answer) not in known:
                known[id(answer)] = measure(question, answer)
            yield name, answer, known[id(answer)]


def _gain(part: str, scores: Scores, other: Scores) -> dict[str, dict[str, object]]:
    return other.gain_over(scores) if part in TRIED else scores.gain_over(other)


def _of_weights(scores: Scores, others: Mapping[tuple[str, str], Scores]) -> dict[str, dict[str, Any]]:
    """What each weight by a factor has more than the weight as it is; of the metrics that every set is told by."""
    out: dict[str, dict[str, Any]] = {}
    for (part, factor), each in others.items():
        gains = each.gain_over(scores)
        out.setdefault(part, {})[factor] = {name: gains[name] for name in (*COLUMNS, WORTH) if name in gains}
    return out


def _part_costs(pairs: Pairs, asker: Asker, parts: Mapping[str, Variant]) -> dict[str, dict[str, float]]:
    """The median of what a part adds to a recall, in ms, and as a share of the median recall with it.

    Each is really asked, of the same questions, one right after the other.
    """
    millis: dict[str, list[float]] = {name: [] for name in (_ALL, *parts)}
    for group, question in pairs[:: max(1, len(pairs) // TIMED)][:TIMED]:
        asker.encode(question)
        asker.clock(group, question, PLAIN)  # what is read for the first time takes longer
        for name, variant in {_ALL: PLAIN, **parts}.items():
            millis[name].append(asker.clock(group, question, variant))
    out: dict[str, dict[str, float]] = {}
    for part in parts:
        more, less = (part, _ALL) if part in TRIED else (_ALL, part)
        added = float(np.median(np.subtract(millis[more], millis[less])))
        out[part] = {"millis": round(added, 2), "share": round(added / max(float(np.median(millis[more])), 1e-9), 3)}
    return out


def relative(metrics: Mapping[str, float], reference: Mapping[str, float]) -> dict[str, dict[str, float]]:
    """Each metric of a reference run over the same questions, and this run's ratio to it."""
    return {
        name: {"verbatim": value, "ratio": round(metrics[name] / value, 4) if value else 0.0}
        for name, value in reference.items()
    }


def _latency(answers: Sequence[RankedAnswer], encoding: Sequence[float]) -> dict[str, float]:
    p50, p95 = np.percentile([answer.millis for answer in answers], [50, 95])
    return {"p50": round(float(p50), 2), "p95": round(float(p95), 2), "embedP50": round(float(np.median(encoding)), 2)}


def _leg_activity(answers: Sequence[RankedAnswer]) -> dict[str, dict[str, float]]:
    """In how many recalls each leg nominated anything, and how many candidates on average: a dead leg shows here."""
    names = sorted({name for answer in answers for name in answer.nominated})
    brought = {name: [answer.nominated.get(name, 0) for answer in answers] for name in names}
    return {
        name: {"fired": sum(count > 0 for count in counts), "meanNominated": round(float(np.mean(counts)), 1)}
        for name, counts in brought.items()
    }


def _by_kind(questions: Sequence[LabelledQuestion], scores: Scores) -> dict[str, dict[str, float]]:
    """The mean of each metric for each kind of question."""
    kinds = np.array([question.kind for question in questions])
    return {
        kind: {name: mean(column[kinds == kind]) for name, column in scores.values.items()}
        for kind in sorted(set(kinds.tolist()))
        if kind
    }
