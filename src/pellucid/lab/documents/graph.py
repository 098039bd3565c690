"""The EIP set's folder in, how right the graph is out: edges from headers, and dependencies found by a recall."""

from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, Literal

from pellucid.app import App
from pellucid.lab.datasets import eips
from pellucid.lab.documents.home import (
    NAMESPACE,
    Ask,
    DocumentsLab,
    Report,
    documents_of,
    index_documents,
    number_of,
    recall_each,
)
from pellucid.lab.metrics.graph import Pair, Requires, agreement, dependencies, pairs, without
from pellucid.lab.metrics.ranking import spread
from pellucid.lab.variants import FLOORS, all_but
from pellucid.model.entity import FOREVER
from pellucid.model.wire import Wire
from pellucid.settings import Settings

VARIANTS: dict[str, tuple[str, ...]] = {"all": (), "withoutGraph": ("graph",), **FLOORS, "graphAlone": all_but("graph")}
"""Maps each variant to the parts that its recalls leave out."""
DEPTH = 20  # documents of a ranking that `details` show


class GraphLabOutput(Wire):
    """How right the edges are, and what a recall of dependencies finds; docs/lab.md explains each number."""

    dataset: Literal["graph"] = "graph"
    documents: int
    sections: int
    indexing: dict[str, float]
    requires: dict[str, dict[str, Any]]
    """Edges read from headers against the truth: `all`, and without stubs of documents that moved away."""
    questions: int
    metrics: dict[str, dict[str, Any]]
    """Maps variants to the metrics of `lab.metrics.graph.dependencies`."""
    moved_aside: dict[str, dict[str, Any]]
    """The same, without stubs of documents that moved away."""
    legs: dict[str, dict[str, int]]
    """Maps legs to how many recalls each was ok, empty, degraded or off in."""
    latency_ms: dict[str, float]
    details: tuple[dict[str, Any], ...] = ()


def run_graph(settings: Settings, request: DocumentsLab, report: Report) -> GraphLabOutput:
    """Index the documents in a temporary home, compare their edges with the truth, ask what each depends on, and return
    how right both are. `report` gets lines about the progress. InputError or ValueError if a file of the set is missing
    or malformed, StoreError if not all is indexed.
    """
    documents, truth = eips.documents(request.data), eips.requires(request.data)
    moved = frozenset(each.number for each in documents if each.status == eips.MOVED)
    asked = request.sampled(sorted(truth))
    with index_documents(settings, documents, report) as home:
        header_edges = _header_edges(home.app)
        sections = len(home.app.index.memories(NAMESPACE))
        measured = {
            name: _measure_dependencies(home.app, asked, (*request.without, *left_out), name, report)
            for name, left_out in VARIANTS.items()
        }
    rankings = {name: each.rankings for name, each in measured.items()}
    return GraphLabOutput(
        documents=len(documents),
        sections=sections,
        indexing=home.speed,
        questions=len(asked),
        requires={
            "all": agreement(header_edges, pairs(truth)),
            "movedAside": agreement({pair for pair in header_edges if not moved & set(pair)}, pairs(truth, moved)),
        },
        metrics={name: dependencies(each, truth) for name, each in rankings.items()},
        moved_aside={name: _metrics_without(each, truth, moved) for name, each in rankings.items()},
        legs=measured["all"].health,
        latency_ms=spread(measured["all"].millis),
        details=_rankings(rankings, truth) if request.details else (),
    )


def _header_edges(app: App) -> set[Pair]:
    """Return the edges that headers state by the key `requires` and that still hold, as pairs of numbers: (document,
    document that it requires).
    """
    return {
        (number_of(each.edge.source), number_of(each.edge.target))
        for each in app.graph.edges(NAMESPACE, types=("DEPENDS_ON",))
        if each.edge.section == "requires" and each.edge.valid_until >= FOREVER
    }


@dataclass(frozen=True, slots=True)
class _FoundDocuments:
    """The results of recalls: documents by number, best first; the health of each leg, and milliseconds."""

    rankings: Mapping[int, list[int]]
    health: dict[str, dict[str, int]]
    millis: Sequence[float]


def _measure_dependencies(
    app: App, numbers: Sequence[int], left_out: tuple[str, ...], title: str, report: Report
) -> _FoundDocuments:
    """Recall what each document of these numbers depends on, without the parts in `left_out`, and return the documents
    found, the legs' health and the times; `title` is for progress.
    """
    rankings: dict[int, list[int]] = {}
    health: dict[str, Counter[str]] = {}
    millis: list[float] = []
    asks = [Ask(number, f"what does EIP-{number} depend on") for number in numbers]
    for number, state, spent in recall_each(app, asks, left_out, f"asking, {title}", report):
        millis.append(spent)
        rankings[number] = documents_of(state)
        for leg in state.legs:
            health.setdefault(leg.name, Counter())[leg.health] += 1
    return _FoundDocuments(rankings, {name: dict(counts) for name, counts in health.items()}, millis)


def _metrics_without(rankings: Mapping[int, list[int]], truth: Requires, moved: AbstractSet[int]) -> dict[str, Any]:
    """Return the metrics of `dependencies` without the documents that moved, be they question, requirement or result.
    `rankings` maps each document asked about to documents, best first; `truth` is what each requires.
    """
    requires = without(truth, moved)
    without_moved = {number: [each for each in ranking if each not in moved] for number, ranking in rankings.items()}
    return dependencies({number: without_moved[number] for number in rankings if number in requires}, requires)


def _rankings(rankings: Mapping[str, Mapping[int, list[int]]], truth: Requires) -> tuple[dict[str, Any], ...]:
    """Return a row in wire form for each document asked about: `document`, what it `requires`, and by the name of each
    variant the first 20 of its ranking.
    """
    return tuple(
        {"document": number, "requires": sorted(truth[number])}
        | {name: each[number][:DEPTH] for name, each in rankings.items()}
        for number in rankings["all"]
    )
