"""One read transaction in, the graph around some nodes out: `GraphReader` over SQLite and warm columns."""

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from pellucid.deadline import Deadline
from pellucid.model.entity import EDGE_TYPES, FOREVER, IDENTITY, Edge, node_key
from pellucid.store.graph_port import Homes, Ints, Node, Replaced, Steps
from pellucid.store.index_port import Admission, Mask, Rows
from pellucid.store.local.database import Queries
from pellucid.store.local.graph.columns import GraphCache, GraphView
from pellucid.store.local.index.past_view import RowsInView

_SUPERSEDES = EDGE_TYPES.index("SUPERSEDES")


class LocalGraphReader:
    """See `GraphReader`; used inside the read transaction that made it. Columns are loaded on first use.

    An edge is valid only while the memory that states it is admissible, filters aside. With `known`, an end of validity
    after that instant counts as not known yet.
    """

    def __init__(
        self, cache: GraphCache, in_view: RowsInView, identity: Callable[[str], str], deadline: Deadline
    ) -> None:
        """`identity` returns the id of a node, as in receipts, for its key; loading ends at the deadline."""
        self._identity = identity
        self._queries = in_view.queries
        self._cache = cache
        self._deadline = deadline
        self._in_view = in_view
        self._ns = in_view.ns
        self._loaded: GraphView | None = None
        self._admitted: tuple[Admission, Mask, Ints] | None = None

    @property
    def _view(self) -> GraphView:
        """The columns of the graph, loaded on first use."""
        if self._loaded is None:
            self._loaded = self._cache.view(self._queries, self._ns, self._deadline)
        return self._loaded

    def find(self, names: Sequence[str]) -> list[Node]:
        """Return the nodes that have these names or aliases, in the order of `names`, each once; unknown names are left
        out.

        A name means the entity that a file defines by it; else the single entity that has it as an alias; else the node
        that is merely mentioned by it. The id of a memory or an episode is a name, too.
        """
        return nodes_named(self._queries, self._ns, names)

    def numbered(self, family: str, max_count: int) -> Ints:
        """Return the node numbers of at most `max_count` entities that files define in a numbered series, sorted by
        key.

        `family` is the series in lower case: for `spec` they are SPEC-1, SPEC-10, SPEC-2, ….
        """
        found = self._queries.run("numbered", self._ns, family, max_count)
        return np.array([row[0] for row in found], dtype=np.int64)

    def around(
        self, nodes: Ints, admission: Admission, floor: float, max_edges: int = 0, *, out: bool | None = None
    ) -> Steps:
        """Return the edges at these nodes that are valid at the admission, with a confidence of at least `floor`.

        Valid are those that hold at `admission.at`, as recorded by its `known`, and that an admissible memory (filters
        aside) or no indexed memory states. `out=True` takes only edges that lead from the nodes, `out=False` only edges
        to them. Nodes with more than `max_edges` edges that way (closed ones included) contribute none, unless that is
        0. Sorted by (here, forward, there, type, edge).
        """
        steps = self._view.steps_at(_sorted_unique(nodes), max_edges, out)
        valid = (steps["valid_from"] <= admission.at) & (steps["confidence"] >= np.float32(floor))
        until = steps["valid_until"]
        if admission.known is not None:
            valid &= steps["recorded"] <= admission.known
            until = np.where(until > admission.known, FOREVER, until)
        valid &= (admission.at < until) & self._has_admitted_source(steps["number"], admission)
        if not valid.all():
            steps = steps.compress(valid)
        columns = (steps[name] for name in ("here", "there", "forward", "type", "confidence", "number"))
        return Steps(*columns)

    def _has_admitted_source(self, edges: Ints, admission: Admission) -> Mask:
        """Return a mask of these edges (given by number): whether each comes from a memory that is admissible, or that
        is not indexed.

        The caller's filters, and the period that the query names, do not count."""
        if self._admitted is None or self._admitted[0] is not admission:
            is_admissible = np.concatenate((self._in_view.admissible_unfiltered(admission), [True]))
            self._admitted = admission, is_admissible, self._cache.source_positions(self._view, self._in_view.view)
        _, is_admissible, positions = self._admitted
        return is_admissible[positions[edges]]  # -1, no memory: the last

    def homes(self, nodes: Ints) -> Homes:
        """Return the index rows that belong to these nodes (the sections of a document, a memory itself), admitted or
        not, as aligned arrays of nodes and rows, sorted by node, then row. Nodes without rows are left out.
        """
        found, rows, rest = self._view.homes_of(_sorted_unique(nodes))
        memories = self._queries.run("memory_homes", self._ns, json.dumps(rest.tolist())) if len(rest) else []
        if not memories:
            return Homes(found, rows)
        more = np.array(memories, dtype=np.int64)
        found, rows = np.concatenate((found, more[:, 0])), np.concatenate((rows, more[:, 1]))
        order = np.lexsort((rows, found))
        return Homes(found[order], rows[order])

    def replaced(self, rows: Rows, admission: Admission) -> Replaced:
        """Return the pairs of rows among `rows` of which the older belongs to a superseded node and the newer to the
        node that supersedes it, each pair with the number of the superseded node.

        They are sorted by the superseded node, then the older row, then the newer. That one node supersedes another is
        said by a SUPERSEDES edge that is valid at the admission.
        """
        nodes, rows_of_nodes = self._view.homes_of_rows(rows)
        steps = self.around(nodes, admission, 0.0, out=False)
        inside = (steps.type == _SUPERSEDES) & np.isin(steps.there, nodes)
        pairs = [
            (older, older_row, newer_row)
            for older, newer in zip(steps.here[inside].tolist(), steps.there[inside].tolist(), strict=True)
            for older_row in rows_of_nodes[nodes == older].tolist()
            for newer_row in rows_of_nodes[nodes == newer].tolist()
        ]
        columns = np.array(sorted(set(pairs)), dtype=np.int64).reshape(-1, 3)
        return Replaced(columns[:, 0], columns[:, 1], columns[:, 2])

    def nodes(self, numbers: Ints) -> list[Node]:
        """Return the nodes with these numbers, in the order given; unknown ones are left out."""
        return [node_of_row(*row) for row in self._queries.run("nodes", self._ns, json.dumps(numbers.tolist()))]

    def identities(self, numbers: Ints) -> list[str]:
        """Return the ids of these nodes as in receipts, in the order given; KeyError for an unknown node."""
        keys = keys_of(self._queries, numbers.tolist())
        return [self._identity(keys[number]) for number in numbers.tolist()]

    def edges(self, numbers: Ints) -> list[Edge]:
        """Return the edges with these numbers, in the order given, with aliases replaced by their entities; IndexError
        for an unknown number.
        """
        view = self._view
        wanted = list(zip(view.files[numbers].tolist(), view.edges[numbers].tolist(), strict=True))
        ends = view.ends[numbers].tolist()
        keys = keys_of(self._queries, {end for pair in ends for end in pair})
        rows = self._queries.run("edges_at", json.dumps(wanted))
        return [edge_of_row(keys[a], keys[b], row[2:]) for (a, b), row in zip(ends, rows, strict=True)]

    def headings(self, rows: Rows) -> list[str]:
        """Return the section heading of each of these index rows; empty for a row that is no section."""
        found: dict[int, str] = dict(self._queries.run("headings", json.dumps(rows.tolist())))
        return [found.get(row, "") for row in rows.tolist()]


def _sorted_unique(nodes: Ints) -> Ints:
    """Return these nodes sorted, each once; most often they are so already."""
    return nodes if (nodes[1:] > nodes[:-1]).all() else np.unique(nodes)


def node_of_row(number: int, key: str, name: str, type_: str, defined: int) -> Node:
    """Make a Node of the columns of a row of the query `nodes`; `defined` is 0 or 1."""
    return Node(number, key, name, type_, bool(defined))


def edge_of_row(source: str, target: str, values: Sequence[Any]) -> Edge:
    """Make an edge of its ends' keys and the columns from `type` to `anchor` of a row of `edges`."""
    kind, *rest = values
    return Edge(source, target, EDGE_TYPES[int(kind)], *rest)


def keys_of(queries: Queries, nodes: Iterable[int]) -> dict[int, str]:
    """Return the key of each of these nodes, by number; unknown nodes are left out."""
    return dict(queries.run("keys_of", json.dumps(sorted(nodes))))


def nodes_named(queries: Queries, ns: int, names: Sequence[str]) -> list[Node]:
    """Return the nodes that have these names or aliases, in the order of `names`, each once, without unknown names.

    A name means the entity that a file defines by it; else the single entity that has it as an alias; else the node
    that is merely mentioned by it. The id of a memory or an episode is a name, too. `ns` is the namespace's number.
    """
    keys = list(dict.fromkeys(map(_key_of_name, dict.fromkeys(names))))
    rows = queries.run("find_keys", ns, json.dumps(keys)) if keys else []
    numbers = (own if defined or alias is None else alias for _, own, defined, _, _, alias in rows)
    wanted = list(dict.fromkeys(number for number in numbers if number is not None))
    nodes = {
        own: node_of_row(own, key, name, type_, defined)
        for key, own, defined, name, type_, _ in rows
        if type_ and type_ not in ("Memory", "Episode")
    }
    missing = [number for number in wanted if number not in nodes]
    if missing:
        nodes |= {row[0]: node_of_row(*row) for row in queries.run("nodes", ns, json.dumps(missing))}
    return [nodes[number] for number in wanted if number in nodes]


def _key_of_name(name: str) -> str:
    """Return the node key of a name; the id of a memory or an episode is its own key."""
    return plain if IDENTITY.fullmatch(plain := name.strip()) else node_key(name)
