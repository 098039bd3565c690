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
    """An entity, a memory or an episode in the graph. `number` means something within one snapshot only."""

    number: int
    key: str
    name: str
    type: str
    defined: bool = False
    """Whether a file defines it; a lazy target is only spoken of."""


@dataclass(frozen=True, slots=True)
class Steps:
    """Edges at some nodes, aligned; each stands once for each of its ends that was asked about."""

    here: Ints
    """The node asked about."""
    there: Ints
    """The node at the other end."""
    forward: NDArray[np.bool_]
    """Whether `here` is the source."""
    type: NDArray[np.uint8]
    """An index into `EDGE_TYPES`."""
    confidence: NDArray[np.float32]
    edge: Ints
    """The number of the edge, for `edges`."""


@dataclass(frozen=True, slots=True)
class Homes:
    """Rows that answer for nodes, aligned and sorted by node, then row: the sections of a document, a memory itself."""

    nodes: Ints
    rows: Rows


@dataclass(frozen=True, slots=True)
class Replaced:
    """Pairs of rows, aligned: one that answers for a superseded thing, its node, and one that answers for the newer."""

    nodes: Ints
    older: Rows
    newer: Rows


class GraphReader(Protocol):
    """The graph of one snapshot of a namespace, as it was at an admission's instant and by what it knows."""

    def find(self, names: Sequence[str]) -> list[Node]:
        """The nodes of these names or aliases (`node_key`), in order, each once, unknown ones left out."""
        ...

    def numbered(self, family: str, most: int) -> Ints:
        """The first nodes that files define and whose names are numbered so: of `spec`, SPEC-1, SPEC-2."""
        ...

    def around(
        self, nodes: Ints, admission: Admission, floor: float, most: int = 0, *, out: bool | None = None
    ) -> Steps:
        """The edges at these nodes that hold at the instant and are known, of a confidence ≥ `floor`.

        With `out` only those that lead from them (or, False, to them). A node with more than `most` such edges, closed
        ones too, has none here, unless `most` is 0.
        Sorted by (here, forward, there, type, edge): the same order whatever order the nodes have.
        """
        ...

    def homes(self, nodes: Ints) -> Homes:
        """The rows that answer for these nodes, whether or not they may."""
        ...

    def replaced(self, rows: Rows, admission: Admission) -> Replaced:
        """Which of these rows answer for what another one's document or entity supersedes, by edges that hold."""
        ...

    def nodes(self, numbers: Ints) -> list[Node]:
        """These nodes, in order."""
        ...

    def identities(self, numbers: Ints) -> list[str]:
        """The ids of these nodes, in order, as receipts hold them (`model.entity.entity_id`)."""
        ...

    def edges(self, numbers: Ints) -> list[Edge]:
        """These edges, in order."""
        ...

    def headings(self, rows: Rows) -> list[str]:
        """The heading of each of these rows, empty for what is no section."""
        ...


@dataclass(frozen=True, slots=True)
class FiledEdge:
    """An edge and the vault file that says it."""

    edge: Edge
    path: str


@dataclass(frozen=True, slots=True)
class FiledDocument:
    """A document and the vault file it stands in."""

    document: Document
    path: str


class GraphLookup(Protocol):
    """Exact questions about the graph of a namespace. `at` and `known` are epoch milliseconds; None: now."""

    def entities(self, namespace: str, types: Sequence[str] = ()) -> list[Node]:
        """Every entity that is no memory and no episode, by key; or those of these types."""
        ...

    def entity(self, namespace: str, name: str) -> Node | None:
        """The node of a name, an alias, or a memory's id."""
        ...

    def shared(self, namespace: str) -> dict[str, tuple[str, ...]]:
        """Names (`node_key`) that several things have and that are no thing's own, each with what those are called."""
        ...

    def states(self, namespace: str, key: str, known: int | None = None) -> tuple[EntityState, ...]:
        """The chain of states of an entity, by what was written by `known`; empty where it was then unknown."""
        ...

    def claims(self, namespace: str, key: str) -> tuple[Claim, ...]:
        """What the chain of an entity is made of."""
        ...

    def edges(
        self,
        namespace: str,
        keys: Sequence[str] | None = None,
        types: Sequence[EdgeType] = (),
        known: int | None = None,
    ) -> list[FiledEdge]:
        """Every edge of the namespace, closed ones too, or those at these nodes, of these types if any are named.

        Each over the intervals in which the memory that says it is in force, by what was written by `known`.
        """
        ...

    def named(self, namespace: str, ids: Sequence[str]) -> dict[str, str]:
        """The names of the nodes of these ids (`model.entity.entity_id`); unknown ones are left out."""
        ...

    def facts(self, path: str) -> GraphFacts:
        """What the index holds of one vault file."""
        ...

    def documents(self, namespace: str) -> list[FiledDocument]:
        """Every document of a namespace, by root and path."""
        ...
