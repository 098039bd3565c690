"""A document and its sections in, the graph facts that they state out: typed edges, header values, other names."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from pellucid.clock import epoch_ms
from pellucid.documents.formats.markup import NO_MARKUP, blank_spans
from pellucid.documents.formats.suffixes import FORMATS, DocumentFormat
from pellucid.documents.names.links import find_definitions, find_labels, find_links, find_paths
from pellucid.documents.names.naming import Named, Naming, own_series
from pellucid.documents.relations import (
    MENTIONS,
    Relation,
    is_alias_key,
    is_relationships_block,
    normal_key,
    relation_in_field,
    relation_of_heading,
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
"""Maps a document's key to the document and the epoch milliseconds from and until which a label leads to it."""


@dataclass(frozen=True, slots=True)
class _FactReading:
    """One document while its facts are read: its entity key, naming, own series and format, and the facts read so
    far."""

    document: Document
    key: str
    naming: Naming
    series: str
    out: FactCollector
    format: DocumentFormat
    labels: dict[str, _LabelTargets] = field(default_factory=dict[str, _LabelTargets])
    """Maps the labels that the document defines to the documents that they lead to."""


def document_facts(document: Document, sections: Sequence[Section], naming: Naming) -> GraphFacts:
    """Return the facts that a document states: about itself in its headers, about others in header keys and sections.

    `naming` decides what is a document's name; the series of the document's own id (`SPEC` of `SPEC-054`) is added to
    it. Quarantined sections state nothing.
    """
    series = own_series(document.entity)
    naming, format_ = naming.with_series(series), _FORMATS[document.format]
    reading = _FactReading(document, node_key(document.entity), naming, series, FactCollector(), format_)
    _add_document(reading, sections)
    for version in document.versions:
        _add_version(reading, version)
    visible = [each for each in sections if not each.quarantined]
    with_relations = [(each, relation_of_heading(each.heading, each.level, each.trail)) for each in visible]
    if any(relation for _, relation in with_relations):
        for section in visible:
            _add_labels(reading, section)
    for section, relation in with_relations:
        _add_section(reading, section, relation)
    own_keys = {reading.key, *(alias for alias, key in reading.out.aliases if key == reading.key)}
    return _without_self_references(reading.out, own_keys, reading.key).facts()


def _add_document(reading: _FactReading, sections: Sequence[Section]) -> None:
    """Add the document's entity and its aliases to `reading.out`. The entity is defined from the earliest beginning of
    a header version or section (the document's creation if it has none) to the document's removal.
    """
    document, out = reading.document, reading.out
    begins = [each.valid_from for each in (*document.versions, *sections)]
    since, until = epoch_span(min(begins, default=document.created), document.removed_at)
    out.add_entity(EntityFact(reading.key, document.entity, document.entity_type, True, since, until))
    for alias in document.aliases:
        _add_alias(reading, alias)


def _add_alias(reading: _FactReading, name: str) -> None:
    """Add `name` to `reading.out.aliases` as another name of the document, unless it is a placeholder such as `none` or
    the document's own name."""
    if (key := node_key(name)) not in _UNNAMED and key != reading.key:
        reading.out.aliases.add((key, reading.key))


def _add_version(reading: _FactReading, version: HeaderVersion) -> None:
    """Add the facts of one header version to `reading.out`: a claim for the title and for each value, edges to the
    documents that values of keys with a relation, such as `requires`, name, and that the version speaks for the
    document (`homes`).

    A version with an empty period adds no claims and edges. Its aliases count only if the version is open or ended with
    the document's removal.
    """
    since, until = epoch_span(version.valid_from, version.valid_until, reading.document.removed_at)
    voice = Voice(reading.key, version.id, since, until, epoch_ms(recorded_at(version.id, version.valid_from)))
    reading.out.homes.add((version.id, reading.key))
    values = {normal_key(key): value for key, value in version.values.items()}
    for attribute, value in ({"title": reading.document.title} | values).items():
        if value.strip() and since < until:
            claim = Claim(reading.key, attribute, value.strip(), version.id, since, until, voice.recorded)
            reading.out.claims[claim] = None
    is_last = version.valid_until in (None, reading.document.removed_at)
    for key, value in version.values.items():
        if announced := relation_in_field(key, value):
            relation, names = announced
            for named in _names_in_value(reading, names):
                reading.out.add_named(voice, named, relation, key, _HEADER)
        elif is_alias_key(key) and is_last:  # a name that was given up is free for others
            for name in value.split(","):
                _add_alias(reading, name.strip())


def _names_in_value(reading: _FactReading, value: str) -> Iterator[Named]:
    """Yield the documents that a header value names: by name, by link or path, and by bare numbers of the document's
    own series.

    A link that contains a name is left out. A number counts if it is not in parentheses, and only numbers stand between
    the separators around it (commas, brackets, `and`, …). A document named by a number alone has an empty span at 0.
    """
    names, links = reading.naming.find(value, in_lists=True), [*find_links(value, reading.document.path)]
    yield from names
    yield from (link for link in links if not any(_spans_overlap(named, link) for named in names))
    rest = value
    for named in (*names, *links):
        rest = _blank_name(rest, named)
    for named in find_paths(rest, reading.document.path):
        yield named
        rest = _blank_name(rest, named)
    for item in _ITEMS.split(_ASIDE.sub("", rest)) if reading.series else ():
        if _NUMBERS.fullmatch(item):
            for number in re.findall(r"\d+", item):
                name = f"{reading.series}-{number}"
                yield Named(name, node_key(name), 0, 0)


def _spans_overlap(one: Named, other: Named) -> bool:
    """Whether the spans of two names overlap."""
    return one.start < other.end and other.start < one.end


def _blank_name(text: str, named: Named) -> str:
    """Return the text with commas in place of each character of a name, so that all others keep their offsets."""
    return text[: named.start] + "," * (named.end - named.start) + text[named.end :]


def _add_labels(reading: _FactReading, section: Section) -> None:
    """Add to `reading.labels` the documents that a section's link labels (`[label]: a.md`) lead to, and when: while the
    section is valid.

    Definitions in comments and in code are ignored. A label defined again for the same document leads there from the
    first beginning to the last end; if definitions for two documents overlap in time, the first wins.
    """
    definitions = [*find_definitions(section.content, reading.document.path)]
    if not definitions:
        return
    since, until = epoch_span(section.valid_from, section.valid_until, reading.document.removed_at)
    markup = reading.format.markup(section.content)
    hidden_spans = [*markup.comments, *markup.code]
    for label, named in definitions:
        if any(first <= named.start < end for first, end in hidden_spans):
            continue
        targets = reading.labels.setdefault(label, {})
        if named.key in targets:
            target, begin, end = targets[named.key]
            targets[named.key] = (target, min(begin, since), max(end, until))
        elif not any(begin < until and since < end for _, begin, end in targets.values()):
            targets[named.key] = (named, since, until)


def _add_section(reading: _FactReading, section: Section, relation: Relation | None) -> None:
    """Add the facts of a section: an edge of `relation` to each document that it names; mentions if `relation` is None.

    In a Relationships block a name has the relation of its own line. Names in code are mentions; names in comments are
    ignored. A section without a relation is also noted as one that speaks for the document (`homes`).
    """
    since, until = epoch_span(section.valid_from, section.valid_until, reading.document.removed_at)
    voice = Voice(reading.key, section.id, since, until, epoch_ms(recorded_at(section.id, section.valid_from)))
    if relation is None:
        reading.out.homes.add((section.id, reading.key))  # a list of references speaks of others
        _add_mentions(reading, voice, section)
        return
    markup = reading.format.markup(section.content)
    text = (
        blank_spans(section.content, (*markup.comments, *markup.code)) if markup is not NO_MARKUP else section.content
    )
    is_block = is_relationships_block(section.heading, section.trail)
    relations = relations_by_offset(text, relation) if is_block else [(0, relation)]
    starts = [start for start, _ in relations]
    for named, since, until in _names_in_section(reading, text, voice):
        period_voice = (
            replace(voice, since=since, until=until) if (since, until) != (voice.since, voice.until) else voice
        )
        reading.out.add_named(
            period_voice, named, relations[bisect_right(starts, named.start) - 1][1], section.heading, _SECTION
        )
    if markup.code:
        uncommented = blank_spans(section.content, markup.comments)
        for named in reading.naming.find(uncommented):
            if any(first <= named.start < end for first, end in markup.code):
                reading.out.add_named(voice, named, MENTIONS, section.heading, _PASSING)


def _add_mentions(reading: _FactReading, voice: Voice, section: Section) -> None:
    """Add to `reading.out` mentions of the documents that a section names, also in its heading and in code, but not in
    comments; `voice` states them."""
    text = section.content
    if reading.format.comment in text:
        text = blank_spans(text, reading.format.markup(text).comments)
    for named in reading.naming.find(f"{section.heading}\n{text}" if section.heading else text):
        reading.out.add_named(voice, named, MENTIONS, section.heading, _PASSING)


def _names_in_section(reading: _FactReading, text: str, voice: Voice) -> Iterator[tuple[Named, int, int]]:
    """Yield the documents that the text of a list of references names, each with the start and end of the naming in
    epoch milliseconds: the period of `voice`.

    A document is named by name, by a link that contains no name, or by a label (not within either) while the document
    defines that label. `text` is without comments and code.
    """
    names = reading.naming.find(text, in_lists=True)
    links = [
        link
        for link in find_links(text, reading.document.path)
        if not any(_spans_overlap(named, link) for named in names)
    ]
    yield from ((named, voice.since, voice.until) for named in (*names, *links))
    if not reading.labels:
        return
    for label, start, end in find_labels(text, reading.document.path):
        for named, since, until in reading.labels.get(label, _LabelTargets()).values():
            link = replace(named, start=start, end=end)
            if not any(_spans_overlap(other, link) for other in (*names, *links)):
                yield link, max(since, voice.since), min(until, voice.until)


def _without_self_references(out: FactCollector, own_keys: set[str], key: str) -> FactCollector:
    """Remove from `out` the edges between the document's own names, and the entities that no remaining edge joins;
    return `out`.

    `own_keys` are the keys of its names, `key` that of its entity, which stays.
    """
    out.edges = {at: edge for at, edge in out.edges.items() if not {edge.source, edge.target} <= own_keys}
    joined_keys = {end for edge in out.edges.values() for end in (edge.source, edge.target)} | {key}
    out.entities = {name: fact for name, fact in out.entities.items() if name in joined_keys}
    return out
