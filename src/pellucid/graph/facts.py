"""Statements of one file in, its graph facts out: each once, without those that a stronger one covers, sorted."""

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
    """The source of a statement: the node it speaks for, its memory id, and from when until when (epoch ms)."""

    node: str
    memory_id: str
    since: int
    until: int
    recorded: int

    def edge(self, source: str, target: str, kind: EdgeType, section: str, confidence: float, anchor: str = "") -> Edge:
        """An edge that this source states, for as long as it states it."""
        period = self.since, self.until, self.recorded
        return Edge(source, target, kind, self.memory_id, section, confidence, *period, anchor)


@dataclass(slots=True)
class FactCollector:
    """Collects the graph facts of one file, each once."""

    edges: dict[_EdgeKey, Edge] = field(default_factory=dict[_EdgeKey, Edge])
    entities: dict[str, EntityFact] = field(default_factory=dict[str, EntityFact])
    claims: dict[Claim, None] = field(default_factory=dict[Claim, None])
    aliases: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    homes: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])

    def add_named(self, voice: Voice, named: Named, relation: Relation, section: str, confidence: float) -> None:
        """Add the entity that a source names and the edge between them; none to itself or of an empty period."""
        if named.key == voice.node or voice.since >= voice.until:
            return
        self.add_entity(EntityFact(named.key, named.name, since=voice.since, until=voice.until))
        ends = (named.key, voice.node) if relation.inverse else (voice.node, named.key)
        self.add_edge(voice.edge(*ends, relation.type, section, confidence, named.anchor))

    def add_edge(self, edge: Edge) -> None:
        """Add an edge once, with the first anchor (`§3`) given for it; an edge from a node to itself is dropped."""
        key = (edge.source, edge.target, edge.type, edge.memory_id, edge.section)
        known = self.edges.get(key)
        if edge.source == edge.target or (known and (known.anchor or not edge.anchor)):
            return
        self.edges[key] = replace(known, anchor=edge.anchor) if known else edge

    def add_entity(self, fact: EntityFact) -> None:
        """Add an entity: its definition in the file wins, else the first name used, over the time of all mentions."""
        known = self.entities.get(fact.key)
        if known is None:
            self.entities[fact.key] = fact
        elif not known.defines:
            since, until = min(known.since, fact.since), max(known.until, fact.until)
            self.entities[fact.key] = replace(known, since=since, until=until)

    def facts(self) -> GraphFacts:
        """Everything that was added, sorted, without mentions that a stronger edge covers; `NO_FACTS` for nothing."""
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
        """The edges without mentions whose target the same memory joins by any other type of edge."""
        stronger = [edge for edge in self.edges.values() if edge.type != "MENTIONS"]
        tied = {(edge.memory_id, end) for edge in stronger for end in (edge.source, edge.target)}
        return {
            key: edge
            for key, edge in self.edges.items()
            if edge.type != "MENTIONS" or (edge.memory_id, edge.target) not in tied
        }


def epoch_span(since: datetime, *ends: datetime | None) -> tuple[int, int]:
    """The start and the earliest of the `ends` that is not None, in epoch milliseconds; FOREVER where all are None."""
    return epoch_ms(since), min((epoch_ms(end) for end in ends if end), default=FOREVER)
