"""Named nodes in, every node that hangs together with them out: how strongly, and by which way it was reached.

Activation spreads from the seeds over typed edges: `activation · decay · weight of the type · confidence`, less against
an edge's direction. Ways that meet in one hop add up as `1 − Π(1 − a)`, so that no activation exceeds 1; a node keeps
what the first hop that reached it gave. Where the query asks for certain edges, these are followed first, as far as
they lead, by the best way alone, so that what is one edge away stands before what is two away; for dependencies what
the named thing refers to counts, too, but is not followed. All else comes behind.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pellucid.model.entity import EDGE_TYPES, EdgeType
from pellucid.recall.equation import Floats, Ints
from pellucid.recall.query_edges import AskedEdges
from pellucid.settings import RecallSettings
from pellucid.store.graph_port import GraphReader, Steps
from pellucid.store.index_port import Admission

WEIGHTS: Mapping[EdgeType, float] = {
    "DEPENDS_ON": 1.0, "IMPLEMENTS": 0.9, "EXTENDS": 0.9, "REFERENCES": 0.8, "SUPERSEDES": 0.8, "RELATES_TO": 0.6,
    "MENTIONS": 0.5, "ALIAS_OF": 1.0, "ABOUT": 1.0, "DERIVED_FROM": 0.8, "PART_OF": 0.6,
}  # fmt: skip
"""What an edge of each type passes on."""
AGAINST = 0.7
"""The share that is passed on against the direction of an edge; memories and what they are about count both ways."""
FRONTIER = 32
"""Nodes from which a further hop goes on at most: the strongest."""
HUB = 128
"""Edges of a node through which no hop goes on: what everything hangs together with says nothing of anything."""
NEARBY = 2
"""Hops over all edges at most where those that were asked for lead somewhere."""
EDGES, TAKEN = 512, 128
"""Edges of a hop that are looked at, and nodes that are taken in, at most: the strongest."""
FURTHEST = 16
"""Hops along edges that were asked for, at most."""
DAMPING = 0.85
_BOTH_WAYS = frozenset(EDGE_TYPES.index(name) for name in ("ABOUT", "ALIAS_OF", "PART_OF"))
_WEIGHT = np.array([WEIGHTS[name] for name in EDGE_TYPES])
_NEUTRAL = np.array([number in _BOTH_WAYS for number in range(len(EDGE_TYPES))])


@dataclass(frozen=True, slots=True)
class Reached:
    """The nodes a walk reached, aligned and in the order of their numbers, the seeds among them."""

    nodes: Ints
    activation: Floats
    asked: NDArray[np.bool_]
    """Reached along the edges that the query asks for."""
    seed: NDArray[np.bool_]
    came: Mapping[int, tuple[int, int, bool]] = field(default_factory=dict[int, tuple[int, int, bool]])
    """For each node but the seeds: the node it was reached from, the edge, and whether in its direction."""
    rank: Floats = field(default_factory=lambda: np.zeros(0))
    """PageRank among these nodes, the greatest being 1."""


def _mask(types: Sequence[EdgeType]) -> NDArray[np.bool_]:
    return np.isin(np.arange(len(EDGE_TYPES)), [EDGE_TYPES.index(name) for name in types])


class _Trail:
    """The nodes that a walk has reached so far: how strongly, and by which step."""

    def __init__(self, seeds: Sequence[int]) -> None:
        self.nodes = np.array(sorted(seeds), dtype=np.int64)
        self.strength = np.ones(len(self.nodes))
        self.came: dict[int, tuple[int, int, bool]] = {}

    def at(self, nodes: Ints) -> Floats:
        """The strength of each of these nodes, all of which it has reached."""
        return self.strength[np.searchsorted(self.nodes, nodes)]

    def take(self, steps: Steps, flow: Floats, *, together: bool) -> tuple[Ints, Ints]:
        """Take in the nodes that a hop reaches for the first time, and the strongest step to each, by its place.

        With `together` the flows that meet add up, else the greatest counts. Of very many the strongest are taken.
        """
        fresh = _strongest(np.flatnonzero((flow > 0) & ~_within(steps.there, self.nodes)), flow, EDGES)
        there, flows = steps.there[fresh], np.minimum(flow[fresh], 1 - 1e-9)
        order = np.lexsort((steps.edge[fresh], -flows, there))
        there, flows = there[order], flows[order]
        first = np.flatnonzero(np.r_[True, there[1:] != there[:-1]]) if len(there) else np.zeros(0, dtype=np.int64)
        strength = flows[first]
        if together and len(first):
            strength = 1.0 - np.exp(np.add.reduceat(np.log1p(-flows), first))
        kept = _strongest(np.arange(len(first)), strength, TAKEN)
        nodes, by = there[first[kept]], fresh[order][first[kept]]
        every = np.r_[self.nodes, nodes]
        merged = np.argsort(every)
        self.nodes, self.strength = every[merged], np.r_[self.strength, strength[kept]][merged]
        came = zip(steps.here[by].tolist(), steps.edge[by].tolist(), steps.forward[by].tolist(), strict=True)
        self.came |= dict(zip(nodes.tolist(), came, strict=True))
        return nodes, by

    def strongest(self, nodes: Ints, count: int) -> Ints:
        """From which of these nodes, sorted, a walk goes on."""
        return nodes[_strongest(np.arange(len(nodes)), self.at(nodes), count)]


def _within(values: Ints, known: Ints) -> NDArray[np.bool_]:
    """Which of these values stand among the known ones, which are sorted and not empty."""
    return known[np.minimum(np.searchsorted(known, values), len(known) - 1)] == values


def _strongest(places: Ints, worth: Floats, count: int) -> Ints:
    """The places of the greatest worth, in the order they have; of equals the first."""
    if len(places) <= count:
        return places
    return np.sort(places[np.argsort(-worth[places], kind="stable")[:count]])


@dataclass(slots=True)
class Walk:
    """One walk over one snapshot."""

    graph: GraphReader
    admission: Admission
    settings: RecallSettings
    _steps: list[Steps] = field(default_factory=list[Steps])

    def from_seeds(self, seeds: Sequence[int], asked: AskedEdges | None) -> Reached:
        """Walk from these nodes."""
        first = self._follow(seeds, asked) if asked is not None else _Trail(seeds)
        hops = self.settings.graph_hops
        second = self._spread(seeds, min(hops, NEARBY) if first.came else hops)
        found = np.array(sorted(first.came), dtype=np.int64)
        behind = float(first.at(found).min(initial=1.0))
        rest = ~_within(second.nodes, first.nodes)
        every = np.r_[first.nodes, second.nodes[rest]]
        order = np.argsort(every)
        strength = np.r_[first.strength, second.strength[rest] * behind][order]
        nodes = every[order]
        asked_for = _within(nodes, found) if len(found) else np.zeros(len(nodes), dtype=np.bool_)
        seed = _within(nodes, np.array(sorted(seeds), dtype=np.int64))
        return Reached(nodes, strength, asked_for, seed, second.came | first.came, self._page_rank(nodes, seed))

    def _follow(self, seeds: Sequence[int], asked: AskedEdges) -> _Trail:
        """Along the edges that are asked for, as far as they lead; what is only named beside these, one edge.

        It ends with the hop that fills the leg.
        """
        trail = _Trail(seeds)
        frontier, further = trail.nodes, _mask(asked.types)
        wanted = _mask((*asked.types, "REFERENCES")) if asked.transitive and asked.out else further
        for _ in range(FURTHEST if asked.transitive else 1):
            steps = self._around(frontier, out=asked.out)
            flow = trail.at(steps.here) * self.settings.graph_decay * _WEIGHT[steps.type] * steps.confidence
            fresh, by = trail.take(steps, np.where(wanted[steps.type], flow, 0.0), together=False)
            fresh = fresh[further[steps.type[by]]]
            if not len(fresh) or len(trail.came) >= self.settings.pool:
                break
            frontier, wanted = trail.strongest(fresh, TAKEN), further
        return trail

    def _spread(self, seeds: Sequence[int], hops: int) -> _Trail:
        """Over every edge, a few hops."""
        trail = _Trail(seeds)
        frontier = trail.nodes
        for hop in range(hops):
            steps = self._around(frontier, HUB if hop else 0)
            self._steps.append(steps)
            against = np.where(steps.forward | _NEUTRAL[steps.type], 1.0, AGAINST)
            flow = trail.at(steps.here) * self.settings.graph_decay * _WEIGHT[steps.type] * against * steps.confidence
            fresh, _ = trail.take(steps, flow, together=True)
            if not len(fresh):
                break
            frontier = trail.strongest(fresh, FRONTIER)
        return trail

    def _around(self, frontier: Ints, hub: int = 0, *, out: bool | None = None) -> Steps:
        floor = self.settings.graph_traversal_confidence_floor
        return self.graph.around(frontier, self.admission, floor, hub, out=out)

    def _page_rank(self, nodes: Ints, seed: NDArray[np.bool_]) -> Floats:
        """PageRank (Brin, Page, 1998) among these nodes, restarting at the seeds; the greatest is 1.

        A node shares its mass over its edges to nodes of the walk alone, and keeps it where it has none.
        """
        restart = seed / max(float(seed.sum()), 1.0)
        source, target, weight = self._links(nodes)
        total = np.bincount(source, weights=weight, minlength=len(nodes))
        share, dangling = weight / total[source], total == 0
        mass = restart
        for _ in range(self.settings.graph_traversal_page_rank_iterations):
            moved = np.bincount(target, weights=mass[source] * share, minlength=len(nodes))
            mass = (1 - DAMPING) * restart + DAMPING * (moved + np.where(dangling, mass, 0.0))
        return mass / max(float(mass.max(initial=0.0)), 1e-12)

    def _links(self, nodes: Ints) -> tuple[Ints, Ints, Floats]:
        """The edges among these nodes that the walk saw, each once and both ways, as positions with their weight."""
        here, there, edge = (
            np.concatenate([getattr(each, name) for each in self._steps]) for name in ("here", "there", "edge")
        )
        weight = np.concatenate([_WEIGHT[each.type] * each.confidence for each in self._steps])
        inside = np.flatnonzero(_within(there, nodes) & _within(here, nodes))
        _, once = np.unique(edge[inside], return_index=True)
        inside = inside[once]
        a, b = np.searchsorted(nodes, here[inside]), np.searchsorted(nodes, there[inside])
        return np.r_[a, b], np.r_[b, a], np.r_[weight[inside], weight[inside]]
