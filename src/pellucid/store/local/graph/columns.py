"""Rows of edges and homes in, aligned NumPy columns out: the warm graph of a process, re-read a segment at a time.

Both directions of every edge stand in one table sorted by the node asked about (compressed sparse rows), so that the
edges at some nodes are a few slices. A node that is only another name of one entity stands for that entity.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

import apsw
import numpy as np
from numpy.typing import NDArray

from pellucid.deadline import Deadline
from pellucid.store.graph_port import Ints
from pellucid.store.local.database import execute
from pellucid.store.local.graph.writer import GRAPH_SEGMENT
from pellucid.store.local.index.columns import View

_COLUMNS: tuple[tuple[str, type[Any]], ...] = (
    ("edge", np.int64),
    ("file", np.int64),
    ("source", np.int64),
    ("target", np.int64),
    ("type", np.uint8),
    ("confidence", np.float32),
    ("valid_from", np.int64),
    ("valid_until", np.int64),
    ("recorded", np.int64),
    ("row", np.int64),
)
_STEP = np.dtype(
    [
        ("here", "i8"),
        ("there", "i8"),
        ("number", "i8"),
        ("valid_from", "i8"),
        ("valid_until", "i8"),
        ("recorded", "i8"),
        ("confidence", "f4"),
        ("type", "u1"),
        ("forward", "?"),
    ],
    align=True,
)
"""An edge as one of its ends sees it; what is asked of one lies together, so that a hop reads it at once."""


@dataclass(frozen=True, slots=True)
class GraphSegment:
    """The edges and homes that up to 64 files say."""

    version: int
    edges: Mapping[str, NDArray[Any]]
    homes: Ints
    """Pairs of a node and a row."""

    @property
    def size(self) -> int:
        """Bytes."""
        return self.homes.nbytes + sum(column.nbytes for column in self.edges.values())


@dataclass(frozen=True, slots=True)
class GraphView:
    """The graph of one namespace at one snapshot. An edge's number is its place in `files`, `edges` and `ends`."""

    stamp: int
    files: Ints
    edges: Ints
    ends: Ints
    """Source and target of each edge: (edges, 2)."""
    rows: Ints
    """The row of the memory that each edge was read from, -1 for none."""
    ids: Ints
    """The nodes that have edges, sorted."""
    starts: Ints
    """Where the steps to each of them begin, then those from it, by turns; and where the last end."""
    steps: NDArray[np.void]
    """Of `_STEP`."""
    home_nodes: Ints
    """Pairs of a node and a row, sorted, each once: the nodes."""
    home_rows: Ints
    by_row: Ints
    """The places of these pairs in the order of their rows."""

    def nodes_of(self, rows: Ints) -> tuple[Ints, Ints]:
        """The pairs of a node and a row that answers for it, of these rows: two aligned arrays, by node."""
        wanted = np.unique(rows)
        first = self.home_rows.searchsorted(wanted, "left", sorter=self.by_row)
        last = self.home_rows.searchsorted(wanted, "right", sorter=self.by_row)
        at = np.sort(self.by_row[slices(first, last)])
        return self.home_nodes[at], self.home_rows[at]

    def steps_at(self, nodes: Ints, most: int = 0, out: bool | None = None) -> NDArray[np.void]:
        """The steps at these nodes (sorted, each once), in order.

        With `out` only those from them, or, False, to them.
        A node with more than `most` steps has none, unless `most` is 0.
        """
        if not len(self.ids):
            return self.steps
        place = self.ids.searchsorted(nodes)
        known = self.ids.take(place, mode="clip") == nodes
        place *= 2
        first = self.starts.take(place + (out is True), mode="clip")
        last = self.starts.take(place + (1 if out is False else 2), mode="clip")
        if most:
            known &= last - first <= most
        if not known.all():
            first, last = first[known], last[known]
        return self.steps.take(slices(first, last))

    def homes_of(self, nodes: Ints) -> tuple[Ints, Ints, Ints]:
        """The (node, row) pairs of these nodes (sorted, each once), as two arrays; and the nodes that have no row."""
        first = self.home_nodes.searchsorted(nodes, "left")
        last = self.home_nodes.searchsorted(nodes, "right")
        at = slices(first, last)
        return self.home_nodes[at], self.home_rows[at], nodes[first == last]


def slices(first: Ints, last: Ints) -> Ints:
    """The places `first[i] … last[i] - 1` of every i, end to end."""
    counts = last - first
    ends = counts.cumsum()
    return np.arange(ends[-1] if len(ends) else 0) + (first - ends + counts).repeat(counts)


@dataclass(slots=True)
class GraphCache:
    """The warm graph of one namespace; safe between threads, of which one loads and the others wait for it."""

    queries: dict[str, str]
    size: int = 0
    """Bytes, about."""
    _held: dict[int, GraphSegment] = field(default_factory=dict[int, GraphSegment])
    _view: GraphView | None = None
    _speakers: tuple[GraphView, View, Ints] | None = None
    _lock: Lock = field(default_factory=Lock)

    def view(self, connection: apsw.Connection, ns: int, deadline: Deadline) -> GraphView:
        """The graph of a namespace as the connection sees it; only what changed is read.

        Raises:
            DeadlineError: it was not done in time; what was read is not read again.
        """
        stamp = int(execute(connection, self.queries["graph_stamp"], (ns,))[0][0])
        with deadline.holding(self._lock):
            held = self._held
            if self._view is not None and self._view.stamp == stamp:
                return self._view
            versions: dict[int, int] = dict(execute(connection, self.queries["graph_segments"], (ns,)))
            held = self._held = dict(held)
            self._view = None
            for seg, version in deadline.over(versions.items()):  # what is read stays, whether or not the rest is
                if seg not in held or held[seg].version != version:
                    held[seg] = self._load_segment(connection, ns, seg, version)
            fresh = {seg: held[seg] for seg in versions}
            redirects = np.array(execute(connection, self.queries["redirects"], (ns,)), dtype=np.int64)
            view = _assemble_view(stamp, [fresh[seg] for seg in sorted(fresh)], redirects.reshape(-1, 2))
            self._held, self._view = fresh, view
            self.size = 2 * sum(segment.size for segment in fresh.values()) + view.steps.nbytes
            return view

    def speakers(self, graph: GraphView, memories: View) -> Ints:
        """Where the memory that said each edge stands among the memories; -1 for none."""
        with self._lock:
            held = self._speakers
            if held is None or held[0] is not graph or held[1] is not memories:
                held = self._speakers = graph, memories, _places_of_rows(memories, graph.rows)
            return held[2]

    def _load_segment(self, connection: apsw.Connection, ns: int, seg: int, version: int) -> GraphSegment:
        files = (ns, seg * GRAPH_SEGMENT, seg * GRAPH_SEGMENT + GRAPH_SEGMENT - 1)
        columns = list(zip(*execute(connection, self.queries["graph_edges"], files), strict=True))
        columns = columns or [()] * len(_COLUMNS)
        edges = {name: np.array(column, kind) for (name, kind), column in zip(_COLUMNS, columns, strict=True)}
        homes = np.array(execute(connection, self.queries["graph_homes"], files), dtype=np.int64)
        return GraphSegment(version, edges, homes.reshape(-1, 2))


def _places_of_rows(memories: View, rows: Ints) -> Ints:
    """Where each of these rows stands in the view; -1 for one that it does not hold."""
    held = memories.light["row"]
    if not len(held):
        return np.full(len(rows), -1, dtype=np.int64)
    place = np.minimum(np.searchsorted(held, rows), len(held) - 1)
    return np.where(held[place] == rows, place, -1)


def _assemble_view(stamp: int, segments: list[GraphSegment], redirects: Ints) -> GraphView:
    every: dict[str, NDArray[Any]] = {
        name: np.concatenate([np.zeros(0, kind), *(segment.edges[name] for segment in segments)])
        for name, kind in _COLUMNS
    }
    order = np.lexsort((every["file"], every["edge"]))
    some = {name: column[order] for name, column in every.items()}
    source, target = _redirected(some["source"], redirects), _redirected(some["target"], redirects)
    count = len(source)
    here, there = np.r_[source, target], np.r_[target, source]
    ids, place = np.unique(here, return_inverse=True)
    number = np.tile(np.arange(count, dtype=np.int64), 2)
    side = 2 * place + np.r_[np.ones(count, np.int64), np.zeros(count, np.int64)]
    steps = np.lexsort((number, some["type"][number], there, side))
    number = number[steps]
    table = np.empty(2 * count, dtype=_STEP)
    table["here"], table["there"], table["number"], table["forward"] = here[steps], there[steps], number, steps < count
    for name in ("type", "confidence", "valid_from", "valid_until", "recorded"):
        table[name] = some[name][number]
    homes = np.concatenate([np.zeros((0, 2), np.int64), *(segment.homes for segment in segments)])
    homes = np.unique(np.column_stack((_redirected(homes[:, 0], redirects), homes[:, 1])), axis=0)
    return GraphView(
        stamp,
        some["file"],
        some["edge"],
        np.column_stack((source, target)),
        some["row"],
        ids,
        np.searchsorted(side[steps], np.arange(2 * len(ids) + 1)),
        table,
        home_nodes=homes[:, 0].copy(),
        home_rows=homes[:, 1].copy(),
        by_row=homes[:, 1].argsort(kind="stable"),
    )


def _redirected(nodes: Ints, redirects: Ints) -> Ints:
    """The nodes, each that is another name of one entity replaced by it."""
    if not len(redirects):
        return nodes
    redirects = redirects[np.argsort(redirects[:, 0])]
    place = np.minimum(np.searchsorted(redirects[:, 0], nodes), len(redirects) - 1)
    return np.where(redirects[place, 0] == nodes, redirects[place, 1], nodes)
