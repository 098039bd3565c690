"""What the lab measured in, text for a person out."""

from __future__ import annotations

from functools import singledispatch
from typing import TYPE_CHECKING, Any

from pellucid.lab.documents.as_of import AsOfLabOutput
from pellucid.lab.documents.graph import GraphLabOutput
from pellucid.lab.measuring import LabOutput, UpdatesOutput
from pellucid.surfaces.present.lab_table import tabled

if TYPE_CHECKING:
    from collections.abc import Mapping


@singledispatch
def measured(outcome: object) -> str:
    """A run of the lab; each kind of answer has a function below that registers for it."""
    raise TypeError(f"no text is known for {type(outcome).__name__}")


@measured.register
def _metrics(outcome: LabOutput) -> str:
    """Metrics with their intervals beside the floors, then what each part is worth."""
    lines = [f"{outcome.dataset}: {outcome.questions} questions over {outcome.records} records", ""]
    lines.append(
        f"{'metric':<15} {'all':>7}   {'95 % interval':<18}" + "".join(f"{name:>9}" for name in outcome.floors)
    )
    for name, value in outcome.metrics.items():
        low, high = outcome.intervals[name]
        floors = "".join(f"{floor[name]:>9.4f}" for floor in outcome.floors.values())
        lines.append(f"{name:<15} {value:>7.4f}   [{low:.4f}, {high:.4f}]  {floors}")
    latency = outcome.latency_ms
    lines += [
        "",
        f"recall p50 {latency['p50']} ms, p95 {latency['p95']} ms; query encoding p50 {latency['embedP50']} ms",
        "legs: " + ", ".join(f"{name} fired in {leg['fired']:.0f}" for name, leg in outcome.legs.items()),
    ]
    lines += _extraction_lines(outcome)
    for part, gains in outcome.ablation.items():
        shown = (name for name in ("recall@10", "ndcg@10", "strict@2000") if name in gains)
        said = "; ".join(f"{name} {gains[name]['difference']:+.4f} {gains[name]['interval']}" for name in shown)
        lines.append(f"gain of {part:<13} {said}; cost {outcome.costs[part]['millis']:+.2f} ms")
    lines += ["", _price_line(outcome.price)]
    lines += [
        f"{kind}: {_answered_line(metrics)}" for kind, metrics in outcome.by_kind.items() if "mrrMatched" in metrics
    ]
    lines += [f"durable, {name}: {_durability_line(found)}" for name, found in outcome.durable.items()]
    return "\n".join([*lines, *_doubt_lines(outcome.abstention), *_context_lines(outcome.context)])


def _answered_line(metrics: Mapping[str, float]) -> str:
    """How well one kind of question about sessions is answered."""
    shown = (name for name in metrics if name.startswith(("strict@", "lenient@", "mrrMatched")))
    return ", ".join(f"{name} {metrics[name]:.4f}" for name in shown)


def _price_line(price: Mapping[str, float]) -> str:
    return (
        f"import: {price['importSeconds']:.1f} s for {price['recordCharacters']:,.0f} characters;"
        f" {price['memories']:,.0f} memories, {price['diskBytes'] / 1e6:.1f} MB"
    )


def _durability_line(found: Mapping[str, Any]) -> str:
    """How right and how complete the memories of some labelled sessions are."""
    return (
        f"precision {found['precision']:.3f} {found['precisionInterval']} of {found['judged']},"
        f" recall {found['recall']:.3f} {found['recallInterval']} of {found['facts']} facts,"
        f" {found['memoriesPer100Turns']} memories a 100 turns, repeats {found['repeats']},"
        f" shaped {found['shaped']:.3f}"
    )


def _doubt_lines(found: Mapping[str, Any]) -> list[str]:
    """How well doubt tells questions that nothing answers from the others."""
    if not found:
        return []
    floors = ", ".join(f"{name} {value:.3f}" for name, value in found.get("floors", {}).items())
    empty = "; ".join(f"abstains from {share:.3f} of {name} questions" for name, share in found["asSet"].items())
    return ["", f"abstention: AUC {found['auc']:.3f} ({floors}); {empty}"]


def _context_lines(found: Mapping[str, Any]) -> list[str]:
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


def _extraction_lines(outcome: LabOutput) -> list[str]:
    """What extraction is worth, and what its memories answer beside all turns; nothing in verbatim mode."""
    lines = [f"{name:<24} {value:>12,.10g}" for name, value in outcome.extraction.items()]
    lines += [
        f"{name:<10} {beside['ratio']:.3f} of the {beside['verbatim']:.4f} that all turns give"
        for name, beside in outcome.relative_to_verbatim.items()
    ]
    return ["", *lines] if lines else []


@measured.register
def _updates_text(outcome: UpdatesOutput) -> str:
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
            _order_line("defaults", outcome.defaults),
            _order_line("without temporal", outcome.without_temporal),
            _order_line("user's turns only", outcome.user_turns_only),
            "",
            stated,
        ]
    )


def _order_line(name: str, found: Mapping[str, Any]) -> str:
    low, high = found["interval"]
    cases = ", ".join(f"{case} {count}" for case, count in found["cases"].items())
    return f"{name:<18} newer above {found['newerAbove']:.4f} [{low:.4f}, {high:.4f}] of {found['pairs']}: {cases}"


@measured.register
def _graph_text(outcome: GraphLabOutput) -> str:
    """Edges against the truth, then what a recall of dependencies brings, with and without the graph leg."""
    speed = outcome.indexing["documentsPerSecond"]
    lines = [f"graph: {outcome.documents} documents, {outcome.sections} sections, {speed} documents/s indexed", ""]
    lines += [
        f"requires, {which}: precision {found['precision']:.4f}, recall {found['recall']:.4f}"
        f" ({found['found']} found, {found['true']} true)"
        for which, found in (("all", outcome.requires["all"]), ("moved aside", outcome.requires["movedAside"]))
    ]
    heads = ("direct", "closure", "of many", "direct, others", "closure, others")
    for title, metrics in (("moved aside", outcome.moved_aside), ("all", outcome.metrics)):
        lines += ["", f"{title:<14}" + "".join(f"{head:>17}" for head in heads)]
        lines += [f"{name:<14}" + _dependencies(found) for name, found in metrics.items()]
    healths = (f"{name}: {_health(counts)}" for name, counts in outcome.legs.items())
    latency = outcome.latency_ms
    lines += ["", "legs: " + "; ".join(healths), f"recall p50 {latency['p50']} ms, p95 {latency['p95']} ms"]
    return "\n".join(lines)


def _dependencies(found: Mapping[str, Any]) -> str:
    names = ("direct", "closure", "closureOfMany", "directOthers", "closureOthers")
    return "".join(f"{found[name]:>17.4f}" for name in names)


def _health(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{health} {count}" for health, count in sorted(counts.items()))


@measured.register
def _as_of(outcome: AsOfLabOutput) -> str:
    """How many past values the states know, and how many a recall as of then puts first."""
    lines = [f"asof: {outcome.documents} documents, {outcome.changes} changes of headers", ""]
    for field, found in outcome.history.items():
        lines.append(f"history answers {found['answered']} of {found['questions']} about {field}")
        lines += [
            f"  EIP-{row['document']} at {row['asOf']}: {row['said']!r}, not {row['answer']!r}"
            for row in found["wrong"]
        ]
    lines += [
        f"recall --as-of, {field}: first in {found['first']} of {found['asked']}, in the first 5 in {found['inFive']},"
        f" found in {found['found']}"
        for field, found in outcome.recall.items()
    ]
    if outcome.latency_ms:
        lines.append(f"recall p50 {outcome.latency_ms['p50']} ms, p95 {outcome.latency_ms['p95']} ms")
    return "\n".join(lines)


measured.register(tabled)
