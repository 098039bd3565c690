"""One read transaction in, the graph around some nodes out: `GraphReader` over SQLite and warm columns."""

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import apsw
import numpy as np

from pellucid.deadline import Deadline
from pellucid.model.entity import EDGE_TYPES, FOREVER, IDENTITY, Edge, node_key
from pellucid.store.graph_port import Homes, Ints, Node, Replaced, Steps
from pellucid.store.index_port import Admission, Mask, Rows
from pellucid.store.local.database import execute
from pellucid.store.local.graph.columns import GraphCache, GraphView
from pellucid.store.local.index.past_view import RowsInView

_SUPERSEDES = EDGE_TYPES.index("SUPERSEDES")
Queries = dict[str, str]


class LocalGraphReader:
    """See `GraphReader`; lives inside the read transaction that made it. What no one asks for is not loaded.

    An edge holds only as long as the memory it was read from may answer, filters aside. Where `known` is asked, an end
    that lies after it is not known yet.
    """

    def __init__(
        self,
        connection: apsw.Connection,
        queries: Queries,
        cache: GraphCache,
        in_view: RowsInView,
        identity: Callable[[str], str],
        deadline: Deadline,
    ) -> None:
        """`identity` makes the id of a node, as receipts hold it, out of its key; loading ends at the deadline."""
        self._connection = connection
        self._identity = identity
        self._queries = queries
        self._cache = cache
        self._deadline = deadline
        self._in_view = in_view
        self._ns = in_view.ns
        self._loaded: GraphView | None = None
        self._speaking: tuple[Admission, Mask, Ints] | None = None

    @property
    def _view(self) -> GraphView:
        if self._loaded is None:
            self._loaded = self._cache.view(self._connection, self._ns, self._deadline)
        return self._loaded

    def _run(self, query: str, *bindings: str | int) -> list[tuple[Any, ...]]:
        return execute(self._connection, self._queries[query], bindings)

    def find(self, names: Sequence[str]) -> list[Node]:
        return named(self._connection, self._queries, self._ns, names)

    def numbered(self, family: str, most: int) -> Ints:
        return np.array([row[0] for row in self._run("numbered", self._ns, family, most)], dtype=np.int64)

    def around(
        self, nodes: Ints, admission: Admission, floor: float, most: int = 0, *, out: bool | None = None
    ) -> Steps:
        """The edges at these nodes that hold at the admission's instant, of a confidence of `floor` or more."""
        some = self._view.steps_at(_in_order(nodes), most, out)
        hold = (some["valid_from"] <= admission.at) & (some["confidence"] >= np.float32(floor))
        until = some["valid_until"]
        if admission.known is not None:
            hold &= some["recorded"] <= admission.known
            until = np.where(until > admission.known, FOREVER, until)
        hold &= (admission.at < until) & self._edges_that_speak(admission, some["number"])
        if not hold.all():
            some = some.compress(hold)
        return Steps(
            here=some["here"],
            there=some["there"],
            forward=some["forward"],
            type=some["type"],
            confidence=some["confidence"],
            edge=some["number"],
        )

    def _edges_that_speak(self, admission: Admission, numbers: Ints) -> Mask:
        """Which of these edges stand in memories that may answer; those that stand in none do."""
        if self._speaking is None or self._speaking[0] is not admission:
            speaks = np.concatenate((self._in_view.speaking(admission), [True]))
            self._speaking = admission, speaks, self._cache.speakers(self._view, self._in_view.view)
        _, speaks, places = self._speaking
        return speaks[places[numbers]]  # -1: the last

    def homes(self, nodes: Ints) -> Homes:
        """The rows that answer for these nodes, whether or not they may."""
        held, rows, rest = self._view.homes_of(_in_order(nodes))
        found = self._run("memory_homes", self._ns, json.dumps(rest.tolist())) if len(rest) else []
        if not found:
            return Homes(held, rows)
        more = np.array(found, dtype=np.int64)
        held, rows = np.concatenate((held, more[:, 0])), np.concatenate((rows, more[:, 1]))
        order = np.lexsort((rows, held))
        return Homes(held[order], rows[order])

    def replaced(self, rows: Rows, admission: Admission) -> Replaced:
        """Which of these rows answer for what another one's document or entity supersedes, by edges that hold."""
        nodes, held = self._view.nodes_of(rows)
        steps = self.around(nodes, admission, 0.0, out=False)
        inside = (steps.type == _SUPERSEDES) & np.isin(steps.there, nodes)
        pairs = [
            (older, row, by)
            for older, newer in zip(steps.here[inside].tolist(), steps.there[inside].tolist(), strict=True)
            for row in held[nodes == older].tolist()
            for by in held[nodes == newer].tolist()
        ]
        columns = np.array(sorted(set(pairs)), dtype=np.int64).reshape(-1, 3)
        return Replaced(columns[:, 0], columns[:, 1], columns[:, 2])

    def nodes(self, numbers: Ints) -> list[Node]:
        return [node(*row) for row in self._run("nodes", self._ns, json.dumps(numbers.tolist()))]

    def identities(self, numbers: Ints) -> list[str]:
        keys = keys_of(self._connection, self._queries, numbers.tolist())
        return [self._identity(keys[number]) for number in numbers.tolist()]

    def edges(self, numbers: Ints) -> list[Edge]:
        """See `GraphReader.edges`; an end that is another name of an entity is that entity."""
        view = self._view
        wanted = list(zip(view.files[numbers].tolist(), view.edges[numbers].tolist(), strict=True))
        ends = view.ends[numbers].tolist()
        keys = keys_of(self._connection, self._queries, {end for pair in ends for end in pair})
        rows = self._run("edges_at", json.dumps(wanted))
        return [edge(keys[a], keys[b], row[2:]) for (a, b), row in zip(ends, rows, strict=True)]

    def headings(self, rows: Rows) -> list[str]:
        held: dict[int, str] = dict(self._run("headings", json.dumps(rows.tolist())))
        return [held.get(row, "") for row in rows.tolist()]


def _in_order(nodes: Ints) -> Ints:
    """These nodes sorted, each once; most often they are."""
    return nodes if (nodes[1:] > nodes[:-1]).all() else np.unique(nodes)


def node(number: int, key: str, name: str, type_: str, defined: int) -> Node:
    """A row of `nodes` as a node."""
    return Node(number, key, name, type_, bool(defined))


def edge(source: str, target: str, said: Sequence[Any]) -> Edge:
    """An edge of its ends and of type, memory, section, confidence, interval, record and anchor."""
    kind, memory_id, section, confidence, valid_from, valid_until, recorded, anchor = said
    interval = valid_from, valid_until
    return Edge(source, target, EDGE_TYPES[int(kind)], memory_id, section, confidence, *interval, recorded, anchor)


def keys_of(connection: apsw.Connection, queries: Queries, nodes: Iterable[int]) -> dict[int, str]:
    """The key of each of these nodes."""
    return dict(execute(connection, queries["keys_of"], (json.dumps(sorted(nodes)),)))


def named(connection: apsw.Connection, queries: Queries, ns: int, names: Sequence[str]) -> list[Node]:
    """The nodes of these names or aliases, in order, each once.

    What a file defines goes by its name. Any other name stands for the entity whose alias it is, if that is one; a name
    that is nobody's alias, or of two, for what is spoken of by that name.
    """
    keys = list(dict.fromkeys(map(key_of, dict.fromkeys(names))))
    found = execute(connection, queries["find_keys"], (ns, json.dumps(keys))) if keys else []
    numbers = (own if defined or alias is None else alias for _, own, defined, _, _, alias in found)
    wanted = list(dict.fromkeys(number for number in numbers if number is not None))
    held = {
        own: node(own, key, name, type_, defined)
        for key, own, defined, name, type_, _ in found
        if type_ and type_ not in ("Memory", "Episode")
    }
    rest = [number for number in wanted if number not in held]
    if rest:
        held |= {row[0]: node(*row) for row in execute(connection, queries["nodes"], (ns, json.dumps(rest)))}
    return [held[number] for number in wanted if number in held]


def key_of(name: str) -> str:
    """The key of a name; the id of a memory or an episode is its own."""
    return plain if IDENTITY.fullmatch(plain := name.strip()) else node_key(name)
