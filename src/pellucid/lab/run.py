"""A data set and a recall to ask in, a table of metrics out: the run, its floors, the gain of each part."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pellucid.lab.asking import Asker, RankedAnswer
from pellucid.lab.datasets.dataset import Dataset, Group, LabelledQuestion
from pellucid.lab.metrics.context import share
from pellucid.lab.metrics.ranking import Scores, mean, score_ranking, spread
from pellucid.lab.variants import FLOORS, PLAIN, TRIED, Variant, other_weights, without_each

BUDGET = 2_000
COLUMNS = ("recall@5", "recall@10", "hit@5", "mrr", f"evidence@{BUDGET}")  # the metrics that every set is told by
WORTH = "worth"
"""The mean of these, question by question: the measure by which sets are compared."""
TIMED = 8  # questions by which the time that a part takes is measured
TOLD_EVERY = 25  # questions after which it is said again how far a run is

Measure = Callable[[LabelledQuestion, RankedAnswer], Mapping[str, float]]  # what one answer is worth, metric by metric
Pairs = Sequence[tuple[Group, LabelledQuestion]]
_ALL = "all"


def measure_answer(question: LabelledQuestion, answer: RankedAnswer) -> dict[str, float]:
    """Return every metric of an answer's ranking, the share of evidence in each of its contexts, and `worth`.

    `worth`, the mean of `COLUMNS`, is left out if one of these is missing, as without a context of 2,000 characters.
    """
    evidence = {f"evidence@{budget}": share(each.keys, question) for budget, each in answer.contexts.items()}
    metrics = score_ranking(question, answer.ranking) | evidence
    if all(name in metrics for name in COLUMNS):
        metrics[WORTH] = sum(metrics[name] for name in COLUMNS) / len(COLUMNS)
    return metrics


def run(
    dataset: Dataset,
    asker: Asker,
    *,
    ablate: bool,
    on_part: Callable[[str], None],
    floor: Asker | None,
    measure: Measure = measure_answer,
) -> tuple[dict[str, Any], dict[str, RankedAnswer]]:
    """Ask every question, and return the metrics (`measure` scores an answer), and the plain answers by the question's
    id.

    With `ablate`, every question is also asked without each part and with other weights; with a `floor`, that asker is
    asked with each leg alone. `on_part` is told the progress. The metrics, in wire form: counts, metrics, intervals,
    floors, gainOverFloors, latencyMs, legs, byKind, ablation (the gain of each part, as a paired difference;
    `diversify` is off in the metrics), weights (the gain of half and double a part's weight), askedAnew (how many
    answers could not be computed from the plain recall), costs (a part's time and share of it).
    """
    pairs = [(group, question) for group in dataset.groups for question in group.questions]
    parts, weights = (without_each(), other_weights()) if ablate else ({}, {})
    alone = {f"{name} alone": Variant(without) for name, without in FLOORS.items()} if floor else {}
    variants: dict[Hashable, Variant] = {_ALL: PLAIN, **parts, **weights}
    variants.update(alone if floor is asker else {})
    asked: list[tuple[Asker, Mapping[Hashable, Variant]]] = [(asker, variants)]
    if floor and floor is not asker:
        asked.append((floor, {**alone}))
    answers = _gather_answers(pairs, asked, measure, on_part)
    scores, floors = answers.scores[_ALL], {name.removesuffix(" alone"): answers.scores[name] for name in alone}
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
        "latencyMs": spread([answer.millis for answer in answers.plain])
        | {"embedP50": round(float(np.median(answers.encoding)), 2)},
        "legs": _leg_activity(answers.plain),
        "byKind": _by_kind([question for _, question in pairs], scores),
        "ablation": {part: _gain(part, scores, answers.scores[part]) for part in parts},
        "weights": _of_weights(scores, {name: answers.scores[name] for name in weights}),
        "askedAnew": {part: answers.anew[part] for part in parts if answers.anew[part]},
        "costs": _part_costs(pairs, asker, parts) if parts else {},
    }
    return out, {question.id: answer for (_, question), answer in zip(pairs, answers.plain, strict=True)}


def gain_of(dataset: Dataset, asker: Asker, variant: Variant, measure: Measure) -> dict[str, dict[str, object]]:
    """Ask every question with a variant and as set, and return the gain of the variant for each metric of `measure`:
    `{"difference": …, "interval": […]}`, the mean paired difference and its 95 % interval.
    """
    asked: list[tuple[Asker, Mapping[Hashable, Variant]]] = [(asker, {_ALL: PLAIN, "varied": variant})]
    pairs = [(group, question) for group in dataset.groups for question in group.questions]
    answers = _gather_answers(pairs, asked, measure, lambda _: None)
    return answers.scores["varied"].gain_over(answers.scores[_ALL])


@dataclass(frozen=True, slots=True)
class _AllAnswers:
    """All answers: the scores of every variant, how many answers were asked anew, and the plain answers."""

    scores: Mapping[Hashable, Scores]
    anew: Counter[Hashable]
    plain: Sequence[RankedAnswer]
    encoding: Sequence[float]  # what encoding each question took, in ms


def _gather_answers(
    pairs: Pairs,
    asked: Sequence[tuple[Asker, Mapping[Hashable, Variant]]],
    measure: Measure,
    on_part: Callable[[str], None],
) -> _AllAnswers:
    """Ask every question in every variant of each asker, score the answers by `measure`, and return all. `asked` has
    each asker with its variants by name; one variant must be called `_ALL`, the plain one. Questions are encoded by the
    first asker. `on_part` is told the progress every 25 questions.
    """
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
    return _AllAnswers({name: Scores.of(found) for name, found in rows.items()}, anew, plain, encoding)


def _answers_to_variants(
    asked: Sequence[tuple[Asker, Mapping[Hashable, Variant]]],
    group: Group,
    question: LabelledQuestion,
    measure: Measure,
) -> Iterator[tuple[Hashable, RankedAnswer, Mapping[str, float]]]:
    """Yield each variant's name, answer and metrics for one question, asker by asker; an answer object that several
    variants of an asker share is measured once. `asked` has each asker with its variants by name.
    """
    for asker, variants in asked:
        measured: dict[int, Mapping[str, float]] = {}
        answers = asker.ask(group, question, [*variants.values()])
        for name, answer in zip(variants, answers, strict=True):
            if id(answer) not in measured:
                measured[id(answer)] = measure(question, answer)
            yield name, answer, measured[id(answer)]


def _gain(part: str, scores: Scores, other: Scores) -> dict[str, dict[str, object]]:
    """Return the gain of a part by metric: `scores` are as set, `other` without the part or, if it is off by default,
    with it.
    """
    return other.gain_over(scores) if part in TRIED else scores.gain_over(other)


def _of_weights(scores: Scores, others: Mapping[tuple[str, str], Scores]) -> dict[str, dict[str, Any]]:
    """Return a map from part and factor (`half`, `double`) to the gain of that other weight over `scores`, those as
    set, in `COLUMNS` and `WORTH` as far as measured; `others` has the scores by (part, factor).
    """
    out: dict[str, dict[str, Any]] = {}
    for (part, factor), each in others.items():
        gains = each.gain_over(scores)
        out.setdefault(part, {})[factor] = {name: gains[name] for name in (*COLUMNS, WORTH) if name in gains}
    return out


def _part_costs(pairs: Pairs, asker: Asker, parts: Mapping[str, Variant]) -> dict[str, dict[str, float]]:
    """Return the median processor time in `millis` that each part adds, and its `share` of a recall with the part, from
    at most 8 questions asked with and without it.
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
    """Return, for each metric of a `reference` run over the same questions, that run's value (`verbatim`) and the
    `ratio` of the value in `metrics`, which must have it, to the reference's (0 if the reference's is 0).
    """
    return {
        name: {"verbatim": value, "ratio": round(metrics[name] / value, 4) if value else 0.0}
        for name, value in reference.items()
    }


def _leg_activity(answers: Sequence[RankedAnswer]) -> dict[str, dict[str, float]]:
    """Return, for each leg (a way in which recalls search, such as by words), in how many recalls it found anything
    (`fired`), and the mean number of its candidates over all answers (`meanNominated`).
    """
    names = sorted({name for answer in answers for name in answer.nominated})
    counts_by_leg = {name: [answer.nominated.get(name, 0) for answer in answers] for name in names}
    return {
        name: {"fired": sum(count > 0 for count in counts), "meanNominated": round(float(np.mean(counts)), 1)}
        for name, counts in counts_by_leg.items()
    }


def _by_kind(questions: Sequence[LabelledQuestion], scores: Scores) -> dict[str, dict[str, float]]:
    """Return the mean of each metric for each kind of question, by kind; questions without a kind are left out."""
    kinds = np.array([question.kind for question in questions])
    return {
        kind: {name: mean(column[kinds == kind]) for name, column in scores.values.items()}
        for kind in sorted(set(kinds.tolist()))
        if kind
    }
