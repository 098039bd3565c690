"""The EIP set's folder in, how right the graph is out: edges from headers, and dependencies as a recall brings them."""

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
"""What is left out of the recalls of each variant."""
DEPTH = 20  # documents of a ranking that `details` show


class GraphLabOutput(Wire):
    """How right the edges are, and what a recall of dependencies brings; docs/lab.md says what each number means."""

    dataset: Literal["graph"] = "graph"
    documents: int
    sections: int
    indexing: dict[str, float]
    requires: dict[str, dict[str, Any]]
    """Edges read from headers against the truth: `all`, and with stubs that moved away as neither end."""
    questions: int
    metrics: dict[str, dict[str, Any]]
    """By variant, see `lab.graph_metrics.dependencies`."""
    moved_aside: dict[str, dict[str, Any]]
    """The same with stubs that moved away counted nowhere."""
    legs: dict[str, dict[str, int]]
    """By leg, in how many recalls it was ok, empty, degraded or off."""
    latency_ms: dict[str, float]
    details: tuple[dict[str, Any], ...] = ()


def run_graph(settings: Settings, request: DocumentsLab, report: Report) -> GraphLabOutput:
    """Index the documents, compare their edges with the truth, and ask what each depends on."""
    documents, truth = eips.documents(request.data), eips.requires(request.data)
    moved = frozenset(each.number for each in documents if each.status == eips.MOVED)
    asked = request.some(sorted(truth))
    with index_documents(settings, documents, report) as home:
        found = _header_edges(home.app)
        sections = len(home.app.index.memories(NAMESPACE))
        told = {
            name: _measure_dependencies(home.app, asked, (*request.without, *left_out), name, report)
            for name, left_out in VARIANTS.items()
        }
    rankings = {name: each.rankings for name, each in told.items()}
    return GraphLabOutput(
        documents=len(documents),
        sections=sections,
        indexing=home.speed,
        questions=len(asked),
        requires={
            "all": agreement(found, pairs(truth)),
            "movedAside": agreement({pair for pair in found if not moved & set(pair)}, pairs(truth, moved)),
        },
        metrics={name: dependencies(each, truth) for name, each in rankings.items()},
        moved_aside={name: _metrics_without(each, truth, moved) for name, each in rankings.items()},
        legs=told["all"].health,
        latency_ms=spread(told["all"].millis),
        details=_rankings(rankings, truth) if request.details else (),
    )


def _header_edges(app: App) -> set[Pair]:
    """Return the open edges that headers state: (document, document that it requires)."""
    return {
        (number_of(each.edge.source), number_of(each.edge.target))
        for each in app.graph.edges(NAMESPACE, types=("DEPENDS_ON",))
        if each.edge.section == "requires" and each.edge.valid_until >= FOREVER
    }


@dataclass(frozen=True, slots=True)
class _BroughtDocuments:
    """The results of recalls: documents by number, best first; the health of each leg, and milliseconds."""

    rankings: Mapping[int, list[int]]
    health: dict[str, dict[str, int]]
    millis: Sequence[float]


def _measure_dependencies(
    app: App, asked: Sequence[int], left_out: tuple[str, ...], title: str, report: Report
) -> _BroughtDocuments:
    """Ask what each document depends on (`asked` by number), without the parts in `left_out`; `title` is for
    progress."""
    rankings: dict[int, list[int]] = {}
    health: dict[str, Counter[str]] = {}
    millis: list[float] = []
    asks = [Ask(number, f"what does EIP-{number} depend on") for number in asked]
    for number, state, spent in recall_each(app, asks, left_out, f"asking, {title}", report):
        millis.append(spent)
        rankings[number] = documents_of(state)
        for leg in state.legs:
            health.setdefault(leg.name, Counter())[leg.health] += 1
    return _BroughtDocuments(rankings, {name: dict(counts) for name, counts in health.items()}, millis)


def _metrics_without(rankings: Mapping[int, list[int]], truth: Requires, moved: AbstractSet[int]) -> dict[str, Any]:
    """Return the metrics without the documents that moved, as question, requirement or result."""
    left = without(truth, moved)
    kept = {number: [each for each in ranking if each not in moved] for number, ranking in rankings.items()}
    return dependencies({number: kept[number] for number in rankings if number in left}, left)


def _rankings(rankings: Mapping[str, Mapping[int, list[int]]], truth: Requires) -> tuple[dict[str, Any], ...]:
    """Return, for each document asked about, what each variant ranked beside the truth, in wire form."""
    return tuple(
        {"document": number, "requires": sorted(truth[number])}
        | {name: each[number][:DEPTH] for name, each in rankings.items()}
        for number in rankings["all"]
    )
