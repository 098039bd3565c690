"""A panel of numbers in, text for a person out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pellucid.surfaces.columns import table
from pellucid.surfaces.commands import quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pellucid.operations.telemetry.stats import StatsOutput


def counted(outcome: StatsOutput) -> str:
    """What it answers, a line a row, all of them together, and what must be known to read it."""
    if not outcome.rows:
        return "\n".join((outcome.question, "nothing to count yet", *outcome.notes))
    units = [each.unit for each in outcome.columns]
    head = [_heading(each.name) for each in outcome.columns]
    rows = [_cells(each, units) for each in outcome.rows]
    end = ["all", *_cells(outcome.totals, units)[1:]]
    lines = [outcome.question, *table(head, [*rows, end]), *outcome.notes]
    if outcome.panel == "never-cited":
        lines.append(f"{quoted('archive ID')} puts one away, {quoted('undo ID')} brings it back")
    return "\n".join(lines)


def _heading(name: str) -> str:
    return "".join(f" {each}" if each.isupper() else each for each in name).upper()


def _cells(row: Sequence[str | int | float | None], units: Sequence[str]) -> list[str]:
    return [_cell(value, unit) for value, unit in zip(row, units, strict=True)]


def _cell(value: str | float | None, unit: str) -> str:
    if value is None:
        return "(none said)" if unit == "name" else "–"
    if unit == "share":
        return f"{value:.1%}"
    return f"{value:+.2f}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else value
