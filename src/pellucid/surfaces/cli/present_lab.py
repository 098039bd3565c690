"""What the lab measured in, text for a person out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pellucid.operations.lab import LabOutput, UpdatesOutput

if TYPE_CHECKING:
    from collections.abc import Mapping


def measured(outcome: LabOutput | UpdatesOutput) -> str:
    """A run of the lab."""
    return _metrics(outcome) if isinstance(outcome, LabOutput) else _updates(outcome)


def _metrics(outcome: LabOutput) -> str:
    """Metrics with their intervals beside the floors, then what each part is worth."""
    lines = [f"{outcome.dataset}: {outcome.questions} questions over {outcome.records} records", ""]
    lines.append(
        f"{'metric':<10} {'all':>7}   {'95 % interval':<18}" + "".join(f"{name:>9}" for name in outcome.floors)
    )
    for name, value in outcome.metrics.items():
        low, high = outcome.intervals[name]
        floors = "".join(f"{floor[name]:>9.4f}" for floor in outcome.floors.values())
        lines.append(f"{name:<10} {value:>7.4f}   [{low:.4f}, {high:.4f}]  {floors}")
    latency = outcome.latency_ms
    lines += [
        "",
        f"recall p50 {latency['p50']} ms, p95 {latency['p95']} ms; query encoding p50 {latency['embedP50']} ms",
        "legs: " + ", ".join(f"{name} fired in {leg['fired']:.0f}" for name, leg in outcome.legs.items()),
    ]
    lines += _kept(outcome)
    for part, gains in outcome.ablation.items():
        shown_gains = (f"{m} {gains[m]['difference']:+.4f} {gains[m]['interval']}" for m in ("recall@10", "ndcg@10"))
        lines.append(f"gain of {part:<10} " + "; ".join(shown_gains))
    return "\n".join([*lines, *_doubt(outcome.abstention), *_contexts(outcome.context)])


def _doubt(found: Mapping[str, Any]) -> list[str]:
    """How well doubt tells questions that nothing answers from the others."""
    if not found:
        return []
    floors = ", ".join(f"{name} {value:.3f}" for name, value in found.get("floors", {}).items())
    return ["", f"abstention: AUC {found['auc']:.3f} ({floors})"]


def _contexts(found: Mapping[str, Any]) -> list[str]:
    """The share of evidence in the context, beside plain concatenations of the same ranking."""
    lines: list[str] = []
    for top_k, budgets in found.items():
        for budget, shares in budgets.items():
            gains = "; ".join(
                f"over {name} {gain['difference']:+.4f} {gain['interval']}"
                for name, gain in shares["gainOverPlain"].items()
            )
            lines.append(
                f"context of {budget} characters, topK {top_k}: {shares['context']:.4f} of the evidence; {gains}"
            )
    return ["", *lines] if lines else []


def _kept(outcome: LabOutput) -> list[str]:
    """What extraction is worth, and what its memories answer beside all turns; nothing in verbatim mode."""
    lines = [f"{name:<24} {value:>12,.10g}" for name, value in outcome.extraction.items()]
    lines += [
        f"{name:<10} {beside['ratio']:.3f} of the {beside['verbatim']:.4f} that all turns give"
        for name, beside in outcome.relative_to_verbatim.items()
    ]
    return ["", *lines] if lines else []


def _updates(outcome: UpdatesOutput) -> str:
    """How often the newer statement of a changed fact stands above the older."""
    said = outcome.same_attribute
    stated = (
        f"{said['sameAttribute']} of {said['pairs']} pairs state one entity::attribute on both sides,"
        f" {said['changed']} with another value; the older is superseded in {said['superseded']}"
    )
    return "\n".join(
        [
            f"{outcome.dataset}, {outcome.mode}: {outcome.memories} memories of {outcome.records} records",
            "",
            _order("defaults", outcome.defaults),
            _order("without temporal", outcome.without_temporal),
            _order("user's turns only", outcome.user_turns_only),
            "",
            stated,
        ]
    )


def _order(name: str, found: Mapping[str, Any]) -> str:
    low, high = found["interval"]
    cases = ", ".join(f"{case} {count}" for case, count in found["cases"].items())
    return f"{name:<18} newer above {found['newerAbove']:.4f} [{low:.4f}, {high:.4f}] of {found['pairs']}: {cases}"
