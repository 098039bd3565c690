"""Named nodes in, every node that hangs together with them out: how strongly, and by which way it was reached.

Activation spreads from the seeds over typed edges: `activation · decay · weight of the type · confidence`, less against
an edge's direction. Ways that meet in one hop add up as `1 − Π(1 − a)`, so that no activation exceeds 1; a node keeps
what the first hop that reached it gave. Where the query asks for certain edges, these are followed first, as far as
they lead, by the best way alone, so that what is one edge away stands before what is two away; for dependencies what
the named thing refers to counts, too, but is not followed. All else comes behind.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np
from numpy.typing import NDArray

from pellucid.model.entity import EDGE_TYPES, EdgeType
from pellucid.recall.query.edges import AskedEdges
from pellucid.recall.score.equation import Floats, Ints
from pellucid.settings.sections import RecallSettings
from pellucid.store.graph_port import GraphReader, Steps
from pellucid.store.index_port import Admission

WEIGHTS: Mapping[EdgeType, float] = {
    "DEPENDS_ON": 1.0,
    "IMPLEMENTS": 0.9,
    "EXTENDS": 0.9,
    "REFERENCES": 0.8,
    "SUPERSEDES": 0.8,
    "RELATES_TO": 0.6,
    "MENTIONS": 0.5,
    "ALIAS_OF": 1.0,
    "ABOUT": 1.0,
    "DERIVED_FROM": 0.8,
    "PART_OF": 0.6,
}
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
JOINS = 32
"""Edges between named things that are looked at, at most."""
DAMPING = 0.85
_ALMOST = 1 - 1e-9
_BOTH_WAYS = frozenset(EDGE_TYPES.index(name) for name in ("ABOUT", "ALIAS_OF", "PART_OF"))
_WEIGHT: Floats = np.array([WEIGHTS[name] for name in EDGE_TYPES])
_NEUTRAL = np.array([number in _BOTH_WAYS for number in range(len(EDGE_TYPES))])


@dataclass(frozen=True, slots=True)
class Hop:
    """Nodes that a hop was the first to reach, aligned with the node and the edge by which each was reached."""

    nodes: Ints
    here: Ints
    edge: Ints
    forward: NDArray[np.bool_]
    """Whether the edge was followed in its direction."""


@dataclass(frozen=True, slots=True)
class Reached:
    """The nodes a walk reached, aligned and in the order of their numbers, the seeds among them."""

    nodes: Ints
    activation: Floats
    asked: NDArray[np.bool_]
    """Reached along the edges that the query asks for."""
    seed: NDArray[np.bool_]
    hops: Sequence[Hop] = ()
    """How each node but the seeds was reached; of a node that stands in two, as the later one says."""
    joins: Sequence[tuple[int, int, int]] = ()
    """Edges that are asked for between two seeds: the source, the target, the edge. These seeds are asked for, too."""
    rank: Floats = field(default_factory=lambda: np.zeros(0))
    """PageRank among these nodes, the greatest being 1."""

    def came_from(self) -> dict[int, tuple[int, int, bool]]:
        """By node, without seeds: the node it was reached from, the edge, and whether that leads from there to this."""
        out: dict[int, tuple[int, int, bool]] = {}
        for hop in self.hops:
            steps = zip(hop.here.tolist(), hop.edge.tolist(), hop.forward.tolist(), strict=True)
            out.update(zip(hop.nodes.tolist(), steps, strict=True))
        return out

    def between(self) -> dict[int, tuple[int, int, bool]]:
        """By seed that an asked edge joins to another: that other, the edge, and whether it leads from there to it."""
        out: dict[int, tuple[int, int, bool]] = {}
        for source, target, edge in self.joins:
            out.setdefault(target, (source, edge, True))
            out.setdefault(source, (target, edge, False))
        return out


@cache
def _mask(*types: EdgeType) -> NDArray[np.bool_]:
    return np.array([name in types for name in EDGE_TYPES])


def _at_seeds(asked: AskedEdges) -> NDArray[np.bool_]:
    """Which types of edges are asked for at the seeds: where something depends on others, what it refers to counts."""
    return _mask(*asked.types, "REFERENCES") if asked.transitive and asked.out else _mask(*asked.types)


def _edges_between_seeds(steps: Steps, seeds: Ints, wanted: NDArray[np.bool_]) -> list[tuple[int, int, int]]:
    """The edges of the `wanted` types between two seeds, as (source, target, edge), the strongest first.

    `steps` are those at the seeds.
    """
    if len(seeds) < 2:
        return []
    at = (wanted[steps.type] & steps.forward & (steps.there != steps.here) & _within(steps.there, seeds)).nonzero()[0]
    at = at[np.lexsort((steps.edge[at], -_WEIGHT[steps.type[at]] * steps.confidence[at]))][:JOINS]
    return list(zip(steps.here[at].tolist(), steps.there[at].tolist(), steps.edge[at].tolist(), strict=True))


class _Trail:
    """The nodes that a walk has reached so far: how strongly, and by which step."""

    def __init__(self, seeds: Ints) -> None:
        self.nodes = seeds
        self.strength = np.ones(len(seeds))
        self.hops: list[Hop] = []

    @property
    def found(self) -> int:
        """How many nodes it has reached, the seeds aside."""
        return sum(len(hop.nodes) for hop in self.hops)

    def at(self, nodes: Ints) -> Floats:
        """The strength of each of these nodes, all of which it has reached."""
        return self.strength[self.nodes.searchsorted(nodes)]

    def take(self, steps: Steps, flow: Floats, *, together: bool) -> tuple[Ints, Floats, Ints]:
        """Add the nodes that a hop is first to reach. Returns them, how strongly, and the index of the step to each.

        With `together` the flows that meet add up, else the greatest counts. Of very many the strongest are taken.
        """
        fresh = strongest(((flow > 0) & ~_within(steps.there, self.nodes)).nonzero()[0], flow, EDGES)
        there, flows = steps.there[fresh], np.minimum(flow[fresh], _ALMOST)
        if not len(fresh):
            return there, flows, fresh
        order = np.lexsort((steps.edge[fresh], -flows, there))
        fresh, there, flows = fresh[order], there[order], flows[order]
        first = _beginnings(there)
        strength = 1.0 - np.exp(np.add.reduceat(np.log1p(-flows), first)) if together else flows[first]
        if len(first) > TAKEN:
            kept = strongest(np.arange(len(first)), strength, TAKEN)
            first, strength = first[kept], strength[kept]
        nodes, by = there[first], fresh[first]
        self._add(nodes, strength)
        self.hops.append(Hop(nodes, steps.here[by], steps.edge[by], steps.forward[by]))
        return nodes, strength, by

    def put_behind(self, other: "_Trail") -> None:
        """Add what only another has reached, behind what this one has; by which steps stays with the other."""
        rest = ~_within(other.nodes, self.nodes)
        self._add(other.nodes[rest], other.strength[rest] * self.strength.min())

    def _add(self, nodes: Ints, strength: Floats) -> None:
        every = np.concatenate((self.nodes, nodes))
        merged = every.argsort()
        self.nodes, self.strength = every[merged], np.concatenate((self.strength, strength))[merged]


def _within(values: Ints, known: Ints) -> NDArray[np.bool_]:
    """Which of these values stand among the known ones, which are sorted and not empty."""
    return known.take(known.searchsorted(values), mode="clip") == values


def _beginnings(values: Ints) -> Ints:
    """Where each of these values, which are sorted and not none, stands first."""
    return np.concatenate(([0], (values[1:] != values[:-1]).nonzero()[0] + 1))


def strongest(places: Ints, worth: Floats, count: int) -> Ints:
    """The `count` of these places with the greatest worth, in the order they came in; of equals the first."""
    if len(places) <= count:
        return places
    kept = places[(-worth[places]).argsort(kind="stable")[:count]]
    kept.sort()
    return kept


@dataclass(frozen=True, slots=True)
class Walk:
    """One walk over one snapshot."""

    graph: GraphReader
    admission: Admission
    settings: RecallSettings

    def from_seeds(self, seeds: Sequence[int], asked: AskedEdges | None) -> Reached:
        """Walk from these nodes, first along the asked edges, then over all; what was reached, and how."""
        begun = np.array(sorted(seeds), dtype=np.int64)
        near = self._around(begun)
        first, second = _Trail(begun), _Trail(begun)
        joins: list[tuple[int, int, int]] = []
        if asked is not None:
            joins = _edges_between_seeds(near, begun, _at_seeds(asked))
            self._follow_asked(first, near, asked)
        led_to, hops = first.nodes, self.settings.graph_hops
        seen = self._spread_over_all(second, near, min(hops, NEARBY) if first.hops or joins else hops)
        first.put_behind(second)
        seed = _within(first.nodes, begun)
        asked_for = _within(first.nodes, led_to) & ~seed
        for source, target, _ in joins:
            asked_for |= (first.nodes == source) | (first.nodes == target)
        rank = self._page_rank(first.nodes, seed, seen)
        return Reached(first.nodes, first.strength, asked_for, seed, (*second.hops, *first.hops), joins, rank)

    def _follow_asked(self, trail: _Trail, steps: Steps, asked: AskedEdges) -> None:
        """Follow the edges that are asked for as far as they lead; mere references only at the seeds.

        `steps` are those at the seeds. It ends with the hop that fills the leg.
        """
        further = _mask(*asked.types)
        wanted = _at_seeds(asked)[steps.type] & (steps.forward == asked.out)
        for _ in range(FURTHEST if asked.transitive else 1):
            flow = trail.at(steps.here) * self.settings.graph_decay * _WEIGHT[steps.type] * steps.confidence
            nodes, _, by = trail.take(steps, flow * wanted, together=False)
            frontier = nodes[further[steps.type[by]]]
            if not len(frontier) or trail.found >= self.settings.pool:
                break
            steps = self._around(frontier, out=asked.out)
            wanted = further[steps.type]

    def _spread_over_all(self, trail: _Trail, steps: Steps, hops: int) -> list[Steps]:
        """Follow every edge for a few hops, from the seeds, whose `steps` are given; returns all steps looked at."""
        seen = [steps]
        for _ in range(hops - 1):
            nodes, strength = self._spread_one_hop(trail, steps)
            if not len(nodes):
                return seen
            frontier = nodes[strongest(np.arange(len(nodes)), strength, FRONTIER)]
            steps = self._around(frontier, HUB)
            seen.append(steps)
        self._spread_one_hop(trail, steps)
        return seen

    def _spread_one_hop(self, trail: _Trail, steps: Steps) -> tuple[Ints, Floats]:
        """One hop over every edge: the nodes it is the first to reach, and how strongly."""
        against = np.where(steps.forward | _NEUTRAL[steps.type], 1.0, AGAINST)
        flow = trail.at(steps.here) * self.settings.graph_decay * _WEIGHT[steps.type] * against * steps.confidence
        nodes, strength, _ = trail.take(steps, flow, together=True)
        return nodes, strength

    def _around(self, frontier: Ints, hub: int = 0, *, out: bool | None = None) -> Steps:
        floor = self.settings.graph_traversal_confidence_floor
        return self.graph.around(frontier, self.admission, floor, hub, out=out)

    def _page_rank(self, nodes: Ints, seed: NDArray[np.bool_], steps: Sequence[Steps]) -> Floats:
        """PageRank (Brin, Page, 1998) among these nodes, restarting at the seeds; the greatest is 1.

        A node shares its mass over its edges to nodes of the walk alone, and keeps it where it has none.
        """
        count, restart = len(nodes), seed / max(float(seed.sum()), 1.0)
        source, target, weight = _links_among(nodes, steps)
        total = np.bincount(source, weights=weight, minlength=count)
        share, alone = weight / total[source], (total == 0).nonzero()[0]
        source, target = np.concatenate((source, alone)), np.concatenate((target, alone))
        share = np.concatenate((share, np.ones(len(alone))))
        mass, begins = restart, (1 - DAMPING) * restart
        for _ in range(self.settings.graph_traversal_page_rank_iterations):
            moved = np.bincount(target, weights=mass[source] * share, minlength=count)
            mass = begins + DAMPING * moved
        return mass / max(float(mass.max(initial=0.0)), 1e-12)


def _links_among(nodes: Ints, steps: Sequence[Steps]) -> tuple[Ints, Ints, Floats]:
    """The edges among these nodes that a walk saw, each once and both ways, as positions with their weight.

    The nodes are those it went on from and more.
    """
    there = np.concatenate([each.there for each in steps])
    place = nodes.searchsorted(there)
    inside = (nodes.take(place, mode="clip") == there).nonzero()[0]
    edge = np.concatenate([each.edge for each in steps])[inside]
    order = edge.argsort(kind="stable")
    inside = inside[order[_beginnings(edge[order])]] if len(order) else inside
    here = np.concatenate([each.here for each in steps])[inside]
    kind = np.concatenate([each.type for each in steps])[inside]
    weight = _WEIGHT[kind] * np.concatenate([each.confidence for each in steps])[inside]
    a, b = nodes.searchsorted(here), place[inside]
    return np.concatenate((a, b)), np.concatenate((b, a)), np.concatenate((weight, weight))
