"""Named nodes in, every node connected to them out: how strongly, and by which path it was reached.

Activation spreads from the seeds over typed edges: `activation · decay · weight of the type · confidence`, less against
an edge's direction. Paths that meet in one hop add up as `1 − Π(1 − a)`, which never exceeds 1; a node keeps the
activation of the first hop that reached it. Edges that the query asks for are followed first, as far as they lead, by
the best path alone, so that what is one edge away ranks before what is two edges away. If dependencies are asked for,
references of the named thing count, too, but are not followed further. All other nodes rank after these.
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
"""The share of activation that an edge of each type passes on."""
AGAINST = 0.7
"""The share that is passed on against the direction of an edge; some types pass the same in both directions."""
FRONTIER = 32
"""The most nodes that a further hop starts from: the strongest."""
HUB = 128
"""A hop does not pass through a node with more edges than this: what everything is connected to says nothing."""
NEARBY = 2
"""The most hops over all edges if asked edges lead somewhere."""
EDGES, TAKEN = 512, 128
"""The most edges looked at, and the most nodes added, in a hop: the strongest."""
FURTHEST = 16
"""The most hops along asked edges."""
JOINS = 32
"""The most edges between named things that are looked at."""
DAMPING = 0.85
_ALMOST = 1 - 1e-9
_BOTH_WAYS = frozenset(EDGE_TYPES.index(name) for name in ("ABOUT", "ALIAS_OF", "PART_OF"))
_WEIGHT: Floats = np.array([WEIGHTS[name] for name in EDGE_TYPES])
_NEUTRAL = np.array([number in _BOTH_WAYS for number in range(len(EDGE_TYPES))])


@dataclass(frozen=True, slots=True)
class Hop:
    """The nodes that a hop was the first to reach, aligned with the node it came from (`here`) and the edge to each."""

    nodes: Ints
    here: Ints
    edge: Ints
    forward: NDArray[np.bool_]
    """Whether the edge was followed in its direction."""


@dataclass(frozen=True, slots=True)
class Reached:
    """The nodes a walk reached, seeds included, as aligned columns sorted by node number."""

    nodes: Ints
    activation: Floats
    asked: NDArray[np.bool_]
    """Whether the node was reached along the edges that the query asks for."""
    seed: NDArray[np.bool_]
    hops: Sequence[Hop] = ()
    """How each node but the seeds was reached; of a node in two hops, the later one counts."""
    joins: Sequence[tuple[int, int, int]] = ()
    """Asked edges between two seeds, as (source, target, edge). These seeds count as asked for, too."""
    rank: Floats = field(default_factory=lambda: np.zeros(0))
    """PageRank among these nodes, the greatest being 1."""

    def came_from(self) -> dict[int, tuple[int, int, bool]]:
        """Map each node but the seeds to how it was reached: the node before it, the edge, and whether the edge was
        followed in its direction."""
        out: dict[int, tuple[int, int, bool]] = {}
        for hop in self.hops:
            steps = zip(hop.here.tolist(), hop.edge.tolist(), hop.forward.tolist(), strict=True)
            out.update(zip(hop.nodes.tolist(), steps, strict=True))
        return out

    def between(self) -> dict[int, tuple[int, int, bool]]:
        """Map each seed that an asked edge joins to another seed to (that other seed, the edge, whether the edge points
        to the first). If several do, the strongest counts."""
        out: dict[int, tuple[int, int, bool]] = {}
        for source, target, edge in self.joins:
            out.setdefault(target, (source, edge, True))
            out.setdefault(source, (target, edge, False))
        return out


@cache
def _type_mask(*types: EdgeType) -> NDArray[np.bool_]:
    """Return a mask over `EDGE_TYPES` that is true for these types; all callers share it."""
    return np.array([name in types for name in EDGE_TYPES])


def _types_at_seeds(asked: AskedEdges) -> NDArray[np.bool_]:
    """Return a mask of the edge types asked for at the seeds; if it is asked what a thing depends on, its references
    count, too."""
    return _type_mask(*asked.types, "REFERENCES") if asked.transitive and asked.out else _type_mask(*asked.types)


def _edges_between_seeds(steps: Steps, seeds: Ints, wanted: NDArray[np.bool_]) -> list[tuple[int, int, int]]:
    """Return those of `steps` that have a type in the mask `wanted`, are seen in their own direction and join two
    different seeds, as (source, target, edge): the strongest (weight of the type times confidence) first, `JOINS` at
    most."""
    if len(seeds) < 2:
        return []
    at = (wanted[steps.type] & steps.forward & (steps.there != steps.here) & _is_among(steps.there, seeds)).nonzero()[0]
    at = at[np.lexsort((steps.edge[at], -_WEIGHT[steps.type[at]] * steps.confidence[at]))][:JOINS]
    return list(zip(steps.here[at].tolist(), steps.there[at].tolist(), steps.edge[at].tolist(), strict=True))


class _Trail:
    """The nodes that a walk has reached so far, sorted, how strongly (`strength`), and by which hops."""

    def __init__(self, seeds: Ints) -> None:
        self.nodes = seeds
        self.strength = np.ones(len(seeds))
        self.hops: list[Hop] = []

    @property
    def reached_count(self) -> int:
        """Return how many nodes the walk has reached, without the seeds."""
        return sum(len(hop.nodes) for hop in self.hops)

    def level(self, nodes: Ints) -> Floats:
        """Return the strength of each of these nodes, all of which the walk has reached."""
        return self.strength[self.nodes.searchsorted(nodes)]

    def take(self, steps: Steps, flow: Floats, *, together: bool) -> tuple[Ints, Floats, Ints]:
        """Add the nodes that a hop is first to reach, and the hop; return the nodes (sorted), their strength, and the
        index in `steps` of the edge to each.

        `flow` is the activation along each step. With `together` the flows into one node add up (as `1 − Π(1 − a)`),
        else the greatest counts. Only the 512 strongest steps are looked at, and at most 128 nodes added.
        """
        fresh = strongest(((flow > 0) & ~_is_among(steps.there, self.nodes)).nonzero()[0], flow, EDGES)
        there, flows = steps.there[fresh], np.minimum(flow[fresh], _ALMOST)
        if not len(fresh):
            return there, flows, fresh
        order = np.lexsort((steps.edge[fresh], -flows, there))
        fresh, there, flows = fresh[order], there[order], flows[order]
        first = _first_positions(there)
        strength = 1.0 - np.exp(np.add.reduceat(np.log1p(-flows), first)) if together else flows[first]
        if len(first) > TAKEN:
            kept = strongest(np.arange(len(first)), strength, TAKEN)
            first, strength = first[kept], strength[kept]
        nodes, by = there[first], fresh[first]
        self._add(nodes, strength)
        self.hops.append(Hop(nodes, steps.here[by], steps.edge[by], steps.forward[by]))
        return nodes, strength, by

    def put_behind(self, other: "_Trail") -> None:
        """Add to this trail the nodes that only `other` has reached, with their strength there times the least strength
        in this trail, so that they rank after its nodes; the other's hops are not taken over."""
        rest = ~_is_among(other.nodes, self.nodes)
        self._add(other.nodes[rest], other.strength[rest] * self.strength.min())

    def _add(self, nodes: Ints, strength: Floats) -> None:
        """Merge nodes that are new to the trail, and their strength, into `nodes` and `strength`; `nodes` stays
        sorted."""
        every = np.concatenate((self.nodes, nodes))
        merged = every.argsort()
        self.nodes, self.strength = every[merged], np.concatenate((self.strength, strength))[merged]


def _is_among(values: Ints, sorted_values: Ints) -> NDArray[np.bool_]:
    """Return a mask of the values that are in `sorted_values`, which must not be empty."""
    return sorted_values.take(sorted_values.searchsorted(values), mode="clip") == values


def _first_positions(values: Ints) -> Ints:
    """Return the first position of each distinct value; the values must be sorted and not empty."""
    return np.concatenate(([0], (values[1:] != values[:-1]).nonzero()[0] + 1))


def strongest(places: Ints, worth: Floats, count: int) -> Ints:
    """Return the `count` of these places with the greatest worth, in rising order; of equals the first are chosen.

    If there are no more than `count`, all are returned as they are. `worth` is indexed by place.
    """
    if len(places) <= count:
        return places
    kept = places[(-worth[places]).argsort(kind="stable")[:count]]
    kept.sort()
    return kept


@dataclass(frozen=True, slots=True)
class Walk:
    """Walks over the graph of one snapshot, from named nodes."""

    graph: GraphReader
    admission: Admission
    settings: RecallSettings

    def from_seeds(self, seeds: Sequence[int], asked: AskedEdges | None) -> Reached:
        """Walk from these nodes, first along the edges that the query asks for (`asked`, or None), then over all edges;
        return all nodes reached, seeds included.

        `seeds` are the numbers of one or more nodes in this snapshot. Asked edges are followed for one hop or, if they
        are transitive, for up to 16; all edges for `graphHops` hops, but at most 2 if asked edges lead somewhere.
        """
        sorted_seeds = np.array(sorted(seeds), dtype=np.int64)
        seed_steps = self._steps_from(sorted_seeds)
        first, second = _Trail(sorted_seeds), _Trail(sorted_seeds)
        joins: list[tuple[int, int, int]] = []
        if asked is not None:
            joins = _edges_between_seeds(seed_steps, sorted_seeds, _types_at_seeds(asked))
            self._follow_asked(first, seed_steps, asked)
        led_to, hops = first.nodes, self.settings.graph_hops
        seen = self._spread_over_all(second, seed_steps, min(hops, NEARBY) if first.hops or joins else hops)
        first.put_behind(second)
        seed = _is_among(first.nodes, sorted_seeds)
        asked_for = _is_among(first.nodes, led_to) & ~seed
        for source, target, _ in joins:
            asked_for |= (first.nodes == source) | (first.nodes == target)
        rank = self._page_rank(first.nodes, seed, seen)
        return Reached(first.nodes, first.strength, asked_for, seed, (*second.hops, *first.hops), joins, rank)

    def _follow_asked(self, trail: _Trail, steps: Steps, asked: AskedEdges) -> None:
        """Follow the asked edges from the seeds, whose edges are `steps`, and add the nodes that they lead to to
        `trail`: for one hop or, if they are transitive, for up to `FURTHEST`, until no node is new or `pool` nodes (a
        setting) are reached. References, which count as dependencies, are followed from the seeds alone."""
        further = _type_mask(*asked.types)
        wanted = _types_at_seeds(asked)[steps.type] & (steps.forward == asked.out)
        for _ in range(FURTHEST if asked.transitive else 1):
            flow = trail.level(steps.here) * self.settings.graph_decay * _WEIGHT[steps.type] * steps.confidence
            nodes, _, by = trail.take(steps, flow * wanted, together=False)
            frontier = nodes[further[steps.type[by]]]
            if not len(frontier) or trail.reached_count >= self.settings.pool:
                break
            steps = self._steps_from(frontier, out=asked.out)
            wanted = further[steps.type]

    def _spread_over_all(self, trail: _Trail, steps: Steps, hops: int) -> list[Steps]:
        """Follow every edge for `hops` hops from the seeds, whose edges are `steps`, adding the nodes to `trail`;
        return the steps looked at, one entry for each hop. A further hop starts from the `FRONTIER` strongest new
        nodes, but from none with more than `HUB` edges."""
        seen = [steps]
        for _ in range(hops - 1):
            nodes, strength = self._spread_one_hop(trail, steps)
            if not len(nodes):
                return seen
            frontier = nodes[strongest(np.arange(len(nodes)), strength, FRONTIER)]
            steps = self._steps_from(frontier, HUB)
            seen.append(steps)
        self._spread_one_hop(trail, steps)
        return seen

    def _spread_one_hop(self, trail: _Trail, steps: Steps) -> tuple[Ints, Floats]:
        """Make one hop over every edge in `steps`; add to `trail` the nodes that it is the first to reach, and return
        them and their strength."""
        against = np.where(steps.forward | _NEUTRAL[steps.type], 1.0, AGAINST)
        flow = trail.level(steps.here) * self.settings.graph_decay * _WEIGHT[steps.type] * against * steps.confidence
        nodes, strength, _ = trail.take(steps, flow, together=True)
        return nodes, strength

    def _steps_from(self, frontier: Ints, hub: int = 0, *, out: bool | None = None) -> Steps:
        """Return the admissible edges at the nodes `frontier` whose confidence reaches the floor in the settings: with
        `out` True only those that lead from them, with False only those to them, with None both; unless `hub` is 0,
        none at nodes with more than `hub` edges."""
        floor = self.settings.graph_traversal_confidence_floor
        return self.graph.around(frontier, self.admission, floor, hub, out=out)

    def _page_rank(self, nodes: Ints, seed: NDArray[np.bool_], steps: Sequence[Steps]) -> Floats:
        """Return the PageRank (Brin, Page, 1998) of these nodes over the edges in `steps`, restarting at those in the
        mask `seed`; the greatest is 1.

        A node shares its mass over its edges to nodes of the walk alone, and keeps its mass if it has no such edge.
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
    """Return the distinct edges among these sorted nodes that a walk saw, each in both directions, as three aligned
    columns: the source's and the target's position in `nodes`, and the weight (that of the type times the confidence).
    """
    there = np.concatenate([each.there for each in steps])
    place = nodes.searchsorted(there)
    inside = (nodes.take(place, mode="clip") == there).nonzero()[0]
    edge = np.concatenate([each.edge for each in steps])[inside]
    order = edge.argsort(kind="stable")
    inside = inside[order[_first_positions(edge[order])]] if len(order) else inside
    here = np.concatenate([each.here for each in steps])[inside]
    kind = np.concatenate([each.type for each in steps])[inside]
    weight = _WEIGHT[kind] * np.concatenate([each.confidence for each in steps])[inside]
    a, b = nodes.searchsorted(here), place[inside]
    return np.concatenate((a, b)), np.concatenate((b, a)), np.concatenate((weight, weight))
