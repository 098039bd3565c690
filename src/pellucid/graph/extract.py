"""The content of one vault file in, the facts of the graph that it states out: always the same for the same bytes."""

from pellucid.clock import epoch_ms
from pellucid.documents.names.naming import Named, Naming
from pellucid.documents.relations import MENTIONS, Relation, is_alias_key
from pellucid.graph.document_facts import document_facts
from pellucid.graph.facts import FactCollector, Voice, epoch_span
from pellucid.language.spelling import entity_key
from pellucid.model.entity import Claim, GraphFacts, node_key
from pellucid.model.memory import BOUNDARY_SCOPES, Memory, recorded_at
from pellucid.vault.markdown import Parsed

_BOUNDARY = frozenset(BOUNDARY_SCOPES)
_ABOUT = Relation("ABOUT")
_WHOLE, _NAMED, _NEAR = 1.0, 0.8, 0.5


def facts_of(parsed: Parsed, naming: Naming) -> GraphFacts:
    """Return the entities, edges, claims (an entity's attribute and value) and aliases that a vault file states, each
    once and sorted.

    `naming` decides what is a document's name; the series of a document's own id (`SPEC` of `SPEC-054`) is added to it.
    """
    if parsed.document is not None:
        return document_facts(parsed.document, parsed.sections, naming)
    out = FactCollector()
    for memory, _ in parsed.memories:
        _add_memory(out, memory, naming)
    return out.facts()


def _add_memory(out: FactCollector, memory: Memory, naming: Naming) -> None:
    """Add a memory's entities, edges and claims to `out`; nothing for a forgotten memory or one that names nothing.

    A memory whose period is empty (it ends no later than it begins) adds only itself as a node (to `homes`), and that
    only if it has an entity or is joined to another memory. Other statuses do not matter: the index knows from the
    ledger when the memory was in force.
    """
    has_links = memory.entity_ref or memory.supersedes or memory.derived_from or memory.superseded_by
    if not has_links and not naming.may_name(memory.content):
        return
    if memory.status == "forgotten":
        return
    since, until = epoch_span(memory.valid_at or memory.created, memory.invalid_at, memory.expires_at)
    voice = Voice(memory.id, memory.id, since, until, epoch_ms(recorded_at(memory.id, memory.created)))
    if since < until:
        _add_links(out, memory, voice, naming)
    elif has_links:
        out.homes.add((memory.id, memory.id))


def _add_links(out: FactCollector, memory: Memory, voice: Voice, naming: Naming) -> None:
    """Add to `out` the entity that a memory is about, with the attributes stated of it, its mentions, and its edges to
    other memories and its episode.

    `voice` says who states them, for which period. The edge to the episode is added only beside another edge. The
    memory itself becomes a node (in `homes`) only beside an edge, or if it is superseded.
    """
    count_before = len(out.edges)
    if memory.entity_ref and (key := node_key(memory.entity_ref)):
        out.add_named(voice, Named(memory.entity_ref.strip(), key, 0, 0), _ABOUT, "entityRef", _WHOLE)
        _add_claims(out, memory, key, voice)
    for named in naming.find(memory.content):
        out.add_named(voice, named, MENTIONS, "", _NAMED)
    for old in memory.supersedes:
        out.add_edge(voice.edge(memory.id, old, "SUPERSEDES", "supersedes", _WHOLE))
    for source in memory.derived_from:
        out.add_edge(voice.edge(memory.id, source, "DERIVED_FROM", "derivedFrom", _WHOLE))
    if len(out.edges) > count_before:
        if memory.episode_id:
            out.add_edge(voice.edge(memory.id, memory.episode_id, "PART_OF", "episodeId", _NEAR))
        out.homes.add((memory.id, memory.id))
    elif memory.superseded_by:
        out.homes.add((memory.id, memory.id))


def _add_claims(out: FactCollector, memory: Memory, key: str, voice: Voice) -> None:
    """Add the attributes that a memory states about its entity `key` as claims, each with the memory that retired it,
    if one did; a value of an alias key becomes an alias.

    Only an active or superseded memory outside quarantine gives aliases, and only if it has none of `BOUNDARY_SCOPES`
    (`private` and the like), which only callers who name them are served.
    """
    is_served = memory.status in ("active", "superseded") and memory.trust_zone != "quarantine"
    gives_aliases = is_served and _BOUNDARY.isdisjoint(memory.scopes)  # an alias told in private would give itself away
    retired_by = {entity_key(name): memory_id for name, memory_id in memory.retired_attributes.items()}
    for name, value in memory.structured_attributes.items():
        period = voice.since, voice.until, voice.recorded
        claim = Claim(key, entity_key(name), value, memory.id, *period, retired_by.get(entity_key(name), ""))
        out.claims[claim] = None
        if is_alias_key(name) and gives_aliases and (alias := node_key(value)) and alias != key:
            out.aliases.add((alias, key))
