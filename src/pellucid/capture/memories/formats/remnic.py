"""A memory file of a Remnic vault in, its memory out, with status, validity, attributes and relations."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import get_args

from pellucid.capture.memories.adopted import AdoptedMemory
from pellucid.capture.memories.document import SourceFile
from pellucid.capture.memories.formats.header import Header, header, number_of, text_of, texts, words_of
from pellucid.capture.memories.guess import by_label
from pellucid.capture.memories.phrases import LONGEST
from pellucid.capture.transcripts.json_values import as_instant
from pellucid.model.memory import CATEGORIES, Category, Status

LONGEST_MEMORY = 4 * LONGEST
"""Characters of one memory; the file of a longer one is no memory but a document."""

_GONE = frozenset({"forgotten", "rejected"})
"""Statuses whose memories are left behind: their owner did not want them."""
_ATTRIBUTES = re.compile(r"\n\[Attributes: ([^\]\n]{0,4000})\]\s*\Z")


def is_memory(values: Mapping[str, object]) -> bool:
    """Whether a frontmatter is that of a Remnic memory, and not of a file of our own."""
    name = text_of(values, "id") or ""
    return bool(name) and "category" in values and not name.startswith(("mem_", "ep_"))


def read(document: SourceFile) -> Iterator[AdoptedMemory]:
    """The one memory of a file; pages that a vault derives from its memories (entities, profile) are counted.

    Forgotten and rejected memories stay behind, as do the parts of a memory that was split: its whole is there, too.
    """
    parts = header(document.text())
    if parts.problem:
        document.problem(1, parts.problem)
    if not is_memory(parts.values):
        document.report.drop("no-memory-frontmatter")
        return
    status = _status(parts.values)
    if status is None:
        document.problem(1, "unknown status")
    elif status in _GONE:
        document.report.drop(status)
    elif text_of(parts.values, "parentId"):
        document.report.drop("part-of-another")
    else:
        yield from _memory(document, parts, status)


def _status(values: Mapping[str, object]) -> Status | None:
    """Ours have the same names; a memory without one is active, unless its verification is disputed."""
    name = text_of(values, "status") or ("disputed" if text_of(values, "verificationState") == "disputed" else "active")
    return next((each for each in get_args(Status) if each == name), None)


def _memory(document: SourceFile, parts: Header, status: Status) -> Iterator[AdoptedMemory]:
    """The memory of a file with all that its header says; none, and a problem noted, if it is empty or too long."""
    values = parts.values
    content, inline = _attributes(parts.body.strip())
    if not content or len(content) > LONGEST_MEMORY:
        document.problem(parts.first_line, "no content" if not content else "longer than 8000 characters")
        return
    created = as_instant(text_of(values, "created")) or document.modified
    category, label = _category(text_of(values, "category") or "")
    first = parts.first_line + len(parts.body) - len(parts.body.lstrip("\n"))
    read_from = AdoptedMemory("remnic", content, document.shown, first, first + content.count("\n"))
    yield replace(
        read_from,
        category=category,
        tags=tuple(dict.fromkeys((*texts(values.get("tags")), *label))),
        entity_ref=text_of(values, "entityRef"),
        attributes=inline | words_of(values.get("structuredAttributes")),
        created=created,
        updated=as_instant(text_of(values, "updated")) or created,
        status=status,
        confidence=number_of(values, "confidence"),
        importance=number_of(values, "importanceScore"),
        valid_at=as_instant(text_of(values, "validAt", "valid_at")) or created,
        invalid_at=as_instant(text_of(values, "invalidAt", "invalid_at")),
        expires_at=as_instant(text_of(values, "expiresAt")),
        foreign_id=text_of(values, "id"),
        supersedes=texts(values.get("supersedes")),
        superseded_by=text_of(values, "supersededBy"),
    )


def _attributes(body: str) -> tuple[str, dict[str, str]]:
    """The words without the `[Attributes: key: value; …]` line at their end, and these attributes."""
    found = _ATTRIBUTES.search(body)
    if found is None:
        return body, {}
    pairs = (pair.partition(":") for pair in found.group(1).split(";"))
    return body[: found.start()].strip(), {k.strip(): v.strip() for k, _, v in pairs if k.strip() and v.strip()}


def _category(name: str) -> tuple[Category | None, tuple[str, ...]]:
    """The category, and the foreign word for it as a tag where we have none by that name."""
    known = by_label(name)
    return known, () if name in CATEGORIES or not name else (name,)
