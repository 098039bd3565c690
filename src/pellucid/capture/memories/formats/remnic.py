"""A memory file of a Remnic vault in, its memory out, with status, validity, attributes and relations."""

import re
from collections.abc import Iterator, Mapping
from typing import get_args

from pellucid.capture.memories.adopted import AdoptedMemory
from pellucid.capture.memories.document import SourceFile
from pellucid.capture.memories.formats.header import (
    Header,
    first_text,
    parse_header,
    text_mapping,
    text_values,
    unit_number,
)
from pellucid.capture.memories.guess import category_of_label
from pellucid.capture.memories.phrases import LONGEST
from pellucid.capture.transcripts.json_values import as_instant
from pellucid.model.memory import CATEGORIES, Status

LONGEST_MEMORY = 4 * LONGEST  # characters of one memory; a longer file is not a memory but a document

_GONE = frozenset({"forgotten", "rejected"})  # statuses of memories that are not adopted: their owner rejected them
_ATTRIBUTES = re.compile(r"\n\[Attributes: ([^\]\n]{0,4000})\]\s*\Z")


def is_memory(values: Mapping[str, object]) -> bool:
    """Whether a frontmatter is that of a Remnic memory: it has a `category` and an `id`, and the id is not one of
    Pellucid's own (`mem_…`, `ep_…`).
    """
    name = first_text(values, "id") or ""
    return bool(name) and "category" in values and not name.startswith(("mem_", "ep_"))


def read(document: SourceFile) -> Iterator[AdoptedMemory]:
    """Yield the memory of one file of a Remnic vault, if it has one that is to be adopted.

    A fault in its header is noted as a problem, and the rest is used; an unknown status is noted as a problem, too, and
    then nothing is yielded. A file without a memory's frontmatter, a memory that is forgotten or rejected, or one with
    a `parentId` (a part of a split memory, which is there as a whole as well) is counted as left out.
    """
    parts = parse_header(document.text())
    if parts.problem:
        document.add_problem(1, parts.problem)
    if not is_memory(parts.values):
        document.report.drop("no-memory-frontmatter")
        return
    status = _status(parts.values)
    if status is None:
        document.add_problem(1, "unknown status")
    elif status in _GONE:
        document.report.drop(status)
    elif first_text(parts.values, "parentId"):
        document.report.drop("part-of-another")
    else:
        yield from _memory(document, parts, status)


def _status(values: Mapping[str, object]) -> Status | None:
    """Return the status that the frontmatter names; if it names none, `disputed` if its `verificationState` is so, else
    `active`. None for a name that Pellucid does not have.
    """
    is_disputed = first_text(values, "verificationState") == "disputed"
    name = first_text(values, "status") or ("disputed" if is_disputed else "active")
    return next((each for each in get_args(Status) if each == name), None)


def _memory(document: SourceFile, parts: Header, status: Status) -> Iterator[AdoptedMemory]:
    """Yield the memory of a file with the fields of its frontmatter and this status; if it is empty or longer than
    8,000 characters, count a problem and yield nothing.

    A category that Pellucid does not have is kept as a tag, and gives the category that it stands for
    (`category_of_label`), if any. Without a date the memory gets that of the file's last change.
    """
    values = parts.values
    content, inline = _attributes(parts.body.strip())
    if not content or len(content) > LONGEST_MEMORY:
        document.add_problem(parts.first_line, "no content" if not content else "longer than 8000 characters")
        return
    created = as_instant(first_text(values, "created")) or document.modified
    name = first_text(values, "category") or ""
    foreign_name = () if name in CATEGORIES or not name else (name,)
    first = parts.first_line + parts.body.count("\n", 0, len(parts.body) - len(parts.body.lstrip()))
    yield AdoptedMemory(
        "remnic",
        content,
        document.shown_path,
        first,
        first + content.count("\n"),
        category=category_of_label(name),
        tags=tuple(dict.fromkeys((*text_values(values.get("tags")), *foreign_name))),
        entity_ref=first_text(values, "entityRef"),
        attributes=inline | text_mapping(values.get("structuredAttributes")),
        created=created,
        updated=as_instant(first_text(values, "updated")) or created,
        status=status,
        confidence=unit_number(values, "confidence"),
        importance=unit_number(values, "importanceScore"),
        valid_at=as_instant(first_text(values, "validAt", "valid_at")) or created,
        invalid_at=as_instant(first_text(values, "invalidAt", "invalid_at")),
        expires_at=as_instant(first_text(values, "expiresAt")),
        foreign_id=first_text(values, "id"),
        supersedes=text_values(values.get("supersedes")),
        superseded_by=first_text(values, "supersededBy"),
    )


def _attributes(body: str) -> tuple[str, dict[str, str]]:
    """Return the text without a final line `[Attributes: key: value; …]`, and these attributes; without such a line,
    the text unchanged and `{}`.
    """
    found = _ATTRIBUTES.search(body)
    if found is None:
        return body, {}
    pairs = (pair.partition(":") for pair in found.group(1).split(";"))
    return body[: found.start()].strip(), {k.strip(): v.strip() for k, _, v in pairs if k.strip() and v.strip()}
