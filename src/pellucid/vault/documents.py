"""A document and its sections in, the exact bytes of its vault file and the memories in it out: and back.

The frontmatter is the `Document`, then come `# title` and one anchored block a section. A person may edit the file:
keys we do not know stay, comments and what stands before the first block go with our next edit.
"""

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import cast

from pydantic.alias_generators import to_camel

from pellucid.errors import InputError
from pellucid.model.artifact import Artifact
from pellucid.model.document import Document, HeaderVersion, Section, naming_line
from pellucid.model.entity import retirement
from pellucid.model.memory import FOLDERS, Memory, Retirement
from pellucid.vault import frontmatter
from pellucid.vault.blocks import change_marker, escaped, marker_of, parse_block, slug, unescaped, without_blocks

_KEYS = {to_camel(name): name for name in Document.model_fields}
_MARKER = re.compile(r"^<!-- pellucid:section (\{.*\}) -->[ \t\r]*$", re.MULTILINE)
_PLAIN: dict[str, object] = {"heading": "", "trail": [], "level": 0, "quarantined": False}
"""What a section's marker need not say."""
_BARE_NUMBER = re.compile(r"(?:(?<= by )|(?<=, ))(?=\d++\s*(?:$|[,;/&]|\.(?!\d)|(?:and|or)\b))")
"""Matches before a number that is a whole item of a list after `by` or a comma: not before a date or a version."""


def document_path(document: Document) -> str:
    """Return the path for a new document's vault file: `documents/<slug of title>-<last 10 characters of id>.md`."""
    return f"{FOLDERS['section']}/{slug(document.title)}-{document.id[-10:]}.md"


def render_document(
    document: Document, sections: Iterable[Section], unknown: Mapping[str, object] | None = None
) -> bytes:
    """Render a document's vault file: frontmatter without None and empty lists, `# title`, a block (marker and escaped
    text) for each section.

    `unknown` are entries of the frontmatter that are not ours: they are kept after ours.
    """
    dumped = document.model_dump(mode="json", by_alias=True, exclude_none=True)
    values = {key: value for key, value in dumped.items() if value != []}
    head = frontmatter.render({**values, **(unknown or {})})
    return f"---\n{head}---\n\n# {document.title}\n{''.join(map(_block, sections))}".encode()


def unknown_keys(data: bytes) -> dict[str, object]:
    """Return the frontmatter entries of a document's file that are not ours, for `render_document` to keep.

    Raises InputError if the frontmatter is damaged.
    """
    head = frontmatter.split(data.decode("utf-8"))[0]
    return {key: value for key, value in frontmatter.parse(head or "").items() if key not in _KEYS}


def parse_document(values: Mapping[str, object], body: str, namespace: str) -> tuple[Document, tuple[Section, ...]]:
    """Make a document and its sections, in file order, of the frontmatter `values` and the `body` of its vault file.

    `namespace` counts if the values name none. Raises InputError if a marker is damaged or two header versions or
    sections have the same id, ValidationError if a value is wrong.
    """
    known = {name: values[key] for key, name in _KEYS.items() if key in values}
    document = Document.model_validate({"namespace": namespace} | known)
    pieces = _MARKER.split(body)
    blocks = zip(pieces[1::2], pieces[2::2], strict=True)
    sections = tuple(
        parse_block(Section, "section", marker, unescaped(block.replace("\r\n", "\n").strip("\n")))
        for marker, block in blocks
    )
    ids = [each.id for each in (*document.versions, *sections)]
    if len(set(ids)) < len(ids):
        twice = next(each for each in ids if ids.count(each) > 1)
        raise InputError(f"{twice} stands in it twice", next_step="remove one of the two")
    return document, sections


def memories_of(document: Document, sections: Iterable[Section]) -> tuple[tuple[Memory, int], ...]:
    """Return the memories of a document, each with its ordinal: header versions (0), then sections (their numbers),
    both in the order given.
    """
    named = [Artifact(kind="file", name=document.path)]
    if document.entity != document.path:
        named.append(Artifact(kind="spec", name=document.entity))
    memory = partial(
        _memory_of, document, tuple(each.id(document.namespace) for each in named), _retirement_of(document)
    )
    headers = ((memory(each, "1-1", header_text(document, each)), 0) for each in document.versions)
    texts = (
        (memory(each, each.lines, section_text(document, each), each.quarantined), each.number) for each in sections
    )
    return (*headers, *texts)


def header_text(document: Document, version: HeaderVersion) -> str:
    """Return the content of a header version's memory: a line with the document's entity and the version's title (or
    else the document's), then a line `key: value` for each other value.
    """
    lines = [f"{key}: {value}" for key, value in version.values.items() if key != "title"]
    return "\n".join([_title_with_entity(document, version.values.get("title", document.title)), *lines])


def section_text(document: Document, section: Section) -> str:
    """Return the content of a section's memory: a line with entity, title and headings joined by ` › `, an empty line
    and the section's text. The title is the document's when the section became valid (`Document.title_at`).
    """
    title = _title_with_entity(document, document.title_at(section.valid_from))
    return f"{naming_line(title, section)}\n\n{section.content}".rstrip()


def without_sections(data: bytes, ids: Collection[str]) -> bytes:
    """Return the bytes of a document's file without the sections and header versions with these ids; the rest is
    unchanged, and unknown ids change nothing.

    Raises InputError if a marker or the frontmatter is damaged.
    """
    text = without_blocks(data.decode("utf-8"), _MARKER, ids)
    head = frontmatter.split(text)[0] or ""
    versions = frontmatter.parse(head).get("versions")
    if not isinstance(versions, list):
        return text.encode()
    found = cast("list[dict[str, object]]", versions)
    left = [each for each in found if each.get("id") not in ids]
    return (text if left == found else frontmatter.replace(text, {"versions": left or None})).encode()


def holds_section(data: bytes, memory_id: str) -> bool:
    """Whether a section in the bytes of a document's vault file has this id. Raises InputError if a marker is damaged.

    Header versions, which stand in the frontmatter, do not count.
    """
    return any(marker_of(found[1]).get("id") == memory_id for found in _MARKER.finditer(data.decode("utf-8")))


def edit_section(data: bytes, memory_id: str, changes: Mapping[str, object]) -> bytes:
    """Return the bytes of a document's file with these keys (camelCase) set in the marker of the section with this id;
    all else is unchanged, and default values are left out of the marker.

    Raises ConflictError if the section is missing, InputError if a marker is damaged.
    """
    return change_marker(data, _MARKER, memory_id, lambda old: _marker_comment({**old, **changes}), "document")


def _block(section: Section) -> str:
    """Render a section: an empty line, its marker and its escaped text."""
    marker = section.model_dump(mode="json", by_alias=True, exclude_none=True, exclude={"content"})
    return f"\n{_marker_comment(marker)}\n{escaped(section.content)}\n"


def _marker_comment(marker: Mapping[str, object]) -> str:
    """Render a section's marker as an HTML comment, on one line, without the default values of `_PLAIN`."""
    values = {key: value for key, value in marker.items() if key not in _PLAIN or value != _PLAIN[key]}
    text = json.dumps(values, ensure_ascii=False, separators=(",", ":")).replace(">", "\\u003e")
    return f"<!-- pellucid:section {text} -->"


def _memory_of(
    document: Document,
    artifact_ids: Sequence[str],
    retired: Retirement | None,
    of: HeaderVersion | Section,
    lines: str,
    content: str,
    quarantined: bool = False,
) -> Memory:
    """Make the memory of a header version or section `of` a document; its status is `superseded` if `of` has an end of
    validity, else `active`.

    `lines`, such as `3-9`, are its lines in the document (not the vault file), for the evidence.
    """
    return Memory(
        id=of.id,
        category="section",
        namespace=document.namespace,
        created=of.valid_from,
        updated=of.valid_until or of.valid_from,
        source="document",
        asserted_by="user",
        session_id=document.id,
        evidence=(f"{document.path}:{lines}",),
        confidence=1.0,
        entity_ref=document.entity,
        status="superseded" if of.valid_until else "active",
        trust_zone="quarantine" if quarantined else "working",
        valid_at=of.valid_from,
        invalid_at=of.valid_until,
        artifact_ids=tuple(artifact_ids),
        retired=retired,
        content=content,
    )


def _retirement_of(document: Document) -> Retirement | None:
    """Return how and since when a document is declared retired; None if its newest header version does not declare it
    so, or it has no version.

    Of the newest versions that declare it retired without a break, the oldest gives date and id, the newest the words;
    after `by`, bare numbers (`_BARE_NUMBER`) get the series of the document's entity, if it is not the path:
    `superseded by 54` of `SPEC-2` becomes `superseded by SPEC-54`.
    """
    ended: HeaderVersion | None = None
    for version in reversed(document.versions):
        if not retirement(version.values):
            break
        ended = version
    if ended is None:
        return None
    said, (series, dash, _) = retirement(document.versions[-1].values), document.entity.rpartition("-")
    if dash and document.entity != document.path:  # a bare number is of the document's own series
        before, by, names = said.partition(" by ")
        said = before + _BARE_NUMBER.sub(lambda _: f"{series}-", by + names)
    return Retirement(said=said, since=ended.valid_from, by=ended.id)


def _title_with_entity(document: Document, title: str) -> str:
    """Return `entity: title` with the document's entity; the title alone if it contains that, or that is only the
    path.
    """
    if document.entity == document.path or document.entity.casefold() in title.casefold():
        return title
    return f"{document.entity}: {title}"
