"""Every set's measurements in, tables in Markdown out: metrics with floors, parts with gains and costs, choices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pellucid.lab.choosing import AS_SET
from pellucid.lab.every_set import LabTable
from pellucid.lab.run import BUDGET, COLUMNS, WORTH

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pellucid.lab.choosing import Choice
    from pellucid.lab.measuring import LabOutput

_SETS = {
    "locomo": "LoCoMo",
    "longmemeval": "LongMemEval",
    "scifact": "SciFact",
    "qmsum": "QMSum",
    "sessions": "coding sessions",
    "eips": "EIPs",
}
_METRICS = {
    "recall@5": "recall@5",
    "recall@10": "recall@10",
    "hit@5": "hit@5",
    "mrr": "MRR",
    f"evidence@{BUDGET}": f"evidence in {BUDGET:,} characters",
}
_LEGS = {"bm25": "BM25", "vector": "vectors"}
_STRICT = f"strict@{BUDGET}"
_PARTS_BY = ("mrr", "recall@10", f"evidence@{BUDGET}")
"""The metrics in the tables of parts; the JSON has all."""
_OPTIONS = {"off": "off", "half": "×½", "double": "×2", "on": "on"}


def lab_table_text(outcome: LabTable) -> str:
    """Render as Markdown every set's metrics and prices, then each part's contribution and cost (a part is a leg, stage
    or term of a recall) and, for each part, the option that the other sets together would choose; the last two only if
    they were measured.
    """
    lines = [*_set_lines(outcome.rows), "", *_note_lines(outcome)]
    if any(row.ablation for row in outcome.rows.values()):
        lines += ["", *_part_lines(outcome.rows), *_cost_lines(outcome.rows)]
    if outcome.choices:
        lines += ["", *_choice_lines(outcome)]
    return "\n".join(lines)


def _set_lines(rows: Mapping[str, LabOutput]) -> list[str]:
    """Return a Markdown table with a line for each set: questions, metrics with their floors (the same metric of each
    leg, or search path, alone), and the cost of the import. `rows` are the measurements by the sets' names.
    """
    cells = [
        [_SETS[name], str(row.questions), *(_metric_cell(row, metric) for metric in COLUMNS), *_price_cells(row)]
        for name, row in rows.items()
    ]
    return _markdown_table(["set", "questions", *_METRICS.values(), "import s", "memories", "MB"], cells)


def _metric_cell(row: LabOutput, metric: str) -> str:
    """Render a metric in bold, as `**.812** (.790 / .755)`; in brackets is the same metric of BM25 alone and of vectors
    alone.
    """
    floors = " / ".join(_number(floor[metric]) for floor in row.floors.values())
    return f"**{_number(row.metrics[metric])}** ({floors})"


def _price_cells(row: LabOutput) -> list[str]:
    """Return the cost of importing a set: seconds, memories, megabytes, each without decimals."""
    price = row.price
    return [f"{price['importSeconds']:,.0f}", f"{price['memories']:,.0f}", f"{price['diskBytes'] / 1e6:.0f}"]


def _note_lines(outcome: LabTable) -> Iterator[str]:
    """Yield notes: how to read the first table and which share of the questions was asked, the answers within `BUDGET`
    characters where they were measured, metrics below the better leg, and sets that were not measured.
    """
    yield "In brackets: BM25 alone / vectors alone." + _share(next(iter(outcome.rows.values()), None))
    for name, row in outcome.rows.items():
        if _STRICT in row.metrics:
            answered = ", ".join(f"{kind} {_metric_cell(row, f'{kind}@{BUDGET}')}" for kind in ("strict", "lenient"))
            yield f"Answered within {BUDGET:,} characters, {_SETS[name]}: {answered}."
    below = [part for name, row in outcome.rows.items() for part in _metrics_below_leg(name, row)]
    yield "Below the better leg: " + ("; ".join(below) if below else "nothing") + "."
    for name, mark in outcome.missing.items():
        yield f"Not measured: {_SETS[name]}, whose {mark} is not there."


def _share(row: LabOutput | None) -> str:
    """Return a sentence, with a blank before it, that says which share of the questions was asked, or how many at most;
    "" if all were, or if `row` is None.
    """
    if row is None or (row.sample, row.limit) == ("1", 0):
        return ""
    share = [f"share {row.sample} of the questions"] if row.sample != "1" else []
    most = [f"{row.limit} questions a set at most, spread evenly"] if row.limit else []
    return f" Asked: {', '.join(share + most)}."


def _metrics_below_leg(name: str, row: LabOutput) -> Iterator[str]:
    """Yield for the set `name` each metric that is below that of its better single leg (search path), with the
    difference and the leg: `LoCoMo, MRR −.012 [−.020, −.003] (BM25)`.
    """
    for metric in COLUMNS:
        leg = max(row.floors, key=lambda leg: row.floors[leg][metric], default="")
        if leg and row.metrics[metric] < row.floors[leg][metric]:
            yield f"{_SETS[name]}, {_METRICS[metric]} {_gain(row.gain_over_floors[leg][metric])} ({_LEGS[leg]})"


def _part_lines(rows: Mapping[str, LabOutput]) -> Iterator[str]:
    """Yield a caption, and a Markdown table for each metric in `_PARTS_BY`: how much each part of a recall contributes
    to it on each set, after an empty line. `rows` are the measurements by the sets' names.
    """
    yield "What each part is worth (with it less without it, of the same questions; 95 % interval):"
    for metric in _PARTS_BY:
        yield ""
        yield from _markdown_table(
            [_METRICS[metric], *map(_SETS.__getitem__, rows)],
            [[part, *(_gain(row.ablation[part][metric]) for row in rows.values())] for part in _part_names(rows)],
        )


def _cost_lines(rows: Mapping[str, LabOutput]) -> list[str]:
    """Return the Markdown table of the processor time that each part of a recall takes on each set, below its title.
    `rows` are the measurements by the sets' names.
    """
    title = "What each part takes of a recall (ms of processor time, and its share; the median over some questions):"
    cells = [[part, *(_cost(row.costs[part]) for row in rows.values())] for part in _part_names(rows)]
    return ["", title, "", *_markdown_table(["time", *map(_SETS.__getitem__, rows)], cells)]


def _cost(cost: Mapping[str, float]) -> str:
    """Render a part's `millis`, the milliseconds that it adds to a recall, and its `share`, their fraction of the
    recall's time, as `+1.2 (+8%)`.
    """
    return f"{cost['millis']:+.1f} ({cost['share']:+.0%})".replace("-", "−")


def _part_names(rows: Mapping[str, LabOutput]) -> list[str]:
    """Return the parts of a recall, in the order in which the sets name them, whose removal changes the mean of the
    five columns (`WORTH`), or its interval, on at least one set.
    """
    parts = dict.fromkeys(part for row in rows.values() for part in row.ablation)
    return [part for part in parts if any(_moves(row.ablation[part][WORTH]) for row in rows.values())]


def _choice_lines(outcome: LabTable) -> Iterator[str]:
    """Yield a table of the parts for which some set would choose another option than the present setting: by part and
    set, the option that the other sets would choose, and its gain on this set. Then the lines of `_all_choices_lines`,
    and one that names all other parts.
    """
    yield (
        "Each set left out in turn: what the others would choose for a part, by the mean of the five columns, and what"
        " that changes here. Bold is a choice that is told from chance; where no cell says otherwise, as set."
    )
    yield ""
    changed = {
        part: choices
        for part, choices in outcome.choices.items()
        if any(each.option != AS_SET for each in choices.values())
    }
    yield from _markdown_table(
        ["left out", *map(_SETS.__getitem__, outcome.rows)],
        [[part, *(_choice_text(choices[name]) for name in outcome.rows)] for part, choices in changed.items()],
    )
    yield from _all_choices_lines(outcome)
    if unchosen := [part for part in outcome.choices if part not in changed]:
        yield ""
        yield f"All would leave as set: {', '.join(unchosen)}."


def _all_choices_lines(outcome: LabTable) -> list[str]:
    """Return the table of what all choices of the other sets together would change on each set."""
    sets = outcome.together
    cells = [[title, *(_gain(gains[metric]) for gains in sets.values())] for metric, title in _METRICS.items()]
    table = _markdown_table(["metric", *map(_SETS.__getitem__, sets)], cells)
    return ["", "All of these at once, what they change here:", "", *table]


def _choice_text(choice: Choice) -> str:
    """Render the option that the other sets would choose, in bold if that is told from chance, and its gain on the set
    left out; "" if it is the present setting.
    """
    if choice.option == AS_SET:
        return ""
    option = f"**{_OPTIONS[choice.option]}**" if choice.is_clear else _OPTIONS[choice.option]
    return f"{option}: {_gain(choice.here)}"


def _gain(gain: Mapping[str, Any]) -> str:
    """Render the `difference` of a metric with its `interval` (low, high), as `+.012 [−.003, +.027]`; `0` if all three
    are zero.
    """
    low, high = gain["interval"]
    return f"{_signed(gain['difference'])} [{_signed(low)}, {_signed(high)}]" if _moves(gain) else "0"


def _moves(gain: Mapping[str, Any]) -> bool:
    """Whether the difference of a metric, or either end of its interval, is not zero."""
    return bool(np.any([gain["difference"], *gain["interval"]]))


def _number(value: float) -> str:
    """Render a number to three decimals, without the leading zero: `.812`."""
    return f"{value:.3f}".removeprefix("0")


def _signed(value: float) -> str:
    """Render a number with its sign, to three decimals, without the leading zero: `+.012`, `−.003`."""
    return f"{value:+.3f}".replace("+0.", "+.").replace("-0.", "−.").replace("-", "−")


def _markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a Markdown table: `head`, a line of dashes, and `rows`."""
    return [f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *rows)]
