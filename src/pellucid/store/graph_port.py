"""The port of the graph: names in, nodes, edges, states and documents of one namespace out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Protocol, TypeAlias

from pellucid.model.document import Document
from pellucid.model.entity import Claim, Edge, EdgeType, EntityState, GraphFacts

if TYPE_CHECKING:  # a command that only looks at memories need not wait for NumPy
    import numpy as np
    from numpy.typing import NDArray

    from pellucid.store.index_port import Admission, Rows

Ints: TypeAlias = Annotated["NDArray[np.int64]", "int64"]


@dataclass(frozen=True, slots=True)
class Node:
    """An entity, a memory or an episode in the graph. `number` is valid within one snapshot only."""

    number: int
    key: str
    name: str
    type: str
    defined: bool = False  # whether a file defines it; a lazy target is only spoken of


@dataclass(frozen=True, slots=True)
class Steps:
    """Edges at some nodes, as aligned columns; an edge occurs once for each of its ends that was asked about."""

    here: Ints  # the node asked about
    there: Ints  # the node at the other end
    forward: NDArray[np.bool_]  # whether `here` is the source
    type: NDArray[np.uint8]  # an index into `EDGE_TYPES`
    confidence: NDArray[np.float32]
    edge: Ints  # the number of the edge, for `edges`


@dataclass(frozen=True, slots=True)
class Homes:
    """The index rows that belong to nodes (the sections of a document, a memory itself), sorted by node, then row."""

    nodes: Ints
    rows: Rows


@dataclass(frozen=True, slots=True)
class Replaced:
    """Pairs of index rows, aligned: `older` belongs to the superseded node in `nodes`, `newer` to its successor."""

    nodes: Ints
    older: Rows
    newer: Rows


class GraphReader(Protocol):
    """The graph of one snapshot of a namespace, as it was at an admission's `at` and recorded by its `known`."""

    def find(self, names: Sequence[str]) -> list[Node]:
        """Return the nodes that have these names or aliases, in the order of `names`, each once; unknown names are left
        out.

        A name means the entity that a file defines by it; else the single entity that has it as an alias; else the node
        that is merely mentioned by it. The id of a memory or an episode is a name, too.
        """
        ...

    def numbered(self, family: str, max_count: int) -> Ints:
        """Return the numbers (`Node.number`) of at most `max_count` file-defined entities in a numbered series, sorted
        by key.

        `family` is the series in lower case: for `spec` they are SPEC-1, SPEC-10, SPEC-2, ….
        """
        ...

    def around(
        self, nodes: Ints, admission: Admission, floor: float, max_edges: int = 0, *, out: bool | None = None
    ) -> Steps:
        """Return the edges at these nodes that are valid at the admission, with a confidence of at least `floor`.

        Valid are those that hold at `admission.at`, as recorded by `admission.known`, and that an admissible memory
        (filters aside) or no memory states. `out=True` takes only edges that lead from the nodes, `out=False` only
        edges that lead to them. Nodes with more than `max_edges` such edges (closed ones included) contribute none,
        unless `max_edges` is 0. Sorted by (here, forward, there, type, edge).
        """
        ...

    def homes(self, nodes: Ints) -> Homes:
        """Return the index rows that belong to these nodes (the sections of a document, a memory itself), admissible or
        not, sorted by node, then row.
        """
        ...

    def replaced(self, rows: Rows, admission: Admission) -> Replaced:
        """Return, sorted, the pairs of rows among `rows` of which the older belongs to a superseded node and the newer
        to the node that supersedes it, each pair with the number of the superseded node.

        That one node supersedes another is said by a SUPERSEDES edge that is valid at the admission.
        """
        ...

    def nodes(self, numbers: Ints) -> list[Node]:
        """Return the nodes with these numbers, in the order given; unknown ones are left out."""
        ...

    def identities(self, numbers: Ints) -> list[str]:
        """Return the ids of these nodes as in receipts (`model.entity.entity_id`), in the order given; KeyError for an
        unknown node.
        """
        ...

    def edges(self, numbers: Ints) -> list[Edge]:
        """Return the edges with these numbers (`Steps.edge`), in the order given, with aliases replaced by their
        entities; IndexError for an unknown number.
        """
        ...

    def headings(self, rows: Rows) -> list[str]:
        """Return the section heading of each of these index rows; empty for a row that is no section."""
        ...


@dataclass(frozen=True, slots=True)
class FiledEdge:
    """An edge and the vault file that states it."""

    edge: Edge
    path: str


@dataclass(frozen=True, slots=True)
class FiledDocument:
    """A document and its vault file."""

    document: Document
    path: str


class GraphLookup(Protocol):
    """Exact queries on a namespace's graph; `known` (epoch ms) limits them to what was recorded by then (None: all)."""

    def entities(self, namespace: str, types: Sequence[str] = ()) -> list[Node]:
        """Return the entities of a namespace (no memories or episodes), sorted by key.

        With `types`, only entities of these types.
        """
        ...

    def entity(self, namespace: str, name: str) -> Node | None:
        """Return the node of a name, of an alias of one entity alone, or of the id of a memory or an episode.

        None if unknown, and for an alias of several entities (see `shared`) that is no node's own name.
        """
        ...

    def shared(self, namespace: str) -> dict[str, tuple[str, ...]]:
        """Return, by ambiguous alias (as `node_key`), the sorted names of the entities that it can mean."""
        ...

    def states(self, namespace: str, key: str, known: int | None = None) -> tuple[EntityState, ...]:
        """Return the states of the entity with this key (`node_key`), oldest first: its attributes over time.

        They are as recorded by `known` (epoch ms; None: as known now). Empty if the entity was unknown then.
        """
        ...

    def claims(self, namespace: str, key: str) -> tuple[Claim, ...]:
        """Return the claims (values that memories state for attributes) on the entity with this key (`node_key`), as
        known now; empty if it is unknown.

        The entity's states are computed from them. Each occurs once for every interval in which it was in force, with
        that interval as its validity: its memory was valid, active (or superseded only later) and not in quarantine,
        and no other memory had taken the attribute over."""
        ...

    def edges(
        self,
        namespace: str,
        keys: Sequence[str] | None = None,
        types: Sequence[EdgeType] = (),
        known: int | None = None,
    ) -> list[FiledEdge]:
        """Return the edges of a namespace, those that ended, too, sorted by vault file.

        With `keys` only edges at the nodes with these keys (`node_key`) count, with `types` only edges of these types;
        an alias at an end is replaced by its entity. Each edge occurs once for every interval in which the memory that
        states it is in force (see `claims`), as recorded by `known` (epoch ms; None: as known now).
        """
        ...

    def named(self, namespace: str, ids: Sequence[str]) -> dict[str, str]:
        """Return the names of the nodes with these ids (`model.entity.entity_id`), by id; unknown ids are left out."""
        ...

    def facts(self, path: str) -> GraphFacts:
        """Return the graph facts in the index that one vault file states, sorted; empty if the file is not indexed."""
        ...

    def documents(self, namespace: str) -> list[FiledDocument]:
        """Return every document of a namespace, removed ones, too, sorted by root and path."""
        ...
