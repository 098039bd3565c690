"""Memories in, what they say of the graph out: what they are about, mention, replace and came of."""

from pellucid.clock import epoch_ms
from pellucid.documents.names.naming import Named, Naming
from pellucid.documents.relations import MENTIONS, Relation, names_itself
from pellucid.graph.facts import Gathered, Voice, span
from pellucid.language.spelling import entity_key
from pellucid.model.entity import Claim, Edge, EdgeType, node_key
from pellucid.model.memory import BOUNDARY_SCOPES, Memory, recorded_at

BOUNDARY = frozenset(BOUNDARY_SCOPES)
_ABOUT = Relation("ABOUT")
_WHOLE, _NAMED, _NEAR = 1.0, 0.8, 0.5


def add_memory(out: Gathered, memory: Memory, naming: Naming) -> None:
    """Keep what a memory says, whether or not it is in force: the index knows from the ledger when it was."""
    told = memory.entity_ref or memory.supersedes or memory.derived_from or memory.superseded_by
    if not told and not naming.may_name(memory.content):
        return
    if memory.status == "forgotten":
        return
    since, until = span(memory.valid_at or memory.created, memory.invalid_at, memory.expires_at)
    voice = Voice(memory.id, memory.id, since, until, epoch_ms(recorded_at(memory.id, memory.created)))
    if since < until:
        _add_memory(out, memory, voice, naming)
    elif told:
        out.homes.add((memory.id, memory.id))


def _add_memory(out: Gathered, memory: Memory, voice: Voice, naming: Naming) -> None:
    """Keep what a memory is about and names, and its edges to memories and its episode."""
    before = len(out.edges)
    if memory.entity_ref and (key := node_key(memory.entity_ref)):
        out.add_named(voice, Named(memory.entity_ref.strip(), key, 0, 0), _ABOUT, "entityRef", _WHOLE)
        _add_claims(out, memory, key, voice)
    for named in naming.find(memory.content):
        out.add_named(voice, named, MENTIONS, "", _NAMED)
    for old in memory.supersedes:
        out.add_edge(_edge_to(voice, old, "SUPERSEDES", "supersedes", _WHOLE))
    for source in memory.derived_from:
        out.add_edge(_edge_to(voice, source, "DERIVED_FROM", "derivedFrom", _WHOLE))
    if len(out.edges) > before:
        if memory.episode_id:
            out.add_edge(_edge_to(voice, memory.episode_id, "PART_OF", "episodeId", _NEAR))
        out.homes.add((memory.id, memory.id))
    elif memory.superseded_by:
        out.homes.add((memory.id, memory.id))


def _add_claims(out: Gathered, memory: Memory, key: str, voice: Voice) -> None:
    """Keep the attributes that a memory states of its entity; one that is a name is kept as another name of it."""
    stands = memory.status in ("active", "superseded") and memory.trust_zone != "quarantine"
    public = stands and BOUNDARY.isdisjoint(memory.scopes)  # another name, told in private, would give itself away
    anew = {entity_key(name): by for name, by in memory.retired_attributes.items()}
    for name, value in memory.structured_attributes.items():
        said = voice.since, voice.until, voice.recorded
        claim = Claim(key, entity_key(name), value, memory.id, *said, anew.get(entity_key(name), ""))
        out.claims[claim] = None
        if names_itself(name) and public and (alias := node_key(value)) and alias != key:
            out.aliases.add((alias, key))


def _edge_to(voice: Voice, target: str, kind: EdgeType, section: str, confidence: float) -> Edge:
    return Edge(
        voice.node, target, kind, voice.memory_id, section, confidence, voice.since, voice.until, voice.recorded
    )
