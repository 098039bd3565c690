"""A document and its sections in, what they say of the graph out: typed edges, header values over time, other names."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from pellucid.clock import epoch_ms
from pellucid.documents.formats.markup import NONE, blanked
from pellucid.documents.formats.suffixes import FORMATS, DocumentFormat
from pellucid.documents.names.links import definitions_in, labels_in, links_in, paths_in
from pellucid.documents.names.naming import Named, Naming, series_of
from pellucid.documents.relations import (
    MENTIONS,
    Relation,
    attribute_of,
    by_line,
    is_block,
    names_itself,
    of_heading,
    of_key,
)
from pellucid.graph.facts import Gathered, Voice, span
from pellucid.model.document import Document, HeaderVersion, Section
from pellucid.model.entity import Claim, EntityFact, GraphFacts, node_key
from pellucid.model.memory import recorded_at

_HEADER, _SECTION, _PASSING = 1.0, 0.95, 0.5
_ITEMS = re.compile(r"[,;/&|\[\]\n\"']|\band\b")
_ASIDE = re.compile(r"\([^()]*\)")
_NUMBERS = re.compile(r"\s*#?\d{1,9}(?:\s+#?\d{1,9})*\s*")
_UNNAMED = frozenset({"", "none", "n-a", "n/a", "-"})
_FORMATS: dict[str, DocumentFormat] = {each.name: each for each in FORMATS.values()}


_Targets = dict[str, tuple[Named, int, int]]
"""What a label leads to, by key: from when and until when, from the first that said so to the last."""


@dataclass(frozen=True, slots=True)
class _FactReading:
    """What is read, by which names, for whom."""

    document: Document
    key: str
    naming: Naming
    series: str
    out: Gathered
    format: DocumentFormat
    labels: dict[str, _Targets] = field(default_factory=dict[str, _Targets])
    """What the document's own labels lead to."""


def document_facts(document: Document, sections: Sequence[Section], naming: Naming) -> GraphFacts:
    """What a document says: of itself by its header's versions, of others by header keys and sections."""
    series = series_of(document.entity)
    reading = _FactReading(
        document, node_key(document.entity), naming.also(series), series, Gathered(), _FORMATS[document.format]
    )
    _add_document(reading, sections)
    for version in document.versions:
        _add_version(reading, version)
    heard = [(each, of_heading(each.heading, each.level, each.trail)) for each in sections if not each.quarantined]
    if any(relation for _, relation in heard):
        for section, _ in heard:
            _add_labels(reading, section)
    for section, relation in heard:
        _add_section(reading, section, relation)
    own = {reading.key, *(alias for alias, key in reading.out.aliases if key == reading.key)}
    return _without_itself(reading.out, own, reading.key).facts()


def _add_document(reading: _FactReading, sections: Sequence[Section]) -> None:
    """Keep the document as an entity that its file defines, and its aliases."""
    document, out = reading.document, reading.out
    spoken = [each.valid_from for each in (*document.versions, *sections)]
    since, until = span(min(spoken, default=document.created), document.removed_at)
    out.add_entity(EntityFact(reading.key, document.entity, document.entity_type, True, since, until))
    for alias in document.aliases:
        _alias(reading, alias)


def _alias(reading: _FactReading, name: str) -> None:
    if (key := node_key(name)) not in _UNNAMED and key != reading.key:
        reading.out.aliases.add((key, reading.key))


def _add_version(reading: _FactReading, version: HeaderVersion) -> None:
    """Keep what one version of the header says: a claim for each value, and edges to the documents it names."""
    since, until = span(version.valid_from, version.valid_until, reading.document.removed_at)
    voice = Voice(reading.key, version.id, since, until, epoch_ms(recorded_at(version.id, version.valid_from)))
    reading.out.homes.add((version.id, reading.key))
    values = {attribute_of(key): value for key, value in version.values.items()}
    for attribute, value in ({"title": reading.document.title} | values).items():
        if value.strip() and since < until:
            claim = Claim(reading.key, attribute, value.strip(), version.id, since, until, voice.recorded)
            reading.out.claims[claim] = None
    holds = version.valid_until in (None, reading.document.removed_at)
    for key, value in version.values.items():
        if relation := of_key(key):
            for named in _names_in_value(reading, value):
                reading.out.add_named(voice, named, relation, key, _HEADER)
        elif names_itself(key) and holds:  # a name that was given up is free for others
            for name in value.split(","):
                _alias(reading, name.strip())


def _names_in_value(reading: _FactReading, value: str) -> Iterator[Named]:
    """The documents that a header's value names: by name, by path or link, and by bare numbers of its own series."""
    found, links = reading.naming.find(value, listed=True), [*links_in(value, reading.document.path)]
    yield from found
    yield from (link for link in links if not any(_meet(named, link) for named in found))
    rest = value
    for named in (*found, *links):
        rest = _blank(rest, named)
    for named in paths_in(rest, reading.document.path):
        yield named
        rest = _blank(rest, named)
    for item in _ITEMS.split(_ASIDE.sub("", rest)) if reading.series else ():
        if _NUMBERS.fullmatch(item):
            for number in re.findall(r"\d+", item):
                name = f"{reading.series}-{number}"
                yield Named(name, node_key(name), 0, 0)


def _meet(one: Named, other: Named) -> bool:
    return one.start < other.end and other.start < one.end


def _blank(text: str, named: Named) -> str:
    return text[: named.start] + "," * (named.end - named.start) + text[named.end :]


def _add_labels(reading: _FactReading, section: Section) -> None:
    """Keep which document each label of a section leads to, and when; at one time the first definition holds."""
    found = [*definitions_in(section.content, reading.document.path)]
    if not found:
        return
    since, until = span(section.valid_from, section.valid_until, reading.document.removed_at)
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
    """Keep what a section says: a list of references means what its heading says, other text only mentions."""
    since, until = span(section.valid_from, section.valid_until, reading.document.removed_at)
    voice = Voice(reading.key, section.id, since, until, epoch_ms(recorded_at(section.id, section.valid_from)))
    if relation is None:
        reading.out.homes.add((section.id, reading.key))  # a list of references speaks of others
        _add_mentions(reading, voice, section)
        return
    hidden = reading.format.markup(section.content)
    said = blanked(section.content, (*hidden.comments, *hidden.code)) if hidden is not NONE else section.content
    block = is_block(section.heading, section.trail)
    meant = by_line(said, relation) if block else [(0, relation)]
    starts = [start for start, _ in meant]
    for named, since, until in _names_in_section(reading, said, voice):
        told = replace(voice, since=since, until=until) if (since, until) != (voice.since, voice.until) else voice
        reading.out.add_named(told, named, meant[bisect_right(starts, named.start) - 1][1], section.heading, _SECTION)
    if hidden.code:
        code = blanked(section.content, hidden.comments)
        for named in reading.naming.find(code):
            if any(first <= named.start < end for first, end in hidden.code):
                reading.out.add_named(voice, named, MENTIONS, section.heading, _PASSING)


def _add_mentions(reading: _FactReading, voice: Voice, section: Section) -> None:
    """What a section mentions by name, in code as well, but not in a comment."""
    text = section.content
    if reading.format.comment in text:
        text = blanked(text, reading.format.markup(text).comments)
    for named in reading.naming.find(f"{section.heading}\n{text}" if section.heading else text):
        reading.out.add_named(voice, named, MENTIONS, section.heading, _PASSING)


def _names_in_section(reading: _FactReading, text: str, voice: Voice) -> Iterator[tuple[Named, int, int]]:
    """The documents that a list of references names, each with the epoch milliseconds from and until which it does.

    By name, by a link whose span holds no name, or by a label that the document defines, while it does.
    """
    found = reading.naming.find(text, listed=True)
    links = [link for link in links_in(text, reading.document.path) if not any(_meet(named, link) for named in found)]
    yield from ((named, voice.since, voice.until) for named in (*found, *links))
    if not reading.labels:
        return
    for label, start, end in labels_in(text, reading.document.path):
        for named, since, until in reading.labels.get(label, _Targets()).values():
            link = replace(named, start=start, end=end)
            if not any(_meet(other, link) for other in (*found, *links)):
                yield link, max(since, voice.since), min(until, voice.until)


def _without_itself(out: Gathered, own: set[str], key: str) -> Gathered:
    """The facts without edges between names of the document itself (`own`), and entities only those spoke of."""
    out.edges = {at: edge for at, edge in out.edges.items() if not {edge.source, edge.target} <= own}
    spoken = {end for edge in out.edges.values() for end in (edge.source, edge.target)} | {key}
    out.entities = {name: fact for name, fact in out.entities.items() if name in spoken}
    return out
