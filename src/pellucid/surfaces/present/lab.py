"""Measurements of the lab in, text for a person out."""

from __future__ import annotations

from functools import singledispatch
from typing import TYPE_CHECKING, Any

from pellucid.lab.documents.as_of import AsOfLabOutput
from pellucid.lab.documents.graph import GraphLabOutput
from pellucid.lab.measuring import LabOutput, UpdatesOutput
from pellucid.surfaces.present.lab_table import lab_table_text

if TYPE_CHECKING:
    from collections.abc import Mapping


_DEPENDENCY_COLUMNS = {
    "direct": "direct",
    "closure": "closure",
    "of many": "closureOfMany",
    "direct, others": "directOthers",
    "closure, others": "closureOthers",
}
"""Headings of the table of recalled dependencies, and the metrics below them."""


@singledispatch
def lab_text(outcome: object) -> str:
    """Render the figures of a lab run by the function that is registered for its type, such as `_dataset_text` for
    `LabOutput`; `TypeError` for an object of any other type.
    """
    raise TypeError(f"no text is known for {type(outcome).__name__}")


@lab_text.register
def _dataset_text(outcome: LabOutput) -> str:
    """Render a labelled set: each metric with its interval and floors (the same metric of each leg, or search path,
    alone), latency, how often each leg found something, the figures of extraction, each part's gain and cost, and the
    price of the import; then metrics by kind of question, the memories' durability, abstention and context, if
    measured.
    """
    floors = "".join(f"{name:>9}" for name in outcome.floors)
    lines = [f"{outcome.dataset}: {outcome.questions} questions over {outcome.records} records", ""]
    lines.append(f"{'metric':<15} {'all':>7}   {'95 % interval':<18}{floors}")
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
        gain = "; ".join(f"{name} {gains[name]['difference']:+.4f} {gains[name]['interval']}" for name in shown)
        lines.append(f"gain of {part:<13} {gain}; cost {outcome.costs[part]['millis']:+.2f} ms")
    lines += ["", _price_line(outcome.price)]
    for kind, metrics in outcome.by_kind.items():
        if "mrrMatched" in metrics:
            shown = (name for name in metrics if name.startswith(("strict@", "lenient@", "mrrMatched")))
            lines.append(f"{kind}: {', '.join(f'{name} {metrics[name]:.4f}' for name in shown)}")
    lines += [f"durable, {name}: {_durability_line(figures)}" for name, figures in outcome.durable.items()]
    return "\n".join([*lines, *_abstention_lines(outcome.abstention), *_context_lines(outcome.context)])


def _price_line(price: Mapping[str, float]) -> str:
    """Render how long importing the set took, for how many characters, and how many memories and megabytes (millions of
    bytes) it made. `price` has these under the names `importSeconds`, `recordCharacters`, `memories` and `diskBytes`.
    """
    return (
        f"import: {price['importSeconds']:.1f} s for {price['recordCharacters']:,.0f} characters;"
        f" {price['memories']:,.0f} memories, {price['diskBytes'] / 1e6:.1f} MB"
    )


def _durability_line(figures: Mapping[str, Any]) -> str:
    """Render how right and complete the memories extracted from labelled sessions are: precision and recall with
    intervals and counts, memories a 100 turns, repeats (memories that cite a fact's turn, per fact found), and the
    share that looks like a table or the like (`shaped`).
    """
    return (
        f"precision {figures['precision']:.3f} {figures['precisionInterval']} of {figures['judged']},"
        f" recall {figures['recall']:.3f} {figures['recallInterval']} of {figures['facts']} facts,"
        f" {figures['memoriesPer100Turns']} memories a 100 turns, repeats {figures['repeats']},"
        f" shaped {figures['shaped']:.3f}"
    )


def _abstention_lines(figures: Mapping[str, Any]) -> list[str]:
    """Render how well the doubt of an answer separates unanswerable questions from others: its AUC (`auc`), those of
    simpler signs (`floors`, by name), and the share of each kind of questions that the run's settings abstain from
    (`asSet`). Empty if `figures` is empty, as nothing was measured.
    """
    if not figures:
        return []
    floors = ", ".join(f"{name} {value:.3f}" for name, value in figures.get("floors", {}).items())
    empty = "; ".join(f"abstains from {share:.3f} of {name} questions" for name, share in figures["asSet"].items())
    return ["", f"abstention: AUC {figures['auc']:.3f} ({floors}); {empty}"]


def _context_lines(shares_by_top_k: Mapping[str, Any]) -> list[str]:
    """Return an empty line, then a line for each topK and budget: the share of the evidence that is in the context, and
    its gain over plain rankings. `shares_by_top_k` maps topK to budgets of characters, and these to their `context` and
    `gainOverPlain`. Empty if it is empty, as nothing was measured.
    """
    lines: list[str] = []
    for top_k, budgets in shares_by_top_k.items():
        for budget, shares in budgets.items():
            gains = (
                f"over {name} {gain['difference']:+.4f} {gain['interval']}"
                for name, gain in shares["gainOverPlain"].items()
            )
            share = f"{shares['context']:.4f} of the evidence; {'; '.join(gains)}"
            lines.append(f"context of {budget} characters, topK {top_k}: {share}")
    return ["", *lines] if lines else []


def _extraction_lines(outcome: LabOutput) -> list[str]:
    """Render the figures of extraction, then each metric as a share of its value in a home of all turns; empty if
    nothing was extracted.
    """
    lines = [f"{name:<24} {value:>12,.10g}" for name, value in outcome.extraction.items()]
    lines += [
        f"{name:<10} {comparison['ratio']:.3f} of the {comparison['verbatim']:.4f} that all turns give"
        for name, comparison in outcome.relative_to_verbatim.items()
    ]
    return ["", *lines] if lines else []


@lab_text.register
def _updates_text(outcome: UpdatesOutput) -> str:
    """Render how often the newer statement of a changed fact ranks above the older one, in three variants of the
    recall, and how many pairs of statements state the same attribute.
    """
    pairs = outcome.same_attribute
    lines = [
        f"{outcome.dataset}, {outcome.mode}: {outcome.memories} memories of {outcome.records} records",
        "",
        _order_line("defaults", outcome.defaults),
        _order_line("without temporal", outcome.without_temporal),
        _order_line("user's turns only", outcome.user_turns_only),
        "",
    ]
    stated = f"{pairs['sameAttribute']} of {pairs['pairs']} pairs state one entity::attribute on both sides"
    changed = f"{pairs['changed']} with another value; the older is superseded in {pairs['superseded']}"
    return "\n".join([*lines, f"{stated}, {changed}"])


def _order_line(name: str, figures: Mapping[str, Any]) -> str:
    """Render the share of pairs whose newer statement ranks above the older one in the variant `name` of the recall,
    with its interval, the number of pairs, and counts by case: `newerAbove`, `interval`, `pairs` and `cases` of
    `figures`.
    """
    low, high = figures["interval"]
    cases = ", ".join(f"{case} {count}" for case, count in figures["cases"].items())
    return f"{name:<18} newer above {figures['newerAbove']:.4f} [{low:.4f}, {high:.4f}] of {figures['pairs']}: {cases}"


@lab_text.register
def _graph_text(outcome: GraphLabOutput) -> str:
    """Render precision and recall of the `requires` edges found, then the recall of dependencies by each way of asking
    (with the graph leg, without it, …), each also without the stubs of documents that moved away; the legs' health, and
    latency.
    """
    speed = outcome.indexing["documentsPerSecond"]
    lines = [f"graph: {outcome.documents} documents, {outcome.sections} sections, {speed} documents/s indexed", ""]
    lines += [
        f"requires, {which}: precision {figures['precision']:.4f}, recall {figures['recall']:.4f}"
        f" ({figures['found']} found, {figures['true']} true)"
        for which, figures in (("all", outcome.requires["all"]), ("moved aside", outcome.requires["movedAside"]))
    ]
    headings = "".join(f"{head:>17}" for head in _DEPENDENCY_COLUMNS)
    for title, metrics in (("moved aside", outcome.moved_aside), ("all", outcome.metrics)):
        lines += ["", f"{title:<14}{headings}"]
        for name, figures in metrics.items():
            lines.append(f"{name:<14}" + "".join(f"{figures[key]:>17.4f}" for key in _DEPENDENCY_COLUMNS.values()))
    healths = {leg: ", ".join(f"{name} {n}" for name, n in sorted(each.items())) for leg, each in outcome.legs.items()}
    latency = outcome.latency_ms
    lines += ["", "legs: " + "; ".join(f"{leg}: {health}" for leg, health in healths.items())]
    lines.append(f"recall p50 {latency['p50']} ms, p95 {latency['p95']} ms")
    return "\n".join(lines)


@lab_text.register
def _as_of_text(outcome: AsOfLabOutput) -> str:
    """Render how many questions about past values the entities' states answer, and how many a past recall does."""
    lines = [f"asof: {outcome.documents} documents, {outcome.changes} changes of headers", ""]
    for field, figures in outcome.history.items():
        lines.append(f"history answers {figures['answered']} of {figures['questions']} about {field}")
        lines += [
            f"  EIP-{row['document']} at {row['asOf']}: {row['said']!r}, not {row['answer']!r}"
            for row in figures["wrong"]
        ]
    lines += [
        f"recall --as-of, {field}: first in {figures['first']} of {figures['asked']},"
        f" in the first 5 in {figures['inFive']}, found in {figures['found']}"
        for field, figures in outcome.recall.items()
    ]
    if outcome.latency_ms:
        lines.append(f"recall p50 {outcome.latency_ms['p50']} ms, p95 {outcome.latency_ms['p95']} ms")
    return "\n".join(lines)


lab_text.register(lab_table_text)
