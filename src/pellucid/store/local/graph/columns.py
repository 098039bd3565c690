"""Rows of edges and homes in, aligned NumPy columns out: the warm graph of a process, re-read a block at a time.

Both directions of every edge stand in one table sorted by the node asked about (compressed sparse rows), so that the
edges at some nodes are a few slices. A node that is only another name of one entity stands for that entity.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.deadline import Deadline
from pellucid.store.graph_port import Ints
from pellucid.store.local.database import Queries
from pellucid.store.local.graph.writer import FILE_BLOCK
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
"""An edge as seen from one of its ends; its fields are adjacent, so that a hop reads them at once."""


@dataclass(frozen=True, slots=True)
class GraphBlock:
    """The edges and homes stated by up to 64 files."""

    version: int
    edges: Mapping[str, NDArray[Any]]
    homes: Ints  # pairs of a node and a row

    @property
    def size(self) -> int:
        """The size of the block's arrays in bytes."""
        return self.homes.nbytes + sum(column.nbytes for column in self.edges.values())


@dataclass(frozen=True, slots=True)
class GraphView:
    """The graph of one namespace at one snapshot. An edge's number is its place in `files`, `edges` and `ends`."""

    stamp: int
    files: Ints
    edges: Ints
    ends: Ints  # source and target of each edge: (edges, 2)
    rows: Ints  # the row of the memory that each edge was read from, -1 for none
    ids: Ints  # the nodes that have edges, sorted
    starts: Ints
    """Where the steps to each of them begin, then those from it, by turns; and where the last end."""
    steps: NDArray[np.void]  # of `_STEP`
    home_nodes: Ints  # pairs of a node and a row, sorted, each once: the nodes
    home_rows: Ints
    by_row: Ints  # the places of these pairs in the order of their rows

    def homes_of_rows(self, rows: Ints) -> tuple[Ints, Ints]:
        """Return every (node, row) pair that says that one of these rows belongs to a node, sorted by node.

        As two arrays, aligned with each other, not with `rows`: a row can belong to several nodes, or to none.
        """
        wanted = np.unique(rows)
        first = self.home_rows.searchsorted(wanted, "left", sorter=self.by_row)
        last = self.home_rows.searchsorted(wanted, "right", sorter=self.by_row)
        at = np.sort(self.by_row[slices(first, last)])
        return self.home_nodes[at], self.home_rows[at]

    def steps_at(self, nodes: Ints, max_steps: int = 0, out: bool | None = None) -> NDArray[np.void]:
        """Return the edges as seen from these nodes (of dtype `_STEP`), by (here, forward, there, type, number).

        In it `here` is the node, `there` the other end; `forward` says whether the edge leads from `here` to `there`.
        `nodes` must be sorted and distinct. An edge between two of them occurs twice, without `out`. `out=True` takes
        only steps from the nodes, `out=False` only steps to them. A node with more than `max_steps` such steps
        contributes none, unless `max_steps` is 0.
        """
        if not len(self.ids):
            return self.steps
        place = self.ids.searchsorted(nodes)
        has_steps = self.ids.take(place, mode="clip") == nodes
        place *= 2
        first = self.starts.take(place + (out is True), mode="clip")
        last = self.starts.take(place + (1 if out is False else 2), mode="clip")
        if max_steps:
            has_steps &= last - first <= max_steps
        if not has_steps.all():
            first, last = first[has_steps], last[has_steps]
        return self.steps.take(slices(first, last))

    def homes_of(self, nodes: Ints) -> tuple[Ints, Ints, Ints]:
        """Return the rows that belong to these nodes as two aligned arrays (nodes, rows), and the nodes without any.

        `nodes` must be sorted and distinct.
        """
        first = self.home_nodes.searchsorted(nodes, "left")
        last = self.home_nodes.searchsorted(nodes, "right")
        at = slices(first, last)
        return self.home_nodes[at], self.home_rows[at], nodes[first == last]


def slices(first: Ints, last: Ints) -> Ints:
    """Return the indices `first[i] … last[i] - 1` of every i, concatenated."""
    counts = last - first
    ends = counts.cumsum()
    return np.arange(ends[-1] if len(ends) else 0) + (first - ends + counts).repeat(counts)


@dataclass(slots=True)
class GraphCache:
    """The warm graph of one namespace. Thread-safe: one thread loads, and the others wait for it."""

    size: int = 0  # bytes, about
    _blocks: dict[int, GraphBlock] = field(default_factory=dict[int, GraphBlock])
    _view: GraphView | None = None
    _sources: tuple[GraphView, View, Ints] | None = None
    _lock: Lock = field(default_factory=Lock)

    def view(self, queries: Queries, ns: int, deadline: Deadline) -> GraphView:
        """Return the graph of the namespace with number `ns`, reading changed blocks (of 64 files) only; raise
        DeadlineError at the deadline.
        """
        stamp = int(queries.run("graph_stamp", ns)[0][0])
        with deadline.holding(self._lock):
            if self._view is not None and self._view.stamp == stamp:
                return self._view
            versions: dict[int, int] = dict(queries.run("file_blocks", ns))
            loaded = self._blocks = dict(self._blocks)
            self._view = None
            for block, version in deadline.over(versions.items()):
                if block not in loaded or loaded[block].version != version:
                    loaded[block] = _load_block(queries, ns, block, version)
            current = self._blocks = {block: loaded[block] for block in versions}
            redirects = np.array(queries.run("redirects", ns), dtype=np.int64).reshape(-1, 2)
            view = self._view = _assemble_view(stamp, [current[block] for block in sorted(current)], redirects)
            self.size = 2 * sum(block.size for block in current.values()) + view.steps.nbytes
            return view

    def source_positions(self, graph: GraphView, memories: View) -> Ints:
        """Return, for each edge, the position in `memories` of the memory it was read from; -1 for none.

        Cached for the last pair of views.
        """
        with self._lock:
            cached = self._sources
            if cached is None or cached[0] is not graph or cached[1] is not memories:
                cached = self._sources = graph, memories, _positions_of_rows(memories, graph.rows)
            return cached[2]


def _load_block(queries: Queries, ns: int, block: int, version: int) -> GraphBlock:
    """Read the edges, and the pairs of node and row, that the files of one block (64 files) of a namespace state.

    `version` is only noted in the result: the caller compares it to know whether to read again.
    """
    files = (ns, block * FILE_BLOCK, block * FILE_BLOCK + FILE_BLOCK - 1)
    columns = list(zip(*queries.run("graph_edges", *files), strict=True)) or [()] * len(_COLUMNS)
    edges = {name: np.array(column, kind) for (name, kind), column in zip(_COLUMNS, columns, strict=True)}
    homes = np.array(queries.run("graph_homes", *files), dtype=np.int64)
    return GraphBlock(version, edges, homes.reshape(-1, 2))


def _positions_of_rows(memories: View, rows: Ints) -> Ints:
    """Return the position of each of these rows in the view; -1 for a row that is not in it."""
    all_rows = memories.light["row"]
    if not len(all_rows):
        return np.full(len(rows), -1, dtype=np.int64)
    position = np.minimum(np.searchsorted(all_rows, rows), len(all_rows) - 1)
    return np.where(all_rows[position] == rows, position, -1)


def _assemble_view(stamp: int, blocks: list[GraphBlock], redirects: Ints) -> GraphView:
    """Concatenate blocks into one view, which keeps `stamp` to tell whether it is up to date.

    `redirects` are pairs of an alias node and the entity that stands for it at the ends of edges and in homes.
    """
    all_columns: dict[str, NDArray[Any]] = {
        name: np.concatenate([np.zeros(0, kind), *(block.edges[name] for block in blocks)]) for name, kind in _COLUMNS
    }
    order = np.lexsort((all_columns["file"], all_columns["edge"]))
    columns = {name: column[order] for name, column in all_columns.items()}
    source, target = _redirected(columns["source"], redirects), _redirected(columns["target"], redirects)
    count = len(source)
    here, there = np.r_[source, target], np.r_[target, source]
    ids, place = np.unique(here, return_inverse=True)
    number = np.tile(np.arange(count, dtype=np.int64), 2)
    # two places for each node: first the steps to it, then those from it
    side = 2 * place + np.r_[np.ones(count, np.int64), np.zeros(count, np.int64)]
    steps = np.lexsort((number, columns["type"][number], there, side))
    number = number[steps]
    table = np.empty(2 * count, dtype=_STEP)
    table["here"], table["there"], table["number"], table["forward"] = here[steps], there[steps], number, steps < count
    for name in ("type", "confidence", "valid_from", "valid_until", "recorded"):
        table[name] = columns[name][number]
    homes = np.concatenate([np.zeros((0, 2), np.int64), *(block.homes for block in blocks)])
    homes = np.unique(np.column_stack((_redirected(homes[:, 0], redirects), homes[:, 1])), axis=0)
    return GraphView(
        stamp,
        columns["file"],
        columns["edge"],
        np.column_stack((source, target)),
        columns["row"],
        ids,
        np.searchsorted(side[steps], np.arange(2 * len(ids) + 1)),
        table,
        home_nodes=homes[:, 0].copy(),
        home_rows=homes[:, 1].copy(),
        by_row=homes[:, 1].argsort(kind="stable"),
    )


def _redirected(nodes: Ints, redirects: Ints) -> Ints:
    """Return these nodes in the order given, with each alias in `redirects`, pairs of an alias and its entity, replaced
    by that entity.
    """
    if not len(redirects):
        return nodes
    redirects = redirects[np.argsort(redirects[:, 0])]
    place = np.minimum(np.searchsorted(redirects[:, 0], nodes), len(redirects) - 1)
    return np.where(redirects[place, 0] == nodes, redirects[place, 1], nodes)
