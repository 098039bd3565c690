"""A document and its sections in, the exact bytes of its vault file and the memories in it out: and back.

The frontmatter is the `Document`, then come `# title` and one anchored block a section. A person may edit the file:
keys we do not know stay, comments and what stands before the first block go with our next edit.
"""

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import cast

from pydantic.alias_generators import to_camel

from pellucid.errors import ConflictError, InputError
from pellucid.model.artifact import Artifact
from pellucid.model.document import Document, HeaderVersion, Section
from pellucid.model.entity import retirement
from pellucid.model.memory import FOLDERS, Memory, Retirement
from pellucid.vault import frontmatter
from pellucid.vault.blocks import escaped, marker_of, slug, unescaped

_KEYS = {to_camel(name): name for name in Document.model_fields}
_MARKER = re.compile(r"^<!-- pellucid:section (\{.*\}) -->[ \t\r]*$", re.MULTILINE)
_STEP = " › "
_PLAIN: dict[str, object] = {"heading": "", "trail": [], "level": 0, "quarantined": False}
"""What a section's marker need not say."""


def document_path(document: Document) -> str:
    """Where a new document's vault file stands: `documents/<slug of its title>-<short id>.md`."""
    return f"{FOLDERS['section']}/{slug(document.title)}-{document.id[-10:]}.md"


def render_document(
    document: Document, sections: Iterable[Section], unknown: Mapping[str, object] | None = None
) -> bytes:
    """The file of a document: frontmatter (with keys we do not know behind ours), title, a block a section."""
    dumped = document.model_dump(mode="json", by_alias=True, exclude_none=True)
    values = {key: value for key, value in dumped.items() if value != []}
    head = frontmatter.render({**values, **(unknown or {})})
    return f"---\n{head}---\n\n# {document.title}\n{''.join(map(_block, sections))}".encode()


def unknown_keys(data: bytes) -> dict[str, object]:
    """The frontmatter keys of a document's file that are not ours: `render_document` puts them back."""
    head = frontmatter.split(data.decode("utf-8"))[0]
    return {key: value for key, value in frontmatter.parse(head or "").items() if key not in _KEYS}


def parse_document(values: Mapping[str, object], body: str, namespace: str) -> tuple[Document, tuple[Section, ...]]:
    """The document and the sections of a vault file; `namespace` is for a file that names none.

    Raises:
        InputError: a marker is damaged, or an id stands twice.
        ValidationError: a value is not allowed.
    """
    known = {name: values[key] for key, name in _KEYS.items() if key in values}
    document = Document.model_validate({"namespace": namespace} | known)
    pieces = _MARKER.split(body)
    blocks = zip(pieces[1::2], pieces[2::2], strict=True)
    sections = tuple(_parsed_section(marker, unescaped(_text_of(block))) for marker, block in blocks)
    ids = [each.id for each in (*document.versions, *sections)]
    if len(set(ids)) < len(ids):
        twice = next(each for each in ids if ids.count(each) > 1)
        raise InputError(f"{twice} stands in it twice", next_step="remove one of the two")
    return document, sections


def memories_of(document: Document, sections: Iterable[Section]) -> tuple[tuple[Memory, int], ...]:
    """The memories that a document is, each with its ordinal: header versions (0), then sections by their number."""
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
    """What the memory of a header version says: entity and title, then `key: value` a line."""
    lines = [f"{key}: {value}" for key, value in version.values.items() if key != "title"]
    return "\n".join([_title_with_entity(document, version.values.get("title", document.title)), *lines])


def section_text(document: Document, section: Section) -> str:
    """What the memory of a section says: a line with entity, title and headings, then its text."""
    line = _STEP.join(
        filter(None, (_title_with_entity(document, title_at(document, section.valid_from)), *_trail(section)))
    )
    return f"{line}\n\n{section.content}".rstrip()


def title_at(document: Document, at: datetime) -> str:
    """The title that a document had then: what was written down under a title keeps it."""
    held = [each.values["title"] for each in document.versions if each.valid_from <= at and "title" in each.values]
    return held[-1] if held else document.title


def without_sections(data: bytes, ids: Collection[str]) -> bytes:
    """The same file without the blocks of these sections and without these header versions; nothing else moves."""
    text = _without_sections(data.decode("utf-8"), ids)
    head = frontmatter.split(text)[0] or ""
    versions = frontmatter.parse(head).get("versions")
    if not isinstance(versions, list):
        return text.encode()
    found = cast("list[dict[str, object]]", versions)
    left = [each for each in found if each.get("id") not in ids]
    return (text if left == found else frontmatter.replace(text, {"versions": left or None})).encode()


def holds_section(data: bytes, memory_id: str) -> bool:
    """Whether a block of the file is this memory; a header version is none."""
    return any(marker_of(found[1]).get("id") == memory_id for found in _MARKER.finditer(data.decode("utf-8")))


def edit_section(data: bytes, memory_id: str, changes: Mapping[str, object]) -> bytes:
    """The same file with these keys (camelCase) of one section's marker changed; nothing else moves.

    Raises:
        ConflictError: the file holds no such section.
    """

    def marked(found: re.Match[str]) -> str:
        nonlocal seen
        marker = marker_of(found[1])
        if marker.get("id") != memory_id:
            return found[0]
        seen = True
        return _marker_comment(marker | dict(changes))

    seen = False
    edited = _MARKER.sub(marked, data.decode("utf-8"))
    if not seen:
        raise ConflictError(f"{memory_id} does not stand in its document any more", next_step="repeat the command")
    return edited.encode()


def _block(section: Section) -> str:
    marker = section.model_dump(mode="json", by_alias=True, exclude_none=True, exclude={"content"})
    return f"\n{_marker_comment(marker)}\n{escaped(section.content)}\n"


def _marker_comment(marker: Mapping[str, object]) -> str:
    told = {key: value for key, value in marker.items() if key not in _PLAIN or value != _PLAIN[key]}
    said = json.dumps(told, ensure_ascii=False, separators=(",", ":")).replace(">", "\\u003e")
    return f"<!-- pellucid:section {said} -->"


def _text_of(block: str) -> str:
    """The text of a block between the end of its marker's line and the empty line before the next marker."""
    return block.replace("\r\n", "\n").strip("\n")


def _without_sections(text: str, ids: Collection[str]) -> str:
    """The text without the blocks of these sections, from each marker to the next."""
    starts = [found.start() for found in _MARKER.finditer(text)]
    kept = text[: starts[0]] if starts else text
    for start, end in zip(starts, [*starts[1:], len(text)], strict=False):
        found = _MARKER.match(text, start)
        if found is None or marker_of(found[1]).get("id") not in ids:
            kept += text[start:end]
    return kept


def _parsed_section(marker: str, content: str) -> Section:
    try:
        return Section.model_validate({**json.loads(marker), "content": content})
    except (json.JSONDecodeError, TypeError, RecursionError) as error:
        raise InputError(f"a section's marker is not JSON: {marker[:80]}", next_step="restore that line") from error


def _memory_of(
    document: Document,
    artifact_ids: Sequence[str],
    retired: Retirement | None,
    of: HeaderVersion | Section,
    lines: str,
    content: str,
    quarantined: bool = False,
) -> Memory:
    """The memory that a header version or a section of a document is."""
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
    """What the newest header says of the document's end, and since when the headers do; None while it holds."""
    ended: HeaderVersion | None = None
    for version in reversed(document.versions):
        if not retirement(version.values):
            break
        ended = version
    if ended is None:
        return None
    said, (series, dash, _) = retirement(document.versions[-1].values), document.entity.rpartition("-")
    if dash:  # a bare number is of the document's own series
        said = re.sub(r"(?<= by )(?=\d)|(?<=, )(?=\d)", f"{series}-", said)
    return Retirement(said=said, since=ended.valid_from, by=ended.id)


def _title_with_entity(document: Document, title: str) -> str:
    """The title with the entity before it, unless the title says it or it is only the path."""
    if document.entity == document.path or document.entity.casefold() in title.casefold():
        return title
    return f"{document.entity}: {title}"


def _trail(section: Section) -> tuple[str, ...]:
    return (*section.trail, section.heading)
