"""The statements of one file in, its graph facts out: each once, sorted, no mention beside a stronger edge."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from operator import attrgetter

from pellucid.clock import epoch_ms
from pellucid.documents.names.naming import Named
from pellucid.documents.relations import Relation
from pellucid.model.entity import FOREVER, NO_FACTS, Claim, Edge, EdgeType, EntityFact, GraphFacts

_EdgeKey = tuple[str, str, str, str, str]
_CLAIM_ORDER = attrgetter("entity", "attribute", "valid_from", "valid_until", "memory_id", "value")


@dataclass(frozen=True, slots=True)
class Voice:
    """The source of a statement: the node that it speaks for, its memory, and its period and time of record in epoch
    ms."""

    node: str
    memory_id: str
    since: int
    until: int
    recorded: int

    def edge(self, source: str, target: str, kind: EdgeType, section: str, confidence: float, anchor: str = "") -> Edge:
        """Make an edge that this source states: with its memory's id, its period and its time of record.

        `source` and `target` are node keys, not this source; for `section` and `anchor` see `Edge`.
        """
        period = self.since, self.until, self.recorded
        return Edge(source, target, kind, self.memory_id, section, confidence, *period, anchor)


@dataclass(slots=True)
class FactCollector:
    """Collects the graph facts of one file, each once."""

    edges: dict[_EdgeKey, Edge] = field(default_factory=dict[_EdgeKey, Edge])
    entities: dict[str, EntityFact] = field(default_factory=dict[str, EntityFact])
    claims: dict[Claim, None] = field(default_factory=dict[Claim, None])
    aliases: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    """Pairs of keys: another name, and the entity that it means."""
    homes: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    """Pairs of a memory's id and the key of the node that it speaks for."""

    def add_named(self, voice: Voice, named: Named, relation: Relation, section: str, confidence: float) -> None:
        """Add the entity that a source names, and the edge from the source's node to it; from it to the node if the
        relation is inverse.

        Nothing is added if the source names itself or its period is empty. `section` is for the edge (see `Edge`).
        """
        if named.key == voice.node or voice.since >= voice.until:
            return
        self.add_entity(EntityFact(named.key, named.name, since=voice.since, until=voice.until))
        ends = (named.key, voice.node) if relation.inverse else (voice.node, named.key)
        self.add_edge(voice.edge(*ends, relation.type, section, confidence, named.anchor))

    def add_edge(self, edge: Edge) -> None:
        """Add an edge once, with the first anchor (`§3`) given for it; an edge from a node to itself is ignored.

        Edges with the same ends, type, memory and section are one edge; all but the anchor is of the one added first.
        """
        key = (edge.source, edge.target, edge.type, edge.memory_id, edge.section)
        former = self.edges.get(key)
        if edge.source == edge.target or (former and (former.anchor or not edge.anchor)):
            return
        self.edges[key] = replace(former, anchor=edge.anchor) if former else edge

    def add_entity(self, fact: EntityFact) -> None:
        """Add an entity, or extend the period of the one with the same key, which stays otherwise as it was added.

        The period of an entity that was added as one that the file defines stays, too.
        """
        former = self.entities.get(fact.key)
        if former is None:
            self.entities[fact.key] = fact
        elif not former.defines:
            since, until = min(former.since, fact.since), max(former.until, fact.until)
            self.entities[fact.key] = replace(former, since=since, until=until)

    def facts(self) -> GraphFacts:
        """Return all added facts, sorted; `NO_FACTS` if there are none. Left out are mentions of a node that is an end
        of an edge of another type from the same memory.
        """
        if not (self.edges or self.entities or self.claims or self.homes or self.aliases):
            return NO_FACTS
        return GraphFacts(
            entities=tuple(sorted(self.entities.values(), key=lambda fact: fact.key)),
            edges=tuple(edge for _, edge in sorted(self._strongest_edges().items())),
            claims=tuple(sorted(self.claims, key=_CLAIM_ORDER)),
            aliases=tuple(sorted(self.aliases)),
            homes=tuple(sorted(self.homes)),
        )

    def _strongest_edges(self) -> dict[_EdgeKey, Edge]:
        """Return the edges by key, without mentions of a node that is an end of an edge of another type from the same
        memory."""
        stronger = [edge for edge in self.edges.values() if edge.type != "MENTIONS"]
        joined = {(edge.memory_id, end) for edge in stronger for end in (edge.source, edge.target)}
        return {
            key: edge
            for key, edge in self.edges.items()
            if edge.type != "MENTIONS" or (edge.memory_id, edge.target) not in joined
        }


def epoch_span(since: datetime, *ends: datetime | None) -> tuple[int, int]:
    """Return the start and the earliest of the `ends` that is not None, in epoch milliseconds; FOREVER as the end if
    all are None. Every datetime must have a time zone."""
    return epoch_ms(since), min((epoch_ms(end) for end in ends if end), default=FOREVER)
