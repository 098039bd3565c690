"""A document and its sections in, what they say of the graph out: typed edges, header values over time, other names."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from pellucid.clock import epoch_ms
from pellucid.documents.formats.markup import NO_MARKUP, blank_spans
from pellucid.documents.formats.suffixes import FORMATS, DocumentFormat
from pellucid.documents.names.links import find_definitions, find_labels, find_links, find_paths
from pellucid.documents.names.naming import Named, Naming, series_of
from pellucid.documents.relations import (
    MENTIONS,
    Relation,
    is_alias_key,
    is_relationships_block,
    normal_key,
    relation_of_heading,
    relation_of_key,
    relations_by_offset,
)
from pellucid.graph.facts import FactCollector, Voice, epoch_span
from pellucid.model.document import Document, HeaderVersion, Section
from pellucid.model.entity import Claim, EntityFact, GraphFacts, node_key
from pellucid.model.memory import recorded_at

_HEADER, _SECTION, _PASSING = 1.0, 0.95, 0.5
_ITEMS = re.compile(r"[,;/&|\[\]\n\"']|\band\b")
_ASIDE = re.compile(r"\([^()]*\)")
_NUMBERS = re.compile(r"\s*#?\d{1,9}(?:\s+#?\d{1,9})*\s*")
_UNNAMED = frozenset({"", "none", "n-a", "n/a", "-"})
_FORMATS: dict[str, DocumentFormat] = {each.name: each for each in FORMATS.values()}


_LabelTargets = dict[str, tuple[Named, int, int]]
"""By key the documents that a label leads to, each from and until which epoch millisecond it does."""


@dataclass(frozen=True, slots=True)
class _FactReading:
    """One document while its facts are read: its naming and format, and the facts found so far."""

    document: Document
    key: str
    naming: Naming
    series: str
    out: FactCollector
    format: DocumentFormat
    labels: dict[str, _LabelTargets] = field(default_factory=dict[str, _LabelTargets])
    """What the document's own labels lead to."""


def document_facts(document: Document, sections: Sequence[Section], naming: Naming) -> GraphFacts:
    """The facts that a document states: of itself by its header versions, of others by header keys and sections."""
    series = series_of(document.entity)
    naming, format_ = naming.with_series(series), _FORMATS[document.format]
    reading = _FactReading(document, node_key(document.entity), naming, series, FactCollector(), format_)
    _add_document(reading, sections)
    for version in document.versions:
        _add_version(reading, version)
    shown = [each for each in sections if not each.quarantined]
    heard = [(each, relation_of_heading(each.heading, each.level, each.trail)) for each in shown]
    if any(relation for _, relation in heard):
        for section in shown:
            _add_labels(reading, section)
    for section, relation in heard:
        _add_section(reading, section, relation)
    own = {reading.key, *(alias for alias, key in reading.out.aliases if key == reading.key)}
    return _without_self_references(reading.out, own, reading.key).facts()


def _add_document(reading: _FactReading, sections: Sequence[Section]) -> None:
    """Add the document as an entity that its file defines from its first words to its removal, and its aliases."""
    document, out = reading.document, reading.out
    spoken = [each.valid_from for each in (*document.versions, *sections)]
    since, until = epoch_span(min(spoken, default=document.created), document.removed_at)
    out.add_entity(EntityFact(reading.key, document.entity, document.entity_type, True, since, until))
    for alias in document.aliases:
        _add_alias(reading, alias)


def _add_alias(reading: _FactReading, name: str) -> None:
    """Add another name of the document, unless it is a placeholder such as `none` or the document's own name."""
    if (key := node_key(name)) not in _UNNAMED and key != reading.key:
        reading.out.aliases.add((key, reading.key))


def _add_version(reading: _FactReading, version: HeaderVersion) -> None:
    """Add the facts of one header version: claims for its title and values, and edges to the documents they name.

    The aliases that it gives count only if it is the last version.
    """
    since, until = epoch_span(version.valid_from, version.valid_until, reading.document.removed_at)
    voice = Voice(reading.key, version.id, since, until, epoch_ms(recorded_at(version.id, version.valid_from)))
    reading.out.homes.add((version.id, reading.key))
    values = {normal_key(key): value for key, value in version.values.items()}
    for attribute, value in ({"title": reading.document.title} | values).items():
        if value.strip() and since < until:
            claim = Claim(reading.key, attribute, value.strip(), version.id, since, until, voice.recorded)
            reading.out.claims[claim] = None
    holds = version.valid_until in (None, reading.document.removed_at)
    for key, value in version.values.items():
        if relation := relation_of_key(key):
            for named in _names_in_value(reading, value):
                reading.out.add_named(voice, named, relation, key, _HEADER)
        elif is_alias_key(key) and holds:  # a name that was given up is free for others
            for name in value.split(","):
                _add_alias(reading, name.strip())


def _names_in_value(reading: _FactReading, value: str) -> Iterator[Named]:
    """The documents that a header value names: by name, by path or link, and by bare numbers of its own series."""
    found, links = reading.naming.find(value, in_lists=True), [*find_links(value, reading.document.path)]
    yield from found
    yield from (link for link in links if not any(_overlap(named, link) for named in found))
    rest = value
    for named in (*found, *links):
        rest = _with_commas(rest, named)
    for named in find_paths(rest, reading.document.path):
        yield named
        rest = _with_commas(rest, named)
    for item in _ITEMS.split(_ASIDE.sub("", rest)) if reading.series else ():
        if _NUMBERS.fullmatch(item):
            for number in re.findall(r"\d+", item):
                name = f"{reading.series}-{number}"
                yield Named(name, node_key(name), 0, 0)


def _overlap(one: Named, other: Named) -> bool:
    """Whether the spans of two names overlap."""
    return one.start < other.end and other.start < one.end


def _with_commas(text: str, named: Named) -> str:
    """The text with commas over a name: every other character keeps its offset."""
    return text[: named.start] + "," * (named.end - named.start) + text[named.end :]


def _add_labels(reading: _FactReading, section: Section) -> None:
    """Add which document each link label of a section leads to, and when; where periods overlap, the first wins.

    Definitions in comments and in code do not count.
    """
    found = [*find_definitions(section.content, reading.document.path)]
    if not found:
        return
    since, until = epoch_span(section.valid_from, section.valid_until, reading.document.removed_at)
    hidden = reading.format.markup(section.content)
    unsaid = [*hidden.comments, *hidden.code]
    for label, named in found:
        if any(first <= named.start < end for first, end in unsaid):
            continue
        known = reading.labels.setdefault(label, {})
        if named.key in known:
            first, begin, end = known[named.key]
            known[named.key] = (first, min(begin, since), max(end, until))
        elif not any(begin < until and since < end for _, begin, end in known.values()):
            known[named.key] = (named, since, until)


def _add_section(reading: _FactReading, section: Section, relation: Relation | None) -> None:
    """Add the facts of a section: mentions where it has no `relation`, else an edge of it for each document it names.

    In a block of relationships each name has the relation of its own line; names in code are mentions, in comments
    nothing.
    """
    since, until = epoch_span(section.valid_from, section.valid_until, reading.document.removed_at)
    voice = Voice(reading.key, section.id, since, until, epoch_ms(recorded_at(section.id, section.valid_from)))
    if relation is None:
        reading.out.homes.add((section.id, reading.key))  # a list of references speaks of others
        _add_mentions(reading, voice, section)
        return
    hidden = reading.format.markup(section.content)
    said = (
        blank_spans(section.content, (*hidden.comments, *hidden.code)) if hidden is not NO_MARKUP else section.content
    )
    block = is_relationships_block(section.heading, section.trail)
    meant = relations_by_offset(said, relation) if block else [(0, relation)]
    starts = [start for start, _ in meant]
    for named, since, until in _names_in_section(reading, said, voice):
        told = replace(voice, since=since, until=until) if (since, until) != (voice.since, voice.until) else voice
        reading.out.add_named(told, named, meant[bisect_right(starts, named.start) - 1][1], section.heading, _SECTION)
    if hidden.code:
        code = blank_spans(section.content, hidden.comments)
        for named in reading.naming.find(code):
            if any(first <= named.start < end for first, end in hidden.code):
                reading.out.add_named(voice, named, MENTIONS, section.heading, _PASSING)


def _add_mentions(reading: _FactReading, voice: Voice, section: Section) -> None:
    """Add what a section mentions by name, in code as well, but not in a comment."""
    text = section.content
    if reading.format.comment in text:
        text = blank_spans(text, reading.format.markup(text).comments)
    for named in reading.naming.find(f"{section.heading}\n{text}" if section.heading else text):
        reading.out.add_named(voice, named, MENTIONS, section.heading, _PASSING)


def _names_in_section(reading: _FactReading, text: str, voice: Voice) -> Iterator[tuple[Named, int, int]]:
    """The documents that a list of references names, each with the epoch milliseconds from and until which it does.

    By name, by a link whose span holds no name, or by a label that the document defines, while it does.
    """
    found = reading.naming.find(text, in_lists=True)
    links = [
        link for link in find_links(text, reading.document.path) if not any(_overlap(named, link) for named in found)
    ]
    yield from ((named, voice.since, voice.until) for named in (*found, *links))
    if not reading.labels:
        return
    for label, start, end in find_labels(text, reading.document.path):
        for named, since, until in reading.labels.get(label, _LabelTargets()).values():
            link = replace(named, start=start, end=end)
            if not any(_overlap(other, link) for other in (*found, *links)):
                yield link, max(since, voice.since), min(until, voice.until)


def _without_self_references(out: FactCollector, own: set[str], key: str) -> FactCollector:
    """The facts without edges between the document's own names (`own`) and entities only these edges named."""
    out.edges = {at: edge for at, edge in out.edges.items() if not {edge.source, edge.target} <= own}
    spoken = {end for edge in out.edges.values() for end in (edge.source, edge.target)} | {key}
    out.entities = {name: fact for name, fact in out.entities.items() if name in spoken}
    return out
