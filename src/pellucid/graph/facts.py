"""Statements of one file in, its graph facts out: each once, without those that a stronger one covers, sorted."""

from dataclasses import dataclass, field, replace
from datetime import datetime

from pellucid.clock import epoch_ms
from pellucid.documents.names.naming import Named
from pellucid.documents.relations import Relation
from pellucid.model.entity import FOREVER, NO_FACTS, Claim, Edge, EntityFact, GraphFacts


@dataclass(frozen=True, slots=True)
class Voice:
    """Who says something, about what, since when and until when: the source of the edges that are read from it."""

    node: str
    memory_id: str
    since: int
    until: int
    recorded: int


@dataclass(slots=True)
class Gathered:
    """What was read of a file so far."""

    edges: dict[tuple[str, str, str, str, str], Edge] = field(
        default_factory=dict[tuple[str, str, str, str, str], Edge]
    )
    entities: dict[str, EntityFact] = field(default_factory=dict[str, EntityFact])
    claims: dict[Claim, None] = field(default_factory=dict[Claim, None])
    aliases: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    homes: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])

    def add_named(self, voice: Voice, named: Named, relation: Relation, section: str, confidence: float) -> None:
        """Keep that a voice (who says something, and when) names an entity, and the edge this means.

        Nothing where it names itself, or says it at no time.
        """
        if named.key == voice.node or voice.since >= voice.until:
            return
        self.add_entity(EntityFact(named.key, named.name, since=voice.since, until=voice.until))
        ends = (named.key, voice.node) if relation.inverse else (voice.node, named.key)
        self.add_edge(
            Edge(
                *ends,
                relation.type,
                voice.memory_id,
                section,
                confidence,
                voice.since,
                voice.until,
                voice.recorded,
                named.anchor,
            )
        )

    def add_edge(self, edge: Edge) -> None:
        """Keep an edge once, with the first anchor (`§3`) that is said for it; no edge from a node to itself."""
        key = (edge.source, edge.target, edge.type, edge.memory_id, edge.section)
        known = self.edges.get(key)
        if edge.source == edge.target or (known and (known.anchor or not edge.anchor)):
            return
        self.edges[key] = replace(known, anchor=edge.anchor) if known else edge

    def add_entity(self, fact: EntityFact) -> None:
        """Keep an entity, by its definition in the file or else the first name used, with the time of all mentions."""
        known = self.entities.get(fact.key)
        if known is None:
            self.entities[fact.key] = fact
        elif not known.defines:
            since, until = min(known.since, fact.since), max(known.until, fact.until)
            self.entities[fact.key] = replace(known, since=since, until=until)

    def facts(self) -> GraphFacts:
        """All that was gathered, sorted."""
        if not (self.edges or self.entities or self.claims or self.homes or self.aliases):
            return NO_FACTS
        return GraphFacts(
            entities=tuple(sorted(self.entities.values(), key=lambda fact: fact.key)),
            edges=tuple(edge for _, edge in sorted(self._strongest_edges().items())),
            claims=tuple(sorted(self.claims, key=_place)),
            aliases=tuple(sorted(self.aliases)),
            homes=tuple(sorted(self.homes)),
        )

    def _strongest_edges(self) -> dict[tuple[str, str, str, str, str], Edge]:
        """The edges, without mentions of what the same memory already ties to by a stronger kind of edge."""
        tied = {(edge.memory_id, end) for edge in self.edges.values() if edge.type != "MENTIONS" for end in _ends(edge)}
        return {
            key: edge
            for key, edge in self.edges.items()
            if edge.type != "MENTIONS" or (edge.memory_id, edge.target) not in tied
        }


def span(since: datetime, *ends: datetime | None) -> tuple[int, int]:
    """From an instant until the earliest end that is given."""
    return epoch_ms(since), min((epoch_ms(end) for end in ends if end), default=FOREVER)


def _ends(edge: Edge) -> tuple[str, str]:
    return edge.source, edge.target


def _place(claim: Claim) -> tuple[str, str, int, int, str, str]:
    return claim.entity, claim.attribute, claim.valid_from, claim.valid_until, claim.memory_id, claim.value
