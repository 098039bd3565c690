"""Every set's measurements in, one table in Markdown out: each beside its floors, its parts with costs, its choices."""

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
"""The metrics by which parts are told; the others stand in the JSON."""
_OPTIONS = {"off": "off", "half": "×½", "double": "×2", "on": "on"}


def tabled(outcome: LabTable) -> str:
    """Sets beside their floors and prices; what each part is worth on each, and takes; what the others would choose."""
    lines = [*_set_lines(outcome.rows), "", *_note_lines(outcome)]
    if any(row.ablation for row in outcome.rows.values()):
        lines += ["", *_part_lines(outcome.rows), *_cost_lines(outcome.rows)]
    if outcome.choices:
        lines += ["", *_choice_lines(outcome)]
    return "\n".join(lines)


def _set_lines(rows: Mapping[str, LabOutput]) -> Iterator[str]:
    head = ["set", "questions", *_METRICS.values(), "import s", "memories", "MB"]
    yield from _markdown(
        head,
        [
            [_SETS[name], str(row.questions), *(_beside(row, metric) for metric in COLUMNS), *_price_cells(row)]
            for name, row in rows.items()
        ],
    )


def _beside(row: LabOutput, metric: str) -> str:
    floors = " / ".join(_number(floor[metric]) for floor in row.floors.values())
    return f"**{_number(row.metrics[metric])}** ({floors})"


def _price_cells(row: LabOutput) -> list[str]:
    price = row.price
    return [
        f"{price['importSeconds']:,.0f}",
        f"{price['memories']:,.0f}",
        f"{price['diskBytes'] / 1e6:.0f}",
    ]


def _note_lines(outcome: LabTable) -> Iterator[str]:
    """How to read the first table, what stands below the better leg in it, and what is not there."""
    yield "In brackets: BM25 alone / vectors alone." + _share(next(iter(outcome.rows.values()), None))
    for name, row in outcome.rows.items():
        if _STRICT in row.metrics:
            held = ", ".join(f"{kind} {_beside(row, f'{kind}@{BUDGET}')}" for kind in ("strict", "lenient"))
            yield f"Answered within {BUDGET:,} characters, {_SETS[name]}: {held}."
    below = [said for name, row in outcome.rows.items() for said in _lines_below_leg(name, row)]
    yield "Below the better leg: " + ("; ".join(below) if below else "nothing") + "."
    for name, mark in outcome.missing.items():
        yield f"Not measured: {_SETS[name]}, whose {mark} is not there."


def _share(row: LabOutput | None) -> str:
    """Which questions were asked, if not all."""
    if row is None or (row.sample, row.limit) == ("1", 0):
        return ""
    share = [f"share {row.sample} of the questions"] if row.sample != "1" else []
    most = [f"{row.limit} questions a set at most, spread evenly"] if row.limit else []
    return f" Asked: {', '.join(share + most)}."


def _lines_below_leg(name: str, row: LabOutput) -> Iterator[str]:
    for metric in COLUMNS:
        leg = max(row.floors, key=lambda leg: row.floors[leg][metric], default="")
        if leg and row.metrics[metric] < row.floors[leg][metric]:
            yield f"{_SETS[name]}, {_METRICS[metric]} {_gain(row.gain_over_floors[leg][metric])} ({_LEGS[leg]})"


def _part_lines(rows: Mapping[str, LabOutput]) -> Iterator[str]:
    yield "What each part is worth (with it less without it, of the same questions; 95 % interval):"
    for metric in _PARTS_BY:
        yield ""
        yield from _markdown(
            [_METRICS[metric], *map(_SETS.__getitem__, rows)],
            [[part, *(_gain(row.ablation[part][metric]) for row in rows.values())] for part in _part_names(rows)],
        )


def _cost_lines(rows: Mapping[str, LabOutput]) -> Iterator[str]:
    yield from (
        "",
        "What each part takes of a recall (ms of processor time, and its share; the median over some questions):",
        "",
    )
    yield from _markdown(
        ["time", *map(_SETS.__getitem__, rows)],
        [[part, *(_cost(row.costs[part]) for row in rows.values())] for part in _part_names(rows)],
    )


def _cost(found: Mapping[str, float]) -> str:
    return f"{found['millis']:+.1f} ({found['share']:+.0%})".replace("-", "−")


def _part_names(rows: Mapping[str, LabOutput]) -> list[str]:
    """The parts, but for those that do nothing on any set."""
    parts = dict.fromkeys(part for row in rows.values() for part in row.ablation)
    return [part for part in parts if any(_moves(row.ablation[part][WORTH]) for row in rows.values())]


def _choice_lines(outcome: LabTable) -> Iterator[str]:
    """Of each part, set by set, what the others would choose, and what that changes here."""
    yield (
        "Each set left out in turn: what the others would choose for a part, by the mean of the five columns, and what"
        " that changes here. Bold is a choice that is told from chance; where no cell says otherwise, as set."
    )
    yield ""
    chosen = {
        part: found for part, found in outcome.choices.items() if any(each.option != AS_SET for each in found.values())
    }
    yield from _markdown(
        ["left out", *map(_SETS.__getitem__, outcome.rows)],
        [[part, *(_choice_text(found[name]) for name in outcome.rows)] for part, found in chosen.items()],
    )
    yield from _lines_together(outcome)
    if kept := [part for part in outcome.choices if part not in chosen]:
        yield ""
        yield f"All would leave as set: {', '.join(kept)}."


def _lines_together(outcome: LabTable) -> Iterator[str]:
    """What all choices of the others change at once."""
    yield from ("", "All of these at once, what they change here:", "")
    yield from _markdown(
        ["metric", *map(_SETS.__getitem__, outcome.together)],
        [[title, *(_gain(found[metric]) for found in outcome.together.values())] for metric, title in _METRICS.items()],
    )


def _choice_text(found: Choice) -> str:
    if found.option == AS_SET:
        return ""
    option = f"**{_OPTIONS[found.option]}**" if found.is_clear else _OPTIONS[found.option]
    return f"{option}: {_gain(found.here)}"


def _gain(gain: Mapping[str, Any]) -> str:
    low, high = gain["interval"]
    return f"{_signed(gain['difference'])} [{_signed(low)}, {_signed(high)}]" if _moves(gain) else "0"


def _moves(gain: Mapping[str, Any]) -> bool:
    return bool(np.any([gain["difference"], *gain["interval"]]))


def _number(value: float) -> str:
    """To three places, without the zero that all of them would begin with."""
    return f"{value:.3f}".removeprefix("0")


def _signed(value: float) -> str:
    return f"{value:+.3f}".replace("+0.", "+.").replace("-0.", "−.").replace("-", "−")


def _markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *rows)]
